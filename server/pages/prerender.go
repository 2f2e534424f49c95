package pages

import (
	"context"
	"slices"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
)

// Pages are rendered in the background, so that the next crawler finds them ready. They also stand in if the database fails. The
// order is:
//
//   - pages that were never rendered, each once. If not all blogs are in memory, only the pages of blogs that visitors have
//     asked for are rendered. A page of this kind never removes a requested page from memory.
//   - pages that are known to have changed, the one requested last first.
//   - pages that may have changed, at a slow pace that spares the database. After a quiet time, every requested page is fresh.
const (
	prerenderers = 3 // pages rendered in the background at a time, of all sites; one database server gets one fewer
	changedShare = 1 // after rendering a changed page, rest this many times as long as that took
	// checkShare is the same factor for a page that may have changed. Rendering such a page nearly always gives the same bytes.
	checkShare     = 20
	prerenderRetry = 30 * time.Second // how long a page that failed is not tried again
	mostPlanned    = 1000             // pages planned at a time
)

// A Prerender is a page to render in the background.
type Prerender struct {
	Key   store.Key
	Share int  // Share is how long to rest afterwards, as a multiple of the time it took.
	Ahead bool // Ahead means that nobody has asked for the page since the start.
	blog  *site.Blog
}

// PrerenderSoon wakes the background work of a site. It does not wait.
func (p *Pages) PrerenderSoon(s *site.Site) { p.of(s).wakeUp() }

func (s *sitePages) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default: // the signal is there already
	}
}

// StartPrerendering starts to render pages of a site in the background. stop ends that, and waits for it.
func (p *Pages) StartPrerendering(ctx context.Context, s *site.Site) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	of, ended := p.of(s), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-of.wake:
			}
			_ = s.Guard(func() error { p.makeAll(ctx, of); return nil }) // Guard has logged the error
		}
	}()
	return func() { cancel(); <-ended }
}

// MakeAll renders pages of a site until Plan returns none.
func (p *Pages) MakeAll(ctx context.Context, s *site.Site) { p.makeAll(ctx, p.of(s)) }

// Plan returns the pages of a site to render next. They are all of the most urgent kind.
func (p *Pages) Plan(s *site.Site) []Prerender { return p.planned(p.of(s), s.Snapshot(), nil) }

func (p *Pages) makeAll(ctx context.Context, s *sitePages) {
	failed := map[store.Key]time.Time{}
	for ctx.Err() == nil {
		now := s.Snapshot()
		planned := p.planned(s, now, failed)
		if len(planned) == 0 {
			return
		}
		for _, c := range planned {
			if !p.do(ctx, s, c, failed) {
				continue
			}
			if s.Snapshot() != now || s.saidAgain() {
				break // the plan may be out of date
			}
		}
	}
}

// saidAgain reports whether PrerenderSoon was called since the last signal was taken.
func (s *sitePages) saidAgain() bool {
	select {
	case <-s.wake:
		return true
	default:
		return false
	}
}

// planned returns the pages to render next, all of the most urgent kind. It skips pages that failed a short time ago.
func (p *Pages) planned(s *sitePages, now *site.Snapshot, failed map[store.Key]time.Time) []Prerender {
	if !s.InForce.Load() {
		return nil
	}
	s.forgetGone(now)
	idle := slices.ContainsFunc(now.Blogs, func(b *site.Blog) bool { return !b.Resident() && b.Failed() == nil })
	blogs := make(map[string]*site.Blog, len(now.Blogs))
	var missing []Prerender
	for _, b := range now.Blogs {
		if !b.Resident() || b.HeldBy != "" {
			continue
		}
		blogs[b.Key()] = b
		if s.Config.Prerender && b.Active() && (!idle || b.Asked() != 0) && len(missing) < mostPlanned {
			missing = append(missing, p.unmade(s, b, failed)...)
		}
	}
	if len(missing) > 0 {
		return missing[:min(len(missing), mostPlanned)]
	}
	var changed, revalidate []Prerender
	unsaved := map[store.Key]*Page{}
	p.cache.each(s.Config.Name, func(k store.Key, page *Page) bool {
		of := blogs[k.Blog]
		if of == nil || !of.HasFixed(k.Name, k.Page) {
			return true
		}
		f := p.Freshness(of, k, page)
		if f == Fresh && p.unsaved(page) {
			unsaved[k] = page
		}
		switch {
		case f == Fresh || f == Substitute || time.Since(failed[k]) < prerenderRetry:
		case f == Revalidate || catalog.IsOtherFormat(k.Name): // other formats depend on everything, so they come last
			revalidate = append(revalidate, Prerender{k, checkShare, false, of})
		default:
			changed = append(changed, Prerender{k, changedShare, false, of})
		}
		return len(changed) < mostPlanned
	})
	for k, page := range unsaved {
		p.save(k, page, true)
	}
	if len(changed) > 0 {
		return changed
	}
	return revalidate[:min(len(revalidate), mostPlanned)]
}

// unmade returns the pages of a blog that were never rendered.
func (p *Pages) unmade(s *sitePages, b *site.Blog, failed map[store.Key]time.Time) (never []Prerender) {
	for _, f := range slices.Concat(b.Outline.Files, b.Outline.Others) {
		key := KeyOf(s.Site, b, f.Name, f.Page)
		if f.Elsewhere || s.made[key] || time.Since(failed[key]) < prerenderRetry || p.cache.peek(key) != nil || p.store != nil && p.store.Has(key) {
			continue
		}
		never = append(never, Prerender{key, changedShare, true, b})
	}
	return never
}

// do renders a page and rests. It returns false if there was nothing to do, because the page is fresh or in memory already.
func (p *Pages) do(ctx context.Context, s *sitePages, c Prerender, failed map[store.Key]time.Time) bool {
	kept := p.cache.peek(c.Key)
	switch {
	case !c.Ahead:
		if kept == nil {
			return false
		}
		if f := p.Freshness(c.blog, c.Key, kept); f == Fresh || f == Substitute {
			return false
		}
	case kept != nil:
		return false
	default:
		kept = p.fromStore(s.Site, c.blog, c.Key) // if its bytes are still right, its date and tag stay
		if kept != nil && kept.version != 0 && p.cache.putAhead(c.Key, kept) {
			s.made[c.Key] = true // another process has rendered it
			return false
		}
	}
	done, ok := p.prerendering.Acquire(ctx, s.DatabaseServer(), nil)
	if !ok {
		return true
	}
	began := time.Now()
	var err error
	select {
	case result := <-p.renderOnce(s.Site, c.blog, c.Key, kept, c.Ahead):
		err = result.Err
	case <-ctx.Done():
		err = ctx.Err()
	}
	done()
	took := time.Since(began)
	switch {
	case err != nil:
		failed[c.Key] = time.Now()
	case c.Ahead:
		s.made[c.Key] = true
	}
	rest := time.NewTimer(time.Duration(c.Share) * took)
	defer rest.Stop()
	select {
	case <-ctx.Done():
	case <-rest.C:
	}
	return true
}
