package server

import (
	"io"
	"net/http"
	"testing"

	"wpsitemapd/server/config"
)

// Home's host is served whatever hosts says, since the sitemaps list its URLs; a host that nobody has is 421.
func TestHostsWithoutHome(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "upstream") })
	for _, with := range []bool{false, true} {
		install := config.Site{Name: "a", Hosts: []config.Host{"www.a.test"}}
		if with {
			install.Upstream = up
		}
		ts := serveSite(t, install, netOf(newFakeCatalog("https://a.test")))
		page := map[bool]int{false: 421, true: 200}[with] // of a host that the web server gives us, PHP may know more
		for url, want := range map[string]int{
			"http://a.test/sitemap_index.xml": 200, "http://www.a.test/post-sitemap.xml": 200, "http://a.test/robots.txt": 200,
			"http://b.test/sitemap_index.xml": 421, "http://b.test/robots.txt": 421, "http://b.test/foo-sitemap.xml": 421, "http://b.test/about/": page,
		} {
			if resp := ts.get("GET", url); resp.StatusCode != want {
				t.Errorf("upstream %t: %s is %d, want %d", with, url, resp.StatusCode, want)
			}
		}
	}
}
