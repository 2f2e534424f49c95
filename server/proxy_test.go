package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// proxied is a server on loopback before an upstream, with a request's way through both.
func proxied(t *testing.T, h http.HandlerFunc) (*testServer, *httptest.Server) {
	t.Helper()
	ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []site.Settings{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))}}},
		config.Site{Name: "a", Upstream: startUpstream(t, h)})
	ts.rebuild()
	srv := httptest.NewServer(ts)
	t.Cleanup(srv.Close)
	return ts, srv
}

func TestProxyPassesRequestsOn(t *testing.T) {
	_, srv := proxied(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Answer", "1")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Host, r.RequestURI, b)
	})
	for uri, want := range map[string]string{
		"/about/?a=b;c&d=%20": "POST www.a.test:8443 /about/?a=b;c&d=%20 text",
		"//double//slash/":    "POST www.a.test:8443 //double//slash/ text",
		"/caf%C3%A9/a%2Fb":    "POST www.a.test:8443 /caf%C3%A9/a%2Fb text",
	} {
		r, err := http.NewRequest("POST", srv.URL+uri, strings.NewReader("text"))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "www.a.test:8443"
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := body(t, resp); resp.StatusCode != http.StatusTeapot || resp.Header.Get("X-Answer") != "1" || got != want {
			t.Errorf("%d %q, want %q", resp.StatusCode, got, want)
		}
	}
}

func TestForwardedHeaders(t *testing.T) {
	var got http.Header
	ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []site.Settings{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))}}},
		config.Site{Name: "a", Upstream: startUpstream(t, func(w http.ResponseWriter, r *http.Request) { got = r.Header })})
	ts.rebuild()
	said := []string{"X-Forwarded-For", "9.9.9.9", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "www.a.test", "X-Real-IP", "9.9.9.9"}
	tests := []struct {
		rule, remote string
		header       []string
		want         map[string]string
	}{
		{
			"a client is named", "8.8.8.8:1234", nil,
			map[string]string{"X-Forwarded-For": "8.8.8.8", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "a.test", "X-Real-Ip": "8.8.8.8"},
		},
		{
			"what a client says of itself is replaced", "8.8.8.8:1234", said,
			map[string]string{"X-Forwarded-For": "8.8.8.8", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "a.test", "X-Real-Ip": "8.8.8.8"},
		},
		{"what a front server on this machine says is kept", "127.0.0.1:1234", said, map[string]string{
			"X-Forwarded-For": "9.9.9.9, 127.0.0.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "www.a.test", "X-Real-Ip": "9.9.9.9",
		}},
		{"also one in a private network", "10.1.2.3:1234", said, map[string]string{
			"X-Forwarded-For": "9.9.9.9, 10.1.2.3", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "www.a.test", "X-Real-Ip": "9.9.9.9",
		}},
		{"also by IPv6", "[::1]:1234", said, map[string]string{
			"X-Forwarded-For": "9.9.9.9, ::1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "www.a.test", "X-Real-Ip": "9.9.9.9",
		}},
	}
	for _, test := range tests {
		for _, path := range []string{"/", "/robots.txt"} {
			t.Run(test.rule+" "+path, func(t *testing.T) {
				r := httptest.NewRequest("GET", "http://a.test"+path, nil)
				r.RemoteAddr = test.remote
				for i := 0; i < len(test.header); i += 2 {
					r.Header.Set(test.header[i], test.header[i+1])
				}
				ts.ServeHTTP(httptest.NewRecorder(), r)
				have := map[string]string{}
				for name := range test.want {
					have[name] = strings.Join(got.Values(name), ", ")
				}
				if diff := cmp.Diff(test.want, have); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestUpstreamDown(t *testing.T) {
	ts := newTestServer(t,
		map[string]*fakeNetwork{"a": {blogs: []site.Settings{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))}}},
		config.Site{Name: "a", Upstream: deadUpstream(t)})
	ts.rebuild()
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
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	var u config.Upstream
	if err := u.UnmarshalText([]byte("http://" + ln.Addr().String())); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNamesThatAreNotOursGoToTheUpstream(t *testing.T) {
	ts, _ := proxied(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "upstream") })
	for uri, want := range map[string]string{
		"/local-sitemap.xml":  "upstream",
		"/local-sitemap1.xml": "upstream",
		"/?sitemap=local":     "upstream",
		"/local-sitemap.xsl":  "upstream",
		"/sitemap.xsl":        "upstream",
		"/post-sitemap9.xml":  "There is no such sitemap.\n",
	} {
		if got := body(t, ts.get("GET", "http://a.test"+uri)); got != want {
			t.Errorf("%s: %q", uri, got)
		}
	}
}

func TestGoneBlogGoesToTheUpstream(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusGone)
		io.WriteString(w, "theirs")
	})
	n := &fakeNetwork{
		blogs: []site.Settings{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))},
		gone:  []site.Gone{{Host: "a.test", Path: "old"}},
	}
	ts := newTestServer(t, map[string]*fakeNetwork{"a": n}, config.Site{Name: "a", Upstream: up})
	ts.rebuild()
	if resp := ts.get("GET", "http://a.test/old/?sitemap=1"); resp.StatusCode != http.StatusGone || body(t, resp) != "theirs" {
		t.Errorf("%d", resp.StatusCode)
	}
}

func TestStreamsAreFlushed(t *testing.T) {
	finish := make(chan struct{})
	_, srv := proxied(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first\n")
		w.(http.Flusher).Flush()
		<-finish
	})
	defer close(finish)
	resp, err := http.Get(srv.URL + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	line := make(chan string, 1)
	go func() {
		s, _ := bufio.NewReader(resp.Body).ReadString('\n')
		line <- s
	}()
	select {
	case s := <-line:
		if s != "first\n" {
			t.Errorf("%q", s)
		}
	case <-time.After(wptest.Patience):
		t.Error("nothing arrives before the answer is complete")
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
	if err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "a.test"
		req.Header.Set("X-Forwarded-For", "9.9.9.9")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
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
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask(); got != "127.0.0.1" {
		t.Errorf("after: %s", got)
	}
}
