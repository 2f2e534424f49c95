package registry

import (
	"cmp"
	"slices"
	"strings"

	"wpsitemapd/wp/registry/routes"
)

// build makes a type that no definition covers: its address and archive from the rewrite rules, without one from the index, else
// from the table of known plugins, else the defaults of the register functions.
func (d *decider) build(k kind, name string, v verdict) *Type {
	t := &Type{Name: name, Public: v.public, Undecided: v.undecided, Rewrite: true, QueryVar: name, Sources: k.allFrom(sourceDefault)}
	t.Sources[keyPublic] = v.source
	known, l := d.knownAs(k, name), d.links(k.objectTypes()[0], name)
	route, routed := d.route(k, name)
	t.Filtered, t.Query = d.byPHP(known), known.Query
	t.Unqueryable = k == taxonomies && known.Unviewable
	if len(known.Of) > 0 {
		t.ObjectTypes = slices.Clone(known.Of)
		t.Sources.note(known.source, keyObjectTypes)
	}
	var archiveBase *string
	var archiveShown bool
	if k == postTypes {
		d.visible(t, known, !routed && l.byID())
		archiveBase, archiveShown = d.archive(t, known, routed)
	}

	// Where the address is known from.
	var base *string
	nested := false // ancestors' slugs are part of the link
	switch {
	case routed:
		base, t.QueryVar, nested = &route.Base, route.QueryVar, route.Hierarchical
		t.Sources.note(sourceRules, keySlug, keyWithFront, keyQueryVar)
	case l.query && !l.pretty && d.pretty && d.routes.Present && d.trustLinks: // without rules WordPress has stored such of any type
		t.Rewrite, t.QueryVar = false, l.queryVar
		t.Sources.note(sourceIndexables, keySlug, keyQueryVar)
	case known.Slug == "-":
		t.Rewrite = false
		t.Sources.note(known.source, keySlug)
	case d.routes.Present && !l.pretty && !archiveShown:
		t.Rewrite = false // else there were rules
		t.Sources.note(sourceRules, keySlug)
	}

	// The address.
	slug, from, ok := d.knownSlug(known)
	switch {
	case !t.Rewrite:
	case base != nil:
		t.Slug, t.WithFront, t.ArchiveSlug = d.fold(*base, archiveBase)
	case archiveBase != nil:
		t.Slug = name
		t.ArchiveSlug, t.WithFront, _ = d.fold(*archiveBase, nil)
		t.Sources.note(t.Sources[keyArchive], keyWithFront)
	case ok:
		t.Slug, t.WithFront, nested = slug, !known.NoFront, known.Nested
		t.Sources.note(from, keySlug, keyWithFront)
	default:
		t.Slug, t.WithFront = pick(k, name, cmp.Or(dashed(name), name)), true
	}
	if t.Rewrite && t.HasArchive {
		if known.Filtered {
			d.knownArchive(t, known)
		}
		t.ArchiveSlug = cmp.Or(t.ArchiveSlug, t.Slug)
	}
	t.RewriteHierarchical = k == taxonomies && t.Rewrite && nested

	// Whether its objects form a tree.
	switch {
	case k == postTypes && routed:
		t.Hierarchical = nested
		t.Sources.note(sourceRules, keyHierarchical)
	case k == postTypes && (l.hierarchical || l.flat):
		t.Hierarchical = l.hierarchical
		t.Sources.note(sourceIndexables, keyHierarchical)
	case t.RewriteHierarchical:
		t.Hierarchical = true
		t.Sources.note(t.Sources[keySlug], keyHierarchical)
	case d.rows[k][name].Parents:
		t.Hierarchical = true
		t.Sources.note(k.rowSource(), keyHierarchical)
	case known.source != "":
		t.Hierarchical = known.Tree
		t.Sources.note(known.source, keyHierarchical)
	}
	return t
}

// visible decides whether visitors may see a post type, and out of whose sitemaps its plugin takes it.
func (d *decider) visible(t *PostType, known *knownType, byID bool) {
	t.Viewable = t.Public && !known.Unviewable && !byID
	if known.Unviewable {
		t.Sources.note(known.source, keyViewable)
	}
	if byID {
		t.Sources.note(sourceIndexables, keyViewable)
	}
	if t.LeftOutOf = known.LeftOutOf; len(t.LeftOutOf) > 0 {
		t.Sources.note(known.source, keyExclude)
	}
}

// archive gives a post type its archive; routed says that there are rules of its posts. It returns the archive's base, where
// that is known, and whether a rule or a path shows an archive.
func (d *decider) archive(t *PostType, known *knownType, routed bool) (base *string, shown bool) {
	l := d.links("post-type-archive", t.Name)
	r, ruled := d.routes.Named(routes.Archive, t.Name)
	if slug, _, ok := d.knownSlug(known); !ruled && known.Archive == "=" && ok {
		r, ruled = d.routes.At(routes.Archive, slug) // another type has taken it, as it was registered later with the same slug
	}
	told := d.pretty && d.routes.Present // without permalinks there are no rules to tell
	noted, _, ok := d.noted(postTypes, t.Name)
	t.HasArchive = true
	switch {
	case ruled:
		base = &r.Base
		t.Sources.note(sourceRules, keyArchive)
	case l.rows > 0 && !(routed && d.archiveGone(t.Name, l)):
		if l.known && l.pretty {
			base = &l.base
		}
		t.Sources.note(sourceIndexables, keyArchive)
	case known.Archive != "" && !told:
		t.HasArchive = false
		d.knownArchive(t, known)
	case !d.pretty && d.titled("ptarchive-"+t.Name):
		t.Sources.note(sourceTitles, keyArchive)
	case ok && slices.Contains(noted.Archives, t.Name) && !told:
		t.Sources.note(noted.Source, keyArchive)
	default:
		t.HasArchive = false
	}
	return base, ruled || l.pretty
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
