package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"wpsitemapd/server/report"
)

// Report is the result of a comparison. Its JSON form is for programs, Text (text.go) is for people.
type Report struct {
	OK    bool          `json:"ok"` // there is no unexplained difference, and everything was read
	Sites []*SiteReport `json:"sites"`

	Verbose bool `json:"-"` // Text prints every example that was kept
}

type SiteReport struct {
	Name   string        `json:"name"`
	OK     bool          `json:"ok"`
	Errors []string      `json:"errors,omitempty"`
	Blogs  []*BlogReport `json:"blogs"`
}

// BlogReport is the result for one blog of a site.
type BlogReport struct {
	ID        int64          `json:"id"`
	Home      string         `json:"home"`
	Live      string         `json:"live,omitempty"` // address of the site's index
	OK        bool           `json:"ok"`
	Error     string         `json:"error,omitempty"`
	Notes     []string       `json:"notes,omitempty"`
	Generator string         `json:"generator,omitempty"` // the program that wrote the site's sitemaps
	Requests  int            `json:"requests"`
	Sitemaps  int            `json:"sitemaps"` // of the site
	URLs      int            `json:"urls"`
	Failed    []FailedFile   `json:"failed,omitempty"`
	Levels    []*LevelReport `json:"levels"`
}

// FailedFile is a sitemap of the site that could not be read.
type FailedFile struct {
	URL   string `json:"url"`
	Error string `json:"error"`
}

// LevelReport is the result at one level.
type LevelReport struct {
	Level       string  `json:"level"`
	URLs        int     `json:"urls"`         // entries of our sitemaps
	NotCompared int     `json:"not_compared"` // our entries that may be in a file of the site that could not be read
	Unexplained int     `json:"unexplained"`
	Known       int     `json:"known"`
	Safe        bool    `json:"safe"` // it is safe to switch to our sitemaps
	Verdict     string  `json:"verdict"`
	Groups      []Group `json:"groups"`
}

// Group is all differences in the same facet with the same cause.
type Group struct {
	What     string         `json:"what"`
	Cause    string         `json:"cause"`
	Why      string         `json:"why"`
	Known    bool           `json:"known"`
	Count    int            `json:"count"`
	Sitemaps map[string]int `json:"sitemaps"`
	Examples []Difference   `json:"examples"`
	Add      []string       `json:"add,omitempty"` // lines of configuration that may explain the differences; nobody has tried them
}

// maxExamples is how many examples of a group are kept, unless Run.All is set.
const maxExamples = 100

// grouped groups differences by facet and cause, the largest group first. Each group keeps the first examples, at most most.
func grouped(found []Difference, most int) (groups []Group) {
	type key struct {
		facet Facet
		cause string
	}
	at := map[key]int{}
	for _, d := range found {
		k := key{d.Facet, d.Cause.ID}
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups,
				Group{What: string(d.Facet), Cause: d.Cause.ID, Why: d.Cause.Text, Known: d.Cause.Known, Sitemaps: map[string]int{}})
		}
		g := &groups[i]
		g.Count++
		g.Sitemaps[d.Sitemap]++
		if len(g.Examples) < most {
			g.Examples = append(g.Examples, d)
		}
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What), cmp.Compare(a.Cause, b.Cause))
	})
	return groups
}

func (x *sitemaps) summarize(of *side) *LevelReport {
	l := &LevelReport{Level: string(of.level), URLs: of.listing.urls(), Groups: []Group{}}
	if x.theirs.failed {
		l.NotCompared = len(of.listing.without(x.theirs))
	}
	most := maxExamples
	if x.All {
		most = math.MaxInt
	}
	l.Groups = append(l.Groups, grouped(of.found, most)...)
	of.advise(l.Groups, x.theirs)
	l.Unexplained = unexplainedOf(of.found)
	l.Known = len(of.found) - l.Unexplained
	l.judge(x.served)
	return l
}

// judge sets Safe and Verdict by the number of differences, and by the files of the site that could not be read.
func (l *LevelReport) judge(served *BlogReport) {
	counts := report.Count(l.Unexplained, "unexplained difference") + ", " + report.Count(l.Known, "known one")
	failed := len(served.Failed)
	l.Safe = failed == 0 && l.Unexplained == 0
	switch {
	case failed > 0:
		l.Verdict = fmt.Sprintf("no verdict: %d of %s could not be read; among the rest %s", failed, report.Count(served.Sitemaps, "sitemap"), counts)
	case l.Unexplained > 0:
		l.Verdict = "not yet safe to switch: " + counts
	case l.Known > 0:
		l.Verdict = "safe to switch: " + counts
	default:
		l.Verdict = "safe to switch: no differences"
	}
}
