package check

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/report"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
)

// Report is what check has found. Its JSON form is for programs.
type Report struct {
	Config   string        `json:"config"`
	OK       bool          `json:"ok"`               // no trouble
	Errors   []string      `json:"errors,omitempty"` // of the configuration as a whole
	Warnings []string      `json:"warnings,omitempty"`
	Sites    []*SiteReport `json:"sites"`

	Valid   bool `json:"-"` // only the text of the configuration was checked
	Verbose bool `json:"-"` // print everything of each site, even if there are several
}

// SiteReport is about one site.
type SiteReport struct {
	Name     string        `json:"name"`
	OK       bool          `json:"ok"`
	Errors   []string      `json:"errors,omitempty"` // of the site and its database; each blog has its own
	Warnings []string      `json:"warnings,omitempty"`
	Blogs    []*BlogReport `json:"blogs"`
}

// BlogReport is about one blog of a site.
type BlogReport struct {
	ID       int64          `json:"id"`
	Home     string         `json:"home"`
	Compat   string         `json:"compat"`
	Active   bool           `json:"active"`           // the daemon serves the sitemaps of a plugin here
	Plugin   string         `json:"plugin,omitempty"` // the plugin whose sitemaps these are; "" for none
	Versions []wp.Installed `json:"versions"`         // of WordPress and of SEO plugins
	Error    string         `json:"error,omitempty"`
	Sitemaps []sizeReport   `json:"sitemaps"`
	LeftOut  map[string]int `json:"left_out"` // number of objects, by the rule that leaves them out
	Types    []typeReport   `json:"types"`
	Unknown  []unknown      `json:"unknown,omitempty"`
	Troubles []string       `json:"troubles,omitempty"` // trouble that has no other field
	Warnings []string       `json:"warnings,omitempty"`
	Redirect string         `json:"redirected,omitempty"` // the host that is redirected to home; "" for none
	Robots   string         `json:"robots,omitempty"`     // where its robots.txt comes from; "": the daemon does not answer it
	Fetch    *FetchReport   `json:"fetch,omitempty"`      // with --fetch
	Public   *PublicReport  `json:"public,omitempty"`     // with --public

	hosts []string
}

// trouble adds a text to the errors of the site, unless the text is "".
func (r *SiteReport) trouble(text string) {
	if text != "" {
		r.OK, r.Errors = false, append(r.Errors, text)
	}
}

type sizeReport struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	URLs  int    `json:"urls"`
	Holds string `json:"holds,omitempty"` // which articles a news sitemap holds
}

type typeReport struct {
	Kind     string          `json:"kind"` // "post type" or "taxonomy"
	Name     string          `json:"name"`
	Public   bool            `json:"public"`
	Excluded bool            `json:"excluded,omitempty"` // by the configuration
	Facts    []registry.Fact `json:"facts"`

	// Addresses says where the URLs of the type come from; "" if there is nothing to compare them with.
	Addresses string `json:"addresses,omitempty"`
}

type unknown struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Rows int    `json:"rows"`
	Why  string `json:"why"`
	Add  string `json:"add"` // lines for the configuration
}

// FetchReport says what the site answers for some of the listed addresses.
type FetchReport struct {
	Fetched int           `json:"fetched"`
	Bad     []FetchedPage `json:"bad"`
}

// FetchedPage is an address that should not be listed, or a page that should change.
type FetchedPage struct {
	URL      string         `json:"url"`
	Sitemap  string         `json:"sitemap"`
	Problems []live.Problem `json:"problems"`
}

// noteNews records which articles each news sitemap holds. It warns if most of them are too old for Google.
func (b *BlogReport) noteNews(found *sitemap.Catalog, now int64) {
	for i := range b.Sitemaps {
		s := &b.Sitemaps[i]
		l := found.List(s.Name)
		if l == nil || l.Explained.Holds == "" {
			continue
		}
		s.Holds = l.Explained.Holds
		if older, all := l.Older(now); 2*older > all {
			b.Warnings = append(b.Warnings, fmt.Sprintf("most articles of the sitemap %s (%d of %d) were published more than two days ago and changed "+
				"since: Google counts publication alone, and [site.news] window = \"published\" leaves them out", s.Name, older, all))
		}
	}
}

// linesToAdd returns the lines for the configuration that settle an unknown type.
func linesToAdd(u registry.Unknown) string {
	text := fmt.Sprintf("[site.%s.%s]\npublic = true # or false, if visitors cannot see this %s",
		strings.ReplaceAll(u.Kind, " ", "_"), config.Key(u.Name), u.Kind)
	if u.Kind == "taxonomy" {
		types := u.ObjectTypes
		if len(types) == 0 {
			types = []string{"post"}
		}
		text += fmt.Sprintf("\nobject_types = [%s] # the post types it belongs to", `"`+strings.Join(types, `", "`)+`"`)
	}
	if u.Slug != "" {
		text += fmt.Sprintf("\nslug = %s # or what else its URLs begin with", config.Quote(u.Slug))
	}
	return text
}

// noteAddressing records where the URLs of a type come from, and why.
func (t *typeReport) noteAddressing(a address.Addressing) {
	switch {
	case a.From == address.ByPHP:
		t.Addresses = "not the computed ones: its sitemap is left to the site"
	case !t.Public:
		return
	case a.From == address.AsStored:
		t.Addresses = "from yoast_indexable: " + a.Why
	case a.Why != "" || a.Compared+a.Asked > 0:
		t.Addresses = "computed"
		if a.Why != "" {
			t.Addresses += ": " + a.Why
		}
		if a.Compared > 0 {
			t.Addresses += fmt.Sprintf(", %s of %s compared agree with yoast_indexable", report.Number(a.Compared-a.Differ), report.Number(a.Compared))
		}
		if a.Differ > 0 {
			t.Addresses += ", which proves nothing about other URLs"
		}
	}
	if a.Asked > 0 {
		t.Addresses += "; asked the site for " + report.Count(a.Asked, "page")
	}
}

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
		fmt.Fprintf(&b, "\n%s checked, trouble with %d, and with the configuration.\n", report.Count(len(r.Sites), "site"), troubled)
	}
	if len(r.Sites) > 1 && !r.Verbose {
		b.WriteString("--site NAME prints all that is known of one, --verbose of every one.\n")
	}
	return b.String()
}

// rank returns 2 for a site with trouble, 1 for one with warnings and 0 for a good one.
func (r *SiteReport) rank() int {
	switch {
	case !r.OK:
		return 2
	case r.warnings() > 0:
		return 1
	}
	return 0
}

func (r *SiteReport) warnings() int {
	n := len(r.Warnings)
	for _, b := range r.Blogs {
		n += len(b.Warnings)
	}
	return n
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

// good reports whether nothing is wrong with the blog.
func (b *BlogReport) good() bool {
	return b.Error == "" && len(b.Unknown) == 0 && len(b.Troubles) == 0 &&
		(b.Fetch == nil || len(b.Fetch.Bad) == 0) && (b.Public == nil || len(b.Public.Problems) == 0)
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
			printTypes(w, b.Types, kind)
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
		fmt.Fprintf(w, "    redirected to home: %s\n", b.Redirect)
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

// printTypes prints the public types of a kind with all that was decided about them, and the names of the other types.
func printTypes(w io.Writer, types []typeReport, kind string) {
	heading := map[string]string{"post type": "post types", "taxonomy": "taxonomies"}[kind]
	fmt.Fprintf(w, "\n    %s\n", heading)
	var rows [][]string
	var hidden []string
	for _, t := range types {
		switch {
		case t.Kind != kind:
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
	fmt.Fprintf(w, "    fetched %s of those listed, trouble with %d\n", report.Count(r.Fetched, "page"), len(r.Bad))
	for _, page := range r.Bad {
		for _, problem := range page.Problems {
			fmt.Fprintf(w, "    TROUBLE: %s in %s: %s\n", page.URL, page.Sitemap, problem)
		}
	}
}
