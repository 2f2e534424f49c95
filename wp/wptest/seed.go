package wptest

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func applySeed(t testing.TB, db *sql.DB, e Engine, name string) {
	t.Helper()
	file := filepath.Join(Testdata, "seed", name+".sql")
	text, err := os.ReadFile(file)
	Must(t, err)
	apply(t, db, e, file, string(text))
}

// Testdata is the directory testdata beside go.mod.
var Testdata = func() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != "/"; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return filepath.Join(dir, "testdata")
		}
	}
	return ""
}()

// apply runs a script in one transaction. Without a transaction SQLite and InnoDB would flush after every row. (MariaDB commits
// before each CREATE.)
func apply(t testing.TB, db *sql.DB, e Engine, source, script string) {
	t.Helper()
	tx, err := db.Begin()
	Must(t, err)
	defer tx.Rollback()
	exec := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := tx.Exec(s); err != nil {
				t.Fatalf("%s: %v\nin: %.400s", source, err, s)
			}
		}
	}
	for _, s := range split(script) {
		for _, d := range s.directives {
			what, arg, _ := strings.Cut(d, " ")
			switch {
			case d == "create network":
				exec(NetworkSchema(e, "wp_")...)
			case d == "create woocommerce":
				exec(WooCommerceSchema(e, "wp_")...)
			case strings.HasPrefix(d, "create blog "):
				exec(BlogSchema(e, "wp_"+strings.TrimPrefix(d, "create blog ")+"_")...)
			case what == "on" && (arg == MariaDB.String() || arg == SQLite.String()):
				if arg != e.String() {
					s.text = ""
				}
			default:
				t.Fatalf("%s: unknown directive %q", source, d)
			}
		}
		if s.text != "" {
			exec(s.text)
		}
	}
	Must(t, tx.Commit())
}

// statement is one statement of a script, with the directives in the comments above it.
type statement struct {
	directives []string // from lines "--: directive"
	text       string   // without comments; empty for directives at the end of a script
}

// split divides a script at the semicolons that are not in strings or comments.
func split(script string) []statement {
	var out []statement
	var cur statement
	var text strings.Builder
	flush := func() {
		cur.text = strings.TrimSpace(text.String())
		if cur.text != "" || cur.directives != nil {
			out = append(out, cur)
		}
		cur = statement{}
		text.Reset()
	}
	for script != "" {
		at := strings.IndexAny(script, "';-")
		if at < 0 {
			break
		}
		text.WriteString(script[:at])
		script = script[at:]
		switch {
		case script[0] == ';':
			script = script[1:]
			flush()
		case script[0] == '\'':
			end := strings.IndexByte(script[1:], '\'') + 2 // '' in a string reads as two adjacent strings
			if end < 2 {
				end = len(script)
			}
			text.WriteString(script[:end])
			script = script[end:]
		case strings.HasPrefix(script, "--"):
			line, rest, _ := strings.Cut(script, "\n")
			if d, ok := strings.CutPrefix(line, "--:"); ok {
				cur.directives = append(cur.directives, strings.TrimSpace(d))
			}
			text.WriteByte('\n')
			script = rest
		default:
			text.WriteByte('-')
			script = script[1:]
		}
	}
	text.WriteString(script)
	flush()
	return out
}
