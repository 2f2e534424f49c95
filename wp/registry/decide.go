package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry/routes"
)

// The keys of Sources, which are also keys of the configuration.
const (
	keyPublic       = "public"
	keyViewable     = "viewable"
	keyHierarchical = "hierarchical"
	keySlug         = "slug"
	keyWithFront    = "with_front"
	keyArchive      = "archive"
	keyQueryVar     = "query_var"
	keyObjectTypes  = "object_types"
	keyExclude      = "exclude"
	keyURL          = "url"
	keyStructure    = "structure" // not a key of the configuration
)

const (
	sourceConfiguration = FactSource("configuration")
	sourceCore          = FactSource("core")
	sourceDefault       = FactSource("default")
	sourceRules         = FactSource("option rewrite_rules")
	sourceIndexables    = FactSource("table yoast_indexable")
	sourceTitles        = FactSource("option wpseo_titles")
	sourcePosts         = FactSource("table posts")
	sourceTerms         = FactSource("table term_taxonomy")
	sourceRelationships = FactSource("table term_relationships")
)

// kind says whether a type is a post type or a taxonomy. Each kind has names of its own.
type kind uint8

const (
	postTypes kind = iota
	taxonomies
)

var kinds = []kind{postTypes, taxonomies}

// pick returns postType or taxonomy, whichever a kind is.
func pick[T any](k kind, postType, taxonomy T) T { return either(k == taxonomies, taxonomy, postType) }

func (k kind) String() string { return pick(k, "post type", "taxonomy") }

// objectTypes returns the values of object_type in index rows of this kind.
func (k kind) objectTypes() []string {
	return pick(k, []string{"post", typeArchive}, []string{"term"})
}

// shape returns the shape of rewrite rules for single objects of this kind.
func (k kind) shape() routes.Shape { return pick(k, routes.Single, routes.Term) }

// valid reports whether WordPress accepts a name of this length for a type.
func (k kind) valid(name string) bool { return name != "" && len(name) <= pick(k, 20, 32) }

// rowSource returns the table whose rows contain names of this kind.
func (k kind) rowSource() FactSource { return pick(k, sourcePosts, sourceTerms) }

// listSource returns the option in which Yoast SEO stores the public types of this kind. Yoast SEO writes it on admin
// pages.
func (k kind) listSource() FactSource {
	return pick[FactSource](k, "option wpseo[last_known_public_post_types]", "option wpseo[last_known_public_taxonomies]")
}

// allFrom returns the sources of a type whose facts all come from one source.
func (k kind) allFrom(s FactSource) Sources {
	all := Sources{keyPublic: s, keyHierarchical: s, keySlug: s, keyWithFront: s, keyQueryVar: s}
	all.note(s, pick(k, []string{keyViewable, keyArchive}, []string{keyObjectTypes})...)
	return all
}

// note sets the source of some keys.
func (s Sources) note(from FactSource, keys ...string) {
	for _, key := range keys {
		s[key] = from
	}
}

// decider holds the evidence while Decide builds the registry.
type decider struct {
	e      Evidence
	reg    *Registry
	routes *routes.Routes

	pretty     bool   // the site has a permalink structure
	front      string // the structure up to its first token, without a leading slash, such as "blog/"
	root       string // "index.php/" or ""
	trustLinks bool   // permalinks in the index are up to date

	lists    map[kind][]string // Yoast SEO's lists of public names; nil if Yoast SEO has not written one
	titles   map[kind][]string // names with a key noindex- or title- in wpseo_titles, in stored order
	rows     map[kind]map[string]Rows
	indexed  map[indexKey][]int             // indexes in e.Yoast.Indexables
	attached map[string][]string            // post types whose definitions name a taxonomy, by taxonomy
	known    map[kind]map[string]*knownType // types of active plugins, by the table of known plugins
}

// Decide decides by the evidence which types are registered. Some types are clear: the types of WordPress and of
// WooCommerce, and types whose definition a plugin has stored. Any other type is judged by the first source that knows
// it, see judge.
//
// The address of a type comes from the rewrite rules. Without a rule it comes from Yoast SEO's index, then from the
// defaults of the register functions. Types about which something stays open are in Unknown. Such a type is not
// registered, or is registered as not public.
func Decide(e Evidence) *Registry {
	d := newDecider(e)
	d.core()
	d.wooCommerce()
	d.definitions()
	d.others()
	d.asBefore()
	d.override()
	d.withhold()
	d.objectTypes()
	d.structures()
	d.order()
	d.authors()
	d.count()
	return d.reg
}

// count records which types are in use.
func (d *decider) count() {
	d.reg.used = map[*Type]bool{}
	for _, k := range kinds {
		for _, t := range d.reg.of(k) {
			d.reg.used[t] = d.rows[k][t.Name].Used > 0
		}
	}
}

// Used reports whether a type has published posts or terms in use.
func (r *Registry) Used(t *Type) bool { return r.used[t] }

func newDecider(e Evidence) *decider {
	d := &decider{
		e: e, reg: &Registry{}, routes: routes.Read(e.RewriteRules),
		pretty:     e.PermalinkStructure != "",
		trustLinks: !e.Yoast.Stale && !multilingual(e.Plugins.Active),
		lists:      map[kind][]string{postTypes: e.Yoast.PostTypes, taxonomies: e.Yoast.Taxonomies},
		titles:     readTitles(e.Yoast.Titles),
		rows:       map[kind]map[string]Rows{postTypes: {}, taxonomies: {}},
		indexed:    map[indexKey][]int{},
		attached:   map[string][]string{},
	}
	d.readKnown()
	if b := e.Before; b != nil && (!d.emptied() || b.Structure != e.PermalinkStructure) {
		d.e.Before = nil
	}
	for i, ix := range e.Yoast.Indexables {
		key := indexKey{ix.ObjectType, ix.SubType}
		d.indexed[key] = append(d.indexed[key], i)
	}
	if i := strings.IndexByte(e.PermalinkStructure, '%'); i > 0 {
		d.front = strings.TrimLeft(e.PermalinkStructure[:i], "/")
	}
	if strings.HasPrefix(strings.TrimLeft(e.PermalinkStructure, "/"), "index.php") {
		d.root = "index.php/"
	}
	for _, k := range kinds {
		for _, r := range pick(k, e.PostTypes, e.Taxonomies) {
			d.rows[k][r.Name] = r
		}
	}
	return d
}

// multilingual reports whether a plugin is active that writes languages into the links of the index. Bases cannot be
// read from such links.
func multilingual(active map[string]bool) bool {
	return active["polylang/polylang.php"] || active["polylang-pro/polylang.php"] ||
		active["sitepress-multilingual-cms/sitepress.php"]
}

// readTitles returns the names for which wpseo_titles has a key that begins with noindex- or title-.
func readTitles(titles php.Value) map[kind][]string {
	names := map[kind][]string{}
	for _, p := range titles.Pairs() {
		what, name, ok := strings.Cut(p.Key.String(), "-")
		if !ok || what != "noindex" && what != "title" || strings.HasSuffix(name, "-wpseo") || strings.HasPrefix(name, "ptarchive-") {
			continue
		}
		k := postTypes
		if tax, ok := strings.CutPrefix(name, "tax-"); ok {
			k, name = taxonomies, tax
		}
		if !slices.Contains(names[k], name) {
			names[k] = append(names[k], name)
		}
	}
	return names
}

// titled reports whether wpseo_titles has the key that consists of noindex- and a name.
func (d *decider) titled(name string) bool {
	_, ok := d.e.Yoast.Titles.Lookup("noindex-" + name)
	return ok
}

// add registers t. If a type of that name is registered already, t replaces it, unless it is WordPress' own.
func (d *decider) add(k kind, t *Type) {
	t.Taxonomy = k == taxonomies
	if old := named(d.reg.of(k), t.Name); old == nil {
		list := pick(k, &d.reg.PostTypes, &d.reg.Taxonomies)
		*list = append(*list, t)
	} else if !old.BuiltIn {
		*old = *t
	}
}

func (r *Registry) of(k kind) []*Type { return pick(k, r.PostTypes, r.Taxonomies) }

func (d *decider) registered(k kind, name string) bool { return named(d.reg.of(k), name) != nil }

// others registers the types that no definition covers.
func (d *decider) others() {
	for _, k := range kinds {
		for _, name := range d.candidates(k) {
			configured := slices.Contains(d.configured(k), name)
			if d.registered(k, name) || neverPublic[k][name] && !configured && !d.table(k, name) {
				continue
			}
			if v := d.verdict(k, name, configured); v.registered {
				v.undecided = v.doubt == open && d.matters(k, name)
				d.add(k, d.build(k, name, v))
			}
		}
	}
	d.onlyRouted()
}

// verdict decides about a type that no definition covers, and reports what stays open. configured is whether the configuration
// names the type.
func (d *decider) verdict(k kind, name string, configured bool) verdict {
	v := d.disagreement(k, name, d.judge(k, name))
	if left := d.wooLeft(k, name); left != none {
		v = verdict{doubt: left}
	}
	inUse := d.rows[k][name].Used > 0
	switch {
	case configured && (!v.registered || v.doubt != none): // the operator says that the type exists
		v = verdict{registered: true, public: true, source: sourceConfiguration}
	case v.doubt != none && inUse && !isInternal(k, name):
		d.report(k, name, v.doubt)
	}
	if v.doubt == open && !d.routes.Present && d.matters(k, name) && inUse { // there are no rules that could name the type
		v.registered, v.source = true, k.rowSource()
	}
	return v
}

// onlyRouted registers the types that only rewrite rules name. They are not known to be public.
func (d *decider) onlyRouted() {
	for _, r := range d.routes.All {
		k, name := either(r.Shape == routes.Term, taxonomies, postTypes), r.Key()
		if d.registered(k, name) || neverPublic[k][name] || d.wooLeft(k, name) != none || d.claimed(k, r) ||
			r.Shape == routes.Term && !d.routes.Generated(r.Regex) {
			continue
		}
		d.add(k, d.build(k, name, verdict{registered: true, source: sourceRules, undecided: !d.wouldBeKnown(k) && d.matters(k, name)}))
	}
}

// report adds to Unknown what is open about a type.
func (d *decider) report(k kind, name string, what doubt) {
	rows := d.rows[k][name]
	u := Unknown{Kind: k.String(), Name: name, Rows: rows.Used, Why: d.sentence(k, name, what), ObjectTypes: rows.ObjectTypes}
	if d.emptied() {
		u.Slug = d.build(k, name, verdict{registered: true, public: true, source: k.rowSource()}).Slug
	}
	if u.ByPHP = d.byPHP(d.knownAs(k, name)) || rows.Orphans; u.ByPHP {
		u.Why = fmt.Sprintf("%s `%s` has URLs that its plugin makes in PHP, so that its sitemap is left to the site", k, name)
	}
	d.reg.Unknown = append(d.reg.Unknown, u)
}

// matters reports whether a type would have a sitemap if it were public, as far as its name and rows show. A taxonomy
// needs a term in use.
func (d *decider) matters(k kind, name string) bool {
	return !isInternal(k, name) && (k == postTypes || d.rows[k][name].Used > 0)
}

// wouldBeKnown reports whether Yoast SEO's list or its complete index would name every public type.
func (d *decider) wouldBeKnown(k kind) bool {
	return len(d.lists[k]) > 0 || len(d.e.Yoast.Indexables) > 0 && !d.e.Yoast.Partial
}

// candidates returns the names of one kind that any source except the rewrite rules contains.
func (d *decider) candidates(k kind) []string {
	names := d.recorded(k)
	for _, ix := range d.e.Yoast.Indexables {
		if slices.Contains(k.objectTypes(), ix.ObjectType) {
			names = append(names, ix.SubType)
		}
	}
	return unique(slices.Concat(names, slices.Sorted(maps.Keys(d.rows[k])), d.configured(k)))
}

// noted returns the plugin that names a type as public, and where the plugin names it. ok is false if no plugin names
// the type. Noted.Seen does not tell the kind of a name. If a post type and a taxonomy share the name, the name in Seen
// means the post type.
func (d *decider) noted(k kind, name string) (by Noted, source FactSource, ok bool) {
	for _, n := range d.e.Plugins.Noted {
		switch {
		case slices.Contains(n.names(k), name):
			return n, n.Source, true
		case slices.Contains(n.Seen, name) && !isInternal(k, name) && (k == postTypes || d.rows[postTypes][name].Used == 0):
			return n, n.SeenIn, true
		}
	}
	return Noted{}, "", false
}

func (n Noted) whole(k kind) bool { return pick(k, n.WholeTypes, n.WholeTaxonomies) }

func (n Noted) names(k kind) []string { return pick(k, n.PostTypes, n.Taxonomies) }

// emptied reports whether the site should have rewrite rules but has none.
func (d *decider) emptied() bool { return d.pretty && !d.routes.Present }

// withhold applies while the rewrite rules are empty. It makes a type not public if nothing but the rules can tell the
// addresses of the type.
func (d *decider) withhold() {
	if !d.emptied() {
		return
	}
	for _, k := range kinds {
		for _, t := range d.reg.of(k) {
			if t.Public && t.Sources[keySlug] == sourceDefault && t.Sources[keyURL] == "" && !defined(t.Sources) {
				t.Public, t.Undecided = false, d.matters(k, t.Name)
				if d.rows[k][t.Name].Used > 0 {
					d.report(k, t.Name, unaddressed)
				}
			}
		}
	}
}

// linkForms reports which forms the stored links of a type have in the index: paths, query strings, or both.
func (d *decider) linkForms(k kind, name string) (pretty, query bool) {
	for _, objectType := range k.objectTypes() {
		l := d.links(objectType, name)
		pretty, query = pretty || l.pretty, query || l.query
	}
	return pretty, query
}

// routed reports whether a rewrite rule is for a type. A rule is for the type if it contains the type's name. A rule with a query
// variable of another name is for the type if it stands at an address that the type is known to have.
func (d *decider) routed(k kind, name string) bool {
	if d.routes.Mentions[name] {
		return true
	}
	_, ok := d.route(k, name)
	return ok
}

// route returns the rule for single posts or terms of a type.
func (d *decider) route(k kind, name string) (routes.Route, bool) {
	s := k.shape()
	if r, ok := d.routes.Named(s, name); ok {
		return r, true
	}
	// The query variable may have another name: try the addresses that the type is known to have.
	var bases []string
	if l := d.links(k.objectTypes()[0], name); l.known {
		bases = append(bases, l.base)
	}
	if r, ok := d.routes.Named(routes.Archive, name); ok && k == postTypes {
		bases = append(bases, r.Base)
	}
	bases = append(bases, d.front+name, d.root+name)
	for _, base := range bases {
		if r, ok := d.routes.At(s, base); ok && r.Name == "" && !d.taken(k, r.QueryVar) {
			return r, true
		}
	}
	return routes.Route{}, false
}

// taken reports whether a query variable is the name of another type, by any source of names.
func (d *decider) taken(k kind, queryVar string) bool {
	if d.registered(k, queryVar) || slices.Contains(d.lists[k], queryVar) || slices.Contains(d.titles[k], queryVar) || d.indexRows(k, queryVar) > 0 {
		return true
	}
	_, ok := d.rows[k][queryVar]
	return ok
}

// claimed reports whether a registered type has the query variable of a rule.
func (d *decider) claimed(k kind, r routes.Route) bool {
	return r.QueryVar != "" && slices.ContainsFunc(d.reg.of(k), func(t *Type) bool { return t.QueryVar == r.QueryVar })
}
