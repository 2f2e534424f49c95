package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/crawler"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// daemon is a running daemon with Unix sockets.
type daemon struct {
	t             *testing.T
	public, admin string
	log           wptest.Buffer
	stop          func()
}

// serveDaemon runs the command serve.
func serveDaemon(t *testing.T, config, public, admin string) *daemon {
	t.Helper()
	d := &daemon{t: t, public: public, admin: admin}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"serve", "--config", config}, func(string) string { return "" }, &d.log, &d.log)
	}()
	d.stop = sync.OnceFunc(func() {
		cancel()
		expect.Equal(t, <-ended, done, "the daemon ends with", &d.log)
	})
	t.Cleanup(d.stop)
	d.until("the daemon is ready", func() bool {
		code, _, _ := runCommand(t, "health", "--config", config, "--ready")
		return code == done
	})
	return d
}

func (d *daemon) until(what string, so func() bool) {
	d.t.Helper()
	wptest.Eventually(d.t, what, so, &d.log)
}

// get sends a request to a socket of the daemon.
func (d *daemon) get(socket, host, path string) (int, string) {
	d.t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, "http://"+host+path, nil)
	wptest.Must(d.t, err)
	resp, err := client.Do(r)
	wptest.Must(d.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	wptest.Must(d.t, err)
	return resp.StatusCode, string(text)
}

// explain asks the running daemon. While a loss alarm holds and only cached pages are served, the answer is unknown.
// Without the daemon, explain reads the database.
func TestExplainAsksTheDaemon(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	dir, err := os.MkdirTemp("", "explain")
	wptest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	site := fmt.Sprintf("state = \"\"\n[[site]]\nname = \"one\"\ndsn = %s\n", strconv.Quote(wptest.ReadOnlyDSN(t, dsn)))
	public, admin := filepath.Join(dir, "web.sock"), filepath.Join(dir, "admin.sock")
	config, local := filepath.Join(dir, "daemon.toml"), filepath.Join(dir, "local.toml")
	writeTo(t, config, fmt.Sprintf("listen = %q\nadmin = %q\n%s", "unix:"+public, "unix:"+admin, site))
	writeTo(t, local, site)
	d := serveDaemon(t, config, public, admin)
	const address = "https://example.test/sticky-news/"
	if x, text := explained(t, config, address); !x.In || !strings.Contains(text, "asked the running daemon at "+admin) {
		t.Fatalf("before: %s", text)
	}
	d.get(public, "example.test", "/post-sitemap.xml")
	wptest.Exec(t, dsn, "DELETE FROM wp_posts")
	d.until("the alarm holds", func() bool { return strings.Contains(d.log.String(), "most URLs of a site are missing") })
	const gone = "because most URLs of the site are missing in its database"
	for _, asked := range []string{address, "https://example.test/post-sitemap.xml"} {
		if x, text := explained(t, config, asked); x.In || !x.Unknown || !strings.Contains(text, gone) {
			t.Errorf("%s: %s", asked, text)
		}
	}
	if status, body := d.get(admin, "localhost", "/explain?url="+url.QueryEscape(address)); status != http.StatusOK || !strings.Contains(body, gone) {
		t.Errorf("its page: %d\n%s", status, body)
	}
	d.stop()
	for where, file := range map[string]string{"the daemon is stopped": config, "nobody is asked": local} {
		if x, text := explained(t, file, address); x.In || x.Rule != "nothing at this URL" {
			t.Errorf("%s:\n%s", where, text)
		}
	}
}

// It is no error if no daemon runs, or if another daemon answers.
func TestExplainWithoutItsDaemon(t *testing.T) {
	config := explainConfig(t, map[string][]string{"one": {"basic"}}, "")
	text, err := os.ReadFile(config)
	wptest.Must(t, err)
	stranger := http.Server{Handler: http.NotFoundHandler()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer stranger.Close()
	go stranger.Serve(l)
	for _, admin := range []string{l.Addr().String(), "unix:" + filepath.Join(t.TempDir(), "none.sock")} {
		wptest.Must(t, os.WriteFile(config, fmt.Appendf(nil, "admin = %q\n%s", admin, text), 0o600))
		code, stdout, stderr := runExplain(t, "--config", config, "https://example.test/")
		if code != done || stderr != "" || !strings.Contains(stdout, "  in       page, page 1") || strings.Contains(stdout, "asked") {
			t.Errorf("admin %s: exit code %d\n%s%s", admin, code, stdout, stderr)
		}
	}
}

// check --public sends its report to the running daemon, with the token.
func TestPublicReportIsHandedOver(t *testing.T) {
	var told admin.PublicCheck
	var path, token string
	own := map[string]bool{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sites/shop/token" {
			fmt.Fprintln(w, "A1B2")
			return
		}
		path, token = r.Method+" "+r.URL.Path, r.Header.Get("Authorization")
		expect.Equal(t, json.NewDecoder(r.Body).Decode(&told), nil)
	}))
	t.Cleanup(srv.Close)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own[r.Header.Get(crawler.OwnHeader)] = true
		http.NotFound(w, r)
	}))
	t.Cleanup(site.Close)
	database := filepath.Join(t.TempDir(), ".ht.sqlite")
	if err := sample.Create(t.Context(), database, site.URL); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "c.toml")
	text := "state = \"\"\nadmin = \"" + strings.TrimPrefix(srv.URL, "http://") + "\"\nadmin_token = \"0123456789abcdef0123\"\n" +
		"[[site]]\nname = \"shop\"\ndsn = \"sqlite:" + database + "\"\n"
	writeTo(t, config, text)
	code, stdout, stderr := runCommand(t, "check", "--public", "--rate", "1000", "--config", config)
	if code != trouble || path != "POST /sites/shop/public" || token != "Bearer 0123456789abcdef0123" || len(told.Problems) == 0 || told.Requests == 0 {
		t.Errorf("%d %s %s %+v\n%.1000s%s", code, path, token, told, stdout, stderr)
	}
	expect.Same(t, map[string]bool{"A1B2": true}, own) // the daemon gave the token
	srv.Close()
	_, _, stderr = runCommand(t, "check", "--public", "--rate", "1000", "--config", config)
	expect.Contains(t, stderr, "Start the daemon first")
}

// Without a token, a tenant can answer in place of a daemon that does not run. Nothing of the answer controls the terminal.
func TestForeignAnswersArePrintable(t *testing.T) {
	const evil = "a\x1b[2Jb"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/explain.json" {
			io.WriteString(w, evil)
			return
		}
		x := admin.Explained{Site: "a", Explanation: &explain.Explanation{URL: evil, Title: evil, Rule: evil, In: true, Because: evil}}
		x.Sitemap, x.File, x.Address = evil, evil, evil
		wptest.Must(t, json.NewEncoder(w).Encode(x))
	}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "c.toml")
	wptest.Must(t, os.WriteFile(file, []byte("admin = \""+s.Listener.Addr().String()+"\"\n[[site]]\nname = \"a\"\ndsn = \"sqlite:/x\"\n"), 0o600))
	for _, args := range [][]string{
		{"health", "--config", file}, {"explain", "--config", file, "https://a.test/b"}, {"explain", "--short", "--config", file, "https://a.test/b"},
	} {
		if _, out, errs := runCommand(t, args...); !strings.Contains(out, "a?[2Jb") || strings.Contains(out+errs, "\x1b") {
			t.Errorf("%s: %q %q", args[0], out, errs)
		}
	}
}
