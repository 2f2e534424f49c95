package registry

import "slices"

// judge decides whether a type is registered and public. It asks the sources in a fixed order, and the first source
// with a verdict decides. A source that is up to date comes before one that may be old.
func (d *decider) judge(k kind, name string) verdict {
	c := &candidate{kind: k, name: name, entry: d.knownAs(k, name), routed: d.routed(k, name), inTitles: slices.Contains(d.titles[k], name)}
	c.pretty, c.query = d.linkForms(k, name)
	_, c.notedBy, c.noted = d.noted(k, name)
	for _, source := range []func(*candidate) (verdict, bool){
		d.bySwitch,     // first: the plugin obeys its option at once, and all lists below may be older than the option
		d.byPlugin,     // before Yoast SEO's list, which is as old as the last visit to an admin page
		d.byList,       // before the index: the list names all public types, and the index has old rows, or lacks some
		d.byIndex,      // before the titles: rows are of objects, and titles are never removed when a type goes
		d.byTitles,     // before the lists of other plugins, which may miss a new type
		d.byWholeLists, // last of what the site has stored: these lists only tell by what they do not contain
	} {
		if v, says := source(c); says {
			return v
		}
	}
	return d.byTable(c) // the table knows plugins, but nothing of this site
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
	entry         *knownType // entry in the table of known plugins; empty if there is none
	routed        bool       // a rewrite rule is for the type
	pretty, query bool       // the index holds paths, and query strings, of the type
	inTitles      bool       // wpseo_titles contains the name
	noted         bool       // an active plugin names the type as public
	notedBy       FactSource // where the plugin names it
}

// hidden returns the verdict for a type that a source calls not public. Without a rewrite rule, the type is not
// registered either.
func (c *candidate) hidden(source FactSource) verdict {
	return verdict{registered: c.routed, source: source}
}

// doubtful returns the verdict of hidden with a doubt.
func (c *candidate) doubtful(source FactSource, about doubt) verdict {
	v := c.hidden(source)
	v.doubt = about
	return v
}

// unruled reports whether the site has rewrite rules but none for the type.
func (d *decider) unruled(c *candidate) bool { return d.pretty && d.routes.Present && !c.routed }

// bySwitch returns a verdict if an option of the type's plugin makes the type private.
func (d *decider) bySwitch(c *candidate) (verdict, bool) {
	return c.hidden(c.entry.source), d.switchedOff(c.entry)
}

// byPlugin returns a verdict if the settings of an active plugin name the type as public. If only PHP knows the
// addresses of the type, the verdict has the doubt open. If the site has rewrite rules but none for the type, byPlugin
// leaves the verdict to the next sources, unless the type needs no rule.
func (d *decider) byPlugin(c *candidate) (verdict, bool) {
	switch {
	case !c.noted:
	case d.byPHP(c.entry):
		return verdict{registered: true, source: c.notedBy, doubt: open}, true
	case !d.unruled(c) || c.entry.Slug == "-": // no rule would name a type without rewriting
		return public(c.notedBy), true
	}
	return verdict{}, false
}

// byList returns a verdict by Yoast SEO's list of public names, if Yoast SEO has written one. A type that is not in the
// list is not public. A type in the list is gone if no rewrite rule is for it, and the index has paths of the type but
// no query strings. Query strings show that the type needs no rule.
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

// byIndex decides by the rows of the type in Yoast SEO's index:
//
//   - A type with rows that count is public. They count if wpseo_titles has the type too, or if Yoast SEO does not write rows of
//     every type and no plugin uses the type internally.
//   - If they count, but the site has rewrite rules and none for the type, the type is gone. This does not hold for a type whose
//     addresses in the index are query strings, because these need no rule.
//   - A type in use without a row is not public if the index is complete.
func (d *decider) byIndex(c *candidate) (verdict, bool) {
	rows := d.indexRows(c.kind, c.name)
	switch {
	case rows > 0 && (c.inTitles || !d.e.Yoast.RowsOfAll && !isInternal(c.kind, c.name)):
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
	return public(sourceTitles), c.inTitles && c.routed
}

// byWholeLists calls a type gone if an active plugin names it but no rewrite rule is for it. It calls a type not
// public if an active plugin names all public types, and this one is not among them.
func (d *decider) byWholeLists(c *candidate) (verdict, bool) {
	if c.noted { // no rewrite rule is for the type, or byPlugin would have decided
		return c.doubtful(sourceRules, gone), true
	}
	whole := slices.IndexFunc(d.e.Plugins.Noted, func(n Noted) bool { return n.whole(c.kind) && len(n.names(c.kind)) > 0 })
	if whole < 0 {
		return verdict{}, false
	}
	return c.hidden(d.e.Plugins.Noted[whole].Source), true
}

// byTable always returns a verdict. A post type for which Custom Post Type Permalinks has written rules is public,
// unless the table of known plugins has the type. Otherwise the table decides.
//
// The verdict has the doubt open if the type is not in the table, if it has orphans, or if only PHP knows its addresses. The
// last reason does not count for a type that some plugins leave out of their sitemaps anyway.
func (d *decider) byTable(c *candidate) verdict {
	t := d.known[c.kind][c.name]
	switch {
	case t == nil && d.structured(c.kind, c.name):
		return public(sourceStructures)
	case t == nil, d.byPHP(t) && t.LeftOutOf == nil, d.rows[c.kind][c.name].Orphans:
		return c.doubtful(sourceRules, open)
	case t.hidden, !d.holds(t.When), t.Slug != "-" && d.unruled(c):
		return c.hidden(t.source)
	}
	return public(t.source)
}
