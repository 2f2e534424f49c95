package catalog

import (
	"maps"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/registry"
)

// Own sets c.Owned, the names of the sitemaps that the daemon answers: the index, the authors, and each registered type. An active
// catalog also has the names of text and feeds that the options switch on, and those in more.
//
// The name of a type is left to the site if nothing says whether the type is public. But if the settings exclude the type
// even if it is public, the daemon answers.
func (c *Catalog) Own(more map[string]bool) {
	c.Owned[seo.IndexName], c.Owned[c.Scheme.Name(seo.KindUser, "")] = true, true
	for _, t := range slices.Concat(c.Rules.PostTypes(), c.Rules.Taxonomies()) {
		c.owns(t)
	}
	if c.active {
		c.Owned[TextName], c.Owned[AtomName], c.Owned[RSSName] = c.Rules.Options.Text, c.Rules.Options.Atom, c.Rules.Options.RSS
		maps.Copy(c.Owned, more)
	}
}

// hides reports whether a type would have no sitemap even if the type were public.
func (c *Catalog) hides(t *registry.Type) bool {
	shown := *t
	shown.Public, shown.Viewable = true, true
	return !c.Rules.ListsType(&shown)
}

// Unsettled returns the types of which nothing says whether they are public, and which would have a sitemap if they were. It
// skips types with ByPHP, because WordPress itself serves their sitemaps.
func (c *Catalog) Unsettled() []registry.Unknown {
	if !c.active {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Rules.Blog.Registry().Unknown), func(u registry.Unknown) bool {
		return u.ByPHP || c.hides(&registry.Type{Name: u.Name, Taxonomy: u.Kind == "taxonomy"})
	})
}

// owns adds the name of a type's sitemap to Owned. If nothing says whether the type is public, owns
// leaves the name to the site. If that type also has rows, owns leaves the index to the site, too.
//
// If the site asks search engines to stay away, the index is empty, so every name is owned.
func (c *Catalog) owns(t *registry.Type) {
	name := c.Scheme.Name(seo.KindOf(t), t.Name)
	if !t.Undecided || c.hides(t) || c.Rules.Hidden() {
		c.Owned[name] = true
		delete(c.undecided, name) // a taxonomy with the same name may have set this
		return
	}
	if c.Owned[name] {
		return
	}
	c.undecided[name] = true
	for _, u := range c.Rules.Blog.Registry().Unknown {
		if u.Kind == t.Kind() && u.Name == t.Name && u.Rows > 0 {
			c.undecided[seo.IndexName] = true
		}
	}
}

// Undecided reports whether only the site itself knows if a sitemap exists. For the index, Undecided reports whether
// the index may name such a sitemap.
func (c *Catalog) Undecided(name string) bool { return c.undecided[name] }
