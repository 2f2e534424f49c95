package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/listen"
	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// reloadable is a running server whose configuration a test replaces. Its sites are created when they are opened, each
// at a host of its name.
type reloadable struct {
	*daemon
	mu     sync.Mutex
	next   *config.Config
	err    error
	opened map[string]int

	cacheSize config.Size // 0: the default
}

// testSite is a site at its own host.
func testSite(name string) config.Site {
	s := config.Site{Name: name, Hosts: []config.Host{config.Host(name + ".test")}, Refresh: time.Hour}
	sitetest.SetDefaults(&s)
	return s
}

func startReloadable(t *testing.T, sites ...config.Site) *reloadable {
	t.Helper()
	r := newReloadable(t, sites...)
	r.run()
	return r
}

func newReloadable(t *testing.T, sites ...config.Site) *reloadable {
	nets := map[string]*sitetest.WordPress{} // guarded by r.mu
	server := newTestServer(t, nets, sites...)
	r := &reloadable{daemon: &daemon{testServer: server}, opened: map[string]int{}}
	r.Load = func(*config.Config) (*config.Config, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.next, r.err
	}
	r.refreshing.Open = func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
		s := &of.Config
		if s.Name == "hangs" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		r.mu.Lock()
		r.opened[s.Name]++
		w := nets[s.Name]
		if w == nil {
			w = sitetest.ThreePosts(t, "https://"+s.Name+".test")
			nets[s.Name] = w
		}
		r.mu.Unlock()
		if strings.Contains(s.TablePrefix, "broken") {
			return nil, errors.New("no such table")
		}
		return w.Open(ctx, of, server.Server.now, turn)
	}
	return r
}

func (r *reloadable) run() { r.daemon = r.testServer.start() }

// reload puts a configuration with these sites in force.
func (r *reloadable) reload(sites ...config.Site) error {
	r.mu.Lock()
	r.next = &config.Config{Listening: r.config.Listening, Sites: sites, CacheSize: r.cacheSize}
	r.mu.Unlock()
	return r.Reload(r.t.Context())
}

// closed returns how many databases of a site were closed.
func (r *reloadable) closed(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, closed := r.nets[name].Opened()
	return closed
}

// status requests a sitemap of a host and returns the status.
func (r *reloadable) status(host string) int {
	return r.ask(host, "/post-sitemap.xml").status
}

// until waits until a host answers with a status.
func (r *reloadable) until(host string, want int) {
	r.t.Helper()
	r.shows("", host, "/post-sitemap.xml", want, "")
}

func TestReload(t *testing.T) {
	r := startReloadable(t, testSite("a"), testSite("b"))
	r.until("a.test", 200)
	r.until("b.test", 200)
	before := r.running()

	changed := testSite("b")
	changed.PageSize = 7
	wptest.Must(t, r.reload(testSite("a"), changed, testSite("c")))
	after := r.running()
	if after[0] != before[0] || r.opened["a"] != 1 || r.closed("a") != 0 {
		t.Errorf("a site that did not change has another install, or was opened %d times", r.opened["a"])
	}
	if got := r.pages.Peek(after[0].Site, after[0].Snapshot().Blogs[0], "post", 1); got == nil {
		t.Error("a site that did not change lost its copies")
	}
	if after[1] == before[1] || r.opened["b"] != 2 {
		t.Errorf("a changed site was opened %d times, want 2", r.opened["b"])
	}
	for _, host := range []string{"a.test", "b.test", "c.test"} {
		expect.Equal(t, r.status(host), 200, host)
	}

	wptest.Must(t, r.reload(testSite("c")))
	expect.Equal(t, r.status("a.test"), 421)
	expect.Equal(t, r.status("c.test"), 200)
	if got := r.lastReload(); got.At.IsZero() || got.Error != "" {
		t.Errorf("%+v", got)
	}
}

// A configuration that cannot be used changes nothing. It is reported once, no matter how often it is read: in the log,
// in the metrics and on the page.
func TestReloadOfABadFile(t *testing.T) {
	r := startReloadable(t, testSite("a"))
	r.until("a.test", 200)
	before, began := r.running()[0], r.lastReload().Good
	r.err = errors.New("c.toml:7: colour: unknown key <script>")
	for range 3 {
		if err := r.reload(testSite("b")); err == nil {
			t.Fatal("no error")
		}
	}
	if r.running()[0] != before || r.status("a.test") != 200 || r.status("b.test") != 421 {
		t.Error("the bad file is in force")
	}
	if got := r.lastReload(); r.log.count("c.toml:7: colour") != 1 || got.Error != r.err.Error() || !got.Good.Equal(began) {
		t.Errorf("%+v\n%s", got, r.log)
	}
	if _, page := r.askAdmin("/"); !strings.Contains(page, "c.toml:7: colour: unknown key &lt;script&gt;") {
		t.Error("the page does not tell")
	}
	r.wantMetrics("with a bad file",
		map[string]string{"wpsitemapd_config_last_reload_successful": "0", `wpsitemapd_config_reloads_total{result="error"}`: "3"})
	r.err = nil
	if err := r.reload(testSite("b")); err != nil || r.status("b.test") != 200 || r.lastReload().Error != "" {
		t.Errorf("the mended file is not in force: %v", err)
	}
	if _, page := r.askAdmin("/"); strings.Contains(page, "colour") {
		t.Error("the page still tells")
	}
	r.wantMetrics("mended", map[string]string{"wpsitemapd_config_last_reload_successful": "1", `wpsitemapd_config_reloads_total{result="ok"}`: "1"})
}

// After an edit that breaks a site's access to its database, visitors get what was read before.
func TestReloadToABrokenSite(t *testing.T) {
	r := startReloadable(t, testSite("a"))
	r.until("a.test", 200)
	broken := testSite("a")
	broken.TablePrefix = "broken_"
	wptest.Must(t, r.reload(broken))
	expect.Equal(t, r.status("a.test"), 200, "while the new database cannot be read")
	if got := r.Status()[0]; got.Error == "" {
		t.Errorf("status %+v", got)
	}
	expect.Equal(t, r.closed("a"), 0, "the old database is closed, though pages are still made from it")
	if err := r.reload(testSite("a")); err != nil || r.status("a.test") != 200 {
		t.Error("not mended")
	}
}

// A change of the configuration while the daemon stops does not keep it from stopping.
func TestReloadWhileStopping(t *testing.T) {
	r := startReloadable(t, testSite("a"))
	r.background(r.work, r.Server.log, func(ctx context.Context) {
		<-ctx.Done()
		if r.Reload(context.Background()) == nil {
			t.Error("it is in force")
		}
	})
	r.stop()
}

// A new site whose database hangs delays nobody.
func TestReloadWithAHangingSite(t *testing.T) {
	r := startReloadable(t, testSite("a"))
	wptest.Must(t, r.reload(testSite("a"), testSite("hangs"), testSite("b")))
	expect.Equal(t, r.status("b.test"), 200, "the other new site")
	if named(r.running(), "hangs").Snapshot().Tried() {
		t.Error("it was waited for")
	}
}

// Requests continue across reloads. Each reload changes one site, adds or removes another, and keeps the third.
func TestReloadUnderLoad(t *testing.T) {
	r := newReloadable(t, testSite("kept"), testSite("changed"))
	r.cacheSize = 1 // every request renders
	r.pages.SetLimit(1)
	r.run()
	r.until("kept.test", 200)
	r.until("changed.test", 200)
	var all sync.WaitGroup
	done := make(chan struct{})
	var answered atomic.Int64
	for i := range 200 {
		all.Go(func() {
			host := []string{"kept.test", "changed.test"}[i%2]
			for {
				expect.Equal(t, r.get("GET", "http://"+host+"/post-sitemap.xml").StatusCode, 200, host)
				answered.Add(1)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for n := range 10 {
		for wanted := answered.Load() + 50; answered.Load() < wanted; {
			runtime.Gosched()
		}
		changed := testSite("changed")
		changed.PageSize = 10 + n
		sites := []config.Site{testSite("kept"), changed}
		if n%2 == 0 {
			sites = append(sites, testSite("more"))
		}
		wptest.Must(t, r.reload(sites...))
	}
	close(done)
	all.Wait()
	if r.opened["kept"] != 1 || r.opened["changed"] != 11 {
		t.Errorf("opened %v times", r.opened)
	}
}

// replace writes a file as editors and configuration management do.
func replace(t *testing.T, path, text string) {
	t.Helper()
	wptest.Must(t, os.WriteFile(path+".new", []byte(text), 0o600))
	wptest.Must(t, os.Rename(path+".new", path))
}

// startWatching runs a server with a configuration file that it watches.
func startWatching(t *testing.T, path, text string) *reloadable {
	t.Helper()
	replace(t, path, text)
	c, err := config.Load(path)
	wptest.Must(t, err)
	r := newReloadable(t)
	first := New(c, r.Server.log)
	r.config, r.installs = c, nil
	for _, w := range first.installs {
		r.installs = append(r.installs, r.newInstall(w.Config, nil))
	}
	r.config.Listening = testListening()
	r.Load = func(*config.Config) (*config.Config, error) { return config.Load(path) }
	r.Watch, r.pace.look = path, 50*time.Millisecond
	r.run()
	return r
}

func siteText(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "[[site]]\nname = %q\ndsn = \"u@tcp(db)/%s\"\n", name, name)
	}
	return b.String()
}

func TestChangedFileReloads(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.toml")
	r := startWatching(t, path, siteText("a", "z"))
	r.until("a.test", 200)
	replace(t, path, siteText("a", "z", "b"))
	r.until("b.test", 200)
	replace(t, path, siteText("a", "z", "b")+"colour = 1\n")
	waitFor(t, r.log, "colour: unknown key")
	r.until("b.test", 200)
	replace(t, path, siteText("z", "b"))
	r.until("a.test", 421)
	expect.Equal(t, r.opened["b"], 1, "b was opened", "times")
}

// Installs below a pattern appear, change and vanish.
func TestDiscoveredInstallsComeAndGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install := func(name, database string) {
		path := filepath.Join(dir, "www", name, "htdocs")
		wptest.Must(t, os.MkdirAll(path, 0o755))
		replace(t, filepath.Join(path, "wp-config.php"), "<?php define('DB_NAME', '"+database+"');")
	}
	install("a", "a")
	install("z", "z") // a request for an unknown host goes to the only site
	r := startWatching(t, filepath.Join(dir, "c.toml"), "[[discover]]\nwp_config = \"www/*/htdocs/wp-config.php\"\n")
	r.until("a.test", 200)
	install("b", "b")
	r.until("b.test", 200)
	before := r.running()
	install("b", "other")
	opened := func() int { r.mu.Lock(); defer r.mu.Unlock(); return r.opened["b"] }
	wptest.Eventually(t, "a changed wp-config.php is connected anew", func() bool { return opened() == 2 }, r.log)
	wptest.Must(t, os.RemoveAll(filepath.Join(dir, "www", "b")))
	r.until("b.test", 421)
	if r.running()[0] != before[0] || r.opened["a"] != 1 {
		t.Error("the other install did not stay as it was")
	}
}

// A change of the configuration is noticed at once, before the next look.
func TestNoticeOfAChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "wpsitemapd.toml")
	looks, none := make(chan bool), &config.Config{}
	w := &watcher{file: path, config: func() *config.Config { return none }, every: time.Hour,
		look: func(_ context.Context, changed bool) { looks <- changed }}
	w.seen = w.stamp()
	go w.run(t.Context())
	noticed(t, path, looks)
}

// noticed writes a file until a look finds that it has changed.
func noticed(t *testing.T, path string, looks <-chan bool) {
	t.Helper()
	wptest.Eventually(t, "the change is noticed", func() bool {
		wptest.Must(t, os.WriteFile(path, []byte("# "+time.Now().String()), 0o600))
		select {
		case changed := <-looks:
			return changed
		case <-time.After(time.Second):
			return false
		}
	})
}

// Changed files are noticed at once even if the system has lost notices before, because there were too many.
func TestNoticeAfterAnOverflow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "wpsitemapd.toml")
	begun, looks := make(chan bool), make(chan bool)
	none := &config.Config{}
	w := &watcher{file: path, config: func() *config.Config { return none }, every: time.Hour,
		look: func(_ context.Context, changed bool) { begun <- true; looks <- changed }}
	w.seen = w.stamp()
	go w.run(t.Context())
	noticed(t, path, begun)
	most, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip("the system does not bound its notices in this way")
	}
	bound, err := strconv.Atoi(strings.TrimSpace(string(most)))
	wptest.Must(t, err)
	for i := range bound/2 + 1000 { // while the watcher looks, nobody takes the notices
		name := filepath.Join(dir, strconv.Itoa(i))
		wptest.Must(t, os.Symlink("nowhere", name))
		wptest.Must(t, os.Remove(name))
	}
	go func() {
		for range begun {
		}
	}()
	for taken := false; !taken; { // a look for each notice
		select {
		case <-looks:
		case <-time.After(time.Second):
			taken = true
		}
	}
	noticed(t, path, looks)
}

// A file with a token is followed as the files of sites are.
func TestTokenFileIsFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &config.Config{Listening: config.Listening{AdminTokenFile: filepath.Join(dir, "token")}}
	w := &watcher{file: filepath.Join(dir, "wpsitemapd.toml"), config: func() *config.Config { return c }}
	wptest.Must(t, os.WriteFile(c.AdminTokenFile, []byte("0123456789abcdef"), 0o600))
	before := w.stamp()
	expect.Equal(t, w.stamp(), before)
	wptest.Must(t, os.WriteFile(c.AdminTokenFile, []byte("fedcba9876543210-"), 0o600))
	if w.stamp() == before || !w.concerns(fsnotify.Event{Name: c.AdminTokenFile, Op: fsnotify.Write}) {
		t.Error("another token is not noticed")
	}
}

// The watcher of the configuration also reloads the certificate. It warns once a day that the certificate ends soon.
func TestCertificateIsFollowed(t *testing.T) {
	dir, now, log := t.TempDir(), time.Now(), new(wptest.Buffer)
	cert, key := wptest.WriteCertificate(t, dir, "one.test")
	c, err := listen.LoadCertificate(cert, key)
	wptest.Must(t, err)
	end, _ := c.End(now)
	cfg := &config.Config{Listening: config.Listening{TLSCert: cert, TLSKey: key}}
	s := &Server{Now: func() time.Time { return now }, log: slog.New(slog.NewTextHandler(log, nil))}
	w := &watcher{config: func() *config.Config { return cfg }}
	var warned time.Time
	before := w.stamp()
	wptest.WriteCertificate(t, dir, "two.test")
	for _, step := range []struct {
		rule string
		at   time.Time
		want int // number of log lines
	}{{"the new one", now, 1}, {"the same", now, 1}, {"its end", end, 2},
		{"an hour later", end.Add(time.Hour), 2}, {"the next day", end.Add(25 * time.Hour), 3}} {
		now = step.at
		s.followCertificate(c, w.stamp() != before, &warned)
		expect.Equal(t, strings.Count(log.String(), "\n"), step.want, step.rule, log.String())
	}
}
