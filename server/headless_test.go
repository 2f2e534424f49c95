package server

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// The recipe of docs/operator/headless.md, on a real database: what a front end asks for by its own address has its URLs.
func TestHeadlessRecipe(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/operator/headless.md")
	wptest.Must(t, err)
	recipe := regexp.MustCompile("(?s)```toml\n(.*?)```").FindSubmatch(page)[1]
	dsn := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Exec(t, dsn, newRow(9001, "post", "hello"), newRow(9002, "page", "about"))
	text := regexp.MustCompile(`(?m)^wp_config .*$`).ReplaceAllString(string(recipe), `dsn = '`+dsn+`'`)
	cfg, err := config.Parse(text, "headless.md", t.TempDir())
	wptest.Must(t, err)
	install := cfg.Sites[0]
	install.Sitemaps = "yoast"
	ts, _ := startReal(t, 1, install)
	for file, want := range map[string]string{
		"sitemap_index.xml": "<loc>https://www.example.com/post-sitemap.xml</loc>",
		"post-sitemap.xml":  "<loc>https://www.example.com/blog/hello</loc>",
		"page-sitemap.xml":  "<loc>https://www.example.com/about</loc>",
	} {
		if got := body(t, ts.get("GET", "http://127.0.0.1:8080/"+file)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", file, got)
		}
	}
}
