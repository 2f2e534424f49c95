package sitemap

// own takes the names of the registered types, behind the prefixes that the sitemaps of posts and terms have. A type of which
// nothing reports whether it is public is left to the site itself, unless it had no sitemap even then.
func (c *Catalog) own(posts, terms string) {
	c.undecided = map[string]bool{}
	y := &c.site.Settings().Yoast
	for _, t := range c.site.Registry().PostTypes {
		hidden := c.site.TypeExcluded(t.Name) || !c.core && (y.PostTypeDisabled(t.Name) || y.PostTypeNoindex(t.Name))
		c.owns(posts, t.Name, "post type", t.Undecided && !hidden)
	}
	for _, t := range c.site.Registry().Taxonomies {
		hidden := c.site.TaxonomyExcluded(t.Name) || !c.core && c.policy.taxonomyNoindex(y, t.Name)
		c.owns(terms, t.Name, "taxonomy", t.Undecided && !hidden)
	}
}

// owns takes one name, or leaves it and, where there is something to list, the index that would name it.
func (c *Catalog) owns(prefix, name, kind string, undecided bool) {
	if !undecided {
		c.owned[prefix+name] = true
		delete(c.undecided, prefix+name) // of a taxonomy of the same name
		return
	}
	if c.owned[prefix+name] {
		return
	}
	c.undecided[prefix+name] = true
	for _, u := range c.site.Registry().Unknown {
		if u.Kind == kind && u.Name == name && u.Rows > 0 {
			c.undecided[IndexName] = true
		}
	}
}

// Undecided reports whether nothing in the database decides if there is a sitemap of that name; of the index whether it would name
// such a one. Only the site itself can tell.
func (c *Catalog) Undecided(name string) bool { return c.undecided[name] }
