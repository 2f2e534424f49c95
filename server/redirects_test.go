package server

import (
	"strings"
	"testing"

	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// A new redirect is seen as an edit is; a visitor who is redirected, which the manager counts in the same table, has
// nothing read but the settings.
func TestRedirectIsSeen(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins',
'a:2:{i:0;s:24:"wordpress-seo/wp-seo.php";i:1;s:27:"redirection/redirection.php";}')`,
		`CREATE TABLE wp_redirection_items (id INTEGER PRIMARY KEY, url VARCHAR(500) NOT NULL, match_url VARCHAR(500), match_data TEXT,
regex INTEGER NOT NULL DEFAULT 0, position INTEGER NOT NULL DEFAULT 0, last_count INTEGER NOT NULL DEFAULT 0,
status VARCHAR(20) NOT NULL DEFAULT 'enabled', action_type VARCHAR(20) NOT NULL, action_code INTEGER NOT NULL, action_data TEXT,
match_type VARCHAR(20) NOT NULL)`,
		`INSERT INTO wp_redirection_items (id, url, match_url, action_type, action_code, action_data, match_type)
VALUES (1, '/not-a-post/', '/not-a-post', 'url', 301, '/new/', 'url')`)
	install := realSite("a", wptest.ReadOnlyDSN(t, dsn))
	install.Compat = "spec"
	ts, public := startReal(t, 1, install)
	ts.crawl(public, "a.test")
	ts.settle()
	const address = "/the-pier-at-dawn/"
	if !strings.Contains(mustAsk(t, public, "/post-sitemap.xml"), address) {
		t.Fatal("the post is not listed")
	}
	scans := func() (n int) {
		for _, r := range ts.blog().Readings {
			if r.Kind == site.FullScan {
				n++
			}
		}
		return n
	}
	before := scans()
	for range 3 {
		wptest.Exec(t, dsn, "UPDATE wp_redirection_items SET last_count = last_count + 1")
		ts.settle()
	}
	if n := scans(); n != before {
		t.Errorf("%d full reads after hits: %+v", n-before, ts.blog().Readings)
	}
	wptest.Exec(t, dsn, "UPDATE wp_redirection_items SET url = '/the-pier-at-dawn/', match_url = '/the-pier-at-dawn'")
	wptest.Eventually(t, "the redirect is seen", func() bool { return !strings.Contains(mustAsk(t, public, "/post-sitemap.xml"), address) },
		func() any { return ts.blog().Readings }, ts.log)
}
