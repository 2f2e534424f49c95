package diff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/live"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/weburl"
)

// Cause is why something differs.
type Cause struct {
	ID    string
	Text  string
	Known bool // meant to be so, or passing by itself: nothing to look into
}

// The causes.
var (
	levels       = Cause{"level", "spec and plugin differ here, and the site has what plugin has; docs/seo/compatibility.md says why", true}
	meanwhile    = Cause{"changed-meanwhile", "it changed after our data was read", true}
	configured   = Cause{"configuration", "the configuration says so", true}
	pageSize     = Cause{"page-size", "page_size is not the plugin's 1,000", true}
	otherRules   = Cause{"other-plugin", "another program writes the site's sitemaps, by other rules than the plugin that ours follow", true}
	follows      = Cause{"follows", "it follows from the other differences of this sitemap", true}
	followsOpen  = Cause{"follows-unexplained", "it follows from the unexplained differences of this sitemap", false}
	olderCopy    = Cause{"older-copy", "it changed after everything in their copy: clear the caches of the site and compare again", false}
	unexplained  = Cause{"unexplained", "no cause found", false}
	contradicted = Cause{"left-out-here", "we have a rule that leaves it out, and yet the plugin lists it", false}
	leftOutThere = Cause{
		"left-out-there",
		"the site leaves it out and nothing in the database says why; to leave it out, too, exclude it in the configuration",
		false,
	}
	nothingThere  = Cause{"not-in-database", "nothing in the database has this address", false}
	otherScheme   = Cause{"other-scheme", "the same address with another scheme", false}
	otherHost     = Cause{"other-host", "the same address on another host", false}
	otherSpelling = Cause{"other-spelling", "the same address in another spelling", false}
)

// Reason is what is known of an address on one of our sides.
type Reason struct {
	Object   string // what it is: "post 12"; "" when nothing has this address
	Listed   bool
	Operator bool   // the configuration leaves it out
	Rule     string // that leaves it out
	Evidence string // the row, option or meta key that decided
	LastMod  string // where its lastmod comes from
}

// Why is what the causes are found by. Every field may be left out.
type Why struct {
	Read     time.Time // when our data was read; later changes are nobody's fault
	Foreign  bool      // their sitemaps come from another program than the plugin whose rules ours follow
	PageSize int
	Copies   string // where their plugin keeps finished sitemaps, and what empties that; "" for nowhere

	// Excluded reports whether the configuration leaves a sitemap out.
	Excluded func(name string) bool
	// Explain looks an address up; ok is false when it could not.
	Explain func(side Side, loc string) (r Reason, ok bool)
}

// maxExplained bounds how many addresses are looked up for one level.
const maxExplained = 500

func (w *Why) explain(f *finder, loc string) (Reason, bool) {
	if w.Explain == nil || f.explained == maxExplained {
		return Reason{}, false
	}
	f.explained++
	return w.Explain(f.side, loc)
}

// later reports whether a date of theirs is younger than our data.
func (w *Why) later(d live.Date) bool {
	return !w.Read.IsZero() && !d.IsZero() && d.Time().Unix() >= w.Read.Unix()
}

// older reports whether the site's copy of a sitemap may be from before a change: nothing in it,
// and no date of it in the index, is as young.
func (w *Why) older(g *group, ours live.Date) (string, bool) {
	if g.newest.IsZero() || !ours.After(g.newest) {
		return "", false
	}
	detail := fmt.Sprintf("their newest date is %v, this changed at %v", g.newest, ours)
	if w.Copies != "" && !w.Foreign {
		detail += ". " + w.Copies
	}
	return detail, true
}

func (w *Why) onlyTheirs(f *finder, g *group, r *row) (Cause, string) {
	if f.side == Spec && len(r.places[Plugin]) > 0 {
		reason, _ := w.explain(f, r.loc)
		return levels, reason.say()
	}
	for _, p := range r.places[Theirs] {
		if w.later(p.date) {
			return meanwhile, "lastmod " + p.date.String()
		}
	}
	if w.Excluded != nil && w.Excluded(g.name) {
		return configured, "exclude = true"
	}
	if len(r.places[Whole]) > 0 && len(r.places[Plugin]) == 0 {
		return configured, "[site.exclude]"
	}
	reason, ok := w.explain(f, r.loc)
	switch {
	case !ok:
		return unexplained, ""
	case reason.Operator:
		return configured, reason.say()
	case reason.Object == "":
		return nothingThere, reason.say()
	case reason.Listed && w.Foreign:
		return otherRules, reason.Object + " is listed here in another sitemap"
	case reason.Listed:
		return unexplained, reason.say()
	case w.Foreign:
		return otherRules, reason.say()
	}
	return contradicted, reason.say()
}

func (r *Reason) say() string {
	parts := []string{r.Object, r.Rule, r.Evidence}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

func (w *Why) onlyOurs(f *finder, g *group, r *row) (Cause, string) {
	if f.side == Spec && len(r.places[Plugin]) == 0 {
		return levels, ""
	}
	if detail, ok := w.older(g, r.places[f.side][0].date); ok {
		return olderCopy, detail
	}
	reason, _ := w.explain(f, r.loc)
	return leftOutThere, reason.say()
}

func (w *Why) repeated(f *finder, r *row) Cause {
	if f.side == Spec && len(r.places[Plugin]) == len(r.places[Theirs]) {
		return levels
	}
	return unexplained
}

func (w *Why) elsewhere(f *finder, theirs missing) Cause {
	switch {
	case f.side == Spec && len(theirs.r.places[Plugin]) > 0:
		return levels
	case w.Foreign:
		return otherRules
	}
	return unexplained
}

func (w *Why) address(f *finder, theirs, ours missing) (Cause, string) {
	if f.side == Spec && len(theirs.r.places[Plugin]) > 0 {
		return levels, ""
	}
	a, restA, _ := strings.Cut(theirs.r.loc, "://")
	b, restB, _ := strings.Cut(ours.r.loc, "://")
	hostA, _, _ := strings.Cut(restA, "/")
	hostB, _, _ := strings.Cut(restB, "/")
	switch {
	case weburl.HostPort(hostA) != weburl.HostPort(hostB):
		return otherHost, hostA + " for " + hostB
	case !strings.EqualFold(a, b):
		return otherScheme, a + " for " + b
	}
	return otherSpelling, ""
}

// lastmod is the cause of another date; known reports whether plugin has the date that they have.
func (w *Why) lastmod(f *finder, g *group, r *row, theirs, ours place, known bool) (Cause, string) {
	switch {
	case w.later(theirs.date):
		return meanwhile, ""
	case known:
		return levels, ""
	}
	if detail, ok := w.older(g, ours.date); ok {
		return olderCopy, detail
	}
	reason, ok := w.explain(f, r.loc)
	if !ok || reason.LastMod == "" {
		return unexplained, ""
	}
	return unexplained, "ours is " + reason.LastMod
}

// extra is the cause of what differs beside the date; known reports whether plugin has what they have.
func (w *Why) extra(g *group, ours place, known bool) (Cause, string) {
	if known {
		return levels, ""
	}
	if detail, ok := w.older(g, ours.date); ok {
		return olderCopy, detail
	}
	return unexplained, ""
}

func (w *Why) sitemap(f *finder, g *group, x *file) (Cause, string) {
	switch {
	case f.side == Spec && x.has[Plugin] == x.has[Theirs]:
		return levels, ""
	case w.Excluded != nil && w.Excluded(g.name):
		return configured, "exclude = true"
	case x.has[Whole] && !x.has[Plugin]:
		return configured, "[site.exclude]"
	case x.page > 1 && w.resized():
		return pageSize, ""
	}
	return f.follow(g), ""
}

func (w *Why) resized() bool { return w.PageSize != 0 && w.PageSize != seo.DefaultPageSize }

// follow is the cause of what other differences of a sitemap bring with them.
func (f *finder) follow(g *group) Cause {
	switch roots := f.roots[g]; {
	case roots.unexplained:
		return followsOpen
	case roots.known:
		return follows
	}
	return unexplained
}

func (w *Why) indexDate(f *finder, g *group, x *file) (Cause, string) {
	switch {
	case w.later(x.date[Theirs]):
		return meanwhile, ""
	case f.side == Spec && x.has[Plugin] && x.date[Plugin].Same(x.date[Theirs]):
		return levels, ""
	case w.resized():
		return pageSize, ""
	}
	if detail, ok := w.older(g, x.date[f.side]); ok {
		return olderCopy, detail
	}
	return f.follow(g), ""
}

func (w *Why) page(f *finder, m moved) Cause {
	switch {
	case m.known:
		return levels
	case w.resized():
		return pageSize
	}
	return f.follow(m.g)
}
