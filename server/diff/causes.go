package diff

import (
	"fmt"
	"slices"
	"time"

	"wpsitemapd/server/live"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
)

// Cause is why something differs.
type Cause struct {
	ID    string
	Text  string
	Known bool // meant to be so, or passing by itself: nothing to look into
}

// The causes, beside the rules of explain.
var (
	levels = Cause{
		"level", "spec and plugin differ here, and the site matches level plugin; docs/seo/compatibility.md says why", true,
	}
	meanwhile   = Cause{"changed-meanwhile", "it changed after our data was read", true}
	configured  = Cause{"configuration", "the configuration says so", true}
	pageSize    = Cause{"page-size", "page_size is not the plugin's 1,000", true}
	otherRules  = Cause{"other-plugin", "another program writes the site's sitemaps, by other rules than the plugin that ours follow", true}
	consequence = Cause{"follows", "it follows from the other differences of this sitemap", true}
	edited      = Cause{"edited", "it changed after everything in the folder", true}
	olderCopy   = Cause{"older-copy", "it changed after everything in their copy: clear the caches of the site and compare again", false}
	unexplained = Cause{"unexplained", "no cause found", false}
)

const version = "version" // the ID of causes that another version is

// Why tells known differences from others. Every field may be left out.
type Why struct {
	Read     time.Time // when our data was read; later changes are known
	Foreign  bool      // their sitemaps come from another program than the plugin whose rules ours follow
	PageSize int
	Before   bool   // theirs is what ours was
	Copies   string // where their plugin keeps finished sitemaps, and what empties that; "" for nowhere

	Past []seo.PastRule // what the installed version does otherwise than ours
	Then *Cause         // of what the site has as the side Then; nil: there is none
	// Excluded reports whether the configuration excludes a sitemap.
	Excluded func(name string) bool
	// Added reports whether the configuration adds a sitemap.
	Added func(name string) bool
	// Explain explains a URL; nil where it cannot.
	Explain func(side Side, loc string) *explain.Explanation
}

// maxExplained bounds how many URLs are explained for one level.
const maxExplained = 5000

// explain sets the causes of differences. Those of pages and of the index come last: they may follow from those of entries.
func (w *Why) explain(side Side, found []Difference) {
	known, open := map[*group]bool{}, map[*group]bool{}
	explained := 0
	ask := func(loc string) *explain.Explanation {
		if explained++; w.Explain == nil || explained > maxExplained {
			return nil
		}
		return w.Explain(side, loc)
	}
	for _, follows := range []bool{false, true} {
		for i := range found {
			d := &found[i]
			switch {
			case follows != (d.file != nil || d.Facet == Page):
			case side == Spec && d.as(Plugin):
				d.Cause = levels // and what follows is a difference between the levels, too
			case w.Then != nil && d.as(Then):
				d.Cause = *w.Then
			case follows:
				if d.Cause, d.Detail = w.cause(d, ask); d.Cause == unexplained && known[d.group] && !open[d.group] {
					d.Cause = consequence
				}
			default:
				d.Cause, d.Detail = w.cause(d, ask)
				switch d.Facet {
				case OnlyTheirs, OnlyOurs, LastMod, Repeated, Elsewhere:
					known[d.group] = known[d.group] || d.Cause.Known
					open[d.group] = open[d.group] || !d.Cause.Known
				}
			}
		}
	}
}

// as reports whether another side of ours has what they have.
func (d *Difference) as(side Side) bool {
	switch d.Facet {
	case MissingSitemap, ExtraSitemap:
		return d.file.has[side] == d.file.has[Theirs]
	case IndexDate:
		return d.file.has[side] && d.file.date[side].Same(d.theirs.date)
	}
	times, like := d.row.times[side], d.row.places[side]
	switch {
	case d.Facet == OnlyOurs:
		return times == 0
	case d.Facet == Repeated:
		return times == d.row.times[Theirs]
	case times == 0:
		return false
	case d.Facet == OnlyTheirs, d.Facet == Elsewhere, d.Facet == Address:
		return true
	}
	i := slices.IndexFunc(placeFacets, func(x placeFacet) bool { return x.facet == d.Facet })
	return placeFacets[i].same(d.theirs, like)
}

// later reports whether a date of theirs is younger than our data.
func (w *Why) later(d live.Date) bool {
	return !w.Read.IsZero() && !d.IsZero() && d.Time().Unix() >= w.Read.Unix()
}

// older is the cause of what changed after their copy was made.
func (w *Why) older(d *Difference) (Cause, string) {
	if w.Before {
		return edited, "lastmod " + d.ours.date.String()
	}
	detail := fmt.Sprintf("their newest date is %v, this changed at %v", d.group.newest, d.ours.date)
	if w.Copies != "" && !w.Foreign {
		detail += ". " + w.Copies
	}
	return olderCopy, detail
}

// cause is the cause of a difference, where it follows from no other.
func (w *Why) cause(d *Difference, ask func(loc string) *explain.Explanation) (Cause, string) {
	past, ofFile := w.past(d), d.Facet == MissingSitemap || d.Facet == ExtraSitemap
	resized := w.PageSize != 0 && w.PageSize != seo.DefaultPageSize
	switch {
	case (d.Facet == OnlyTheirs || ofFile) && w.Excluded != nil && w.Excluded(d.Sitemap):
		return configured, "exclude = true"
	case (d.Facet == OnlyOurs || ofFile) && w.Added != nil && w.Added(d.Sitemap):
		return configured, "[[site.extra]]"
	case (d.Facet == OnlyTheirs || d.Facet == LastMod || d.Facet == IndexDate) && w.later(d.theirs.date):
		return meanwhile, "lastmod " + d.theirs.date.String()
	case d.Facet == Elsewhere && w.Foreign:
		return otherRules, ""
	case resized && (d.Facet == Page || d.Facet == IndexDate || ofFile && d.file.page > 1):
		return pageSize, ""
	case past != nil:
		return *past, ""
	case ofFile, d.Facet == Page, d.Facet == Repeated, d.Facet == Elsewhere, d.Facet == Address:
		return unexplained, ""
	case d.Facet != OnlyTheirs && d.group.older(d.ours.date):
		return w.older(d)
	case d.Facet != OnlyTheirs && d.Facet != OnlyOurs:
		return unexplained, ""
	}
	x := ask(d.URL)
	switch {
	case x == nil:
		return unexplained, ""
	case x.Rule == seo.OperatorExcluded.String():
		return configured, say(x)
	case d.Facet == OnlyTheirs && x.Object != "" && w.Foreign:
		return otherRules, say(x)
	}
	return Cause{x.Rule, "explain says: " + x.Rule, false}, say(x)
}

// past is what the installed version does otherwise than ours.
func (w *Why) past(d *Difference) *Cause {
	i := slices.IndexFunc(w.Past, func(r seo.PastRule) bool { return r.Differs == string(d.Facet) && (r.Of == "" || r.Of == d.Sitemap) })
	if i < 0 || w.Foreign {
		return nil
	}
	return &Cause{version, w.Past[i].Text, true}
}

// say is an explanation in one line.
func say(x *explain.Explanation) string {
	text := x.Because
	if x.Object != "" {
		text = x.Object + ": " + text
	}
	for _, e := range x.Evidence {
		text += " " + e.Source + " is " + e.Value
		if e.Of != "" && e.Of != x.Object {
			text += " (" + e.Of + ")"
		}
		text += "."
	}
	return text
}
