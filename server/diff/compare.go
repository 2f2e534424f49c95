// Package diff compares the sitemaps that a site serves now with ours, entry by entry. Start reading at Run.Site; Comparison puts the
// sitemaps side by side, Comparison.Find has their differences, and Why says which of them are known.
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
)

// Side is where a sitemap comes from.
type Side uint8

// The sides of a comparison: what the site serves, and what we would serve at each level. The level plugin is read for the
// level spec, too: a difference between the levels is a known one. So is what level plugin has by the rules of another version,
// Then, where the database does not tell which one is installed.
const (
	Theirs Side = iota
	Plugin
	Spec
	Then
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

// Difference is one between what the site serves and one level of ours. Its JSON is an example in a report.
type Difference struct {
	Facet   Facet  `json:"-"`
	Cause   Cause  `json:"-"`
	URL     string `json:"url"`     // of the entry, or of the file
	Sitemap string `json:"sitemap"` // post, category, …
	Theirs  string `json:"theirs"`
	Ours    string `json:"ours"`
	Detail  string `json:"detail,omitempty"` // of the cause: a row, an option, a date

	row          *row // of an entry; nil: the difference is one of the file
	file         *file
	group        *group
	theirs, ours place
}

// place is where an address is listed.
type place struct {
	file  *file
	at    int32 // in the file
	date  live.Date
	extra *live.Extra
}

// row is an address within a sitemap of any number of pages. With its strings it takes about a
// kilobyte, see BenchmarkComparison.
type row struct {
	group  *group
	loc    string
	times  [sides]int   // how often it is listed
	places [sides]place // the first of them
}

// file is one page of a sitemap on any side.
type file struct {
	group *group
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
	sizes  [sides]int
}

// Comparison puts sitemaps side by side.
type Comparison struct {
	groups map[string]*group
	names  []string // of groups, in the order they came
	files  map[string]*file
	list   []*file
	failed bool  // a file of theirs could not be read: what it may hold is not missing
	alone  *file // all that theirs has, without an index; nil: theirs has an index
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

// file returns the file of an address, a new one where there is none yet.
func (c *Comparison) file(address string) *file {
	name, page := SplitName(address)
	key := name + " " + strconv.Itoa(page)
	f := c.files[key]
	if f == nil {
		f = &file{group: c.group(name), page: page}
		c.files[key] = f
		c.list = append(c.list, f)
	}
	return f
}

// Name records that an index of a side names a sitemap.
func (c *Comparison) Name(side Side, address string, lastmod live.Date) {
	f := c.file(address)
	f.has[side], f.url[side], f.date[side] = true, address, lastmod
	if side == Theirs && lastmod.After(f.group.newest) {
		f.group.newest = lastmod
	}
}

// Add records the entries of a sitemap that is named or read on a side.
func (c *Comparison) Add(side Side, address string, entries []live.Entry) {
	f := c.file(address)
	f.has[side], f.url[side] = true, address
	g := f.group
	g.sizes[side] += len(entries)
	for i, e := range entries {
		if side == Theirs && e.LastMod.After(g.newest) {
			g.newest = e.LastMod
		}
		r := g.byLoc[e.Loc]
		if r == nil {
			r = &row{group: g, loc: strings.Clone(e.Loc)}
			g.byLoc[r.loc] = r
			g.rows = append(g.rows, r)
		}
		if r.times[side]++; r.times[side] > 1 {
			continue
		}
		p := place{f, int32(i), e.LastMod, e.Extra}
		for _, other := range r.places { // what is equal on two sides is kept once
			if other.extra.Equal(p.extra) {
				p.extra = other.extra
			}
		}
		r.places[side] = p
	}
}

// Forget takes a side out.
func (c *Comparison) Forget(side Side) {
	for _, g := range c.groups {
		g.sizes[side] = 0
		for _, r := range g.rows {
			r.times[side], r.places[side] = 0, place{}
		}
	}
	for _, f := range c.list {
		f.has[side], f.url[side], f.date[side] = false, "", live.Date{}
	}
}

// older reports whether theirs may be a copy from before a change: nothing in it, and no date of it in the index, is as young.
func (g *group) older(change live.Date) bool { return !g.newest.IsZero() && change.After(g.newest) }

// Fail records that a sitemap that their index names could not be read: nothing is known of its entries.
func (c *Comparison) Fail(address string, lastmod live.Date) {
	c.Name(Theirs, address, lastmod)
	c.failed = true
}

// URLs counts the addresses of a side, repetitions included.
func (c *Comparison) URLs(side Side) int {
	n := 0
	for _, g := range c.groups {
		n += g.sizes[side]
	}
	return n
}

// Unknown counts the addresses of a level that could not be compared, because a file of theirs could not be read.
func (c *Comparison) Unknown(side Side) int {
	n := 0
	for _, g := range c.groups {
		for _, r := range g.rows {
			if c.failed && r.times[Theirs] == 0 {
				n += r.times[side]
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

// provider returns the name of a sitemap's provider, the same for every plugin: WordPress says users where plugins say author.
func provider(name string) string {
	if name == "users" {
		return "author"
	}
	return name
}

// Alone records that theirs is one file without an index: nothing else of ours is compared.
func (c *Comparison) Alone(address string) { c.alone = c.file(address) }

// compares reports whether an address is compared.
func (c *Comparison) compares(r *row) bool {
	return c.alone == nil || slices.ContainsFunc(r.places[:], func(p place) bool { return p.file == c.alone })
}
