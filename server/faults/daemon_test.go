package faults

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// daemon is the real program in a process of its own.
type daemon struct {
	t          testing.TB
	program    string
	dir        string
	store      string // what it keeps its copies in, as the configuration says it
	address    string
	admin      string
	env        []string
	openFiles  int // limit of descriptors; 0: the usual one
	proc       *wptest.Process
	out        wptest.Buffer
	whenStarts func(up bool) // told when it begins to answer, and before it stops to
}

// builds are the programs made of this module, by what was asked of the build.
var builds struct {
	sync.Mutex
	dir  string
	made map[string]string
}

// build makes the program. With the race detector in the tests it has it, too.
func build(t testing.TB, args ...string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	key := strings.Join(args, " ")
	if path := builds.made[key]; path != "" {
		return path
	}
	path := filepath.Join(builds.dir, fmt.Sprint("wpsitemapd", len(builds.made)))
	all := append([]string{"build", "-ldflags=-s -w", "-o", path}, args...)
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		all = append(all, "-race", "-gcflags=modernc.org/...=-race=false") // as make test: SQLite is compiled once
	}
	cmd := exec.Command("go", append(all, "wpsitemapd")...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	wptest.Must(t, os.Chmod(path, 0o755))
	builds.made[key] = path
	return path
}

// newDaemon writes a configuration of these sites. start starts it. Where no store is given it is a
// folder of the daemon's own.
func newDaemon(t testing.TB, store, sites string) *daemon {
	t.Helper()
	d := &daemon{
		t: t, dir: wptest.Folder(t), address: loopback(wptest.FreePort(t)), admin: loopback(wptest.FreePort(t)), program: build(t),
		whenStarts: func(bool) {},
	}
	d.store = cmp.Or(store, d.state())
	d.configure(sites)
	wptest.Must(t, os.Mkdir(d.state(), 0o700))
	wptest.Give(t, d.dir)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the daemon's log:\n%s", d.out.End())
		}
	})
	return d
}

func (d *daemon) state() string { return filepath.Join(d.dir, "state") }

// configure writes the configuration, which a running daemon reads again.
func (d *daemon) configure(sites string) {
	d.t.Helper()
	d.write("config.toml", fmt.Sprintf("listen = %q\nadmin = %q\nstate = %q\ndrain = \"2s\"\n%s", d.address, d.admin, d.store, sites))
}

func (d *daemon) write(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	wptest.Must(d.t, os.WriteFile(path, []byte(text), 0o644))
}

// start starts the daemon and waits until it takes connections.
func (d *daemon) start() {
	d.t.Helper()
	cmd := exec.Command(d.program, "serve", "--config", filepath.Join(d.dir, "config.toml"))
	if d.openFiles > 0 {
		cmd = exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, d.openFiles),
			d.program, "serve", "--config", filepath.Join(d.dir, "config.toml"))
	}
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), d.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: wptest.Servant(d.t)}
	d.proc = wptest.Launch(d.t, &d.out, cmd)
	wptest.Eventually(d.t, "the daemon answers", func() bool {
		if !d.proc.Running() {
			d.t.Fatalf("the daemon has ended\n%s", &d.out)
		}
		status, _, _ := fetch(http.DefaultClient, d.admin, d.admin, "/healthz")
		return status == http.StatusOK
	})
	d.whenStarts(true)
}

// kill ends it at once.
func (d *daemon) kill() {
	d.whenStarts(false)
	d.proc.Kill()
}

// stop asks it to end, and waits.
func (d *daemon) stop() {
	d.t.Helper()
	d.whenStarts(false)
	d.proc.Signal(syscall.SIGTERM)
	expect.Equal(d.t, d.proc.Code(d.t), 0, "the daemon ends with")
}

var metric = regexp.MustCompile(`(?m)^(\w+)(?:\{.*\})? (\S+)$`)

// metrics returns the daemon's own figures, those of one name added up.
func (d *daemon) metrics() map[string]float64 {
	d.t.Helper()
	status, text, err := fetch(http.DefaultClient, d.admin, d.admin, "/metrics")
	if err != nil || status != http.StatusOK {
		d.t.Errorf("metrics: %d, %v", status, err)
	}
	all := map[string]float64{}
	for _, m := range metric.FindAllStringSubmatch(text, -1) {
		value, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			d.t.Errorf("metrics: %s", m[0])
		}
		all[m[1]] += value
	}
	return all
}

// fetch asks for a path at an address by the name of a host.
func fetch(c *http.Client, address, host, path string) (status int, body string, err error) {
	resp, body, err := wptest.Get(context.Background(), c, "http://"+address+path, host)
	if err != nil {
		return 0, "", err
	}
	return resp.StatusCode, body, nil
}

// files returns the files of the folder state.
func (d *daemon) files() (paths []string) {
	paths, _ = filepath.Glob(filepath.Join(d.state(), "*")) // of this form always
	return paths
}

// logged is another time once the daemon has begun to write a page.
func (d *daemon) logged() (at time.Time) {
	if info, err := os.Stat(filepath.Join(d.state(), "pages-"+store.Version+".sqlite-wal")); err == nil {
		at = info.ModTime()
	}
	return at
}

const (
	upstreamPage   = "a page of PHP\n"
	upstreamRobots = "User-agent: *\nDisallow: /private/\n"
)

// newUpstream starts a PHP site, behind a link that can break.
func newUpstream(t testing.TB) *wptest.Link {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, upstreamRobots)
			return
		}
		io.WriteString(w, upstreamPage)
	}))
	t.Cleanup(srv.Close)
	return wptest.NewLink(t, "tcp", srv.Listener.Addr().String())
}

// visitor asks for what is not the daemon's: a page of PHP, and robots.txt.
type visitor struct {
	address, host string
	client        http.Client
}

func newVisitor(address, host string) *visitor {
	return &visitor{address: address, host: host, client: http.Client{Timeout: answerPatience}}
}

// well reports whether PHP's pages come through.
func (v *visitor) well() bool {
	status, body, err := fetch(&v.client, v.address, v.host, "/about/")
	return err == nil && status == http.StatusOK && body == upstreamPage
}

// robots judges the answer to a request for robots.txt, of which a copy exists.
func (v *visitor) robots() error {
	start := time.Now()
	status, body, err := fetch(&v.client, v.address, v.host, "/robots.txt")
	switch {
	case err != nil:
		return err
	case status != http.StatusOK:
		return fmt.Errorf("robots.txt: %d after %v", status, time.Since(start))
	case !strings.Contains(body, "Disallow: /private/") || !strings.Contains(body, "Sitemap: https://"+v.host+index):
		return fmt.Errorf("robots.txt: %s", body)
	}
	return nil
}
