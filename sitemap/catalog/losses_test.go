package catalog_test

import (
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// The same types count before and now. What a setting explains is no loss, and what came cannot hide what went.
func TestExpected(t *testing.T) {
	outline := func(plugin string, posts, authors, books int, change func(*catalog.Outline)) *catalog.Outline {
		o := &catalog.Outline{
			Active: true, Plugin: plugin, Plugins: []string{"a"}, Types: []string{"author", "post", "book"},
			Files: []catalog.File{
				{Name: seo.IndexName, Entries: 9}, {Name: "post", Of: "post", Entries: posts}, {Name: "author", Of: "author", Entries: authors},
				{Name: "book", Of: "book", Entries: books}, {Name: "news", Entries: 5},
			},
		}
		if change != nil {
			change(o)
		}
		return o
	}
	const yoast, rankMath = "Yoast SEO", "Rank Math"
	before := outline(yoast, 100, 10, 40, nil)
	for _, c := range []struct {
		rule     string
		now      *catalog.Outline
		was, has int
	}{
		{"nothing changed", outline(yoast, 100, 10, 40, nil), 150, 150},
		{"posts are gone", outline(yoast, 20, 10, 40, nil), 150, 70},
		{"a type is off", outline(yoast, 100, 10, 0, func(o *catalog.Outline) { o.Off = []string{"book"} }), 110, 110},
		{"a type is gone", outline(yoast, 100, 10, 0, func(o *catalog.Outline) { o.Types = []string{"author", "post"} }), 150, 110},
		{"a type went with its plugin", outline(yoast, 100, 10, 0, func(o *catalog.Outline) { o.Plugins, o.Types = nil, []string{"author", "post"} }), 110, 110},
		{"rules leave out more", outline(yoast, 70, 10, 40, func(o *catalog.Outline) { o.Ruled = 30 }), 150, 150},
		{"another plugin lists no authors", outline(rankMath, 100, 0, 40, nil), 140, 140},
		{"another plugin lists more authors, and posts are gone", outline(rankMath, 20, 90, 40, nil), 140, 60},
		{"private", outline(yoast, 0, 0, 0, func(o *catalog.Outline) { o.Private = true }), 0, 0},
	} {
		was, has := c.now.Expected(before)
		expect.Equal(t, [2]int{was, has}, [2]int{c.was, c.has}, c.rule)
	}
}

// A change that concerns whole sitemaps is described in comparison with what was served before.
func TestChangesOfOutlines(t *testing.T) {
	base := func(change func(*catalog.Outline)) *catalog.Outline {
		o := &catalog.Outline{
			Active: true, Plugin: "Yoast SEO", Types: []string{"post", "book"},
			Files: []catalog.File{{Name: seo.IndexName, Page: 1}, {Name: "post", Of: "post"}, {Name: "book", Of: "book"}, {Name: "book", Of: "book"}, {Name: "news"}},
		}
		change(o)
		return o
	}
	for _, tt := range []struct {
		rule          string
		before, after func(*catalog.Outline)
		want          string
	}{
		{"nothing", func(*catalog.Outline) {}, func(*catalog.Outline) {}, ""},
		{
			"switched off", func(*catalog.Outline) {}, func(o *catalog.Outline) { o.Active = false },
			"there are no sitemaps any more: switched off, or search engines are asked to stay away (blog_public), or the " +
				"environment is not production",
		},
		{
			"another plugin's", func(*catalog.Outline) {}, func(o *catalog.Outline) { o.Plugin, o.Types = "Rank Math", nil },
			"the sitemaps of Yoast SEO are off, those of Rank Math answer",
		},
		{"private", func(*catalog.Outline) {}, func(o *catalog.Outline) { o.Private = true }, "search engines are asked to stay " +
			"away (blog_public), or the environment is not production"},
		{"still private", func(o *catalog.Outline) { o.Private = true }, func(o *catalog.Outline) { o.Private = true }, ""},
		{"on again, and public", func(o *catalog.Outline) { o.Active, o.Private = false, true }, func(*catalog.Outline) {}, ""},
		{
			"a type is off", func(*catalog.Outline) {}, func(o *catalog.Outline) { o.Off = []string{"book", "page"} },
			"not indexed, switched off, or not public any more: book",
		},
		{"it was off before", func(o *catalog.Outline) { o.Off = []string{"book"} }, func(o *catalog.Outline) { o.Off = []string{"book"} }, ""},
		{
			"a type is gone", func(*catalog.Outline) {}, func(o *catalog.Outline) { o.Types = []string{"post"} },
			"not indexed, switched off, or not public any more: book",
		},
		{
			"a type is left to the site", func(*catalog.Outline) {}, func(o *catalog.Outline) { o.Types, o.Left = []string{"post"}, []string{"book"} },
			"left to the site (check says why): book",
		},
	} {
		expect.Equal(t, base(tt.after).Cause(base(tt.before)), tt.want, tt.rule)
	}
}
