package sitemap

import "maps"

// Own takes the names of the registered types, and more that are ours to answer (true) or the site's (false). A type of
// which nothing tells whether it is public is left to the site itself, unless it had no sitemap even then.
func (c *Catalog) Own(more map[string]bool) {
	c.owned[IndexName], c.owned[c.urls.Name(KindUser, "")] = true, true
	for _, t := range c.site.Registry().PostTypes {
		hidden := c.site.TypeExcluded(t.Name) || c.settings.PostType(t) != nil
		c.owns(c.urls.Name(KindPost, t.Name), t.Name, "post type", t.Undecided && !hidden)
	}
	for _, t := range c.site.Registry().Taxonomies {
		hidden := c.site.TaxonomyExcluded(t.Name) || c.settings.Taxonomy(t) != nil
		c.owns(c.urls.Name(KindTerm, t.Name), t.Name, "taxonomy", t.Undecided && !hidden)
	}
	if c.active {
		c.owned[TextName], c.owned[AtomName] = c.opt.Text, c.opt.Atom
		maps.Copy(c.owned, more)
	}
}

// owns takes the name of a type's sitemap, or leaves it and, where there is something to list, the index that would name
// it.
func (c *Catalog) owns(name, of, kind string, undecided bool) {
	if !undecided {
		c.owned[name] = true
		delete(c.undecided, name) // of a taxonomy of the same name
		return
	}
	if c.owned[name] {
		return
	}
	c.undecided[name] = true
	for _, u := range c.site.Registry().Unknown {
		if u.Kind == kind && u.Name == of && u.Rows > 0 {
			c.undecided[IndexName] = true
		}
	}
}

// Undecided reports whether nothing in the database decides if there is a sitemap of that name; of the index whether it
// would name such a one. Only the site itself can tell.
func (c *Catalog) Undecided(name string) bool { return c.undecided[name] }
