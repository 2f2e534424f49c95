package registry

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestStoredLinks(t *testing.T) {
	t.Parallel()
	draft := func(path string) Sample { return Sample{Permalink: home + path, Slug: "blue", Status: "draft"} }
	term := func(samples ...Sample) Indexable {
		return Indexable{ObjectType: "term", SubType: "flyer", Rows: len(samples), Samples: samples}
	}
	for _, c := range []struct {
		name string
		rows Indexable
		want storedLinks
	}{
		{"no row", post("song", at("/song/blue/", "blue")), storedLinks{}},
		{"a row without a permalink", Indexable{ObjectType: "post", SubType: "flyer", Rows: 3}, storedLinks{rows: 3}},
		{"a path", post("flyer", at("/our/flyers/blue/", "blue")), storedLinks{rows: 1, base: "our/flyers", known: true, pretty: true, other: true}},
		{"a path without a base", post("flyer", at("/blue/", "blue")), storedLinks{rows: 1, known: true, pretty: true, other: true}},
		{"a path that does not end in the slug", post("flyer", at("/flyer/blue-2/", "blue")), storedLinks{rows: 1, pretty: true, other: true}},
		{"an object with a parent has no base", post("flyer", child("/flyer/red/blue/", "blue")), storedLinks{rows: 1, pretty: true, other: true}},
		{"the same base twice", post("flyer", at("/flyer/blue/", "blue"), at("/flyer/red/", "red")),
			storedLinks{rows: 2, base: "flyer", known: true, pretty: true, other: true}},
		{"bases that differ", post("flyer", at("/2025/blue/", "blue"), at("/2026/red/", "red")), storedLinks{rows: 2, pretty: true, other: true}},
		{"another host", post("flyer", Sample{Permalink: "https://x.testing/flyer/blue/", Slug: "blue"}), storedLinks{rows: 1, pretty: true, other: true}},
		{"an object without a slug", post("flyer", at("/flyer/", "")), storedLinks{rows: 1}},
		{"a draft", Indexable{ObjectType: "post", SubType: "flyer", Rows: 1, Samples: []Sample{draft("/?post_type=flyer&p=1")}}, storedLinks{rows: 1}},
		{"a term", term(at("/flyer/blue/", "blue")), storedLinks{rows: 1, base: "flyer", known: true, pretty: true, other: true}},

		{"a query", post("flyer", at("/?flyer=blue", "blue")), storedLinks{rows: 1, query: true, other: true, queryVar: "flyer"}},
		{"a query with another name", post("flyer", at("/?leaf=blue", "blue")), storedLinks{rows: 1, query: true, other: true, queryVar: "leaf"}},
		{"a query in a tree", post("flyer", child("/?flyer=red/blue", "blue")),
			storedLinks{rows: 1, query: true, other: true, queryVar: "flyer", hierarchical: true}},
		{"a query without the parent", post("flyer", child("/?flyer=blue", "blue")),
			storedLinks{rows: 1, query: true, other: true, queryVar: "flyer", flat: true}},
		{"a query with a variable that a plugin has added", post("flyer", at("/?flyer=blue&y=z", "blue")),
			storedLinks{rows: 1, query: true, other: true, queryVar: "flyer"}},
		{"a query that a plugin has escaped", post("flyer", child("/?flyer=red%2Fh%C3%A4user&y=z", "h%c3%a4user")),
			storedLinks{rows: 1, query: true, other: true, queryVar: "flyer", hierarchical: true}},
		{"a query with another slug", post("flyer", at("/?flyer=red", "blue")), storedLinks{rows: 1, query: true, other: true}},
		{"a query with the number", post("flyer", at("/?post_type=flyer&p=10", "blue")), storedLinks{rows: 1, query: true}},
		{"a query with the number and another variable", post("flyer", at("/?post_type=flyer&p=10&y=z", "blue")), storedLinks{rows: 1, query: true}},
		{"a query of a term without a query variable", term(at("/?taxonomy=flyer&term=blue", "blue")), storedLinks{rows: 1, query: true, other: true}},
		{"paths and queries", post("flyer", at("/?flyer=blue", "blue"), at("/flyer/red/", "red")),
			storedLinks{rows: 2, base: "flyer", known: true, pretty: true, query: true, other: true, queryVar: "flyer"}},
	} {
		d := newDecider(site(func(e *Evidence) { e.Yoast.Indexables = []Indexable{c.rows} }))
		expect.Equal(t, d.linksOf(c.rows.ObjectType, "flyer"), c.want, c.name)
	}
	archive := newDecider(site(func(e *Evidence) { e.Yoast.Indexables = []Indexable{archiveRow("flyer", "/all/flyers/")} }))
	expect.Equal(t, archive.linksOf(typeArchive, "flyer"), storedLinks{rows: 1, base: "all/flyers", known: true, pretty: true, other: true}, "an archive")
}

// While stored permalinks may be old, they show only their forms.
func TestStaleLinks(t *testing.T) {
	t.Parallel()
	d := newDecider(site(func(e *Evidence) {
		e.Yoast.Stale, e.Yoast.Indexables = true, []Indexable{post("flyer", at("/?flyer=blue", "blue"), at("/flyer/red/", "red"))}
	}))
	expect.Equal(t, d.linksOf("post", "flyer"), storedLinks{rows: 2, pretty: true, query: true, other: true})
}
