package server

import (
	"context"
	"time"

	"wpsitemapd/sitemap"
)

// Pages are made again in the background after a change, those first that were asked for
// last: what is known to have changed at once, what may have changed at a pace that leaves the
// database in peace. So the next crawler finds them ready, and after a while of quiet every
// copy is what a render would give.
const (
	warmers   = 2 // pages made in the background at a time, of all sites
	warmShare = 1 // a page that took a second is followed by a rest of so many …
	// checkShare is that rest where nothing is known to have changed. Such pages come out the same,
	// nearly always.
	checkShare = 20
	warmRetry  = 30 * time.Second // after a page could not be made
)

// kick has the pages of the site looked through.
func (w *worker) kick() {
	select {
	case w.kicked <- struct{}{}:
	default: // told already
	}
}

// startWarm begins to make pages in the background; the function it returns ends that.
func (w *worker) startWarm(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.kicked:
			}
			w.warm(ctx)
		}
	}()
	return func() { cancel(); <-ended }
}

// warm makes pages until none is left to make.
func (w *worker) warm(ctx context.Context) {
	var failed map[pageKey]time.Time
	for {
		b, key, kept, share := w.nextPage(failed)
		if b == nil {
			return
		}
		if !acquire(ctx, w.server.warming) {
			return
		}
		began := time.Now()
		_, err := w.server.flight(ctx, w, b, key, kept)
		release(w.server.warming)
		took := time.Since(began)
		if err != nil {
			if failed == nil {
				failed = map[pageKey]time.Time{}
			}
			failed[key] = time.Now()
		}
		rest := time.NewTimer(time.Duration(share) * took)
		select {
		case <-ctx.Done():
			rest.Stop()
			return
		case <-rest.C:
		}
	}
}

// nextPage returns the page to make next, and how long to rest after it; its blog is nil when there is none.
func (w *worker) nextPage(failed map[pageKey]time.Time) (b *blogState, key pageKey, kept *pageCopy, share int) {
	state := w.state.Load()
	blogs := make(map[string]*blogState, len(state.blogs))
	for _, b := range state.blogs {
		if b.catalog != nil && b.held == "" && b.generation > 0 {
			blogs[b.key()] = b
		}
	}
	now := w.server.now()
	w.server.cache.each(w.site.Name, func(k pageKey, c *pageCopy) bool {
		of := blogs[k.blog]
		if of == nil || !of.fixed(k.name, k.page) || time.Since(failed[k]) < warmRetry {
			return true
		}
		stand := of.judge(k.name, k.page, c, now)
		pace := warmShare
		if stand == suspect || k.name == sitemap.TextName || k.name == sitemap.AtomName { // made of everything
			pace = checkShare
		}
		if stand == good || stand == standIn || b != nil && pace >= share {
			return true
		}
		b, key, kept, share = of, k, c, pace
		return share != warmShare // what is known to have changed comes first
	})
	return b, key, kept, share
}

// standing is what is known of a copy.
type standing uint8

const (
	good    standing = iota
	suspect          // nothing it is made of has changed, as far as the catalog tells; what it does not tell of may have
	wrong
	standIn // wrong, but what the present catalog gives would be, too
)

// judge tells whether a copy is what a render would give now.
func (b *blogState) judge(name string, page int, c *pageCopy, now time.Time) standing {
	print := b.catalog.Fingerprint(name, page)
	switch {
	case c.standsIn(print, now):
		return standIn
	case c.print != print, !c.expires.IsZero() && !now.Before(c.expires):
		return wrong
	case c.asOf.Before(b.beside):
		return suspect
	}
	return good
}
