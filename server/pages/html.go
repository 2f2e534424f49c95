package pages

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/view"
)

const (
	htmlBytes  = 32 << 20 // kept
	htmlDrawn  = 2        // at a time: they cost processor time and nothing else
	knownParts = 10_000   // sitemaps of which the number of parts is kept
)

// htmlPages are the HTML pages made last. They are never waited for by a crawler, and cost it no room: sitemaps have a cache
// of their own.
type htmlPages struct {
	cache *cache
	drawn *semaphore.Weighted

	mu       sync.Mutex
	drawings map[Key]*drawing
	parts    map[string]int // of sitemaps, by their hash, of which a part was asked for that there is not
}

// drawing is an HTML page that is being made, as long as somebody waits for it.
type drawing struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	page    *Page // once it is done
	err     error
}

func newHTMLPages() *htmlPages {
	return &htmlPages{
		cache: newCache(htmlBytes), drawn: semaphore.NewWeighted(htmlDrawn), drawings: map[Key]*drawing{}, parts: map[string]int{},
	}
}

// lacks reports whether it is known that a sitemap has no such part.
func (h *htmlPages) lacks(hash string, part int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, known := h.parts[hash]
	return known && part > n
}

func (h *htmlPages) noteParts(hash string, parts int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.parts) >= knownParts {
		clear(h.parts)
	}
	h.parts[hash] = parts
}

// wait makes a page, once for all who want it at the time, and ends that when none of them is there any more.
func (h *htmlPages) wait(ctx, work context.Context, key Key, draw func(context.Context) (*Page, error)) (*Page, error) {
	h.mu.Lock()
	d := h.drawings[key]
	if d == nil {
		working, cancel := context.WithTimeout(work, renderTimeout)
		d = &drawing{cancel: cancel, done: make(chan struct{})}
		h.drawings[key] = d
		go func() {
			defer close(d.done)
			d.page, d.err = draw(working)
		}()
	}
	d.waiting++
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if d.waiting--; d.waiting > 0 {
			return
		}
		d.cancel()
		if h.drawings[key] == d {
			delete(h.drawings, key)
		}
	}()
	select {
	case <-d.done:
		return d.page, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// HTML returns the HTML page that shows one of the parts of a sitemap's page; around is what is around the list. Both are
// good for the same time: the bytes shown, and the catalog that knows the neighbours, name the HTML page. An error is
// view.ErrNoPart where there is no such part.
func (p *Pages) HTML(ctx context.Context, s *site.Site, b *site.Blog, name string, xml *Page, around view.Frame) (*Page, error) {
	part := around.Part
	key := KeyOf(s, b, fmt.Sprintf("%s %s %d part %d", name, xml.hash, b.Generation, part), around.Number)
	if kept := p.html.cache.get(key); kept != nil {
		return kept, nil
	}
	if p.html.lacks(xml.hash, part) {
		return nil, view.ErrNoPart
	}
	return p.html.wait(ctx, p.work, key, func(ctx context.Context) (page *Page, err error) {
		err = s.Guard(func() (err error) {
			page, err = p.draw(ctx, b, key, xml, around)
			return err
		})
		return page, err
	})
}

// draw makes the HTML page of a sitemap's page.
func (p *Pages) draw(ctx context.Context, b *site.Blog, key Key, xml *Page, around view.Frame) (*Page, error) {
	if err := p.html.drawn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.html.drawn.Release(1)
	if p.html.lacks(xml.hash, around.Part) { // as somebody has learnt meanwhile
		return nil, view.ErrNoPart
	}
	html, err := view.Render(ctx, xml.Plain(), around)
	if none, ok := errors.AsType[view.NoPartError](err); ok {
		p.html.noteParts(xml.hash, none.Parts)
	}
	if err == nil {
		err = ctx.Err() // nobody wants it any more
	}
	if err != nil {
		return nil, err
	}
	// No date: the page changes with its neighbours too, which its sitemap's date does not say.
	page := newPage(html, time.Time{}, p.Now(), nil)
	page.generation = b.Generation
	p.html.cache.put(key, page)
	return page, nil
}
