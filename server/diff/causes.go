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

// These causes are found by diff itself. For other differences, the cause is the rule that explain names.
var (
	betweenLevels = Cause{
		"level", "the levels spec and plugin differ here, and the site matches level plugin: docs/seo/compatibility.md says why", true,
	}
	meanwhile   = Cause{"changed-meanwhile", "it changed after wpsitemapd read the database", true}
	configured  = Cause{"configuration", "the configuration says so", true}
	pageSize    = Cause{"page-size", "page_size is not the plugin's 1,000", true}
	otherRules  = Cause{"other-plugin", "another program writes the site's sitemaps, by other rules than those that wpsitemapd follows here", true}
	consequence = Cause{"follows", "it follows from the other differences of this sitemap", true}
	scanOrder   = Cause{"scan-order", "the plugin dates this file by the row that the database server read first, wpsitemapd by the newest row", true}
	mistakenID  = Cause{"term-ids", "the plugin dates this file by the wrong terms: their term_taxonomy_id is the term_id of the right ones", true}
	sharedTerm  = Cause{
		"shared-terms", "this term shares its ID with terms of other taxonomies, as before WordPress 4.2, and the site confuses them", true,
	}
	equalDates  = Cause{"equal-dates", "the plugin does not order entries of the same date, and a page ends between such entries", true}
	newerFiles  = Cause{"newer-files", "WordPress' files are newer than its database, and write dates: open its dashboard to update the database", true}
	olderCopy   = Cause{"older-copy", "it changed after the site's copy was made: clear the caches of the site and compare again", false}
	unexplained = Cause{"unexplained", "no cause found", false}
)

const version = "version" // the ID of causes that come from another version of the plugin

// why holds the facts that explain differences. Every field but Theirs is optional.
type why struct {
	Theirs   *Listing  // the sitemaps of the site
	Read     time.Time // when our data was read; a difference that a later change made is known
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
	Undated bool           // our sitemaps have no dates, because the database belongs to a WordPress before 6.5
	Past    []seo.PastRule // how the installed version differs from the rules we follow
	// Excluded reports whether the configuration excludes a sitemap.
	Excluded func(name string) bool
	Left     map[string]bool // the sitemaps that the daemon leaves to the site, because it cannot tell the URLs of their types
	// Explain explains a URL, or returns nil if it cannot.
	Explain func(loc string) *explain.Explanation

	// The next three are variants of our sitemaps: the differences of each variant from the site. If a variant agrees
	// with the site where ours differ, what makes the variant is the cause. A variant is nil if it was not made.
	AtPlugin     map[mark]bool // level plugin; nil unless level spec is being explained
	Unconfigured map[mark]bool // level plugin without what the configuration adds and removes; nil: the configuration adds and removes nothing
	ByOlder      map[mark]bool // level plugin by the rules of an older version; nil if the version is known or the newest fits
	OlderCause   Cause         // names the version of ByOlder
}

// maxExplained is how many URLs are explained for one level, because each explanation reads rows. Differences of
// further URLs stay unexplained.
const maxExplained = 5000

// explain sets the causes of all differences.
func (w *why) explain(found []Difference) {
	left := maxExplained
	ask := func(loc string) *explain.Explanation {
		if left--; w.Explain == nil || left < 0 {
			return nil
		}
		return w.Explain(loc)
	}
	known, open := map[string]bool{}, map[string]bool{} // sitemaps with known differences among their entries, and with unexplained ones
	for i := range found {
		d := &found[i]
		if d.follows() || w.variant(d) {
			continue
		}
		d.Cause, d.Detail = w.cause(d, ask)
		switch d.Facet {
		case onlyTheirs, onlyOurs, lastMod, elsewhere: // only these move entries to other pages or change the date of a file
			known[d.Sitemap] = known[d.Sitemap] || d.Cause.Known
			open[d.Sitemap] = open[d.Sitemap] || !d.Cause.Known
		}
	}
	for i := range found {
		d := &found[i]
		if !d.follows() || w.variant(d) {
			continue
		}
		d.Cause, d.Detail = w.cause(d, ask)
		if d.Cause == unexplained && known[d.Sitemap] && !open[d.Sitemap] {
			d.Cause = consequence
		}
	}
}

// follows reports whether a difference may be a consequence of differences among the entries of its sitemap.
func (d *Difference) follows() bool { return d.filePage > 0 || d.Facet == pageNumber }

// variant sets the cause of a difference in which a variant of our sitemaps agrees with the site. It reports whether
// there is such a variant.
func (w *why) variant(d *Difference) bool {
	switch {
	case d.agrees(w.AtPlugin):
		d.Cause = betweenLevels
	case d.agrees(w.Unconfigured):
		d.Cause = configured
	case d.agrees(w.ByOlder):
		d.Cause = w.OlderCause
	default:
		return false
	}
	return true
}

// agrees reports whether a variant of our sitemaps agrees with the site in this difference. differs are all differences of the
// variant from the site, or nil if there is no variant. A variant that lacks the entry, or has it in another form or place,
// does not agree: find has compared nothing else of such an entry.
func (d *Difference) agrees(differs map[mark]bool) bool {
	return differs != nil && !slices.ContainsFunc([]Facet{d.Facet, onlyTheirs, otherForm, elsewhere, missingSitemap},
		func(f Facet) bool { return differs[d.mark(f)] })
}

// cause returns the cause of one difference, and details for the report. It does not look at the other differences. Facts about
// the whole sitemap come first, then the rules of older versions. An explanation of the single URL comes last, because it reads
// rows.
func (w *why) cause(d *Difference, ask func(loc string) *explain.Explanation) (Cause, string) {
	cause, detail := w.byFacts(d)
	if cause != unexplained {
		return cause, detail
	}
	if past := ruleFor(w.Past, d); past != nil && !w.Foreign {
		return Cause{version, past.Text, true}, ""
	}
	switch d.Facet {
	case missingSitemap, extraSitemap, pageNumber, elsewhere, otherForm:
		return unexplained, ""
	case onlyTheirs: // we have no date of the entry that could be newer than the site's sitemap
		return w.byURL(d, ask)
	}
	if newest := w.newest(d.Sitemap); !newest.IsZero() && d.ours.date.After(newest) {
		detail := fmt.Sprintf("their newest date is %v, this changed at %v", newest, d.ours.date)
		if w.Copies != "" && !w.Foreign {
			detail += ". " + w.Copies
		}
		return olderCopy, detail
	}
	if d.Facet == onlyOurs {
		return w.byURL(d, ask)
	}
	return unexplained, ""
}

// byFacts returns the cause that the facts about a sitemap give to a difference. It returns unexplained if they give none.
func (w *why) byFacts(d *Difference) (Cause, string) {
	resized := w.PageSize != 0 && w.PageSize != seo.DefaultPageSize
	switch d.Facet {
	case missingSitemap, extraSitemap, onlyTheirs:
		switch {
		case w.Left[d.Sitemap] && d.Facet != extraSitemap:
			return Cause{"left-to-site", "the site itself serves this sitemap, also after the switch: wpsitemapd check says why", true}, ""
		case w.Excluded != nil && w.Excluded(d.Sitemap):
			return configured, "exclude = true"
		case w.later(d.theirs.date):
			return meanwhile, "lastmod " + d.theirs.date.String()
		case resized && d.filePage > 1:
			return pageSize, ""
		}
	case lastMod, indexDate:
		return w.byDate(d, resized)
	case pageNumber:
		switch {
		case resized:
			return pageSize, ""
		case w.AtPlugin == nil && w.Theirs.hasDate(d.Sitemap, d.ours.page, d.theirs.date): // level spec does not order by date
			return equalDates, ""
		}
	case elsewhere:
		if w.Foreign {
			return otherRules, ""
		}
	}
	return unexplained, ""
}

// byDate returns the cause that the facts about a sitemap give to a difference in the date of an entry, or of a file in the
// index. It returns unexplained if they give none. resized means that page_size is not the plugin's.
func (w *why) byDate(d *Difference, resized bool) (Cause, string) {
	switch {
	case w.later(d.theirs.date):
		return meanwhile, "lastmod " + d.theirs.date.String()
	case w.Undated && d.ours.date.IsZero():
		return newerFiles, ""
	case d.Facet == lastMod: // what follows is about dates of files
		return unexplained, ""
	case w.MistakenIDs[d.Sitemap]:
		return mistakenID, ""
	case w.ScanOrder && w.Theirs.hasDate(d.Sitemap, 0, d.theirs.date):
		return scanOrder, ""
	case resized:
		return pageSize, ""
	}
	return unexplained, ""
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

// byURL returns the cause that explain gives for a URL that only one side lists.
func (w *why) byURL(d *Difference, ask func(loc string) *explain.Explanation) (Cause, string) {
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
		text += ". If a filter in PHP gives an object this URL, the database does not show that: exclude the object by its ID, and " +
			"list the URL in [[site.extra]]"
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

// mark identifies a difference. If a file differs, of has only the name of the sitemap, and file is the page number. If an
// entry differs, file is 0.
type mark struct {
	facet Facet
	of    key
	file  int
}

func (d *Difference) mark(f Facet) mark {
	if d.filePage > 0 {
		return mark{f, key{sitemap: d.Sitemap}, d.filePage}
	}
	return mark{f, key{d.Sitemap, d.URL}, 0}
}

// marksOf returns the set of the marks that identify the differences.
func marksOf(found []Difference) map[mark]bool {
	marks := map[mark]bool{}
	for i := range found {
		marks[found[i].mark(found[i].Facet)] = true
	}
	return marks
}
