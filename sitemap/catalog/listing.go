package catalog

import (
	"maps"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Outline says which sitemaps a catalog has, but not what is in them. It is stored, for when the database is out of reach.
type Outline struct {
	Active bool
	Main   bool              // of the main blog of a network, or of a single site
	Index  string            // public address of the index
	Title  string            // name of the blog, plain text
	Plugin string            // whose sitemaps; "" where there are none
	Chosen bool              // the operator has chosen that plugin
	Rival  string            // the plugin that makes the sitemaps where these are not; "" for none
	Why    string            // why these sitemaps are served, or none; a sentence without a full stop
	Base   seo.Base          // what their addresses begin with
	Files  []File            // of Catalog.Files
	Others []File            // of Catalog.OtherFiles
	Owned  []string          // names that Catalog.Owns, sorted
	Types  []string          // the post types and taxonomies of those, and author
	Asked  map[string]string // what Catalog.QueryName makes of a name, where that is another
	Left   []string          // names that Catalog.Undecided, sorted
	Open   []string          // sitemaps that may have pages which nothing here names
	More   map[string][]int  // pages that exist and that the index does not name
	Timed  []string          // sitemaps whose entries come and go by the clock: the news
	Sizes  map[string]Size   // of the sitemaps; not kept where the database is out of reach

	NotInRobots bool // robots.txt does not name the index

	// What the site's settings leave out: everything, the types of these names, and so many objects of other types.
	Private bool
	Off     []string
	Ruled   int

	Plugins   []string       // active ones, sorted; nil: it is not known
	Installed []wp.Installed // whose rules depend on their version; not kept where the database is out of reach
}

// Size is how many objects take a place on the pages of a sitemap, and how many go on one.
type Size struct{ Places, Page int }

// Names reports whether a page is one of Files, Others or More.
func (o *Outline) Names(name string, page int) bool {
	is := func(f File) bool { return f.Name == name && f.Page == page && !f.Elsewhere }
	return slices.ContainsFunc(o.Files, is) || slices.ContainsFunc(o.Others, is) || slices.Contains(o.More[name], page)
}

// Has reports whether a sitemap has a page that is made here.
func (o *Outline) Has(name string) bool {
	is := func(f File) bool { return f.Name == name && !f.Elsewhere }
	return o.Unnamed(name) || len(o.More[name]) > 0 || slices.ContainsFunc(o.Files, is) || slices.ContainsFunc(o.Others, is)
}

// Unnamed reports whether a sitemap may have pages that Names does not know. Other sitemaps have none.
func (o *Outline) Unnamed(name string) bool { return slices.Contains(o.Open, name) }

// URL is Catalog.URL, by the plugin's address scheme.
func (o *Outline) URL(scheme seo.URLs, name string, page int) string {
	pages := 0
	for _, f := range o.Files {
		if f.Name == name {
			pages++
		}
	}
	return scheme.URL(o.Base, scheme.File(name, page, pages))
}

// Outline returns the outline of the catalog as it is now.
func (c *Catalog) Outline() Outline {
	o := Outline{
		Active: c.Active(), Main: c.Blog.IsMain(), Plugin: c.plugin, Base: c.base, Index: c.URL(seo.IndexName, 1),
		Files: c.Files(), Others: c.OtherFiles(), Types: c.types(), Asked: map[string]string{}, More: map[string][]int{},
		Sizes: make(map[string]Size, len(c.Lists)),
		Left:  slices.Sorted(maps.Keys(c.undecided)), Private: !c.Active() || c.Hidden(), Off: c.Off(),
		NotInRobots: !c.Decisions.InRobots(c.Rules),
		Installed:   c.Blog.Installed(), Plugins: slices.Sorted(maps.Keys(c.Blog.Settings().ActivePlugins)),
	}
	for verdict, n := range c.LeftOut {
		if verdict.ByRule() {
			o.Ruled += n
		}
	}
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
	for _, l := range c.Lists {
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
		o.Sizes[l.Name] = Size{len(l.Places) + l.FirstPlaces(), l.Size}
	}
	return o
}

// unnamed returns the pages that exist and that the index does not name.
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

// Off returns the names of the types that settings leave out, or leave out of the index.
func (c *Catalog) Off() []string {
	off := c.typesWhere(func(t *registry.Type) bool { return !c.ListsType(t) })
	if c.Settings.Authors() != nil {
		off = append(off, "author")
	}
	for _, l := range c.Lists {
		if l.Of != "" && !l.Indexed && l.Places.CountListed() > 0 {
			off = append(off, l.Of)
		}
	}
	return off
}

// types returns the names of the types that there could be sitemaps of.
func (c *Catalog) types() []string {
	return append([]string{"author"}, c.typesWhere(func(t *registry.Type) bool { return c.Owned[c.Scheme.Name(seo.KindOf(t), t.Name)] })...)
}

// typesWhere returns the names of some registered types.
func (c *Catalog) typesWhere(is func(*registry.Type) bool) (names []string) {
	for _, t := range c.Blog.Registry().Types() {
		if is(t) {
			names = append(names, t.Name)
		}
	}
	return names
}
