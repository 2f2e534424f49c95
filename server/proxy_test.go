package server

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/proxy"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestUpstreamDown(t *testing.T) {
	ts := serveSite(t, config.Site{Upstream: deadUpstream(t)}, sitetest.ThreePosts(t, "https://a.test"))
	resp := ts.get("GET", "http://a.test/about/")
	if resp.StatusCode != 502 || resp.Header.Get("Retry-After") == "" ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") || body(t, resp) == "" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	expect.Equal(t, ts.get("GET", "http://a.test/post-sitemap.xml").StatusCode, 200, "sitemaps do not need it")
	expect.Equal(t, ts.log.count("upstream does not answer"), 1, "log", ts.log)
}

// deadUpstream returns an address where nothing listens.
func deadUpstream(t *testing.T) proxy.Upstream {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer ln.Close()
	var u proxy.Upstream
	wptest.Must(t, u.UnmarshalText([]byte("http://"+ln.Addr().String())))
	return u
}

func TestTrustedProxiesAreReloaded(t *testing.T) {
	var told string
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { told = r.Header.Get("X-Forwarded-For") })
	site := testSite("a")
	site.Upstream = up
	r := startReloadable(t, site)
	ask := func() string {
		r.ask("a.test", "/about/", "X-Forwarded-For", "9.9.9.9")
		return told
	}
	expect.Equal(t, ask(), "9.9.9.9, 127.0.0.1", "before")
	listening := r.config.Listening
	listening.Trusted = proxy.Trust{}
	r.mu.Lock()
	r.next = &config.Config{Listening: listening, Sites: []config.Site{site}}
	r.mu.Unlock()
	wptest.Must(t, r.Reload(t.Context()))
	expect.Equal(t, ask(), "127.0.0.1", "after")
}

// The upstream of an only site also answers for a host that differs from the site's by more than www. WordPress
// redirects such a request, or shows another blog of a network.
func TestUpstreamAnswersWWW(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "PHP") })
	ts := serveSite(t, config.Site{Upstream: up}, sitetest.NewNetwork(t, 3, "https://www.a.test", "https://b.test"))
	for _, path := range []string{"/post-sitemap.xml", "/about/"} {
		if resp := ts.get("GET", "https://a.test"+path); resp.StatusCode != 200 || body(t, resp) != "PHP" {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
}

// Whatever a tenant writes as its home, requests for the host of another site still reach that site. A tenant at the
// same host with or without www gets nothing of it either.
func TestTenantTakesNoPath(t *testing.T) {
	upstream := func(name string) proxy.Upstream {
		return startUpstream(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "PHP of "+name) })
	}
	theirs := sitetest.ThreePosts(t, "https://mallory.test")
	ts := newTestServer(t, map[string]*sitetest.WordPress{"victim": sitetest.ThreePosts(t, "https://victim.test"), "mallory": theirs},
		config.Site{Name: "mallory", Upstream: upstream("mallory"), WPConfig: "/www/mallory/wp-config.php", Within: "/www"},
		config.Site{Name: "victim", Upstream: upstream("victim")})
	ts.rebuild()
	for _, home := range []string{"https://victim.test/wp-admin", "https://victim.test/%77p-login.php", "https://victim.test/post-sitemap.xml",
		"https://victim.test/robots.txt", "https://www.victim.test", "https://www.victim.test/wp-admin"} {
		theirs.Move(home)
		ts.rebuild()
		for path, want := range map[string]string{
			"/wp-admin/x": "PHP of victim", "/wp-login.php": "PHP of victim", "/robots.txt": "PHP of victim",
			"/post-sitemap.xml":          "https://victim.test/post-1/",
			"/wp-admin/post-sitemap.xml": "PHP of victim",
		} {
			if resp := ts.get("GET", "https://victim.test"+path); resp.StatusCode != 200 {
				t.Errorf("%s: %s is %d", home, path, resp.StatusCode)
			} else if text := body(t, resp); !strings.Contains(text, want) {
				t.Errorf("%s: %s is %q", home, path, text)
			}
		}
		resp := ts.get("POST", "https://www.victim.test/wp-admin/?a=%41")
		if resp.StatusCode != 308 || resp.Header.Get("Location") != "https://victim.test/wp-admin/?a=%41" {
			t.Errorf("%s: with www: %d %s", home, resp.StatusCode, resp.Header.Get("Location"))
		}
		resp = ts.get("GET", "https://www.victim.test/post-sitemap.xml")
		if resp.StatusCode != 301 || resp.Header.Get("Location") != "https://victim.test/post-sitemap.xml" {
			t.Errorf("%s: with www: %d %s", home, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	if n := ts.log.count("several sites claim one host"); n == 0 {
		t.Error("no alarm")
	}
}
