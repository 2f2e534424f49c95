package server

import (
	"net/http/httptest"
	"testing"
)

// A site whose database has a name in Unicode is asked for in punycode.
func TestInternationalHosts(t *testing.T) {
	for _, home := range []string{"https://bücher.example", "https://xn--bcher-kva.example", "https://BÜCHER.example"} {
		other := fakeBlog(2, "https://b.test", newFakeCatalog("https://b.test"))
		ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []blog{fakeBlog(1, home, newFakeCatalog(home))}}, "b": {blogs: []blog{other}}}, Site{Name: "a"}, Site{Name: "b"})
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
	for in, want := range map[string]string{"a_b.example": "a_b.example", "ü_b.example": "xn--_b-wka.example", "[2001:DB8::1]:80": "2001:db8::1", "-ü.example": "-ü.example"} {
		if got := hostName(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}
