package refresh

import (
	"fmt"
	"slices"
	"sync"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/writes"
)

// The kinds of tables, by what a write to them means for a blog.
var (
	// deltaTables are the tables whose writes a delta can follow.
	deltaTables = tablesWith(func(t wp.Table) bool { return t.Deltas })
	// pageTables are the tables that pages use but catalogs do not contain completely. After a write to one of them, a
	// page must be rendered again, because nothing else shows whether it has changed.
	pageTables = tablesWith(func(t wp.Table) bool { return t.Pages })
	// settingsTables are the tables of settings. A delta ignores them; reading the settings shows whether something
	// that matters has changed. blogSettings are the settings tables of one blog.
	settingsTables = tablesWith(func(t wp.Table) bool { return t.Settings })
	blogSettings   = tablesWith(func(t wp.Table) bool { return t.Settings && !t.Network })
)

func tablesWith(accept func(wp.Table) bool) func() []string {
	return sync.OnceValue(func() []string { return sitemap.Declared.Names(accept) })
}

// tablesOf returns the tables of a blog that were written, without prefix; nil if they are not known.
func tablesOf(written *writes.Set, b *site.Blog) []string {
	if written.Anywhere() || b.Book == nil {
		return nil
	}
	return b.Book.Blog.Written(written.TableNames())
}

// tablesOf returns the tables of all blogs that were written, without prefixes; nil if they are not known.
func (r *Refresher) tablesOf(written *writes.Set) []string {
	var all []string
	for _, b := range r.site.Snapshot().Blogs {
		switch {
		case written.Anywhere(), b.Book == nil && !b.Network:
			return nil
		case b.Book != nil:
			all = append(all, tablesOf(written, b)...)
		}
	}
	return all
}

// settingsAlone reports whether a change set names settings tables only.
func (r *Refresher) settingsAlone(set *writes.Set) bool {
	tables := r.tablesOf(set)
	return len(tables) > 0 && !slices.ContainsFunc(tables, func(name string) bool { return !slices.Contains(settingsTables(), name) })
}

// edited reports whether the change set names a table that people write to. WordPress and plugins write to the other
// tables all the time.
func (r *Refresher) edited(written *writes.Set) bool {
	return written.Anywhere() || slices.ContainsFunc(r.tablesOf(written), sitemap.Declared.Edited)
}

// concerns reports whether at least one of the given tables of a blog was or may have been written.
func concerns(written *writes.Set, b *site.Blog, tables []string) bool {
	if written.Anywhere() || b.Book == nil {
		return true
	}
	return slices.ContainsFunc(tablesOf(written, b), func(name string) bool { return slices.Contains(tables, name) })
}

// reason says for people why a blog is read.
func reason(written *writes.Set, b *site.Blog) string {
	switch names := tablesOf(written, b); {
	case written == nil:
		return "regular full scan"
	case len(names) == 0:
		return "something was written"
	default:
		slices.Sort(names)
		return fmt.Sprint("written: ", names)
	}
}
