package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/registry/routes"
)

// decider holds the evidence while Decide builds the registry.
type decider struct {
	e      Evidence
	reg    *Registry
	routes *routes.Routes // what the rewrite rules show

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
// it, see judge. Its address is from the first source that shows one, see build.
//
// Types about which something stays open are in Unknown. Such a type is not registered, or is registered as not public.
func Decide(e Evidence) *Registry {
	d := newDecider(e)
	// Types are registered in the order in which WordPress does it, because most plugins skip a name that is taken.
	d.core()
	d.wooCommerce()
	d.definitions()
	d.others() // what none of the above has registered
	// Then facts about the registered types are replaced.
	d.asBefore()
	d.override() // after all sources, because the operator's word counts more
	d.withhold() // after override, because an address in the configuration is known
	// Then come relations between types. They need all types, with the facts that count.
	d.objectTypes()
	d.structures() // after objectTypes: the address of a term begins with the slug of its first post type
	d.order()
	d.authors()
	d.countUsed()
	return d.reg
}

// countUsed records which types are in use.
func (d *decider) countUsed() {
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

// add registers t. If a type of that name is registered already, t replaces it, unless it is WordPress' own. Callers
// that must not replace a type ask registered first.
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
			if d.registered(k, name) || neverPublic[k][name] && !d.hasOverride(k, name) && !d.table(k, name) {
				continue
			}
			if v := d.verdict(k, name); v.registered {
				v.undecided = v.doubt == open && d.matters(k, name)
				d.add(k, d.build(k, name, v))
			}
		}
	}
	d.onlyRouted()
}

// verdict decides about a type that no definition covers, and reports what stays open. Each step may overrule those
// before.
func (d *decider) verdict(k kind, name string) verdict {
	v := d.disagreement(k, name, d.judge(k, name))
	if left := d.wooLeft(k, name); left != none { // surer than other traces, because only WooCommerce registers its types
		v = verdict{doubt: left}
	}
	if d.hasOverride(k, name) && (!v.registered || v.doubt != none) { // the operator says that the type exists
		return public(sourceConfiguration)
	}
	inUse := d.rows[k][name].Used > 0
	if v.doubt != none && inUse && !isInternal(k, name) {
		d.report(k, name, v.doubt)
	}
	// While there are no rewrite rules, no rule can name the type. It is registered, so that its sitemap counts as
	// undecided and not as missing.
	if v.doubt == open && !d.routes.Present && d.matters(k, name) && inUse {
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
		u.Why = fmt.Sprintf("%s `%s` has URLs that its plugin makes in PHP, so wpsitemapd leaves its sitemap to the site", k, name)
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

// emptied reports whether the site should have rewrite rules but has none.
func (d *decider) emptied() bool { return d.pretty && !d.routes.Present }

// withhold makes a type not public if only rewrite rules could tell its addresses and the site has none. It does nothing if the
// site has rules.
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
