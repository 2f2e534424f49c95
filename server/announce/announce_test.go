package announce

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// announcing is a session with a site whose pages a test writes and reads. Its clock stands still until the test sets it.
type announcing struct {
	*Announcer
	Session
	t     *testing.T
	dsn   string
	close func()
	clock time.Time
	reads uint64
	log   bytes.Buffer

	replaced, contested bool
}

func (s *announcing) Replaced() bool     { return s.replaced }
func (s *announcing) Serves(string) bool { return !s.contested }

func announceTo(e *servertest.Engine) config.IndexNow {
	return config.IndexNow{Key: servertest.IndexNowKey, Endpoint: e.Endpoint()}
}

func announcingSession(t *testing.T, opt config.IndexNow) *announcing {
	s := &announcing{Announcer: New(), t: t, dsn: wptest.Load(t, wptest.SQLite, "small"), clock: time.Unix(1e9, 0)}
	s.Session = Session{
		Site:    site.New(config.Site{Name: "a", Sitemaps: "yoast", Compat: "spec", IndexNow: opt}, slog.New(slog.NewTextHandler(&s.log, nil))),
		Install: s,
		Slots:   pages.NewSlots(8, 8),
		Now:     func() time.Time { return s.clock },
	}
	wptest.Exec(t, s.dsn, "UPDATE wp_options SET option_value = 'https://a.test' WHERE option_name IN ('home', 'siteurl')")
	s.page("first")
	s.read("")
	return s
}

// page publishes a page.
func (s *announcing) page(slug string) {
	s.t.Helper()
	wptest.Exec(s.t, s.dsn, fmt.Sprintf(`INSERT INTO wp_posts (post_type, post_status, post_name, post_date, post_date_gmt, post_modified,
post_modified_gmt, post_parent, post_author, post_title, post_excerpt, post_content, to_ping, pinged, post_content_filtered) SELECT 'page', 'publish',
'%s', '2024-01-01 10:00:00', '2024-01-01 10:00:00', '2024-01-01 10:00:00', '2024-01-01 10:00:00', 0, 1, 'T', '', '', '', '', ''`, slug))
}

// read publishes the current state of the database. If heldBy is set, it publishes the state before a loss.
func (s *announcing) read(heldBy string) {
	s.t.Helper()
	source := s.Site.Config
	source.DSN = config.Secret(s.dsn)
	n, blogs, err := site.Blogs(s.t.Context(), &source)
	wptest.Must(s.t, err)
	s.close = func() { n.Close() }
	s.t.Cleanup(s.close)
	c, err := site.Build(s.t.Context(), &source, blogs[0], nil, s.Site.Log, false)
	wptest.Must(s.t, err)
	s.reads++
	b := site.Unread(site.Blog{ID: 1, Home: "https://a.test"}, nil)
	b.Serve(c, s.reads, time.Now())
	b.HeldBy = heldBy
	s.Site.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{b}})
}

func (s *announcing) once() time.Duration { return s.Announcer.once(context.Background(), &s.Session) }

// after advances the clock and announces what is due.
func (s *announcing) after(d time.Duration) time.Duration {
	s.clock = s.clock.Add(d)
	return s.once()
}

// another publishes pages and reads the site.
func (s *announcing) another(slugs ...string) {
	s.t.Helper()
	for _, slug := range slugs {
		s.page(slug)
	}
	s.read("")
}

// serveKey serves the key file of a site at a host.
func serveKey(t *testing.T, host string) (address string) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == host && r.URL.Path == "/"+servertest.IndexNowKey+".txt" {
			io.WriteString(w, servertest.IndexNowKey)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestRefusalsAreToldAndNotRepeated(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int // status of the endpoint; 0: the protocol decides
		want   int
		do     string
	}{
		{"no key file can be fetched", 0, 403, "KEY.txt"},
		{"the engine does not take the address for the site's", 422, 422, "home"},
		{"the engine does not understand", 400, 400, "endpoint"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := servertest.StartEngine(t)
			e.Public, e.Status = "http://127.0.0.1:1", tt.status
			s := announcingSession(t, announceTo(e))
			s.once()
			s.another("x")
			s.once()
			s.after(time.Minute)
			s.after(24 * time.Hour)
			expect.Equal(t, e.Requests, 1, "requests")
			if log := s.log.String(); strings.Count(log, "was refused") != 1 || !strings.Contains(log, fmt.Sprint("status=", tt.want)) ||
				!strings.Contains(log, tt.do) || strings.Contains(log, servertest.IndexNowKey) {
				t.Error(log)
			}
			if a := s.State(); a.Refused != 1 || a.Waiting != 0 || a.Status != tt.want {
				t.Errorf("%+v", a)
			}
		})
	}
}

// Nothing is announced at a host that belongs to another site. Later, when the host is the site's own, it is.
func TestNothingIsAnnouncedAtAnothersHost(t *testing.T) {
	e := servertest.StartEngine(t)
	e.Public = serveKey(t, "a.test")
	s := announcingSession(t, announceTo(e))
	s.once()
	s.contested = true
	s.another("x")
	s.once()
	expect.Equal(t, s.after(time.Hour), contested, "looks again")
	expect.Equal(t, e.Requests, 0, "requests")
	s.contested = false
	s.once()
	s.after(time.Minute)
	expect.Equal(t, e.Requests, 1, "requests, once the host is its own")
}

func TestDryRunSendsNothing(t *testing.T) {
	e := servertest.StartEngine(t)
	opt := announceTo(e)
	opt.DryRun = true
	s := announcingSession(t, opt)
	s.once()
	s.another("x")
	s.once()
	s.after(time.Minute)
	if e.Requests != 0 || strings.Count(s.log.String(), "dry run: the daemon would announce these URLs") != 1 ||
		!strings.Contains(s.log.String(), "https://a.test/x/") {
		t.Errorf("%d requests\n%s", e.Requests, s.log.String())
	}
	if a := s.State(); a.Sent != 1 || a.Waiting != 0 {
		t.Errorf("%+v", a)
	}
}

// A comparison that fails is repeated, and nothing is lost.
func TestComparisonsThatFail(t *testing.T) {
	e := servertest.StartEngine(t)
	s := announcingSession(t, announceTo(e))
	e.Public = serveKey(t, "a.test")
	s.once()
	s.another("x")
	s.close()
	s.once()
	if wait := s.after(settle); wait > 2*firstRetry || strings.Count(s.log.String(), "retries it later") != 1 {
		t.Errorf("again in %v\n%s", wait, s.log.String())
	}
	s.read("")
	s.after(2 * firstRetry)
	s.expectGot(t, e, "https://a.test/x/")
}

// After a change of our configuration of a site, its first catalog counts as announced. Another session continues where
// the last one ended.
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
			e := servertest.StartEngine(t)
			s := announcingSession(t, announceTo(e))
			e.Public = serveKey(t, "a.test")
			s.once()
			before := s.Session
			before.Install = &announcing{replaced: true}
			install := s.Site.Config
			tt.change(&install)
			s.Site = site.New(install, s.Site.Log)
			s.read("")
			ended := make(chan struct{})
			go func() { s.Run(t.Context(), before); close(ended) }()
			select {
			case <-ended:
			case <-time.After(wptest.Patience):
				t.Fatal("the session before goes on")
			}
			s.another("x")
			if install.IndexNow.Key != "" {
				s.once()
				s.after(time.Minute)
			} else {
				s.Run(t.Context(), s.Session) // returns at once
			}
			expect.Equal(t, len(e.Got), tt.want, e.Got, s.log.String())
		})
	}
}

// While the loss of a blog is held, nothing counts as gone.
func TestHeldBlogsAreNotCompared(t *testing.T) {
	s, e := waiting(t)
	s.page("x")
	s.read("most of it is gone")
	s.once()
	s.after(settle)
	expect.Equal(t, e.Requests, 0)
}

// waiting returns a session whose first catalog counts as announced, and its engine.
func waiting(t *testing.T) (*announcing, *servertest.Engine) {
	e := servertest.StartEngine(t)
	e.Public = serveKey(t, "a.test")
	s := announcingSession(t, announceTo(e))
	s.once()
	s.clock = s.clock.Add(time.Hour)
	return s, e
}

func (s *announcing) expectGot(t *testing.T, e *servertest.Engine, urls ...string) {
	t.Helper()
	expect.List(t, slices.Sorted(maps.Keys(e.Got)), urls)
	clear(e.Got)
}

func TestAnEditIsAnnouncedAsAWhole(t *testing.T) {
	s, e := waiting(t)
	s.another("x")
	expect.Equal(t, s.once(), settle)
	s.another("y")
	expect.Equal(t, s.after(settle/2), settle/2, "another change prolongs the wait:")
	expect.Equal(t, e.Requests, 0)
	s.after(settle / 2)
	s.expectGot(t, e, "https://a.test/x/", "https://a.test/y/")
	if a := s.State(); a.Sent != 2 || a.Waiting != 0 || a.Last.IsZero() {
		t.Errorf("%+v", a)
	}
	s.another("z")
	expect.Equal(t, s.after(time.Minute), rest-time.Minute, "the next request comes after a rest:")
	s.after(rest - time.Minute)
	s.expectGot(t, e, "https://a.test/z/")
}

func TestFailuresAreTriedAgain(t *testing.T) {
	s, e := waiting(t)
	e.Status = http.StatusServiceUnavailable
	s.another("x")
	s.once()
	s.clock = s.clock.Add(settle)
	pause := firstRetry
	for i := range 8 {
		expect.Equal(t, s.once(), pause, "the pause after attempt", i)
		expect.Equal(t, e.Requests, i+1)
		expect.Equal(t, s.State().Waiting, 1)
		s.clock = s.clock.Add(pause / 2)
		s.read("") // a reading does not end the pause
		s.once()
		expect.Equal(t, e.Requests, i+1)
		s.clock, pause = s.clock.Add(pause), min(2*pause, lastRetry)
	}
	s.another("y")
	e.Status = 0
	s.once()
	s.expectGot(t, e, "https://a.test/x/", "https://a.test/y/")
	if a := s.State(); a.Sent != 2 || a.Reason != "" {
		t.Errorf("%+v", a)
	}
}

// After a restart, everything with a later date than the newest announced one is announced.
func TestAfterARestart(t *testing.T) {
	s, e := waiting(t)
	known := s.blogs["1 https://a.test"].note
	s.Announcer = New()
	s.blogs["1 https://a.test"] = &announced{note: known}
	s.page("older")
	s.page("later")
	wptest.Exec(t, s.dsn,
		"UPDATE wp_posts SET post_modified = '2024-02-01 10:00:00', post_modified_gmt = '2024-02-01 10:00:00' WHERE post_name = 'later'",
		"UPDATE wp_posts SET post_modified = '2023-02-01 10:00:00', post_modified_gmt = '2023-02-01 10:00:00' WHERE post_name = 'older'")
	s.read("")
	s.once()
	s.after(settle)
	s.expectGot(t, e, "https://a.test/later/")
}

func TestBatch(t *testing.T) {
	const home = "https://a.test/blog"
	for _, tt := range []struct {
		name string
		urls []string
		want []string
		left int
	}{
		{"home itself, what is below, and a query, sorted and once each",
			[]string{home + "?p=1", home + "/b/", home, home + "/a/", home + "/b/"}, []string{home, home + "/a/", home + "/b/", home + "?p=1"}, 0},
		{"another path that begins like home's, another host", []string{home + "s/", "https://b.test/blog/"}, nil, 2},
	} {
		batch, left := batchOf(tt.urls, home)
		if !slices.Equal(batch, tt.want) || left != tt.left {
			t.Errorf("%s: %v, %d left", tt.name, batch, left)
		}
	}
	many := make([]string, maxBatch+3)
	for i := range many {
		many[i] = fmt.Sprintf("%s/%d/", home, i)
	}
	batch, left := batchOf(many, home)
	expect.Equal(t, len(batch), maxBatch, "the largest batch")
	expect.Equal(t, left, 3, "left of it")
}

// Addresses that are not below home cannot be announced.
func TestAddressesBelowHome(t *testing.T) {
	s, e := waiting(t)
	s.Site.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{moved(s.Site.Snapshot().Blogs[0], "https://a.test/blog")}})
	s.once() // the first catalog of another blog counts as announced
	s.page("x")
	s.read("")
	s.Site.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{moved(s.Site.Snapshot().Blogs[0], "https://a.test/blog")}})
	s.once()
	s.after(settle)
	expect.Equal(t, e.Requests, 0)
	expect.Equal(t, s.State().Dropped, 1)
}

// A blog with another home starts afresh: its first catalog counts as announced.
func TestAnotherHome(t *testing.T) {
	s, e := waiting(t)
	e.Public = serveKey(t, "b.test")
	next := func() {
		s.Site.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{moved(s.Site.Snapshot().Blogs[0], "https://b.test")}})
		s.once()
		s.after(settle)
	}
	wptest.Exec(t, s.dsn, "UPDATE wp_options SET option_value = 'https://b.test' WHERE option_name IN ('home', 'siteurl')")
	s.read("")
	next()
	expect.Equal(t, e.Requests, 0)
	s.another("x")
	next()
	s.expectGot(t, e, "https://b.test/x/")
}

// moved returns a blog with another home.
func moved(b *site.Blog, home string) *site.Blog {
	at := site.Unread(site.Blog{ID: 1, Home: home}, nil)
	at.Serve(b.Catalog, b.Generation, b.Built)
	return at
}
