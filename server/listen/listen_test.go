package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/listen/listentest"
	"wpsitemapd/wp/wptest"
)

func TestUnixSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "listen") // names of sockets are short
	must(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "w.sock")
	set := Set{Key: "listen", Addresses: []Address{Address("unix:" + path)}, Mode: 0o620}
	l := served(t, set, nil)
	if l.String() != "unix:"+path || l.TLS() {
		t.Errorf("%s, TLS %v", l, l.TLS())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o620 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	conn, err := net.Dial("unix", path)
	must(t, err)
	if got := talk(t, conn, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", 100); got != `200 GET /a ""` {
		t.Error(got)
	}

	if _, err := Open(set); err == nil || !strings.Contains(err.Error(), "another process listens there") {
		t.Errorf("a socket in use was taken: %v", err)
	}
	conn, err = net.Dial("unix", path)
	if err != nil {
		t.Fatalf("and harmed: %v", err)
	}
	conn.Close()

	l.Close()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket stays behind: %v", err)
	}

	// what a process leaves that was killed
	dead, err := net.Listen("unix", path)
	must(t, err)
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	dead.Close()
	if got := served(t, set, nil); got.String() != l.String() {
		t.Error(got)
	}

	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, []byte("mine"), 0o600))
	set.Addresses = []Address{Address("unix:" + file)}
	if _, err := Open(set); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Errorf("a file was replaced: %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "mine" {
		t.Errorf("a file was replaced by %q", text)
	}
}

func TestAbstractSocket(t *testing.T) {
	name := fmt.Sprintf("@wpsitemapd-test-%d", os.Getpid())
	served(t, Set{Addresses: []Address{Address("unix:" + name)}}, nil)
	conn, err := net.Dial("unix", name)
	must(t, err)
	if got := talk(t, conn, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", 100); got != `200 GET /a ""` {
		t.Error(got)
	}
}

func TestNothingIsOpenWhereOneAddressFails(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "first")
	_, err := Open(Set{Key: "listen", Addresses: []Address{Address("unix:" + first)}}, Set{Key: "admin", Addresses: []Address{"192.0.2.1:1"}})
	if err == nil || !strings.HasPrefix(err.Error(), "admin: ") {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(first); !os.IsNotExist(err) {
		t.Errorf("the first stays open: %v", err)
	}
	if _, err := Open(Set{Key: "listen", Addresses: []Address{"systemd"}}); err == nil || !strings.Contains(err.Error(), "systemd passed no socket") {
		t.Errorf("%v", err)
	}
}

// secured is a server with TLS and a client that trusts it.
func secured(t *testing.T, addresses ...Address) (*Listener, *http.Client) {
	t.Helper()
	certFile, keyFile := listentest.WritePair(t, t.TempDir(), "a.test")
	certificate, err := LoadCertificate(certFile, keyFile, time.Now, slog.New(slog.DiscardHandler))
	must(t, err)
	l := served(t, Set{Addresses: addresses, Certificate: certificate}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %v %s", r.Proto, r.TLS != nil, body)
	}))
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(true)
	transport.Protocols.SetHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return l, &http.Client{Transport: transport}
}

func TestTLS(t *testing.T) {
	l, client := secured(t)
	if !l.TLS() {
		t.Fatal("no TLS")
	}
	url := "https://" + l.Addr().String()
	ask := func(t *testing.T, want string) {
		t.Helper()
		resp, err := client.Post(url, "text/plain", strings.NewReader("body"))
		must(t, err)
		defer resp.Body.Close()
		if body, _ := io.ReadAll(resp.Body); string(body) != want {
			t.Errorf("%s, want %s", body, want)
		}
	}
	t.Run("HTTP/2", func(t *testing.T) { ask(t, "HTTP/2.0 true body") })
	t.Run("HTTP/1.1", func(t *testing.T) {
		client.CloseIdleConnections()
		client.Transport.(*http.Transport).Protocols.SetHTTP2(false)
		client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		ask(t, "HTTP/1.1 true body")
	})
	dial := func(t *testing.T, config *tls.Config) (net.Conn, error) {
		config.InsecureSkipVerify = true
		return tls.Dial("tcp", l.Addr().String(), config)
	}
	t.Run("the gate stands behind it", func(t *testing.T) {
		conn, err := dial(t, &tls.Config{})
		must(t, err)
		if got := talk(t, conn, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			1000); got != "400 400 Bad Request" {
			t.Error(got)
		}
	})
	t.Run("old versions are refused", func(t *testing.T) {
		if conn, err := dial(t, &tls.Config{MaxVersion: tls.VersionTLS11}); err == nil {
			conn.Close()
			t.Error("TLS 1.1 was accepted")
		}
	})
	t.Run("HTTP is told that this is HTTPS", func(t *testing.T) {
		conn, err := net.Dial("tcp", l.Addr().String())
		must(t, err)
		if got := talk(t, conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 1000); got != "400 This port speaks HTTPS." {
			t.Error(got)
		}
	})
	t.Run("who stalls in the handshake holds up nobody", func(t *testing.T) {
		for range 50 {
			conn, err := net.Dial("tcp", l.Addr().String())
			must(t, err)
			defer conn.Close()
		}
		client.CloseIdleConnections()
		ask(t, "HTTP/1.1 true body")
	})
}

func TestPlainBesideTLS(t *testing.T) {
	l, _ := secured(t, "plain:127.0.0.1:0")
	resp, err := http.Get("http://" + l.Addr().String())
	must(t, err)
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); l.TLS() || string(body) != "HTTP/1.1 false " {
		t.Errorf("TLS %v, %s", l.TLS(), body)
	}
}

// Clients that connect without pause meet either a request that succeeds or nobody, but never
// a connection that breaks. With TCP the kernel leaves a gap.
func TestNoClientIsDroppedWhenASocketCloses(t *testing.T) {
	dir, err := os.MkdirTemp("", "listen")
	must(t, err)
	defer os.RemoveAll(dir)
	for _, a := range []Address{"127.0.0.1:0", Address("unix:" + dir + "/w.sock")} {
		t.Run(string(a), func(t *testing.T) {
			for range 3 {
				listeners, err := Open(Set{Addresses: []Address{a}, Mode: 0o600})
				must(t, err)
				l := listeners[0][0]
				srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Connection", "close")
					io.WriteString(w, "ok")
				})}
				go srv.Serve(l)
				var answered atomic.Int64
				var clients sync.WaitGroup
				for range 8 {
					clients.Go(func() {
						for {
							dialer := net.Dialer{Timeout: 2 * time.Second}
							conn, err := dialer.Dial(l.Addr().Network(), l.Addr().String())
							if err != nil {
								return // nobody there any more
							}
							conn.SetDeadline(time.Now().Add(wptest.Patience))
							var answer []byte
							if _, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); err == nil {
								answer, err = io.ReadAll(conn)
							}
							conn.Close()
							if errors.Is(err, syscall.ECONNRESET) && l.path == "" {
								return
							}
							if err != nil || !strings.HasSuffix(string(answer), "ok") {
								t.Errorf("%q, %v", answer, err)
								return
							}
							answered.Add(1)
						}
					})
				}
				for answered.Load() < 50 {
					time.Sleep(time.Millisecond)
				}
				l.Retire()
				clients.Wait() // net/http drops a request it reads while shutting down
				must(t, srv.Shutdown(context.Background()))
			}
		})
	}
}

// notifySocket stands in for systemd.
func notifySocket(t *testing.T) (received func() string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return func() string {
		b := make([]byte, 1000)
		conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		n, _ := conn.Read(b)
		return string(b[:n])
	}
}

func TestNotify(t *testing.T) {
	received := notifySocket(t)
	log := slog.New(slog.DiscardHandler)
	Notify(Ready, log)
	if got := received(); got != "READY=1" {
		t.Errorf("%q", got)
	}
	Notify(Stopping, log)
	if got := received(); got != "STOPPING=1" {
		t.Errorf("%q", got)
	}
	Notify(Reloading, log)
	if got := received(); !strings.HasPrefix(got, "RELOADING=1\nMONOTONIC_USEC=") {
		t.Errorf("%q", got)
	}
	t.Setenv("NOTIFY_SOCKET", "")
	Notify(Ready, log)
	if got := received(); got != "" {
		t.Errorf("%q", got)
	}
}

func TestWatchdogIsFedWhileTheProcessTurns(t *testing.T) {
	received := notifySocket(t)
	t.Setenv("WATCHDOG_USEC", "100000")
	t.Setenv("WATCHDOG_PID", fmt.Sprint(os.Getpid()))
	var turning atomic.Bool
	turning.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Watch(ctx, func(ctx context.Context) error {
			if !turning.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}, slog.New(slog.DiscardHandler))
	}()
	for range 3 {
		if got := received(); got != "WATCHDOG=1" {
			t.Errorf("%q", got)
		}
	}
	turning.Store(false)
	for range 3 { // at most one was on its way
		if got := received(); got == "" {
			break
		}
	}
	if got := received(); got != "" {
		t.Errorf("%q of a process that hangs", got)
	}
	turning.Store(true)
	if got := received(); got != "WATCHDOG=1" {
		t.Errorf("%q after it turns again", got)
	}
	cancel()
	<-ended
	t.Setenv("WATCHDOG_USEC", "")
	Watch(t.Context(), nil, slog.New(slog.DiscardHandler)) // returns at once
}
