package route

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp/wptest/expect"
)

// A table remembers a bounded number of meanings, no matter in how many ways addresses are written. It does not
// remember addresses with a query, or addresses that are no sitemap.
func TestMeaningsAreBounded(t *testing.T) {
	s := site.New(config.Site{Name: "a"}, slog.New(slog.DiscardHandler))
	listing := catalog.Outline{Active: true, Owned: []string{"post"},
		Files: []catalog.File{{Name: "post", Page: 1, Entries: 1}}, Base: seo.Base{Pretty: true}}
	b := site.Remembered(site.Blog{ID: 1, Home: "https://a.test", Plugin: &yoast.Plugin}, listing, s.Began)
	s.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{b}})
	table := NewTable(map[string][]Mount{"a.test": {{Site: s, Key: b.Key()}}}, nil, nil, nil)
	remembered := func() (n int) {
		table.meanings.Range(func(any, any) bool { n++; return true })
		return n
	}
	for _, tt := range []struct {
		uri  string
		kind seo.ResourceKind
		want int
	}{
		{"/about/", Upstream, 0}, {"/main-sitemap.xsl", XSL, 0}, {"/post-sitemap.xml?a=1", Sitemap, 0}, {"/post-sitemap7.xml", Sitemap, 0},
		{"/post-sitemap.xml", Sitemap, 1}, {"/post-sitemap.xml/", Sitemap, 2}, {"/post-sitemap.xml", Sitemap, 2},
	} {
		expect.Equal(t, table.Target(httptest.NewRequest("GET", "https://a.test"+tt.uri, nil)).Kind, tt.kind, tt.uri)
		expect.Equal(t, remembered(), tt.want, tt.uri)
	}
	table.remembered.Store(mostMeanings)
	table.Target(httptest.NewRequest("GET", "https://a.test/post-sitemap.xml//", nil))
	expect.Equal(t, remembered(), 1, "remembered beyond the bound")
}

// While the index is the upstream's, it may name sitemaps for which there is nothing here: these are the upstream's, too, and never 404.
func TestIndexOfTheUpstream(t *testing.T) {
	outline := catalog.Outline{
		Active: true, Owned: []string{"author", "post", seo.IndexName}, Left: []string{"book", seo.IndexName},
		Files: []catalog.File{{Name: "post", Page: 1, Entries: 1}}, Base: seo.Base{Pretty: true},
	}
	for _, tt := range []struct {
		uri           string
		with, without seo.ResourceKind
	}{
		{"/sitemap_index.xml", Upstream, Sitemap}, {"/post-sitemap.xml", Sitemap, Sitemap}, {"/author-sitemap.xml", Upstream, Sitemap},
		{"/book-sitemap.xml", Upstream, Undecided},
	} {
		for _, upstream := range []*proxy.Proxy{new(proxy.Proxy), nil} {
			s := site.New(config.Site{Name: "a"}, slog.New(slog.DiscardHandler))
			s.Upstream = upstream
			b := site.Remembered(site.Blog{ID: 1, Home: "https://a.test", Plugin: &yoast.Plugin}, outline, s.Began)
			s.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{b}})
			table := NewTable(map[string][]Mount{"a.test": {{Site: s, Key: b.Key()}}}, nil, nil, nil)
			want := tt.with
			if upstream == nil {
				want = tt.without
			}
			expect.Equal(t, table.Target(httptest.NewRequest("GET", "https://a.test"+tt.uri, nil)).Kind, want, tt.uri, upstream != nil)
		}
	}
}

func TestCutHomePath(t *testing.T) {
	for _, test := range []struct {
		rule, path, home, rest string
		ok                     bool
	}{
		{"no folder", "a/b", "", "a/b", true},
		{"a folder", "blog/a/b", "blog", "a/b", true},
		{"the folder alone", "blog", "blog", "", true},
		{"letter case does not matter", "BLoG/a", "blog", "a", true},
		{"another folder", "shop/a", "blog", "", false},
		{"a longer name is another folder", "blogs/a", "blog", "", false},
		{"a shorter name too", "blo", "blog", "", false},
		{"nothing", "", "blog", "", false},
		{"two folders", "a/b/c", "a/b", "c", true},
		{"only the first of two folders", "a", "a/b", "", false},
		{"a slash too many behind the folder", "blog//a", "blog", "a", true},
		{"encoded in the request", "caf%C3%A9/a", "café", "a", true},
		{"encoded in home", "café/a", "caf%C3%A9", "a", true},
		{"encoded with letters of another case", "caf%c3%a9/a", "caf%C3%A9", "a", true},
	} {
		rest, ok := cutHomePath(test.path, test.home)
		expect.Equal(t, rest, test.rest, test.rule, test.path, test.home)
		expect.Equal(t, ok, test.ok, test.rule, test.path, test.home)
	}
}
