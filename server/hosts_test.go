package server

import (
	"net/http/httptest"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
)

// A site whose database has a name in Unicode is asked for in punycode.
func TestInternationalHosts(t *testing.T) {
	for _, home := range []string{"https://bücher.example", "https://xn--bcher-kva.example", "https://BÜCHER.example"} {
		other := fakeBlog(2, "https://b.test", newFakeCatalog("https://b.test"))
		ts := newTestServer(t,
			map[string]*fakeNetwork{"a": {blogs: []site.Settings{fakeBlog(1, home, newFakeCatalog(home))}}, "b": {blogs: []site.Settings{other}}},
			config.Site{Name: "a"}, config.Site{Name: "b"})
		ts.rebuild()
		for _, host := range []string{"xn--bcher-kva.example", "XN--BCHER-KVA.example:443", "xn--bcher-kva.example.", "bücher.example"} {
			r := httptest.NewRequest("GET", "/post-sitemap.xml", nil)
			r.Host = host
			rec := httptest.NewRecorder()
			ts.ServeHTTP(rec, r)
			if rec.Code != 200 {
				t.Errorf("%s of %s: %d", host, home, rec.Code)
			}
		}
	}
}
