package catalog

import (
	"maps"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// An Outline says which sitemaps a catalog has, but not what is in them. The daemon stores the outline, and uses it
// while it cannot read the database.
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

// Names reports whether Files, Others or More contains the page.
func (o *Outline) Names(name string, page int) bool {
	is := func(f File) bool { return f.Name == name && f.Page == page && !f.Elsewhere }
	return slices.ContainsFunc(o.Files, is) || slices.ContainsFunc(o.Others, is) || slices.Contains(o.More[name], page)
}

// Has reports whether the daemon makes at least one page of a sitemap.
func (o *Outline) Has(name string) bool {
	is := func(f File) bool { return f.Name == name && !f.Elsewhere }
	return o.Unnamed(name) || len(o.More[name]) > 0 || slices.ContainsFunc(o.Files, is) || slices.ContainsFunc(o.Others, is)
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

// typesWhere returns the names of the registered types for which is returns true.
func (c *Catalog) typesWhere(is func(*registry.Type) bool) (names []string) {
	for _, t := range c.Rules.Blog.Registry().Types() {
		if is(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// Objects counts the entries in the sitemaps of post types, taxonomies and authors. News, videos and
// archives consist of the same objects and do not count.
func (o *Outline) Objects() int { return o.objects(func(string) bool { return true }) }

// objects counts the entries in the sitemaps of those types for which counts returns true.
func (o *Outline) objects(counts func(of string) bool) (n int) {
	for _, f := range o.Files {
		if f.Name != seo.IndexName && f.Of != "" && counts(f.Of) {
			n += f.Entries
		}
	}
	return n
}

// Expected compares the outline with before, an earlier one, to show whether objects were lost. The first result counts
// the objects in before, without types that settings or a removed plugin leave out now. The second result counts the
// objects in o, plus the growth of Ruled.
func (o *Outline) Expected(before *Outline) (was, is int) {
	if o.Private {
		return 0, 0
	}
	other := before.Plugin != o.Plugin
	plugins := other || before.Plugins != nil && !slices.Equal(before.Plugins, o.Plugins)
	was = before.objects(func(of string) bool {
		switch {
		case slices.Contains(o.Off, of), plugins && !slices.Contains(o.Types, of):
			return false
		case other: // each plugin has its own rules for authors and attachments
			return of != "author" && of != "attachment"
		}
		return true
	})
	return was, o.Objects() + max(0, o.Ruled-before.Ruled)
}

// Cause says for people which setting removed or replaced whole sitemaps since before, an earlier outline. It returns "" if no
// setting has.
func (o *Outline) Cause(before *Outline) string {
	switch {
	case before.Active && !o.Active:
		return "there are no sitemaps any more: switched off, or search engines are asked to stay away (blog_public)"
	case before.Active && before.Plugin != o.Plugin:
		return "the sitemaps of " + before.Plugin + " are off, those of " + o.Plugin + " answer"
	case o.Private && !before.Private:
		return "search engines are asked to stay away (blog_public)"
	}
	var off, left []string
	for _, f := range before.Files {
		names := &off
		if slices.Contains(o.Left, f.Name) {
			names = &left
		}
		gone := slices.Contains(o.Off, f.Of) || o.Active && !slices.Contains(o.Types, f.Of)
		if gone && f.Of != "" && !slices.Contains(before.Off, f.Of) && !slices.Contains(*names, f.Of) {
			*names = append(*names, f.Of)
		}
	}
	var said []string
	if len(off) > 0 {
		said = append(said, "not indexed, switched off, or not public any more: "+strings.Join(off, ", "))
	}
	if len(left) > 0 {
		said = append(said, "left to the site, as check says why: "+strings.Join(left, ", "))
	}
	return strings.Join(said, "; ")
}
