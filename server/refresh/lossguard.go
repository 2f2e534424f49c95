package refresh

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

const (
	// confirmSettings is the wait where settings explain the loss.
	confirmSettings = 10 * time.Second
	// sameShare is how much of what was lost another reading may differ from the first and still say the same, and one
	// address at least; a site that is being filled differs more.
	sameShare = 0.02
)

// lossGuard holds losses until they are confirmed. A table that is empty because somebody is restoring it looks like a site
// without posts, and telling crawlers so costs the site its place in their index. So a read that loses a large part of a
// site's addresses is not believed at once: the catalog before it and its pages stay, an alarm tells of it, and the loss is
// taken for true when the same is read again after a while, or when an operator says so.
//
// What the operator changes in our own configuration is meant and not held. What the site's settings say (private, other
// sitemaps, a type not indexed, a plugin deactivated) most likely is, too, and no trouble of the database; it is held
// shortly, since half an option is what a failing update leaves behind. See catalog.Outline.Changes.
//
// It is safe for concurrent use.
type lossGuard struct {
	site *site.Site
	now  func() time.Time

	mu            sync.Mutex
	configChanged bool              // what is lost in the next read was meant
	alarms        map[string]*alarm // by key of a blog; "" is the network
}

// newLossGuard returns a guard of a site that holds nothing. now is the clock of the site.
func newLossGuard(s *site.Site, now func() time.Time) *lossGuard {
	return &lossGuard{site: s, now: now, alarms: map[string]*alarm{}}
}

// alarm is a loss that is not confirmed.
type alarm struct {
	loss     string
	cause    string // what of the site's settings explains it; "": nothing does
	raised   time.Time
	seen     map[string]int // what was lost when it was read
	since    time.Time      // since when every read says so
	wait     time.Duration  // until it counts
	accepted bool           // by an operator
}

// census counts the addresses of a catalog by what they are of, without those that the clock removes.
func census(o *catalog.Outline) map[string]int {
	counts := map[string]int{}
	for _, f := range o.Files {
		if f.Name != seo.IndexName && !slices.Contains(o.Timed, f.Name) {
			counts[cmp.Or(f.Of, f.Name)] += f.Entries
		}
	}
	return counts
}

// countEntries counts the addresses of a catalog, without those that the clock removes.
func countEntries(o *catalog.Outline) int { return total(census(o)) }

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// lost returns what makes a loss too much, by name, and says so: more than a share of all addresses are gone, or all of a type.
// What other types have gained makes up for nothing. It returns "" where the loss is not too much.
func lost(before, now map[string]int, share float64) (gone map[string]int, loss string) {
	was, is := total(before), total(now)
	much := site.Fell(was, is, share)
	if much {
		loss = fmt.Sprintf("%d of %d URLs are gone", was-is, was)
	}
	gone = map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		n := before[name]
		whole := n >= site.CollapseLeast && now[name] == 0
		if n > now[name] && (much || whole) {
			gone[name] = n - now[name]
		}
		if whole && loss == "" {
			loss = fmt.Sprintf("all %d URLs of %s are gone", n, name)
		}
	}
	return gone, loss
}

// intended reports whether settings of the site explain the loss: without what they exclude nothing much is lost.
func intended(before, now *catalog.Outline, share float64) bool {
	if now.Private {
		return true
	}
	other := before.Plugin != now.Plugin
	counts, rest := census(now), census(before)
	otherPlugins := before.Plugins != nil && !slices.Equal(before.Plugins, now.Plugins)
	changed := other || otherPlugins || !site.Fell(total(rest), total(counts), share)
	for name := range rest {
		// each plugin has rules of its own for some
		if slices.Contains(now.Off, name) || changed && !slices.Contains(now.Types, name) || other && (name == "author" || name == "attachment") {
			delete(rest, name)
		}
	}
	if other {
		return !site.Fell(total(rest), total(counts), share)
	}
	_, loss := lost(rest, counts, share)
	return loss == ""
}

// same reports whether another read says the same: that as much is lost of everything, or after an operator's word no more.
func (a *alarm) same(gone map[string]int) bool {
	difference, more := 0, maps.Clone(gone)
	for name, n := range a.seen {
		more[name] -= n
	}
	for _, n := range more {
		if n > 0 || !a.accepted {
			difference += max(n, -n)
		}
	}
	return float64(difference) <= max(1, sameShare*float64(total(a.seen)))
}

// confirmed notes what is lost in another read and reports whether that counts: an operator has accepted as much, or it was
// the same for long enough.
func (a *alarm) confirmed(gone map[string]int, at time.Time) bool {
	if a.seen == nil || !a.same(gone) {
		a.seen, a.since, a.accepted = gone, at, false
		return false
	}
	return a.accepted || at.Sub(a.since) >= a.wait
}

// holds decides about a loss, which key names among those of the site, after a read that went well: it returns why the old
// is on, "" where it does not. cause is what of the site's settings explains the loss, "" where nothing does.
func (g *lossGuard) holds(key string, before, now map[string]int, cause string) string {
	gone, loss := lost(before, now, g.site.Config.Collapse)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.site.Config.Collapse == 0 || g.configChanged {
		loss = ""
	}
	a := g.alarms[key]
	if loss == "" {
		if a != nil {
			g.site.Log.Info("the URLs that were lost are back", "alarm", a.loss)
			delete(g.alarms, key)
		}
		return ""
	}
	at := g.now()
	tell := a == nil || (a.cause == "") != (cause == "")
	if a == nil {
		a = &alarm{raised: at}
		g.alarms[key] = a
	}
	a.loss, a.cause, a.wait = loss, cause, g.site.Config.Confirm
	if cause != "" {
		a.wait = min(a.wait, confirmSettings)
	}
	if a.confirmed(gone, at) {
		g.site.Log.Warn("the loss is confirmed, what is left is served", "blog", key, "loss", loss, "by_operator", a.accepted)
		delete(g.alarms, key)
		return ""
	}
	if tell {
		g.tell(key, a)
	}
	return loss
}

// tell logs a loss that is held; one that nothing explains is counted.
func (g *lossGuard) tell(key string, a *alarm) {
	until := "it is read again in " + a.wait.String() + " and still so"
	if a.cause != "" {
		g.site.Log.Warn("settings of the site exclude much of what it has listed; its cached pages are served for a moment",
			"blog", key, "loss", a.loss, "cause", a.cause, "until", until)
		return
	}
	g.site.Counted.Alarms.Add(1)
	g.site.Log.Error("most of a site is gone from its database; its cached pages are served on", "blog", key, "loss", a.loss, "until", until,
		"hint", "see to the database; if it is meant: POST /sites/"+g.site.Config.Name+"/accept on the admin listener")
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

// Expect says whether what is lost in the next read is meant, as our own configuration was changed.
func (g *lossGuard) Expect(configChanged bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.configChanged = configChanged
}

// Blog gives back what was before where a blog has lost too much.
func (g *lossGuard) Blog(before, now *site.Blog) *site.Blog {
	if before == nil || before.Catalog == nil || now.Err != nil {
		return now
	}
	changes := now.Outline.Changes(&before.Outline)
	cause := ""
	if intended(&before.Outline, &now.Outline, g.site.Config.Collapse) {
		cause = cmp.Or(changes, "settings")
	}
	why := g.holds(now.Key(), census(&before.Outline), census(&now.Outline), cause)
	if why == "" {
		if changes != "" {
			g.site.Log.Info("settings of the site have changed its sitemaps", "blog", now.Key(), "cause", changes)
		}
		return now
	}
	return before.HeldFor(why)
}

// Network returns the blogs that vanished from a network, without being archived or deleted in it, where their loss is too
// much of the whole.
func (g *lossGuard) Network(old, now *site.Snapshot) []*site.Blog {
	var vanished []*site.Blog
	for _, b := range old.Blogs {
		if b.Catalog != nil && len(now.Of(b.ID)) == 0 && !slices.ContainsFunc(now.Gone, b.GoneTo) {
			vanished = append(vanished, b)
		}
	}
	all, left := map[string]int{}, map[string]int{}
	for _, b := range old.Blogs {
		if len(vanished) == 0 { // nothing is lost, and thousands need not be counted
			break
		}
		if b.Catalog == nil {
			continue
		}
		n := countEntries(&b.Outline)
		all[b.Key()] = n
		if !slices.Contains(vanished, b) {
			left[b.Key()] = n
		}
	}
	// one blog of many may go; all of "a type" is no loss of its own here
	if !site.Fell(total(all), total(left), g.site.Config.Collapse) {
		left = all
	}
	why := g.holds("", all, left, "")
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
		wait = min(wait, max(0, a.wait-g.now().Sub(a.since)))
	}
	return wait, len(g.alarms) > 0
}

// Accept takes the losses for true, and reports whether there was one.
func (g *lossGuard) Accept() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.alarms {
		a.accepted = true
	}
	return len(g.alarms) > 0
}

// Alarmed returns why old pages are served of a site whose database can be read, since when, and how often that was; "" when
// it is not so.
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
		if a.cause != "" {
			why += ", as its settings say: " + a.cause
		}
	}
	return why, since, int(g.site.Counted.Alarms.Load())
}
