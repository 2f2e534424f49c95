package check

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/fcgi"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// check says what answers at an upstream that is not a PHP site.
func TestUpstreamsAreAsked(t *testing.T) {
	serve := func(h http.HandlerFunc) string {
		srv := httptest.NewServer(h)
		t.Cleanup(srv.Close)
		return srv.URL
	}
	status := func(code int) string {
		return serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	asked := 0
	wordpress := serve(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Host != "www.a.test" || r.Header.Get("X-Forwarded-Proto") != "https" || r.URL.Path != "/blog"+probedName {
			t.Errorf("%s %s %v", r.Host, r.URL, r.Header)
		}
		http.NotFound(w, r)
	})
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	socket := filepath.Join(t.TempDir(), "s")
	listen(t, "unix", socket, func(l net.Listener) { _ = fcgi.Serve(l, http.NotFoundHandler()) })
	mysql := listen(t, "tcp", "127.0.0.1:0", func(l net.Listener) {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "J\x00\x00\x00\x0a11.8.6-MariaDB\x00")
			conn.Close()
		}
	})
	for _, test := range []struct{ rule, upstream, want string }{
		{"WordPress has no such sitemap", wordpress, ""},
		{"a web server that sends everybody to HTTPS", serve(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
		}), "redirects to https://www.a.test/…, the same address that was requested"},
		{"a redirect elsewhere is the site's affair", serve(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://www.a.test/", http.StatusMovedPermanently)
		}), ""},
		{"PHP is down", status(502), "answers with status 502"},
		{"the daemon", status(508), "leads back to this daemon"},
		{"HTTPS", "http://" + secure.Listener.Addr().String(), "speaks HTTPS: begin it with https://"},
		{"PHP-FPM", "unix:" + socket, "does not speak HTTP"},
		{"a database", "http://" + mysql.String(), "does not speak HTTP"},
		{"nobody", "unix:" + socket + "-none", "does not answer"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			s := config.Site{Name: "a"}
			wptest.Must(t, s.Upstream.UnmarshalText([]byte(test.upstream)))
			known := map[string]string{}
			for range 2 { // the second time it is remembered
				got := troubleOf(t.Context(), known, &s, "https://www.a.test/blog", "test")
				want := fmt.Sprintf("upstream %v %s", s.Upstream, test.want)
				if (got == "") != (test.want == "") || got != "" && !strings.HasPrefix(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
	expect.Equal(t, asked, 1, "it was asked", "times")
}

// listen serves a listener until the test ends.
func listen(t *testing.T, network, address string, serve func(net.Listener)) net.Addr {
	t.Helper()
	l, err := net.Listen(network, address)
	wptest.Must(t, err)
	t.Cleanup(func() { l.Close() })
	go serve(l)
	return l.Addr()
}

// What an upstream answers to the question for a sitemap that no site has. Most answers are well.
func TestJudgeUpstream(t *testing.T) {
	t.Parallel()
	public, err := url.Parse("https://a.test/wpsitemapd-check-sitemap.xml")
	wptest.Must(t, err)
	for _, tt := range []struct {
		upstream       string
		status         int
		location, body string
		want           string
	}{
		{"http://127.0.0.1:1", 200, "", "", ""}, {"http://127.0.0.1:1", 404, "", "", ""}, {"http://127.0.0.1:1", 499, "", "", ""},
		{"http://127.0.0.1:1", 500, "", "", "answers with status 500"}, {"http://127.0.0.1:1", 508, "", "", "leads back to this daemon"},
		{"http://127.0.0.1:1", 400, "", "send HTTPS please", "speaks HTTPS"}, {"http://127.0.0.1:1", 400, "", "bad", ""},
		{"https://a.test", 400, "", "send HTTPS please", ""}, {"http://127.0.0.1:1", 301, public.String(), "", "the same address that was requested"},
		{"http://127.0.0.1:1", 301, public.Path, "", "the same address that was requested"}, {"http://127.0.0.1:1", 302, "https://www.a.test/", "", ""},
	} {
		s := new(config.Site)
		wptest.Must(t, s.Upstream.UnmarshalText([]byte(tt.upstream)))
		got := judge(s, &live.Answer{Status: tt.status, Header: http.Header{"Location": {tt.location}}, Body: []byte(tt.body)}, public)
		expect.Equal(t, strings.Contains(got, tt.want) && (got == "") == (tt.want == ""), true, tt.status, tt.location, tt.body, got)
	}
}
