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
	sameShare   = 0.02
	remindEvery = 24 * time.Hour // while an alarm lasts
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
	raised        int               // since the start
}

// newLossGuard returns a guard of a site that holds nothing. now is the clock of the site.
func newLossGuard(s *site.Site, now func() time.Time) *lossGuard {
	return &lossGuard{site: s, now: now, alarms: map[string]*alarm{}}
}

// alarm is a loss that is not confirmed.
type alarm struct {
	loss     string
	cause    string // what of the site's settings explains it; "": nothing does
	counted  bool   // as an alarm
	raised   time.Time
	told     time.Time      // when it was logged last
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

// collapse says what of before is lost in now, "" when it is not too much: more than a share of all addresses, or all of a
// type.
func collapse(before, now map[string]int, share float64) string {
	if b, n := total(before), total(now); site.Fell(b, n, share) {
		return fmt.Sprintf("%d of %d URLs are gone", b-n, b)
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if before[name] >= site.CollapseLeast && now[name] == 0 {
			return fmt.Sprintf("all %d URLs of %s are gone", before[name], name)
		}
	}
	return ""
}

// loss says what of the addresses of a blog is lost, "" when it is not too much.
func loss(before, now *catalog.Outline, share float64) string {
	return collapse(census(before), census(now), share)
}

// lost returns what makes a loss too much, by name. What other types have gained makes up for nothing.
func lost(before, now map[string]int, share float64) map[string]int {
	much := site.Fell(total(before), total(now), share)
	gone := map[string]int{}
	for name, n := range before {
		if n > now[name] && (much || n >= site.CollapseLeast && now[name] == 0) {
			gone[name] = n - now[name]
		}
	}
	return gone
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
		if now.LeavesOut(name) || changed && !now.Knows(name) || other && (name == "author" || name == "attachment") {
			delete(rest, name)
		}
	}
	if other {
		return !site.Fell(total(rest), total(counts), share)
	}
	return collapse(rest, counts, share) == ""
}

// within reports whether a difference is an everyday change beside what was lost.
func (a *alarm) within(difference int) bool {
	return float64(difference) <= max(1, sameShare*float64(total(a.seen)))
}

// same reports whether another read confirms what was lost.
func (a *alarm) same(gone map[string]int) bool {
	return a.within(total(lessBy(a.seen, gone)) + total(lessBy(gone, a.seen)))
}

// covers reports whether nothing more is lost than what was read before.
func (a *alarm) covers(gone map[string]int) bool { return a.within(total(lessBy(gone, a.seen))) }

// lessBy returns by how much each number is greater than the other one of its name, where it is.
func lessBy(a, b map[string]int) map[string]int {
	less := map[string]int{}
	for name, n := range a {
		less[name] = max(0, n-b[name])
	}
	return less
}

// confirmed notes what is lost in another read and reports whether that counts: an operator has accepted as much, or it was
// the same for long enough.
func (a *alarm) confirmed(gone map[string]int, at time.Time) bool {
	if a.accepted && a.covers(gone) {
		return true
	}
	if a.seen == nil || !a.same(gone) {
		a.seen, a.since, a.accepted = gone, at, false
		return false
	}
	return at.Sub(a.since) >= a.wait
}

// holds decides about a loss, which key names among those of the site, after a read that went well: it returns why the old
// is on, "" where it does not. cause is what of the site's settings explains the loss, "" where nothing does.
func (g *lossGuard) holds(key string, before, now map[string]int, cause string) string {
	share := g.site.Config.Collapse
	loss := collapse(before, now, share)
	g.mu.Lock()
	defer g.mu.Unlock()
	if share == 0 || g.configChanged {
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
	if a == nil {
		a = &alarm{raised: at}
		g.alarms[key] = a
	}
	tell := a.told.IsZero() || (a.cause == "") != (cause == "")
	a.loss, a.cause, a.wait = loss, cause, g.site.Config.Confirm
	if cause != "" {
		a.wait = min(a.wait, confirmSettings)
	}
	if a.confirmed(lost(before, now, share), at) {
		g.site.Log.Warn("the loss is confirmed, what is left is served", "blog", key, "loss", loss, "by_operator", a.accepted)
		delete(g.alarms, key)
		return ""
	}
	if cause == "" && !a.counted {
		a.counted = true
		g.raised++
		g.site.Counted.Alarms.Add(1)
	}
	if tell {
		a.told = at
		g.tell(key, a)
	}
	return loss
}

// tell logs a loss that is held. g.mu is held.
func (g *lossGuard) tell(key string, a *alarm) {
	until := "it is read again in " + a.wait.String() + " and still so"
	if a.cause != "" {
		g.site.Log.Warn("settings of the site exclude much of what it has listed; its cached pages are served for a moment",
			"blog", key, "loss", a.loss, "cause", a.cause, "until", until)
		return
	}
	g.site.Log.Error("most of a site is gone from its database; its cached pages are served on", "blog", key, "loss", a.loss, "until", until,
		"hint", "see to the database; if it is meant: POST /sites/"+g.site.Config.Name+"/accept on the admin listener")
}

// Remind logs once a day which losses are held still.
func (g *lossGuard) Remind() {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.now()
	for key, a := range g.alarms {
		if at.Sub(a.told) < remindEvery {
			continue
		}
		a.told = at
		g.site.Log.Error("the cached pages of before a loss are still served", "blog", key, "loss", a.loss, "cause", a.cause,
			"since", a.raised.UTC().Format(time.RFC3339),
			"hint", "see to the database, which says something else at every reading; if it is meant: POST /sites/"+
				g.site.Config.Name+"/accept on the admin listener")
	}
}

// Inherit takes over the losses that the guard of a site before its last configuration holds.
func (g *lossGuard) Inherit(before *lossGuard) {
	before.mu.Lock()
	defer before.mu.Unlock()
	g.raised = before.raised
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
		if b.Catalog == nil || len(vanished) == 0 { // nothing is lost
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

// Explained reports whether settings explain all losses that are not confirmed.
func (g *lossGuard) Explained() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.alarms {
		if a.cause == "" {
			return false
		}
	}
	return true
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
	return why, since, g.raised
}
