package wptest

import (
	_ "embed"
	"strings"
)

// Engine is the kind of database that a site is loaded into.
type Engine uint8

// The engines that package wp must support.
const (
	// MariaDB stands for MySQL, too.
	MariaDB Engine = iota
	// SQLite has the layout of WordPress' SQLite integration plugin, version 3.x.
	SQLite
)

// String returns "mariadb" or "sqlite".
func (e Engine) String() string {
	if e == SQLite {
		return "sqlite"
	}
	return "mariadb"
}

// The layouts of the tables, as MariaDB shows them. SQLite's layout is derived from them like the integration plugin does. That
// of a blog includes comments, which no sitemap depends on, and yoast_indexable.
var (
	//go:embed schema/blog.sql
	blogLayout string
	//go:embed schema/users.sql
	usersLayout string
	//go:embed schema/network.sql
	networkLayout string
	//go:embed schema/woocommerce.sql
	wooCommerceLayout string
)

// BlogSchema returns the statements that create the tables of one blog of a network.
func BlogSchema(e Engine, prefix string) []string { return schemaOf(e, blogLayout, prefix) }

// NetworkSchema returns the statements that make a network of a single site with this base prefix: they add blogs, blogmeta,
// site, sitemeta and two columns of users.
func NetworkSchema(e Engine, prefix string) []string { return schemaOf(e, networkLayout, prefix) }

// WooCommerceSchema returns the statement that creates WooCommerce's table of product attributes.
func WooCommerceSchema(e Engine, prefix string) []string {
	return schemaOf(e, wooCommerceLayout, prefix)
}

// SiteSchema returns the statements that create the tables of a single site.
func SiteSchema(e Engine, prefix string) []string {
	return append(schemaOf(e, usersLayout, prefix), BlogSchema(e, prefix)...)
}

const mariadbOptions = " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci"

// schemaOf returns the statements of a layout for an engine.
func schemaOf(e Engine, layout, prefix string) []string {
	var out []string
	for s := range strings.SplitSeq(strings.ReplaceAll(layout, "{P}", prefix), ";\n") {
		switch {
		case strings.TrimSpace(s) == "":
		case e == SQLite:
			out = append(out, toSQLite(s)...)
		case strings.HasPrefix(s, "CREATE"):
			out = append(out, s+mariadbOptions)
		default:
			out = append(out, s)
		}
	}
	return out
}

// toSQLite translates one statement of a layout. A layout has one column or one key on each line.
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
			if !auto { // for AUTO_INCREMENT the column is the primary key
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

// sqliteColumn translates the definition of a column, "`name` type rest".
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
	// The plugin fills in values that a statement leaves out. Here a default does so, and a seed need not name every column.
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
