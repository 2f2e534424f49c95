package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// rawUpstream answers every request with the same bytes, and remembers the head of the last one.
func rawUpstream(t *testing.T, answer string) (up config.Upstream, head *atomic.Pointer[string]) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	head = new(atomic.Pointer[string])
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r := bufio.NewReader(conn)
				text := ""
				for !strings.HasSuffix(text, "\r\n\r\n") {
					line, err := r.ReadString('\n')
					if err != nil {
						return
					}
					text += line
				}
				head.Store(&text)
				io.WriteString(conn, answer)
			}()
		}
	}()
	if err := up.UnmarshalText([]byte("http://" + l.Addr().String())); err != nil {
		t.Fatal(err)
	}
	return up, head
}

// rawAsk sends a request as it is.
func rawAsk(t *testing.T, public, request string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(public, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(wptest.Patience))
	io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n")+"\r\n")
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%v after %q", err, request)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp, string(text)
}

// What no client understands, or nobody asked for, is not passed on, whatever was asked.
func TestAnswersThatAreNone(t *testing.T) {
	const upgrade = "Connection: Upgrade\r\nUpgrade: x\r\n"
	for _, tt := range []struct{ name, answer string }{
		{"status 000", "HTTP/1.1 000 Nothing\r\nContent-Length: 4\r\n\r\ntext"},
		{"status 099", "HTTP/1.1 099 Nearly\r\nContent-Length: 4\r\n\r\ntext"},
		{"101 without a word", "HTTP/1.1 101 Switching Protocols\r\n\r\ntext"},
		{"101 with another protocol", "HTTP/1.1 101 Switching Protocols\r\n" + upgrade + "\r\ntext"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up, _ := rawUpstream(t, tt.answer)
			n := &fakeNetwork{blogs: []site.Settings{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))}}
			ts := newTestServer(t, map[string]*fakeNetwork{"a": n}, config.Site{Name: "a", Upstream: up})
			public, _, stop := start(t, ts)
			defer stop()
			<-ts.installs[0].refresher.FirstRead()
			for _, ask := range []string{"GET /robots.txt", "HEAD /robots.txt", "GET /about/", "POST /wp-login.php"} {
				more := ""
				if strings.HasPrefix(ask, "POST") {
					more = "Content-Length: 0\n"
				}
				if resp, _ := rawAsk(t, public, ask+" HTTP/1.1\nHost: a.test\n"+more); resp.StatusCode != http.StatusBadGateway {
					t.Errorf("%s: %d", ask, resp.StatusCode)
				}
			}
			if resp, _ := rawAsk(t, public,
				"GET /chat HTTP/1.1\nHost: a.test\nConnection: Upgrade\nUpgrade: websocket\n"); resp.StatusCode != http.StatusBadGateway {
				t.Errorf("who asks for a WebSocket: %d", resp.StatusCode)
			}
		})
	}
}

// What means something to the way, and not to the site, ends here.
func TestWhatIsNotPassedOn(t *testing.T) {
	up, head := rawUpstream(t, "HTTP/1.1 200 OK\r\nConnection: keep-alive, x-inner, Set-Cookie2\r\nX-Inner: secret\r\nSet-Cookie2: "+
		"a\r\nX-Outer: 1\r\nProxy-Connection: close\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\nUser-agent: *\n")
	n := &fakeNetwork{blogs: []site.Settings{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))}}
	ts := newTestServer(t, map[string]*fakeNetwork{"a": n}, config.Site{Name: "a", Upstream: up})
	public, _, stop := start(t, ts)
	defer stop()
	<-ts.installs[0].refresher.FirstRead()
	for _, path := range []string{"/robots.txt", "/about/"} {
		for _, tt := range []struct{ name, header string }{
			{"HTTP/2", "Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAAP__\n"},
			{"HTTP/2 in capitals, second of two", "Connection: upgrade\nUpgrade: websocket, H2C\n"},
			{"HTTP/2, alone", "Upgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAAP__\n"},
			{"another HTTP", "Connection: Upgrade\nUpgrade: HTTP/2.0\n"},
			{"TLS", "Connection: Upgrade\nUpgrade: TLS/1.2\n"},
			{"a proxy", "Proxy: http://evil.test:1\n"},
			{"a proxy in small letters", "proxy: http://evil.test:1\n"},
		} {
			resp, _ := rawAsk(t, public, fmt.Sprintf("GET %s HTTP/1.1\nHost: a.test\n%s", path, tt.header))
			sent := strings.ToLower(*head.Load())
			for _, name := range []string{"\nupgrade:", "\nhttp2-settings:", "\nproxy:", "\nconnection: upgrade"} {
				if strings.Contains(sent, name) {
					t.Errorf("%s, %s: the upstream gets %q", path, tt.name, sent)
				}
			}
			for _, name := range []string{"X-Inner", "Set-Cookie2", "Proxy-Connection"} {
				if resp.Header.Get(name) != "" {
					t.Errorf("%s: the client gets %s", path, name)
				}
			}
			if resp.StatusCode != 200 || resp.Header.Get("X-Outer") != "1" {
				t.Errorf("%s, %s: %d %v", path, tt.name, resp.StatusCode, resp.Header)
			}
		}
	}
}

// Over HTTP/2, too, a request names its host.
func TestRequestWithoutItsHost(t *testing.T) {
	ts, _, _ := onePage(t)
	for _, tt := range []struct {
		host, path string
		want       int
	}{
		{"", "/about/", 400}, {"", "/post-sitemap.xml", 400}, {"", "/robots.txt", 400}, {"a.test/x", "/post-sitemap.xml", 400},
		{"a.test", "/post-sitemap.xml", 200},
	} {
		r := httptest.NewRequest("GET", tt.path, nil)
		r.Host, r.Proto, r.ProtoMajor, r.ProtoMinor = tt.host, "HTTP/2.0", 2, 0
		w := httptest.NewRecorder()
		ts.front.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%q, %s: %d, want %d", tt.host, tt.path, w.Code, tt.want)
		}
	}
}
