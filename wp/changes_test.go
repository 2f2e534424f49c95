package wp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/writes"
)

// changed looks once and returns whether n changed, and the second to look from next.
func changed(t *testing.T, n *Network, since int64, closely bool) (bool, int64) {
	t.Helper()
	scope := writes.Edits
	if closely {
		scope = writes.All
	}
	c, err := n.Writes().Changes(t.Context(), []writes.Check{{Database: n.Writes(), Since: since, Scope: scope}})
	wptest.Must(t, err)
	if !c.Known {
		t.Log("no time of change seen")
	}
	return len(c.Changed) > 0, c.Now
}

// rest waits until a look finds nothing any more, and returns the second to look from.
func rest(t *testing.T, n *Network, since int64) int64 {
	t.Helper()
	wptest.Eventually(t, "it rests", func() bool {
		found, now := changed(t, n, since, true)
		since = now
		return !found
	})
	return since
}

func TestChanges(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "basic")
		n := open(t, Source{DSN: wptest.ReadOnlyDSN(t, dsn)})
		c, err := n.Writes().Changes(t.Context(), []writes.Check{{Database: n.Writes(), Scope: writes.All}})
		if err != nil || !c.Known || c.Now == 0 {
			t.Fatalf("first look: %+v, %v", c, err)
		}
		if (c.Past > 0) != (e == wptest.MariaDB) || c.Past >= time.Second {
			t.Errorf("%v of the second are over", c.Past)
		}
		since := rest(t, n, c.Now)
		for _, tt := range []struct {
			name, statement  string
			telling, closely bool
		}{
			{"a post is edited", "UPDATE wp_posts SET post_title = 'x' WHERE ID = 2", true, true},
			{"a post is deleted", "DELETE FROM wp_posts WHERE ID = 100", true, true},
			{"a term is renamed", "UPDATE wp_terms SET slug = 'x' WHERE term_id = 2", true, true},
			{"an option is saved", "UPDATE wp_options SET option_value = '0' WHERE option_name = 'blog_public'", e == wptest.SQLite, true},
			{"a user is renamed", "UPDATE wp_users SET user_nicename = 'x' WHERE ID = 1", e == wptest.SQLite, true},
		} {
			wptest.Exec(t, dsn, tt.statement)
			if got, _ := changed(t, n, since, false); got != tt.telling {
				t.Errorf("%s: %t", tt.name, got)
			}
			if e == wptest.MariaDB { // a file tells once
				if got, _ := changed(t, n, since, true); got != tt.closely {
					t.Errorf("%s, looked at closely: %t", tt.name, got)
				}
			}
			since = rest(t, n, since)
		}
	})
}

// One look tells apart the sites of one account, also those that share a schema.
func TestChangesOfManySites(t *testing.T) {
	a, b := wptest.Load(t, wptest.MariaDB, "basic"), wptest.Load(t, wptest.MariaDB, "basic", "network")
	first, second := open(t, Source{DSN: a}).Writes(), open(t, Source{DSN: b}).Writes()
	if first.Server != second.Server || first.User != second.User || first.Server == "" {
		t.Fatalf("accounts %s %s and %s %s", first.Server, first.User, second.Server, second.User)
	}
	look := func(since int64) writes.Changes {
		t.Helper()
		c, err := first.Changes(t.Context(), []writes.Check{{Database: first, Since: since, Scope: writes.Edits}, {Database: second, Since: since, Scope: writes.Edits}})
		wptest.Must(t, err)
		return c
	}
	c := look(0)
	for len(c.Changed) > 0 {
		time.Sleep(300 * time.Millisecond)
		c = look(c.Now)
	}
	wptest.Exec(t, b, "UPDATE wp_2_posts SET post_title = 'x' ORDER BY ID LIMIT 1")
	if diff := cmp.Diff([]string{"wp_2_posts"}, func() (tables []string) {
		for _, c := range look(c.Now).Changed {
			if c.Database != second || !c.Edited {
				t.Errorf("changed: %v", c)
			}
			tables = append(tables, c.Tables...)
		}
		return tables
	}()); diff != "" {
		t.Errorf("the tables that changed: %s", diff)
	}
}
