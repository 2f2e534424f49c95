package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/indexnow"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp/wptest"
)

const announceKey = "d41d8cd98f00b204-Test"

// engine is a search engine that takes part in IndexNow and does what the protocol says.
type engine struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	public   string // where the site is answered; "": nowhere
	status   int    // to be answered with, if not by the protocol; 0: none
	verified map[string]bool
	got      map[string]int // addresses, and how often
	requests int
	pending  int // answers with 202
}

func startEngine(t *testing.T) *engine {
	e := &engine{t: t, verified: map[string]bool{}, got: map[string]int{}}
	e.server = httptest.NewServer(e)
	t.Cleanup(e.server.Close)
	return e
}

func (e *engine) options() indexnow.Options {
	return indexnow.Options{Key: announceKey, Endpoint: e.server.URL + "/indexnow", Rate: 1000}
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests++
	var body struct {
		Host, Key, KeyLocation string
		URLList                []string
	}
	switch err := json.NewDecoder(r.Body).Decode(&body); {
	case e.status != 0:
		w.WriteHeader(e.status)
		return
	case err != nil || r.Method != "POST" || r.URL.Path != "/indexnow" || len(body.URLList) == 0 || len(body.URLList) > 10_000:
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	folder := "/"
	if body.KeyLocation != "" {
		folder = strings.TrimPrefix(strings.TrimSuffix(body.KeyLocation, body.Key+".txt"), "https://"+body.Host)
	}
	for _, u := range body.URLList {
		if !strings.HasPrefix(u+"/", "https://"+body.Host+folder) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
	}
	known := e.verified[body.Host+folder]
	if !known {
		if !e.verify(body.Host, folder+body.Key+".txt", body.Key) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		e.verified[body.Host+folder] = true
	}
	for _, u := range body.URLList {
		e.got[u]++
	}
	if !known {
		e.pending++
		w.WriteHeader(http.StatusAccepted)
	}
}

// verify fetches the key file.
func (e *engine) verify(host, path, key string) bool {
	req, err := http.NewRequest("GET", e.public+path, nil)
	if err != nil {
		return false
	}
	req.Host = host
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode == 200 && string(text) == key
}

func (e *engine) set(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

// expect waits until these addresses and no others have come, each once, and forgets them.
func (e *engine) expect(what string, urls ...string) {
	e.t.Helper()
	slices.Sort(urls)
	var got []string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		got = got[:0]
		e.set(func() {
			for u, n := range e.got {
				got = append(got, slices.Repeat([]string{u}, n)...)
			}
		})
		if len(got) >= len(urls) && len(got) > 0 {
			break
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, urls) {
		e.t.Errorf("%s: announced\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(urls, "\n"))
	}
	e.set(func() { clear(e.got) })
}

// hurried is a clock for queues on which ten minutes pass in a second.
func hurried() func() time.Time {
	start := time.Now()
	return func() time.Time { return start.Add(600 * time.Since(start)) }
}

// startAnnouncing starts a server with one real site and a folder for its state.
func startAnnouncing(t *testing.T, e *engine, dir string, site config.Site) (log *logText, stop func()) {
	t.Helper()
	log = &logText{}
	ts := &testServer{Server: New(&config.Config{Listening: testListening(), State: dir, StateSize: 1 << 30, CacheSize: 64 << 20, Sites: []config.Site{site}}, slog.New(slog.NewTextHandler(log, nil))), t: t, log: log}
	ts.announceNow = hurried()
	public, _, end := start(t, ts)
	e.set(func() { e.public = public })
	stop = sync.OnceFunc(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return log, stop
}

func waitFor(t *testing.T, log *logText, text string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); log.count(text) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s\n%s", text, log)
		}
	}
}

func newRow(id int64, kind, name string) string {
	return fmt.Sprintf(`INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_date, post_date_gmt, post_modified, post_modified_gmt, post_parent, post_author, post_title, post_excerpt, post_content, to_ping, pinged, post_content_filtered)
		VALUES (%d, '%s', 'publish', '%s', '2026-01-01 10:00:00', '2026-01-01 10:00:00', '2026-01-01 10:00:00', '2026-01-01 10:00:00', 0, 7, 'T', '', '', '', '', '')`, id, kind, name)
}

// editRow is an edit as WordPress makes it: with a revision.
func editRow(id int64, minute int) string {
	at := fmt.Sprintf("2026-02-01 10:%02d:00", minute)
	return fmt.Sprintf(`UPDATE wp_posts SET post_modified = '%s', post_modified_gmt = '%[1]s' WHERE ID = %d;
		INSERT INTO wp_posts (post_type, post_status, post_name, post_date, post_date_gmt, post_modified, post_modified_gmt, post_parent, post_author, post_title, post_excerpt, post_content, to_ping, pinged, post_content_filtered)
		VALUES ('revision', 'inherit', '%[2]d-revision-v1', '%[1]s', '%[1]s', '%[1]s', '%[1]s', %[2]d, 7, 'T', '', '', '', '', '')`, at, id)
}

// What an editor does is announced, once, and what the sitemaps leave out is not; across
// restarts too.
func TestAnnouncements(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Exec(t, dsn,
		`INSERT INTO wp_users (ID, user_login, user_nicename, display_name) VALUES (7, 'ann', 'ann', 'Ann')`,
		newRow(1, "post", "first"), newRow(2, "post", "second"), newRow(11, "page", "about"), newRow(12, "page", "hidden"), newRow(13, "page", "copied"),
		`INSERT INTO wp_terms (term_id, name, slug) VALUES (21, 'Fruit', 'fruit'), (23, 'Pears', 'pears')`,
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (21, 21, 'category', '', 0, 1), (23, 23, 'post_tag', '', 0, 1)`,
		`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 21), (2, 23)`)
	e := startEngine(t)
	dir := t.TempDir()
	site := realSite("a", wptest.ReadOnlyDSN(t, dsn))
	site.Hosts, site.IndexNow = nil, e.options()
	log, stop := startAnnouncing(t, e, dir, site)
	waitFor(t, log, "announced by IndexNow from now on")
	on := func(paths ...string) (urls []string) {
		for _, p := range paths {
			urls = append(urls, "https://small.test"+p)
		}
		return urls
	}

	wptest.Exec(t, dsn, "INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (3, 21)", "UPDATE wp_term_taxonomy SET count = 2 WHERE term_id = 21",
		strings.ReplaceAll(newRow(3, "post", "third"), "2026-01-01", "2026-02-01"))
	e.expect("a post is published", on("/", "/third/", "/author/ann/", "/category/fruit/")...)
	if e.pending != 1 {
		t.Errorf("%d requests were answered with 202", e.pending)
	}

	wptest.Exec(t, dsn,
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (12, '_yoast_wpseo_meta-robots-noindex', '1'), (13, '_yoast_wpseo_canonical', 'https://other.test/')",
		editRow(12, 2), editRow(13, 2))
	wptest.Exec(t, dsn, editRow(11, 3))
	e.expect("one page is edited, one noindexed, one gets a canonical elsewhere", on("/about/")...)

	wptest.Exec(t, dsn, "UPDATE wp_terms SET name = 'Quinces', slug = 'quinces' WHERE term_id = 23", editRow(12, 4), editRow(13, 4),
		"UPDATE wp_posts SET post_status = 'trash', post_name = 'first__trashed' WHERE ID = 1")
	e.expect("a post is trashed, a term renamed; what is excluded is edited again", on("/first/", "/tag/pears/", "/tag/quinces/")...)

	stop()
	wptest.Exec(t, dsn, editRow(11, 5), editRow(12, 5))
	log, stop = startAnnouncing(t, e, dir, site)
	e.expect("an edit while the daemon was away", on("/about/")...)

	e.set(func() { e.status = http.StatusServiceUnavailable })
	wptest.Exec(t, dsn, newRow(500, "page", "later"))
	waitFor(t, log, "it is tried again")
	stop()
	e.set(func() { e.status = 0 })
	log, _ = startAnnouncing(t, e, dir, site)
	e.expect("what could not be sent before the restart", on("/later/")...)
	if log.count("from now on") > 0 {
		t.Error("the ledger was not found again")
	}
	if strings.Contains(log.String(), announceKey) {
		t.Error("the key is in the log")
	}
}

// comparingCatalog tells what a test wants it to.
type comparingCatalog struct {
	*fakeCatalog
	mu    sync.Mutex
	news  []string // told to everybody who has another ledger …
	name  string   // … than this one
	err   error
	limit int
	calls int
}

func (c *comparingCatalog) Compare(_ context.Context, known *sitemap.Ledger, limit int) (*sitemap.Ledger, sitemap.News, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.limit = limit
	if c.err != nil {
		return nil, sitemap.News{}, c.err
	}
	next := &sitemap.Ledger{Lists: []sitemap.LedgerList{{Name: c.name}}}
	if known == nil || sameLedger(known, next) {
		return next, sitemap.News{}, nil
	}
	return next, sitemap.News{URLs: c.news, New: len(c.news)}, nil
}

// announcingServer has one site whose blog is compared by the catalog returned. Its clock of
// announcements stands until it is set.
func announcingServer(t *testing.T, opt indexnow.Options) (ts *testServer, c *comparingCatalog, clock *time.Time) {
	c = &comparingCatalog{fakeCatalog: newFakeCatalog("https://a.test"), name: "one"}
	n := &fakeNetwork{blogs: []blog{fakeBlog(1, "https://a.test", c)}}
	ts = newTestServer(t, map[string]*fakeNetwork{"a": n}, config.Site{Name: "a", IndexNow: opt})
	now := newest
	clock = &now
	ts.announceNow = func() time.Time { return *clock }
	ts.rebuild()
	return ts, c, clock
}

// another makes the catalog tell something to those who know it as it was.
func (c *comparingCatalog) another(ts *testServer, name string, urls ...string) {
	c.mu.Lock()
	c.name, c.news = name, urls
	c.mu.Unlock()
	ts.rebuild()
	ts.workers[0].news.blogs[ts.workers[0].state.Load().blogs[0].key()].rested = time.Time{}
}

func TestRefusalsAreToldAndNotRepeated(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int // of the endpoint; 0: as the protocol says
		url    string
		want   int
		do     string
	}{
		{"no key file can be fetched", 0, "https://a.test/x", 403, "KEY.txt"},
		{"the engine does not take the address for the site's", 422, "https://a.test/x", 422, "home"},
		{"the engine does not understand", 400, "https://a.test/x", 400, "endpoint"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := startEngine(t)
			e.public, e.status = "http://127.0.0.1:1", tt.status
			ts, c, clock := announcingServer(t, e.options())
			w := ts.workers[0]
			w.announceOnce(t.Context())
			c.another(ts, "two", tt.url)
			w.announceOnce(t.Context())
			*clock = clock.Add(time.Minute)
			w.announceOnce(t.Context())
			*clock = clock.Add(24 * time.Hour)
			w.announceOnce(t.Context())
			if e.requests != 1 {
				t.Errorf("%d requests", e.requests)
			}
			if log := ts.log.String(); ts.log.count("was refused") != 1 || !strings.Contains(log, fmt.Sprint("status=", tt.want)) || !strings.Contains(log, tt.do) || strings.Contains(log, announceKey) {
				t.Error(log)
			}
			if a := ts.Announcements("a"); len(a) != 1 || a[0].Refused != 1 || a[0].Waiting != 0 || a[0].Status != tt.want {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestDryRunSendsNothing(t *testing.T) {
	e := startEngine(t)
	opt := e.options()
	opt.DryRun = true
	ts, c, clock := announcingServer(t, opt)
	w := ts.workers[0]
	w.announceOnce(t.Context())
	c.another(ts, "two", "https://a.test/x")
	w.announceOnce(t.Context())
	*clock = clock.Add(time.Minute)
	w.announceOnce(t.Context())
	if e.requests != 0 || ts.log.count("dry run: these would be announced") != 1 || ts.log.count("https://a.test/x") != 1 {
		t.Errorf("%d requests\n%s", e.requests, ts.log)
	}
	if a := ts.Announcements("a"); len(a) != 1 || a[0].Waiting != 0 {
		t.Errorf("%+v", a)
	}
}

// A blog whose loss is not believed is not compared: nothing of it is gone.
func TestHeldBlogsAreNotCompared(t *testing.T) {
	ts, c, _ := announcingServer(t, startEngine(t).options())
	w := ts.workers[0]
	held := *w.state.Load()
	held.blogs = []*blogState{held.blogs[0].heldFor("most of it is gone")}
	w.state.Store(&held)
	w.announceOnce(t.Context())
	if c.calls != 0 {
		t.Errorf("compared %d times", c.calls)
	}
}

// A comparison that fails is made again, and nothing is lost.
func TestComparisonsThatFail(t *testing.T) {
	e := startEngine(t)
	ts, c, clock := announcingServer(t, e.options())
	w := ts.workers[0]
	w.announceOnce(t.Context())
	c.err = context.DeadlineExceeded
	c.another(ts, "two", "https://a.test/x")
	if wait := w.announceOnce(t.Context()); wait > announceRetry || ts.log.count("announced later") != 1 {
		t.Errorf("again in %v\n%s", wait, ts.log)
	}
	c.err = nil
	c.another(ts, "two", "https://a.test/x")
	w.announceOnce(t.Context())
	*clock = clock.Add(time.Minute)
	e.public = "http://" + serveOne(t, ts)
	w.announceOnce(t.Context())
	if e.got["https://a.test/x"] != 1 {
		t.Errorf("%v\n%s", e.got, ts.log)
	}
}

func serveOne(t *testing.T, h http.Handler) string {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// After our own configuration of a site was changed its catalog is taken for known; another
// worker goes on where the one before ended.
func TestAnnouncementsAcrossReloads(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*config.Site)
		want   int
	}{
		{"what does not matter for the listing", func(s *config.Site) { s.CacheControl = "max-age=60" }, 1},
		{"what is listed", func(s *config.Site) { s.Exclude.PostIDs = []int64{1} }, 0},
		{"announcements off", func(s *config.Site) { s.IndexNow.Key = "" }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := startEngine(t)
			ts, c, clock := announcingServer(t, e.options())
			e.public = "http://" + serveOne(t, ts)
			before := ts.workers[0]
			before.announceOnce(t.Context())
			site := before.site
			tt.change(&site)
			w := ts.newWorker(site)
			w.inherit(before)
			ts.workers[0] = w
			if !before.replaced.Load() {
				t.Fatal("not replaced")
			}
			ended := make(chan struct{})
			go func() { before.announce(t.Context()); close(ended) }()
			select {
			case <-ended:
			case <-time.After(5 * time.Second):
				t.Fatal("the worker before goes on")
			}
			c.another(ts, "two", "https://a.test/x")
			ctx, cancel := context.WithCancel(t.Context())
			if site.IndexNow.Key != "" {
				w.announceOnce(ctx)
				*clock = clock.Add(time.Minute)
				w.announceOnce(ctx)
			} else {
				w.announce(ctx) // returns at once
			}
			cancel()
			if len(e.got) != tt.want {
				t.Errorf("%v\n%s", e.got, ts.log)
			}
		})
	}
}

func TestKeyFile(t *testing.T) {
	c := newFakeCatalog("https://a.test")
	below := newFakeCatalog("https://a.test/Blog")
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "upstream") })
	n := &fakeNetwork{blogs: []blog{fakeBlog(1, "https://a.test", c), fakeBlog(2, "https://a.test/Blog", below)}}
	off := &fakeNetwork{blogs: []blog{fakeBlog(1, "https://b.test", newFakeCatalog("https://b.test"))}}
	ts := newTestServer(t, map[string]*fakeNetwork{"a": n, "b": off},
		config.Site{Name: "a", Upstream: up, IndexNow: indexnow.Options{Key: announceKey}}, config.Site{Name: "b", Upstream: up})
	ts.rebuild()
	file := "/" + announceKey + ".txt"
	for _, tt := range []struct {
		name, method, url string
		status            int
		body              string
	}{
		{"at home", "GET", "https://a.test" + file, 200, announceKey},
		{"of a blog in a folder", "GET", "https://a.test/Blog" + file, 200, announceKey},
		{"the folder in other letters", "GET", "https://a.test/blog" + file, 200, announceKey},
		{"HEAD", "HEAD", "https://a.test" + file, 200, ""},
		{"POST", "POST", "https://a.test" + file, 405, "A sitemap can only be read.\n"},
		{"the key in other letters", "GET", "https://a.test" + strings.ToUpper(file), 200, "upstream"},
		{"a slash at the end", "GET", "https://a.test" + file + "/", 200, "upstream"},
		{"below another folder", "GET", "https://a.test/x" + file, 200, "upstream"},
		{"only ending so", "GET", "https://a.test/x" + file[1:], 200, "upstream"},
		{"of a site without announcements", "GET", "https://b.test" + file, 200, "upstream"},
		{"without a key", "GET", "https://b.test/.txt", 200, "upstream"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := ts.get(tt.method, tt.url)
			if got := body(t, resp); resp.StatusCode != tt.status || got != tt.body {
				t.Errorf("%d %q", resp.StatusCode, got)
			}
			if tt.body == announceKey && (resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" || resp.Header.Get("X-Robots-Tag") == "") {
				t.Errorf("%v", resp.Header)
			}
		})
	}
}
