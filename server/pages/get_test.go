package pages

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A stored page is as fresh as its catalog, unless the time or a write makes it older. A held loss keeps every page.
func TestFreshness(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 1)
	ps.ask(ps.blog().Outline.Files[1])
	key := KeyOf(ps.site, ps.blog(), "post", 1)
	rendered := ps.cache.peek(key).asOf
	before, after := site.Moment{Time: rendered.Add(-1)}, site.Moment{Time: rendered.Add(1)}
	for _, tt := range []struct {
		rule   string
		change func(*site.Blog, *Page)
		want   Freshness
	}{
		{"nothing has changed", func(*site.Blog, *Page) {}, Fresh},
		{"another catalog", func(_ *site.Blog, p *Page) { p.version++ }, Stale},
		{"it expires later", func(_ *site.Blog, p *Page) { p.expires = ps.now().Add(1) }, Fresh},
		{"it expires now", func(_ *site.Blog, p *Page) { p.expires = ps.now() }, Stale},
		{"the blog was idle before", func(b *site.Blog, _ *Page) { b.StaleBefore = before }, Fresh},
		{"the blog was idle since", func(b *site.Blog, _ *Page) { b.StaleBefore = after }, Stale},
		{"a write before", func(b *site.Blog, _ *Page) { b.RevalidateBefore = before }, Fresh},
		{"a write since", func(b *site.Blog, _ *Page) { b.RevalidateBefore = after }, Revalidate},
		{"a write, and another catalog", func(b *site.Blog, p *Page) { b.RevalidateBefore, p.version = after, 7 }, Stale},
		{"a held loss", func(b *site.Blog, p *Page) { b.HeldBy, p.version, b.StaleBefore = "9 of 10", 7, after }, Substitute},
	} {
		b, kept := *ps.blog(), ps.cache.peek(key)
		page := &Page{made: kept.made}
		tt.change(&b, page)
		expect.Equal(t, ps.Freshness(&b, key, page), tt.want, tt.rule)
	}
}

// An older page is sent, with its age, if no new one can be rendered. Without one, the request fails.
func TestOlderPageIsSent(t *testing.T) {
	t.Parallel()
	down := func(ps *prerendered) { ps.Breaker.Trip(ps.site.DatabaseServer(), errors.New("no answer")) }
	broken := func(ps *prerendered) { ps.w.After(sitetest.Contents, func() { panic("odd data") }) }
	held := func(ps *prerendered) { sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.HeldBy = "9 of 10" }) }
	unread := func(ps *prerendered) {
		sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.Err, b.Catalog = site.ErrNotReadYet, nil })
	}
	for _, tt := range []struct {
		rule   string
		change func(*prerendered)
		page   int
		want   error // without an older page; nil if any error will do
	}{
		{"the database server does not answer", down, 1, site.ErrNotReadYet},
		{"rendering fails", broken, 1, nil},
		{"a loss is held", held, 1, nil},
		{"the site was not read since the start", unread, 1, site.ErrNotReadYet},
		{"there is no such page", down, 9, catalog.ErrNotFound},
		{"there is no such page, and no outage", func(*prerendered) {}, 9, catalog.ErrNotFound},
	} {
		ps := prerender(t, 1)
		tt.change(ps)
		a, err := ps.Get(t.Context(), ps.site, ps.blog(), "post", tt.page)
		expect.Equal(t, err != nil && (tt.want == nil || errors.Is(err, tt.want)), true, tt.rule, err)
		expect.Equal(t, a.Page == nil, true, tt.rule)
		if tt.page != 1 {
			continue
		}
		old := newPage([]byte("older"), time.Time{}, ps.now().Add(-time.Hour), nil)
		ps.cache.put(KeyOf(ps.site, ps.blog(), "post", 1), old)
		a, err = ps.Get(t.Context(), ps.site, ps.blog(), "post", 1)
		wptest.Must(t, err)
		expect.Equal(t, a, Answer{old, true, time.Hour}, tt.rule)
		expect.Equal(t, ps.site.Counted.Stale.Load(), 1, tt.rule)
	}
}

// The index needs no database, so that it is rendered while the server does not answer. It is as old as its catalog.
func TestIndexNeedsNoDatabase(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 1)
	ps.Breaker.Trip(ps.site.DatabaseServer(), errors.New("no answer"))
	sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.Built = ps.now().Add(-time.Minute) })
	a, err := ps.Get(t.Context(), ps.site, ps.blog(), seo.IndexName, 1)
	wptest.Must(t, err)
	expect.Equal(t, a.Stale, true)
	expect.Equal(t, a.Age, time.Minute)
	expect.Equal(t, ps.Breaker.down(ps.site.DatabaseServer()), true, "an index ends no outage:")
}

// While the database cannot be read, nobody knows whether a page is still true, so that it is sent with its age.
func TestAgeWhileUnread(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 1)
	now := ps.now()
	page := newPage([]byte("x"), time.Time{}, now.Add(-time.Hour), nil)
	b := *ps.blog()
	b.Built = now.Add(-time.Minute)
	expect.Equal(t, ps.answer(ps.site, &b, page, false), Answer{Page: page})
	expect.Equal(t, ps.answer(ps.site, &b, nil, true), Answer{})
	expect.Equal(t, ps.answer(ps.site, &b, page, true), Answer{page, true, time.Hour})
	b.Err = errors.New("connection refused")
	expect.Equal(t, ps.answer(ps.site, &b, page, false), Answer{page, true, time.Hour})
	b.Built = now.Add(-2 * time.Hour)
	expect.Equal(t, ps.answer(ps.site, &b, page, false), Answer{page, true, 2 * time.Hour}, "its catalog is older")
	expect.Equal(t, ps.answer(ps.site, &b, page, true), Answer{page, true, time.Hour})
	expect.Equal(t, ps.answer(ps.site, ps.blog(), NewPage(nil), true).Age > 0, true)
	page.built = now.Add(time.Hour)
	expect.Equal(t, ps.answer(ps.site, &b, page, true).Age, 0, "a clock that was set back")
}

// A request waits five seconds for a new page if an older one is at hand. Without one it waits until the page is there.
func TestPatienceOfRequests(t *testing.T) {
	for _, tt := range []struct{ older, late bool }{{true, true}, {true, false}, {false, true}} {
		ps := prerender(t, 1)
		synctest.Test(t, func(t *testing.T) {
			ps.empty()
			pause := stalePatience / 2
			if tt.late {
				pause = 2 * stalePatience
			}
			ps.w.After(sitetest.Contents, func() { time.Sleep(pause) })
			key := KeyOf(ps.site, ps.blog(), "post", 1)
			if tt.older {
				ps.cache.put(key, NewPage([]byte("older")))
			}
			began := time.Now()
			a, err := ps.Get(t.Context(), ps.site, ps.blog(), "post", 1)
			wptest.Must(t, err)
			want := pause
			if tt.older && tt.late {
				want = stalePatience
			}
			expect.Equal(t, time.Since(began), want, tt)
			expect.Equal(t, a.Stale, tt.older && tt.late, tt)
			synctest.Wait()
			time.Sleep(pause)
			synctest.Wait()
			expect.Equal(t, ps.Freshness(ps.blog(), key, ps.cache.peek(key)), Fresh, tt, "afterwards")
		})
	}
}

// A request that has ended does not end rendering for others.
func TestRequestThatEnds(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 1)
	begun, goOn := ps.w.Hold(sitetest.Contents)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := ps.Get(ctx, ps.site, ps.blog(), "post", 1)
		failed <- err
	}()
	<-begun
	cancel()
	expect.Equal(t, <-failed, context.Canceled)
	goOn()
	wptest.Eventually(t, "the page is kept", func() bool { return ps.Stats().Count == 1 })

	// The same holds for a request that an older page could answer.
	ps.w.Edit("post-1", 1)
	ps.read()
	_, err := ps.Get(ctx, ps.site, ps.blog(), "post", 1)
	expect.Equal(t, err, context.Canceled)
}

// When the daemon stops, all rendering ends.
func TestWorkEnds(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ps.WorkUntil(ctx)
	_, err := ps.Get(t.Context(), ps.site, ps.blog(), "post", 1)
	expect.Equal(t, err != nil, true)
	expect.Equal(t, ps.Stats().Count, 0)
}

// Hits and misses are counted. A page that is no more is forgotten.
func TestHitsAndMisses(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 2)
	files, counted := ps.blog().Outline.Files, ps.site.Counted
	state := func() [3]int64 { return [3]int64{counted.Hits.Load(), counted.Misses.Load(), counted.Stale.Load()} }
	ps.ask(files[2])
	expect.Equal(t, state(), [3]int64{0, 1, 0})
	ps.ask(files[2])
	expect.Equal(t, state(), [3]int64{1, 1, 0})
	time.Sleep(time.Millisecond)
	sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.RevalidateBefore = site.Now() })
	ps.ask(files[2])
	expect.Equal(t, state(), [3]int64{2, 1, 0}, "it may be sent once more")
	expect.Equal(t, ps.of(ps.site).saidAgain(), true, "and is rendered again soon")
	ps.w.Publish("post", 1)
	ps.read()
	_, err := ps.Get(t.Context(), ps.site, ps.blog(), "post", 2)
	expect.Equal(t, err, catalog.ErrNotFound)
	expect.Equal(t, state(), [3]int64{2, 2, 0})
	expect.Equal(t, ps.Stats().Count, 0, "the page is no more, and is forgotten")
}

// A page that has lost most of its entries is not sent, and the site is read again. If the new catalog says the same, the page is sent.
func TestShrunkPage(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.Config.Collapse = 0.5
	rereads := 0
	ps := newSitePages(s, func() { rereads++ })
	blog := func(generation uint64, timed ...string) *site.Blog {
		o := catalog.Outline{Files: []catalog.File{
			{Name: seo.IndexName, Page: 1, Entries: 40}, {Name: "post", Page: 1, Entries: 40}, {Name: "post", Page: 2, Entries: 5}, {Name: "page", Page: 1, Entries: 5},
		}, Timed: timed}
		b := site.Remembered(site.Blog{ID: 1, Home: "https://a.test"}, o, time.Time{})
		b.Generation = generation
		return b
	}
	shrunk := func(b *site.Blog, name string, page, entries int) bool {
		return ps.hasShrunk(b, store.Key{Site: "a", Blog: b.Key(), Name: name, Page: page}, entries)
	}
	expect.Equal(t, shrunk(blog(1), "post", 1, 20), false, "half of them")
	expect.Equal(t, shrunk(blog(1), "post", 2, 0), false, "few of them")
	expect.Equal(t, shrunk(blog(1), "page", 1, 0), false, "few of them, of a type with another page 1")
	expect.Equal(t, shrunk(blog(1), seo.IndexName, 1, 0), false, "the index is made of the catalog")
	expect.Equal(t, shrunk(blog(1, "post"), "post", 1, 0), false, "news pass by themselves")
	expect.Equal(t, rereads, 0)
	expect.Equal(t, shrunk(blog(1), "post", 1, 19), true, "most of them")
	expect.Equal(t, shrunk(blog(1), "post", 1, 19), true, "the site was not read again")
	expect.Equal(t, rereads, 2)
	expect.Equal(t, shrunk(blog(2), "post", 1, 19), false, "the site was read again")
	expect.Equal(t, shrunk(blog(2), "post", 1, 40), false, "they are back")
	expect.Equal(t, shrunk(blog(3), "post", 1, 19), true, "gone for a second time")
	s.Config.Collapse = 0
	expect.Equal(t, shrunk(blog(3), "post", 1, 0), false, "switched off")

	whole := prerender(t, 8)
	whole.site.Config.PageSize, whole.site.Config.Collapse = 1000, 0.5
	whole.read()
	whole.w.Exec("DELETE FROM wp_posts WHERE post_type = 'post' AND post_name <> 'post-1'")
	_, err := whole.Get(t.Context(), whole.site, whole.blog(), "post", 1)
	expect.Equal(t, err, errShrunk)
	whole.read()
	a, err := whole.Get(t.Context(), whole.site, whole.blog(), "post", 1)
	wptest.Must(t, err)
	expect.Contains(t, string(a.Page.Plain()), "/post-1/")
}

// Only the first failure of a page is logged, and that it can be built again.
func TestFailuresAreLoggedOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newSite()
	s.Log = slog.New(slog.NewTextHandler(&log, nil))
	ps, key := newSitePages(s, func() {}), store.Key{Site: "a", Blog: "1 https://a.test", Name: "post", Page: 2}
	for _, tt := range []struct {
		err                error
		failures, recovery int
	}{{nil, 0, 0}, {errShrunk, 1, 0}, {errOutage, 1, 0}, {nil, 1, 1}, {nil, 1, 1}, {errShrunk, 2, 1}} {
		ps.note(key, tt.err)
		expect.Equal(t, strings.Count(log.String(), "page cannot be built"), tt.failures, tt)
		expect.Equal(t, strings.Count(log.String(), "page can be built again"), tt.recovery, tt)
	}
}

// A page that the store could not take is saved once there is room. A page that the store has lost is saved again.
func TestPageIsSavedAgain(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 1)
	open := func() *store.Store {
		kept, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
		return kept
	}
	files := ps.blog().Outline.Files
	ps.ask(files...)
	expect.Equal(t, ps.unsaved(ps.cache.peek(KeyOf(ps.site, ps.blog(), "post", 1))), false, "there is no store")
	has := func(f catalog.File) bool { return ps.store.Has(KeyOf(ps.site, ps.blog(), f.Name, f.Page)) }
	ps.UseStore(open())
	ps.ask(files[1])
	servertest.Written(t, ps.store)
	expect.Equal(t, has(files[0]), false)
	expect.Equal(t, has(files[1]), true, "a visitor has asked for it")
	ps.Plan(ps.site)
	servertest.Written(t, ps.store)
	expect.Equal(t, has(files[0]), true, "the background work has saved it")
}

// A look at a page that visitors would get renders only what they would not get from memory.
func TestServed(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 1)
	served := func() *Page {
		p, err := ps.Served(t.Context(), ps.site, ps.blog(), "post", 1)
		wptest.Must(t, err)
		return p
	}
	first := served()
	expect.Equal(t, served(), first)
	expect.Equal(t, ps.site.Counted.Hits.Load(), 0, "a look is no use")
	ps.w.Edit("post-1", 1)
	ps.read()
	sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.Err = errors.New("connection refused") })
	expect.Equal(t, served(), first, "the blog cannot be read")
	sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.Err = nil })
	expect.Equal(t, served() != first, true, "the page has changed")
}

// A page that nobody has asked for takes only free room, and goes first when somebody asks for others.
func TestCacheAhead(t *testing.T) {
	t.Parallel()
	const size = 1000
	page := func() *Page { return &Page{body: make([]byte, size)} }
	key := func(i int) store.Key { return store.Key{Site: "a", Page: i} }
	c := newCache(2 * (size + overhead))
	expect.Equal(t, c.put(key(1), page()), true)
	expect.Equal(t, c.putAhead(key(2), page()), true, "there is room")
	expect.Equal(t, c.putAhead(key(2), page()), false, "it is there already")
	expect.Equal(t, c.putAhead(key(3), page()), false, "there is no room")
	expect.Equal(t, c.held, 2*(size+overhead))
	expect.Equal(t, c.put(key(4), page()), true)
	expect.Equal(t, c.peek(key(2)) == nil && c.peek(key(1)) != nil && c.peek(key(3)) == nil, true, "the page ahead goes first:")
	expect.Equal(t, c.stats().Evictions, 1)
	c.put(store.Key{Site: "b", Page: 4}, page())
	seen := 0
	c.each("a", func(k store.Key, _ *Page) bool { seen += k.Page; return true })
	expect.Equal(t, seen, 4)
	c.setLimit(size + overhead)
	expect.Equal(t, c.stats().Count, 1)
	expect.Equal(t, c.peek(store.Key{Site: "b", Page: 4}) != nil, true, "the page used last stays:")
	expect.Equal(t, c.size(), size+overhead)
	large := &Page{body: make([]byte, 2*size)}
	expect.Equal(t, c.put(store.Key{Site: "b", Page: 4}, large), false)
	expect.Equal(t, c.stats().Count, 0, "a page that has grown too large")
	exact := &Page{body: make([]byte, size)}
	expect.Equal(t, c.put(key(5), exact), true, "a page of exactly the limit")
}
