package registry

import (
	"cmp"
	"slices"
	"strings"

	"wpsitemapd/wp/registry/routes"
)

// postType builds a type that no definition covers: address and archive from the rewrite
// rules, else from the index, else the defaults of register_post_type().
func (d *decider) postType(name string, v verdict) *PostType {
	t := &PostType{Name: name, Public: v.public, Viewable: v.public, Undecided: v.undecided, Rewrite: true, QueryVar: name,
		Sources: allPostTypeSources(sourceDefault)}
	t.Sources[keyPublic] = v.source
	note := func(from FactSource, keys ...string) {
		for _, k := range keys {
			t.Sources[k] = from
		}
	}
	known := d.knownAs(postTypes, name)
	t.Filtered = d.byPHP(known)
	if known.Unviewable {
		t.Viewable = false
		note(known.source, keyViewable)
	}
	if len(known.LeftOutOf) > 0 {
		t.LeftOutOf = known.LeftOutOf
		note(known.source, keyExclude)
	}
	l := d.links("post", name)
	al := d.links("post-type-archive", name)
	ar, archiveRouted := d.routes.Named(routes.Archive, name)
	if !archiveRouted && known.Archive == "=" {
		ar, archiveRouted = d.takenArchive(known)
	}

	var base, archiveBase *string
	r, routed := d.route(postTypes, name)
	if routed {
		base, t.Hierarchical, t.QueryVar = &r.Base, r.Hierarchical, r.QueryVar
		note(sourceRules, keySlug, keyWithFront, keyHierarchical, keyQueryVar)
	} else {
		switch {
		case l.query && !l.pretty && d.pretty && d.trustLinks:
			t.Rewrite, t.QueryVar = false, l.queryVar
			note(sourceIndexables, keySlug, keyQueryVar)
		case l.known:
			base = &l.base
			note(sourceIndexables, keySlug, keyWithFront)
		case known.Slug == "-":
			t.Rewrite = false
			note(known.source, keySlug)
		case d.routes.Present && !archiveRouted && !l.pretty && !al.pretty:
			t.Rewrite = false // else there were rules
			note(sourceRules, keySlug)
		}
		if l.byID() {
			t.Viewable = false
			note(sourceIndexables, keyViewable)
		}
		switch {
		case l.hierarchical || l.flat:
			t.Hierarchical = l.hierarchical
			note(sourceIndexables, keyHierarchical)
		case d.parents(name):
			t.Hierarchical = true
			note(sourcePosts, keyHierarchical)
		case known.source != "":
			t.Hierarchical = known.Tree
			note(known.source, keyHierarchical)
		}
	}

	switch {
	case archiveRouted:
		t.HasArchive, archiveBase = true, &ar.Base
		note(sourceRules, keyArchive)
	case al.rows > 0 && !(routed && d.archiveGone(name, al)):
		t.HasArchive = true
		if al.known && al.pretty {
			archiveBase = &al.base
		}
		note(sourceIndexables, keyArchive)
	case known.Archive != "" && !(d.pretty && d.routes.Present):
		d.knownArchive(t, known)
	case !d.pretty && d.titled("ptarchive-"+name): // without permalinks there are no rules to tell
		t.HasArchive = true
		note(sourceTitles, keyArchive)
	default:
		if n, _, ok := d.noted(postTypes, name); ok && slices.Contains(n.Archives, name) && !(d.pretty && d.routes.Present) {
			t.HasArchive = true
			note(n.Source, keyArchive)
		}
	}
	if !t.Rewrite {
		return t
	}
	t.Slug, t.WithFront = name, true
	switch slug, from, ok := d.knownSlug(known); {
	case base != nil:
		t.Slug, t.WithFront, t.ArchiveSlug = d.fold(*base, archiveBase)
	case archiveBase != nil:
		t.ArchiveSlug, t.WithFront, _ = d.fold(*archiveBase, nil)
		note(t.Sources[keyArchive], keyWithFront)
	case ok:
		t.Slug, t.WithFront = slug, !known.NoFront
		note(from, keySlug, keyWithFront)
	}
	if own, under := d.under(known); under {
		t.Slug, t.WithFront, _ = d.fold(own, nil)
		note(sourceRules, keySlug, keyWithFront)
	}
	if known.Filtered && t.HasArchive {
		d.knownArchive(t, known)
	}
	if t.HasArchive && t.ArchiveSlug == "" {
		t.ArchiveSlug = t.Slug
	}
	return t
}

// taxonomy is postType for taxonomies.
func (d *decider) taxonomy(name string, v verdict) *Taxonomy {
	t := &Taxonomy{Name: name, Public: v.public, Undecided: v.undecided, Rewrite: true, QueryVar: name, Sources: allTaxonomySources(sourceDefault)}
	t.Sources[keyPublic] = v.source
	note := func(from FactSource, keys ...string) {
		for _, k := range keys {
			t.Sources[k] = from
		}
	}
	known := d.knownAs(taxonomies, name)
	t.Filtered = d.byPHP(known)
	if known.Unviewable {
		t.Unqueryable = true
	}
	if len(known.Of) > 0 {
		t.ObjectTypes = slices.Clone(known.Of)
		note(known.source, keyObjectTypes)
	}
	l := d.links("term", name)
	slug := cmp.Or(dashed(name), name)
	t.WithFront = true

	if r, ok := d.route(taxonomies, name); ok {
		t.Slug, t.WithFront, _ = d.fold(r.Base, nil)
		t.QueryVar, t.RewriteHierarchical = r.QueryVar, r.Hierarchical
		note(sourceRules, keySlug, keyWithFront, keyQueryVar)
	} else {
		switch own := d.e.CustomTaxonomySlugs[name]; {
		case l.query && !l.pretty && d.pretty && d.trustLinks:
			t.Rewrite, t.WithFront, t.QueryVar = false, false, l.queryVar
			note(sourceIndexables, keySlug, keyQueryVar)
		case l.known:
			t.Slug, t.WithFront, _ = d.fold(l.base, nil)
			note(sourceIndexables, keySlug, keyWithFront)
		case own != "":
			t.Slug = own
			note(sourceTaxonomySlugs, keySlug)
		case d.routes.Present && !l.pretty:
			t.Rewrite, t.WithFront = false, false // else there were rules
			note(sourceRules, keySlug)
		default:
			t.Slug = slug
			if slug, from, ok := d.knownSlug(known); ok {
				t.Slug, t.WithFront, t.RewriteHierarchical = slug, !known.NoFront, known.Nested
				note(from, keySlug, keyWithFront)
			}
		}
		t.RewriteHierarchical = t.Rewrite && (t.RewriteHierarchical || l.hierarchical)
	}

	if own, under := d.under(known); under {
		t.Rewrite, t.RewriteHierarchical = true, false
		t.Slug, t.WithFront, _ = d.fold(own, nil)
		note(sourceRules, keySlug, keyWithFront)
	}
	t.Query = known.Query

	switch {
	case t.RewriteHierarchical:
		t.Hierarchical = true
		note(t.Sources[keySlug], keyHierarchical)
	case d.e.ChildOptions[name]:
		t.Hierarchical = true
		note(FactSource("option "+name+"_children"), keyHierarchical)
	case d.termParents(name):
		t.Hierarchical = true
		note(sourceTerms, keyHierarchical)
	case known.source != "":
		t.Hierarchical = known.Tree
		note(known.source, keyHierarchical)
	}
	return t
}

// takenArchive is the rule of a type's archive that another type has taken, as it was registered later with the same slug.
func (d *decider) takenArchive(known *knownType) (routes.Route, bool) {
	slug, _, ok := d.knownSlug(known)
	if !ok {
		return routes.Route{}, false
	}
	return d.routes.At(routes.Archive, slug)
}

// archiveGone reports whether the row that the index has of a type's archive is of before it was switched off: a type that has rules
// has one of its archive, too, unless another type has taken that.
func (d *decider) archiveGone(name string, archive links) bool {
	if _, taken := d.routes.At(routes.Archive, archive.base); taken {
		return false
	}
	return !slices.ContainsFunc(d.e.RewriteRules, func(r routes.Rule) bool {
		query := "&" + strings.TrimPrefix(r.Query, "index.php?") + "&"
		return strings.Contains(query, "&post_type="+name+"&") && !strings.Contains(query, "&name=")
	})
}

func (d *decider) parents(postType string) bool {
	return slices.ContainsFunc(d.e.PostTypes, func(r PostTypeRows) bool { return r.Name == postType && r.Parents })
}

func (d *decider) termParents(taxonomy string) bool {
	return slices.ContainsFunc(d.e.Taxonomies, func(r TaxonomyRows) bool { return r.Name == taxonomy && r.Parents })
}

// fold removes the front of the permalink structure from a base and, where there is one, from the archive's. Both
// have the same prefix: if one of them lacks the front, the other only begins like it. Without a front with_front is
// not known, and nothing depends on it.
func (d *decider) fold(base string, archive *string) (slug string, withFront bool, archiveSlug string) {
	front := cmp.Or(d.front, d.root)
	split := func(s string) (string, bool) {
		rest, ok := strings.CutPrefix(s, front)
		return rest, ok && (rest != "" || front == "")
	}
	slug, withFront = split(base)
	if archive != nil {
		var ok bool
		archiveSlug, ok = split(*archive)
		withFront = withFront && ok
	}
	if !withFront {
		slug = strings.TrimPrefix(base+"/", d.root)
		slug = strings.TrimSuffix(slug, "/")
		if archive != nil {
			archiveSlug = strings.TrimPrefix(*archive, d.root)
		}
	}
	slug = cmp.Or(slug, "/") // a type at the root of the site; core replaces an empty slug by the name
	return slug, withFront, archiveSlug
}
