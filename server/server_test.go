package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/listen"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// daemon is a server that runs until the end of the test, or until stop, which waits for its end.
type daemon struct {
	*testServer
	public, admin string
	stop          func()
}

// start runs a server with an admin listener.
func (ts *testServer) start() *daemon {
	ts.t.Helper()
	ts.config.Admin = []listen.Address{"127.0.0.1:0"}
	ready, ended := make(chan *daemon, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(ts.t.Context())
	ts.Ready = func(p, a []net.Addr) {
		ready <- &daemon{testServer: ts, public: "http://" + p[0].String(), admin: "http://" + a[0].String()}
	}
	go func() { ended <- ts.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			ts.t.Errorf("Run: %v", err)
		}
	})
	select {
	case s := <-ready:
		ts.t.Cleanup(stop)
		s.stop = stop
		return s
	case err := <-ended:
		cancel()
		ts.t.Fatal(err)
	case <-time.After(wptest.Patience):
		cancel()
		ts.t.Fatal("not ready")
	}
	return nil
}

// answer is the part of a response that tests look at.
type answer struct {
	status    int
	body      string
	etag, age string
	modified  string
}

// fetch sends a request to a host. header contains names and values in turn.
func fetch(ctx context.Context, public, host, path string, header ...string) (a answer, err error) {
	resp, text, err := wptest.Get(ctx, http.DefaultClient, public+path, host, header...)
	if err != nil {
		return a, err
	}
	return answer{resp.StatusCode, text, resp.Header.Get("ETag"), resp.Header.Get("Age"), resp.Header.Get("Last-Modified")}, nil
}

// ask sends a request to a host, and returns status and text.
func ask(public, host, path string) (status int, text string, err error) {
	a, err := fetch(context.Background(), public, host, path)
	return a.status, a.body, err
}

// ask sends the server a request to a host.
func (s *daemon) ask(host, path string, header ...string) answer {
	s.t.Helper()
	a, err := fetch(s.t.Context(), s.public, host, path, header...)
	wptest.Must(s.t, err)
	return a
}

// shows waits until a host answers at a path with a status and a text.
func (s *daemon) shows(when, host, path string, status int, text string) {
	s.t.Helper()
	var got answer
	wptest.Eventually(s.t, fmt.Sprintf("%s: %s%s is %d with %s", when, host, path, status, text), func() bool {
		got = s.ask(host, path)
		return got.status == status && strings.Contains(got.body, text)
	}, &got, s.log)
}

// status requests an address and returns the status.
func status(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	wptest.Must(t, err)
	resp.Body.Close()
	return resp.StatusCode
}

func TestRunServesAndStops(t *testing.T) {
	good, bad := sitetest.ThreePosts(t, "https://a.test"), sitetest.ThreePosts(t, "https://bad.test")
	bad.Refuse(errors.New("access denied"))
	s := newTestServer(t, map[string]*sitetest.WordPress{"good": good, "bad": bad},
		config.Site{Name: "good", Hosts: []config.Host{"127.0.0.1"}}, config.Site{Name: "bad", Hosts: []config.Host{"bad.test"}}).start()
	for address, want := range map[string]int{
		s.public + "/post-sitemap.xml": 200, s.admin + "/healthz": 200, s.admin + "/readyz?all": 503, s.admin + "/nothing": 404,
	} {
		expect.Equal(t, status(t, address), want, address)
	}
	if _, text := s.askAdmin("/readyz?all"); text != "site bad is not ready\n" {
		t.Errorf("readyz: %q", text)
	}
	wptest.Eventually(t, "the bad one is tried", func() bool { return named(s.running(), "bad").Snapshot().Tried() })
	s.stop()
	if _, err := http.Get(s.public + "/"); err == nil {
		t.Error("still listening")
	}
	if open, closed := good.Opened(); open != 0 || closed != 1 {
		t.Errorf("%d databases are open, %d closed", open, closed)
	}
}

// A request body that nobody reads does not hold a connection for long.
func TestStalledBodyOfAnAnswerOfOurs(t *testing.T) {
	ts := newSite(t, config.Site{}, sitetest.ThreePosts(t, "https://a.test"))
	ts.front.BodyTimeout = 300 * time.Millisecond
	public := ts.start().public
	conn, err := net.Dial("tcp", strings.TrimPrefix(public, "http://"))
	wptest.Must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(wptest.Patience))
	io.WriteString(conn, "POST /post-sitemap.xml HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\nx")
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 405 ") {
		t.Errorf("%q, %v", answer, err)
	}
}

// A client that sends requests and reads no answers is cut off, whatever it asks for.
func TestWhoReadsNothingIsCut(t *testing.T) {
	ts := newSite(t, config.Site{}, sitetest.ThreePosts(t, "https://a.test"))
	ts.sendTimeout = 300 * time.Millisecond
	s := ts.start()
	public, admin := s.public, s.admin
	for _, tt := range []struct{ name, server, request string }{
		{"a sitemap", public, "GET /post-sitemap.xml HTTP/1.1\r\nHost: a.test\r\n\r\n"},
		{"heads", public, "HEAD /post-sitemap.xml HTTP/1.1\r\nHost: a.test\r\n\r\n"},
		{"the admin listener", admin, "GET /admin.css HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wptest.Cut(t, strings.TrimPrefix(tt.server, "http://"), tt.request)
		})
	}
}

// A panic in background work costs one run of that work, and never the daemon.
func TestBackgroundWorkOutlivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var log wptest.Buffer
		var turns atomic.Int32
		s := &Server{}
		s.background(ctx, slog.New(slog.NewTextHandler(&log, nil)), func(ctx context.Context) {
			if turns.Add(1) < 3 {
				panic("odd data")
			}
			<-ctx.Done()
		})
		synctest.Wait()
		expect.Equal(t, turns.Load(), 1, "turns without a pause")
		time.Sleep(3 * panicPause)
		synctest.Wait()
		expect.Equal(t, turns.Load(), 3, &log)
		expect.Equal(t, strings.Count(log.String(), "internal error"), 2, &log)
		stop()
		s.tasks.Wait()
	})
}
