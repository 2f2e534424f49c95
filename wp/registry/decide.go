package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry/routes"
)

// The keys of Sources: those of the configuration.
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
	keyStructure    = "structure" // no key of the configuration
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

// kind is post types or taxonomies, which have names of their own.
type kind uint8

const (
	postTypes kind = iota
	taxonomies
)

var kinds = []kind{postTypes, taxonomies}

// pick returns what is meant for a kind.
func pick[T any](k kind, postType, taxonomy T) T { return either(k == taxonomies, taxonomy, postType) }

func (k kind) String() string { return pick(k, "post type", "taxonomy") }

// objectTypes are the object_type values of the index rows that carry a name of this kind.
func (k kind) objectTypes() []string {
	return pick(k, []string{"post", "post-type-archive"}, []string{"term"})
}

// shape is what the rules of this kind route to: a single post or a term.
func (k kind) shape() routes.Shape { return pick(k, routes.Single, routes.Term) }

// valid reports whether core registers a type of that name, which it refuses for longer ones.
func (k kind) valid(name string) bool { return name != "" && len(name) <= pick(k, 20, 32) }

// rowSource is the table whose rows have names of this kind.
func (k kind) rowSource() FactSource { return pick(k, sourcePosts, sourceTerms) }

// listSource is the list of public names that Yoast writes on admin pages.
func (k kind) listSource() FactSource {
	return pick[FactSource](k, "option wpseo[last_known_public_post_types]", "option wpseo[last_known_public_taxonomies]")
}

// allFrom returns the sources of a type of which all is known from one.
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

// decider holds the evidence while the registry grows.
type decider struct {
	e      Evidence
	reg    *Registry
	routes *routes.Routes

	pretty     bool   // the site has a permalink structure
	front      string // structure up to its first token, without leading slash: "blog/"
	root       string // "index.php/" or empty
	trustLinks bool   // permalinks in the index are up to date

	lists    map[kind][]string // Yoast's lists of public names; empty when they were never written
	titles   map[kind][]string // names with a key noindex- or title- in wpseo_titles, in stored order
	rows     map[kind]map[string]Rows
	indexed  map[indexKey][]int // into e.Indexables
	attached []attachment
	known    map[kind]map[string]*knownType // of active plugins
}

// attachment is a taxonomy that a post type's definition names.
type attachment struct{ taxonomy, postType string }

// Decide decides by the evidence which types are registered. A type that is neither WordPress' own, nor WooCommerce's,
// nor defined by a plugin that stores its definitions, is judged by the first source that knows it, see judge. The
// address of a type comes from the rewrite rules. Without a rule it comes from the index of Yoast SEO, and else from
// the defaults of the register functions. What stays open is in Unknown: it is not registered, or it is registered as
// not public.
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

// count notes which types are in use.
func (d *decider) count() {
	d.reg.used = map[*Type]bool{}
	for _, k := range kinds {
		for _, t := range d.reg.of(k) {
			d.reg.used[t] = d.rows[k][t.Name].Used > 0
		}
	}
}

// Used reports whether there are published posts of a type, or terms in use.
func (r *Registry) Used(t *Type) bool { return r.used[t] }

func newDecider(e Evidence) *decider {
	d := &decider{
		e: e, reg: &Registry{}, routes: routes.Read(e.RewriteRules),
		pretty:     e.PermalinkStructure != "",
		trustLinks: !e.IndexableStale && !e.DynamicPermalinks && !multilingual(e.ActivePlugins),
		lists:      map[kind][]string{postTypes: e.LastKnownPostTypes, taxonomies: e.LastKnownTaxonomies},
		titles:     readTitles(e.Titles),
		rows:       map[kind]map[string]Rows{postTypes: {}, taxonomies: {}},
		indexed:    map[indexKey][]int{},
	}
	d.readKnown()
	if b := e.Before; b != nil && (!d.emptied() || b.Structure != e.PermalinkStructure) {
		d.e.Before = nil
	}
	for i, ix := range e.Indexables {
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

// multilingual reports whether a plugin is active that writes languages into the links of
// the index: bases cannot be read from those.
func multilingual(active map[string]bool) bool {
	return active["polylang/polylang.php"] || active["polylang-pro/polylang.php"] ||
		active["sitepress-multilingual-cms/sitepress.php"]
}

// readTitles lists the names for which wpseo_titles holds a key noindex- or title-.
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

// titled reports whether wpseo_titles has a key noindex- of a name.
func (d *decider) titled(name string) bool {
	_, ok := d.e.Titles.Lookup("noindex-" + name)
	return ok
}

// add registers t; a registered type of that name takes its arguments, unless it is core's.
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

// others registers what no definition covers.
func (d *decider) others() {
	for _, k := range kinds {
		for _, name := range d.candidates(k) {
			configured := slices.Contains(d.configured(k), name)
			if d.registered(k, name) || neverPublic[k][name] && !configured && !d.table(k, name) {
				continue
			}
			v := d.disagreement(k, name, d.judge(k, name))
			if left := d.wooLeft(k, name); left != none {
				v = verdict{doubt: left}
			}
			switch {
			case configured && (!v.registered || v.doubt != none): // the operator says that it is there
				v = verdict{registered: true, public: true, source: sourceConfiguration}
			case v.doubt != none && d.rows[k][name].Used > 0 && !isInternal(k, name):
				d.report(k, name, v.doubt)
			}
			if v.doubt == open && !d.routes.Present && d.matters(k, name) && d.rows[k][name].Used > 0 { // there are no rules that would name it
				v.registered, v.source = true, k.rowSource()
			}
			if v.registered {
				v.undecided = v.doubt == open && d.matters(k, name)
				d.add(k, d.build(k, name, v))
			}
		}
	}
	// Last the names that only rewrite rules know: registered, and not known to be public.
	for _, r := range d.routes.All {
		k, name := either(r.Shape == routes.Term, taxonomies, postTypes), r.Key()
		if d.registered(k, name) || neverPublic[k][name] || d.wooLeft(k, name) != none || d.claimed(k, r) ||
			r.Shape == routes.Term && !d.routes.Generated(r.Regex) {
			continue
		}
		d.add(k, d.build(k, name, verdict{registered: true, source: sourceRules, undecided: !d.wouldBeKnown(k) && d.matters(k, name)}))
	}
}

// report tells the operator what is open about a name.
func (d *decider) report(k kind, name string, what doubt) {
	rows := d.rows[k][name]
	u := Unknown{Kind: k.String(), Name: name, Rows: rows.Used, NoSlug: d.emptied(), Why: d.sentence(k, name, what), ObjectTypes: rows.ObjectTypes}
	if u.ByPHP = d.byPHP(d.knownAs(k, name)) || rows.Orphans; u.ByPHP {
		u.Why = fmt.Sprintf("%s `%s` has URLs that its plugin makes in PHP, so that its sitemap is left to the site", k, name)
	}
	d.reg.Unknown = append(d.reg.Unknown, u)
}

// matters reports whether a type would have a sitemap if it were public, as far as its name and its rows show: a
// taxonomy without a term in use has none.
func (d *decider) matters(k kind, name string) bool {
	return !isInternal(k, name) && (k == postTypes || d.rows[k][name].Used > 0)
}

// wouldBeKnown reports whether there is something that names every public type: Yoast's list, or its complete index.
func (d *decider) wouldBeKnown(k kind) bool {
	return len(d.lists[k]) > 0 || len(d.e.Indexables) > 0 && !d.e.IndexablesPartial
}

// candidates are the names of one kind that anything but a rewrite rule names.
func (d *decider) candidates(k kind) []string {
	names := d.recorded(k)
	for _, ix := range d.e.Indexables {
		if slices.Contains(k.objectTypes(), ix.ObjectType) {
			names = append(names, ix.SubType)
		}
	}
	return unique(slices.Concat(names, slices.Sorted(maps.Keys(d.rows[k])), d.configured(k)))
}

// noted returns who names a type as public, if anybody does. Of a name that both kinds have the post type was seen.
func (d *decider) noted(k kind, name string) (by Noted, source FactSource, ok bool) {
	for _, n := range d.e.Noted {
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

// emptied reports whether there should be rewrite rules and are none.
func (d *decider) emptied() bool { return d.pretty && !d.routes.Present }

// withhold keeps back types of which nothing but the rewrite rules would tell the addresses, while these are emptied.
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

// linkForms reports whether the index holds paths and query strings for a type.
func (d *decider) linkForms(k kind, name string) (pretty, query bool) {
	for _, objectType := range k.objectTypes() {
		l := d.links(objectType, name)
		pretty, query = pretty || l.pretty, query || l.query
	}
	return pretty, query
}

// routed reports whether a rewrite rule knows the type: by its name, or by its address where
// it has a query variable of another name.
func (d *decider) routed(k kind, name string) bool {
	if d.routes.Mentions[name] {
		return true
	}
	_, ok := d.route(k, name)
	return ok
}

// route finds the rule of a type's single posts or terms.
func (d *decider) route(k kind, name string) (routes.Route, bool) {
	s := k.shape()
	if r, ok := d.routes.Named(s, name); ok {
		return r, true
	}
	// A query variable of another name: try the addresses the type is known to have.
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

// taken reports whether a query variable is the name of another type that exists somewhere.
func (d *decider) taken(k kind, queryVar string) bool {
	if d.registered(k, queryVar) || slices.Contains(d.lists[k], queryVar) || slices.Contains(d.titles[k], queryVar) || d.indexRows(k, queryVar) > 0 {
		return true
	}
	_, ok := d.rows[k][queryVar]
	return ok
}

// claimed reports whether the query variable of a rule belongs to a registered type.
func (d *decider) claimed(k kind, r routes.Route) bool {
	return r.QueryVar != "" && slices.ContainsFunc(d.reg.of(k), func(t *Type) bool { return t.QueryVar == r.QueryVar })
}
