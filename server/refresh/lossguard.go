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

// sameShare says how much the losses of two readings may differ and still agree, as a share of the first loss. Losses that
// differ by one object always agree.
const sameShare = 0.02

// lossGuard keeps the old catalog of a blog that has lost most of its objects, until a second reading confirms the loss.
// While somebody restores a table, the site looks as if it had no posts. If the sitemaps said so, search engines would
// remove the site. So the old catalog and its pages stay, and an alarm says why. An operator can accept the loss at once.
//
// If changed settings explain a loss, the new catalog is served at once. They may be settings of our configuration or of the
// site, see catalog.Outline.Expected.
//
// A lossGuard is safe for concurrent use.
type lossGuard struct {
	site   *site.Site
	daemon *Daemon

	mu            sync.Mutex
	configChanged bool              // our configuration has changed, which explains a loss in the next reading
	alarms        map[string]*alarm // by the key of the blog; "" is the network
}

// newLossGuard returns a guard that holds no loss.
func newLossGuard(s *site.Site, d *Daemon) *lossGuard {
	return &lossGuard{site: s, daemon: d, alarms: map[string]*alarm{}}
}

// alarm is a loss that is not confirmed yet.
type alarm struct {
	loss     string // the loss in words, for people
	raised   time.Time
	gone     int       // lost objects in the reading that a later one must agree with
	since    time.Time // the time of that reading
	accepted bool      // an operator has accepted the loss
}

// loss is the number of objects before and after a reading.
type loss struct{ was, is int }

// lossOf returns the loss between two outlines of a blog.
func lossOf(before, now *catalog.Outline) loss {
	was, is := now.Expected(before)
	return loss{was, is}
}

// tooMuch reports whether more than this share of the objects is gone, see site.Fell. A share of 0 allows every loss.
func (l loss) tooMuch(share float64) bool { return share > 0 && site.Fell(l.was, l.is, share) }

func (l loss) String() string { return fmt.Sprintf("%d of %d URLs are gone", l.was-l.is, l.was) }

// agrees reports whether the loss of a later reading confirms the alarm. gone is the number of objects that are lost in that
// reading. It must be about the same as in the first one. After an operator has accepted the loss, a smaller loss agrees too.
func (a *alarm) agrees(gone int) bool {
	more := gone - a.gone
	if a.accepted {
		more = max(more, 0)
	}
	return math.Abs(float64(more)) <= max(1, sameShare*float64(a.gone))
}

// holds decides about the loss in a successful reading. It returns why the old catalog must stay, or "" to accept the
// new one. key is the key of a blog, or "" for the network.
func (g *lossGuard) holds(key string, l loss) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, at := g.alarms[key], g.daemon.Now()
	if g.configChanged || !l.tooMuch(g.site.Config.Collapse) {
		if a != nil {
			g.site.Log.Info("the loss alarm has ended: the URLs are back, or changed settings explain the loss", "alarm", a.loss)
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
		g.site.Log.Warn("the loss is confirmed; the sitemaps now list the remaining URLs", "blog", key, "loss", a.loss, "by_operator", a.accepted)
		delete(g.alarms, key)
		return ""
	}
	if first {
		g.site.Counted.Alarms.Add(1)
		g.site.Log.Error("most URLs of a site are missing in its database; the daemon continues to serve the cached pages",
			"blog", key, "loss", a.loss,
			"until", "the site is read again in "+g.site.Config.Confirm.String()+"; if about as many URLs are missing then, the loss is accepted",
			"hint", "restore the database. If the loss is intended: POST /sites/"+g.site.Config.Name+"/accept on the admin listener")
	}
	return a.loss
}

// Inherit copies the held losses from the guard of the site's previous configuration.
func (g *lossGuard) Inherit(before *lossGuard) {
	before.mu.Lock()
	defer before.mu.Unlock()
	for key, a := range before.alarms {
		kept := *a
		g.alarms[key] = &kept
	}
	g.configChanged = before.configChanged || g.site.Config.Listing() != before.site.Config.Listing()
}

// Expect sets whether our configuration has changed, which explains a loss in the next reading.
func (g *lossGuard) Expect(configChanged bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.configChanged = configChanged
}

// Blog returns the blog as it was read now. If too much is lost, it returns the blog as it was before.
func (g *lossGuard) Blog(before, now *site.Blog) *site.Blog {
	if before == nil || !before.Known() || now.Err != nil {
		return now
	}
	if why := g.holds(now.Key(), lossOf(&before.Outline, &now.Outline)); why != "" {
		return before.HeldFor(why)
	}
	if cause := now.Outline.Cause(&before.Outline); cause != "" {
		g.site.Log.Info("settings of the site have changed its sitemaps", "blog", now.Key(), "cause", cause)
	}
	return now
}

// Network returns the blogs that must stay although they have vanished from a network, neither archived nor deleted. It returns
// nil if they are a small part of the network, or if their loss is confirmed.
func (g *lossGuard) Network(old, now *site.Snapshot) []*site.Blog {
	var vanished []*site.Blog
	for _, b := range old.Blogs {
		if b.Known() && len(now.Of(b.ID)) == 0 && !slices.ContainsFunc(now.Gone, b.GoneTo) {
			vanished = append(vanished, b)
		}
	}
	var l loss
	for _, b := range old.Blogs {
		if len(vanished) == 0 { // nothing vanished, so thousands of blogs need no counting
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

// NextConfirmation returns the time until the next loss may be confirmed. any is false if no loss is held.
func (g *lossGuard) NextConfirmation() (wait time.Duration, any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	wait = math.MaxInt64
	for _, a := range g.alarms {
		wait = min(wait, max(0, g.site.Config.Confirm-g.daemon.Now().Sub(a.since)))
	}
	return wait, len(g.alarms) > 0
}

// Accept accepts all held losses, and reports whether there were any.
func (g *lossGuard) Accept() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.alarms {
		a.accepted = true
	}
	return len(g.alarms) > 0
}

// Alarmed returns the held losses in words, the time of the oldest one, and the number of alarms since the start. why is ""
// if no loss is held.
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
