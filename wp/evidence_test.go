package wp_test

import (
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A site that never had Yoast SEO is not told of its table, which an account with rights to single tables is denied.
func TestDeniedIndexables(t *testing.T) {
	for _, yoast := range []bool{false, true} {
		dsn := wptest.Load(t, wptest.MariaDB, "small")
		wptest.Exec(t, dsn, "DROP TABLE wp_yoast_indexable")
		if !yoast {
			wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'")
		}
		n, err := wp.Open(t.Context(), wp.Source{Name: "a", DSN: wptest.ReadOnlyDSN(t, dsn)})
		wptest.Must(t, err)
		defer n.Close()
		sites, err := n.ReadBlogs(t.Context())
		wptest.Must(t, err)
		warnings := strings.Join(sites[0].Warnings(), "\n")
		expect.Equal(t, strings.Contains(warnings, "yoast_indexable"), yoast, warnings)
	}
}

// Tables of one site may have several collations, so that texts of two are not compared.
func TestSeveralCollations(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "types")
	wptest.Exec(t, dsn, "ALTER TABLE wp_yoast_indexable CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
	n, err := wp.Open(t.Context(), wp.Source{Name: "a", DSN: dsn})
	wptest.Must(t, err)
	defer n.Close()
	if _, err := n.ReadBlogs(t.Context()); err != nil {
		t.Error(err)
	}
}
