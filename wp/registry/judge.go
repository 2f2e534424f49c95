package registry

import (
	"fmt"
	"slices"
)

// doubt is what is open about a type.
type doubt uint8

const (
	none        doubt = iota
	gone              // the type was public, and no rewrite rule knows it
	open              // nothing tells whether the type is public
	unaddressed       // nothing tells the type's addresses while there are no rewrite rules
	noAttribute       // the name is that of an attribute of WooCommerce, which has none of this name
	wooInactive       // the type is WooCommerce's, which is not active
)

// text is what is open, between what there is of the type and what the operator can write.
func (o doubt) text() string {
	switch o {
	case gone:
		return " and was public, but no rewrite rule knows it: its plugin is probably gone; if it is not, add "
	case open:
		return ", but nothing tells whether it is public: add "
	case unaddressed:
		return ", but nothing tells the addresses while option rewrite_rules is empty: let WordPress answer a request, or add a slug below "
	case noAttribute:
		return " and is none of WooCommerce's attributes: if another plugin registers it, add "
	case wooInactive:
		return " and is WooCommerce's, which is not active: if another plugin registers it, add "
	}
	return ""
}

// sentence says to the operator what is open about a type, and what to write.
func (d *decider) sentence(k kind, name string, is doubt) string {
	n := d.rows[k][name].Used
	what := pick(k, "published post", "term") + either(n == 1, "", "s") + pick(k, "", " in use")
	key := name
	if sanitizeKey(name) != name { // TOML wants other names quoted
		key = fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%s `%s` has %d %s%s[site.%s.%s] to the configuration", k, name, n, what, is.text(), pick(k, "post_type", "taxonomy"), key)
}

// verdict is what the evidence says of a name.
type verdict struct {
	registered bool
	public     bool
	source     FactSource
	doubt      doubt
	undecided  bool // registered, and no source says whether it is public
}

// public is the verdict on a type that a source says is public.
func public(source FactSource) verdict {
	return verdict{registered: true, public: true, source: source}
}

// candidate is a name that is judged, with what several sources ask about it.
type candidate struct {
	kind          kind
	name          string
	known         *knownType // by the table of known plugins; empty if it does not have the name
	routed        bool       // a rewrite rule knows the name
	pretty, query bool       // the index holds paths, and query strings, of the type
	titled        bool       // wpseo_titles has the name
	noted         bool       // an active plugin names the type as public …
	notedBy       FactSource // … here
}

// hidden is the verdict on a type that a source says is not public. A type that no rewrite rule knows is not registered.
func (c *candidate) hidden(source FactSource) verdict {
	return verdict{registered: c.routed, source: source}
}

// unruled reports whether there are rewrite rules, and none of the type.
func (d *decider) unruled(c *candidate) bool { return d.pretty && d.routes.Present && !c.routed }

// judge decides whether a type is registered and public. The first source that says something decides.
func (d *decider) judge(k kind, name string) verdict {
	c := &candidate{kind: k, name: name, known: d.knownAs(k, name), routed: d.routed(k, name), titled: slices.Contains(d.titles[k], name)}
	c.pretty, c.query = d.linkForms(k, name)
	_, c.notedBy, c.noted = d.noted(k, name)
	for _, source := range []func(*candidate) (verdict, bool){
		d.bySwitch, d.byPlugin, d.byList, d.byIndex, d.byTitles, d.byWholeLists,
	} {
		if v, says := source(c); says {
			return v
		}
	}
	return d.byTable(c)
}

// bySwitch decides if an option of its plugin switches the type off.
func (d *decider) bySwitch(c *candidate) (verdict, bool) {
	return c.hidden(c.known.source), d.switchedOff(c.known)
}

// byPlugin decides if the settings of an active plugin name the type.
func (d *decider) byPlugin(c *candidate) (verdict, bool) {
	switch {
	case !c.noted:
	case d.byPHP(c.known):
		return verdict{registered: true, source: c.notedBy, doubt: open}, true
	case !d.unruled(c) || c.known.Slug == "-": // which no rule would name
		return public(c.notedBy), true
	}
	return verdict{}, false
}

// byList decides if Yoast SEO has written its list of public names.
func (d *decider) byList(c *candidate) (verdict, bool) {
	list := d.lists[c.kind]
	switch {
	case len(list) == 0:
		return verdict{}, false
	case !slices.Contains(list, c.name):
		return c.hidden(c.kind.listSource()), true
	case d.unruled(c) && c.pretty && !c.query:
		return verdict{doubt: gone}, true
	}
	return public(c.kind.listSource()), true
}

// byIndex decides by the rows of the type in Yoast SEO's index. A row proves nothing by itself if Yoast SEO wrote rows of every type,
// or if the type is for the inner use of plugins. An object of a public type would have a row, unless the index is
// still being built.
func (d *decider) byIndex(c *candidate) (verdict, bool) {
	rows := d.indexRows(c.kind, c.name)
	switch {
	case rows > 0 && (c.titled || !d.e.RowsOfAll && !isInternal(c.kind, c.name)):
		if d.unruled(c) && !c.query {
			return verdict{doubt: gone}, true
		}
		return public(sourceIndexables), true
	case rows == 0 && len(d.e.Indexables) > 0 && !d.e.IndexablesPartial && d.rows[c.kind][c.name].Used > 0:
		return c.hidden(sourceIndexables), true
	}
	return verdict{}, false
}

// byTitles decides if wpseo_titles has keys of the type and a rewrite rule knows the type.
func (d *decider) byTitles(c *candidate) (verdict, bool) {
	return public(sourceTitles), c.titled && c.routed
}

// byWholeLists decides if an active plugin names all public types.
func (d *decider) byWholeLists(c *candidate) (verdict, bool) {
	if c.noted { // but no rewrite rule knows it
		v := c.hidden(sourceRules)
		v.doubt = gone
		return v, true
	}
	whole := slices.IndexFunc(d.e.Noted, func(n Noted) bool { return n.whole(c.kind) && len(n.names(c.kind)) > 0 })
	if whole < 0 {
		return verdict{}, false
	}
	return c.hidden(d.e.Noted[whole].Source), true
}

// byTable decides by the table of known plugins. It is the last source.
func (d *decider) byTable(c *candidate) verdict {
	t := d.known[c.kind][c.name]
	switch {
	case t == nil && d.structured(c.kind, c.name):
		return public(sourceStructures)
	case t == nil, d.byPHP(t) && t.LeftOutOf == nil, d.rows[c.kind][c.name].Orphans:
		v := c.hidden(sourceRules)
		v.doubt = open
		return v
	case t.hidden, !d.holds(t.When), t.Slug != "-" && d.unruled(c):
		return c.hidden(t.source)
	}
	return public(t.source)
}
