package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/listen/listentest"
)

// TestMain makes the test binary the program itself where a test asks for a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("WPSITEMAPD_TEST_CHILD") != "" {
		os.Unsetenv("WPSITEMAPD_TEST_CHILD")
		main()
	}
	os.Exit(m.Run())
}

// child is the daemon in a process of its own.
type child struct {
	*exec.Cmd
	log   buffer
	ended chan struct{}
}

// spawn starts the daemon. sockets become its descriptors from 3 on.
func spawn(t *testing.T, config string, env []string, sockets ...*os.File) *child {
	t.Helper()
	// LISTEN_PID must be its own id, as systemd sets it
	c := &child{Cmd: exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, os.Args[0], "serve", "--config", config), ended: make(chan struct{})}
	c.Env = append(append(os.Environ(), "WPSITEMAPD_TEST_CHILD=1"), env...)
	c.ExtraFiles = sockets
	c.Stderr = &c.log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = c.Wait() // the tests look at its state
		close(c.ended)
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-c.ended
	})
	return c
}

// code waits for the end and returns the exit code, -1 after a signal.
func (c *child) code(t *testing.T, patience time.Duration) int {
	t.Helper()
	select {
	case <-c.ended:
		return c.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatalf("the daemon does not end\n%s", &c.log)
		return 0
	}
}

// front is a configuration with the gazette before an upstream.
func front(t *testing.T, top string, upstream http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(upstream)
	t.Cleanup(srv.Close)
	return write(t, t.TempDir(), top+"\n"+siteTOML("gazette", gazette(t), fmt.Sprintf("upstream = %q", srv.URL)))
}

// kept is a connection that carries one request after the other.
type kept struct {
	net.Conn
	rd *bufio.Reader
}

func keep(t *testing.T, address string) *kept {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	return &kept{conn, bufio.NewReader(conn)}
}

// ask sends a request and returns the answer's status and body, and whether the connection goes on.
func (k *kept) ask(path string) (status int, body string, goesOn bool, err error) {
	if _, err := fmt.Fprintf(k, "GET %s HTTP/1.1\r\nHost: gazette.example\r\n\r\n", path); err != nil {
		return 0, "", false, err
	}
	resp, err := http.ReadResponse(k.rd, nil)
	if err != nil {
		return 0, "", false, err
	}
	all, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(all), !resp.Close, err
}

func TestStopWithoutAFailedRequest(t *testing.T) {
	downloading := make(chan struct{})
	config := front(t, `listen = "127.0.0.1:0"`, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/download" {
			io.WriteString(w, "page")
			return
		}
		for i := range 40 { // longer than connections are waited for
			io.WriteString(w, "0123456789")
			w.(http.Flusher).Flush()
			if i == 0 {
				close(downloading)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	d := spawn(t, config, nil)
	address := match(t, &d.log, `listening.* address=(\S+)`)

	var clients sync.WaitGroup
	var answers atomic.Int64
	fail := func(who string, status int, body string, err error) {
		if err != nil || status != 200 || body == "" {
			t.Errorf("%s: %d, %d bytes, %v", who, status, len(body), err)
		}
	}
	clients.Go(func() {
		status, body, _, err := keep(t, address).ask("/download")
		fail("a long download", status, body, err)
		if len(body) != 400 {
			t.Errorf("of a long download %d bytes arrived", len(body))
		}
	})
	for i := range 6 {
		path := []string{"/sitemap_index.xml", "/about/"}[i%2]
		k := keep(t, address)
		clients.Go(func() { // one request after the other, until it is told to stop
			for goesOn := true; goesOn; {
				var status int
				var body string
				var err error
				status, body, goesOn, err = k.ask(path)
				fail("a busy client", status, body, err)
				if err != nil {
					return
				}
				answers.Add(1)
				time.Sleep(time.Duration(i) * time.Millisecond)
			}
		})
	}
	idle := keep(t, address)
	if status, body, goesOn, err := idle.ask("/sitemap_index.xml"); !goesOn {
		fail("an idle client, first", status, body, err)
		t.Error("its connection is not kept")
	}
	<-downloading
	for answers.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	if err := d.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	match(t, &d.log, `(stopping)`)
	time.Sleep(300 * time.Millisecond)
	status, body, goesOn, err := idle.ask("/about/")
	if fail("an idle client that comes back", status, body, err); goesOn {
		t.Error("it is not told that the connection ends")
	}
	if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
		conn.Close()
		t.Error("still listening")
	}
	clients.Wait()
	if code := d.code(t, 20*time.Second); code != 0 {
		t.Errorf("exit code %d\n%s", code, &d.log)
	}
}

func TestDrainHasAnEnd(t *testing.T) {
	asked := make(chan struct{}, 2)
	config := front(t, "listen = \"127.0.0.1:0\"\ndrain = \"1s\"", func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	d := spawn(t, config, nil)
	k := keep(t, match(t, &d.log, `listening.* address=(\S+)`))
	go k.ask("/forever")
	<-asked
	if err := d.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := d.code(t, 15*time.Second); code != 0 || !strings.Contains(d.log.String(), "still under way") {
		t.Errorf("exit code %d\n%s", code, &d.log)
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	asked := make(chan struct{}, 2)
	config := front(t, "listen = \"127.0.0.1:0\"\ndrain = \"1h\"", func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	for _, signals := range [][2]syscall.Signal{{syscall.SIGTERM, syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGTERM}} {
		d := spawn(t, config, nil)
		k := keep(t, match(t, &d.log, `listening.* address=(\S+)`))
		go k.ask("/forever")
		<-asked
		if err := d.Process.Signal(signals[0]); err != nil {
			t.Fatal(err)
		}
		match(t, &d.log, `(stopping)`)
		if err := d.Process.Signal(signals[1]); err != nil {
			t.Fatal(err)
		}
		if code := d.code(t, 10*time.Second); code == 0 {
			t.Errorf("%v: exit code 0", signals)
		}
	}
}

// inherited opens a socket as systemd does for its units.
func inherited(t *testing.T) (address string, f *os.File) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if f, err = ln.(*net.TCPListener).File(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return ln.Addr().String(), f
}

// With sockets of systemd a restart loses nobody, not even who connects in the middle of it.
func TestSocketActivation(t *testing.T) {
	web, webSocket := inherited(t)
	admin, adminSocket := inherited(t)
	config := write(t, t.TempDir(), "listen = \"systemd:web\"\nadmin = \"systemd\"\n"+siteTOML("gazette", gazette(t), ""))
	env := []string{"LISTEN_FDS=2", "LISTEN_FDNAMES=web:wpsitemapd-admin.socket"}
	d := spawn(t, config, env, webSocket, adminSocket)
	match(t, &d.log, `listening.* address=(`+web+`)`)
	match(t, &d.log, `listening.* address=(`+admin+`)`)
	if status, body := get(t, "http://"+admin+"/healthz", ""); status != 200 || body != "ok\n" {
		t.Errorf("admin: %d %q", status, body)
	}

	done := make(chan struct{})
	var clients sync.WaitGroup
	var answers atomic.Int64
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				r, _ := http.NewRequest("GET", "http://"+web+"/sitemap_index.xml", nil)
				r.Host = "gazette.example"
				resp, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || len(body) == 0 {
					t.Errorf("%d, %d bytes, %v", resp.StatusCode, len(body), err)
				}
				resp.Body.Close()
				answers.Add(1)
			}
		})
	}
	for range 2 {
		for before := answers.Load(); answers.Load() < before+30 && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
		if err := d.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := d.code(t, 15*time.Second); code != 0 {
			t.Errorf("exit code %d\n%s", code, &d.log)
		}
		d = spawn(t, config, env, webSocket, adminSocket)
	}
	for before := answers.Load(); answers.Load() < before+30 && !t.Failed(); {
		time.Sleep(time.Millisecond)
	}
	close(done)
	clients.Wait()

	other := write(t, t.TempDir(), "listen = \"systemd:http\"\n"+siteTOML("gazette", gazette(t), ""))
	d = spawn(t, other, env, webSocket, adminSocket)
	if code := d.code(t, 15*time.Second); code != 1 || !strings.Contains(d.log.String(), `no socket of the name "http", but web, wpsitemapd-admin.socket`) {
		t.Errorf("exit code %d\n%s", code, &d.log)
	}
}

func TestSystemdIsTold(t *testing.T) {
	dir, err := os.MkdirTemp("", "notify")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	certFile, keyFile := listentest.WritePair(t, t.TempDir(), "gazette.example")
	top := fmt.Sprintf("listen = [\"127.0.0.1:0\", %q]\nadmin = \"127.0.0.1:0\"\ntls_cert = %q\ntls_key = %q", "unix:"+dir+"/w.sock", certFile, keyFile)
	config := front(t, top, func(w http.ResponseWriter, r *http.Request) {})
	d := spawn(t, config, []string{"NOTIFY_SOCKET=" + conn.LocalAddr().String(), "WATCHDOG_USEC=600000"})

	// next returns what comes next beside the watchdog's beats, which it counts
	beats := 0
	next := func() string {
		t.Helper()
		b := make([]byte, 1000)
		for {
			conn.SetReadDeadline(time.Now().Add(15 * time.Second))
			n, err := conn.Read(b)
			if err != nil {
				t.Fatalf("%v\n%s", err, &d.log)
			}
			if string(b[:n]) != "WATCHDOG=1" {
				return string(b[:n])
			}
			beats++
		}
	}
	if got := next(); got != "READY=1" {
		t.Fatalf("first %q", got)
	}
	address := match(t, &d.log, `listening.* address=(\S+)`)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	r, _ := http.NewRequest("GET", "https://"+address+"/sitemap_index.xml", nil)
	r.Host = "gazette.example"
	if resp, err := client.Do(r); err != nil || resp.StatusCode != 200 {
		t.Errorf("when it is ready it serves: %v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	client.CloseIdleConnections()
	time.Sleep(time.Second)
	if err := d.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if got := next(); !strings.HasPrefix(got, "RELOADING=1\nMONOTONIC_USEC=") {
		t.Errorf("on SIGHUP %q", got)
	}
	if got := next(); got != "READY=1" {
		t.Errorf("after it %q", got)
	}
	if beats < 2 {
		t.Errorf("%d beats for the watchdog", beats)
	}
	if err := d.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "STOPPING=1" {
		t.Errorf("at the end %q", got)
	}
	if code := d.code(t, 15*time.Second); code != 0 {
		t.Errorf("exit code %d\n%s", code, &d.log)
	}
	if _, err := os.Lstat(filepath.Join(dir, "w.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays behind: %v", err)
	}
	if strings.Contains(d.log.String(), "level=ERROR") {
		t.Errorf("log:\n%s", &d.log)
	}
}

// Every kind of listener at once, and what each says to the upstream.
func TestEveryWayIn(t *testing.T) {
	dir, err := os.MkdirTemp("", "ways")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	certFile, keyFile := listentest.WritePair(t, t.TempDir(), "gazette.example")
	top := fmt.Sprintf("listen = [\"127.0.0.1:0\", \"plain:127.0.0.1:0\", %q]\nh2c = true\ntrusted_proxies = []\nsocket_mode = \"0600\"\ntls_cert = %q\ntls_key = %q", "unix:"+dir+"/w.sock", certFile, keyFile)
	config := front(t, top, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("X-Forwarded-Proto"), " ", r.Header.Get("X-Forwarded-For"), " ", r.Proto)
	})
	d := spawn(t, config, nil)
	secure := match(t, &d.log, `listening.* address=(\S+) for="sitemaps and proxy" tls=true`)
	plain := match(t, &d.log, `listening.* address=(\S+) for="sitemaps and proxy" tls=false`)
	socket := match(t, &d.log, `listening.* address=(unix:\S+)`)
	if !strings.HasSuffix(socket, "/w.sock") {
		t.Error(socket)
	}
	protocols := func(set func(*http.Protocols, bool)) *http.Protocols {
		p := new(http.Protocols)
		set(p, true)
		return p
	}
	trusting := &tls.Config{InsecureSkipVerify: true}
	tests := []struct {
		rule, url string
		transport *http.Transport
		proto     string
		page      string
	}{
		{"TLS", "https://" + secure, &http.Transport{TLSClientConfig: trusting, Protocols: protocols((*http.Protocols).SetHTTP1)}, "HTTP/1.1", "https 127.0.0.1 HTTP/1.1"},
		{"HTTP/2", "https://" + secure, &http.Transport{TLSClientConfig: trusting, Protocols: protocols((*http.Protocols).SetHTTP2)}, "HTTP/2.0", "https 127.0.0.1 HTTP/1.1"},
		{"plain", "http://" + plain, &http.Transport{}, "HTTP/1.1", "http 127.0.0.1 HTTP/1.1"},
		{"HTTP/2 without TLS", "http://" + plain, &http.Transport{Protocols: protocols((*http.Protocols).SetUnencryptedHTTP2)}, "HTTP/2.0", "http 127.0.0.1 HTTP/1.1"},
		{"a Unix socket", "http://x", &http.Transport{Dial: func(_, _ string) (net.Conn, error) { return net.Dial("unix", strings.TrimPrefix(socket, "unix:")) }}, "HTTP/1.1", "http  HTTP/1.1"},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			defer test.transport.CloseIdleConnections()
			for path, want := range map[string]string{"/about/": test.page, "/sitemap_index.xml": "<sitemapindex"} {
				r, err := http.NewRequest("GET", test.url+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Host = "gazette.example"
				resp, err := test.transport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), want) || resp.Proto != test.proto {
					t.Errorf("%s: %d %s %.200s, %v", path, resp.StatusCode, resp.Proto, body, err)
				}
			}
		})
	}
}
