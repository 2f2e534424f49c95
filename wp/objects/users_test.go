package objects

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestSortByLogin(t *testing.T) {
	t.Parallel()
	nicenames := func(t *testing.T, dsn string) []string {
		s := openSite(t, wp.Source{DSN: dsn})
		ids := []int64{1001, 1002, 1003, 1004, 1005}
		wptest.Must(t, SortByLogin(t.Context(), s, ids))
		users, err := s.Texts(t.Context(), "reading users", "SELECT ID, user_nicename FROM wp_users WHERE ID IN (?)", ids)
		wptest.Must(t, err)
		var names []string
		for _, id := range ids {
			names = append(names, users[id])
		}
		return names
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small", "small-core")
		want := []string{"bert", "carla", "dora", "emil", "anna"} // zoe
		expect.Same(t, want, nicenames(t, dsn))
		if e == wptest.MariaDB {
			want := []string{"anna", "bert", "carla", "dora", "emil"}
			expect.Same(t, want, nicenames(t, wptest.ReadOnlyDSN(t, dsn)), "an account that may not read logins")
		}
	})
}

func TestEditors(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		// A capability that was taken away is still named: the match is on text, in any letter case.
		wptest.Exec(t, dsn,
			`UPDATE wp_usermeta SET meta_value = 'a:2:{s:10:"subscriber";b:1;s:10:"edit_posts";b:0;}' WHERE user_id = 4 AND meta_key = 'wp_capabilities'`,
			`UPDATE wp_usermeta SET meta_value = 'a:1:{s:6:"Author";b:1;}' WHERE user_id = 5 AND meta_key = 'wp_capabilities'`)
		got, err := Editors(t.Context(), openSite(t, wp.Source{DSN: dsn}))
		if diff := cmp.Diff([]int64{1, 2, 3, 4, 5, 6, 8, 9}, got); err != nil || diff != "" { // 7 is a subscriber
			t.Errorf("%v, expected (-) and got (+):\n%s", err, diff)
		}
	})
}
