package refresh

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// ids returns the ids of the blogs of a snapshot, in order, each with an exclamation mark if it cannot be read, and in brackets if it is
// not in memory.
func ids(now *site.Snapshot) string {
	var words []string
	for _, b := range now.Blogs {
		word := fmt.Sprint(b.ID)
		if !b.Resident() {
			word = "(" + word + ")"
		}
		if b.Err != nil && b.Failed() != nil {
			word += "!"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// A blog of a network that cannot be read keeps its catalog, and the others are read. The error of the site names it until it is read again.
func TestBlogThatFails(t *testing.T) {
	t.Parallel()
	r, c := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2", "https://a.test/3"))
	before := r.site.Snapshot()
	expect.Equal(t, ids(before), "1 2 3")
	c.Break("wp_2_posts")
	c.Edit("post-1", 1)
	for failures := 1; failures <= 2; failures++ {
		read, ok := r.ReadOnce(t.Context())
		now := r.site.Snapshot()
		expect.Equal(t, fmt.Sprint(read, ok), "true false")
		expect.Equal(t, ids(now), "1 2! 3")
		expect.Equal(t, now.Of(2)[0].Catalog, before.Of(2)[0].Catalog, "the catalog of the blog that fails")
		expect.Equal(t, now.Of(2)[0].Generation, before.Of(2)[0].Generation)
		expect.Equal(t, now.Of(1)[0].Generation > before.Of(1)[0].Generation, true, "the catalog of another blog")
		expect.Equal(t, now.Err != nil && strings.Contains(now.Err.Error(), "wp_2_posts"), true, now.Err)
		expect.Equal(t, now.Failures, failures)
		expect.Equal(t, r.reads.failed, failures)
		expect.Equal(t, r.session.unread, 0, "the database answers")
	}
	expect.Equal(t, c.log.Count("site cannot be read"), 1)
	c.Mend("wp_2_posts")
	c.Break("wp_2_postmeta") // its settings can be read, but not its posts
	r.ReadOnce(t.Context())
	now := r.site.Snapshot()
	expect.Equal(t, ids(now), "1 2! 3")
	expect.Equal(t, now.Of(2)[0].Outline.Objects(), before.Of(2)[0].Outline.Objects())
	reading := now.Of(2)[0].Readings[0]
	expect.Equal(t, reading.Err != "" && reading.Before == before.Of(2)[0].Outline.Objects() && reading.After == 0, true, reading)
	c.Mend("wp_2_postmeta")
	_, ok := r.ReadOnce(t.Context())
	now = r.site.Snapshot()
	expect.Equal(t, ok, true)
	expect.Equal(t, ids(now), "1 2 3")
	expect.Equal(t, now.Err, nil)
	expect.Equal(t, now.Of(2)[0].Generation > before.Of(2)[0].Generation, true)
	expect.Equal(t, r.reads.failed, 0)
	expect.Equal(t, c.log.Count("site can be read again"), 1)

	// A blog whose settings were never read is unreadable, and no reason to call the site not ready.
	c.AddBlog("https://a.test/4")
	c.Break("wp_4_options")
	_, ok = r.ReadOnce(t.Context())
	now = r.site.Snapshot()
	expect.Equal(t, ok, false)
	expect.Equal(t, ids(now), "1 2 3 (4)!")
	expect.Equal(t, now.Of(4)[0].Unreadable, true)
	expect.Equal(t, now.Ready(), true)
	c.Mend("wp_4_options")
	r.ReadOnce(t.Context())
	expect.Equal(t, ids(r.site.Snapshot()), "1 2 3 4")
}

// Blogs of a network come and go. If most of the network vanishes, it stays until that is confirmed.
func TestBlogsComeAndGo(t *testing.T) {
	t.Parallel()
	homes := []string{"https://a.test", "https://a.test/2", "https://a.test/3", "https://a.test/4"}
	r, c := newRefresher(t, sitetest.NewNetwork(t, 20, homes...))
	read := func() string {
		t.Helper()
		r.ReadOnce(t.Context())
		return ids(r.site.Snapshot())
	}
	moved := c.moved
	expect.Equal(t, read(), "1 2 3 4")
	expect.Equal(t, c.moved, moved, "nothing has moved")
	c.Exec("DELETE FROM wp_blogs WHERE blog_id = 3")
	expect.Equal(t, read(), "1 2 4")
	expect.Equal(t, c.moved > moved, true, "the routes are rebuilt")
	c.Exec("UPDATE wp_blogs SET archived = 1 WHERE blog_id = 2")
	expect.Equal(t, read(), "1 4")
	expect.Equal(t, len(r.site.Snapshot().Gone), 1)
	c.Exec("UPDATE wp_blogs SET archived = 0")
	expect.Equal(t, read(), "1 2 4")
	c.Exec("DELETE FROM wp_blogs WHERE blog_id IN (2, 4)")
	expect.Equal(t, read(), "1 2 4", "most of the network has vanished")
	for _, id := range []int64{2, 4} {
		expect.Equal(t, r.site.Snapshot().Of(id)[0].HeldBy != "", true, id)
	}
	why, _, times := r.Alarmed()
	expect.Equal(t, why != "" && !strings.HasPrefix(why, "blog ") && times == 1, true, why)
	c.now = c.now.Add(11 * time.Minute)
	expect.Equal(t, read(), "1", "the loss is confirmed")
}

// If the database does not answer at all, all blogs in memory have the error, and nothing else changes.
func TestDatabaseIsGone(t *testing.T) {
	t.Parallel()
	r, c := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2"))
	sitetest.Alter(r.site, 2, func(b *site.Blog) { *b = *b.Idle() })
	c.Break("wp_blogs")
	read, ok := r.ReadOnce(t.Context())
	expect.Equal(t, fmt.Sprint(read, ok), "false false")
	expect.Equal(t, ids(r.site.Snapshot()), "1! (2)")
	expect.Equal(t, r.reads.lost, true, "nobody knows what was written meanwhile:")
	expect.Equal(t, r.session.unread, 1)
	c.Mend("wp_blogs")
	read, ok = r.ReadOnce(t.Context())
	expect.Equal(t, fmt.Sprint(read, ok, r.reads.lost, r.session.unread), "true true false 0")
	expect.Equal(t, ids(r.site.Snapshot()), "1 (2)")
}

// A blog that is not in memory is read when somebody asks for it. Its cached pages are stale then. The blogs asked for last stay in memory.
func TestBlogThatSomebodyAsksFor(t *testing.T) {
	t.Parallel()
	r, _ := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2", "https://a.test/3"))
	for _, id := range []int64{2, 3} {
		sitetest.Alter(r.site, id, func(b *site.Blog) { *b = *b.Idle() })
	}
	expect.Equal(t, ids(r.site.Snapshot()), "1 (2) (3)")
	r.site.Want(3)
	r.site.Want(77)
	began := site.Now()
	expect.Equal(t, r.readSome(t.Context()), true)
	expect.Equal(t, ids(r.site.Snapshot()), "1 (2) 3")
	b := r.site.Snapshot().Of(3)[0]
	expect.Equal(t, b.StaleBefore.Before(began), false, "its cached pages are stale")
	expect.Equal(t, r.site.Snapshot().Of(1)[0].StaleBefore.IsZero(), true)

	r.daemon.Pace.Resident = 2
	now := time.Now()
	for id, ago := range map[int64]time.Duration{1: time.Hour, 2: 0, 3: time.Minute} {
		r.site.Snapshot().Of(id)[0].AskedAt(now.Add(-ago))
	}
	r.site.Want(2)
	expect.Equal(t, r.readSome(t.Context()), true)
	expect.Equal(t, ids(r.site.Snapshot()), "(1) 2 3", "the blog asked for longest ago goes")
}

// The record of a site is saved if something in it changes. The record of a blog is also saved ten minutes after the last one. What
// cannot be read now is as well known from the record before.
func TestRecordsAreSaved(t *testing.T) {
	t.Parallel()
	s, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	r, _ := newTestRefresher(t)
	of, m := r.site, memory{blogs: map[string]kept{}}
	known := r.site.Snapshot().Blogs[0]
	remember := func(change func(*site.Blog)) kept {
		b := *known
		change(&b)
		m.Remember(of, &site.Snapshot{Blogs: []*site.Blog{&b}}, s)
		return m.blogs[b.Key()]
	}
	first := remember(func(*site.Blog) {})
	expect.Equal(t, first, kept{known.Generation, known.Built, s.Saving()})
	record := m.site
	for _, tt := range []struct {
		rule   string
		change func(*site.Blog)
		saved  bool
	}{
		{"nothing has changed", func(*site.Blog) {}, false},
		{"a little later", func(b *site.Blog) { b.Built = known.Built.Add(rememberEvery - 1) }, false},
		{"it cannot be read", func(b *site.Blog) { b.Generation, b.Err = 7, errors.New("x") }, false},
		{"a loss is held", func(b *site.Blog) { b.Generation, b.HeldBy = 7, "x" }, false},
		{"it is not in memory", func(b *site.Blog) { b.Generation, b.Book = 7, nil }, false},
		{"ten minutes later", func(b *site.Blog) { b.Built = known.Built.Add(rememberEvery) }, true},
		{"another catalog", func(b *site.Blog) { b.Generation, b.Built = 8, known.Built.Add(rememberEvery) }, true},
	} {
		before := m.blogs[known.Key()]
		expect.Equal(t, remember(tt.change) != before, tt.saved, tt.rule)
	}
	expect.Equal(t, m.site, record, "the record of the site is as before")
	m.Remember(of, &site.Snapshot{}, s)
	expect.Equal(t, len(m.blogs), 0, "a blog that has gone is forgotten")
	expect.Equal(t, m.site != record, true)
}

// What the store has is restored only for the same database. A blog without a record keeps its address, so that no request reaches another.
func TestRestoredSite(t *testing.T) {
	t.Parallel()
	s, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	r, _ := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2"))
	of, m := r.site, memory{blogs: map[string]kept{}}
	of.NoteParts(of.Snapshot().Blogs[0].Key(), "post", 1, 3)
	now := *of.Snapshot()
	now.Blogs = append(now.Blogs[:1:1], site.Unread(site.Blog{ID: 7, Home: "https://seven.test/x"}, site.ErrUnreadBlog))
	m.Remember(of, &now, s)
	servertest.Written(t, s)

	to := site.New(of.Config, slog.New(slog.DiscardHandler))
	again := memory{blogs: map[string]kept{}}
	restored, changed := again.Restore(to, s)
	expect.Equal(t, fmt.Sprint(changed, restored.Restored, len(restored.Blogs), len(again.blogs)), "false true 2 1")
	expect.Equal(t, restored.Blogs[0].Known(), true)
	expect.Equal(t, to.Parts(restored.Blogs[0].Key(), "post", 1), 3, "parts")
	b := restored.Blogs[1]
	expect.Equal(t, fmt.Sprint(b.ID, " ", b.Home, b.Hosts, b.Known()), "7 https://seven.test/x[seven.test] false")
	expect.Equal(t, errors.Is(b.Err, site.ErrNotReadYet), true)

	other := of.Config
	other.PageSize = 7
	_, changed = (&memory{blogs: map[string]kept{}}).Restore(site.New(other, slog.New(slog.DiscardHandler)), s)
	expect.Equal(t, changed, true, "the configuration is another")
	other.DSN = config.Secret("sqlite:/other")
	restored, changed = (&memory{blogs: map[string]kept{}}).Restore(site.New(other, slog.New(slog.DiscardHandler)), s)
	expect.Equal(t, restored == nil && !changed, true, "the database is another:")
}

// Few blogs are logged one by one. A warning of several blogs is logged once, with some of them.
func TestLogOfScan(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	blog := func(id int64, active bool, generation uint64, warnings ...string) *site.Blog {
		b := site.Remembered(site.Blog{ID: id, Home: fmt.Sprintf("https://a.test/%d", id), Warnings: warnings}, catalog.Outline{
			Active: active, Files: []catalog.File{{Name: "1", Page: 1}, {Name: "post", Of: "post", Page: 1, Entries: 3}},
		}, time.Time{})
		b.Generation = generation
		return b
	}
	lines := func(add func(*scanLog)) []string {
		log.Reset()
		l := &scanLog{log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "took" {
				return slog.Attr{}
			}
			return a
		}}))}
		add(l)
		l.end()
		return strings.Split(strings.TrimSpace(log.String()), "\n")
	}
	expect.List(t, lines(func(l *scanLog) { l.note(blog(1, true, 2), nil, time.Second) }), []string{
		`level=INFO msg="site is read" blog=1 home=https://a.test/1 active=true sitemaps=1 objects=3`})
	expect.List(t, lines(func(l *scanLog) { l.note(blog(1, true, 2), blog(1, true, 1), time.Second) }), []string{""})
	expect.List(t, lines(func(l *scanLog) { l.note(blog(1, true, 2), blog(1, true, 0), time.Second) })[:1], []string{
		`level=INFO msg="site is read" blog=1 home=https://a.test/1 active=true sitemaps=1 objects=3`})
	expect.List(t, lines(func(l *scanLog) { l.note(blog(1, false, 2), nil, time.Second) })[1:], []string{
		`level=WARN msg="the daemon makes no sitemaps for this blog: wpsitemapd check says why" blog=1`})
	expect.List(t, lines(func(l *scanLog) { l.note(blog(1, true, 2, "odd", "old"), blog(1, true, 1, "odd"), time.Second) }), []string{
		"level=WARN msg=odd blog=1", "level=WARN msg=old blog=1"})
	expect.List(t, lines(func(l *scanLog) { l.note(blog(1, true, 2, "odd"), blog(1, true, 1, "odd"), time.Second) }), []string{""})
	many := lines(func(l *scanLog) {
		for id := range int64(25) {
			l.note(blog(id+1, true, 2, "odd"), nil, time.Second)
		}
		l.Warn("rare", 3)
		l.Warn("rare", 4)
	})
	expect.Equal(t, len(many), fewBlogs+3)
	expect.List(t, many[fewBlogs:], []string{
		`level=WARN msg=odd blogs="1 2 3 4 5 6 7 8 9 10 …" number=25`, `level=WARN msg=rare blogs="3 4" number=2`,
		`level=INFO msg="blogs of a network were read for the first time" blogs=25 objects=75`})
	expect.Equal(t, len(lines(func(l *scanLog) {
		for id := range int64(fewBlogs) {
			l.note(blog(id+1, true, 2), nil, time.Second)
		}
	})), fewBlogs)
	expect.Equal(t, summed(make([]error, 0)), nil)
	five := []error{errors.New("1"), errors.New("2"), errors.New("3"), errors.New("4"), errors.New("5")}
	expect.Equal(t, summed(five).Error(), "1\n2\n3\n4\n5")
	expect.Equal(t, summed(append(five, errors.New("6"))).Error(), "1\n2\n3\n4\n5\nand 1 other blogs")
}

// Held losses are told together, with the time of the oldest one. The loss of the whole network has no blog.
func TestAlarmsInWords(t *testing.T) {
	t.Parallel()
	at := time.Unix(1e9, 0)
	g := newTestGuard(&at)
	why, since, _ := g.Alarmed()
	expect.Equal(t, why, "")
	expect.Equal(t, since.IsZero(), true)
	g.holds("2 https://a.test/2", loss{100, 1})
	first := at
	at = at.Add(time.Minute)
	g.holds("", loss{1000, 10})
	g.holds("1 https://a.test", loss{200, 2})
	why, since, times := g.Alarmed()
	expect.Equal(t, why, "990 of 1000 URLs are gone; blog 1 https://a.test: 198 of 200 URLs are gone; blog 2 https://a.test/2: 99 of 100 URLs are gone")
	expect.Equal(t, since, first)
	expect.Equal(t, times, 3)
}

// What the site has said about its addresses stays with the blog. If it changes addresses, the blog is read again.
func TestAnswerOfSite(t *testing.T) {
	t.Parallel()
	r, c := newTestRefresher(t)
	r.inquiries.waiting = true
	before := r.site.Snapshot().Blogs[0].Generation
	r.plan = plan{}
	r.hear(heard{blog: 1})
	expect.Equal(t, r.inquiries.waiting, false)
	expect.Equal(t, len(r.site.Snapshot().Blogs), 1)
	expect.Equal(t, r.plan.Idle(), true, "nothing changes")
	r.hear(heard{blog: 1, changed: true})
	expect.Equal(t, r.plan.Idle(), false)
	expect.List(t, r.list.again, []int64{1})
	expect.Equal(t, c.log.Count("the site answers other URLs than before"), 1)
	r.fullScan(t.Context())
	expect.Equal(t, r.site.Snapshot().Blogs[0].Generation > before, true)
	expect.Equal(t, len(r.list.again), 0)
	wptest.Must(t, r.site.Snapshot().Err)
}
