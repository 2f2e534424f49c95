package refresh

import (
	"fmt"
	"slices"
	"sync"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/wp"
)

// What an event means for a blog.

// pageTables are the tables that pages are made of and catalogs are not, or not entirely: a page rendered before one was
// written may be wrong in a way that only rendering it again shows.
var pageTables = sync.OnceValue(func() []string { return sitemap.Declared.TablesWith(func(t wp.Table) bool { return t.Pages }) })

var postTables = []string{"posts"}

// tablesOf returns the tables of a blog that were written, without prefix; nil where it is not known.
func tablesOf(event *changes.Set, b *site.Blog) []string {
	if event.Anywhere() || b.Written == nil {
		return nil
	}
	return b.Written(event.TableNames())
}

// concerns reports whether one of some tables of a blog was written, or may have been.
func concerns(event *changes.Set, b *site.Blog, tables []string) bool {
	if event.Anywhere() || b.Written == nil {
		return true
	}
	return slices.ContainsFunc(tablesOf(event, b), func(name string) bool { return slices.Contains(tables, name) })
}

// writtenTo returns what an event says of a blog's posts.
func writtenTo(event *changes.Set, b *site.Blog) rows.ChangeSet {
	names := tablesOf(event, b)
	return rows.ChangeSet{NoPosts: len(names) > 0 && !slices.Contains(names, "posts")}
}

// reason says what was written, for people.
func reason(event *changes.Set, b *site.Blog) string {
	switch names := tablesOf(event, b); {
	case event == nil:
		return "its time has come"
	case len(names) == 0:
		return "something was written"
	default:
		slices.Sort(names)
		return fmt.Sprint("written: ", names)
	}
}

// unexplained reports whether something was written to the posts that neither deltas nor the full read have seen in them: an
// attachment that posts may show, or a text changed in place.
func unexplained(event *changes.Set, b, before *site.Blog) bool {
	if !concerns(event, b, postTables) || before.Catalog == nil {
		return false
	}
	if before.Catalog.Side() != b.Catalog.Side() {
		return true
	}
	for _, r := range b.Readings[1:] {
		if r.Kind != site.DeltaReading || before.UnexplainedWrite {
			break
		}
		if r.Touched > 0 {
			return false
		}
	}
	return before.SamePages(b)
}
