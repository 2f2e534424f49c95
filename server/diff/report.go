package diff

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/report"
)

// Report is the result of a comparison. Its JSON form is for programs.
type Report struct {
	OK    bool          `json:"ok"` // there is no unexplained difference, and everything was read
	Sites []*SiteReport `json:"sites"`

	Verbose bool `json:"-"` // print every example that was kept
}

// SiteReport is the result for one site.
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

// How many examples of a group are kept and printed.
const (
	maxExamples     = 100
	maxTextExamples = 5
	// Of a known group, the text shows only the URLs of the examples.
	maxKnownExamples = 3
)

// grouped groups differences by facet and cause, the largest group first.
func grouped(found []Difference, examples int) (groups []Group) {
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
		if len(g.Examples) < examples {
			g.Examples = append(g.Examples, d)
		}
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What), cmp.Compare(a.Cause, b.Cause))
	})
	return groups
}

// summarize returns the report about one side.
func summarize(of *side, theirs *Listing, failed, sitemaps, examples int) *LevelReport {
	l := &LevelReport{Level: string(of.level), URLs: of.listing.urls(), Groups: []Group{}}
	if theirs.failed {
		l.NotCompared = len(of.listing.without(theirs))
	}
	l.Groups = append(l.Groups, grouped(of.found, examples)...)
	of.advise(l.Groups, theirs)
	l.Unexplained = unexplainedOf(of.found)
	l.Known = len(of.found) - l.Unexplained
	l.Safe = failed == 0 && l.Unexplained == 0
	switch {
	case failed > 0:
		l.Verdict = fmt.Sprintf("no verdict: %d of %s could not be read; among the rest %s", failed, report.Count(sitemaps, "sitemap"), l.counts())
	case l.Unexplained > 0:
		l.Verdict = "not yet safe to switch: " + l.counts()
	case l.Known > 0:
		l.Verdict = "safe to switch: " + l.counts()
	default:
		l.Verdict = "safe to switch: no differences"
	}
	return l
}

func (l *LevelReport) counts() string {
	return report.Count(l.Unexplained, "unexplained difference") + ", " + report.Count(l.Known, "known one")
}

// Text returns the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	for i, s := range r.Sites {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "site %s\n", s.Name)
		for _, e := range s.Errors {
			fmt.Fprintf(&b, "  TROUBLE: %s\n", report.Nameless(s.Name, e))
		}
		for _, blog := range s.Blogs {
			blog.print(&b, r.Verbose)
		}
	}
	return b.String()
}

func (b *BlogReport) print(w io.Writer, verbose bool) {
	fmt.Fprintf(w, "  %s (blog %d)\n", b.Home, b.ID)
	if b.Error != "" {
		fmt.Fprintf(w, "    TROUBLE: %s\n", b.Error)
	} else if b.Live != "" {
		fmt.Fprintf(w, "    compared with %s, written by %s: %s with %s\n", b.Live,
			cmp.Or(b.Generator, "an unknown program"), report.Count(b.Sitemaps, "sitemap"), report.Count(b.URLs, "URL"))
	}
	for _, n := range b.Notes {
		fmt.Fprintf(w, "    note: %s\n", n)
	}
	for _, f := range b.Failed {
		fmt.Fprintf(w, "    TROUBLE: %s: %s\n", f.URL, f.Error)
	}
	for _, l := range b.Levels {
		fmt.Fprintf(w, "\n    level %s, %s\n", l.Level, report.Count(l.URLs, "URL"))
		for _, known := range []bool{false, true} {
			for _, g := range l.Groups {
				if g.Known == known {
					g.print(w, verbose)
				}
			}
		}
		if l.NotCompared > 0 {
			fmt.Fprintf(w, "      %s of ours not compared: they may be in a sitemap that could not be read\n", report.Count(l.NotCompared, "URL"))
		}
		fmt.Fprintf(w, "    level %s: %s\n", l.Level, l.Verdict)
	}
}

func (g *Group) print(w io.Writer, verbose bool) {
	var in []string
	for _, name := range slices.Sorted(maps.Keys(g.Sitemaps)) {
		in = append(in, fmt.Sprintf("%s in the sitemap %s", report.Number(g.Sitemaps[name]), name))
	}
	kind := "known"
	if !g.Known {
		kind = "UNEXPLAINED"
	}
	fmt.Fprintf(w, "      %s %s: %s (%s)\n        %s\n", report.Number(g.Count), kind, g.What, g.Why, strings.Join(in, ", "))
	if g.Known && !verbose {
		for _, e := range g.Examples[:min(len(g.Examples), maxKnownExamples)] {
			fmt.Fprintf(w, "        %s\n", e.URL)
		}
		return
	}
	for i, e := range g.Examples {
		if i == maxTextExamples && !verbose {
			fmt.Fprintf(w, "        … and %s more\n", report.Number(g.Count-i))
			break
		}
		fmt.Fprintf(w, "        %s\n          theirs: %s\n          ours:   %s\n", e.URL, e.Theirs, e.Ours)
		if e.Detail != "" {
			fmt.Fprintf(w, "          %s\n", e.Detail)
		}
	}
	if len(g.Add) > 0 {
		fmt.Fprintln(w, "        if it is so on the site, add to its configuration and compare again:")
	}
	for _, lines := range g.Add {
		fmt.Fprintf(w, "          %s\n", strings.ReplaceAll(lines, "\n", "\n          "))
	}
}
