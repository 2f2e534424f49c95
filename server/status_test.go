package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// askAdmin sends a GET request to the admin listener from this machine.
func (ts *testServer) askAdmin(path string, header ...string) (int, string) {
	return ts.sendAdmin("GET", path, "", header...)
}

// sendAdmin sends a request to the admin listener from this machine.
func (ts *testServer) sendAdmin(method, path, body string, header ...string) (int, string) {
	r := httptest.NewRequest(method, "http://127.0.0.1:9090"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:4711"
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	ts.admin.ServeHTTP(rec, r)
	return rec.Code, rec.Body.String()
}

// scraped returns the values of the metrics by name and labels.
func (ts *testServer) scraped() map[string]string {
	ts.t.Helper()
	status, text := ts.askAdmin("/metrics")
	if status != 200 {
		ts.t.Fatalf("/metrics: %d %s", status, text)
	}
	values := map[string]string{}
	for line := range strings.Lines(text) {
		if i := strings.LastIndexByte(line, ' '); !strings.HasPrefix(line, "#") && i > 0 {
			values[line[:i]] = strings.TrimSpace(line[i+1:])
		}
	}
	return values
}

func (ts *testServer) wantMetrics(when string, want map[string]string) {
	ts.t.Helper()
	got := ts.scraped()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		expect.Equal(ts.t, got[name], want[name], when, name)
	}
}

// everything returns a server that has done everything that metrics count.
func everything(t *testing.T) *testServer {
	w, denied := sitetest.ThreePosts(t, "https://a.test"), sitetest.ThreePosts(t, "https://b.test")
	denied.Refuse(errors.New("access denied"))
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "php") })
	ts := newTestServer(t,
		map[string]*sitetest.WordPress{"a": w, "b": denied},
		config.Site{Name: "a", Upstream: up, HTML: true, IndexNow: config.IndexNow{Key: "0123456789abcdef"}},
		config.Site{Name: "b", Hosts: []config.Host{"b.test"}})
	kept, err := config.OpenStore(t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)})
	wptest.Must(t, err)
	if ts.store = kept; kept.Open() != nil {
		t.Fatal(kept.Stats().Error)
	}
	ts.rebuild()
	first := ts.get("GET", "https://a.test/post-sitemap.xml", "User-Agent", "Googlebot/2.1")
	ts.get("GET", "https://a.test/post-sitemap.xml", "If-None-Match", first.Header.Get("ETag"), "User-Agent", "Googlebot/2.1")
	for _, address := range []string{"https://a.test/post-sitemap2.xml", "https://a.test/post-sitemap9.xml", "https://a.test/",
		"https://a.test/sitemap.xml", "https://a.test/main-sitemap.xsl", "https://a.test/0123456789abcdef.txt",
		"https://a.test/robots.txt", "https://b.test/post-sitemap.xml", "https://nobody.test/"} {
		ts.get("GET", address)
	}
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) { b.StaleBefore = site.Now() })
	w.Break("wp_posts")
	ts.get("GET", "https://a.test/post-sitemap.xml")
	ts.view.AddPoints()
	return ts
}

func TestMetrics(t *testing.T) {
	ts := everything(t)
	ts.wantMetrics("after some requests", map[string]string{
		`wpsitemapd_requests_total{kind="sitemap",site="a",status="2xx"}`:       "3",
		`wpsitemapd_requests_total{kind="sitemap",site="a",status="3xx"}`:       "1",
		`wpsitemapd_requests_total{kind="sitemap",site="a",status="4xx"}`:       "1",
		`wpsitemapd_requests_total{kind="sitemap",site="a",status="5xx"}`:       "0",
		`wpsitemapd_requests_total{kind="sitemap",site="b",status="5xx"}`:       "1",
		`wpsitemapd_requests_total{kind="upstream",site="a",status="2xx"}`:      "1",
		`wpsitemapd_requests_total{kind="redirect",site="a",status="3xx"}`:      "1",
		`wpsitemapd_requests_total{kind="stylesheet",site="a",status="2xx"}`:    "1",
		`wpsitemapd_requests_total{kind="robots",site="a",status="2xx"}`:        "1",
		`wpsitemapd_requests_total{kind="keyfile",site="a",status="2xx"}`:       "1",
		`wpsitemapd_not_modified_total{kind="sitemap",site="a"}`:                "1",
		`wpsitemapd_response_bytes_total{kind="upstream",site="a"}`:             "3",
		`wpsitemapd_stale_responses_total{site="a"}`:                            "1",
		`wpsitemapd_page_lookups_total{result="hit",site="a"}`:                  "1",
		`wpsitemapd_work_total{kind="render",result="ok",site="a"}`:             "2",
		`wpsitemapd_work_total{kind="render",result="error",site="a"}`:          "1",
		`wpsitemapd_work_total{kind="full_scan",result="ok",site="a"}`:          "1",
		`wpsitemapd_work_duration_seconds_count{kind="full_scan"}`:              "1",
		`wpsitemapd_request_duration_seconds_count{kind="upstream"}`:            "1",
		`wpsitemapd_site_ready{site="a"}`:                                       "1",
		`wpsitemapd_site_ready{site="b"}`:                                       "0",
		`wpsitemapd_site_up{site="b"}`:                                          "0",
		`wpsitemapd_urls{site="a"}`:                                             "4",
		`wpsitemapd_blogs{site="a"}`:                                            "1",
		`wpsitemapd_data_age_seconds{site="a"}`:                                 "0",
		`wpsitemapd_data_age_seconds{site="b"}`:                                 "",
		`wpsitemapd_collapse_alarm{site="a"}`:                                   "0",
		`wpsitemapd_host_conflict{site="a"}`:                                    "0",
		`wpsitemapd_cached_pages{cache="sitemaps"}`:                             "2",
		`wpsitemapd_config_last_reload_successful`:                              "1",
		`wpsitemapd_indexnow_waiting_urls{site="a"}`:                            "0",
		`wpsitemapd_indexnow_waiting_urls{site="b"}`:                            "",
		`wpsitemapd_log_messages_total{level="error"}`:                          "2",
		`wpsitemapd_stray_requests_total{status="5xx"}`:                         "",
		`wpsitemapd_state_writable`:                                             "1",
		`wpsitemapd_crawler_fetches_total{engine="google",site="a",verdict=""}`: "",
	})
	ts.now = ts.now.Add(90 * time.Second)
	ts.wantMetrics("a while later", map[string]string{`wpsitemapd_data_age_seconds{site="a"}`: "90"})
}

// Hosts, paths and other input of clients create no series.
func TestLabelsAreBounded(t *testing.T) {
	ts := everything(t)
	count := func() int { return len(ts.scraped()) }
	ask := func(n int) {
		for i := range n {
			ts.get("GET", fmt.Sprintf("https://host-%d.test/post-sitemap%d.xml?x=%d", i, i, i),
				"User-Agent", fmt.Sprintf("agent-%dbot", i), "X-Forwarded-For", fmt.Sprint("10.0.0.", i))
			ts.get("GET", fmt.Sprintf("https://a.test/dir-%d/page", i), "User-Agent", fmt.Sprintf("agent-%d", i))
			ts.get(fmt.Sprint("METHOD", i), fmt.Sprintf("https://a.test/post-sitemap%d.xml", i))
		}
	}
	ask(3)
	before := count()
	if ask(200); count() != before {
		t.Errorf("%d series, and after more requests %d", before, count())
	}
}

func run(t *testing.T, stdin, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
}

// Names, units and help texts follow the rules of Prometheus.
func TestMetricsAreWellFormed(t *testing.T) {
	ts := everything(t)
	_, text := ts.askAdmin("/metrics")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	wptest.Must(t, err)
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	help := regexp.MustCompile(`(?m)^# HELP (wpsitemapd_\S+) (.*)$`)
	described := help.FindAllStringSubmatch(text, -1)
	if len(described) < 40 {
		t.Errorf("%d metrics", len(described))
	}
	for _, m := range described {
		if len(m[2]) < 15 || !strings.HasSuffix(m[2], ".") && !strings.HasSuffix(m[2], "from") && m[1] != "wpsitemapd_build_info" {
			t.Errorf("%s: help is %q", m[1], m[2])
		}
	}
	run(t, text, wptest.Program(t, "WPSITEMAPD_PROMTOOL", "promtool"), "check", "metrics")
}

// metricName matches our metrics in an expression, with the suffixes of histograms.
var metricName = regexp.MustCompile(`\bwpsitemapd_[a-z0-9_]+`)

// The alert rules do what their tests say. Rules and the dashboard use only metrics that exist.
func TestRulesAndDashboard(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range metrics.Names() {
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			known[name+suffix] = true
		}
	}
	rules, err := os.ReadFile("../docs/deploy/alerts.yml")
	wptest.Must(t, err)
	text, err := os.ReadFile("../docs/deploy/grafana.json")
	wptest.Must(t, err)
	for _, file := range [][]byte{rules, text} {
		for _, name := range metricName.FindAllString(string(file), -1) {
			if !known[name] {
				t.Errorf("nothing is called %s", name)
			}
		}
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	wptest.Must(t, json.Unmarshal(text, &dashboard))
	// The expressions can be checked if they are written as rules.
	var b strings.Builder
	b.WriteString("groups:\n  - name: dashboard\n    rules:\n")
	n := 0
	variables := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*", "$site", ".*", "$job", "wpsitemapd")
	for _, p := range dashboard.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %q asks for nothing", p.Title)
		}
		for _, target := range p.Targets {
			n++
			fmt.Fprintf(&b, "      - record: dashboard:%d\n        expr: %q\n", n, variables.Replace(target.Expr))
		}
	}
	if n < 30 {
		t.Errorf("%d expressions in the dashboard", n)
	}
	promtool := wptest.Program(t, "WPSITEMAPD_PROMTOOL", "promtool")
	run(t, "", promtool, "check", "rules", "../docs/deploy/alerts.yml")
	run(t, "", promtool, "test", "rules", "testdata/alerts/alerts_test.yml", "testdata/alerts/alerts_days_test.yml")
	file := filepath.Join(t.TempDir(), "dashboard.yml")
	wptest.Must(t, os.WriteFile(file, []byte(b.String()), 0o644))
	run(t, "", promtool, "check", "rules", file)
}

// The numbers of a site that has left the configuration are no longer shown. A site that stays keeps its numbers, even
// if its settings change.
func TestRemovedSitesLeaveTheMetrics(t *testing.T) {
	r := startReloadable(t, testSite("stays"), testSite("goes"))
	for _, host := range []string{"stays.test", "goes.test"} {
		if got := r.status(host); got != 200 {
			t.Fatalf("%s: %d", host, got)
		}
	}
	other := testSite("stays")
	other.CacheControl = "max-age=5"
	wptest.Must(t, r.reload(other, testSite("comes")))
	_, text := r.askAdmin("/metrics")
	if strings.Contains(text, `site="goes"`) || !strings.Contains(text, `site="comes"`) {
		t.Error("the series are those of other sites")
	}
	r.wantMetrics("after a reload", map[string]string{
		`wpsitemapd_requests_total{kind="sitemap",site="stays",status="2xx"}`: "1",
		`wpsitemapd_requests_total{kind="sitemap",site="comes",status="2xx"}`: "0",
		`wpsitemapd_config_reloads_total{result="ok"}`:                        "1",
	})
	if status, _ := r.askAdmin("/sites/goes"); status != 404 {
		t.Errorf("its page: %d", status)
	}
}

// TestStatusPages checks the answers of the admin listener, for invented sites and for one with a real database.
func TestStatusPages(t *testing.T) {
	made, real := everything(t), readBasic(t)
	for _, tt := range []struct {
		of     *testServer
		path   string
		status int
		holds  []string
	}{
		{made, "/", 200, []string{`<a href="/sites/a">a</a>`, "a.test", "access denied", `data-sites="2"`}},
		{made, "/sites/a", 200, []string{
			">a</h1>", "first full scan", "full scan", "IndexNow", "begin after", "Scan now",
		}},
		{made, "/sites/b", 200, []string{"access denied", "503"}},
		{made, "/sites/c", 404, nil},
		{made, "/sites/", 404, nil},
		{made, "/nothing", 404, nil},
		{made, "/admin.css", 200, nil},
		{made, "/healthz", 200, nil},
		{made, "/readyz", 200, nil},
		{made, "/readyz?all", 503, nil},
		{made, "/sites/a?blog=77", 200, nil},
		{made, "/sites/a?blog=x", 200, nil},
		{real, "/sites/basic", 200, []string{
			"post type", "taxonomy", "<td>core</td>", "Excluded",
			"The sitemaps follow the rules of Yoast SEO at compat level spec: Yoast SEO is active (wordpress-seo).", "category-sitemap.xml",
		}},
	} {
		status, text := tt.of.askAdmin(tt.path)
		if status != tt.status || slices.ContainsFunc(tt.holds, func(part string) bool { return !strings.Contains(text, part) }) {
			t.Errorf("%s: %d, want %d with %q:\n%.600s", tt.path, status, tt.status, tt.holds, text)
		}
	}
	var fleet struct {
		Sites []struct{ Name, State, Error string }
	}
	_, text := made.askAdmin("/sites.json")
	err := json.Unmarshal([]byte(text), &fleet)
	if err != nil || len(fleet.Sites) != 2 || fleet.Sites[0].Name != "b" || fleet.Sites[0].State != "trouble" || fleet.Sites[1].State != "good" {
		t.Errorf("%v: /sites.json:\n%s", err, text)
	}
	if got, _ := made.sendAdmin("POST", "/sites/a/accept", ""); got != 409 {
		t.Errorf("no loss is accepted: %d", got)
	}
	got := real.scraped()
	for _, name := range []string{
		`wpsitemapd_database_queries_total{result="ok",site="basic"}`, `wpsitemapd_data_age_seconds{site="basic"}`,
	} {
		if got[name] == "" || got[name] == "0" && !strings.Contains(name, "age") {
			t.Errorf("%s is %q", name, got[name])
		}
	}
}

// readBasic returns a server with a real database that was read once.
func readBasic(t testing.TB, change ...func(*config.Site)) *testServer {
	return readReal(t, "basic", wptest.Load(t, wptest.SQLite, "basic"), change...)
}

// readReal returns a server with one site, that was read once.
func readReal(t testing.TB, name, dsn string, change ...func(*config.Site)) *testServer {
	site := realSite(name, dsn)
	for _, c := range change {
		c(&site)
	}
	ts := newReal(t, config.Config{Sites: []config.Site{site}})
	w := ts.installs[0]
	t.Cleanup(w.refresher.Close)
	if _, ok := w.refresher.ReadOnce(t.Context()); !ok {
		t.Fatal(w.Snapshot().Err)
	}
	w.MarkTried()
	return ts
}

// If there is a token, every page needs it. No page shows the token or a password.
func TestTokenAndSecrets(t *testing.T) {
	const token, password = "4f6c1d0b7a9e8c35d2", "topsecret"
	ts := everything(t)
	ts.config.AdminToken = token
	ts.installs[0].Config.DSN = "user:" + password + "@tcp(127.0.0.1:1)/x"
	for _, path := range []string{"/", "/sites/a", "/explain.json?url=https://a.test/", "/metrics"} {
		if status, _ := ts.askAdmin(path); status != 401 {
			t.Errorf("%s without the token: %d", path, status)
		}
		status, text := ts.askAdmin(path, "Authorization", "Bearer "+token)
		if status == 401 || strings.Contains(text+ts.log.String(), token) || strings.Contains(text, password) {
			t.Errorf("%s with it: %d", path, status)
		}
	}
	if status, text := ts.askAdmin("/readyz?all"); status != 503 || text != "1 sites are not ready\n" {
		t.Errorf("/readyz without the token: %d %q", status, text)
	}
}

// The history of a day and the crawler log are kept across restarts.
func TestHistoryIsKept(t *testing.T) {
	dir, at := t.TempDir(), newest
	for n := 1; n <= 2; n++ {
		ts := newSite(t, config.Site{}, sitetest.ThreePosts(t, "https://a.test"))
		ts.config.State, ts.config.StateSize, ts.now = config.Secret(dir), 1<<20, at.Add(time.Duration(n)*time.Hour)
		s := ts.start()
		s.ask("a.test", "/post-sitemap.xml", "User-Agent", googlebot)
		expect.Equal(t, len(crawls(t, ts.Server, "a", n).Fetches), n)
		history := &ts.running()[0].Counted.History
		wptest.Eventually(t, "history", func() bool { return len(history.Points()) >= n })
		if got := history.Points(); len(got) != n || !got[0].At.Equal(at.Add(time.Hour)) || got[0].URLs != 4 {
			t.Errorf("after start %d: %v", n, got)
		}
		s.stop()
	}
}

// The status page shows the report of check --public as text, until the next report.
func TestPublicReportIsShown(t *testing.T) {
	ts, _ := onePage(t)
	shown := func() string { _, page := ts.askAdmin("/sites/a"); return page }
	if strings.Contains(shown(), "check --public") {
		t.Error("a report is shown before there is one")
	}
	report := func(body string, want int) {
		t.Helper()
		if got, _ := ts.sendAdmin("POST", "/sites/a/public", body); got != want {
			t.Errorf("%.20s: %d, want %d", body, got, want)
		}
	}
	report(`{"requests": 12, "problems": ["https://a.test/<b> answers 403: let it pass"]}`, 202)
	report("nonsense", 400)
	report(strings.Repeat("x", 1<<20), 400)
	expect.Contains(t, shown(), "https://a.test/&lt;b&gt; answers 403: let it pass")
	report(`{"requests": 12, "problems": []}`, 202)
	if page := shown(); strings.Contains(page, "answers 403") || !strings.Contains(page, "no trouble") {
		t.Error(page)
	}
}

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// crawls waits for n fetches in a site's log, and returns a summary of the log.
func crawls(t *testing.T, s *Server, site string, n int) (r crawler.LogSummary) {
	t.Helper()
	wptest.Eventually(t, fmt.Sprintf("%d fetches", n), func() bool {
		r = named(s.running(), site).Crawls.Report()
		return len(r.Fetches) >= n
	}, &r)
	return r
}

func TestCrawlerLog(t *testing.T) {
	ts, _ := onePage(t)
	wptest.Must(t, ts.config.Trusted.Add("192.0.2.1")) // the address of httptest
	ts.front.Configure(ts.config)
	ask := func(url, agent, client string, header ...string) *http.Response {
		return ts.get("GET", url, append(header, "User-Agent", agent, "X-Forwarded-For", client)...)
	}
	first := ask("https://a.test/post-sitemap.xml", googlebot, "66.249.66.1")
	ask("https://a.test/post-sitemap.xml", googlebot, "66.249.66.1", "If-None-Match", first.Header.Get("ETag"))
	ask("https://a.test/sitemap_index.xml", googlebot, "203.0.114.9")
	ask("https://a.test/post-sitemap9.xml", "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "203.0.114.9")
	ask("https://a.test/post-sitemap2.xml", "SitemapCrawler/1.0", "203.0.114.9")
	// Not crawlers, and not sitemaps.
	ask("https://a.test/post-sitemap.xml", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "203.0.114.10")
	ask("https://a.test/wpsitemapd.css", googlebot, "66.249.66.1")
	// Neither is check --public, with a token that only the admin listener gives.
	status, token := ts.sendAdmin("POST", "/sites/a/token", "")
	expect.Equal(t, status, 200)
	ask("https://a.test/post-sitemap.xml", googlebot, "203.0.114.9", crawler.OwnHeader, strings.TrimSpace(token))
	status, _ = ts.sendAdmin("POST", "/sites/a/token", "", "X-Forwarded-For", "203.0.114.9")
	expect.Equal(t, status, 403)
	ask("https://a.test/a-page", googlebot, "66.249.66.1")

	google := netip.MustParseAddr("66.249.66.1")
	other := netip.MustParseAddr("203.0.114.9")
	r := crawls(t, ts.Server, "a", 5)
	want := []crawler.Fetch{
		{Engine: crawler.Other, Blog: 1, Sitemap: "post", Page: 2, Status: 200},
		{Engine: crawler.Recognize("DuckDuckBot"), Blog: 1, Sitemap: "post", Page: 9, Status: 404, Address: other},
		{Engine: crawler.Recognize("Googlebot"), Blog: 1, Sitemap: "1", Page: 1, Status: 200, Address: other},
		{Engine: crawler.Recognize("Googlebot"), Blog: 1, Sitemap: "post", Page: 1, Status: 304, Address: google},
		{Engine: crawler.Recognize("Googlebot"), Blog: 1, Sitemap: "post", Page: 1, Status: 200, Address: google},
	}
	for _, f := range r.Fetches {
		if f.At.IsZero() || (f.Status == 200) != (f.Bytes > 100) {
			t.Errorf("%+v", f)
		}
	}
	_, page := ts.askAdmin("/")
	expect.Contains(t, page, "unverified ")
	if diff := cmp.Diff(want, r.Fetches, cmpopts.IgnoreFields(crawler.Fetch{}, "At", "Bytes"), cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Error(diff)
	}
}

// injected is used for every text that clients, databases and files supply.
var injected = "a\r\nlevel=ERROR msg=forged\x1b[2J\x9b31m\u202egnp\u2066\x00\x7f\u0085\u2028\"} {\xff\U000e0041"

func TestAccessLogByConfiguration(t *testing.T) {
	for _, test := range []struct {
		rule   string
		config config.Config
		lines  int
		level  string
	}{
		{"none by default", config.Config{}, 0, ""},
		{"at level info where it is wanted", config.Config{AccessLog: true}, 1, "INFO"},
		{"at level debug", config.Config{LogLevel: slog.LevelDebug}, 1, "DEBUG"},
		{"once where both hold", config.Config{LogLevel: slog.LevelDebug, AccessLog: true}, 1, "INFO"},
	} {
		for _, form := range []string{"text", "json"} {
			c := test.config
			c.Log, c.Listening = form, testListening()
			c.Sites = []config.Site{{Name: "a", Hosts: []config.Host{"a.test"}}}
			var b bytes.Buffer
			s := New(&c, report.NewLogger(&c, &b))
			r := httptest.NewRequest("GET", "/x", nil)
			r.RequestURI = "/post%20\x1b[2J\nsitemap" + strings.Repeat("x", 10_000)
			r.Host = "nobody.test\n" + strings.Repeat("h", 1000)
			r.Method = "GET" + strings.Repeat("T", 500)
			r.Header.Set("User-Agent", injected+strings.Repeat("x", 10_000))
			s.ServeHTTP(httptest.NewRecorder(), r)
			text := b.String()
			if n := strings.Count(text, "\n"); n != test.lines || n != strings.Count(text, "request") {
				t.Errorf("%s, %s: %d lines: %q", test.rule, form, n, text)
				continue
			}
			if test.lines > 0 &&
				(!strings.Contains(text, test.level) || len(text) > 4000 || !strings.Contains(text, "421") && !strings.Contains(text, "503")) {
				t.Errorf("%s, %s: %d bytes: %q", test.rule, form, len(text), text)
			}
		}
	}
}

// Every log line is counted, also at levels that are not written.
func TestWarningsAreCounted(t *testing.T) {
	var b bytes.Buffer
	c := config.Config{Listening: testListening(), LogLevel: slog.LevelError, Sites: []config.Site{{Name: "a"}, {Name: "b"}}}
	s := New(&c, report.NewLogger(&c, &b))
	s.log.Warn("of nobody")
	s.installs[0].Log.Warn("of a site", "x", 1)
	s.installs[0].Log.With("blog", 2).WithGroup("g").Error("of its blog", "y", 2)
	s.installs[1].Log.Info("of another")
	got := []int64{
		s.counted.Warnings.Load(), s.counted.Errors.Load(), s.installs[0].Counted.Warnings.Load(), s.installs[0].Counted.Errors.Load(),
		s.installs[1].Counted.Warnings.Load(),
	}
	for i, want := range []int64{2, 1, 1, 1, 0} {
		if got[i] != want {
			t.Errorf("counted %v", got)
			break
		}
	}
	if text := b.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "site=a blog=2 g.y=2") {
		t.Errorf("log: %s", text)
	}
}

// A running server explains from the catalogs it serves, and finds them as a request does.
func TestServerExplains(t *testing.T) {
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/shop", "https://a.test/old")
	w.Exec("UPDATE wp_blogs SET archived = 1 WHERE blog_id = 3")
	s := newTestServer(t,
		map[string]*sitetest.WordPress{"a": w, "b": sitetest.ThreePosts(t, "https://b.test/blog")}, config.Site{Name: "a"}, config.Site{Name: "b"})
	s.rebuild()
	sitetest.Alter(s.installs[0].Site, 2, func(b *site.Blog) { b.Catalog = nil })
	for _, tt := range []struct {
		rule, address, site, object string
		page                        int
		err                         error
	}{
		{"a post", "https://a.test/post-1/", "a", "post 10000", 1, nil},
		{"without a path", "HTTPS://A.test", "a", "home", 1, nil},
		{"a sitemap", "https://a.test/post-sitemap2.xml", "a", "sitemap post, page 2", 2, nil},
		{"a sitemap by query", "https://a.test?sitemap=post", "a", "sitemap post, page 1", 1, nil},
		{"the index, behind a redirect", "http://b.test/blog/sitemap.xml", "b", "sitemap index", 1, nil},
		{"the index", "http://b.test/blog/sitemap_index.xml", "b", "sitemap index", 1, nil},
		{"first pages by their number", "https://a.test/post-sitemap1.xml", "a", "sitemap post, page 1", 1, nil},
		{"a type without a sitemap of ours", "https://a.test/other-sitemap.xml", "a", "sitemap other, page 1", 0, nil},
		{"robots.txt", "https://a.test/robots.txt", "a", "robots.txt", 0, nil},
		{"a stylesheet", "https://a.test/main-sitemap.xsl", "a", "stylesheet of the sitemaps", 0, nil},
		{"outside of home", "https://b.test/elsewhere/", "b", "", 0, nil},
		{"a blog that is gone", "https://a.test/old/x", "a", "", 0, nil},
		{"a blog that is served from its copies", "https://a.test/shop/x/", "", "", 0, admin.ErrNotRead},
		{"a host of no site", "https://c.test/", "", "", 0, admin.ErrNoSite},
		{"without a scheme", "a.test/post-3", "a", "post 10002", 2, nil},
		{"no address", "hello", "", "", 0, explain.ErrAddress},
		{"a path of one of several sites", "/hello", "", "", 0, explain.ErrAddress},
		{"no host", "https:///hello", "", "", 0, explain.ErrAddress},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			x, err := s.view.Explainer.Explain(t.Context(), tt.address, "")
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err == nil && (x.Site != tt.site || x.Object != tt.object || x.Page != tt.page || x.URL != tt.address) {
				t.Errorf("site %q, object %q, page %d, url %q", x.Site, x.Object, x.Page, x.URL)
			}
		})
	}
}
