package check

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/report"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp/registry"
)

// Text returns the report for people. It sorts the sites.
func (r *Report) Text() string {
	var b strings.Builder
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "TROUBLE: %s\n", e)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	if r.Valid {
		fmt.Fprintf(&b, "%s is valid.\n", r.Config)
		return b.String()
	}
	slices.SortStableFunc(r.Sites, func(a, b *SiteReport) int { return cmp.Compare(b.rank(), a.rank()) })
	if len(r.Sites) > 1 {
		r.printTable(&b)
	}
	troubled := 0
	for _, s := range r.Sites {
		if !s.OK {
			troubled++
		} else if !r.Verbose && len(r.Sites) > 1 {
			continue
		}
		s.print(&b, r.Verbose || len(r.Sites) == 1)
	}
	switch {
	case r.OK:
		fmt.Fprintf(&b, "\n%s checked, no trouble.\n", report.Count(len(r.Sites), "site"))
	case len(r.Errors) == 0:
		fmt.Fprintf(&b, "\n%s checked, trouble with %d.\n", report.Count(len(r.Sites), "site"), troubled)
	default:
		fmt.Fprintf(&b, "\n%s checked, trouble with %d and with the configuration.\n", report.Count(len(r.Sites), "site"), troubled)
	}
	if len(r.Sites) > 1 && !r.Verbose {
		b.WriteString("--site NAME prints the full report of one site, --verbose of every site.\n")
	}
	return b.String()
}

// printTable prints one line for each site.
func (r *Report) printTable(b *strings.Builder) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	rows := [][]string{{"site", "state", "URLs", "files", "excluded", "sitemaps", "home"}}
	for _, s := range r.Sites {
		rows = append(rows, s.row())
	}
	report.Table(b, "", rows)
}

// row returns the line of a site in the table.
func (r *SiteReport) row() []string {
	state, home := "good", "-"
	switch n := r.warnings(); {
	case !r.OK:
		state = "TROUBLE"
	case n > 0:
		state = report.Count(n, "warning")
	}
	urls, files, out := 0, 0, 0
	var plugins []string
	for _, b := range r.Blogs {
		for _, s := range b.Sitemaps {
			urls, files = urls+s.URLs, files+s.Files
		}
		for _, n := range b.LeftOut {
			out += n
		}
		if b.Plugin != "" && !slices.Contains(plugins, b.Plugin) {
			plugins = append(plugins, b.Plugin)
		}
	}
	switch len(r.Blogs) {
	case 0:
	case 1:
		home = r.Blogs[0].Home
	default:
		home = r.Blogs[0].Home + " and " + report.Number(len(r.Blogs)-1) + " more"
	}
	return []string{
		r.Name, state, report.Number(urls), report.Number(files), report.Number(out), cmp.Or(strings.Join(plugins, ", "), "none"), home,
	}
}

// print prints everything that was found of a site. If whole is false, it prints only the trouble.
func (r *SiteReport) print(b *strings.Builder, whole bool) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "site %s\n", r.Name)
	for _, e := range r.Errors {
		fmt.Fprintf(b, "  TROUBLE: %s\n", report.Nameless(r.Name, e))
	}
	if whole {
		for _, w := range r.Warnings {
			fmt.Fprintf(b, "  warning: %s\n", w)
		}
	}
	for _, blog := range r.Blogs {
		if whole || !blog.good() {
			blog.print(b, r.Name, whole)
		}
	}
}

// print prints everything that was found of a blog. If whole is false, it prints only the trouble.
func (b *BlogReport) print(w io.Writer, site string, whole bool) {
	fmt.Fprintf(w, "  %s (blog %d, sitemaps of %s, compat %s)\n", b.Home, b.ID, cmp.Or(b.Plugin, "nobody"), b.Compat)
	if b.Error != "" {
		fmt.Fprintf(w, "    TROUBLE: %s\n", report.Nameless(site, b.Error))
	}
	if whole && len(b.Versions) > 0 {
		report.Hanging(w, "    installed: ", report.Printable(sitemap.VersionText(b.Versions)))
	}
	for _, t := range b.Troubles {
		fmt.Fprintf(w, "    TROUBLE: %s\n", t)
	}
	for _, u := range b.Unknown {
		fmt.Fprintf(w, "    TROUBLE: %s\n", u.Why)
		fmt.Fprintf(w, "      lines to add below this [[site]]:\n        %s\n", strings.ReplaceAll(u.Add, "\n", "\n        "))
	}
	if whole {
		b.printFound(w)
	}
	if b.Public != nil {
		b.Public.print(w)
	}
	if b.Fetch != nil {
		b.Fetch.print(w)
	}
	for _, kind := range []string{"post type", "taxonomy"} {
		if whole {
			b.printTypes(w, kind)
		}
	}
}

// printFound prints everything that is not trouble.
func (b *BlogReport) printFound(w io.Writer) {
	for _, warning := range b.Warnings {
		fmt.Fprintf(w, "    warning: %s\n", warning)
	}
	if len(b.Sitemaps) > 0 {
		fmt.Fprint(w, "\n    sitemaps\n")
		all := sizeReport{Name: "together"}
		var rows [][]string
		add := func(s sizeReport) {
			rows = append(rows, []string{s.Name, fmt.Sprintf("%10s", report.Count(s.Files, "file")), fmt.Sprintf("%14s", report.Count(s.URLs, "URL"))})
			if s.Holds != "" {
				rows[len(rows)-1] = append(rows[len(rows)-1], s.Holds)
			}
		}
		for _, s := range b.Sitemaps {
			all.Files, all.URLs = all.Files+s.Files, all.URLs+s.URLs
			add(s)
		}
		if len(rows) > 1 {
			add(all)
		}
		report.Table(w, "      ", rows)
	}
	if b.Redirect != "" {
		fmt.Fprintf(w, "    the host %s is redirected to home\n", b.Redirect)
	}
	if b.Robots != "" {
		fmt.Fprintf(w, "    robots.txt: %s\n", b.Robots)
	}
	if len(b.LeftOut) > 0 {
		var parts []string
		for _, rule := range slices.Sorted(maps.Keys(b.LeftOut)) {
			parts = append(parts, report.Number(b.LeftOut[rule])+" "+rule)
		}
		fmt.Fprintf(w, "    excluded: %s\n", strings.Join(parts, ", "))
	}
}

// printTypes prints the public types of a kind with all that was decided about them, and the names of the other types. Lines
// above it say what is undecided.
func (b *BlogReport) printTypes(w io.Writer, kind string) {
	heading := map[string]string{"post type": "post types", "taxonomy": "taxonomies"}[kind]
	fmt.Fprintf(w, "\n    %s\n", heading)
	var rows [][]string
	var hidden, undecided []string
	for _, t := range b.Types {
		switch {
		case t.Kind != kind:
		case slices.ContainsFunc(b.Unknown, func(u unknown) bool { return u.Kind == kind && u.Name == t.Name }):
			undecided = append(undecided, t.Name)
		case !t.Public:
			hidden = append(hidden, t.Name+" ("+string(t.source("public"))+")")
		default:
			words := t.words()
			if t.Excluded {
				words = append([]string{"excluded (configuration)"}, words...)
			}
			for i, line := range words {
				name := ""
				if i == 0 {
					name = t.Name
				}
				rows = append(rows, []string{name, line})
			}
		}
	}
	report.Table(w, "      ", rows)
	if len(undecided) > 0 {
		fmt.Fprintf(w, "      undecided: %s\n", strings.Join(undecided, ", "))
	}
	if len(hidden) > 0 {
		fmt.Fprintf(w, "      not public: %s\n", strings.Join(hidden, ", "))
	}
}

func (t *typeReport) source(key string) registry.FactSource {
	for _, f := range t.Facts {
		if f.Key == key {
			return f.Source
		}
	}
	return "not known"
}

// words returns one line for each source of facts, with the facts from that source.
func (t *typeReport) words() []string {
	var sources []registry.FactSource
	bySource := map[registry.FactSource][]string{}
	for _, f := range t.Facts {
		if bySource[f.Source] == nil {
			sources = append(sources, f.Source)
		}
		bySource[f.Source] = append(bySource[f.Source], f.Words)
	}
	lines := make([]string, len(sources))
	for i, s := range sources {
		lines[i] = strings.Join(bySource[s], ", ") + " (" + string(s) + ")"
	}
	if t.Addresses != "" {
		lines = append(lines, "addresses: "+t.Addresses)
	}
	return lines
}

func (r *FetchReport) print(w io.Writer) {
	fmt.Fprintf(w, "    fetched %s of the sitemaps, trouble with %d\n", report.Count(r.Fetched, "page"), len(r.Bad))
	for _, page := range r.Bad {
		for _, problem := range page.Problems {
			fmt.Fprintf(w, "    TROUBLE: %s in %s: %s\n", page.URL, page.Sitemap, problem)
		}
	}
}
