package pages

import (
	"context"
	"slices"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
)

// Pages are made in the background, so that the next crawler finds them ready, and so that there is a last good page of each
// when the database does not answer. In this order:
//
//   - pages that were never made, of blogs that somebody asks for, or of all where all are in memory, each once: no page that
//     somebody has asked for makes room for one that nobody has;
//   - what is known to have changed, those first that were asked for last;
//   - at a pace that leaves the database in peace, what may have changed: after a while of quiet every page that somebody has asked
//     for is what rendering would give.
const (
	prerenderers = 3 // pages made in the background at a time, of all sites; one database server has fewer
	changedShare = 1 // a page that took a second is followed by a rest of so many
	// checkShare is that rest where nothing is known to have changed. Such pages come out the same, nearly always.
	checkShare     = 20
	prerenderRetry = 30 * time.Second // after a page could not be made
	mostPlanned    = 1000             // pages planned at a time
)

// A Prerender is a page to be made in the background.
type Prerender struct {
	Key   Key
	Share int  // Share is the rest after it, in times of what it took.
	Ahead bool // Nobody has asked for it since the start.
	blog  *site.Blog
}

// PrerenderSoon has the pages of a site checked.
func (p *Pages) PrerenderSoon(s *site.Site) { p.of(s).wakeUp() }

func (s *sitePages) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default: // it has been said
	}
}

// StartPrerendering begins to make pages of a site in the background; the function it returns ends that.
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
			_ = s.Guard(func() error { p.makeAll(ctx, of); return nil }) // it has logged
		}
	}()
	return func() { cancel(); <-ended }
}

// MakeAll makes pages of a site until none is left to make.
func (p *Pages) MakeAll(ctx context.Context, s *site.Site) { p.makeAll(ctx, p.of(s)) }

// Plan returns the pages of a site to be made next, of the most urgent kind only.
func (p *Pages) Plan(s *site.Site) []Prerender { return p.planned(p.of(s), s.Snapshot(), nil) }

func (p *Pages) makeAll(ctx context.Context, s *sitePages) {
	failed := map[Key]time.Time{}
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
				break // there may be other pages to make, or fewer
			}
		}
	}
}

// saidAgain reports whether somebody has called PrerenderSoon meanwhile.
func (s *sitePages) saidAgain() bool {
	select {
	case <-s.wake:
		return true
	default:
		return false
	}
}

// planned plans which pages to make next, of the most urgent kind only.
func (p *Pages) planned(s *sitePages, now *site.Snapshot, failed map[Key]time.Time) []Prerender {
	if !p.InForce(s.Site) {
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
	unsaved := map[Key]*Page{}
	p.cache.each(s.Config.Name, func(k Key, page *Page) bool {
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
		case f == Revalidate || catalog.IsOtherFormat(k.Name): // the latter are made of everything
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

// unmade returns the pages of a blog that were never made.
func (p *Pages) unmade(s *sitePages, b *site.Blog, failed map[Key]time.Time) (never []Prerender) {
	for _, f := range slices.Concat(b.Outline.Files, b.Outline.Others) {
		key := KeyOf(s.Site, b, f.Name, f.Page)
		if f.Elsewhere || s.made[key] || time.Since(failed[key]) < prerenderRetry || p.cache.peek(key) != nil || p.store != nil && p.store.Has(key) {
			continue
		}
		never = append(never, Prerender{key, changedShare, true, b})
	}
	return never
}

// do makes a page and rests. It is false where there was nothing to do: somebody else has made the page, or is to.
func (p *Pages) do(ctx context.Context, s *sitePages, c Prerender, failed map[Key]time.Time) bool {
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
		kept = p.fromStore(s.Site, c.blog, c.Key) // whose date and tag stay if it is still true
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
