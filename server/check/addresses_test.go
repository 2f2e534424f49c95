package check

import (
	"crypto/md5"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// check says how the addresses of a type are known. Trouble is only what is left out or may be wrong, never a type for internal
// use.
func TestAddressesOfTypes(t *testing.T) {
	stored := func(id int, address string) string {
		return fmt.Sprintf(`UPDATE wp_yoast_indexable SET permalink = '%s', permalink_hash = '%d:%x', blog_id = 1, updated_at = '2026-01-01 00:00:00',
object_last_modified = '2024-08-06 10:00:00' WHERE object_type = 'post' AND object_id = %d`, address, len(address), md5.Sum([]byte(address)), id)
	}
	const book = "https://example.test/library/the-tide-table/"
	const shelf = `UPDATE wp_options SET option_value =
REPLACE(option_value, 'a:89:{', 'a:90:{s:16:"shelf/([^/]+)/?$";s:26:"index.php?book=$matches[1]";')
		WHERE option_name = 'rewrite_rules'`
	for _, tt := range []struct {
		rule, want string
		trouble    bool
		rows       []string
	}{
		{"nothing is stored", "", false, nil},
		{"what is stored agrees", "addresses: computed; yoast_indexable has the same for 1 of the 1 compared\n", false, []string{stored(200, book)}},
		{"one is another", "yoast_indexable has the same for 1 of the 2 compared, and others may differ, too", false,
			[]string{stored(200, book), stored(201, "https://example.test/by-hand/")}},
		{"of two slugs another is stored", "yoast_indexable has the same for 0 of the 2 compared, and others may differ, too", false,
			[]string{stored(200, "https://example.test/library/tide/"), stored(201, "https://example.test/library/knot/")}},
		{"a plugin filters them", "addresses: from yoast_indexable: today's rewrite rules answer these\n", false,
			[]string{shelf, stored(200, "https://example.test/shelf/the-tide-table/"), stored(201, "https://example.test/shelf/the-knot-book/")}},
		{"a plugin filters them, and one is not stored", "TROUBLE: no sitemap lists 1 object", true,
			[]string{shelf, stored(200, "https://example.test/shelf/the-tide-table/"), "DELETE FROM wp_yoast_indexable WHERE object_id = 201"}},
		{"no rule answers what is stored", "TROUBLE: the URLs of post type `book` differ from those computed, so wpsitemapd leaves " +
			"its sitemap to the site: Yoast SEO has stored other URLs, such as https://example.test/books/the-tide-table/, and " +
			"nothing tells which are right", true,
			[]string{stored(200, "https://example.test/books/the-tide-table/")}},
		{"a type for inner use", "these types have no rewrite rule in WordPress, so they count as not public and have no sitemap: inner, loan. If visitors", false,
			[]string{"UPDATE wp_posts SET post_type = 'inner' WHERE ID = 211",
				`UPDATE wp_options SET option_value = REPLACE(option_value, 's:28:"last_known_public_post_types"', 's:28:"last_known_public_post_typez"')`,
				"DELETE FROM wp_yoast_indexable"}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
			wptest.Exec(t, dsn, tt.rows...)
			cfg, err := config.Parse(fmt.Sprintf("[[site]]\nname = \"a\"\ndsn = %q\n", dsn), "c.toml", "/")
			wptest.Must(t, err)
			c := Check{Log: slog.New(slog.DiscardHandler), Err: io.Discard, Rate: 1}
			r, err := c.Run(t.Context(), cfg, cfg.Sites)
			wptest.Must(t, err)
			text := r.Text()
			if !strings.Contains(text, tt.want) || tt.want == "" && strings.Contains(text, "addresses:") {
				t.Errorf("want %q in\n%s", tt.want, text)
			}
			expect.Equal(t, len(r.Sites[0].Blogs[0].Troubles) > 0, tt.trouble, "trouble", r.Sites[0].Blogs[0].Troubles)
		})
	}
}

// For a single site, check asks the upstream if nothing is stored. If the pages of a type are elsewhere, its sitemap is left to
// the site, which is trouble.
func TestAddressesThatTheSiteShows(t *testing.T) {
	filtered := false
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, book := strings.CutPrefix(r.URL.Path, "/library/"); book && filtered {
			http.Redirect(w, r, "/by/ann/"+name, http.StatusMovedPermanently)
		}
	}))
	defer up.Close()
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	cfg, err := config.Parse(fmt.Sprintf("[[site]]\nname = \"a\"\ndsn = %q\nupstream = %q\n", dsn, up.URL), "c.toml", "/")
	wptest.Must(t, err)
	for _, want := range []string{"computed; asked the site for 1 page\n",
		"TROUBLE: the URLs of post type `book` differ from those computed, so wpsitemapd leaves its sitemap to the site: " +
			"https://example.test/library/the-tide-table/ leads to https://example.test/by/ann/the-tide-table/\n"} {
		c := Check{Log: slog.New(slog.DiscardHandler), Err: io.Discard, Rate: 1000}
		r, err := c.Run(t.Context(), cfg, cfg.Sites)
		wptest.Must(t, err)
		expect.Contains(t, r.Text(), want)
		filtered = true
	}
}
