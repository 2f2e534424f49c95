package wp

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The table of WordPress MU Domain Mapping moves a blog to its primary domain.
func TestDomainMapping(t *testing.T) {
	const table = "CREATE TABLE wp_domain_mapping (id bigint NOT NULL PRIMARY KEY, blog_id bigint NOT NULL, domain varchar(255) NOT " +
		"NULL, active int NOT NULL)"
	const rows = "INSERT INTO wp_domain_mapping (id, blog_id, domain, active) VALUES " +
		"(1, 2, 'old-fish.test', 0), (2, 2, 'Fish.test', 1), (3, 2, 'late.test', 1), " + // of two primary domains the first counts
		"(4, 6, 'hush.test', 0), " + // no primary one
		"(5, 3, 'bad host/', 1), (6, 3, '', 1), (7, 99, 'nobody.test', 1), (8, 4, 'archived.test', 1)"
	fishHosts := []string{"fish.test", "old-fish.test", "www.old-fish.test", "www.fish.test", "late.test", "www.late.test"}
	stays := map[int64]string{1: "https://example.test", 2: "https://example.test/fish", 3: "https://bread.test", 6: "https://example.test/hush"}
	moved := map[int64]string{1: "https://example.test", 2: "https://Fish.test", 3: "https://bread.test", 6: "https://example.test/hush"}
	for _, tt := range []struct {
		name   string
		is     string // the value of MULTISITE; "": true
		config string
		exec   []string
		homes  map[int64]string
		hosts  []string // of blog 2
	}{
		{name: "the primary domain is the home", config: "define('SUNRISE', 'on');", exec: []string{table, rows}, homes: moved, hosts: fishHosts},
		{name: "that it is a network only the database shows", is: "getenv('NETWORK') === 'true'", homes: stays, hosts: []string{"example.test"}},
		{name: "without sunrise.php the table is a leftover", exec: []string{table, rows}, homes: stays, hosts: []string{"example.test"}},
		{name: "another sunrise.php has no table", config: "define('SUNRISE', true);", homes: stays, hosts: []string{"example.test"}},
		{
			name: "with dm_no_primary_domain the stored address stands", config: "define('SUNRISE', 'on');",
			exec:  []string{table, rows, "INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, 'dm_no_primary_domain', '1')"},
			homes: stays, hosts: []string{"example.test"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "basic", "network")
				wptest.Exec(t, dsn, tt.exec...)
				path := filepath.Join(t.TempDir(), "wp-config.php")
				text := "<?php\ndefine('MULTISITE', " + cmp.Or(tt.is, "true") + ");\ndefine('SUBDOMAIN_INSTALL', false);\n" + tt.config + "\n$table_prefix = 'wp_';\n"
				wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
				sites, err := open(t, Source{WPConfig: path, DSN: wptest.ReadOnlyDSN(t, dsn)}).ReadBlogs(t.Context())
				wptest.Must(t, err)
				homes := map[int64]string{}
				for _, s := range sites {
					homes[s.BlogID()] = s.Home()
					if s.BlogID() != 2 {
						continue
					}
					expect.List(t, s.Hosts(), tt.hosts, "hosts")
					if got := s.Settings().Uploads.URL; got != "https://example.test/fish/wp-content/uploads/sites/2" {
						t.Errorf("uploads: %s", got) // their address is made before the plugin runs
					}
				}
				expect.Same(t, tt.homes, homes, "homes")
			})
		})
	}
}
