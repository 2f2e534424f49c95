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

// How many examples of a group Text prints, unless Report.Verbose is set. Of a known group it prints only their URLs.
const (
	mostExamples      = 5
	mostKnownExamples = 3
)

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
			r.printBlog(&b, blog)
		}
	}
	return b.String()
}

// printBlog prints the report of a blog. Of each level, the groups without an explanation come first.
func (r *Report) printBlog(w io.Writer, b *BlogReport) {
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
					r.printGroup(w, &g)
				}
			}
		}
		if l.NotCompared > 0 {
			fmt.Fprintf(w, "      %s of ours not compared: they may be in a sitemap that could not be read\n", report.Count(l.NotCompared, "URL"))
		}
		fmt.Fprintf(w, "    level %s: %s\n", l.Level, l.Verdict)
	}
}

// printGroup prints the size, the cause and some examples of a group.
func (r *Report) printGroup(w io.Writer, g *Group) {
	var in []string
	for _, name := range slices.Sorted(maps.Keys(g.Sitemaps)) {
		in = append(in, fmt.Sprintf("%s in the sitemap %s", report.Number(g.Sitemaps[name]), name))
	}
	kind := "known"
	if !g.Known {
		kind = "UNEXPLAINED"
	}
	fmt.Fprintf(w, "      %s %s: %s (%s)\n        %s\n", report.Number(g.Count), kind, g.What, g.Why, strings.Join(in, ", "))
	if g.Known && !r.Verbose {
		for _, e := range g.Examples[:min(len(g.Examples), mostKnownExamples)] {
			fmt.Fprintf(w, "        %s\n", e.URL)
		}
		return
	}
	for i, e := range g.Examples {
		if i == mostExamples && !r.Verbose {
			fmt.Fprintf(w, "        … and %s more\n", report.Number(g.Count-i))
			break
		}
		fmt.Fprintf(w, "        %s\n          theirs: %s\n          ours:   %s\n", e.URL, e.Theirs, e.Ours)
		if e.Detail != "" {
			fmt.Fprintf(w, "          %s\n", e.Detail)
		}
	}
	if len(g.Add) > 0 {
		fmt.Fprintln(w, "        if the site really does so, add these lines to its configuration, and compare again:")
	}
	for _, lines := range g.Add {
		fmt.Fprintf(w, "          %s\n", strings.ReplaceAll(lines, "\n", "\n          "))
	}
}
