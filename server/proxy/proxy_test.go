package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// upstream starts a PHP site on TCP.
func upstream(t testing.TB, h http.HandlerFunc) Options {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return options(t, srv.URL)
}

func options(t testing.TB, address string) (o Options) {
	t.Helper()
	wptest.Must(t, o.Upstream.UnmarshalText([]byte(address)))
	return o
}

// front starts a proxy and returns its address, host:port.
func front(t testing.TB, o Options) string {
	t.Helper()
	return hastyFront(t, o, readTimeout, writeTimeout)
}

// hastyFront starts a proxy with timeouts of its own.
func hastyFront(t testing.TB, o Options, read, write time.Duration) string {
	t.Helper()
	p := direct(t, o)
	p.readTimeout, p.writeTimeout = read, write
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// pipes is a listener in memory. In a bubble of synctest, the time limits of its connections are over at once.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, ok := <-p; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

// dial connects to the listener.
func (p pipes) dial() net.Conn {
	client, server := net.Pipe()
	p <- server
	return client
}

// serve serves connections in memory until the end of the test.
func serve(t *testing.T, h http.Handler) pipes {
	srv, p := &http.Server{Handler: h}, make(pipes)
	go srv.Serve(p)
	t.Cleanup(func() { srv.Close() })
	return p
}

// inMemory starts a proxy in memory for an upstream in memory. timeout is how long the upstream may take.
func inMemory(t *testing.T, upstream pipes, timeout time.Duration) pipes {
	o := options(t, "http://php.test")
	o.Timeout = timeout
	p := direct(t, o)
	p.transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return upstream.dial(), nil }
	t.Cleanup(p.transport.CloseIdleConnections)
	return serve(t, p)
}

// ask sends bytes to a proxy in memory, and returns the answer and its body.
func (p pipes) ask(t *testing.T, request string) (*http.Response, string) {
	t.Helper()
	conn := p.dial()
	defer conn.Close()
	io.WriteString(conn, request)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	wptest.Must(t, err)
	body, err := io.ReadAll(resp.Body)
	wptest.Must(t, err)
	return resp, string(body)
}

// direct is a proxy that trusts nobody.
func direct(t testing.TB, o Options) *Proxy {
	list := trust(t)
	return New(o, func() *Trust { return list }, slog.New(slog.DiscardHandler), func(w http.ResponseWriter, _ *http.Request, status int) {
		http.Error(w, "upstream failed", status)
	})
}

// dial connects to a proxy.
func dial(t testing.TB, at string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", at)
	wptest.Must(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return conn, bufio.NewReader(conn)
}

// exchange sends bytes to a proxy and returns the answer.
func exchange(t testing.TB, at, request string) (*http.Response, error) {
	t.Helper()
	conn, rd := dial(t, at)
	io.WriteString(conn, request)
	return http.ReadResponse(rd, nil)
}

func get(t testing.TB, url string) (*http.Response, string) {
	t.Helper()
	resp, body, err := wptest.Get(t.Context(), http.DefaultClient, url, "")
	wptest.Must(t, err)
	return resp, body
}

// until waits for a condition that must become true.
func until(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s never happens", what)
	}
}

func TestTargetsPassAsTheyAre(t *testing.T) {
	at := front(t, upstream(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RequestURI) }))
	for _, target := range []string{
		"/", "/?", "/a?b=c", "/a%2Fb/%c3%a9/", "/caf\xc3\xa9", "/\xe9", `/a"b|c<d>`, "/a/../b/./c",
		"/a//b", "//a//b", "/?a=b;c&d=%zz&e=\"|", "/a+b%20c", "/a:b@c", "/?sitemap=x&", "/*",
	} {
		resp, err := exchange(t, at, "GET "+target+" HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
		wptest.Must(t, err)
		if body, _ := io.ReadAll(resp.Body); string(body) != target {
			t.Errorf("%q becomes %d %q", target, resp.StatusCode, body)
		}
	}
}

func TestHeaders(t *testing.T) {
	var got http.Header
	at := front(t, upstream(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		h := w.Header()
		h.Set("Connection", "X-Private")
		h.Set("X-Private", "1")
		h.Set("Keep-Alive", "timeout=5")
		h.Set("Proxy-Connection", "close")
		h.Set("Proxy-Authenticate", "Basic")
		h["Set-Cookie"] = []string{"a=1", "b=2"}
		h.Set("Server", "Apache")
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, r.Host)
	}))
	resp, err := exchange(t, at, "GET / HTTP/1.1\r\nHost: WWW.a.test:8443\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: "+
		"5\r\nProxy-Authorization: x\r\nProxy-Connection: x\r\nTE: trailers, gzip\r\nUpgrade: h2c\r\nAccept-Encoding: br\r\nCookie: "+
		"a=1\r\nAuthorization: Basic x\r\n\r\n")
	wptest.Must(t, err)
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusTeapot || string(body) != "WWW.a.test:8443" {
		t.Errorf("%d, host %s", resp.StatusCode, body)
	}
	want := http.Header{"Te": {"trailers"}, "Accept-Encoding": {"br"}, "Cookie": {"a=1"}, "Authorization": {"Basic x"},
		"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"WWW.a.test:8443"}, "X-Real-Ip": {"127.0.0.1"}}
	expect.Same(t, want, got, "to the upstream")
	resp.Header.Del("Date")
	want = http.Header{"Set-Cookie": {"a=1", "b=2"}, "Server": {"Apache"}, "Content-Length": {"15"}, "Content-Type": {"text/plain; charset=utf-8"}}
	expect.Same(t, want, resp.Header, "to the client")
}

// What means something to the way, and not to the site, ends here: for a page, and for what is asked for in its name.
func TestWhatIsNotPassedOn(t *testing.T) {
	var got http.Header
	p := direct(t, upstream(t, func(w http.ResponseWriter, r *http.Request) { got = r.Header }))
	for _, tt := range []struct{ name, upgrade, connection, settings, proxy string }{
		{"HTTP/2", "h2c", "Upgrade, HTTP2-Settings", "AAMAAABkAAQAAP__", ""},
		{"HTTP/2 in capitals, second of two", "websocket, H2C", "upgrade", "", ""},
		{"HTTP/2, alone", "h2c", "", "AAMAAABkAAQAAP__", ""},
		{"another HTTP", "HTTP/2.0", "Upgrade", "", ""},
		{"TLS", "TLS/1.2", "Upgrade", "", ""},
		{"a proxy", "", "", "", "http://evil.test:1"},
	} {
		r := httptest.NewRequest("GET", "http://a.test/", nil)
		for name, value := range map[string]string{
			"Upgrade": tt.upgrade, "Connection": tt.connection, "Http2-Settings": tt.settings, "Proxy": tt.proxy,
		} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		for _, send := range []func(){
			func() { p.ServeHTTP(httptest.NewRecorder(), r) },
			func() {
				if resp, err := p.Get(t.Context(), r); err == nil {
					resp.Body.Close()
				}
			},
		} {
			got = nil
			send()
			if got == nil || got.Get("Upgrade")+got.Get("Connection")+got.Get("Http2-Settings")+got.Get("Proxy") != "" {
				t.Errorf("%s: the upstream gets %v", tt.name, got)
			}
		}
	}
}

// What no client understands, or nobody asked for, is not passed on, whatever was asked.
func TestAnswersThatAreNone(t *testing.T) {
	for _, answer := range []string{
		"000 Nothing\r\nContent-Length: 4", "099 Nearly\r\nContent-Length: 4", "101 Switching Protocols",
		"101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x",
	} {
		at := front(t, upstream(t, func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				io.WriteString(conn, "HTTP/1.1 "+answer+"\r\n\r\ntext")
				conn.Close()
			}
		}))
		for _, request := range []string{
			"GET /about/ HTTP/1.1", "POST /wp-login.php HTTP/1.1\r\nContent-Length: 0", "GET /chat HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket",
		} {
			if resp, err := exchange(t, at, request+"\r\nHost: a.test\r\n\r\n"); err != nil || resp.StatusCode != http.StatusBadGateway {
				t.Errorf("%q after %q: %v, %v", answer, request, resp, err)
			}
		}
	}
}

// echo answers a handshake for a WebSocket and sends every byte back until the client ends.
func echo(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Websocket-Key") == "" || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") || r.Header.Get("Connection") != "Upgrade" {
			t.Errorf("no handshake: %v", r.Header)
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "+
			"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
		io.Copy(conn, rw)
	}
}

func TestWebSocket(t *testing.T) {
	at := front(t, upstream(t, echo(t)))
	conn, rd := dial(t, at)
	io.WriteString(conn, "GET /chat HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\nConnection: keep-alive, "+
		"Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
	resp, err := http.ReadResponse(rd, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("Sec-Websocket-Accept") == "" || resp.Header.Get("Upgrade") != "websocket" {
		t.Fatalf("%v, %v", resp, err)
	}
	frame := []byte{0x82, 0x7e, 0x10, 0x00}
	for range 4096 {
		frame = append(frame, byte(len(frame)))
	}
	for i := range 200 {
		frame[5] = byte(i)
		if _, err := conn.Write(frame); err != nil {
			t.Fatal(err)
		}
		back := make([]byte, len(frame))
		if _, err := io.ReadFull(rd, back); err != nil || string(back) != string(frame) {
			t.Fatalf("frame %d: %v", i, err)
		}
	}
	conn.(*net.TCPConn).CloseWrite()
	if rest, err := io.ReadAll(rd); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v after the end", rest, err)
	}
}

func TestEventsArriveAtOnce(t *testing.T) {
	for _, length := range []string{"", "12"} {
		step := make(chan struct{})
		at := front(t, upstream(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			for range 4 {
				io.WriteString(w, "x\n\n")
				w.(http.Flusher).Flush()
				<-step
			}
		}))
		resp, err := http.Get("http://" + at)
		wptest.Must(t, err)
		for range 4 {
			event := make([]byte, 3)
			if _, err := io.ReadFull(resp.Body, event); err != nil || string(event) != "x\n\n" {
				t.Fatalf("%q, %v", event, err)
			}
			step <- struct{}{} // the next is not sent before the last has arrived
		}
		resp.Body.Close()
	}
}

func TestTrailers(t *testing.T) {
	at := front(t, upstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s", body, r.Trailer.Get("X-Request-Sum"))
		w.Header().Set("X-Sum", "42")
		w.Header().Set(http.TrailerPrefix+"X-Unannounced", "43")
	}))
	resp, err := exchange(t, at, "POST / HTTP/1.1\r\nHost: a.test\r\nTE: trailers\r\nTrailer: X-Request-Sum\r\nTransfer-Encoding: "+
		"chunked\r\n\r\n4\r\nbody\r\n0\r\nX-Request-Sum: 41\r\n\r\n")
	wptest.Must(t, err)
	body, err := io.ReadAll(resp.Body)
	expect.Equal(t, err, nil, body)
	expect.Equal(t, string(body), "body 41", body)
	expect.Same(t, http.Header{"X-Sum": {"42"}, "X-Unannounced": {"43"}}, resp.Trailer)
}

func TestEarlyHints(t *testing.T) {
	at := front(t, upstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		io.WriteString(w, "page")
	}))
	links := ""
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		links += fmt.Sprint(code, h.Get("Link"))
		return nil
	}})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at, nil)
	wptest.Must(t, err)
	resp, err := http.DefaultClient.Do(r)
	wptest.Must(t, err)
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || string(text) != "page" || links != "103</style.css>; rel=preload" {
		t.Errorf("%d %q, %q", resp.StatusCode, text, links)
	}
}

func TestUpstreamForms(t *testing.T) {
	says := func(w http.ResponseWriter, r *http.Request) {
		name := ""
		if r.TLS != nil {
			name = r.TLS.ServerName
		}
		fmt.Fprintf(w, "%s %q", r.Host, name)
	}
	secure := httptest.NewUnstartedServer(http.HandlerFunc(says))
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	_, port, _ := net.SplitHostPort(secure.Listener.Addr().String())

	dir, err := os.MkdirTemp("", "proxy")
	wptest.Must(t, err)
	defer os.RemoveAll(dir)
	ln, err := net.Listen("unix", dir+"/php.sock")
	wptest.Must(t, err)
	local := &httptest.Server{Listener: ln, Config: &http.Server{Handler: http.HandlerFunc(says)}}
	local.Start()
	t.Cleanup(local.Close)

	for _, test := range []struct {
		rule, address string
		status        int
		want          string
	}{
		{"a Unix socket", "unix:" + dir + "/php.sock", 200, `a.test ""`},
		{"TLS that nobody vouches for", "https://127.0.0.1:" + port, 502, ""},
		{"no such socket", "unix:" + dir + "/nobody.sock", 502, ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			resp, body, err := wptest.Get(t.Context(), http.DefaultClient, "http://"+front(t, options(t, test.address)), "a.test")
			if err != nil || resp.StatusCode != test.status || test.want != "" && body != test.want {
				t.Errorf("%v %s", resp, body)
			}
		})
	}
	t.Run("the name asked for is the configured one, and is verified", func(t *testing.T) {
		for name, want := range map[string]int{"example.com": 200, "other.test": 502} { // httptest's certificate is for example.com
			var asked atomic.Pointer[string]
			secure.TLS.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
				asked.Store(&hello.ServerName)
				return nil, nil
			}
			p := direct(t, options(t, "https://"+name))
			p.transport.TLSClientConfig = &tls.Config{RootCAs: roots}
			p.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", secure.Listener.Addr().String())
			}
			r := httptest.NewRequest("GET", "http://a.test/", nil)
			rec := httptest.NewRecorder()
			p.ServeHTTP(rec, r)
			if rec.Code != want || asked.Load() == nil || *asked.Load() != name {
				t.Errorf("%s: %d", name, rec.Code)
			}
		}
	})
}

func TestTimeLimits(t *testing.T) {
	const limit = 10 * time.Second
	synctest.Test(t, func(t *testing.T) {
		at := inMemory(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hang" {
				<-r.Context().Done()
				return
			}
			for range 10 { // longer in all than the limit
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(limit)
			}
		})), limit)
		if resp, body := at.ask(t, "GET /hang HTTP/1.1\r\nHost: a.test\r\n\r\n"); resp.StatusCode != http.StatusGatewayTimeout || body == "" {
			t.Errorf("an upstream that hangs: %d", resp.StatusCode)
		}
		if resp, body := at.ask(t, "GET /slow HTTP/1.1\r\nHost: a.test\r\n\r\n"); resp.StatusCode != 200 || body != "xxxxxxxxxx" {
			t.Errorf("a long download: %d %q", resp.StatusCode, body)
		}
	})
	dead := options(t, "http://127.0.0.1:1")
	if resp, _ := get(t, "http://"+front(t, dead)); resp.StatusCode != http.StatusBadGateway {
		t.Errorf("nobody there: %d", resp.StatusCode)
	}
}

func TestStalledClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrived := make(chan string, 1)
		at := inMemory(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if r.URL.Path == "/think" {
				time.Sleep(2 * readTimeout)
			}
			arrived <- fmt.Sprintf("%s %v", body, err == nil)
			w.Write(body)
		})), 0)
		resp, _ := at.ask(t, "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nbody")
		expect.Equal(t, resp.StatusCode, http.StatusRequestTimeout, "nothing comes any more")
		expect.Equal(t, <-arrived, "body false", "the upstream took", "for the whole")

		conn := at.dial()
		defer conn.Close()
		io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\n")
		for range 10 {
			time.Sleep(readTimeout - time.Second)
			io.WriteString(conn, "x")
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		wptest.Must(t, err)
		expect.Equal(t, resp.StatusCode, 200, "a slow one goes on")
		expect.Equal(t, <-arrived, "xxxxxxxxxx true")

		resp, _ = at.ask(t, "POST /think HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\nx")
		expect.Equal(t, resp.StatusCode, 200, "who waits for the answer is not stalled")
		<-arrived
	})
}

func TestStalledDownload(t *testing.T) {
	ended := make(chan struct{})
	at := hastyFront(t, upstream(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}), readTimeout, 300*time.Millisecond)
	conn, _ := dial(t, at)
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
	until(t, "the end of a download nobody reads", ended)
}

// A client is also cut off if it sends requests and reads no answer, however small the answers are.
func TestAnswersNobodyReads(t *testing.T) {
	long := strings.Repeat("x", 4<<10) // so that there need not be many
	for name, handler := range map[string]http.HandlerFunc{
		"empty": func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Long", long) },
		"interim": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Long", long)
			w.WriteHeader(http.StatusEarlyHints)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wptest.Cut(t, hastyFront(t, upstream(t, handler), readTimeout, 300*time.Millisecond), "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
		})
	}
}

// If an answer came early, the rest of the request's body is not taken for the next request.
func TestEarlyAnswerEndsTheConnection(t *testing.T) {
	var asked atomic.Int32
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer ln.Close()
	go func() { // an upstream that reads no body
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				rd := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(rd)
					if err != nil {
						return
					}
					asked.Add(1)
					io.WriteString(conn, "HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno\n")
					if r.ContentLength != 0 {
						io.Copy(io.Discard, rd)
						return
					}
				}
			}()
		}
	}()
	at := hastyFront(t, options(t, "http://"+ln.Addr().String()), 300*time.Millisecond, writeTimeout)
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n"
	for _, framing := range []string{"Content-Length: 100000", "Transfer-Encoding: chunked"} {
		var conn net.Conn
		var rd *bufio.Reader
		var resp *http.Response
		wptest.Eventually(t, "the answer is earlier than the end of the time for the body", func() (early bool) {
			asked.Store(0)
			conn, rd = dial(t, at)
			fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: a.test\r\n%s\r\n\r\n", framing)
			var err error
			resp, err = http.ReadResponse(rd, nil)
			wptest.Must(t, err)
			return resp.StatusCode != http.StatusRequestTimeout
		})
		if resp.StatusCode != http.StatusForbidden || !resp.Close {
			t.Fatalf("%s: %v", framing, resp)
		}
		if body, err := io.ReadAll(resp.Body); string(body) != "no\n" || err != nil {
			t.Errorf("%s: %q, %v", framing, body, err)
		}
		io.WriteString(conn, smuggled)
		if rest, _ := io.ReadAll(rd); len(rest) > 0 || asked.Load() != 1 {
			t.Errorf("%s: %q, %d requests reached the upstream", framing, rest, asked.Load())
		}
	}
}

func TestNoTunnels(t *testing.T) {
	at := front(t, upstream(t, func(w http.ResponseWriter, r *http.Request) { t.Error("it reached the upstream") }))
	if resp, err := exchange(t, at, "CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n"); err != nil ||
		resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("%v, %v", resp, err)
	}
}

func TestGetAsksForTheWhole(t *testing.T) {
	var got *http.Request
	p := direct(t, upstream(t, func(w http.ResponseWriter, r *http.Request) { got = r }))
	r := httptest.NewRequest("HEAD", "http://a.test/robots.txt?x=1", strings.NewReader("body"))
	for name, value := range map[string]string{
		"Range":           "bytes=0-1",
		"If-None-Match":   "*",
		"Accept-Encoding": "gzip",
		"Connection":      "X-Mine",
		"X-Mine":          "1",
		"X-Other":         "1",
		"Expect":          "100-continue",
		"X-Forwarded-For": "1.1.1.1",
	} {
		r.Header.Set(name, value)
	}
	resp, err := p.Get(t.Context(), r)
	wptest.Must(t, err)
	resp.Body.Close()
	want := http.Header{"Accept-Encoding": {"identity"}, "X-Other": {"1"}, "User-Agent": {"Go-http-client/1.1"},
		"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"a.test"}, "X-Real-Ip": {"192.0.2.1"}}
	if diff := cmp.Diff(want, got.Header); diff != "" || got.Method != "GET" || got.RequestURI != "/robots.txt?x=1" || got.Host != "a.test" {
		t.Errorf("%s %s %s\n%s", got.Method, got.Host, got.RequestURI, diff)
	}
}

// A request of HTTP/2 is refused if HTTP/1.1 cannot express it.
func TestAddressesOfHTTP2(t *testing.T) {
	var asked atomic.Int32
	srv := httptest.NewUnstartedServer(direct(t, upstream(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1) })))
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	defer srv.Close()
	for _, tt := range []struct {
		rule, host, path string
		status           string
	}{
		{"as usual", "a.test:80", "/a?b=%20c", "200"},
		{"a space in the path", "a.test", "/a HTTP/1.1", "400"},
		{"a space in the query", "a.test", "/a?b c", "400"},
		{"another host behind a space", "a.test b.test", "/a", "400"},
		{"a quote in the host", `a.test"`, "/a", "400"},
		{"a path in the host", "a.test/b", "/a", "400"},
		{"a control character in the path", "a.test", "/a\x01", ""},
	} {
		before := asked.Load()
		conn, _ := dial(t, srv.Listener.Addr().String())
		io.WriteString(conn, http2.ClientPreface)
		framer := http2.NewFramer(conn, conn)
		framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		framer.WriteSettings()
		var head bytes.Buffer
		fields := hpack.NewEncoder(&head)
		for _, f := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", tt.host}, {":path", tt.path}} {
			fields.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
		}
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true})
		got, over := "", false
		for !over {
			frame, err := framer.ReadFrame()
			if err != nil {
				t.Fatalf("%s: %v", tt.rule, err)
			}
			switch f := frame.(type) {
			case *http2.MetaHeadersFrame:
				got, over = f.PseudoValue("status"), true
			case *http2.RSTStreamFrame:
				over = true
			}
		}
		expect.Equal(t, got, tt.status, tt.rule)
		expect.Equal(t, asked.Load() > before, tt.status == "200", tt.rule)
		conn.Close()
	}
}
