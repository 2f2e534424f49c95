package pages

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
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

// prerendered is a site whose pages are rendered in the background when a test says so.
type prerendered struct {
	*Pages
	t          *testing.T
	w          *sitetest.WordPress
	site       *site.Site
	generation uint64
	posts      atomic.Int64 // how many pages of posts were rendered
}

// prerender returns a site with an index and a number of pages of posts, three posts on a page.
func prerender(t *testing.T, pages int) *prerendered {
	ps := &prerendered{t: t, w: sitetest.NewWordPress(t, "https://a.test", 3*pages-1), site: newSite()}
	ps.site.Config.PageSize = 3
	ps.empty()
	ps.w.After(sitetest.Contents, func() { ps.posts.Add(1) })
	ps.read()
	return ps
}

// empty forgets all pages, as a new process does.
func (ps *prerendered) empty() {
	ps.Pages = New(Options{Limit: 1 << 20, Now: ps.now, Breaker: NewBreaker(slog.New(slog.DiscardHandler))})
	ps.Add(ps.site, func() {})
	ps.posts.Store(0)
}

func (ps *prerendered) now() time.Time { return sitetest.Published.Add(time.Hour) }

// read reads the site again.
func (ps *prerendered) read() {
	ps.generation++
	b := ps.w.Blog(ps.site, ps.now, ps.generation)
	b.AskedAt(time.Now())
	ps.site.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{b}})
}

func (ps *prerendered) blog() *site.Blog { return ps.site.Snapshot().Blogs[0] }

// makeAll renders everything that is due.
func (ps *prerendered) makeAll() {
	ps.t.Helper()
	ctx, cancel := context.WithTimeout(ps.t.Context(), wptest.Patience)
	defer cancel()
	ps.MakeAll(ctx, ps.site)
	wptest.Must(ps.t, ctx.Err())
}

// ask asks for pages as visitors do.
func (ps *prerendered) ask(files ...catalog.File) {
	ps.t.Helper()
	for _, f := range files {
		_, err := ps.Get(ps.t.Context(), ps.site, ps.blog(), f.Name, f.Page)
		wptest.Must(ps.t, err)
	}
}

// plan returns the pages to render next, as words: a name, a page, and "ahead" if nobody asked for it, or "check" if it may have changed.
func (ps *prerendered) plan() string {
	var words []string
	for _, c := range ps.Plan(ps.site) {
		word := strings.Replace(fmt.Sprint(c.Key.Name, c.Key.Page), fmt.Sprint(seo.IndexName, 1), "index", 1)
		if c.Share == checkShare {
			word += " check"
		}
		if c.Ahead {
			word += " ahead"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func TestEveryPageIsMadeOnce(t *testing.T) {
	ps := prerender(t, 3)
	expect.Equal(t, ps.plan(), "index ahead, post1 ahead, post2 ahead, post3 ahead")
	for range 3 {
		ps.makeAll()
	}
	expect.Equal(t, ps.posts.Load(), 3)
	expect.Equal(t, ps.Stats().Count, 4)
	expect.Equal(t, ps.plan(), "")
	ps.ask(ps.blog().Outline.Files...)
	expect.Equal(t, ps.posts.Load(), 3, "renders once they were asked for")
	ps.w.Publish("post", 11)
	ps.w.Edit("post-1", 1)
	ps.read() // there is one more page, and the first page and the index have changed
	expect.Equal(t, ps.plan(), "post4 ahead", "the page that was never made is the first")
	ps.makeAll()
	expect.Equal(t, ps.posts.Load(), 5, "renders after a change")
}

func TestNoPageIsMadeAhead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*prerendered)
		alter  func(*site.Blog)
	}{
		{"it is switched off", func(ps *prerendered) { ps.site.Config.Prerender = false }, func(*site.Blog) {}},
		{"another site has the name", func(ps *prerendered) { ps.site.InForce.Store(false) }, func(*site.Blog) {}},
		{"it has no sitemaps", nil, func(b *site.Blog) { b.Outline.Active = false }},
		{"a loss is held", nil, func(b *site.Blog) { b.HeldBy = "9 of 10" }},
		{"it is not in memory", nil, func(b *site.Blog) { b.Book = nil }},
		{"they stand elsewhere", nil, func(b *site.Blog) {
			for i := range b.Outline.Files {
				b.Outline.Files[i].Elsewhere = true
			}
		}},
		{"there is nothing", nil, func(b *site.Blog) { b.Outline.Files = nil }},
	} {
		ps := prerender(t, 1)
		if tt.change != nil {
			tt.change(ps)
		}
		sitetest.Alter(ps.site, 1, tt.alter)
		expect.Equal(t, ps.plan(), "", tt.name)
		ps.makeAll()
		expect.Equal(t, ps.Stats().Count, 0, tt.name)
	}
}

// If not all blogs of a network are in memory, only the pages of blogs that visitors ask for are made ahead.
func TestOnlyBlogsInUseArePrerendered(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 1)
	quiet := ps.w.Blog(ps.site, ps.now, 1)
	quiet.AskedAt(time.Time{})
	idle := site.Unread(site.Blog{ID: 7, Home: "https://a.test/seven"}, site.ErrUnreadBlog)
	for _, tt := range []struct {
		rule  string
		blogs []*site.Blog
		want  string
	}{
		{"all are in memory", []*site.Blog{quiet}, "index ahead, post1 ahead"},
		{"another is idle", []*site.Blog{quiet, idle}, ""},
		{"another is idle, and this one in use", []*site.Blog{ps.blog(), idle}, "index ahead, post1 ahead"},
		{"another cannot be read", []*site.Blog{quiet, site.Unread(site.Blog{ID: 7}, errors.New("no such table"))}, "index ahead, post1 ahead"},
	} {
		ps.site.Publish(&site.Snapshot{Opened: true, Blogs: tt.blogs})
		expect.Equal(t, ps.plan(), tt.want, tt.rule)
	}
}

// Pages that have changed come before pages that may have changed. The one that was requested last comes first.
func TestOrderOfChangedPages(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 3)
	ps.site.Config.Prerender = false
	files := ps.blog().Outline.Files
	ps.ask(files...)
	ps.ask(files[2])
	expect.Equal(t, ps.plan(), "")
	time.Sleep(time.Millisecond)
	now := site.Now()
	sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.RevalidateBefore = now })
	expect.Equal(t, ps.plan(), "post2 check, post3 check, post1 check, index check")
	ps.w.Edit("post-1", 1)
	ps.read()
	changed := ps.plan()
	expect.Equal(t, strings.HasSuffix(changed, "index") && !strings.Contains(changed, "check"), true, changed)
	ps.makeAll()
	expect.Equal(t, ps.plan(), "")
	ps.read()
	sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.HeldBy, b.StaleBefore = "9 of 10", site.Now() })
	expect.Equal(t, ps.plan(), "", "while a loss is held")
	sitetest.Alter(ps.site, 1, func(b *site.Blog) { b.HeldBy = "" })
	expect.Equal(t, ps.plan(), "post2, post3, post1, index", "afterwards")
}

// If the memory is too small, the requested pages stay, and each page is rendered ahead once.
func TestPagesAheadTakeNoRoom(t *testing.T) {
	ps := prerender(t, 20)
	ps.makeAll()
	limit := ps.Stats().Bytes / 2
	ps.empty()
	ps.SetLimit(limit)
	files := ps.blog().Outline.Files
	asked := files[len(files)-3:]
	ps.ask(asked...)
	for range 3 {
		ps.makeAll()
	}
	rendered := ps.posts.Load()
	if stats := ps.Stats(); stats.Evictions != 0 || stats.Count < 9 || rendered != 20 {
		t.Errorf("%d renders, %+v", rendered, stats)
	}
	ps.ask(asked...)
	expect.Equal(t, ps.posts.Load(), rendered, "pages that were asked for were given up for others")
	// Requested pages take the room of pages that nobody has asked for.
	ps.ask(files[1:8]...)
	rendered = ps.posts.Load()
	ps.ask(asked...)
	ps.makeAll()
	if more := ps.posts.Load() - rendered; more > 3 {
		t.Errorf("%d renders more: pages take turns", more)
	}
}

// A store that is too small for all pages keeps those it has. A page without room is not rendered again and again.
func TestPagesAheadTakeNoRoomOnDisk(t *testing.T) {
	ps := prerender(t, 20)
	kept, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 16 << 10, Log: slog.New(slog.DiscardHandler)}, "a")
	ps.UseStore(kept)
	ps.SetLimit(1) // nothing fits
	ps.makeAll()
	servertest.Written(t, kept)
	stats := kept.Stats()
	if stats.Pruned > 0 || stats.Bytes > 16<<10 || stats.Blobs < 10 {
		t.Errorf("%+v", stats)
	}
	ps.makeAll()
	expect.Equal(t, ps.posts.Load(), 20)
}

// If a visitor waits for a page that is being rendered ahead, the page is kept, even if there is no room for pages that
// nobody asked for.
func TestVisitorJoinsAPrerender(t *testing.T) {
	ps := prerender(t, 2)
	files := ps.blog().Outline.Files
	ps.ask(files[0], files[1])
	ps.SetLimit(ps.Stats().Bytes + 1000) // nothing else fits
	begun, goOn := ps.w.Hold(sitetest.Contents)
	ended, asked := make(chan struct{}), make(chan struct{})
	go func() { defer close(ended); ps.makeAll() }()
	<-begun
	go func() { defer close(asked); ps.ask(files[2]) }()
	misses := &ps.site.Counted.Misses
	wptest.Eventually(t, "the visitor waits", func() bool { return misses.Load() == 3 }, misses)
	goOn()
	<-asked
	<-ended
	ps.w.After(sitetest.Contents, func() { t.Error("it is rendered a second time") })
	ps.ask(files[2])
}

// A page that fails does not keep other pages from being rendered. It is not tried again at once.
func TestPageAheadThatFails(t *testing.T) {
	ps := prerender(t, 3)
	page := 0
	ps.w.After(sitetest.Contents, func() {
		if page++; page == 2 {
			panic("odd data")
		}
	})
	ps.makeAll()
	expect.Equal(t, ps.Stats().Count, 3)
	ps.makeAll()
	expect.Equal(t, ps.Stats().Count, 4)
	expect.Equal(t, page, 4, "pages of posts")
}

// The background work of a site waits for a signal, and ends when it is told to.
func TestPrerenderingWaitsForSignal(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 2)
	stop := ps.StartPrerendering(t.Context(), ps.site)
	for range 3 {
		ps.PrerenderSoon(ps.site) // further signals are the same signal
	}
	wptest.Eventually(t, "all pages are rendered", func() bool { return ps.Stats().Count == 3 })
	stop()
	ps.empty()
	ps.PrerenderSoon(ps.site)
	expect.Equal(t, ps.of(ps.site).saidAgain(), true, "the signal is still there:")
	expect.Equal(t, ps.of(ps.site).saidAgain(), false)
	expect.Equal(t, ps.Stats().Count, 0)
}

// Another process with the same store takes over the pages that were rendered from the same catalog.
func TestPagesOfAnotherProcess(t *testing.T) {
	t.Parallel()
	ps := prerender(t, 2)
	kept, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	ps.UseStore(kept)
	ps.makeAll()
	servertest.Written(t, kept)
	tag := func() string {
		return ps.Peek(ps.site, ps.blog(), "post", 1).ETag(Identity)[0]
	}
	before := tag()
	ps.empty()
	ps.UseStore(kept)
	expect.Equal(t, ps.plan(), "", "the store has every page")
	expect.Equal(t, tag(), before)
	expect.Equal(t, ps.Stats().Count, 0, "a look is no use")
	ps.ask(ps.blog().Outline.Files...)
	expect.Equal(t, ps.posts.Load(), 0)
	expect.Equal(t, ps.Stats().Count, 3)

	ps.w.Edit("post-1", 1)
	ps.read()
	stored := ps.Peek(ps.site, ps.blog(), "post", 1)
	a, err := ps.Get(t.Context(), ps.site, ps.blog(), "post", 1)
	wptest.Must(t, err)
	expect.Equal(t, a.Page != stored && !a.Stale, true, "a page of an older catalog is rendered again:")
	servertest.Written(t, kept)
	behind := New(Options{Limit: 1 << 20, Now: ps.now, Breaker: ps.Breaker})
	behind.UseStore(kept)
	behind.cache.put(KeyOf(ps.site, ps.blog(), "post", 1), NewPage([]byte("older")))
	ps.posts.Store(0)
	b, err := behind.Get(t.Context(), ps.site, ps.blog(), "post", 1)
	wptest.Must(t, err)
	expect.Equal(t, b.Page.ETag(Identity)[0], a.Page.ETag(Identity)[0])
	expect.Equal(t, ps.posts.Load(), 0, "another process has rendered it already")
}
