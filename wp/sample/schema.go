// Package sample makes WordPress databases: the layout of the tables in both dialects, and the demo site that "wpsitemapd demo" serves.
package sample

import (
	_ "embed"
	"strings"
)

// Dialect is the database a statement is written for.
type Dialect uint8

// The two databases WordPress runs on.
const (
	// MariaDB stands for MySQL as well.
	MariaDB Dialect = iota
	// SQLite is the layout of the SQLite integration plugin by the WordPress team, 3.x.
	SQLite
)

// String returns "mariadb" or "sqlite".
func (d Dialect) String() string {
	if d == SQLite {
		return "sqlite"
	}
	return "mariadb"
}

// The layout is kept once, as MariaDB shows it; SQLite's is derived from it the way the
// integration plugin does.
var (
	// BlogLayout has the tables one blog of a network has for itself. They include the comments, which nothing in a sitemap depends on,
	// and yoast_indexable.
	//go:embed schema/blog.sql
	BlogLayout string
	//go:embed schema/users.sql
	usersLayout string
)

// SiteSchema returns the statements that create the tables of a single site:
// those of BlogLayout, users and usermeta. The prefix must hold [A-Za-z0-9_] only.
func SiteSchema(d Dialect, prefix string) []string {
	return append(Statements(d, usersLayout, prefix), Statements(d, BlogLayout, prefix)...)
}

const mariadbOptions = " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci"

// Statements returns the statements of a layout in a dialect.
func Statements(d Dialect, layout, prefix string) []string {
	var out []string
	for s := range strings.SplitSeq(strings.ReplaceAll(layout, "{P}", prefix), ";\n") {
		switch {
		case strings.TrimSpace(s) == "":
		case d == SQLite:
			out = append(out, toSQLite(s)...)
		case strings.HasPrefix(s, "CREATE"):
			out = append(out, s+mariadbOptions)
		default:
			out = append(out, s)
		}
	}
	return out
}

// toSQLite translates one statement of the layout, which has one column or key a line.
func toSQLite(s string) []string {
	if !strings.HasPrefix(s, "CREATE") {
		head, column, _ := strings.Cut(s, " ADD COLUMN ")
		return []string{head + " ADD COLUMN " + sqliteColumn(column)}
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n)"), "\n")
	table := strings.Split(lines[0], "`")[1]
	auto := strings.Contains(s, "AUTO_INCREMENT")
	var body, indexes []string
	for _, line := range lines[1:] {
		line = strings.TrimSuffix(strings.TrimSpace(line), ",")
		unique := strings.HasPrefix(line, "UNIQUE ")
		switch {
		case strings.HasPrefix(line, "PRIMARY KEY"):
			if !auto { // otherwise the column has it
				body = append(body, line)
			}
		case unique || strings.HasPrefix(line, "KEY"):
			name := strings.Split(line, "`")[1]
			_, columns, _ := strings.Cut(line, "` ")
			create := "CREATE INDEX"
			if unique {
				create = "CREATE UNIQUE INDEX"
			}
			indexes = append(indexes, create+" `"+table+"__"+name+"` ON `"+table+"` "+withoutLengths(columns))
		default:
			body = append(body, sqliteColumn(line))
		}
	}
	return append([]string{lines[0] + "\n  " + strings.Join(body, ",\n  ") + "\n) STRICT"}, indexes...)
}

// sqliteColumn translates "`name` type rest".
func sqliteColumn(line string) string {
	name, definition, _ := strings.Cut(line, " ")
	kind, rest, _ := strings.Cut(definition, " ")
	rest = strings.TrimPrefix(rest, "unsigned ")
	if strings.Contains(rest, "AUTO_INCREMENT") {
		return name + " INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT"
	}
	rest = strings.TrimSuffix(rest, "DEFAULT NULL")
	rest = strings.TrimSuffix(rest, " ON UPDATE CURRENT_TIMESTAMP")
	if strings.Contains(kind, "int") {
		return strings.TrimSpace(name + " INTEGER " + rest)
	}
	// The plugin fills in what a statement leaves out; here a default does, so that
	// a seed need not name every column.
	if rest == "NOT NULL" {
		rest += " DEFAULT ''"
	}
	return strings.TrimSpace(name + " TEXT COLLATE NOCASE " + rest)
}

// withoutLengths removes prefix lengths: (`meta_key`(191)) becomes (`meta_key`).
func withoutLengths(columns string) string {
	var b strings.Builder
	depth := 0
	for _, r := range columns {
		if r == '(' {
			depth++
		}
		if depth < 2 {
			b.WriteRune(r)
		}
		if r == ')' {
			depth--
		}
	}
	return b.String()
}
