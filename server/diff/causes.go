package diff

import (
	"fmt"
	"slices"
	"time"

	"wpsitemapd/server/live"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
)

// A Cause is the reason for a difference.
type Cause struct {
	ID    string
	Text  string
	Known bool // the difference is intended or temporary, and needs no attention
}

// The causes that are not rules of explain.
var (
	betweenLevels = Cause{
		"level", "spec and plugin differ here, and the site matches level plugin; docs/seo/compatibility.md says why", true,
	}
	meanwhile   = Cause{"changed-meanwhile", "it changed after our data was read", true}
	configured  = Cause{"configuration", "the configuration says so", true}
	pageSize    = Cause{"page-size", "page_size is not the plugin's 1,000", true}
	otherRules  = Cause{"other-plugin", "another program writes the site's sitemaps, by other rules than the plugin that ours follow", true}
	consequence = Cause{"follows", "it follows from the other differences of this sitemap", true}
	scanOrder   = Cause{"scan-order", "the plugin dates this file by the row that the database server read first, ours is dated by the newest", true}
	mistakenID  = Cause{"term-ids", "the plugin dates this file by other terms, whose term_taxonomy_id is the term_id of these", true}
	sharedTerm  = Cause{
		"shared-terms", "several taxonomies share the ID of this term, as before WordPress 4.2, so that the site takes one term for another", true,
	}
	equalDates  = Cause{"equal-dates", "the plugin has no order among entries of one date, and one page ends between them", true}
	newerFiles  = Cause{"newer-files", "WordPress' files are newer than its database, and write dates: open its dashboard to update the database", true}
	olderCopy   = Cause{"older-copy", "it changed after everything in their copy: clear the caches of the site and compare again", false}
	unexplained = Cause{"unexplained", "no cause found", false}
)

const version = "version" // the ID of causes that come from another version of the plugin

// why holds the facts that explain differences. A difference that one of them explains is known: it needs no
// attention. Every field but Theirs is optional.
type why struct {
	Theirs   *Listing  // the sitemaps of the site
	Read     time.Time // when our data was read; differences by later changes are known
	Foreign  bool      // the site's sitemaps come from another program than the plugin whose rules we follow
	PageSize int
	Copies   string // where the site's plugin keeps finished sitemaps, and what empties that place; "": nowhere

	// ScanOrder means that the plugin numbers rows in the order in which the server reads them, and that MariaDB
	// ignores the order the query asks for.
	ScanOrder bool
	// MistakenIDs are the taxonomies whose files All in One SEO dates by other terms.
	MistakenIDs map[string]bool
	// Shared are the terms whose term_id is also the ID of a term in another taxonomy. The keys are objects as explain names them.
	Shared  map[string]bool
	Undated bool // our sitemaps have no dates, because the database belongs to a WordPress before 6.5

	Past   []seo.PastRule // how the installed version differs from the rules we follow
	Plugin map[mark]bool  // the differences at level plugin; nil unless level spec is being explained
	Bare   map[mark]bool  // the differences at level plugin without what the configuration adds and removes; nil: it does neither
	// Older are the differences at level plugin by the rules of an older version, which OlderCause names. It is nil if
	// the version is known or the newest version fits.
	Older      map[mark]bool
	OlderCause Cause
	// Excluded reports whether the configuration excludes a sitemap.
	Excluded func(name string) bool
	Left     map[string]bool // the sitemaps that the daemon leaves to the site, because it cannot tell the URLs of their types
	// Explain explains a URL, or returns nil if it cannot.
	Explain func(loc string) *explain.Explanation
}

// mark identifies a difference. For a difference of a file, of has only the sitemap, and file is the page number.
// For any other difference, file is 0.
type mark struct {
	facet Facet
	of    key
	file  int
}

func (d *Difference) mark(f Facet) mark {
	if d.file > 0 {
		return mark{f, key{sitemap: d.Sitemap}, d.file}
	}
	return mark{f, key{d.Sitemap, d.URL}, 0}
}

// marksOf returns the marks of the given differences, as a set.
func marksOf(found []Difference) map[mark]bool {
	marks := map[mark]bool{}
	for i := range found {
		marks[found[i].mark(found[i].Facet)] = true
	}
	return marks
}

// agrees reports whether another variant of our sitemaps has what the site serves, where ours differ. differs are
// the differences of that variant from the site. It is nil if there is no such variant, and agrees then returns
// false.
func (d *Difference) agrees(differs map[mark]bool) bool {
	return differs != nil && !slices.ContainsFunc([]Facet{d.Facet, onlyTheirs, otherForm, elsewhere, missingSitemap},
		func(f Facet) bool { return differs[d.mark(f)] })
}

// maxExplained is how many URLs are explained for one level. Differences of further URLs get no explanation of
// their URL.
const maxExplained = 5000

// explain sets the causes of differences. It looks at files and page numbers last, because their differences may
// follow from differences of entries.
func (w *why) explain(found []Difference) {
	known, open := map[string]bool{}, map[string]bool{} // sitemaps with known differences, and with unexplained ones
	explained := 0
	ask := func(loc string) *explain.Explanation {
		if explained++; w.Explain == nil || explained > maxExplained {
			return nil
		}
		return w.Explain(loc)
	}
	for _, follows := range []bool{false, true} {
		for i := range found {
			d := &found[i]
			if follows != (d.file > 0 || d.Facet == pageNumber) {
				continue
			}
			if d.agrees(w.Plugin) {
				d.Cause = betweenLevels // what follows from it also differs between the levels
				continue
			}
			if d.agrees(w.Bare) {
				d.Cause = configured
				continue
			}
			if d.agrees(w.Older) {
				d.Cause = w.OlderCause
				continue
			}
			d.Cause, d.Detail = w.cause(d, ask)
			switch d.Facet {
			case onlyTheirs, onlyOurs, lastMod, elsewhere:
				known[d.Sitemap] = known[d.Sitemap] || d.Cause.Known
				open[d.Sitemap] = open[d.Sitemap] || !d.Cause.Known
			}
			if follows && d.Cause == unexplained && known[d.Sitemap] && !open[d.Sitemap] {
				d.Cause = consequence
			}
		}
	}
}

// later reports whether a date of the site is later than the time at which we read our data.
func (w *why) later(d live.Date) bool {
	return !w.Read.IsZero() && !d.IsZero() && d.Time().Unix() >= w.Read.Unix()
}

// newest returns the newest date of a sitemap of the site. The date is zero if the sitemap has none.
func (w *why) newest(sitemap string) (d live.Date) {
	if w.Theirs != nil {
		d = w.Theirs.newest[sitemap]
	}
	return d
}

// cause returns the cause of one difference, and details for the report. It does not look at the other differences.
func (w *why) cause(d *Difference, ask func(loc string) *explain.Explanation) (Cause, string) {
	past, ofFile := ruleFor(w.Past, d), d.Facet == missingSitemap || d.Facet == extraSitemap
	resized := w.PageSize != 0 && w.PageSize != seo.DefaultPageSize
	switch newest := w.newest(d.Sitemap); {
	case (d.Facet == onlyTheirs || d.Facet == missingSitemap) && w.Left[d.Sitemap]:
		return Cause{"left-to-site", "the site itself serves this sitemap, after the switch too; check says why", true}, ""
	case (d.Facet == onlyTheirs || ofFile) && w.Excluded != nil && w.Excluded(d.Sitemap):
		return configured, "exclude = true"
	case (d.Facet == onlyTheirs || d.Facet == lastMod || d.Facet == indexDate) && w.later(d.theirs.date):
		return meanwhile, "lastmod " + d.theirs.date.String()
	case d.Facet == elsewhere && w.Foreign:
		return otherRules, ""
	case w.Undated && (d.Facet == lastMod || d.Facet == indexDate) && d.ours.date.IsZero():
		return newerFiles, ""
	case d.Facet == indexDate && w.MistakenIDs[d.Sitemap]:
		return mistakenID, ""
	case d.Facet == indexDate && w.ScanOrder && w.Theirs.dates(d.Sitemap, 0, d.theirs.date):
		return scanOrder, ""
	case resized && (d.Facet == pageNumber || d.Facet == indexDate || ofFile && d.file > 1):
		return pageSize, ""
	case d.Facet == pageNumber && w.Plugin == nil && w.Theirs.dates(d.Sitemap, d.ours.page, d.theirs.date):
		return equalDates, ""
	case past != nil && !w.Foreign:
		return Cause{version, past.Text, true}, ""
	case ofFile, d.Facet == pageNumber, d.Facet == elsewhere, d.Facet == otherForm:
		return unexplained, ""
	case d.Facet != onlyTheirs && !newest.IsZero() && d.ours.date.After(newest):
		detail := fmt.Sprintf("their newest date is %v, this changed at %v", newest, d.ours.date)
		if w.Copies != "" && !w.Foreign {
			detail += ". " + w.Copies
		}
		return olderCopy, detail
	case d.Facet != onlyTheirs && d.Facet != onlyOurs:
		return unexplained, ""
	}
	x := ask(d.URL)
	if x == nil {
		return unexplained, ""
	}
	d.object = x.Object
	switch {
	case x.Rule == seo.Excluded.String():
		return configured, say(x)
	case w.Shared[x.Object]:
		return sharedTerm, say(x)
	case d.Facet == onlyTheirs && x.Object != "" && w.Foreign:
		return otherRules, say(x)
	}
	text := "explain says: " + x.Rule
	if d.Facet == onlyTheirs && x.Object == "" {
		text += "; if a filter in PHP gives an object such a URL, no row shows that: exclude the object by its ID, and list the URL in [[site.extra]]"
	}
	return Cause{x.Rule, text, false}, say(x)
}

// ruleFor returns the rule of an older version that a difference follows from, or nil.
func ruleFor(past []seo.PastRule, d *Difference) *seo.PastRule {
	for i, r := range past {
		if r.Differs == string(d.Facet) && (r.Of == "" || r.Of == d.Sitemap) {
			return &past[i]
		}
	}
	return nil
}

// say returns an explanation as one line.
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
