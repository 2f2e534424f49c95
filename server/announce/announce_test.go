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
	"sync"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/ledger"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// comparingCatalog says what a test wants it to.
type comparingCatalog struct {
	site.Catalog // of which nothing is called
	mu           sync.Mutex
	news         []string // told to everybody who has another ledger …
	name         string   // … than this one
	err          error
	limit        int
	calls        int
}

func (c *comparingCatalog) Compare(_ context.Context, known *ledger.Ledger, limit int) (*ledger.Ledger, ledger.News, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.limit = limit
	if c.err != nil {
		return nil, ledger.News{}, c.err
	}
	next := &ledger.Ledger{Lists: []ledger.LedgerList{{Name: c.name}}}
	if known == nil || known.Lists[0].Name == c.name {
		return next, ledger.News{}, nil
	}
	return next, ledger.News{URLs: c.news, New: len(c.news)}, nil
}

// announcing is a session with a blog whose catalog is compared. Its clock stands until it is set.
type announcing struct {
	*Announcer
	Session
	catalog *comparingCatalog
	clock   time.Time
	reads   uint64
	log     bytes.Buffer
}

func announceTo(e *servertest.Engine) config.IndexNow {
	return config.IndexNow{Key: servertest.IndexNowKey, Endpoint: e.Endpoint()}
}

func announcingSession(opt config.IndexNow) *announcing {
	s := &announcing{Announcer: New(), catalog: &comparingCatalog{name: "one"}, clock: time.Unix(1e9, 0)}
	s.Session = Session{
		Site:     site.New(config.Site{Name: "a", IndexNow: opt}, slog.New(slog.NewTextHandler(&s.log, nil))),
		Now:      func() time.Time { return s.clock },
		Replaced: func() bool { return false },
		Place:    func(context.Context) (func(), bool) { return func() {}, true },
	}
	s.read("")
	return s
}

// read publishes another catalog, or the one before that is held.
func (s *announcing) read(heldBy string) {
	s.reads++
	b := &site.Blog{Facts: site.Facts{ID: 1, Home: "https://a.test"}, Catalog: s.catalog, Generation: s.reads, HeldBy: heldBy}
	s.Site.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{b}})
}

func (s *announcing) once() time.Duration { return s.Announcer.once(context.Background(), &s.Session) }

// after does what is due after some time.
func (s *announcing) after(d time.Duration) time.Duration {
	s.clock = s.clock.Add(d)
	return s.once()
}

// another makes the catalog tell something to those who know it as it was.
func (s *announcing) another(name string, urls ...string) {
	s.catalog.mu.Lock()
	s.catalog.name, s.catalog.news = name, urls
	s.catalog.mu.Unlock()
	s.read("")
}

// serveKey answers for the key file of the site.
func serveKey(t *testing.T) (address string) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "a.test" && r.URL.Path == "/"+servertest.IndexNowKey+".txt" {
			io.WriteString(w, servertest.IndexNowKey)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
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
			e := servertest.StartEngine(t)
			e.Public, e.Status = "http://127.0.0.1:1", tt.status
			s := announcingSession(announceTo(e))
			s.once()
			s.another("two", tt.url)
			s.once()
			s.after(time.Minute)
			s.after(24 * time.Hour)
			expect.Equal(t, e.Requests, 1, "requests")
			if log := s.log.String(); strings.Count(log, "was refused") != 1 || !strings.Contains(log, fmt.Sprint("status=", tt.want)) ||
				!strings.Contains(log, tt.do) || strings.Contains(log, servertest.IndexNowKey) {
				t.Error(log)
			}
			if a := s.Fares(); a.Refused != 1 || a.Waiting != 0 || a.Status != tt.want {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestDryRunSendsNothing(t *testing.T) {
	e := servertest.StartEngine(t)
	opt := announceTo(e)
	opt.DryRun = true
	s := announcingSession(opt)
	s.once()
	s.another("two", "https://a.test/x")
	s.once()
	s.after(time.Minute)
	if e.Requests != 0 || strings.Count(s.log.String(), "dry run: these would be announced") != 1 ||
		strings.Count(s.log.String(), "https://a.test/x") != 1 {
		t.Errorf("%d requests\n%s", e.Requests, s.log.String())
	}
	if a := s.Fares(); a.Sent != 1 || a.Waiting != 0 {
		t.Errorf("%+v", a)
	}
}

// A comparison that fails is made again, and nothing is lost.
func TestComparisonsThatFail(t *testing.T) {
	e := servertest.StartEngine(t)
	s := announcingSession(announceTo(e))
	s.once()
	s.catalog.err = context.DeadlineExceeded
	s.another("two", "https://a.test/x")
	s.once()
	if wait := s.after(rest); wait > firstRetry || strings.Count(s.log.String(), "announced later") != 1 {
		t.Errorf("again in %v\n%s", wait, s.log.String())
	}
	s.catalog.err = nil
	e.Public = serveKey(t)
	s.after(firstRetry)
	expect.Equal(t, e.Got["https://a.test/x"], 1, e.Got, s.log.String())
}

// After our own configuration of a site was changed its catalog is taken for known; another session goes on where the one
// before ended.
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
			s := announcingSession(announceTo(e))
			e.Public = serveKey(t)
			s.once()
			before := s.Session
			before.Replaced = func() bool { return true }
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
			s.another("two", "https://a.test/x")
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

// A blog whose loss is not believed is not compared: nothing of it is gone.
func TestHeldBlogsAreNotCompared(t *testing.T) {
	s := announcingSession(announceTo(servertest.StartEngine(t)))
	s.read("most of it is gone")
	s.once()
	expect.Equal(t, s.catalog.calls, 0, "compared", "times")
}

// waiting is a session that knows its catalog and whose engine accepts everything, or answers with a status.
func waiting(t *testing.T) (*announcing, *servertest.Engine) {
	e := servertest.StartEngine(t)
	e.Public = serveKey(t)
	s := announcingSession(announceTo(e))
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
	s.another("two", "https://a.test/a")
	expect.Equal(t, s.once(), settle)
	s.another("three", "https://a.test/a", "https://a.test/b")
	expect.Equal(t, s.after(settle/2), settle/2, "another change prolongs the wait:")
	expect.Equal(t, e.Requests, 0)
	s.after(settle / 2)
	s.expectGot(t, e, "https://a.test/a", "https://a.test/b")
	s.after(rest)
	expect.Equal(t, e.Requests, 1)
	if a := s.Fares(); a.Sent != 2 || a.Waiting != 0 || a.Last.IsZero() {
		t.Errorf("%+v", a)
	}
}

func TestAnAddressIsAnnouncedOnceInAWhile(t *testing.T) {
	s, e := waiting(t)
	s.another("two", "https://a.test/a")
	s.once()
	s.after(settle)
	s.expectGot(t, e, "https://a.test/a")
	s.another("three", "https://a.test/a", "https://a.test/b")
	s.once()
	s.after(time.Minute)
	s.expectGot(t, e, "https://a.test/b")
	expect.Equal(t, s.Fares().Waiting, 1)
	s.once()
	expect.Equal(t, s.after(rest), again-time.Minute-rest)
	s.after(again - time.Minute - rest)
	s.expectGot(t, e, "https://a.test/a")
	expect.Equal(t, s.Fares().Waiting, 0)
}

func TestFailuresAreTriedAgain(t *testing.T) {
	s, e := waiting(t)
	e.Status = http.StatusServiceUnavailable
	s.another("two", "https://a.test/a")
	s.once()
	s.clock = s.clock.Add(settle)
	least := firstRetry
	for i := range 10 {
		wait := s.once()
		if wait < least || wait > least+time.Duration(jitter*float64(least)) || e.Requests != i+1 {
			t.Fatalf("attempt %d, request %d, is followed by a pause of %v, want about %v", i, e.Requests, wait, least)
		}
		expect.Equal(t, s.Fares().Waiting, min(i+1, 2))
		s.clock = s.clock.Add(wait / 2)
		s.another("three", "https://a.test/a", "https://a.test/b") // does not end the pause
		s.once()
		expect.Equal(t, e.Requests, i+1)
		s.clock, least = s.clock.Add(wait), min(2*least, lastRetry)
	}
	e.Status = 0
	s.once()
	s.expectGot(t, e, "https://a.test/a", "https://a.test/b")
	if a := s.Fares(); a.Sent != 2 || a.Reason != "" {
		t.Errorf("%+v", a)
	}
}

func TestManyAddresses(t *testing.T) {
	s, e := waiting(t)
	var urls []string
	for i := range maxBatch + maxRemembered + 10 {
		urls = append(urls, fmt.Sprint("https://a.test/", i))
	}
	s.another("two", urls...)
	s.once()
	s.after(settle)
	expect.Equal(t, len(e.Got), maxBatch)
	if a := s.Fares(); a.Waiting != maxRemembered || a.Dropped != 10 {
		t.Errorf("%+v", a)
	}
	expect.Equal(t, s.after(time.Minute), 9*time.Minute, "the rate")
	s.after(9 * time.Minute)
	expect.Equal(t, len(e.Got), 2*maxBatch)
}

func TestAddressesBelowHome(t *testing.T) {
	k := &announced{home: "https://a.test/blog"}
	want := []string{"https://a.test/blog", "https://a.test/blog/", "https://a.test/blog/x", "https://a.test/blog?p=1"}
	got, _, dropped := k.batch(append([]string{"https://a.test/blogs/x", "https://a.test/", "https://b.test/blog/x", "http://a.test/blog/x"}, want...))
	expect.List(t, got, want)
	expect.Equal(t, dropped, 4)
}
