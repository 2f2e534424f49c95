package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
)

// agency is a folder of installs, found by [[discover]].
type agency struct {
	t    *testing.T
	dir  string
	head string // of the configuration
	tail string
}

func newAgency(t *testing.T, head string) *agency {
	a := &agency{t: t, dir: t.TempDir(), head: head}
	a.write()
	return a
}

func (a *agency) config() string { return filepath.Join(a.dir, "wpsitemapd.toml") }

func (a *agency) write() {
	a.t.Helper()
	write(a.t, a.dir, "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n"+a.head+"\n[defaults]\nrefresh = \"1s\"\ncollapse_wait = \"1h\"\n[[discover]]\nwp_config = \"www/*/wp-config.php\"\n"+a.tail)
}

func (a *agency) folder(name string) string   { return filepath.Join(a.dir, "www", name) }
func (a *agency) database(name string) string { return filepath.Join(a.folder(name), ".ht.sqlite") }

// install makes one whose posts have their names with a prefix, and whose wp-config.php was
// written that long ago.
func (a *agency) install(name, home, prefix string, age time.Duration, more ...string) {
	a.t.Helper()
	if err := os.MkdirAll(a.folder(name), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if home != "" {
		if err := sample.Create(a.t.Context(), a.database(name), home); err != nil {
			a.t.Fatal(err)
		}
		wptest.Exec(a.t, "sqlite:"+a.database(name), "UPDATE wp_posts SET post_name = '"+prefix+"' || post_name WHERE post_type = 'post'")
	}
	text := "<?php\ndefine('DB_ENGINE', 'sqlite');\ndefine('FQDB', '" + a.database(name) + "');\n$table_prefix = 'wp_';\n" + strings.Join(more, "\n")
	path := filepath.Join(a.folder(name), "wp-config.php")
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
	written := time.Now().Add(-age)
	if err := os.Chtimes(path+".new", written, written); err != nil {
		a.t.Fatal(err)
	}
	a.rename(path+".new", path)
}

func (a *agency) rename(from, to string) {
	a.t.Helper()
	if err := os.Rename(from, to); err != nil {
		a.t.Fatal(err)
	}
}

// running is a daemon on an agency's installs.
type running struct {
	*program
	t             *testing.T
	public, admin string
}

func (a *agency) start() *running {
	a.t.Helper()
	p := start(a.t, nil, "serve", "--config", a.config())
	return &running{
		p, a.t,
		"http://" + match(a.t, &p.stderr, `msg=listening address=(\S+) for="sitemaps`),
		"http://" + match(a.t, &p.stderr, `msg=listening address=(\S+) for=admin`),
	}
}

func (r *running) end() {
	r.t.Helper()
	r.stop()
	if code := r.wait(r.t); code != 0 {
		r.t.Fatalf("exit code %d\n%s", code, &r.stderr)
	}
}

// until asks a host for its posts until an answer is as wanted, which none of the others forbid.
func (r *running) until(what, host string, want func(status int, body string) bool, never string) {
	r.t.Helper()
	status, body := 0, ""
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		status, body = get(r.t, r.public+"/post-sitemap.xml", host)
		if never != "" && strings.Contains(body, never) {
			r.t.Fatalf("%s: %d with %s\n%s", what, status, never, &r.stderr)
		}
		if want(status, body) {
			return
		}
	}
	r.t.Fatalf("%s: still %d %.300s\n%s", what, status, body, &r.stderr)
}

func has(text string) func(int, string) bool {
	return func(status int, body string) bool { return status == http.StatusOK && strings.Contains(body, text) }
}

func is(want int) func(int, string) bool {
	return func(status int, _ string) bool { return status == want }
}

const (
	liveHost = "client3.example.net"
	liveHome = "https://" + liveHost
)

// metric returns the value of a series.
func (r *running) metric(series string) string {
	r.t.Helper()
	_, body := get(r.t, r.admin+"/metrics", "localhost")
	for line := range strings.Lines(body) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// A copy of an install that still has the address of the original, in a folder that sorts before
// it, never gets the host: not when it comes, and not at a restart, whatever can be read by then.
func TestCopiedInstallNeverTakesOver(t *testing.T) {
	t.Parallel()
	a := newAgency(t, `state = "state"`)
	a.install("client3", liveHome, "real-", 0) // and so nothing but memory tells
	d := a.start()
	d.until("alone", liveHost, has("/real-"), "")
	a.install("aaa-copy", liveHome, "staging-", 0)
	match(t, &d.stderr, `two sites claim one address, the first keeps it" host=(\S+) path=/ first=client3 second=aaa-copy`)
	d.until("with the copy", liveHost, has("/real-"), "/staging-")
	for _, site := range []string{"client3", "aaa-copy"} {
		if got := d.metric(`wpsitemapd_host_clash{site="` + site + `"}`); got != "1" {
			t.Errorf("wpsitemapd_host_clash of %s is %q", site, got)
		}
	}
	if status, page := get(t, d.admin+"/", "localhost"); status != 200 || !strings.Contains(page, "and belongs to client3") || !strings.Contains(page, "is claimed by site aaa-copy, too") {
		t.Errorf("status page: %d %s", status, page)
	}
	d.end()

	d = a.start()
	d.until("after a restart", liveHost, has("/real-"), "/staging-")
	match(t, &d.stderr, `first=(client3) second=aaa-copy`)
	d.until("with both read", liveHost, has("/real-"), "/staging-")
	d.end()

	away := filepath.Join(a.dir, "away")
	a.rename(a.database("client3"), away)
	d = a.start()
	match(t, &d.stderr, `site is read" site=(aaa-copy)`)
	d.until("with a database that cannot be read", liveHost, has("/real-"), "/staging-")
	a.rename(away, a.database("client3"))
	match(t, &d.stderr, `(site can be read again)`)
	d.until("read again", liveHost, has("/real-"), "/staging-")

	a.rename(a.database("client3"), away)
	time.Sleep(time.Second)
	d.until("unreadable for a moment", liveHost, has("/real-"), "/staging-")
	a.rename(away, a.database("client3"))
	d.end()

	// the copies of the one that cannot be read are gone, what is known of its host is not
	records, err := filepath.Glob(filepath.Join(a.dir, "state", "sites", "client3", "*.record"))
	if err != nil || len(records) != 1 || os.Remove(records[0]) != nil {
		t.Fatal(records, err)
	}
	a.rename(a.database("client3"), away)
	d = a.start()
	match(t, &d.stderr, `site is read" site=(aaa-copy)`)
	d.until("without copies", liveHost, is(503), "/staging-")
	a.rename(away, a.database("client3"))
	d.until("with its database", liveHost, has("/real-"), "/staging-")

	// a deployment takes the folder away for a moment
	a.rename(a.folder("client3"), away)
	match(t, &d.stderr, `(a host is kept for the site that had it and is gone)`)
	d.until("while it is away", liveHost, is(503), "/staging-")
	a.rename(away, a.folder("client3"))
	d.until("once it is back", liveHost, has("/real-"), "/staging-")

	// it goes for good
	a.tail = "collapse_wait = \"1s\"\n"
	a.write()
	a.install("marker", "https://marker.example", "", 0)
	d.until("with the new configuration", "marker.example", is(200), "")
	if err := os.RemoveAll(a.folder("client3")); err != nil {
		t.Fatal(err)
	}
	d.until("once the original is gone for good", liveHost, has("/staging-"), "")
	if !strings.Contains(d.stderr.String(), "the site that had a host has left it, another one has it now") {
		t.Errorf("the log does not tell:\n%s", &d.stderr)
	}
	d.end()
	a.install("client3", liveHome, "real-", 0) // from a backup: now it is the newcomer
	d = a.start()
	match(t, &d.stderr, `first=(aaa-copy) second=client3`)
	d.until("which stays so", liveHost, has("/staging-"), "/real-")
	a.tail = "[[site]]\nname = \"shop\"\nwp_config = \"www/client3/wp-config.php\"\nhosts = [\"" + liveHost + "\"]\n"
	a.write()
	d.until("the operator's word", liveHost, has("/real-"), "")
	d.until("lasts", liveHost, has("/real-"), "/staging-")
	if got := d.metric(`wpsitemapd_host_clash{site="shop"}`); got != "0" {
		t.Errorf("a clash that is settled is counted: %q", got)
	}
	d.end()
}

// Without memory the signs of the files decide, and where they do not nobody is served.
func TestCopiedInstallWithoutMemory(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	tests := []struct {
		rule           string
		original, copy time.Duration // since their wp-config.php was written
		name           string        // of the original's folder
		site           bool          // the original is a [[site]]
		want           func(int, string) bool
	}{
		{"the older files", year, time.Hour, "client3", false, has("/real-")},
		{"nothing tells", 0, 0, "client3", false, is(503)},
		{"a folder with the name of the host", 0, 0, "www." + liveHost, false, has("/real-")},
		{"signs that contradict each other", time.Hour, year, liveHost, false, is(503)},
		{"a [[site]] before all signs", time.Hour, year, "client3", true, has("/real-")},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			a := newAgency(t, "")
			a.install("aaa-copy", liveHome, "staging-", test.copy)
			a.install(test.name, liveHome, "real-", test.original)
			a.install("other", "https://other.example", "", 0)
			if test.site {
				a.tail = "[[site]]\nname = \"live\"\nwp_config = \"www/client3/wp-config.php\"\n"
				a.write()
			}
			for range 3 {
				d := a.start()
				d.until("another host", "other.example", is(200), "")
				match(t, &d.stderr, `(two sites claim one address|several sites claim one address)`)
				d.until(test.rule, liveHost, test.want, "/staging-")
				d.end()
			}
		})
	}
}

// A copy that was read while the original could not be is no owner when that comes back.
func TestOriginalUnreadableAtTheFirstStart(t *testing.T) {
	t.Parallel()
	a := newAgency(t, `state = "state"`)
	a.install("aaa-copy", liveHome, "staging-", time.Hour)
	a.install("client3", liveHome, "real-", 1000*time.Hour, "define('WP_HOME', '"+liveHome+"');")
	away := filepath.Join(a.dir, "away")
	a.rename(a.database("client3"), away)
	d := a.start()
	match(t, &d.stderr, `site is read" site=(aaa-copy)`)
	match(t, &d.stderr, `(site cannot be read)`)
	d.until("unreadable", liveHost, is(503), "/staging-")
	a.rename(away, a.database("client3"))
	d.until("read", liveHost, has("/real-"), "/staging-")
	d.end()
	d = a.start()
	d.until("after a restart", liveHost, has("/real-"), "/staging-")
	d.end()
}

// With several sites in front and no database, websites are up: what cannot be a sitemap goes
// to the upstream.
func TestWebsitesWithoutDatabases(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "PHP for %s%s", r.Host, r.URL.Path) }))
	defer upstream.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the other upstream") }))
	defer other.Close()
	dead := "define('DB_ENGINE', 'mysql'); define('DB_HOST', '127.0.0.1:1'); define('DB_USER', 'x'); define('DB_PASSWORD', 'x'); define('DB_NAME', 'x');"
	mysql := func(a *agency, name, more string) {
		t.Helper()
		if err := os.MkdirAll(a.folder(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(a.folder(name), "wp-config.php"), []byte("<?php\n"+dead+"\n$table_prefix = 'wp_';\n"+more), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	t.Run("one upstream", func(t *testing.T) {
		a := newAgency(t, "")
		mysql(a, "one", "")
		mysql(a, "two", "")
		a.tail = fmt.Sprintf("upstream = %q\ncollapse_wait = \"10m\"\n", upstream.URL)
		a.write()
		d := a.start()
		for _, host := range []string{"one.example", "two.example"} {
			for _, path := range []string{"/", "/wp-login.php", "/robots.txt"} {
				if status, body := get(t, d.public+path, host); status != 200 || body != "PHP for "+host+path {
					t.Errorf("%s%s: %d %q", host, path, status, body)
				}
			}
			if status, _ := get(t, d.public+"/sitemap_index.xml", host); status != 503 {
				t.Errorf("the sitemap of %s: %d", host, status)
			}
		}
		match(t, &d.stderr, `(nothing tells the hosts of sites until their databases are read)`)
		d.end()
	})

	t.Run("several upstreams", func(t *testing.T) {
		a := newAgency(t, "")
		mysql(a, "home", "define('WP_HOME', 'https://home.example');")
		mysql(a, "site", "define('WP_SITEURL', 'https://site.example/wp');")
		mysql(a, "network", "define('MULTISITE', true); define('DOMAIN_CURRENT_SITE', 'network.example'); define('PATH_CURRENT_SITE', '/');")
		mysql(a, "folder.example", "")
		a.tail = fmt.Sprintf("upstream = %q\ncollapse_wait = \"10m\"\n[[site]]\nname = \"elsewhere\"\ndsn = \"x:x@tcp(127.0.0.1:1)/x\"\nhome = \"https://elsewhere.example\"\nupstream = %q\n", upstream.URL, other.URL)
		a.write()
		d := a.start()
		match(t, &d.stderr, `(hosts are guessed until the databases are read)`)
		for host, want := range map[string]string{
			"home.example": "PHP for home.example/", "site.example": "PHP for site.example/", "network.example": "PHP for network.example/",
			"folder.example": "PHP for folder.example/", "elsewhere.example": "the other upstream",
		} {
			if status, body := get(t, d.public+"/", host); status != 200 || body != want {
				t.Errorf("%s: %d %q, want %q", host, status, body, want)
			}
			if status, _ := get(t, d.public+"/sitemap_index.xml", host); status != 503 {
				t.Errorf("the sitemap of %s: %d", host, status)
			}
		}
		d.end()
	})
}

// One install that can never be read keeps neither unknown hosts at 503 nor the daemon from being ready.
func TestOneInstallIsBroken(t *testing.T) {
	t.Parallel()
	a := newAgency(t, "")
	a.install("good", "https://good.example", "", 0)
	a.install("broken", "", "", 0)
	d := a.start()
	d.until("the good one", "good.example", is(200), "")
	match(t, &d.stderr, `(site cannot be read)`)
	d.until("a host of nobody", "nobody.example", is(421), "")
	if status, body := get(t, d.admin+"/readyz", "localhost"); status != 200 {
		t.Errorf("/readyz: %d %s", status, body)
	}
	if status, body := get(t, d.admin+"/readyz?all", "localhost"); status != 503 || !strings.Contains(body, "broken") {
		t.Errorf("/readyz?all: %d %s", status, body)
	}
	d.end()
}

// checked runs check and returns its exit code with what it calls trouble.
func (a *agency) checked() (code int, r report, text string) {
	a.t.Helper()
	code, stdout, stderr := run(a.t, nil, "check", "--config", a.config(), "--json")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		a.t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	second, text, _ := run(a.t, nil, "check", "--config", a.config())
	if second != code {
		a.t.Errorf("exit code %d, with --json %d", second, code)
	}
	return code, r, text
}

// Everything about which an operator has to do something is trouble.
func TestCheckTrouble(t *testing.T) {
	t.Parallel()
	alive := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(alive.Close)
	tests := []struct {
		rule string
		set  func(a *agency)
		want string // of one line; "": no trouble
	}{
		{"an upstream that answers", func(a *agency) { a.tail = fmt.Sprintf("upstream = %q\n", alive.URL) }, ""},
		{"a dead upstream", func(a *agency) { a.tail = "upstream = \"http://127.0.0.1:1\"\n" }, "TROUBLE: upstream http://127.0.0.1:1 does not answer"},
		{"a folder state that can be made", func(a *agency) { a.head = `state = "some/where"` }, ""},
		{"a state that is a file", func(a *agency) { a.head = `state = "wpsitemapd.toml"` }, "TROUBLE: state "},
		{"a state below a file", func(a *agency) { a.head = `state = "wpsitemapd.toml/state"` }, "TROUBLE: state "},
		{"a Redis that does not answer", func(a *agency) { a.head = `state = "redis://127.0.0.1:1/0"` }, "TROUBLE: state "},
		{"a pattern without a match", func(a *agency) { a.tail = "[[discover]]\nwp_config = \"nowhere/*/wp-config.php\"\n" }, "TROUBLE: [[discover]] in line"},
		{"two sites with one address", func(a *agency) { a.install("copy", liveHome, "staging-", 0) }, "TROUBLE: " + liveHost + "/ is claimed by site"},
		{"two sites with one address, of which one is named", func(a *agency) {
			a.install("copy", liveHome, "staging-", 0)
			a.tail = "[[site]]\nname = \"live\"\nwp_config = \"www/client3/wp-config.php\"\nhosts = [\"" + liveHost + "\"]\n"
		}, ""},
		{"two sites in folders of one host", func(a *agency) { a.install("second", liveHome+"/second", "", 0) }, ""},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			a := newAgency(t, "")
			a.install("client3", liveHome, "real-", 0)
			test.set(a)
			a.write()
			code, r, text := a.checked()
			if want := test.want == ""; (code == 0) != want || r.OK != want {
				t.Errorf("exit code %d, ok %v\n%s", code, r.OK, text)
			}
			if got := strings.Contains(text, "TROUBLE"); got != (test.want != "") || !strings.Contains(text, test.want) || got && !strings.Contains(text, "; ") {
				t.Errorf("want %q with what to do:\n%s", test.want, text)
			}
		})
	}
}

// An error names its site once.
func TestErrorsNameTheirSiteOnce(t *testing.T) {
	t.Parallel()
	a := newAgency(t, "")
	a.install("client3", liveHome, "real-", 0)
	wptest.Exec(t, "sqlite:"+a.database("client3"), "DROP TABLE wp_postmeta")
	code, r, text := a.checked()
	if code != 1 || r.OK || !strings.Contains(text, "TROUBLE: ") || strings.Contains(text, "blog 1: site") || strings.Count(text, "site client3") != 1 {
		t.Errorf("exit code %d\n%s", code, text)
	}
	_, _, stderr := run(t, nil, "export", "--config", a.config(), "--out", t.TempDir())
	if !strings.Contains(stderr, "wp_postmeta") || strings.Count(stderr, "site client3") != 1 {
		t.Errorf("export: %s", stderr)
	}
}

// What make builds depends on no library of the system, also where there is a C compiler.
func TestBuildsWithoutC(t *testing.T) {
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("there is no make")
	}
	out, err := exec.Command(program, "-n", "build", "demo", "golden").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	builds := 0
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "go build") || strings.Contains(line, "go run . ") {
			builds++
			if !strings.HasPrefix(line, "CGO_ENABLED=0 ") {
				t.Errorf("with C: %s", line)
			}
		}
	}
	if builds != 2 {
		t.Errorf("%d builds in\n%s", builds, out)
	}
}

// A change that needs a restart is told with the keys it is about, once, and not when it is taken back.
func TestChangeThatNeedsARestart(t *testing.T) {
	t.Parallel()
	a := newAgency(t, "drain = \"1s\"")
	a.install("client3", liveHome, "real-", 0)
	d := a.start()
	d.until("up", liveHost, is(200), "")
	const told = "some keys have changed that are taken at the start only"
	reloads := func(n string) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); d.metric(`wpsitemapd_config_reloads_total{result="ok"}`) != n; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("not reloaded\n%s", &d.stderr)
			}
		}
	}
	set := func(head string) {
		t.Helper()
		a.head = head
		a.write()
	}
	set("drain = \"1s\"\nh2c = true")
	if got := match(t, &d.stderr, told+`" keys=("[^"]*"|\S+)`); got != "h2c" {
		t.Errorf("keys %q", got)
	}
	reloads("1")
	set("drain = \"2s\"\nh2c = true")
	reloads("2")
	set("drain = \"2s\"")
	reloads("3")
	if got := strings.Count(d.stderr.String(), told); got != 1 {
		t.Errorf("told %d times\n%s", got, &d.stderr)
	}
	d.end()
}
