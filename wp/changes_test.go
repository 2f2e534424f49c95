package wp

import (
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/writes"
)

// An account with the rights that the manual names sees what is written; see the tests of package writes, too.
func TestChanges(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "basic")
		n := open(t, Source{DSN: wptest.ReadOnlyDSN(t, dsn)})
		changed := func(since int64, scope writes.Scope) (bool, int64) {
			t.Helper()
			c, err := n.Writes().Changes(t.Context(), []writes.Check{{Database: n.Writes(), Since: since, Scope: scope}})
			if err != nil || !c.Known || c.Now == 0 || (c.Past > 0) != (e == wptest.MariaDB) || c.Past >= time.Second {
				t.Fatalf("%+v, %v", c, err)
			}
			return len(c.Changed) > 0, c.Now
		}
		_, since := changed(0, writes.All)
		for _, tt := range []struct {
			name, statement string
			edit            bool
		}{
			{"a post is edited", "UPDATE wp_posts SET post_title = 'x' WHERE ID = 2", true},
			{"a post is deleted", "DELETE FROM wp_posts WHERE ID = 100", true},
			{"an option is saved", "UPDATE wp_options SET option_value = '0' WHERE option_name = 'blog_public'", e == wptest.SQLite},
		} {
			wptest.Eventually(t, "it rests", func() bool {
				found, now := changed(since, writes.All)
				since = now
				return !found
			})
			wptest.Exec(t, dsn, tt.statement)
			if got, _ := changed(since, writes.Edits); got != tt.edit {
				t.Errorf("%s: an edit %t", tt.name, got)
			}
			if got, _ := changed(since, writes.All); got != (e == wptest.MariaDB) { // a file tells once
				t.Errorf("%s, of all tables: %t", tt.name, got)
			}
		}
	})
}
