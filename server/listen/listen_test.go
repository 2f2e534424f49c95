package listen

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestUnixSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "listen") // names of sockets are short
	wptest.Must(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "w.sock")
	set := Set{Key: "listen", Addresses: []Address{Address("unix:" + path)}, Mode: 0o620, TLS: true}
	l, client := served(t, set)
	if l.String() != "unix:"+path || l.TLS() {
		t.Errorf("%s, TLS %v", l, l.TLS())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o620 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	expect.Equal(t, ask(t, client, "http://a.test/x"), "HTTP/1.1 false /x")

	if _, err := Open(set); err == nil || !strings.Contains(err.Error(), "another process listens there") {
		t.Errorf("a socket in use was taken: %v", err)
	}
	expect.Equal(t, ask(t, client, "http://a.test/x"), "HTTP/1.1 false /x", "and harmed")

	l.Close()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket stays behind: %v", err)
	}

	// what a process leaves that was killed
	dead, err := net.Listen("unix", path)
	wptest.Must(t, err)
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	dead.Close()
	if got, _ := served(t, set); got.String() != l.String() {
		t.Error(got)
	}

	file := filepath.Join(dir, "file")
	wptest.Must(t, os.WriteFile(file, []byte("mine"), 0o600))
	set.Addresses = []Address{Address("unix:" + file)}
	if _, err := Open(set); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("a file was replaced: %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "mine" {
		t.Errorf("a file was replaced by %q", text)
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
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer taken.Close()
	_, err = Open(Set{Key: "listen", Addresses: []Address{Address(taken.Addr().String())}})
	if err == nil || !strings.HasPrefix(err.Error(), "listen: "+taken.Addr().String()+": ") || !strings.Contains(err.Error(), "choose another address") {
		t.Errorf("%v", err)
	}
	if _, err := Open(Set{Key: "listen", Addresses: []Address{"systemd"}}); err == nil || !strings.Contains(err.Error(), "systemd passed no socket") {
		t.Errorf("%v", err)
	}
}

// served serves a set, and returns a client that trusts any certificate.
func served(t *testing.T, set Set) (*Listener, *http.Client) {
	t.Helper()
	if set.Addresses == nil {
		set.Addresses = []Address{"127.0.0.1:0"}
	}
	listeners, err := Open(set)
	wptest.Must(t, err)
	l := listeners[0][0]
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %v %s", r.Proto, r.TLS != nil, r.URL.Path)
	})}
	serve := srv.Serve
	if l.TLS() {
		certFile, keyFile := wptest.WriteCertificate(t, t.TempDir(), "a.test")
		certificate, err := LoadCertificate(certFile, keyFile)
		wptest.Must(t, err)
		srv.TLSConfig = certificate.Config()
		serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
	}
	go serve(l)
	t.Cleanup(func() { srv.Close() })
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, l.Addr().Network(), l.Addr().String())
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return l, &http.Client{Transport: transport, Timeout: wptest.Patience}
}

// ask returns an answer's body.
func ask(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	resp, err := client.Get(url)
	wptest.Must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	wptest.Must(t, err)
	return string(body)
}

func TestTLS(t *testing.T) {
	l, client := served(t, Set{TLS: true})
	if got := ask(t, client, "https://a.test/x"); got != "HTTP/2.0 true /x" || !l.TLS() {
		t.Errorf("%q, TLS %v", got, l.TLS())
	}
	if conn, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		conn.Close()
		t.Error("TLS 1.1 was accepted")
	}
	l, client = served(t, Set{TLS: true, Addresses: []Address{"plain:127.0.0.1:0"}})
	if got := ask(t, client, "http://a.test/x"); got != "HTTP/1.1 false /x" || l.TLS() {
		t.Errorf("beside it: %q, TLS %v", got, l.TLS())
	}
}

// notifySocket stands in for systemd.
func notifySocket(t *testing.T) (received func(within time.Duration) string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify")
	wptest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	wptest.Must(t, err)
	t.Cleanup(func() { conn.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return func(within time.Duration) string {
		b := make([]byte, 1000)
		conn.SetReadDeadline(time.Now().Add(within))
		n, _ := conn.Read(b)
		return string(b[:n])
	}
}

func TestWatchdogIsFedWhileTheProcessTurns(t *testing.T) {
	const silence = 300 * time.Millisecond // some beats long
	received := notifySocket(t)
	t.Setenv("WATCHDOG_USEC", "100000")
	t.Setenv("WATCHDOG_PID", fmt.Sprint(os.Getpid()))
	var turning atomic.Bool
	turning.Store(true)
	hangs := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Watch(ctx, func(ctx context.Context) error {
			if !turning.Load() {
				select {
				case hangs <- struct{}{}:
				default:
				}
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}, slog.New(slog.DiscardHandler))
	}()
	for range 3 {
		expect.Equal(t, received(wptest.Patience), "WATCHDOG=1")
	}
	turning.Store(false)
	<-hangs
	for received(silence) != "" { // what was sent before
	}
	expect.Equal(t, received(silence), "", "of a process that hangs")
	turning.Store(true)
	expect.Equal(t, received(wptest.Patience), "WATCHDOG=1", "after it turns again")
	cancel()
	<-ended
	t.Setenv("WATCHDOG_USEC", "")
	Watch(t.Context(), nil, slog.New(slog.DiscardHandler)) // returns at once
}
