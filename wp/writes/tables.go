// Package writes notices that tables of WordPress are written, by the times of change that their server keeps. The tables
// that sitemaps depend on are declared to it.
package writes

import (
	"regexp"
	"slices"
	"strings"
)

// Table is a table of the database.
type Table struct {
	Name     string   // without prefix
	Columns  []string // that are read; nil: all
	Network  bool     // one serves all blogs
	Edits    bool     // every edit of a post or a term, and every new or archived blog, is written to one of these
	Deltas   bool     // a delta can follow some of its writes
	Pages    bool     // pages are made of it, and catalogs are not, or not entirely
	Settings bool     // reading the settings shows whether anything that matters was written
	Watched  bool     // every poll checks it, as it checks those with Edits
}

// Declared is what sitemaps depend on in a database.
type Declared struct {
	Tables                                      []Table // each once
	Core                                        []Table // of WordPress itself
	Options, NetworkOptions, PostMeta, UserMeta *Names

	names   []string
	watched string         // alternatives of a pattern: tables that every poll checks
	edited  *regexp.Regexp // of the full names of tables with Edits
}

// NewDeclared returns what is declared, of tables with one name the first.
func NewDeclared(d Declared) *Declared {
	all := d.Tables
	d.Tables = nil
	for _, t := range all {
		if !slices.ContainsFunc(d.Tables, func(o Table) bool { return o.Name == t.Name }) {
			d.Tables = append(d.Tables, t)
		}
	}
	d.names = d.Names(func(Table) bool { return true })
	d.watched = strings.Join(d.Names(func(t Table) bool { return t.Edits || t.Watched }), "|")
	d.edited = regexp.MustCompile(`_(` + strings.Join(d.Names(func(t Table) bool { return t.Edits }), "|") + `)$`)
	return &d
}

// Names returns the names of the tables that are accepted.
func (d *Declared) Names(accept func(Table) bool) []string {
	var accepted []string
	for _, t := range d.Tables {
		if accept(t) {
			accepted = append(accepted, t.Name)
		}
	}
	return accepted
}

// Names is a set of option names or meta keys. A star at the end of a name matches any end, one at its beginning any beginning.
type Names struct {
	Plain            []string // without a star
	known            map[string]bool
	prefixes, suffix []string
}

// NewNames returns the names, each once.
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

// Has reports whether a name is declared. As for MySQL, letter case makes no difference.
func (n *Names) Has(name string) bool {
	name = strings.ToLower(name)
	return n.known[name] || slices.ContainsFunc(n.prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) ||
		slices.ContainsFunc(n.suffix, func(s string) bool { return strings.HasSuffix(name, s) })
}
