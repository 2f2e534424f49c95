package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/view"
	"wpsitemapd/wp/wptest/expect"
)

func TestPageCacheIsBounded(t *testing.T) {
	const size = 1000
	c := newCache(3 * (size + overhead))
	key := func(i int) store.Key { return store.Key{Site: "a", Page: i} }
	for i := range 4 {
		c.put(key(i), &Page{body: make([]byte, size)})
		c.get(key(0)) // page 0 was used last
	}
	if c.get(key(1)) != nil || c.get(key(0)) == nil || c.get(key(2)) == nil || c.get(key(3)) == nil {
		t.Errorf("the page unused for longest must go: %v", c.pages)
	}
	expect.Equal(t, c.held, 3*(size+overhead), "holds", "bytes")
	c.put(key(9), &Page{body: make([]byte, 3*(size+overhead))})
	if c.get(key(9)) != nil || len(c.pages) != 3 {
		t.Error("a page above the limit must not drive out the others")
	}
	for i := range 4 {
		c.remove(key(i))
	}
	if c.held != 0 || len(c.pages) != 0 || c.order.Len() != 0 {
		t.Errorf("empty, and holds %d bytes, %d pages", c.held, len(c.pages))
	}
}

func TestPageCacheKeepsTheNewerGeneration(t *testing.T) {
	c := newCache(1 << 20)
	key := store.Key{Site: "a"}
	c.put(key, &Page{made: made{generation: 2}})
	c.put(key, &Page{made: made{generation: 1}}) // an older build, which took long
	expect.Equal(t, c.get(key).generation, 2, "generation")
	c.put(key, &Page{made: made{generation: 3}})
	expect.Equal(t, c.get(key).generation, 3)
	expect.Equal(t, c.held, overhead)
}

func TestDates(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC) }
	a, b := bytes.Repeat([]byte("a"), 500), bytes.Repeat([]byte("b"), 500)
	previous := newPage(a, at(5), at(10), nil)
	for _, test := range []struct {
		rule         string
		body         []byte
		lastMod      time.Time
		previous     *Page
		wantModified time.Time
	}{
		{"the newest date in the page", a, at(5), nil, at(5)},
		{"none without a date", a, time.Time{}, nil, time.Time{}},
		{"never later than now", a, at(20), nil, at(12)},
		{"another page with a newer date", b, at(6), previous, at(6)},
		{"another page with an older date changed now", b, at(4), previous, at(12)},
		{"another page with the same date changed now", b, at(5), previous, at(12)},
		{"another page without a date changed now", b, time.Time{}, previous, at(12)},
		{"the same page keeps its date", a, at(6), previous, at(5)},
	} {
		c := newPage(test.body, test.lastMod, at(12), test.previous)
		if !c.modified.Equal(test.wantModified) || !c.built.Equal(at(12)) {
			t.Errorf("%s: modified %v, want %v", test.rule, c.modified, test.wantModified)
		}
	}
	same := newPage(bytes.Clone(a), at(5), at(12), previous)
	expect.Equal(t, &same.gzipped[0], &previous.gzipped[0], "equal bytes are held twice")
	if same.slim(); same.body != nil || !bytes.Equal(same.Plain(), a) {
		t.Error("the compressed form is not what is kept")
	}
}

// pieces is a client that records how many bytes it gets at a time.
type pieces struct {
	bytes.Buffer
	largest int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.largest = max(p.largest, len(b))
	return p.Buffer.Write(b)
}

// While a compressed page is sent uncompressed, nobody has the whole uncompressed page in memory.
func TestUnpackedWhileSent(t *testing.T) {
	var body []byte
	for i := range 20_000 {
		body = fmt.Appendf(body, "<url><loc>https://a.test/%d/</loc></url>", i)
	}
	c := newPage(body, time.Time{}, time.Unix(0, 0), nil)
	c.slim()
	var sent pieces
	got := c.Content(Identity)
	got.SendTo(&sent)
	if got.Size() != len(body) || !bytes.Equal(sent.Bytes(), body) {
		t.Errorf("%d bytes sent of %d, told %d", sent.Len(), len(body), got.Size())
	}
	if sent.largest > 64<<10 {
		t.Errorf("%d bytes at a time of %d", sent.largest, len(body))
	}
}

// Every form of a page is made once and has its own entity tag.
func TestRepresentations(t *testing.T) {
	newest := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	body := []byte(strings.Repeat("<url><loc>https://a.test/</loc></url>\n", 100))
	p := newPage(body, newest, newest, nil)
	if len(p.gzipped) == 0 || p.size() != int64(len(p.body)+len(p.gzipped))+overhead {
		t.Errorf("%d bytes are %d in gzip", len(p.body), len(p.gzipped))
	}
	tags := map[string]bool{}
	for _, coding := range []string{Identity, Gzipped, File} {
		tags[p.ETag(coding)[0]] = true
	}
	expect.Equal(t, len(tags), 3, "tags", tags)
	other := newTagged(body, 1, newest, newest, nil)
	if same := newTagged(body, 1, newest, newest, nil); same.ETag(Identity)[0] != other.ETag(Identity)[0] || tags[other.ETag(Identity)[0]] ||
		newTagged(body, 2, newest, newest, nil).ETag(Identity)[0] == other.ETag(Identity)[0] {
		t.Error("equal bytes have the entity tags of their tags")
	}
	if small := newPage([]byte("<urlset/>"), newest, newest, nil); small.gzipped != nil {
		t.Error("compressed though it saves nothing")
	}
}

// The cache decides between the pages of a site and those of its successor: the successor's pages win.
func TestLaterSiteWins(t *testing.T) {
	cache := newCache(1 << 20)
	key := store.Key{Site: "a"}
	put := func(term, generation uint64) bool {
		return cache.put(key, &Page{made: made{term: term, generation: generation}, body: []byte{1}})
	}
	for _, step := range []struct {
		term, generation uint64
		want             bool
	}{{0, 0, true}, {1, 5, true}, {1, 4, false}, {1, 5, true}, {1, 9, true}, {2, 6, true}, {1, 10, false}, {2, 5, false}, {2, 7, true}, {0, 0, false}} {
		expect.Equal(t, put(step.term, step.generation), step.want, step)
	}
}

// Notes about pages that have gone are forgotten.
func TestNotesOfPagesThatHaveGone(t *testing.T) {
	s := newSitePages(site.New(config.Site{Name: "a"}, slog.New(slog.DiscardHandler)), func() {})
	forget := func(blogs ...*site.Blog) {
		s.Publish(&site.Snapshot{Blogs: blogs})
		s.forgetGone(s.Snapshot())
	}
	blog := func(pages int) *site.Blog {
		o := catalog.Outline{Active: true}
		for page := range pages {
			o.Files = append(o.Files, catalog.File{Name: "post", Page: page + 1})
		}
		return site.Remembered(site.Blog{ID: 1, Home: "https://a.test"}, o, time.Time{})
	}
	b := blog(3)
	for page := 1; page <= 3; page++ {
		key := store.Key{Site: "a", Blog: b.Key(), Name: "post", Page: page}
		s.note(key, errors.New("broken"))
		s.shrunk[key] = 1
	}
	forget(b)
	expect.Equal(t, len(s.failing), 3, s.failing, s.shrunk)
	expect.Equal(t, len(s.shrunk), 3, s.failing, s.shrunk)
	forget(blog(2))
	expect.Equal(t, len(s.failing), 2, s.failing, s.shrunk)
	expect.Equal(t, len(s.shrunk), 2, s.failing, s.shrunk)
	forget()
	expect.Equal(t, len(s.failing), 0, s.failing, s.shrunk)
	expect.Equal(t, len(s.shrunk), 0, s.failing, s.shrunk)
}

// smallSite returns a site with one page, and a function that reads its blog. Its files are closed at the end of the test.
func smallSite(t *testing.T) (w *sitetest.WordPress, read func(generation uint64) *site.Blog) {
	w = sitetest.NewWordPress(t, "https://a.test", 1)
	of, now := newSite(), sitetest.Published.Add(time.Hour)
	return w, func(generation uint64) *site.Blog { return w.Blog(of, func() time.Time { return now }, generation) }
}

func newSite() *site.Site {
	s := site.New(config.Site{Name: "a", Prerender: true, PageSize: 1000, Compat: "spec"}, slog.New(slog.DiscardHandler))
	s.Counted, s.Process = new(metrics.SiteCounts), metrics.NewProcess()
	s.InForce.Store(true)
	return s
}

// A page whose rows are newer than the catalog waits for the next catalog, but only for a limited time.
func TestPageWaitsForTheNextCatalog(t *testing.T) {
	w, read := smallSite(t)
	behind := read(1)
	w.Edit("post-1", 1)
	current := read(2)
	for _, tt := range []struct{ follows, older bool }{{true, false}, {false, false}, {true, true}, {false, true}} {
		synctest.Test(t, func(t *testing.T) {
			p := New(Options{Limit: 1 << 20, Now: time.Now, Breaker: NewBreaker(slog.New(slog.DiscardHandler))})
			s, b := newSite(), behind
			publish := func(b *site.Blog) { s.Publish(&site.Snapshot{Blogs: []*site.Blog{b}, Opened: true}) }
			publish(behind)
			held := 0
			if tt.older {
				held = 1
				p.cache.put(KeyOf(s, b, "post", 1), NewPage([]byte("older")))
			}
			got := make(chan Answer, 1)
			go func() {
				a, err := p.Get(t.Context(), s, b, "post", 1)
				if err != nil {
					t.Error(err)
				}
				got <- a
			}()
			synctest.Wait()
			expect.Equal(t, p.cache.stats().Count, held, tt, "a page of no moment is kept for others")
			publish(behind) // no new rows were read
			if tt.follows {
				publish(current)
			} else {
				time.Sleep(nextTimeout)
			}
			synctest.Wait()
			if a := <-got; a.Page.behind == tt.follows || a.Stale || p.cache.stats().Count != 1 {
				t.Errorf("%+v: behind is %t, stale %t", tt, a.Page.behind, a.Stale)
			}
		})
	}
}

// Two requests found no page. The flight of the first has ended when the second asks for one.
func TestPageIsRenderedOnce(t *testing.T) {
	_, read := smallSite(t)
	p := New(Options{Limit: 1 << 20, Now: time.Now, Breaker: NewBreaker(slog.New(slog.DiscardHandler))})
	s, b := newSite(), read(1)
	s.Publish(&site.Snapshot{Blogs: []*site.Blog{b}, Opened: true})
	first := <-p.renderOnce(s, b, KeyOf(s, b, "post", 1), nil, false)
	second := <-p.renderOnce(s, b, KeyOf(s, b, "post", 1), nil, false)
	if first.Err != nil || second.Val != first.Val {
		t.Errorf("the page was rendered twice: %v", first.Err)
	}
}

// A page that a replaced site renders is sent to the request under way, and not kept.
func TestReplacedSiteKeepsNothing(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	_, read := smallSite(t)
	for _, inForce := range []bool{true, false} {
		p := New(Options{Limit: 1 << 20, Now: time.Now, Breaker: NewBreaker(log)})
		s, b := newSite(), read(1)
		s.InForce.Store(inForce)
		a, err := p.Get(t.Context(), s, b, "post", 1)
		if kept := p.cache.stats().Count == 1; err != nil || a.Page == nil || kept != inForce {
			t.Errorf("in force %t: %v, kept %t", inForce, err, kept)
		}
	}
}

// During an outage, one page is tried from time to time. If it succeeds, the outage ends.
func TestOutageIsTried(t *testing.T) {
	b := NewBreaker(slog.New(slog.DiscardHandler))
	trip := func() { b.Trip("a", errors.New("no answer")) }
	if !b.allows("a") || b.down("a") {
		t.Error("it begins with an outage")
	}
	trip()
	began := b.Tripped("a")
	trip()
	if b.allows("a") || !b.allows("b") || !b.down("a") || b.down("b") || b.Tripped("a") != began {
		t.Error("it does not block, or not only what it should")
	}
	b.servers["a"].tried = time.Now().Add(-tryEvery)
	if !b.allows("a") || b.allows("a") {
		t.Error("not one is tried")
	}
	for range 2 {
		if b.Reset("a"); b.down("a") || !b.allows("a") {
			t.Error("it does not end")
		}
	}
}

// A database server that does not answer leaves slots for work on other servers. Work that waits for it does not hold a slot for long.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(4, 3)
		var hanging []func()
		for range 3 {
			release, ok := s.Acquire(t.Context(), "hangs", nil)
			if !ok {
				t.Fatal("no slot")
			}
			hanging = append(hanging, release)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, ok := s.Acquire(short, "hangs", nil); ok {
			t.Error("one server takes every slot")
		}
		good, ok := s.Acquire(t.Context(), "good", nil)
		if !ok {
			t.Fatal("no slot for another server")
		}
		start := time.Now()
		second, ok := s.Acquire(t.Context(), "good", nil)
		if took := time.Since(start); !ok || took != slotTimeout-time.Second {
			t.Errorf("a slot after %v, want one when the first have had theirs for %v", took, slotTimeout)
		}
		hurry := make(chan struct{}, 1)
		time.AfterFunc(time.Second, func() { hurry <- struct{}{} })
		start = time.Now()
		hurried, ok := s.Acquire(t.Context(), "hangs", hurry)
		if took := time.Since(start); !ok || took != time.Second {
			t.Errorf("a slot for what a request waits for after %v, want it out of turn", took)
		}
		for _, release := range append(hanging, good, second, hurried) {
			release()
		}
		expect.Equal(t, len(s.all)+len(s.servers), 0, "slots are still taken", len(s.servers), "servers are kept")
	})
}

// An HTML page is rendered for one request, and rendering ends with that request.
func TestHTML(t *testing.T) {
	p := New(Options{Limit: 1 << 20, Now: time.Now})
	xml := NewPage([]byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/one/</loc></url></urlset>`))
	ended, end := context.WithCancel(t.Context())
	end()
	for _, tt := range []struct {
		ctx  context.Context
		part int
		want error
	}{{t.Context(), 1, nil}, {t.Context(), 3, view.ErrNoPart}, {ended, 1, context.Canceled}} {
		_, err := p.HTML(tt.ctx, xml, view.Frame{Home: "https://a.test", Number: 1, Of: 1, Part: tt.part})
		if !errors.Is(err, tt.want) {
			t.Errorf("part %d: %v, want %v", tt.part, err, tt.want)
		}
	}
}
