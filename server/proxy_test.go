package server

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// proxied is a server on loopback before an upstream, with a request's way through both.
func proxied(t *testing.T, h http.HandlerFunc) (*testServer, *httptest.Server) {
	t.Helper()
	ts := serveSite(t, config.Site{Upstream: startUpstream(t, h)}, netOf(newFakeCatalog("https://a.test")))
	srv := httptest.NewServer(ts)
	t.Cleanup(srv.Close)
	return ts, srv
}

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

func TestGoneBlogGoesToTheUpstream(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusGone)
		io.WriteString(w, "theirs")
	})
	n := &fakeNetwork{
		blogs: []site.Facts{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))},
		gone:  []site.Gone{{Host: "a.test", Path: "old"}},
	}
	ts := serveSite(t, config.Site{Upstream: up}, n)
	if resp := ts.get("GET", "http://a.test/old/?sitemap=1"); resp.StatusCode != http.StatusGone || body(t, resp) != "theirs" {
		t.Errorf("%d", resp.StatusCode)
	}
}

func TestUpgradesPass(t *testing.T) {
	_, srv := proxied(t, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		io.WriteString(rw, "echo "+line)
		rw.Flush()
	})
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	wptest.Must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(wptest.Patience))
	io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	rd := bufio.NewReader(conn)
	resp, err := http.ReadResponse(rd, nil)
	if err != nil || resp.StatusCode != 101 {
		t.Fatalf("%v, %v", resp, err)
	}
	io.WriteString(conn, "hello\n")
	if line, err := rd.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("%q, %v", line, err)
	}
}

func TestTrustedProxiesAreReloaded(t *testing.T) {
	var told string
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { told = r.Header.Get("X-Forwarded-For") })
	site := fakeSite("a")
	site.Upstream = up
	r := startReloadable(t, site)
	ask := func() string {
		req, err := http.NewRequest("GET", r.public+"/about/", nil)
		wptest.Must(t, err)
		req.Host = "a.test"
		req.Header.Set("X-Forwarded-For", "9.9.9.9")
		resp, err := http.DefaultClient.Do(req)
		wptest.Must(t, err)
		resp.Body.Close()
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
