package command

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"wpsitemapd/server/internal/storetest"
	"wpsitemapd/wp/wptest"
)

// daemon is a running one, asked through Unix sockets.
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
		if code := <-ended; code != done {
			t.Errorf("the daemon ends with %d\n%s", code, &d.log)
		}
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

// get asks one of its sockets.
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

var locOf = regexp.MustCompile(`<loc>https://example\.test(/[^<]*)</loc>`)

// While a loss alarm holds, or the database is down, explain tells of what the daemon serves, asked of it and on its page. Without
// the daemon it tells of the database.
func TestExplainWhileALossAlarmHolds(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	door := wptest.NewDoor(t, wptest.ReadOnlyDSN(t, dsn))
	door.Open()
	dir, err := os.MkdirTemp("", "explain")
	wptest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	state := filepath.Join(dir, "state")
	site := fmt.Sprintf("[[site]]\nname = \"one\"\ndsn = %s\n", strconv.Quote(door.DSN))
	public, admin := filepath.Join(dir, "web.sock"), filepath.Join(dir, "admin.sock")
	config, local := filepath.Join(dir, "daemon.toml"), filepath.Join(dir, "local.toml")
	for path, text := range map[string]string{
		config: fmt.Sprintf("listen = %q\nadmin = %q\nstate = %q\n%s", "unix:"+public, "unix:"+admin, state, site),
		local:  fmt.Sprintf("state = %q\n%s", state, site),
	} {
		writeTo(t, path, text)
	}
	d := serveDaemon(t, config, public, admin)
	_, index := d.get(public, "example.test", "/sitemap_index.xml")
	var page, image string
	files := locOf.FindAllStringSubmatch(index, -1)
	if len(files) < 4 {
		t.Fatal(index)
	}
	for _, m := range files {
		status, body := d.get(public, "example.test", m[1])
		if status != http.StatusOK {
			t.Fatalf("%s: %d", m[1], status)
		}
		if m[1] == "/post-sitemap.xml" {
			page = locOf.FindAllStringSubmatch(body, 2)[1][1]
			image = regexp.MustCompile(`<image:loc>(https://example\.test/[^<]*)</image:loc>`).FindStringSubmatch(body)[1]
		}
	}
	address := "https://example.test" + page
	x, text := explained(t, config, address)
	if !x.In || !strings.Contains(text, "asked the running daemon at "+admin) {
		t.Fatalf("before: %s", text)
	}
	d.until("every page is stored", func() bool {
		return storetest.Count(t, state, "kind = 'page'") >= len(files)
	})

	wptest.Exec(t, dsn, "DELETE FROM wp_posts")
	d.until("the alarm holds", func() bool { return strings.Contains(d.log.String(), "most of a site is gone") })

	judge := func(where, config string, why string) {
		t.Helper()
		for asked, sitemap := range map[string]string{address: "post", strings.TrimSuffix(address, "/"): "post", image: "post"} {
			x, text := explained(t, config, asked)
			if !x.In || x.Rule != "listed" || x.Sitemap != sitemap || x.File != "https://example.test/post-sitemap.xml" ||
				!strings.Contains(text, "It is served from a cached page of 20") || !strings.Contains(text, why) {
				t.Errorf("%s: %s\n%s", where, asked, text)
			}
		}
		if x, text := explained(t, config, "https://example.test/nothing-at-all/"); x.In || x.Unknown || !strings.Contains(text, why) {
			t.Errorf("%s: what is in no page:\n%s", where, text)
		}
		if x, text := explained(t, config, "https://example.test/post-sitemap.xml"); !x.In || !strings.Contains(text, "It is served from a cached page of 20") {
			t.Errorf("%s: a sitemap:\n%s", where, text)
		}
	}
	const gone = "because most of the site is gone from its database"
	judge("the daemon", config, gone)
	if status, body := d.get(admin, "localhost", "/explain?url="+url.QueryEscape(address)); status != http.StatusOK ||
		!strings.Contains(body, "It is in a sitemap") || !strings.Contains(body, gone) {
		t.Errorf("its page: %d\n%s", status, body)
	}
	if x, text := explained(t, local, address); x.In || x.Rule != "nothing at this URL" {
		t.Errorf("by the database alone:\n%s", text)
	}
	door.Shut()
	judge("the database is down", config, gone)
	d.stop()
	for where, file := range map[string]string{"the daemon is stopped": config, "nobody is asked": local} {
		if code, stdout, stderr := runExplain(t, "--config", file, address); code != trouble || stdout != "" || stderr == "" {
			t.Errorf("%s, and the database is down: exit code %d\n%s%s", where, code, stdout, stderr)
		}
	}
}

// A daemon that does not run, or is another one's, is no error.
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
