package writes

import (
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
)

// An account with the rights that the manual names sees what is written.
func TestChanges(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "basic")
		d := openGuest(t, wptest.ReadOnlyDSN(t, dsn))
		changed := func(since int64, of scope) (bool, int64) {
			t.Helper()
			c, err := d.changes(t.Context(), []check{{d, since, since, of}})
			if err != nil || !c.known || c.now == 0 || (c.past > 0) != (e == wptest.MariaDB) || c.past >= time.Second {
				t.Fatalf("%+v, %v", c, err)
			}
			return len(c.changed) > 0, c.now
		}
		_, since := changed(0, all)
		for _, tt := range []struct {
			name, statement string
			edit            bool
		}{
			{"a post is edited", "UPDATE wp_posts SET post_title = 'x' WHERE ID = 2", true},
			{"a post is deleted", "DELETE FROM wp_posts WHERE ID = 100", true},
			{"an option is saved", "UPDATE wp_options SET option_value = '0' WHERE option_name = 'blog_public'", e == wptest.SQLite},
		} {
			wptest.Eventually(t, "it rests", func() bool {
				found, now := changed(since, all)
				since = now
				return !found
			})
			wptest.Exec(t, dsn, tt.statement)
			if got, _ := changed(since, edits); got != tt.edit {
				t.Errorf("%s: an edit %t", tt.name, got)
			}
			if got, _ := changed(since, all); got != (e == wptest.MariaDB) { // a file tells once
				t.Errorf("%s, of all tables: %t", tt.name, got)
			}
		}
	})
}

// openGuest opens a database with the account of a DSN.
func openGuest(t *testing.T, dsn string) *Database {
	t.Helper()
	path, ok := strings.CutPrefix(dsn, "sqlite:")
	if !ok {
		return open(t, dsn)
	}
	d, err := db.OpenSQLite(t.Context(), path, db.Options{})
	wptest.Must(t, err)
	t.Cleanup(func() { d.Close() })
	return New(d, declared, "wp_", nil, nil)
}
