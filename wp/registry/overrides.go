package registry

import (
	"maps"
	"slices"
)

// configured reports whether the operator's configuration names a type.
func (d *decider) configured(k kind, name string) bool {
	if k == taxonomies {
		_, ok := d.e.Overrides.Taxonomies[name]
		return ok
	}
	_, ok := d.e.Overrides.PostTypes[name]
	return ok
}

// configuredNames are the types of one kind in the configuration, by the alphabet.
func (d *decider) configuredNames(k kind) []string {
	if k == taxonomies {
		return slices.Sorted(maps.Keys(d.e.Overrides.Taxonomies))
	}
	return slices.Sorted(maps.Keys(d.e.Overrides.PostTypes))
}

// override applies the operator's configuration, key by key.
func (d *decider) override() {
	for _, t := range d.reg.PostTypes {
		if o, ok := d.e.Overrides.PostTypes[t.Name]; ok {
			o.apply(t)
		}
	}
	for _, t := range d.reg.Taxonomies {
		if o, ok := d.e.Overrides.Taxonomies[t.Name]; ok {
			o.apply(t)
		}
	}
}

func (o PostTypeOverride) apply(t *PostType) {
	said := func(key string) { t.Sources[key] = sourceConfiguration }
	if o.Public != nil {
		// publicly_queryable follows public unless a definition sets it.
		if t.Sources[keyViewable] == sourceDefault || t.Viewable == t.Public {
			t.Viewable = *o.Public
		}
		t.Public = *o.Public
		said(keyPublic)
	}
	if o.Viewable != nil {
		t.Viewable = *o.Viewable
		said(keyViewable)
	}
	if o.Hierarchical != nil {
		t.Hierarchical = *o.Hierarchical
		said(keyHierarchical)
	}
	if o.Slug != nil {
		follows := t.ArchiveSlug == t.Slug || t.ArchiveSlug == ""
		if !t.Rewrite {
			t.WithFront = true // the default of a permastruct
		}
		t.Rewrite, t.Slug = *o.Slug != "", *o.Slug
		if follows && t.HasArchive && t.ArchivePage == 0 {
			t.ArchiveSlug = t.Slug
		}
		said(keySlug)
	}
	if o.WithFront != nil {
		t.WithFront = *o.WithFront
		said(keyWithFront)
	}
	switch {
	case o.ArchiveSlug != nil:
		t.HasArchive, t.ArchivePage = true, 0
		t.ArchiveSlug = *o.ArchiveSlug
		said(keyArchive)
	case o.Archive != nil && !*o.Archive:
		t.HasArchive, t.ArchivePage, t.ArchiveSlug = false, 0, ""
		said(keyArchive)
	case o.Archive != nil:
		if !t.HasArchive {
			t.HasArchive, t.ArchiveSlug = true, t.Slug
		}
		said(keyArchive)
	}
	if t.HasArchive && t.ArchiveSlug == "" {
		t.ArchiveSlug = t.Slug
	}
	if !t.Rewrite {
		t.ArchiveSlug = ""
	}
	if o.QueryVar != nil {
		t.QueryVar = *o.QueryVar
		said(keyQueryVar)
	}
}

func (o TaxonomyOverride) apply(t *Taxonomy) {
	said := func(key string) { t.Sources[key] = sourceConfiguration }
	if o.Public != nil {
		t.Public = *o.Public
		said(keyPublic)
	}
	if o.Hierarchical != nil {
		t.Hierarchical = *o.Hierarchical
		t.RewriteHierarchical = t.RewriteHierarchical && t.Hierarchical
		said(keyHierarchical)
	}
	if o.Slug != nil {
		if !t.Rewrite {
			t.WithFront = true // the default of a permastruct
		}
		t.Rewrite, t.Slug = *o.Slug != "", *o.Slug
		t.RewriteHierarchical = t.RewriteHierarchical && t.Rewrite
		said(keySlug)
	}
	if o.WithFront != nil {
		t.WithFront = *o.WithFront
		said(keyWithFront)
	}
	if o.ObjectTypes != nil {
		t.ObjectTypes = slices.Clone(o.ObjectTypes)
		said(keyObjectTypes)
	}
	if o.QueryVar != nil {
		t.QueryVar = *o.QueryVar
		said(keyQueryVar)
	}
}
