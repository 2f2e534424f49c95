package registry

import (
	"maps"
	"slices"
	"strings"
)

// configured returns the names of one kind in the configuration, in alphabetical order.
func (d *decider) configured(k kind) []string {
	return slices.Sorted(pick(k, maps.Keys(d.e.Overrides.PostTypes), maps.Keys(d.e.Overrides.Taxonomies)))
}

// hasOverride reports whether the configuration names a type.
func (d *decider) hasOverride(k kind, name string) bool {
	return slices.Contains(d.configured(k), name)
}

// StoredAs returns the values of post_status that mean status for a post type: status itself and, for publish, the
// statuses that the configuration adds.
func (o *Overrides) StoredAs(postType, status string) []string {
	if status != "publish" {
		return []string{status}
	}
	return append([]string{status}, o.PostTypes[postType].Statuses...)
}

// Status returns the status that a stored value of post_status counts as.
func (o *Overrides) Status(postType, stored string) string {
	for name, t := range o.PostTypes {
		if strings.EqualFold(name, postType) && slices.ContainsFunc(t.Statuses, func(of string) bool { return strings.EqualFold(of, stored) }) {
			return "publish"
		}
	}
	return stored
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
	// publicly_queryable has the value of public unless a definition sets it.
	follows := t.Sources[keyViewable] == sourceDefault || t.Viewable == t.Public
	if said(t.Sources, keyPublic, &t.Public, o.Public) && follows {
		t.Viewable = t.Public
	}
	said(t.Sources, keyViewable, &t.Viewable, o.Viewable)
	said(t.Sources, keyHierarchical, &t.Hierarchical, o.Hierarchical)
	if o.Exclude != nil && !*o.Exclude {
		t.LeftOutOf = nil
		delete(t.Sources, keyExclude)
	}
	follows = (t.ArchiveSlug == t.Slug || t.ArchiveSlug == "") && t.HasArchive && t.ArchivePage == 0
	if saidSlug(t.Sources, &t.Slug, &t.Rewrite, &t.WithFront, o.Slug) && follows {
		t.ArchiveSlug = t.Slug
	}
	said(t.Sources, keyWithFront, &t.WithFront, o.WithFront)
	switch {
	case said(t.Sources, keyArchive, &t.ArchiveSlug, o.ArchiveSlug):
		t.HasArchive, t.ArchivePage = true, 0
	case !said(t.Sources, keyArchive, &t.HasArchive, o.Archive):
	case !t.HasArchive:
		t.ArchivePage, t.ArchiveSlug = 0, ""
	}
	switch {
	case !t.Rewrite:
		t.ArchiveSlug = ""
	case t.HasArchive && t.ArchiveSlug == "":
		t.ArchiveSlug = t.Slug
	}
	said(t.Sources, keyQueryVar, &t.QueryVar, o.QueryVar)
	said(t.Sources, keyURL, &t.URL, o.URL)
}

func (o TaxonomyOverride) apply(t *Taxonomy) {
	said(t.Sources, keyPublic, &t.Public, o.Public)
	if said(t.Sources, keyHierarchical, &t.Hierarchical, o.Hierarchical) {
		t.RewriteHierarchical = t.RewriteHierarchical && t.Hierarchical
	}
	if saidSlug(t.Sources, &t.Slug, &t.Rewrite, &t.WithFront, o.Slug) {
		t.RewriteHierarchical = t.RewriteHierarchical && t.Rewrite
	}
	said(t.Sources, keyWithFront, &t.WithFront, o.WithFront)
	said(t.Sources, keyQueryVar, &t.QueryVar, o.QueryVar)
	said(t.Sources, keyURL, &t.URL, o.URL)
	if o.ObjectTypes != nil {
		t.ObjectTypes = slices.Clone(o.ObjectTypes)
		t.Sources[keyObjectTypes] = sourceConfiguration
	}
}

// said sets a field to the value that the operator has configured, and records the source. It returns false and
// changes nothing if word is nil, because no value is configured.
func said[T any](s Sources, key string, is, word *T) bool {
	if word == nil {
		return false
	}
	*is, s[key] = *word, sourceConfiguration
	return true
}

// saidSlug sets the slug that the operator has configured, and records the source. An empty slug switches rewriting off. Any other
// slug switches rewriting on, with the default for with_front if rewriting was off. It returns false if word is nil.
func saidSlug(s Sources, slug *string, rewrite, withFront *bool, word *string) bool {
	if !said(s, keySlug, slug, word) {
		return false
	}
	*withFront = *withFront || !*rewrite // the default if rewriting was off before
	*rewrite = *slug != ""
	return true
}
