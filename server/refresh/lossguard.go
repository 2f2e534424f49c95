package refresh

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
)

// sameShare is how much a second reading may differ from the loss of the first one and still agree, beside one object.
const sameShare = 0.02

// lossGuard holds a loss until a second reading agrees. A table that somebody is restoring looks like a site without posts, and
// telling crawlers so costs the site its place in their index. So the old catalog and its pages stay, and an alarm says why. An
// operator can accept the loss at once.
//
// A loss that settings explain is served at once, whether they are our configuration's or the site's, see catalog.Outline.Expected.
//
// A lossGuard is safe for concurrent use.
type lossGuard struct {
	site   *site.Site
	daemon *Daemon

	mu            sync.Mutex
	configChanged bool              // our configuration explains what is lost in the next reading
	alarms        map[string]*alarm // by key of a blog; "" is the network
}

// newLossGuard returns a guard of a site that holds nothing.
func newLossGuard(s *site.Site, d *Daemon) *lossGuard {
	return &lossGuard{site: s, daemon: d, alarms: map[string]*alarm{}}
}

// alarm is a loss that is not confirmed.
type alarm struct {
	loss     string // for people
	raised   time.Time
	gone     int       // objects, in the reading that others have to agree with
	since    time.Time // that reading
	accepted bool      // an operator has accepted it
}

// loss is what a reading has lost.
type loss struct{ was, is int }

// lossOf compares two outlines of a blog.
func lossOf(before, now *catalog.Outline) loss {
	was, is := now.Expected(before)
	return loss{was, is}
}

// tooMuch reports whether more than a share is gone.
func (l loss) tooMuch(share float64) bool { return share > 0 && site.Fell(l.was, l.is, share) }

func (l loss) String() string { return fmt.Sprintf("%d of %d URLs are gone", l.was-l.is, l.was) }

// agrees reports whether another reading has lost the same, or after an operator's word no more.
func (a *alarm) agrees(gone int) bool {
	more := gone - a.gone
	if a.accepted {
		more = max(more, 0)
	}
	return math.Abs(float64(more)) <= max(1, sameShare*float64(a.gone))
}

// holds decides about the loss of a reading that went well. It returns why the old catalog must stay, or "" to accept the new one.
// key is that of a blog, or "" for the network.
func (g *lossGuard) holds(key string, l loss) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, at := g.alarms[key], g.daemon.Now()
	if g.configChanged || !l.tooMuch(g.site.Config.Collapse) {
		if a != nil {
			g.site.Log.Info("the URLs that were lost are back", "alarm", a.loss)
			delete(g.alarms, key)
		}
		return ""
	}
	gone, first := l.was-l.is, a == nil
	if first {
		a = &alarm{raised: at, gone: gone, since: at}
		g.alarms[key] = a
	}
	a.loss = l.String()
	switch {
	case !a.agrees(gone):
		a.gone, a.since, a.accepted = gone, at, false
	case a.accepted || !first && at.Sub(a.since) >= g.site.Config.Confirm:
		g.site.Log.Warn("the loss is confirmed, what is left is served", "blog", key, "loss", a.loss, "by_operator", a.accepted)
		delete(g.alarms, key)
		return ""
	}
	if first {
		g.site.Counted.Alarms.Add(1)
		g.site.Log.Error("most of a site is gone from its database; its cached pages are served on", "blog", key, "loss", a.loss,
			"until", "it is read again in "+g.site.Config.Confirm.String()+" and still so",
			"hint", "see to the database; if it is meant: POST /sites/"+g.site.Config.Name+"/accept on the admin listener")
	}
	return a.loss
}

// Inherit takes over the losses that the guard of a site before its last configuration holds.
func (g *lossGuard) Inherit(before *lossGuard) {
	before.mu.Lock()
	defer before.mu.Unlock()
	for key, a := range before.alarms {
		kept := *a
		g.alarms[key] = &kept
	}
	g.configChanged = before.configChanged || g.site.Config.Listing() != before.site.Config.Listing()
}

// Expect says whether our own configuration was changed, which explains a loss in the next reading.
func (g *lossGuard) Expect(configChanged bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.configChanged = configChanged
}

// Blog returns the blog as it was read now, or the one before if too much is lost.
func (g *lossGuard) Blog(before, now *site.Blog) *site.Blog {
	if before == nil || !before.Known() || now.Err != nil {
		return now
	}
	if why := g.holds(now.Key(), lossOf(&before.Outline, &now.Outline)); why != "" {
		return before.HeldFor(why)
	}
	if changes := now.Outline.Changes(&before.Outline); changes != "" {
		g.site.Log.Info("settings of the site have changed its sitemaps", "blog", now.Key(), "cause", changes)
	}
	return now
}

// Network returns the blogs that vanished from a network without being archived or deleted in it, if they are too much of the whole.
func (g *lossGuard) Network(old, now *site.Snapshot) []*site.Blog {
	var vanished []*site.Blog
	for _, b := range old.Blogs {
		if b.Known() && len(now.Of(b.ID)) == 0 && !slices.ContainsFunc(now.Gone, b.GoneTo) {
			vanished = append(vanished, b)
		}
	}
	var l loss
	for _, b := range old.Blogs {
		if len(vanished) == 0 { // nothing is lost, and thousands need not be counted
			break
		}
		n := b.Outline.Objects()
		l.was += n
		if !slices.Contains(vanished, b) {
			l.is += n
		}
	}
	why := g.holds("", l)
	if why == "" {
		return nil
	}
	for i, b := range vanished {
		vanished[i] = b.HeldFor(why)
	}
	return vanished
}

// NextConfirmation is the time until the next loss may count as confirmed.
func (g *lossGuard) NextConfirmation() (wait time.Duration, any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	wait = math.MaxInt64
	for _, a := range g.alarms {
		wait = min(wait, max(0, g.site.Config.Confirm-g.daemon.Now().Sub(a.since)))
	}
	return wait, len(g.alarms) > 0
}

// Accept confirms the losses, and reports whether there was one.
func (g *lossGuard) Accept() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.alarms {
		a.accepted = true
	}
	return len(g.alarms) > 0
}

// Alarmed returns the losses that are held, since when, and how many there were since the start; "" if none is held.
func (g *lossGuard) Alarmed() (why string, since time.Time, times int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(g.alarms)) {
		a := g.alarms[key]
		if why == "" || a.raised.Before(since) {
			since = a.raised
		}
		if why != "" {
			why += "; "
		}
		if key != "" {
			why += "blog " + key + ": "
		}
		why += a.loss
	}
	return why, since, int(g.site.Counted.Alarms.Load())
}
