package server

import (
	"testing"

	"wpsitemapd/server/site"
)

// The routing table is built anew where hosts or paths change, and by no other change of a site; requests see every change.
func TestRoutesOutliveEdits(t *testing.T) {
	ts, c, n := onePage(t)
	home := "https://a.test"
	ts.get("GET", home+"/post-sitemap.xml")
	table := ts.front.Table()
	for _, tt := range []struct {
		change, path string
		blogs        []site.Facts
		moves        bool
		want         int
	}{
		{"nothing", "/post-sitemap.xml", []site.Facts{fakeBlog(1, home, c)}, false, 200},
		{"an edit", "/post-sitemap.xml", []site.Facts{fakeBlog(1, home, newFakeCatalog(home))}, false, 200},
		{"no sitemaps any more", "/post-sitemap.xml", []site.Facts{fakeBlog(1, home, &fakeCatalog{home: home, off: true})}, false, 404},
		{"another path", "/blog/post-sitemap.xml", []site.Facts{fakeBlog(1, home+"/blog", newFakeCatalog(home+"/blog"))}, true, 200},
		{
			"another blog", "/two/post-sitemap.xml",
			[]site.Facts{fakeBlog(1, home+"/blog", newFakeCatalog(home+"/blog")), fakeBlog(2, home+"/two", newFakeCatalog(home+"/two"))}, true, 200,
		},
	} {
		n.set(func() { n.blogs = tt.blogs })
		ts.rebuild()
		if moved := ts.front.Table() != table; moved != tt.moves {
			t.Errorf("%s: the table is another one: %v", tt.change, moved)
		}
		table = ts.front.Table()
		if got := ts.get("GET", home+tt.path).StatusCode; got != tt.want {
			t.Errorf("%s: %s is answered with %d, want %d", tt.change, tt.path, got, tt.want)
		}
	}
}
