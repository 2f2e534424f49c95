package catalog

import (
	"maps"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/registry"
)

// Own decides which names are ours to answer: those of all registered types, and of more those with true. Where nothing says
// whether a type is public the site itself answers, unless a public one would have no sitemap either.
func (c *Catalog) Own(more map[string]bool) {
	c.Owned[seo.IndexName], c.Owned[c.Scheme.Name(seo.KindUser, "")] = true, true
	for _, t := range slices.Concat(c.PostTypes(), c.Taxonomies()) {
		c.owns(t)
	}
	if c.active {
		c.Owned[TextName], c.Owned[AtomName], c.Owned[RSSName] = c.Options.Text, c.Options.Atom, c.Options.RSS
		maps.Copy(c.Owned, more)
	}
}

// hides reports whether a type has no sitemap even if it is public.
func (c *Catalog) hides(t *registry.Type) bool {
	shown := *t
	shown.Public, shown.Viewable = true, true
	return !c.ListsType(&shown)
}

// Unsettled are the types that nothing calls public or not and that would have a sitemap if they were public. Those of known
// plugins are settled: the site answers for them.
func (c *Catalog) Unsettled() []registry.Unknown {
	if !c.active {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Blog.Registry().Unknown), func(u registry.Unknown) bool {
		return u.ByPHP || c.hides(&registry.Type{Name: u.Name, Taxonomy: u.Kind == "taxonomy"})
	})
}

// owns takes the name of a type's sitemap. If nothing says whether the type is public, it leaves the name to the site, and with it the
// index if there is something to list. While everything is kept out the index is empty whatever the type is, so all names are ours.
func (c *Catalog) owns(t *registry.Type) {
	name := c.Scheme.Name(seo.KindOf(t), t.Name)
	if !t.Undecided || c.hides(t) || c.Hidden() {
		c.Owned[name] = true
		delete(c.undecided, name) // of a taxonomy of the same name
		return
	}
	if c.Owned[name] {
		return
	}
	c.undecided[name] = true
	for _, u := range c.Blog.Registry().Unknown {
		if u.Kind == t.Kind() && u.Name == t.Name && u.Rows > 0 {
			c.undecided[seo.IndexName] = true
		}
	}
}

// Undecided reports whether only the site itself knows if there is a sitemap of that name; of the index, if it names such a one.
func (c *Catalog) Undecided(name string) bool { return c.undecided[name] }
