package registry

import (
	"fmt"
	"slices"
)

// doubt is what remains open about a type.
type doubt uint8

const (
	none        doubt = iota
	gone              // the type was public, but no rewrite rule is for it
	open              // nothing tells whether the type is public
	unaddressed       // there are no rewrite rules, and nothing else tells the addresses
	noAttribute       // the name is that of a WooCommerce attribute, but there is no such attribute
	wooInactive       // the type belongs to WooCommerce, which is not active
)

// text returns the middle of the sentence that tells the operator why a type is not decided.
func (o doubt) text() string {
	switch o {
	case gone:
		return " and was public, but no rewrite rule knows it: its plugin is probably gone; if it is not, add "
	case open:
		return ", but nothing tells whether it is public: add "
	case unaddressed:
		return ", but nothing tells the addresses while option rewrite_rules is empty: let WordPress answer a request, or add a slug below "
	case noAttribute:
		return ", but WooCommerce has no attribute of this name: if another plugin registers it, add "
	case wooInactive:
		return " and belongs to WooCommerce, which is not active: if another plugin registers it, add "
	}
	return ""
}

// sentence tells the operator in one sentence what is open about a type, and what to add to the configuration.
func (d *decider) sentence(k kind, name string, is doubt) string {
	n := d.rows[k][name].Used
	what := pick(k, "published post", "term") + either(n == 1, "", "s") + pick(k, "", " in use")
	key := name
	if sanitizeKey(name) != name { // TOML requires quotes around such a name
		key = fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%s `%s` has %d %s%s[site.%s.%s] to the configuration", k, name, n, what, is.text(), pick(k, "post_type", "taxonomy"), key)
}

// verdict is what the evidence says about a name.
type verdict struct {
	registered bool
	public     bool
	source     FactSource
	doubt      doubt
	undecided  bool // registered, but no source says whether it is public
}

// public returns the verdict for a type that a source calls public.
func public(source FactSource) verdict {
	return verdict{registered: true, public: true, source: source}
}

// candidate is a name to judge, with facts that several sources need.
type candidate struct {
	kind          kind
	name          string
	known         *knownType // entry in the table of known plugins; empty if there is none
	routed        bool       // a rewrite rule is for the type
	pretty, query bool       // the index holds paths, and query strings, of the type
	titled        bool       // wpseo_titles contains the name
	noted         bool       // an active plugin names the type as public
	notedBy       FactSource // where the plugin names it
}

// hidden returns the verdict for a type that a source calls not public. Without a rewrite rule, the type is not
// registered either.
func (c *candidate) hidden(source FactSource) verdict {
	return verdict{registered: c.routed, source: source}
}

// unruled reports whether the site has rewrite rules but none for the type.
func (d *decider) unruled(c *candidate) bool { return d.pretty && d.routes.Present && !c.routed }

// judge decides whether a type is registered and public. It asks the sources in a fixed order, and the first source
// with a verdict decides.
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

// bySwitch returns a verdict if an option of its plugin makes the type private.
func (d *decider) bySwitch(c *candidate) (verdict, bool) {
	return c.hidden(c.known.source), d.switchedOff(c.known)
}

// byPlugin returns a verdict if the settings of an active plugin name the type.
func (d *decider) byPlugin(c *candidate) (verdict, bool) {
	switch {
	case !c.noted:
	case d.byPHP(c.known):
		return verdict{registered: true, source: c.notedBy, doubt: open}, true
	case !d.unruled(c) || c.known.Slug == "-": // no rule would name a type without rewriting
		return public(c.notedBy), true
	}
	return verdict{}, false
}

// byList returns a verdict by Yoast SEO's list of public names, if Yoast SEO has written one.
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

// byIndex returns a verdict by the rows of the type in Yoast SEO's index. A row proves nothing if Yoast SEO wrote rows
// of every type, or if plugins use the type internally. An object of a public type would have a row, unless the index
// is still being built.
func (d *decider) byIndex(c *candidate) (verdict, bool) {
	rows := d.indexRows(c.kind, c.name)
	switch {
	case rows > 0 && (c.titled || !d.e.Yoast.RowsOfAll && !isInternal(c.kind, c.name)):
		if d.unruled(c) && !c.query {
			return verdict{doubt: gone}, true
		}
		return public(sourceIndexables), true
	case rows == 0 && len(d.e.Yoast.Indexables) > 0 && !d.e.Yoast.Partial && d.rows[c.kind][c.name].Used > 0:
		return c.hidden(sourceIndexables), true
	}
	return verdict{}, false
}

// byTitles returns a verdict if wpseo_titles has keys for the type and a rewrite rule is for it.
func (d *decider) byTitles(c *candidate) (verdict, bool) {
	return public(sourceTitles), c.titled && c.routed
}

// byWholeLists calls a type gone if an active plugin names it but no rewrite rule is for it. It calls a type not
// public if an active plugin names all public types, and this one is not among them.
func (d *decider) byWholeLists(c *candidate) (verdict, bool) {
	if c.noted { // no rewrite rule is for the type, or byPlugin would have decided
		v := c.hidden(sourceRules)
		v.doubt = gone
		return v, true
	}
	whole := slices.IndexFunc(d.e.Plugins.Noted, func(n Noted) bool { return n.whole(c.kind) && len(n.names(c.kind)) > 0 })
	if whole < 0 {
		return verdict{}, false
	}
	return c.hidden(d.e.Plugins.Noted[whole].Source), true
}

// byTable returns a verdict by the table of known plugins. It is the last source and always decides.
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
