package registry

import (
	"cmp"
	"slices"
	"strings"

	"wpsitemapd/wp/registry/routes"
)

// build returns a type that no definition covers. Its address and archive come from the rewrite rules. Without a rule
// they come from Yoast SEO's index, then from the table of known plugins, then from the defaults of the register
// functions.
func (d *decider) build(k kind, name string, v verdict) *Type {
	t := &Type{Name: name, Public: v.public, Undecided: v.undecided, Rewrite: true, QueryVar: name, Sources: k.allFrom(sourceDefault)}
	t.Sources[keyPublic] = v.source
	known, l := d.knownAs(k, name), d.linksOf(k.objectTypes()[0], name)
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

	// The source of the address.
	var base *string
	nested := false // links contain the slugs of ancestors
	switch {
	case routed:
		base, t.QueryVar, nested = &route.Base, route.QueryVar, route.Hierarchical
		t.Sources.note(sourceRules, keySlug, keyWithFront, keyQueryVar)
	// without rules, WordPress has stored such links for every type
	case l.query && !l.pretty && d.pretty && d.routes.Present && d.trustLinks:
		t.Rewrite, t.QueryVar = false, l.queryVar
		t.Sources.note(sourceIndexables, keySlug, keyQueryVar)
	case known.Slug == "-":
		t.Rewrite = false
		t.Sources.note(known.source, keySlug)
	case d.routes.Present && !l.pretty && !archiveShown:
		t.Rewrite = false // with rewriting, there would be a rule
		t.Sources.note(sourceRules, keySlug)
	}

	// The address itself.
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
	d.tree(t, k, known, &l, routed, nested)
	return t
}

// tree decides whether the objects of a type form a tree. routed is whether the type has a rewrite rule, and nested whether
// its links contain the slugs of ancestors.
func (d *decider) tree(t *Type, k kind, known *knownType, l *storedLinks, routed, nested bool) {
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
	case d.rows[k][t.Name].Parents:
		t.Hierarchical = true
		t.Sources.note(k.rowSource(), keyHierarchical)
	case known.source != "":
		t.Hierarchical = known.Tree
		t.Sources.note(known.source, keyHierarchical)
	}
}

// visible decides whether visitors can see a post type. byID means that the stored links show that visitors cannot, see
// storedLinks.byID. visible also records which SEO plugins leave the type out of their sitemaps.
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

// archive decides whether a post type has an archive. routed is whether the posts of the type have rewrite rules.
// archive returns the base of the archive, or nil if the base is not known. shown reports whether a rule or a path
// shows an archive.
func (d *decider) archive(t *PostType, known *knownType, routed bool) (base *string, shown bool) {
	l := d.linksOf(typeArchive, t.Name)
	r, ruled := d.routes.Named(routes.Archive, t.Name)
	if slug, _, ok := d.knownSlug(known); !ruled && known.Archive == "=" && ok {
		r, ruled = d.routes.At(routes.Archive, slug) // a type with the same slug that is registered later takes the rule
	}
	told := d.pretty && d.routes.Present // without permalinks, there are no rules
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

// archiveGone reports whether a type had an archive when Yoast SEO stored its index row, and has none now. If a type
// has rewrite rules, one of them is for its archive, unless another type has taken that rule.
func (d *decider) archiveGone(name string, archive storedLinks) bool {
	if _, taken := d.routes.At(routes.Archive, archive.base); taken {
		return false
	}
	return !slices.ContainsFunc(d.e.RewriteRules, func(r routes.Rule) bool {
		query := "&" + strings.TrimPrefix(r.Query, "index.php?") + "&"
		return strings.Contains(query, "&post_type="+name+"&") && !strings.Contains(query, "&name=")
	})
}

// fold removes the front of the permalink structure from a base and, if archive is not nil, from the base of the
// archive. If only one of the two begins with the front, this is by chance, and fold removes it from neither. withFront
// reports whether the front was removed.
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
	slug = cmp.Or(slug, "/") // a type at the root of the site; WordPress replaces an empty slug by the name
	return slug, withFront, archiveSlug
}
