package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// listing returns an outline with an index, two pages of posts and a feed.
func listing() catalog.Outline {
	return catalog.Outline{
		Active: true, Owned: []string{"post", "author"}, Left: []string{"book"}, Base: seo.Base{Pretty: true},
		Files: []catalog.File{
			{Name: seo.IndexName, Page: 1, Entries: 2}, {Name: "post", Page: 1, Entries: 30}, {Name: "post", Page: 2, Entries: 7},
		},
		Others: []catalog.File{{Name: catalog.AtomName, Page: 1}},
		Asked:  map[string]string{"posts": "post"},
	}
}

func remembered(id int64, home string) *Blog {
	return Remembered(Blog{ID: id, Home: home, Hosts: []string{"a.test"}}, listing(), noon)
}

// A snapshot finds its blogs by id and by key, and replaces them.
func TestSnapshotBlogs(t *testing.T) {
	s := &Snapshot{Blogs: []*Blog{remembered(1, "https://a.test"), remembered(2, "https://a.test/en"), remembered(2, "https://a.test/fr"), remembered(5, "https://e.test")}}
	homes := func(blogs []*Blog) (text string) {
		for _, b := range blogs {
			text += strings.TrimPrefix(b.Home, "https://") + " "
		}
		return strings.TrimSpace(text)
	}
	for id, want := range map[int64]string{1: "a.test", 2: "a.test/en a.test/fr", 3: "", 5: "e.test", 9: ""} {
		expect.Equal(t, homes(s.Of(id)), want, id)
	}
	for key, want := range map[string]string{
		"2 https://a.test/fr": "https://a.test/fr", "2 https://a.test": "", "7 https://a.test": "", "": "", "1": "", "5 https://e.test": "https://e.test",
	} {
		b := s.Blog(key)
		expect.Equal(t, b != nil, want != "", key)
		if b != nil {
			expect.Equal(t, b.Home, want, key)
		}
	}
	next := s.With(2, []*Blog{remembered(2, "https://two.test")})
	expect.Equal(t, homes(next.Blogs), "a.test two.test e.test")
	expect.Equal(t, homes(next.With(3, []*Blog{remembered(3, "https://c.test")}).Blogs), "a.test two.test c.test e.test")
	expect.Equal(t, homes(next.With(1, nil).Blogs), "two.test e.test")
	expect.Equal(t, len(s.Blogs), 4, "the snapshot itself changes")
}

// What a snapshot says of itself.
func TestStatesOfASnapshot(t *testing.T) {
	known, unread := remembered(1, "https://a.test"), Unread(Blog{ID: 1, Home: "https://a.test"}, nil)
	broken := Unread(Blog{ID: 1, Home: "https://a.test"}, errors.New("no such table"))
	broken.Unreadable = true
	for _, tt := range []struct {
		name string
		s    Snapshot
		want string // what is true of: known, from state, tried, ready, held
		says string
	}{
		{"nothing was tried", Snapshot{}, "", "503 for sitemaps"},
		{"the first attempt failed", Snapshot{Since: noon, Err: errors.New("down")}, "tried", "503 for sitemaps"},
		{"restored", Snapshot{Restored: true, Blogs: []*Blog{known}}, "known state ready", "cached pages"},
		{"restored, and read", Snapshot{Restored: true, Opened: true, Blogs: []*Blog{known}}, "known tried ready", "cached pages"},
		{"read, without catalog", Snapshot{Opened: true, Blogs: []*Blog{known, unread}}, "known tried", "cached pages"},
		{"read, with a blog that is half created", Snapshot{Opened: true, Blogs: []*Blog{known, broken}}, "known tried ready", "cached pages"},
		{"a loss is held", Snapshot{Opened: true, Blogs: []*Blog{known, known.HeldFor("all are gone")}}, "known tried ready held", "cached pages"},
	} {
		var is []string
		for i, so := range []bool{tt.s.Known(), tt.s.FromStateOnly(), tt.s.Tried(), tt.s.Ready(), tt.s.Held()} {
			if so {
				is = append(is, strings.Fields("known state tried ready held")[i])
			}
		}
		expect.Equal(t, strings.Join(is, " "), tt.want, tt.name)
		expect.Equal(t, tt.s.Serving(), tt.says, tt.name)
	}
}

// The routing table stays if the blogs, their hosts and paths, and what is known of them stay.
func TestSamePlaces(t *testing.T) {
	read := func(change func(*Snapshot, *Blog)) *Snapshot {
		b := remembered(1, "https://a.test")
		s := &Snapshot{Opened: true, Blogs: []*Blog{b}, Gone: []wp.BlogRow{{ID: 2}}}
		change(s, b)
		return s
	}
	before := read(func(*Snapshot, *Blog) {})
	for rule, tt := range map[string]struct {
		change func(*Snapshot, *Blog)
		same   bool
	}{
		"nothing":             {func(*Snapshot, *Blog) {}, true},
		"another catalog":     {func(_ *Snapshot, b *Blog) { b.Generation = 7 }, true},
		"another path":        {func(_ *Snapshot, b *Blog) { b.Address.Path = "x" }, false},
		"another host":        {func(_ *Snapshot, b *Blog) { b.Hosts = []string{"b.test"} }, false},
		"another home":        {func(_ *Snapshot, b *Blog) { b.key = "1 https://b.test" }, false},
		"a network":           {func(_ *Snapshot, b *Blog) { b.Network = true }, false},
		"a blog more":         {func(s *Snapshot, b *Blog) { s.Blogs = append(s.Blogs, b) }, false},
		"another gone blog":   {func(s *Snapshot, _ *Blog) { s.Gone = nil }, false},
		"nothing is known":    {func(s *Snapshot, _ *Blog) { s.Opened, s.Since = false, noon }, false},
		"only from the store": {func(s *Snapshot, _ *Blog) { s.Opened, s.Restored, s.Since = false, true, noon }, false},
	} {
		expect.Equal(t, before.SamePlaces(read(tt.change)), tt.same, rule)
	}
	untried, failed := &Snapshot{}, &Snapshot{Since: noon}
	expect.Equal(t, untried.SamePlaces(failed), false, "a failed attempt")
}

// A loss of URLs counts from ten on, if it is more than a share.
func TestFell(t *testing.T) {
	for _, tt := range []struct {
		before, now int
		want        bool
	}{{100, 49, true}, {100, 50, false}, {10, 0, true}, {9, 0, false}, {19, 9, true}, {100, 200, false}} {
		expect.Equal(t, Fell(tt.before, tt.now, 0.5), tt.want, tt.before, tt.now)
	}
}

// Which pages a blog lists, keeps and can render, without a catalog.
func TestPagesOfABlog(t *testing.T) {
	b := remembered(1, "https://a.test")
	for _, tt := range []struct {
		name         string
		page         int
		lists, fixed bool
	}{{"post", 1, true, true}, {"post", 2, true, true}, {"post", 3, false, false}, {"author", 1, false, true}, {catalog.AtomName, 1, true, true}, {"author", 2, false, false}} {
		expect.Equal(t, b.Lists(tt.name, tt.page), tt.lists, tt.name, tt.page)
		expect.Equal(t, b.HasFixed(tt.name, tt.page), tt.fixed, tt.name, tt.page)
	}
	if !b.Owns("author") || b.Owns("book") || !b.Undecided("book") || b.Undecided("post") || b.QueryName("posts") != "post" || b.QueryName("x") != "x" || !b.Active() {
		t.Error("the blog is not what its outline says")
	}
	held := b.HeldFor("all are gone")
	for _, tt := range []struct {
		b    *Blog
		name string
		page int
		want error
	}{
		{b, "post", 2, ErrNotReadYet}, {b, "post", 3, catalog.ErrNotFound}, {held, "post", 2, errHeld}, {held, "post", 3, catalog.ErrNotFound},
	} {
		if err := tt.b.Unrendered(tt.name, tt.page); !errors.Is(err, tt.want) {
			t.Errorf("%s %d: %v, want %v", tt.name, tt.page, err, tt.want)
		}
	}
	if _, err := b.Render(t.Context(), "post", 1); !errors.Is(err, ErrNotReadYet) || b.Version("post", 1) != 0 {
		t.Errorf("without a catalog: %v", err)
	}
	for err, failed := range map[error]bool{nil: false, ErrUnreadBlog: false, fmt.Errorf("so: %w", ErrNotReadYet): false, errHeld: true} {
		expect.Equal(t, Unread(Blog{}, err).Failed() != nil, failed, err)
	}
}

// What a blog takes over from its earlier state, and what an idle one drops.
func TestSuccessionOfBlogs(t *testing.T) {
	before := remembered(1, "https://a.test")
	before.Generation, before.Built, before.HeldBy, before.Readings = 7, noon, "a loss", []Reading{{Touched: 3}}
	before.StaleBefore, before.RevalidateBefore, before.Scanned = Moment{noon}, Moment{noon.Add(1)}, Moment{noon.Add(2)}
	before.Book, before.Unreadable = new(address.Book), true
	before.AskedAt(noon)
	before.AskedAt(time.Time{})
	next := Unread(Blog{ID: 1, Home: "https://a.test"}, errors.New("broken"))
	next.ServeAs(before)
	if !next.Known() || next.Generation != 7 || !next.Built.Equal(noon) || next.HeldBy != "a loss" || next.Asked() != noon.UnixNano() || next.Resident() {
		t.Errorf("it serves as before: %+v", next)
	}
	other := Unread(Blog{ID: 1, Home: "https://a.test"}, nil)
	other.Succeed(before)
	if other.Known() || len(other.Readings) != 1 || other.StaleBefore != before.StaleBefore || other.RevalidateBefore != before.RevalidateBefore ||
		other.Asked() != noon.UnixNano() {
		t.Errorf("it succeeds: %+v", other)
	}
	idle := before.Idle()
	if idle.Book != nil || idle.Readings != nil || idle.Err != ErrUnreadBlog || idle.Scanned != (Moment{}) || idle.RevalidateBefore != (Moment{}) ||
		idle.StaleBefore != (Moment{}) || idle.HeldBy != "" || idle.Unreadable || !idle.Known() || idle.Resident() {
		t.Errorf("idle: %+v", idle)
	}
	if !before.Resident() || before.TakesDeltas() {
		t.Error("a held blog takes deltas")
	}
	if before.HeldBy = ""; !before.TakesDeltas() {
		t.Error("a blog in memory takes no deltas")
	}
	row := wp.BlogRow{ID: 1, Domain: "a.test"}
	before.Row = row
	if !before.Stands(row) || before.Stands(wp.BlogRow{ID: 1}) || !other.Stands(row) {
		t.Error("which rows stand")
	}
	if b := Unread(Blog{ID: 1, Home: "https://a.test/Fish"}, nil); !b.GoneTo(wp.BlogRow{Domain: "A.test", Path: "/fish/"}) ||
		b.GoneTo(wp.BlogRow{Domain: "b.test", Path: "/fish/"}) || b.GoneTo(wp.BlogRow{Domain: "a.test", Path: "/"}) {
		t.Error("which blog is gone")
	}
	new(Blog).ask()
	expect.Equal(t, new(Blog).Asked(), 0)
}

func newSite() *Site {
	s := New(config.Site{Name: "a"}, slog.New(slog.DiscardHandler))
	s.Counted, s.Process = new(metrics.SiteCounts), metrics.NewProcess()
	return s
}

// Requests wait for a blog until it is in memory or has failed, and ask for it meanwhile.
func TestAwait(t *testing.T) {
	resident := remembered(1, "https://a.test")
	resident.Book = new(address.Book)
	idle := remembered(1, "https://a.test")
	for name, tt := range map[string]struct {
		comes *Snapshot
		waits bool
	}{
		"in memory":        {&Snapshot{Opened: true, Blogs: []*Blog{resident}}, false},
		"idle":             {&Snapshot{Opened: true, Blogs: []*Blog{idle}}, true},
		"failed":           {&Snapshot{Opened: true, Blogs: []*Blog{Unread(Blog{ID: 1}, errors.New("broken"))}}, false},
		"held":             {&Snapshot{Opened: true, Blogs: []*Blog{idle.HeldFor("a loss")}}, false},
		"gone":             {&Snapshot{Opened: true}, false},
		"nothing was read": {&Snapshot{Blogs: []*Blog{idle}}, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite()
			s.Publish(&Snapshot{Opened: true, Blogs: []*Blog{idle}})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began, done := time.Now(), make(chan time.Duration, 1)
			go func() {
				s.Await(ctx, 1)
				done <- time.Since(began)
			}()
			synctest.Wait()
			<-s.Wants()
			<-s.Hurried()
			expect.List(t, s.Wanted(), []int64{1}, name)
			expect.List(t, s.Wanted(), nil, name)
			time.Sleep(time.Second)
			s.Publish(tt.comes)
			expect.Equal(t, <-done == time.Minute, tt.waits, name)
		})
	}
}

// The next catalog of a blog is one of another generation. A blog that goes ends the wait.
func TestAwaitNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b, newer := newSite(), remembered(1, "https://a.test"), remembered(1, "https://a.test")
		b.Generation, newer.Generation = 1, 2
		got := make(chan *Blog, 1)
		wait := func(comes ...*Snapshot) *Blog {
			s.Publish(&Snapshot{Blogs: []*Blog{b}})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() { got <- s.AwaitNext(ctx, b) }()
			synctest.Wait()
			for _, now := range comes {
				s.Publish(now)
				synctest.Wait()
			}
			return <-got
		}
		expect.Equal(t, wait(&Snapshot{Blogs: []*Blog{b}}, &Snapshot{Blogs: []*Blog{newer}}), newer)
		expect.Equal(t, wait(&Snapshot{}), nil, "a blog that is gone")
		expect.Equal(t, wait(), nil, "nothing comes")
	})
}

// A signal for visits comes once a second; wanted blogs are bounded; the first attempt is marked once.
func TestSignalsOfASite(t *testing.T) {
	s, b := newSite(), remembered(1, "https://a.test")
	s.Visit(b)
	s.Visit(b)
	<-s.Visits()
	if b.Asked() == 0 {
		t.Error("a visit is not recorded")
	}
	for id := range int64(mostWanted + 5) {
		s.Want(id)
		s.Want(id)
	}
	expect.Equal(t, len(s.Wanted()), mostWanted)
	select {
	case <-s.FirstAttempt():
		t.Error("an attempt before the first")
	default:
	}
	s.MarkTried()
	s.MarkTried()
	<-s.FirstAttempt()
	expect.Equal(t, s.DatabaseServer(), "a")
	s.SetDatabaseServer("db:3306")
	expect.Equal(t, s.DatabaseServer(), "db:3306")
}

// A site with hosts in its configuration has a place. Later its blogs say whether it has one.
func TestPlaced(t *testing.T) {
	s := newSite()
	expect.Equal(t, s.Placed(), false, "nothing is known")
	s.Config.Hosts = []config.Host{"a.test"}
	expect.Equal(t, s.Placed(), true, "hosts are configured")
	s.Publish(&Snapshot{Opened: true})
	expect.Equal(t, s.Placed(), false, "no blog")
	s.Publish(&Snapshot{Opened: true, Gone: []wp.BlogRow{{ID: 1}}})
	expect.Equal(t, s.Placed(), true, "a blog that is gone")
}

// A successor serves what is known; a panic is an error; canceled work is not counted.
func TestWorkOfASite(t *testing.T) {
	before, s := newSite(), newSite()
	b := remembered(1, "https://a.test")
	b.Routed = "routes"
	before.Publish(&Snapshot{Opened: true, Blogs: []*Blog{b}})
	before.SetDatabaseServer("db:3306")
	before.Rank = 5
	before.NoteParts(b.Key(), "post", 2, 4)
	s.Inherit(before)
	if s.Routed(1) != "routes" || s.Routed(2) != "" || s.DatabaseServer() != "db:3306" || s.Rank != 5 || s.Snapshot() == before.Snapshot() {
		t.Errorf("a successor: %+v", s.Snapshot())
	}
	if urls, parts, files := s.Size(); urls != 41 || parts != 4 || files != 3 {
		t.Errorf("%d URLs, %d parts, %d files", urls, parts, files)
	}
	s.NoteParts(b.Key(), "post", 1, 1)
	s.NoteParts(b.Key(), "post", 2, 0)
	expect.Equal(t, s.ListedURLs(b), 38)
	if err := s.Guard(func() error { panic("odd data") }); err == nil || !strings.Contains(err.Error(), "odd data") {
		t.Errorf("a panic: %v", err)
	}
	s.Worked(metrics.Render, time.Second, nil)
	s.Worked(metrics.Render, 3*time.Second, errors.New("broken"))
	s.Worked(metrics.Render, 2*time.Second, nil)
	s.Worked(metrics.Render, time.Hour, context.Canceled)
	expect.Equal(t, s.Slowest(), 3*time.Second)
	expect.Equal(t, s.Slowest(), 0)
	for _, text := range []string{"no such table", "site a, blog 1: no such table"} {
		expect.Equal(t, BlogError("a", 1, errors.New(text)).Error(), "site a, blog 1: no such table")
	}
	expect.Equal(t, Clock(noon)(), noon)
	if Clock(time.Time{})().Before(noon.AddDate(-1, 0, 0)) {
		t.Error("the clock stands still")
	}
}

// The robots.txt of the first web root that has one counts, cut at a line if it is too long.
func TestReadRobots(t *testing.T) {
	empty, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "robots.txt")
	line := "Disallow: /private/\n"
	long := strings.Repeat(line, MaxRobots/len(line))
	for text, want := range map[string]string{line: line, "": "", long + line: long} {
		wptest.Must(t, os.WriteFile(file, []byte(text), 0o644))
		got, path, err := ReadRobots([]string{empty, dir}, "")
		if string(got) != want || path != file || err != nil {
			t.Errorf("%d bytes of %d at %s: %v", len(got), len(text), path, err)
		}
	}
	if _, _, err := ReadRobots([]string{empty}, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, _, err := ReadRobots(nil, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	link := filepath.Join(empty, "robots.txt")
	wptest.Must(t, os.Symlink(file, link))
	if _, _, err := ReadRobots([]string{empty}, empty); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link out of the install: %v", err)
	}
}
