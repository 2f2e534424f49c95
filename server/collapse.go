package server

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// The collapse guard. A table that is empty because somebody is restoring it looks like a
// site without posts, and telling crawlers so costs the site its place in their index. So a
// build that loses a large part of a site's addresses is not believed at once: the catalog
// before it and its copies stay, an alarm tells of it, and the loss is taken for true when
// the same is read again after a while, or when an operator says so.
//
// What the operator changes in our own configuration is meant and not held. What the site's
// settings say (private, other sitemaps, a type not indexed, a plugin deactivated) most likely is,
// too, and no trouble of the database; it is held shortly, since half an option is what a failing
// update leaves behind. See catalog.Outline.Changes.
const (
	// confirmSettings is the wait where settings explain the loss.
	confirmSettings = 10 * time.Second
	// sameShare is how much of what was lost another reading may differ from the first and
	// still say the same, and one address at least; a site that is being filled differs more.
	sameShare   = 0.02
	remindEvery = 24 * time.Hour // while an alarm stands
)

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

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// collapse says what of before is lost in now, "" when it is not too much: more than a share
// of all addresses, or all of a type.
func collapse(before, now map[string]int, share float64) string {
	if b, n := total(before), total(now); site.Fell(b, n, share) {
		return fmt.Sprintf("%d of %d addresses are gone", b-n, b)
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if before[name] >= site.CollapseLeast && now[name] == 0 {
			return fmt.Sprintf("all %d addresses of %s are gone", before[name], name)
		}
	}
	return ""
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

// intended reports whether settings of the site explain the loss: without what they leave out
// there is none.
func intended(before, now *catalog.Outline, share float64) bool {
	if now.Private {
		return true
	}
	other := before.Plugin != now.Plugin
	counts, rest := census(now), census(before)
	changed := other || before.Plugins != nil && !slices.Equal(before.Plugins, now.Plugins) || !site.Fell(total(rest), total(counts), share)
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

// alarm is a loss that is not confirmed.
type alarm struct {
	why      string
	cause    string // what of the site's settings explains it; "": nothing does
	counted  bool   // as an alarm
	raised   time.Time
	told     time.Time      // when it was logged last
	seen     map[string]int // what was lost when it was read
	since    time.Time      // since when every reading says so
	wait     time.Duration  // until it counts
	accepted bool           // by an operator
}

// within reports whether a difference is an everyday change beside what was lost.
func (a *alarm) within(difference int) bool {
	return float64(difference) <= max(1, sameShare*float64(total(a.seen)))
}

// same reports whether another reading confirms what was lost.
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

// confirmed notes what is lost in another reading and reports whether that counts: an operator has accepted as
// much, or it was the same for long enough.
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

// holds decides about a loss, which key names among those of the site: whether the old stands
// on. cause is what of the site's settings explains it, "" where nothing does. It is for run alone,
// after a reading of the site that went well.
func (w *worker) holds(key string, before, now map[string]int, cause string) (why string) {
	why = collapse(before, now, w.Config.Collapse)
	if w.Config.Collapse == 0 || w.deliberate.Load() {
		why = ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.alarms[key]
	if why == "" {
		if a != nil {
			w.Log.Info("the addresses that were lost are back", "alarm", a.why)
			delete(w.alarms, key)
		}
		return ""
	}
	at := w.server.now()
	if a == nil {
		a = &alarm{raised: at}
		w.alarms[key] = a
	}
	tell := a.told.IsZero() || (a.cause == "") != (cause == "")
	a.why, a.cause, a.wait = why, cause, w.Config.Confirm
	if cause != "" {
		a.wait = min(a.wait, confirmSettings)
	}
	if a.confirmed(lost(before, now, w.Config.Collapse), at) {
		w.Log.Warn("the loss is confirmed, what is left is served", "blog", key, "loss", why, "by_operator", a.accepted)
		delete(w.alarms, key)
		return ""
	}
	if cause == "" && !a.counted {
		a.counted = true
		w.collapses++
		w.Counted.Alarms.Add(1)
	}
	if tell {
		a.told = at
		w.tellLoss(key, a)
	}
	return why
}

// tellLoss logs a loss that is held. w.mu is held.
func (w *worker) tellLoss(key string, a *alarm) {
	if a.cause != "" {
		w.Log.Warn("settings of the site leave out much of what it has listed, the copies before that are served for a moment", "blog", key, "loss", a.why,
			"cause", a.cause, "until", "it is read again in "+a.wait.String()+" and still so")
		return
	}
	w.Log.Error("most of a site is gone from its database, the copies before that are served on", "blog", key, "loss", a.why,
		"until", "it is read again in "+a.wait.String()+" and still so",
		"hint", "see to the database; if it is meant: POST /sites/"+w.Config.Name+"/accept on the admin listener")
}

// remind logs once a day which losses are held still.
func (w *worker) remind() {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.server.now()
	for key, a := range w.alarms {
		if at.Sub(a.told) < remindEvery {
			continue
		}
		a.told = at
		w.Log.Error("the copies before a loss are served still", "blog", key, "loss", a.why, "cause", a.cause, "since", a.raised.UTC().Format(time.RFC3339),
			"hint", "see to the database, which says something else at every reading; if it is meant: POST /sites/"+w.Config.Name+"/accept on the admin listener")
	}
}

// inheritAlarms takes over the losses that a site's worker before has seen.
func (w *worker) inheritAlarms(before *worker) {
	before.mu.Lock()
	defer before.mu.Unlock()
	w.collapses = before.collapses
	for key, a := range before.alarms {
		kept := *a
		w.alarms[key] = &kept
	}
}

// guardBlog gives back what was before where a blog has lost too much.
func (w *worker) guardBlog(before, now *site.Blog) *site.Blog {
	if before == nil || before.Catalog == nil || now.Err != nil {
		return now
	}
	changes := now.Outline.Changes(&before.Outline)
	cause := ""
	if intended(&before.Outline, &now.Outline, w.Config.Collapse) {
		cause = cmp.Or(changes, "settings")
	}
	why := w.holds(now.Key(), census(&before.Outline), census(&now.Outline), cause)
	if why == "" {
		if changes != "" {
			w.Log.Info("settings of the site have changed its sitemaps", "blog", now.Key(), "cause", changes)
		}
		return now
	}
	return before.HeldFor(why)
}

// guardNetwork returns the blogs that vanished from the network, without being archived or
// deleted in it, where their loss is too much of the whole.
func (w *worker) guardNetwork(old, now *site.Snapshot) []*site.Blog {
	all, left := map[string]int{}, map[string]int{}
	var vanished []*site.Blog
	for _, b := range old.Blogs {
		if b.Catalog == nil {
			continue
		}
		n := total(census(&b.Outline))
		all[b.Key()] = n
		there := func(o *site.Blog) bool { return o.ID == b.ID }
		if slices.ContainsFunc(now.Blogs, there) || slices.ContainsFunc(now.Gone, b.GoneTo) {
			left[b.Key()] = n
			continue
		}
		vanished = append(vanished, b)
	}
	// one blog of many may go; all of "a type" is no loss of its own here
	if !site.Fell(total(all), total(left), w.Config.Collapse) {
		left = all
	}
	why := w.holds("", all, left, "")
	if why == "" {
		return nil
	}
	for i, b := range vanished {
		vanished[i] = b.HeldFor(why)
	}
	return vanished
}

// confirmation is the time until the next loss may count as confirmed.
func (w *worker) confirmation() (wait time.Duration, raised bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wait = math.MaxInt64
	for _, a := range w.alarms {
		wait = min(wait, max(0, a.wait-w.server.now().Sub(a.since)))
	}
	return wait, len(w.alarms) > 0
}

// explained reports whether settings explain all losses that are not confirmed.
func (w *worker) explained() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.alarms {
		if a.cause == "" {
			return false
		}
	}
	return true
}

// accept takes the losses of a site as they were read for true. It returns false when there
// is none.
func (w *worker) accept() bool {
	w.mu.Lock()
	for _, a := range w.alarms {
		a.accepted = true
	}
	raised := len(w.alarms) > 0
	w.mu.Unlock()
	if raised {
		w.readAgain()
	}
	return raised
}

// readAgain has the site read without waiting for its time.
func (w *worker) readAgain() {
	select {
	case w.again <- struct{}{}:
	default: // told already
	}
}

// alarmed returns why old copies are served of a site whose database can be read, since when,
// and how often that was; "" when it is not so.
func (w *worker) alarmed() (why string, since time.Time, times int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(w.alarms)) {
		a := w.alarms[key]
		if why == "" || a.raised.Before(since) {
			since = a.raised
		}
		if why != "" {
			why += "; "
		}
		if key != "" {
			why += "blog " + key + ": "
		}
		why += a.why
		if a.cause != "" {
			why += ", as its settings say: " + a.cause
		}
	}
	return why, since, w.collapses
}
