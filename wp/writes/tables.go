// Package writes notices writes to WordPress databases by polling. Once a second, one query reads when the tables of all
// databases of one account were last written. The caller declares the tables that sitemaps depend on.
//
// Every open database joins a Feed and gets a Subscription. The owner of the database takes change sets from the
// Subscription. Start reading at Set, then at Feed.Join. poller.poll runs the query of Database.changes.
package writes

import (
	"slices"
	"strings"
)

// Table is a table that sitemaps depend on, and what a write to it may mean. If a table has none of Deltas, Pages and Settings, a
// full scan must show what a write has changed.
type Table struct {
	Name     string   // without prefix
	Columns  []string // the columns that are read; nil: all
	Network  bool     // all blogs share the table
	Edits    bool     // every edit of a post or a term, and every new or archived blog, writes to a table with Edits
	Deltas   bool     // a delta can follow some of the writes
	Pages    bool     // pages depend on the table, and catalogs do not, or not entirely
	Settings bool     // reading the settings shows whether a write matters
	Watched  bool     // every poll checks the table, as with Edits
}

// Declared lists what sitemaps depend on in a database.
type Declared struct {
	Tables                                      []Table // without repeats
	Core                                        []Table // tables of WordPress itself
	Options, NetworkOptions, PostMeta, UserMeta *Names

	names   []string
	watched []string // tables that every poll checks
	edited  []string // tables with Edits
}

// NewDeclared returns d without repeated tables. If several tables have the same name, the first counts.
func NewDeclared(d Declared) *Declared {
	all := d.Tables
	d.Tables = nil
	for _, t := range all {
		if !slices.ContainsFunc(d.Tables, func(o Table) bool { return o.Name == t.Name }) {
			d.Tables = append(d.Tables, t)
		}
	}
	d.names = d.Names(func(Table) bool { return true })
	d.watched = d.Names(func(t Table) bool { return t.Edits || t.Watched })
	d.edited = d.Names(func(t Table) bool { return t.Edits })
	return &d
}

// isEdited reports whether a table, given by its full name, is one with Edits.
func (d *Declared) isEdited(table string) bool {
	return slices.ContainsFunc(d.edited, func(name string) bool { return strings.HasSuffix(table, "_"+name) })
}

// of returns the tables that belong to a scope.
func (d *Declared) of(s scope) []string {
	if s == edits {
		return d.watched
	}
	return d.names
}

// Names returns the names of the tables that accept lets pass.
func (d *Declared) Names(accept func(Table) bool) []string {
	var accepted []string
	for _, t := range d.Tables {
		if accept(t) {
			accepted = append(accepted, t.Name)
		}
	}
	return accepted
}

// Names is a set of option names or meta keys. A star at the end of a name matches any end. A star at its beginning
// matches any beginning.
type Names struct {
	Plain            []string // names without a star
	known            map[string]bool
	prefixes, suffix []string
}

// NewNames returns a set of names without repeats.
func NewNames(declared []string) *Names {
	n := &Names{known: map[string]bool{}}
	for _, name := range declared {
		lower := strings.ToLower(name)
		if prefix, ok := strings.CutSuffix(lower, "*"); ok {
			n.prefixes = append(n.prefixes, prefix)
		} else if suffix, ok := strings.CutPrefix(lower, "*"); ok {
			n.suffix = append(n.suffix, suffix)
		} else if !n.known[lower] {
			n.known[lower] = true
			n.Plain = append(n.Plain, name)
		}
	}
	return n
}

// Has reports whether a name is in the set. Letter case does not matter, as in MySQL.
func (n *Names) Has(name string) bool {
	name = strings.ToLower(name)
	return n.known[name] || slices.ContainsFunc(n.prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) ||
		slices.ContainsFunc(n.suffix, func(s string) bool { return strings.HasSuffix(name, s) })
}
