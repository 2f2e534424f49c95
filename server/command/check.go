package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"wpsitemapd/server/changes/binlog"
	"wpsitemapd/server/config"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

func checkCommand() *command {
	var from setup
	var site string
	var now func() time.Time
	var asJSON, syntax, verbose bool
	f := fetcher{rate: defaultRate, seed: 1}
	return &command{
		name: "check",
		synopsis: "[--config FILE | --wp FOLDER [--upstream URL]] [--site NAME] [--syntax] " +
			"[--fetch N] [--seed N] [--rate N] [--as-of TIME] [--verbose] [--json]",
		summary: "validates the configuration, connects, and reports each site",
		about: `Reads every site as the daemon would, and reports what it found: the sitemaps with their sizes, what is left out and
why, each post type and taxonomy with the source of every fact, and warnings. It changes nothing and serves nothing.

Several sites are a table, one line each, those in trouble first, and what is wrong with them below it. --verbose prints
the whole of each, --site of one.

These are trouble: a database that cannot be opened or read; a sitemap that cannot be built; a type with rows that no
source calls public or not, for which the lines to add to the configuration are printed; an address that two sites
claim; an upstream that does not answer; a state that this user cannot write; a [[discover]] that matches nothing.

Warnings are no trouble. Neither is a site whose plugin is off, or the plugin's sitemaps: WordPress' own sitemaps are served
then. Where another plugin makes the sitemaps, or there are none, every address is left to the site. The report says
which.

--syntax validates the configuration by itself: no database, no other file and no network. A key with a variable of the
environment that is not set counts as valid. Mistakes end it with exit code 2.

--fetch N also asks every site for N of the pages that its sitemaps list: through the upstream where there is one, else
at their public addresses. Pages that do not answer 200, redirect, carry noindex, or name another canonical are trouble.`,
		exits:   "trouble found, which the report names",
		example: "wpsitemapd check --config /etc/wpsitemapd.toml",
		flags: append(from.options(),
			siteOption(&site),
			switchOption("syntax", "WPSITEMAPD_SYNTAX", "Validate the configuration only, without databases.", &syntax),
			option{
				name: "fetch", value: "N", env: "WPSITEMAPD_FETCH", initial: "0",
				help: "Ask every site for N of the listed pages, spread over its sitemaps, one after the other.",
				set: func(v string) error {
					n, err := strconv.Atoi(v)
					if err != nil || n < 0 || n > maxFetch {
						return fmt.Errorf("must be a number from 0 to %d", maxFetch)
					}
					f.pages = n
					return nil
				},
			},
			option{
				name: "seed", value: "N", env: "WPSITEMAPD_SEED", initial: "1",
				help: "Chooses the pages to ask for. The same seed chooses the same ones.",
				set: func(v string) error {
					n, err := strconv.ParseUint(v, 10, 64)
					if err != nil {
						return errors.New("must be a whole number")
					}
					f.seed = n
					return nil
				},
			},
			rateOption(&f.rate), asOfOption(&now),
			switchOption("verbose", "WPSITEMAPD_VERBOSE", "Print of several sites all that is printed of one.", &verbose),
			switchOption("json", "WPSITEMAPD_JSON", "Print the report as one JSON object.", &asJSON),
		),
		run: func(ctx context.Context, p *program, _ []string) error {
			if syntax && from.wp != "" {
				return usagef("--syntax validates a configuration, and --wp stands instead of one")
			}
			r := &report{Config: from.watched(), Sites: []*siteReport{}, verbose: verbose}
			if syntax {
				cfg, err := loadBy(config.LoadAlone, from.file)
				if err != nil {
					return err
				}
				r.OK, r.Warnings, r.valid = true, cfg.Warnings, true
				return p.print(r, asJSON)
			}
			cfg, err := from.load()
			if err != nil {
				return err
			}
			sites, err := chosen(cfg, site)
			if err != nil {
				return err
			}
			r.examine(ctx, cfg)
			ups, read := &upstreams{}, map[string][]owner.ReadBlog{}
			for i := range sites {
				s := examineSafely(ctx, p, &sites[i], now, &f)
				if err := ctx.Err(); err != nil {
					return err
				}
				for _, b := range s.Blogs {
					read[s.Name] = append(read[s.Name], owner.ReadBlog{Home: b.Home, Hosts: b.hosts})
				}
				s.trouble(ups.troubleOf(ctx, &sites[i]))
				r.Sites = append(r.Sites, s)
			}
			clashes := owner.Clashes(ctx, cfg, read)
			for _, s := range r.Sites {
				s.trouble(clashes[s.Name])
				r.OK = r.OK && s.OK
			}
			if err := p.print(r, asJSON); err != nil || r.OK {
				return err
			}
			return errTrouble
		},
	}
}

// maxFetch is how many pages of a site are asked for at most.
const maxFetch = 100_000

// report is what check found; its JSON form is for programs.
type report struct {
	Config   string        `json:"config"`
	OK       bool          `json:"ok"`               // no trouble
	Errors   []string      `json:"errors,omitempty"` // of the configuration as a whole
	Warnings []string      `json:"warnings,omitempty"`
	Sites    []*siteReport `json:"sites"`

	valid   bool // with --syntax: nothing but the text was looked at
	verbose bool
}

type siteReport struct {
	Name     string        `json:"name"`
	OK       bool          `json:"ok"`
	Errors   []string      `json:"errors,omitempty"` // of the database; those of blogs are with them
	Warnings []string      `json:"warnings,omitempty"`
	Blogs    []*blogReport `json:"blogs"`
}

type blogReport struct {
	ID       int64          `json:"id"`
	Home     string         `json:"home"`
	Compat   string         `json:"compat"`
	Active   bool           `json:"active"`           // the sitemaps of a plugin are served here
	Plugin   string         `json:"plugin,omitempty"` // whose sitemaps; "" for nobody's
	Error    string         `json:"error,omitempty"`
	Sitemaps []sizeReport   `json:"sitemaps"`
	LeftOut  map[string]int `json:"left_out"` // objects by rule
	Types    []typeReport   `json:"types"`
	Unknown  []unknown      `json:"unknown,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Fetch    *fetchReport   `json:"fetch,omitempty"` // with --fetch

	hosts []string
}

// examine checks what concerns no single site.
func (r *report) examine(ctx context.Context, cfg *config.Config) {
	for _, text := range cfg.Warnings {
		if slices.Contains(cfg.Unmatched, text) {
			r.Errors = append(r.Errors, text+"; correct the pattern, or take the section out")
		} else {
			r.Warnings = append(r.Warnings, text)
		}
	}
	if text := stateTrouble(ctx, cfg); text != "" {
		r.Errors = append(r.Errors, text)
	}
	r.OK = len(r.Errors) == 0
}

// trouble adds one to those of the site, unless it is "".
func (r *siteReport) trouble(text string) {
	if text != "" {
		r.OK, r.Errors = false, append(r.Errors, text)
	}
}

type sizeReport struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	URLs  int    `json:"urls"`
}

type typeReport struct {
	Kind     string `json:"kind"` // "post type" or "taxonomy"
	Name     string `json:"name"`
	Public   bool   `json:"public"`
	Excluded bool   `json:"excluded,omitempty"` // by the configuration
	Facts    []fact `json:"facts"`
}

// fact is one decision on a type.
type fact struct {
	Key    string `json:"key"` // as in the configuration
	Value  any    `json:"value"`
	Source string `json:"source"`

	words string // for people
}

type unknown struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Rows int    `json:"rows"`
	Why  string `json:"why"`
	Add  string `json:"add"` // lines for the configuration
}

// examineSafely is examine, of which a panic is an error of the site.
func examineSafely(ctx context.Context, p *program, s *config.Site, now func() time.Time, f *fetcher) (r *siteReport) {
	err := guard(func() error {
		r = examine(ctx, p, s, now, f)
		return nil
	})
	if err != nil {
		return &siteReport{Name: s.Name, Blogs: []*blogReport{}, Errors: strings.Split(err.Error(), "\n")}
	}
	return r
}

// examine reads one site.
func examine(ctx context.Context, p *program, s *config.Site, now func() time.Time, f *fetcher) *siteReport {
	r := &siteReport{Name: s.Name, Blogs: []*blogReport{}}
	n, err := wp.Open(ctx, site.SourceOf(s))
	if err != nil {
		r.Errors = []string{err.Error()}
		return r
	}
	defer n.Close()
	blogs, err := n.Sites(ctx)
	r.OK = err == nil
	if err != nil {
		r.Errors = strings.Split(err.Error(), "\n")
	}
	if s.Changes == "binlog" && binlog.Built {
		if _, err := n.Binlog(ctx, []*wp.Network{n}); err != nil {
			text := "the binlog cannot be followed; tables are polled instead: " + err.Error()
			if cannot, ok := errors.AsType[*wp.BinlogError](err); ok {
				text += "; " + cannot.Hint
			}
			r.Warnings = append(r.Warnings, text)
		}
	}
	for _, blog := range blogs {
		b := examineBlog(ctx, p, s, blog, now, f)
		r.OK = r.OK && b.good()
		r.Blogs = append(r.Blogs, b)
	}
	return r
}

func examineBlog(ctx context.Context, p *program, s *config.Site, blog *wp.Site, now func() time.Time, f *fetcher) *blogReport {
	b := &blogReport{
		ID: blog.BlogID(), Home: blog.Home(), Compat: s.Compat, hosts: blog.Hosts(),
		Sitemaps: []sizeReport{}, LeftOut: map[string]int{}, Types: []typeReport{},
		Warnings: slices.Clone(blog.Warnings()),
	}
	reg := blog.Registry()
	for _, t := range reg.PostTypes {
		b.Types = append(b.Types, describePostType(t, blog.TypeExcluded(t.Name)))
	}
	for _, t := range reg.Taxonomies {
		b.Types = append(b.Types, describeTaxonomy(t, blog.TaxonomyExcluded(t.Name)))
	}
	c, err := build(ctx, s, blog, now, p.stderr, false)
	if err != nil {
		b.Error = err.Error()
		return b
	}
	for _, u := range c.Unsettled() {
		b.Unknown = append(b.Unknown, unknown{Kind: u.Kind, Name: u.Name, Rows: u.Rows, Why: u.Why, Add: linesToAdd(u)})
	}
	b.Active = c.FromPlugin()
	if c.Active() {
		b.Plugin = c.Plugin()
	}
	if notice := c.Whose.Notice(); notice != "" {
		b.Warnings = append(b.Warnings, notice)
	}
	if text, err := blog.Mojibake(ctx); err != nil {
		b.Warnings = append(b.Warnings, err.Error())
	} else if text != "" {
		b.Warnings = append(b.Warnings, fmt.Sprintf("texts look like UTF-8 that is read in another character set (%q): "+
			"name the site's wp_config, whose DB_CHARSET then holds, or add charset=latin1 to the dsn", text))
	}
	for _, n := range c.Types() {
		b.Sitemaps = append(b.Sitemaps, sizeReport{n.Name, n.Pages, n.URLs})
	}
	for rule, n := range c.Skipped() {
		if n > 0 {
			b.LeftOut[rule.String()] = n
		}
	}
	if f.pages > 0 && c.Active() {
		if b.Fetch, err = f.fetch(ctx, p, s, blog, c); err != nil {
			b.Error = err.Error()
		}
	}
	return b
}

// build reads the catalog of one blog.
func build(ctx context.Context, s *config.Site, blog *wp.Site, now func() time.Time, stderr io.Writer, allPages bool) (*sitemap.Catalog, error) {
	opt, err := site.OptionsOf(s, now, quiet(stderr))
	if err != nil {
		return nil, err
	}
	opt.AllPages = allPages
	c, err := sitemap.Build(ctx, blog, opt)
	if err != nil {
		return nil, blogError(s.Name, blog.BlogID(), err)
	}
	return c, nil
}

// linesToAdd is what settles an unknown type.
func linesToAdd(u registry.Unknown) string {
	table, kind, more := "post_type", "post type", ""
	if u.Kind == "taxonomy" {
		table, kind, more = "taxonomy", "taxonomy", "\nobject_types = [\"post\"] # the post types it belongs to"
	}
	name := u.Name
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || name == "" {
		name = strconv.Quote(name)
	}
	return fmt.Sprintf("[site.%s.%s]\npublic = true # or false, if visitors cannot see this %s%s", table, name, kind, more)
}

func describePostType(t *registry.PostType, excluded bool) typeReport {
	return typeReport{Kind: "post type", Name: t.Name, Public: t.Public, Excluded: excluded, Facts: factsOf(t.Facts())}
}

func describeTaxonomy(t *registry.Taxonomy, excluded bool) typeReport {
	return typeReport{Kind: "taxonomy", Name: t.Name, Public: t.Public, Excluded: excluded, Facts: factsOf(t.Facts())}
}

func factsOf(decided []registry.Fact) []fact {
	var facts []fact
	for _, f := range decided {
		facts = append(facts, fact{f.Key, f.Value, string(f.Source), f.Words})
	}
	return facts
}

// text is the report for people.
func (r *report) text() string {
	var b strings.Builder
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "TROUBLE: %s\n", e)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	if r.valid {
		fmt.Fprintf(&b, "%s is valid.\n", r.Config)
		return b.String()
	}
	slices.SortStableFunc(r.Sites, func(a, b *siteReport) int { return cmp.Compare(b.rank(), a.rank()) })
	if len(r.Sites) > 1 {
		r.printTable(&b)
	}
	troubled := 0
	for _, s := range r.Sites {
		if !s.OK {
			troubled++
		} else if !r.verbose && len(r.Sites) > 1 {
			continue
		}
		s.print(&b, r.verbose || len(r.Sites) == 1)
	}
	switch {
	case r.OK:
		fmt.Fprintf(&b, "\n%s checked, no trouble.\n", count(len(r.Sites), "site"))
	case len(r.Errors) == 0:
		fmt.Fprintf(&b, "\n%s checked, trouble with %d.\n", count(len(r.Sites), "site"), troubled)
	default:
		fmt.Fprintf(&b, "\n%s checked, trouble with %d, and with the configuration.\n", count(len(r.Sites), "site"), troubled)
	}
	if len(r.Sites) > 1 && !r.verbose {
		b.WriteString("--site NAME prints all that is known of one, --verbose of every one.\n")
	}
	return b.String()
}

// rank sorts trouble first, then what is warned of.
func (r *siteReport) rank() int {
	switch {
	case !r.OK:
		return 2
	case r.warnings() > 0:
		return 1
	}
	return 0
}

func (r *siteReport) warnings() int {
	n := len(r.Warnings)
	for _, b := range r.Blogs {
		n += len(b.Warnings)
	}
	return n
}

// printTable prints a line for every site.
func (r *report) printTable(b *strings.Builder) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "site\tstate\tURLs\tfiles\tleft out\tsitemaps\thome")
	for _, s := range r.Sites {
		fmt.Fprintln(tw, s.line())
	}
	tw.Flush()
}

// line is one of the table.
func (r *siteReport) line() string {
	state, home := "good", "-"
	switch n := r.warnings(); {
	case !r.OK:
		state = "TROUBLE"
	case n > 0:
		state = count(n, "warning")
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
		home = r.Blogs[0].Home + " and " + number(len(r.Blogs)-1) + " more"
	}
	return strings.Join([]string{
		r.Name, state, number(urls), number(files), number(out), cmp.Or(strings.Join(plugins, ", "), "none"), home,
	}, "\t")
}

// print prints what was found of a site: all of it, or the trouble alone.
func (r *siteReport) print(b *strings.Builder, whole bool) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "site %s\n", r.Name)
	for _, e := range r.Errors {
		fmt.Fprintf(b, "  TROUBLE: %s\n", nameless(r.Name, e))
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
func (b *blogReport) good() bool {
	return b.Error == "" && len(b.Unknown) == 0 && (b.Fetch == nil || len(b.Fetch.Bad) == 0)
}

// print prints what was found of a blog: all of it, or the trouble alone.
func (b *blogReport) print(w io.Writer, site string, whole bool) {
	fmt.Fprintf(w, "  %s (blog %d, compat %s)\n", b.Home, b.ID, b.Compat)
	if b.Error != "" {
		fmt.Fprintf(w, "    TROUBLE: %s\n", nameless(site, b.Error))
	}
	for _, u := range b.Unknown {
		fmt.Fprintf(w, "    TROUBLE: %s\n", u.Why)
		fmt.Fprintf(w, "      lines to add below this [[site]]:\n        %s\n", strings.ReplaceAll(u.Add, "\n", "\n        "))
	}
	if !whole {
		if b.Fetch != nil {
			b.Fetch.print(w)
		}
		return
	}
	for _, warning := range b.Warnings {
		fmt.Fprintf(w, "    warning: %s\n", warning)
	}
	if len(b.Sitemaps) > 0 {
		fmt.Fprint(w, "\n    sitemaps\n")
		all := sizeReport{Name: "together"}
		rows := b.Sitemaps
		for _, s := range rows {
			all.Files, all.URLs = all.Files+s.Files, all.URLs+s.URLs
		}
		if len(rows) > 1 {
			rows = append(rows[:len(rows):len(rows)], all)
		}
		name := 0
		for _, s := range rows {
			name = max(name, len(s.Name))
		}
		for _, s := range rows {
			fmt.Fprintf(w, "      %-*s  %10s  %14s\n", name, s.Name, count(s.Files, "file"), count(s.URLs, "URL"))
		}
	}
	if len(b.LeftOut) > 0 {
		var parts []string
		for _, rule := range slices.Sorted(maps.Keys(b.LeftOut)) {
			parts = append(parts, number(b.LeftOut[rule])+" "+rule)
		}
		fmt.Fprintf(w, "    left out: %s\n", strings.Join(parts, ", "))
	}
	if b.Fetch != nil {
		b.Fetch.print(w)
	}
	for _, kind := range []string{"post type", "taxonomy"} {
		printTypes(w, b.Types, kind)
	}
}

// printTypes prints the public types of a kind with all that was decided about them, and
// the others by name.
func printTypes(w io.Writer, types []typeReport, kind string) {
	heading := map[string]string{"post type": "post types", "taxonomy": "taxonomies"}[kind]
	fmt.Fprintf(w, "\n    %s\n", heading)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var hidden []string
	for _, t := range types {
		switch {
		case t.Kind != kind:
		case !t.Public:
			hidden = append(hidden, t.Name+" ("+t.source("public")+")")
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
				fmt.Fprintf(tw, "      %s\t%s\n", name, line)
			}
		}
	}
	tw.Flush()
	if len(hidden) > 0 {
		fmt.Fprintf(w, "      not public: %s\n", strings.Join(hidden, ", "))
	}
}

func (t *typeReport) source(key string) string {
	for _, f := range t.Facts {
		if f.Key == key {
			return f.Source
		}
	}
	return "not known"
}

// words groups the facts by their source.
func (t *typeReport) words() []string {
	var sources []string
	bySource := map[string][]string{}
	for _, f := range t.Facts {
		if bySource[f.Source] == nil {
			sources = append(sources, f.Source)
		}
		bySource[f.Source] = append(bySource[f.Source], f.words)
	}
	lines := make([]string, len(sources))
	for i, s := range sources {
		lines[i] = strings.Join(bySource[s], ", ") + " (" + s + ")"
	}
	return lines
}

// count writes a number with what is counted.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

// number writes 1234567 as 1,234,567.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
