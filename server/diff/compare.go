// Package diff compares the sitemaps that a site serves now with ours, entry by entry, and finds the cause of every difference. Start
// reading at Run.Site; Comparison puts the sitemaps side by side, and Why has the causes.
package diff

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/live"
	"wpsitemapd/wp/weburl"
)

// Side is where a sitemap comes from.
type Side uint8

// The sides of a comparison: what the site serves, and what we would serve at each level. The
// level plugin is read for the level spec too: a difference that is one between the levels is a known one.
const (
	Theirs Side = iota
	Plugin
	Spec
	Whole // plugin without [site.exclude], to find what that leaves out
	sides
)

// Facet is what differs.
type Facet string

// The facets, those first that say most.
const (
	MissingSitemap Facet = "sitemap not in ours"
	ExtraSitemap   Facet = "sitemap only in ours"
	OnlyTheirs     Facet = "URL not in ours"
	OnlyOurs       Facet = "URL only in ours"
	Address        Facet = "spelling of the URL"
	Elsewhere      Facet = "URL in another sitemap"
	Repeated       Facet = "URL repeated"
	LastMod        Facet = "lastmod"
	Images         Facet = "images"
	ImageTitles    Facet = "image titles"
	News           Facet = "news"
	Videos         Facet = "video"
	Alternates     Facet = "hreflang"
	IndexDate      Facet = "date in the index"
	Page           Facet = "page of the sitemap"
)

// Difference is one between what the site serves and one level of ours. Its JSON form is that of an example in a report.
type Difference struct {
	Facet   Facet  `json:"-"`
	Cause   Cause  `json:"-"`
	URL     string `json:"url"`     // of the entry, or of the file
	Sitemap string `json:"sitemap"` // post, category, …
	Theirs  string `json:"theirs"`
	Ours    string `json:"ours"`
	Detail  string `json:"detail,omitempty"` // of the cause: a row, an option, a date
}

// place is one time that an address is listed.
type place struct {
	file  int32
	date  live.Date
	extra *live.Extra
}

// row is an address within a sitemap of any number of pages. With its strings it takes about a
// kilobyte, see BenchmarkComparison.
type row struct {
	loc    string
	places [sides][]place
}

// file is one page of a sitemap on any side.
type file struct {
	index int32 // in Comparison.list
	group string
	page  int
	url   [sides]string
	date  [sides]live.Date // in the index
	has   [sides]bool
}

// group is a sitemap of any number of pages.
type group struct {
	name   string
	rows   []*row
	byLoc  map[string]*row
	newest live.Date // of theirs: nothing in their copy is younger
	failed bool      // a file of theirs could not be read
	sizes  [sides]int
}

// Comparison puts sitemaps side by side.
type Comparison struct {
	groups map[string]*group
	names  []string // of groups, in the order they came
	files  map[string]*file
	list   []*file
}

// NewComparison returns one without sitemaps.
func NewComparison() *Comparison {
	return &Comparison{groups: map[string]*group{}, files: map[string]*file{}}
}

func (c *Comparison) group(name string) *group {
	g := c.groups[name]
	if g == nil {
		g = &group{name: name, byLoc: map[string]*row{}}
		c.groups[name] = g
		c.names = append(c.names, name)
	}
	return g
}

func fileKey(name string, page int) string { return name + " " + strconv.Itoa(page) }

// file returns the file of an address, a new one where there is none yet.
func (c *Comparison) file(address string) *file {
	name, page := SplitName(address)
	key := fileKey(name, page)
	f := c.files[key]
	if f == nil {
		f = &file{index: int32(len(c.list)), group: name, page: page}
		c.files[key] = f
		c.list = append(c.list, f)
		c.group(name)
	}
	return f
}

// Name records that an index of a side names a sitemap.
func (c *Comparison) Name(side Side, address string, lastmod live.Date) {
	f := c.file(address)
	f.has[side], f.url[side], f.date[side] = true, address, lastmod
	if side == Theirs {
		g := c.group(f.group)
		if lastmod.After(g.newest) {
			g.newest = lastmod
		}
	}
}

// Add records the entries of a sitemap that is named or read on a side.
func (c *Comparison) Add(side Side, address string, entries []live.Entry) {
	f := c.file(address)
	f.has[side], f.url[side] = true, address
	g := c.group(f.group)
	g.sizes[side] += len(entries)
	for _, e := range entries {
		r := g.byLoc[e.Loc]
		if r == nil {
			r = &row{loc: strings.Clone(e.Loc)}
			g.byLoc[r.loc] = r
			g.rows = append(g.rows, r)
		}
		p := place{f.index, e.LastMod, e.Extra}
	sharing:
		for s := range r.places { // what is equal on two sides is kept once
			for _, q := range r.places[s] {
				if q.extra.Equal(p.extra) {
					p.extra = q.extra
					break sharing
				}
			}
		}
		r.places[side] = append(r.places[side], p)
		if side == Theirs && e.LastMod.After(g.newest) {
			g.newest = e.LastMod
		}
	}
}

// Has reports whether a side has a sitemap.
func (c *Comparison) Has(side Side, address string) bool {
	f := c.files[fileKey(SplitName(address))]
	return f != nil && f.has[side]
}

// Older returns the addresses of all files of those sitemaps of which theirs may be an older
// copy, since something of plugin's is younger than anything there; and whether that may be so
// of the index.
func (c *Comparison) Older() (addresses []string, index bool) {
	w := &Why{}
	for _, f := range c.list {
		g := c.groups[f.group]
		if g == nil || !f.has[Theirs] || g.failed {
			continue
		}
		index = index || !f.date[Theirs].IsZero() && f.date[Plugin].After(f.date[Theirs])
		if slices.ContainsFunc(g.rows, func(r *row) bool {
			return slices.ContainsFunc(r.places[Plugin], func(p place) bool {
				_, older := w.older(g, p.date)
				return older
			})
		}) {
			addresses = append(addresses, f.url[Theirs])
		}
	}
	return addresses, index
}

// Replace puts another copy of a file of theirs in the place of the first, and reports whether
// they differ.
func (c *Comparison) Replace(address string, entries []live.Entry) bool {
	f := c.file(address)
	g := c.group(f.group)
	type seen struct {
		loc  string
		date live.Date
	}
	before := map[seen]int{}
	for _, r := range g.rows {
		r.places[Theirs] = slices.DeleteFunc(r.places[Theirs], func(p place) bool {
			if p.file == f.index {
				before[seen{r.loc, p.date}]++
				g.sizes[Theirs]--
			}
			return p.file == f.index
		})
	}
	differ := false
	for _, e := range entries {
		before[seen{e.Loc, e.LastMod}]--
	}
	for _, n := range before {
		differ = differ || n != 0
	}
	c.Add(Theirs, address, entries)
	return differ
}

// Fail records that a sitemap of theirs could not be read: nothing is known of its entries.
func (c *Comparison) Fail(address string) {
	f := c.file(address)
	f.has[Theirs], f.url[Theirs] = true, address
	c.group(f.group).failed = true
}

// URLs counts the addresses of a side, repetitions included.
func (c *Comparison) URLs(side Side) int {
	n := 0
	for _, g := range c.groups {
		n += g.sizes[side]
	}
	return n
}

// unsure reports whether theirs may list more in a sitemap than was read: a file of it failed,
// or nothing of it was seen and a file failed that may have been an index.
func (c *Comparison) unsure(g *group) bool {
	return g.failed || c.stray() && !slices.ContainsFunc(c.list, func(f *file) bool { return f.group == g.name && f.has[Theirs] })
}

// stray reports whether a file failed that has a name none of ours has.
func (c *Comparison) stray() bool {
	for _, g := range c.groups {
		if g.failed && g.sizes[Plugin]+g.sizes[Spec] == 0 {
			return true
		}
	}
	return false
}

// Unknown counts the addresses of a level that could not be compared, because a file of theirs that may hold them
// could not be read.
func (c *Comparison) Unknown(side Side) int {
	n := 0
	for _, g := range c.groups {
		if c.unsure(g) {
			for _, r := range g.rows {
				if len(r.places[Theirs]) == 0 {
					n += len(r.places[side])
				}
			}
		}
	}
	return n
}

// sitemapName matches the file names of sitemaps: post-sitemap2.xml, as most plugins have them, and those of
// WordPress itself (wp-sitemap-posts-page-2.xml, -taxonomies-, -users-), with .gz or without.
var sitemapName = regexp.MustCompile(`^(?:wp-sitemap-(?:posts-|taxonomies-)?(.+?)-(\d+)|(.+?)-sitemap(\d*))\.xml(?:\.gz)?$`)

// SplitName takes the address of a sitemap apart: post-sitemap3.xml is page 3 of post.
func SplitName(address string) (name string, page int) {
	u, err := url.Parse(address)
	if err != nil {
		return address, 1
	}
	file := path.Base(u.Path)
	if q := u.Query(); q.Get("sitemap") != "" {
		n, _ := strconv.Atoi(cmp.Or(q.Get("sitemap_n"), q.Get("paged")))
		return provider(cmp.Or(q.Get("sitemap-subtype"), q.Get("sitemap"))), max(n, 1)
	}
	m := sitemapName.FindStringSubmatch(file)
	if m == nil {
		return strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".xml"), 1
	}
	n, _ := strconv.Atoi(cmp.Or(m[2], m[4]))
	return provider(cmp.Or(m[1], m[3])), max(n, 1)
}

// provider gives a sitemap one name, whoever wrote it: WordPress says users where plugins say author.
func provider(name string) string {
	if name == "users" {
		return "author"
	}
	return name
}

// Keep forgets all that ours has beside one file: theirs was that one alone, without an index.
func (c *Comparison) Keep(address string) {
	kept := c.file(address)
	for _, f := range c.list {
		f.date = [sides]live.Date{}
		if f != kept {
			f.has = [sides]bool{}
		}
	}
	for _, g := range c.groups {
		g.rows = slices.DeleteFunc(g.rows, func(r *row) bool { return g.name != kept.group || !r.on(kept.index) })
	}
}

// on reports whether an address is on a file on any side.
func (r *row) on(file int32) bool {
	return slices.ContainsFunc(r.places[:], func(places []place) bool {
		return slices.ContainsFunc(places, func(p place) bool { return p.file == file })
	})
}

// Find returns every difference between theirs and a level, in no order that matters, with
// its cause. Entries in groups of which a file could not be read count only where both sides
// are known.
func (c *Comparison) Find(side Side, w *Why) []Difference {
	f := finder{Comparison: c, side: side, why: w}
	if f.why == nil {
		f.why = &Why{}
	}
	for _, name := range c.names {
		f.entries(c.groups[name])
	}
	f.leftovers()
	f.sitemaps()
	f.indexDates()
	f.pages()
	return f.found
}

// finder is one run of Find.
type finder struct {
	*Comparison
	side  Side
	why   *Why
	found []Difference

	onlyTheirs, onlyOurs []missing
	moved                []moved
	roots                map[*group]roots // groups with differences that shift the pages behind them
	explained            int              // addresses looked up
}

type missing struct {
	g *group
	r *row
}

type moved struct {
	g            *group
	r            *row
	theirs, ours place
	known        bool // plugin has it where they have it
}

// roots are the kinds of differences of a group that others can follow from.
type roots struct{ known, unexplained bool }

func (f *finder) add(g *group, d Difference) {
	d.Sitemap = g.name
	f.found = append(f.found, d)
	if d.Cause == levels {
		return // what follows is a difference between the levels too
	}
	switch d.Facet {
	case OnlyTheirs, OnlyOurs, LastMod, Repeated, Elsewhere:
		if f.roots == nil {
			f.roots = map[*group]roots{}
		}
		r := f.roots[g]
		if d.Cause.Known {
			r.known = true
		} else {
			r.unexplained = true
		}
		f.roots[g] = r
	}
}

// sitemaps compares which files the indexes name.
func (f *finder) sitemaps() {
	for _, x := range f.list {
		theirs, ours := x.has[Theirs], x.has[f.side]
		g := f.groups[x.group]
		if theirs == ours || f.unsure(g) {
			continue
		}
		d := Difference{Facet: MissingSitemap, URL: x.url[Theirs], Theirs: "named", Ours: "not named"}
		if ours {
			d = Difference{Facet: ExtraSitemap, URL: x.url[f.side], Theirs: "not named", Ours: "named"}
		}
		d.Cause, d.Detail = f.why.sitemap(f, g, x)
		f.add(g, d)
	}
}

// entries compares the rows of a group.
func (f *finder) entries(g *group) {
	unsure := f.unsure(g)
	for _, r := range g.rows {
		theirs, ours := r.places[Theirs], r.places[f.side]
		switch {
		case len(theirs) == 0 && len(ours) == 0:
			continue
		case len(theirs) == 0:
			if !unsure {
				f.onlyOurs = append(f.onlyOurs, missing{g, r})
			}
			continue
		case len(ours) == 0:
			f.onlyTheirs = append(f.onlyTheirs, missing{g, r})
			continue
		case len(theirs) != len(ours) && !unsure:
			d := Difference{Facet: Repeated, URL: r.loc, Theirs: times(len(theirs)), Ours: times(len(ours))}
			d.Cause = f.why.repeated(f, r)
			f.add(g, d)
		}
		for _, p := range f.pairs(theirs, ours) {
			f.pair(g, r, p[0], p[1])
		}
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// pairs puts together what is on the same page first.
func (f *finder) pairs(theirs, ours []place) [][2]place {
	if len(theirs) == 1 && len(ours) == 1 {
		return [][2]place{{theirs[0], ours[0]}}
	}
	var pairs [][2]place
	rest := slices.Clone(ours)
	for _, want := range []func(a, b place) bool{
		func(a, b place) bool { return a.file == b.file && a.date.Same(b.date) && a.extra.Equal(b.extra) },
		func(a, b place) bool { return a.file == b.file },
		func(place, place) bool { return true },
	} {
		theirs = slices.DeleteFunc(slices.Clone(theirs), func(a place) bool {
			i := slices.IndexFunc(rest, func(b place) bool { return want(a, b) })
			if i < 0 {
				return false
			}
			pairs = append(pairs, [2]place{a, rest[i]})
			rest = slices.Delete(rest, i, i+1)
			return true
		})
	}
	return pairs
}

// pair compares one time that an address is listed on both sides.
func (f *finder) pair(g *group, r *row, theirs, ours place) {
	plugin, hasPlugin := theirs, false
	if f.side == Spec && len(r.places[Plugin]) > 0 {
		plugin, hasPlugin = f.pairs([]place{theirs}, r.places[Plugin])[0][1], true
	}
	if theirs.file != ours.file {
		f.moved = append(f.moved, moved{g, r, theirs, ours, hasPlugin && plugin.file == theirs.file})
	}
	if !theirs.date.Same(ours.date) {
		d := Difference{Facet: LastMod, URL: r.loc, Theirs: theirs.date.String(), Ours: ours.date.String()}
		d.Cause, d.Detail = f.why.lastmod(f, g, r, theirs, ours, hasPlugin && plugin.date.Same(theirs.date))
		f.add(g, d)
	}
	if theirs.extra.Equal(ours.extra) {
		return
	}
	for _, facet := range extraFacets {
		a, b := each(theirs.extra, facet.of), each(ours.extra, facet.of)
		if slices.Equal(a, b) {
			continue
		}
		d := Difference{Facet: facet.facet, URL: r.loc}
		d.Theirs, d.Ours = contrast(a, b)
		d.Cause, d.Detail = f.why.extra(g, ours, hasPlugin && slices.Equal(each(plugin.extra, facet.of), a))
		f.add(g, d)
	}
}

// extraFacets are the facets of what an entry has beside its date, each as a sorted list: the
// order of images or videos says nothing to a crawler.
var extraFacets = []struct {
	facet Facet
	of    func(*live.Extra) []string
}{
	{Images, func(x *live.Extra) []string { return imageLocs(x.Images) }},
	{ImageTitles, imageTitles},
	{News, func(x *live.Extra) []string { return fields(x.News) }},
	{Videos, func(x *live.Extra) (all []string) {
		for _, v := range x.Videos {
			all = append(all, strings.Join(fields(v), "\n"))
		}
		return all
	}},
	{Alternates, func(x *live.Extra) (all []string) {
		for _, a := range x.Alternates {
			all = append(all, a.Language+" "+a.Href)
		}
		return all
	}},
}

// each returns what an entry has of a facet, nothing where it has no extensions.
func each(x *live.Extra, of func(*live.Extra) []string) []string {
	if x == nil {
		return nil
	}
	all := of(x)
	slices.Sort(all)
	return all
}

func imageLocs(images []live.Image) []string {
	locs := make([]string, len(images))
	for i, m := range images {
		locs[i] = m.Loc
	}
	return locs
}

func imageTitles(x *live.Extra) []string {
	var all []string
	for _, m := range x.Images {
		if m.Title != "" {
			all = append(all, m.Loc+" title: "+m.Title)
		}
		if m.Caption != "" {
			all = append(all, m.Loc+" caption: "+m.Caption)
		}
	}
	return all
}

func fields(list []live.Field) []string {
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = f.Name + ": " + f.Value
	}
	return all
}

// contrast says what two sorted lists have and the other has not, in few words.
func contrast(theirs, ours []string) (string, string) {
	if len(theirs) == 1 && len(ours) == 1 && strings.Contains(theirs[0], "\n") && strings.Contains(ours[0], "\n") {
		return contrast(strings.Split(theirs[0], "\n"), strings.Split(ours[0], "\n")) // two records
	}
	a, b := without(theirs, ours), without(ours, theirs)
	return few(a, len(theirs)), few(b, len(ours))
}

// without returns what a has oftener than b.
func without(a, b []string) []string {
	left := map[string]int{}
	for _, s := range b {
		left[s]++
	}
	var more []string
	for _, s := range a {
		if left[s] > 0 {
			left[s]--
		} else {
			more = append(more, s)
		}
	}
	return more
}

const maxShown = 3

func few(list []string, of int) string {
	switch {
	case of == 0:
		return "none"
	case len(list) == 0:
		return "nothing else"
	}
	text := ""
	for i, s := range list {
		if i == maxShown {
			text += ", and " + strconv.Itoa(len(list)-i) + " more"
			break
		}
		if i > 0 {
			text += ", "
		}
		text += live.Shorten(strings.ReplaceAll(s, "\n", ", "), 300)
	}
	return text
}

// leftovers puts together, among what only one side has, other spellings of one address and
// addresses that are in another sitemap; what remains is missing.
func (f *finder) leftovers() {
	bySpelling := map[string][]missing{}
	for _, m := range f.onlyOurs {
		key := m.g.name + " " + spelling(m.r.loc)
		bySpelling[key] = append(bySpelling[key], m)
	}
	matched := map[*row]bool{}
	var rest []missing
	for _, m := range f.onlyTheirs {
		key := m.g.name + " " + spelling(m.r.loc)
		if same := bySpelling[key]; len(same) > 0 {
			bySpelling[key] = same[1:]
			matched[same[0].r] = true
			f.spelled(m, same[0])
			continue
		}
		rest = append(rest, m)
	}
	f.onlyTheirs = rest
	f.onlyOurs = slices.DeleteFunc(f.onlyOurs, func(m missing) bool { return matched[m.r] })

	ourOnly := map[string]missing{}
	for _, m := range f.onlyOurs {
		ourOnly[m.r.loc] = m
	}
	for _, m := range f.onlyTheirs {
		if other, ok := ourOnly[m.r.loc]; ok && other.g != m.g && !matched[other.r] {
			matched[other.r] = true
			d := Difference{Facet: Elsewhere, URL: m.r.loc, Theirs: m.g.name, Ours: other.g.name}
			d.Cause = f.why.elsewhere(f, m)
			f.add(m.g, d)
			continue
		}
		d := Difference{Facet: OnlyTheirs, URL: m.r.loc, Theirs: f.named(m.r.places[Theirs][0]), Ours: "not listed"}
		d.Cause, d.Detail = f.why.onlyTheirs(f, m.g, m.r)
		f.add(m.g, d)
	}
	for _, m := range f.onlyOurs {
		if matched[m.r] {
			continue
		}
		d := Difference{Facet: OnlyOurs, URL: m.r.loc, Theirs: "not listed", Ours: f.named(m.r.places[f.side][0])}
		d.Cause, d.Detail = f.why.onlyOurs(f, m.g, m.r)
		f.add(m.g, d)
	}
}

// named is the file name of a place and its date.
func (f *finder) named(p place) string {
	x := f.list[p.file]
	text := x.group + ", page " + strconv.Itoa(x.page)
	if !p.date.IsZero() {
		text += ", lastmod " + p.date.String()
	}
	return text
}

// spelled compares one address in two spellings.
func (f *finder) spelled(theirs, ours missing) {
	d := Difference{Facet: Address, URL: theirs.r.loc, Theirs: theirs.r.loc, Ours: ours.r.loc}
	d.Cause, d.Detail = f.why.address(f, theirs, ours)
	f.add(theirs.g, d)
	for _, p := range f.pairs(theirs.r.places[Theirs], ours.r.places[f.side]) {
		f.pair(theirs.g, theirs.r, p[0], p[1])
	}
}

// strayPercent matches a percent sign that begins no escape.
var strayPercent = regexp.MustCompile(`%($|[^0-9A-Fa-f]|[0-9A-Fa-f]($|[^0-9A-Fa-f]))`)

// spelling reduces an address to what its spellings have in common: scheme, user, fragment and
// "www." do not count, escapes are resolved, and so is a slash at the end.
func spelling(loc string) string {
	u, err := url.Parse(strayPercent.ReplaceAllString(loc, "%25$1"))
	if err != nil {
		return loc
	}
	query := u.RawQuery
	if q, err := url.ParseQuery(query); err == nil {
		query = q.Encode()
	}
	return strings.TrimPrefix(weburl.HostPort(u.Host), "www.") + strings.TrimSuffix(u.Path, "/") + "?" + query
}

// indexDates compares the dates of the files that both indexes name.
func (f *finder) indexDates() {
	for _, x := range f.list {
		if !x.has[Theirs] || !x.has[f.side] || x.date[Theirs].Same(x.date[f.side]) {
			continue
		}
		g := f.groups[x.group]
		d := Difference{Facet: IndexDate, URL: x.url[f.side], Theirs: x.date[Theirs].String(), Ours: x.date[f.side].String()}
		d.Cause, d.Detail = f.why.indexDate(f, g, x)
		f.add(g, d)
	}
}

// pages finds the entries that are on another page, once it is known what else differs.
func (f *finder) pages() {
	for _, m := range f.moved {
		d := Difference{Facet: Page, URL: m.r.loc, Theirs: f.named(m.theirs), Ours: f.named(m.ours)}
		d.Cause = f.why.page(f, m)
		f.add(m.g, d)
	}
}
