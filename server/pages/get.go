package pages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

const (
	// stalePatience is how long a request waits for a fresh page if an older page is at hand.
	stalePatience = 5 * time.Second
	// nextTimeout is how long rendering waits for the next catalog if the rows of a page turn out to be newer than its catalog.
	// A poll and a delta take less.
	nextTimeout = 3 * time.Second
)

var (
	// errOutage means that the database server did not answer, so that the page was not rendered.
	errOutage = errors.New("its database server does not answer")
	// errShrunk means that most entries of a page have gone since its catalog was built. Such a page is not sent.
	errShrunk = errors.New("most entries of this page are gone from the database; the site is read again")
)

// Freshness is how fresh a stored page is, in the terms of RFC 9111.
type Freshness uint8

// The kinds of freshness.
const (
	Fresh      Freshness = iota // rendering would give the same page
	Revalidate                  // may be sent, but must be rendered again: data that the catalog does not cover may have changed
	Stale                       // something that the page is made of has changed
	Substitute                  // the loss guard holds the new state back, so the page must be sent as it is
)

// Freshness returns how fresh a stored page of a blog is.
func (p *Pages) Freshness(b *site.Blog, key store.Key, page *Page) Freshness {
	version := b.Version(key.Name, key.Page)
	switch {
	case b.HeldBy != "":
		return Substitute
	case page.version != version, page.expired(p.Now()), page.asOf.Before(b.StaleBefore):
		return Stale
	case page.asOf.Before(b.RevalidateBefore):
		return Revalidate
	}
	return Fresh
}

// expired reports whether the page has to change because of the time alone, with no edit.
func (p *Page) expired(now time.Time) bool { return !p.expires.IsZero() && !now.Before(p.expires) }

// An Answer is a page to send.
type Answer struct {
	Page  *Page
	Stale bool          // Stale reports whether the page may be out of date.
	Age   time.Duration // Age is how long the page may have been out of date. It is 0 if the page is not stale.
}

// Get returns a page of a blog: the stored page if it is fresh, else a page rendered now. If rendering fails or takes long, it
// returns the stored page as stale. The errors are catalog.ErrNotFound, errors of rendering, and the error of ctx.
func (p *Pages) Get(ctx context.Context, s *site.Site, b *site.Blog, name string, n int) (Answer, error) {
	key := KeyOf(s, b, name, n)
	stored := p.lookup(s, b, key)
	if stored != nil && p.Freshness(b, key, stored) == Stale {
		if made := p.madeElsewhere(s, b, key); made != nil {
			stored = made
		}
	}
	if stored == nil {
		s.Counted.Misses.Add(1)
		if b.HeldBy != "" {
			return Answer{}, b.Unrendered(name, n)
		}
		page, err := p.renderSoon(ctx, s, b, key, nil)
		return p.answer(s, b, page, false), err
	}
	switch p.Freshness(b, key, stored) {
	case Revalidate:
		p.PrerenderSoon(s)
		fallthrough
	case Fresh:
		if p.unsaved(stored) {
			p.save(key, stored, false)
		}
		s.Counted.Hits.Add(1)
		return p.answer(s, b, stored, false), nil
	case Substitute:
		return p.answer(s, b, stored, true), nil
	default: // Stale
		s.Counted.Misses.Add(1)
		page, err := p.renderSoon(ctx, s, b, key, stored)
		if page == nil && !errors.Is(err, catalog.ErrNotFound) && ctx.Err() == nil {
			page, err = stored, nil
		}
		return p.answer(s, b, page, page == stored), err
	}
}

// answer returns an Answer with the page and its age. A page is stale in any case if its blog or its database cannot be read,
// because nobody knows whether the page is still true. page may be nil.
func (p *Pages) answer(s *site.Site, b *site.Blog, page *Page, stale bool) Answer {
	if page == nil || !stale && b.Err == nil && !p.Breaker.down(s.DatabaseServer()) {
		return Answer{Page: page}
	}
	since := page.built
	if !stale && b.Built.Before(since) {
		since = b.Built // the page is only as true as its catalog, which was built before
	}
	s.Counted.Stale.Add(1)
	return Answer{page, true, max(0, p.Now().Sub(since))}
}

// lookup returns the page from memory or the store, or nil.
func (p *Pages) lookup(s *site.Site, b *site.Blog, key store.Key) *Page {
	if page := p.cache.get(key); page != nil || !b.HasFixed(key.Name, key.Page) {
		return page
	}
	page := p.fromStore(s, b, key)
	if page != nil {
		p.cache.put(key, page)
	}
	return page
}

// renderSoon renders a page and waits for the result. It gives up if the database server stops answering, or if ctx ends. If
// stored is not nil, it waits no longer than stalePatience. If it gives up, it returns nil and an error.
func (p *Pages) renderSoon(ctx context.Context, s *site.Site, b *site.Blog, key store.Key, stored *Page) (*Page, error) {
	var late <-chan time.Time
	if stored != nil {
		timer := time.NewTimer(stalePatience)
		defer timer.Stop()
		late = timer.C
	}
	var tripped <-chan struct{}
	if needsDatabase(key.Name) {
		tripped = p.Breaker.Tripped(s.DatabaseServer())
	}
	select {
	case result := <-p.renderOnce(s, b, key, stored, false):
		page, _ := result.Val.(*Page)
		if page != nil && b.HasFixed(key.Name, key.Page) && p.cache.get(key) == nil {
			p.keep(s, key, page, false) // it was rendered ahead of time, when the cache had no room
		}
		return page, result.Err
	case <-tripped:
		if stored != nil {
			return nil, errOutage
		}
		return nil, b.Unrendered(key.Name, key.Page)
	case <-late:
		return nil, context.DeadlineExceeded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// renderOnce renders a page once for all callers that want it at the same time. ahead means that nobody has asked for the page
// yet.
func (p *Pages) renderOnce(s *site.Site, b *site.Blog, key store.Key, previous *Page, ahead bool) <-chan singleflight.Result {
	flight := fmt.Sprintf("%d %v %d", s.Term, key, b.Version(key.Name, key.Page))
	return p.flights.DoChan(flight, func() (page any, err error) {
		err = s.Guard(func() (err error) {
			page, err = p.render(p.of(s), b, key, previous, ahead)
			return err
		})
		return page, err
	})
}

// needsDatabase reports whether rendering a page reads the database. The index is made of the catalog alone.
func needsDatabase(name string) bool { return name != seo.IndexName }

// render renders a page and keeps it. It works for all callers that wait, so it does not end when one request ends. ahead means
// that nobody has asked for the page yet. Such a page replaces no other page.
func (p *Pages) render(s *sitePages, b *site.Blog, key store.Key, previous *Page, ahead bool) (*Page, error) {
	if page := p.cache.peek(key); page != nil && p.Freshness(b, key, page) == Fresh {
		return page, nil // another call rendered the page after this caller had looked for it
	}
	page, err := p.renderFrom(s, b, key, previous)
	if err == nil && page.behind {
		ctx, cancel := context.WithTimeout(p.work, nextTimeout)
		defer cancel()
		if next := s.AwaitNext(ctx, b); next != nil {
			b = next
			page, err = p.renderFrom(s, b, key, previous)
		}
	}
	if err != nil || !b.HasFixed(key.Name, key.Page) {
		return page, err
	}
	page.slim()
	p.keep(s.Site, key, page, ahead)
	return page, nil
}

// renderFrom renders a page from the catalog of a blog.
func (p *Pages) renderFrom(s *sitePages, b *site.Blog, key store.Key, previous *Page) (*Page, error) {
	server := s.DatabaseServer()
	if needsDatabase(key.Name) && !p.Breaker.allows(server) {
		if err := b.Unrendered(key.Name, key.Page); errors.Is(err, catalog.ErrNotFound) {
			return nil, err
		}
		return nil, errOutage
	}
	ctx, cancel := context.WithTimeout(p.work, renderTimeout)
	defer cancel()
	if err := s.renders.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.renders.Release(1)
	done, ok := p.renders.Acquire(ctx, server, nil)
	if !ok {
		return nil, ctx.Err()
	}
	defer done()
	began := site.Now()
	doc, err := b.Render(ctx, key.Name, key.Page)
	if errors.Is(err, catalog.ErrNotFound) {
		if s.InForce.Load() {
			p.cache.remove(key)
		}
		return nil, err
	}
	s.Worked(metrics.Render, time.Since(began.Time), err)
	if p.work.Err() != nil {
		return nil, p.work.Err()
	}
	if err == nil && needsDatabase(key.Name) {
		p.Breaker.Reset(server)
	}
	if err == nil && s.hasShrunk(b, key, doc.Entries-doc.Parts) {
		err = errShrunk
	}
	fixed := b.HasFixed(key.Name, key.Page)
	if fixed {
		s.note(key, err)
	}
	if err != nil {
		return nil, err
	}
	page := newTagged(doc.Body, doc.Tag, doc.LastMod, p.Now(), previous)
	page.term, page.generation, page.asOf = s.Term, b.Generation, began
	page.version = b.Version(key.Name, key.Page)
	page.expires, page.behind = doc.Expires, doc.Behind
	if fixed {
		s.NoteParts(key.Blog, key.Name, key.Page, doc.Parts)
	}
	return page, nil
}

// keep puts a page that was just rendered into memory and into the store. If ahead is set, memory and store take the page only if they
// have room.
func (p *Pages) keep(s *site.Site, key store.Key, page *Page, ahead bool) {
	switch {
	case !s.InForce.Load():
	case ahead:
		p.cache.putAhead(key, page)
		p.save(key, page, true)
	case p.cache.put(key, page):
		p.save(key, page, false)
	}
}
