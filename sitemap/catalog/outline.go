package catalog

import (
	"maps"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// An Outline says which sitemaps a catalog has, but not what is in them. It answers requests without the lists of the catalog.
// The daemon stores outlines as JSON (server/refresh/memory.go), so that it can route requests after a start without a database.
// So the names of stored fields must stay. An outline of an earlier version lacks the newer fields.
type Outline struct {
	Active bool
	Main   bool              // the blog is a single site or the main blog of a network
	Index  string            // public URL of the index
	Title  string            // name of the blog in plain text
	Plugin string            // the plugin that makes the sitemaps; "" if there are no sitemaps
	Chosen bool              // the operator has chosen the plugin
	Rival  string            // the other plugin that makes the sitemaps instead; "" if there is none
	Why    string            // why the daemon serves these sitemaps, or none; a sentence without a full stop
	Base   seo.Base          // the common beginning of the sitemap URLs
	Files  []File            // the result of Catalog.Files
	Others []File            // the result of Catalog.OtherFiles
	Owned  []string          // the names for which Catalog.Owns is true, sorted
	Types  []string          // post types and taxonomies with an owned name, and "author"
	Asked  map[string]string // results of Catalog.QueryName that differ from the name, by name
	Left   []string          // the names for which Catalog.Undecided is true, sorted
	Open   []string          // sitemaps that may have pages beyond Files, Others and More
	More   map[string][]int  // page numbers that exist but are not in the index, by sitemap name
	Timed  []string          // sitemaps of news, whose entries change by the clock
	Sizes  map[string]Size   // sizes by sitemap name; not stored

	NotInRobots bool // robots.txt does not name the index

	// What rules leave out: everything if Private is set, the types in Off, and the number Ruled of single
	// objects.
	Private bool
	Off     []string
	Ruled   int

	Plugins   []string       // active plugins, sorted; nil if unknown
	Installed []wp.Installed // plugins whose rules depend on the installed version; not stored
}

// Size says how many objects a sitemap has on its pages, and how many fit on one page.
type Size struct{ Places, Page int }

// Names reports whether the daemon makes a page, by Files, Others or More.
func (o *Outline) Names(name string, page int) bool {
	return slices.Contains(o.More[name], page) || o.hasFile(func(f File) bool { return f.Name == name && f.Page == page })
}

// Has reports whether the daemon makes, or may make, a page of a sitemap.
func (o *Outline) Has(name string) bool {
	return o.Unnamed(name) || len(o.More[name]) > 0 || o.hasFile(func(f File) bool { return f.Name == name })
}

// hasFile reports whether the daemon makes a file that the function accepts.
func (o *Outline) hasFile(accepts func(File) bool) bool {
	ours := func(f File) bool { return !f.Elsewhere && accepts(f) }
	return slices.ContainsFunc(o.Files, ours) || slices.ContainsFunc(o.Others, ours)
}

// Unnamed reports whether a sitemap may have pages that Names does not know.
func (o *Outline) Unnamed(name string) bool { return slices.Contains(o.Open, name) }

// URL returns the public URL of a page in an address scheme, even if the page does not exist.
func (o *Outline) URL(scheme seo.URLs, name string, page int) string {
	pages := 0
	for _, f := range o.Files {
		if f.Name == name {
			pages++
		}
	}
	return scheme.URL(o.Base, scheme.File(name, page, pages))
}

// Outline returns the outline of the catalog at the present time.
func (c *Catalog) Outline() Outline {
	o := Outline{
		Active: c.Active(), Main: c.Rules.Blog.IsMain(), Plugin: c.plugin, Base: c.base, Index: c.URL(seo.IndexName, 1),
		Files: c.Files(), Others: c.OtherFiles(), Types: c.types(), Asked: map[string]string{}, More: map[string][]int{},
		Sizes: make(map[string]Size, len(c.Lists)),
		Left:  slices.Sorted(maps.Keys(c.undecided)), Private: !c.Active() || c.Rules.Hidden(), Off: c.Off(),
		NotInRobots: !c.Rules.Decisions.InRobots(c.Rules),
		Installed:   c.Rules.Blog.Installed(), Plugins: slices.Sorted(maps.Keys(c.Rules.Blog.Settings().ActivePlugins)),
	}
	for verdict, n := range c.LeftOut {
		if verdict.ByRule() {
			o.Ruled += n
		}
	}
	o.addNames(c)
	for _, l := range c.Lists {
		o.addList(l)
	}
	return o
}

// addNames sets Owned, and Asked of the names that requests by query name differently. Nobody knows the pages of these.
func (o *Outline) addNames(c *Catalog) {
	for _, name := range slices.Sorted(maps.Keys(c.Owned)) {
		if !c.Owned[name] {
			continue
		}
		o.Owned = append(o.Owned, name)
		if asked := c.QueryName(name); asked != name {
			o.Asked[name] = asked
			o.Open = append(o.Open, asked)
		}
	}
}

// addList adds what Files does not say about a list: its size, and its pages that the index does not name. If these depend on the
// clock, on the database or on the page number alone, the list is open.
func (o *Outline) addList(l *List) {
	o.Sizes[l.Name] = Size{len(l.Places) + l.FirstPlaces(), l.Size}
	if l.isTimed() {
		o.Timed = append(o.Timed, l.Name)
	}
	switch open := l.Withheld != nil || l.isTimed() || l.Past == PastFirst || l.Past == PastEvery; {
	case l.Elsewhere != "":
	case open:
		o.Open = append(o.Open, l.Name)
	default:
		if pages := l.unnamed(); pages != nil {
			o.More[l.Name] = pages
		}
	}
}

// unnamed returns the numbers of pages that exist but are not in the index.
func (l *List) unnamed() (pages []int) {
	named := 0
	if l.Indexed {
		named = len(l.Dates)
	}
	for page := named + 1; page <= l.Pages()+1; page++ {
		if _, _, exists := l.Slice(page); exists {
			pages = append(pages, page)
		}
	}
	return pages
}

// Off returns the names of the types that settings exclude from the sitemaps or from the index.
func (c *Catalog) Off() []string {
	off := c.typesWhere(func(t *registry.Type) bool { return !c.Rules.ListsType(t) })
	if c.Rules.Settings.Authors() != nil {
		off = append(off, "author")
	}
	for _, l := range c.Lists {
		if l.Of != "" && !l.Indexed && l.Places.countListed() > 0 {
			off = append(off, l.Of)
		}
	}
	return off
}

// types returns "author" and the names of all types whose sitemap name is in Owned.
func (c *Catalog) types() []string {
	return append([]string{"author"}, c.typesWhere(func(t *registry.Type) bool { return c.Owned[c.Scheme.Name(seo.KindOf(t), t.Name)] })...)
}

// typesWhere returns the names of the registered types that the function accepts.
func (c *Catalog) typesWhere(accepts func(*registry.Type) bool) (names []string) {
	for _, t := range c.Rules.Blog.Registry().Types() {
		if accepts(t) {
			names = append(names, t.Name)
		}
	}
	return names
}
