package diff

import (
	"net/url"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// Of a network the blog is compared that the address is below.
func TestBlogOfAnAddress(t *testing.T) {
	n, blogs, err := site.Blogs(t.Context(), &config.Site{DSN: config.Secret(wptest.Load(t, wptest.SQLite, "basic", "network"))})
	wptest.Must(t, err)
	defer n.Close()
	for live, want := range map[string]string{
		"https://example.test/sitemap_index.xml":      "https://example.test",
		"http://example.test/fish/sitemap_index.xml":  "https://example.test/fish",
		"https://example.test/fishes/post.xml":        "https://example.test",
		"https://bread.test/sitemap_index.xml":        "https://bread.test",
		"https://staging.example.test/sitemaps/x.xml": "",
	} {
		u, err := url.Parse(live)
		wptest.Must(t, err)
		got, err := blogOf(blogs, u)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: %s", live, got[0].Home())
		case want != "" && (err != nil || len(got) != 1 || got[0].Home() != want):
			t.Errorf("%s: %v, want %s", live, err, want)
		}
	}
}
