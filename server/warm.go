package server

import (
	"context"
	"strings"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
)

// Pages are made in the background, so that the next crawler finds them ready, and so that there is a
// last good copy of every page when the database does not answer. In this order:
//
//   - pages that were never made, each once, as far as there is room for them in memory or in the
//     store: no page that somebody has asked for makes room for one that nobody has;
//   - what is known to have changed, those first that were asked for last;
//   - at a pace that leaves the database in peace, what may have changed, and the copies of an earlier
//     process that nobody has asked for: after a while of quiet every copy is what a render would give.
const (
	warmers   = 3 // pages made in the background at a time, of all sites; slots has fewer on one database server
	warmShare = 1 // a page that took a second is followed by a rest of so many …
	// checkShare is that rest where nothing is known to have changed. Such pages come out the same,
	// nearly always.
	checkShare = 20
	warmRetry  = 30 * time.Second // after a page could not be made
	mostChores = 1000             // pages planned at a time

	// peerPatience is how long pages that another process makes are waited for since the last one came.
	peerPatience = time.Minute
	peerRetry    = 2 * time.Second // looks for them again
)

// ahead is what is known of pages that are made before anybody asks for them.
type ahead struct {
	made   map[pageKey]bool // each page comes once, whether there was a place for it or not
	lacks  int64            // bytes of a copy that had no place; 0: all had
	awaits bool             // a page is left to another process
	since  time.Time        // the last page was taken from it; zero: none is awaited
}

// chore is a page to be made in the background.
type chore struct {
	blog  *site.Blog
	key   pageKey
	share int  // of rest after it
	ahead bool // nobody has asked for it since the start
}

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
	failed := map[pageKey]time.Time{}
	defer func() {
		if w.ahead.awaits {
			w.ahead.awaits = false
			time.AfterFunc(peerRetry, w.kick)
		}
	}()
	for ctx.Err() == nil {
		state, lacks := w.Snapshot(), w.ahead.lacks
		chores := w.chores(state, failed)
		if len(chores) == 0 {
			return
		}
		for _, c := range chores {
			if !w.do(ctx, c, failed) {
				continue
			}
			if w.Snapshot() != state || w.ahead.lacks != lacks || w.kickedAgain() {
				break // there may be other pages to make, or fewer
			}
		}
	}
}

// kickedAgain reports whether somebody has kicked since warm began.
func (w *worker) kickedAgain() bool {
	select {
	case <-w.kicked:
		return true
	default:
		return false
	}
}

// chores plans which pages to make next, most urgent kind first and of that kind only.
func (w *worker) chores(state *site.Snapshot, failed map[pageKey]time.Time) []chore {
	if !w.server.inForce(w) {
		return nil
	}
	blogs := make(map[string]*site.Blog, len(state.Blogs))
	var missing, checks []chore
	for _, b := range state.Blogs {
		if b.Catalog == nil || b.HeldBy != "" || b.Generation == 0 {
			continue
		}
		blogs[b.Key()] = b
		if w.Config.Warm && b.Catalog.Active() && len(missing) < mostChores {
			never, earlier := w.unmade(b, failed)
			missing, checks = append(missing, never...), append(checks, earlier...)
		}
	}
	if len(missing) > 0 {
		return missing[:min(len(missing), mostChores)]
	}
	var changed, suspects []chore
	unsaved := map[pageKey]*pageCopy{}
	now := w.server.now()
	w.server.cache.each(w.Config.Name, func(k pageKey, c *pageCopy) bool {
		of := blogs[k.blog]
		if of == nil || !of.HasFixed(k.name, k.page) {
			return true
		}
		stand := judge(of, k.name, k.page, c, now)
		if stand == good && c.unsaved.Load() {
			unsaved[k] = c
		}
		switch {
		case stand == good || stand == standIn || time.Since(failed[k]) < warmRetry:
		case stand == suspect || k.name == catalog.TextName || k.name == catalog.AtomName: // the latter are made of everything
			suspects = append(suspects, chore{of, k, checkShare, false})
		default:
			changed = append(changed, chore{of, k, warmShare, false})
		}
		return len(changed) < mostChores
	})
	for k, c := range unsaved {
		w.server.saveAs(k, c, true)
	}
	if len(changed) > 0 {
		return changed
	}
	checks = append(suspects, checks...)
	return checks[:min(len(checks), mostChores)]
}

// unmade returns the pages of a blog that are to be made ahead: those that were never made, and those of
// which there is a copy by an earlier process. The latter take the room they have.
func (w *worker) unmade(b *site.Blog, failed map[pageKey]time.Time) (never, earlier []chore) {
	s := w.server
	crowded := w.ahead.lacks > 0 && s.room(w.Config.Name) < w.ahead.lacks
	add := func(f catalog.File) {
		key := pageKey{w.Config.Name, b.Key(), f.Name, f.Page}
		switch {
		case f.Elsewhere || w.ahead.made[key] || time.Since(failed[key]) < warmRetry || s.cache.peek(key) != nil:
		case s.store != nil && s.store.Has(key.stateKey()):
			earlier = append(earlier, chore{b, key, checkShare, true})
		case !crowded:
			never = append(never, chore{b, key, warmShare, true})
		}
	}
	for _, f := range b.Outline.Files {
		add(f)
	}
	for _, f := range b.Outline.Others {
		add(f)
	}
	return never, earlier
}

// room is the number of bytes that are free for a page of a site, in memory or in the store.
func (s *Server) room(site string) int64 {
	room := s.cache.room()
	if s.store != nil {
		room = max(room, s.store.Room(site))
	}
	return room
}

// do makes a page and rests. It is false where there was nothing to do: somebody else has made
// the page, or is to.
func (w *worker) do(ctx context.Context, c chore, failed map[pageKey]time.Time) bool {
	kept := w.server.cache.peek(c.key)
	switch {
	case !c.ahead:
		if kept == nil {
			return false
		}
		if stand := judge(c.blog, c.key.name, c.key.page, kept, w.server.now()); stand == good || stand == standIn {
			return false
		}
	case kept != nil:
		return false
	case w.awaits(c):
		failed[c.key] = time.Now()
		return false
	case w.server.store != nil:
		if copy := w.server.store.Copy(c.key.stateKey()); copy != nil {
			kept = w.copyOf(copy) // whose date and tag stay if it is still true
		}
	}
	done, ok := w.server.warming.acquire(ctx, w.DatabaseServer())
	if !ok {
		return true
	}
	began := time.Now()
	made, err := w.server.flight(ctx, w, c.blog, c.key, kept, c.ahead)
	done()
	took := time.Since(began)
	switch {
	case err != nil:
		failed[c.key] = time.Now()
	case c.ahead:
		w.ahead.made[c.key] = true
		if w.server.cache.peek(c.key) == nil && (w.server.store == nil || !w.server.store.Has(c.key.stateKey())) {
			w.ahead.lacks = made.size()
		}
	}
	rest := time.NewTimer(time.Duration(c.share) * took)
	defer rest.Stop()
	select {
	case <-ctx.Done():
	case <-rest.C:
	}
	return true
}

// awaits reports whether a page need not be made here: another process has made it, or is to. Of all that share
// a Redis the one that holds the lease of the site makes the pages ahead, and if it tells nothing for long
// it is not waited for.
func (w *worker) awaits(c chore) bool {
	shared := w.server.shared
	if shared == nil {
		return false
	}
	now := time.Now()
	if w.server.taken(w, c.blog, c.key, true) != nil || w.stored(c) {
		w.ahead.made[c.key], w.ahead.since = true, now
		return true
	}
	if shared.Writes(w.Config.Name) || c.blog.Catalog.Wider() {
		w.ahead.since = time.Time{}
		return false
	}
	if w.ahead.since.IsZero() {
		w.ahead.since = now
	}
	w.ahead.awaits = now.Sub(w.ahead.since) <= peerPatience
	return w.ahead.awaits
}

// stored reports whether there is a copy in Redis that was made of the same, as far as the catalog tells.
func (w *worker) stored(c chore) bool {
	common := c.blog.Catalog.Common(c.key.name, c.key.page)
	if common == 0 || c.blog.Catalog.Wider() {
		return false
	}
	kept := w.server.store.Copy(c.key.stateKey())
	return kept != nil && strings.HasPrefix(kept.Fingerprint, madeOf(common)+" ")
}

// standing is what is known of a copy.
type standing uint8

const (
	good    standing = iota
	suspect          // nothing it is made of has changed, as far as the catalog tells; what it does not tell of may have
	wrong
	standIn // wrong, but what the present catalog gives would be, too
)

// judge reports whether a copy is what a render would give now.
func judge(b *site.Blog, name string, page int, c *pageCopy, now time.Time) standing {
	print := b.Catalog.Fingerprint(name, page)
	switch {
	case c.standsIn(print, now):
		return standIn
	case c.print != print, !c.expires.IsZero() && !now.Before(c.expires):
		return wrong
	case c.asOf.Before(b.RevalidateBefore):
		return suspect
	}
	return good
}
