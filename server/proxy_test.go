package server

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
	"wpsitemapd/wp/wptest"
)

func TestUpstreamDown(t *testing.T) {
	ts := serveSite(t, config.Site{Upstream: deadUpstream(t)}, netOf(newFakeCatalog("https://a.test")))
	resp := ts.get("GET", "http://a.test/about/")
	if resp.StatusCode != 502 || resp.Header.Get("Retry-After") == "" ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") || body(t, resp) == "" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if resp := ts.get("GET", "http://a.test/post-sitemap.xml"); resp.StatusCode != 200 {
		t.Errorf("sitemaps do not need it: %d", resp.StatusCode)
	}
	if ts.log.count("upstream does not answer") != 1 {
		t.Errorf("log: %s", ts.log)
	}
}

// deadUpstream is an address nothing listens on.
func deadUpstream(t *testing.T) config.Upstream {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer ln.Close()
	var u config.Upstream
	wptest.Must(t, u.UnmarshalText([]byte("http://"+ln.Addr().String())))
	return u
}

func TestTrustedProxiesAreReloaded(t *testing.T) {
	var told string
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { told = r.Header.Get("X-Forwarded-For") })
	site := fakeSite("a")
	site.Upstream = up
	r := startReloadable(t, site)
	ask := func() string {
		r.ask("a.test", "/about/", "X-Forwarded-For", "9.9.9.9")
		return told
	}
	if got := ask(); got != "9.9.9.9, 127.0.0.1" {
		t.Errorf("before: %s", got)
	}
	listening := r.config.Listening
	listening.Trusted = proxy.Trust{}
	r.mu.Lock()
	r.next = &config.Config{Listening: listening, Sites: []config.Site{site}}
	r.mu.Unlock()
	wptest.Must(t, r.Reload(t.Context()))
	if got := ask(); got != "127.0.0.1" {
		t.Errorf("after: %s", got)
	}
}
