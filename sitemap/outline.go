package sitemap

import (
	"maps"
	"slices"
	"strings"
)

// Outline is what can be told of a catalog when its database is out of reach: which
// sitemaps there are, but not what stands in them.
type Outline struct {
	Active bool
	Index  string            // public address of the index
	Core   bool              // WordPress' own sitemaps
	Files  []File            // of Catalog.Files
	Others []File            // of Catalog.OtherFiles
	Owned  []string          // names that Catalog.Owns, sorted
	Asked  map[string]string // what Catalog.QueryName makes of a name, where that is another
	Left   []string          // names that Catalog.Undecided, sorted
	Open   []string          // sitemaps that may have pages which neither names
	Timed  []string          // sitemaps whose entries come and go by the clock alone: the news

	// What the site's settings leave out as a whole: everything, or the types of these names.
	Private bool
	Off     []string

	Plugins []string // active ones, sorted; nil: it is not known
}

// Names reports whether a page is one of Files or Others.
func (o *Outline) Names(name string, page int) bool {
	is := func(f File) bool { return f.Name == name && f.Page == page && !f.Elsewhere }
	return slices.ContainsFunc(o.Files, is) || slices.ContainsFunc(o.Others, is)
}

// Unnamed reports whether a sitemap may have pages that Names does not know. Of the others such
// a page is known not to exist.
func (o *Outline) Unnamed(name string) bool { return slices.Contains(o.Open, name) }

// URL is Catalog.URL. Of WordPress' own sitemaps it knows the index and what Files names, and
// returns "" for others.
func (o *Outline) URL(name string, page int) string {
	if name == IndexName {
		return o.Index
	}
	for _, f := range o.Files {
		if f.Name == name && f.Page == page {
			return f.URL
		}
	}
	if o.Core {
		return ""
	}
	return o.BaseURL(filename(name, page))
}

// BaseURL is Catalog.BaseURL, but for files of WordPress' own sitemaps other than the index.
func (o *Outline) BaseURL(file string) string {
	if o.Core {
		return o.Index
	}
	return strings.TrimSuffix(o.Index, indexFile) + file
}

const indexFile = "sitemap_index.xml"

// Outline returns the catalog's.
func (c *Catalog) Outline() Outline {
	o := Outline{Active: c.Active(), Core: c.core, Index: c.URL(IndexName, 1), Files: c.Files(), Others: c.OtherFiles(), Asked: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(c.owned)) {
		if !c.owned[name] {
			continue
		}
		o.Owned = append(o.Owned, name)
		if asked := c.QueryName(name); asked != name {
			o.Asked[name] = asked
			o.Open = append(o.Open, asked)
		}
	}
	o.Left = slices.Sorted(maps.Keys(c.undecided))
	for _, l := range c.lists {
		if l.news != nil {
			o.Timed = append(o.Timed, l.name)
		}
		open := l.stays || l.past == pastFirst || l.past == pastEvery
		open = open || l.past == pastPostTypes || l.past == pastMissing && !l.indexed
		if open && !l.elsewhere {
			o.Open = append(o.Open, l.name)
		}
	}
	o.Private = !o.Active || c.hidden()
	o.Off = c.off()
	o.Plugins = slices.Sorted(maps.Keys(c.site.Settings().ActivePlugins))
	return o
}

// off returns the names of the types that settings leave out.
func (c *Catalog) off() []string {
	var names []string
	if c.core {
		return nil // no settings of theirs
	}
	for _, t := range c.site.Registry().PostTypes {
		if !c.listsPostType(t) {
			names = append(names, t.Name)
		}
	}
	for _, t := range c.site.Registry().Taxonomies {
		if !c.listsTaxonomy(t) {
			names = append(names, t.Name)
		}
	}
	if _, off := c.site.Settings().Yoast.AuthorsDisabled(); off {
		names = append(names, "author")
	}
	return names
}
