package address

import (
	"slices"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// forms gives posts, pages, categories and tags the addresses of a headless front end.
var forms = registry.Overrides{
	PostTypes:  map[string]registry.PostTypeOverride{"post": {URL: new("/blog/{id}/{year}/{slug}/")}, "page": {URL: new("/docs/{path}")}},
	Taxonomies: map[string]registry.TaxonomyOverride{"category": {URL: new("/topics/{path}/")}, "post_tag": {URL: new("/t-{id}/{slug}")}},
}

// headless is a site with such addresses.
func headless(t *testing.T) *Book {
	t.Helper()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(1, "post", "publish", "one", 0), addPost(2, "page", "publish", "above", 0), addPost(3, "page", "publish", "below", 2),
		addPost(17, "post", "publish", "seventeen", 0),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'A', 'a'), (8, 'B', 'b'), (9, 'C', 'c')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (7, 7, 'category', '', 0, 1), "+
			"(8, 8, 'category', '', 7, 1), (9, 9, 'post_tag', '', 0, 1)")
	return openSite(t, wp.Source{DSN: dsn, Overrides: forms})
}

// Each token of a form has its own value.
func TestForms(t *testing.T) {
	b := headless(t)
	got := pathsOf(t, b, "https://small.test/", []int64{1, 2, 3}, map[string][]int64{"category": {7, 8}, "post_tag": {9}})
	expect.Same(t, map[string]string{"1": "blog/1/2024/one/", "2": "docs/above", "3": "docs/above/below", "7": "topics/a/", "8": "topics/a/b/",
		"9": "t-9/c"}, got)
}

// A flat type has no posts above its posts, so that {path} is the slug.
func TestPathOfAFlatType(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(1, "post", "publish", "one", 0), addPost(2, "post", "publish", "two", 1))
	flat := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {URL: new("/blog/{path}")}}}
	got := pathsOf(t, openSite(t, wp.Source{DSN: dsn, Overrides: flat}), "https://small.test/", []int64{2}, nil)
	expect.Same(t, map[string]string{"2": "blog/two"}, got)
}

func TestTermsInURLs(t *testing.T) {
	b := new(Book)
	for form, want := range map[string]bool{"": false, "/blog/{slug}": false, "/{term:category}/{slug}": true, "/{slug}/{id}": false} {
		expect.Equal(t, b.TermsInURLs(&registry.PostType{URL: form}), want, form)
	}
}

// A path of the operator's form leads to the objects that have the id or the slug in it.
func TestAtPathsOfForms(t *testing.T) {
	b := headless(t)
	for _, tt := range []struct {
		path         string
		posts, terms []int64
	}{
		{"blog/17/2024/nothing", []int64{17, 2024}, []int64{17, 2024}},
		{"blog/x/y/one", []int64{1}, nil},
		{"docs/above/below", []int64{3}, nil},
		{"topics/a/b", nil, []int64{8}},
		{"t-9/c", []int64{9}, []int64{9}},
		{"elsewhere/one", nil, nil},
	} {
		posts, terms, err := b.AtPaths(t.Context(), []string{tt.path})
		wptest.Must(t, err)
		expect.List(t, slices.Compact(slices.Sorted(slices.Values(posts))), tt.posts, tt.path, "posts")
		expect.List(t, slices.Compact(slices.Sorted(slices.Values(terms))), tt.terms, tt.path, "terms")
	}
}

// Editors print an address set by hand with or without a slash at its end.
func TestAtCustomPermalinks(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList(pluginCustomPermalinks)),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, 'custom_permalink', 'with/'), (2, 'custom_permalink', 'without'), (3, 'other', 'with')")
	posts, terms, err := openSite(t, wp.Source{DSN: dsn}).AtPaths(t.Context(), []string{"with", "without"})
	wptest.Must(t, err)
	expect.List(t, posts, []int64{1, 2}, "posts")
	expect.List(t, terms, nil, "terms")
}

// Yoast SEO finds a stored address by its hash.
func TestPostsStoredAt(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	wptest.Exec(t, dsn, planted("post", 200, "https://example.test/by-hand/", "1"), planted("post", 201, "https://example.test/other/", "1"),
		planted("term", 40, "https://example.test/by-hand/", "1"))
	at := func(of string) []int64 {
		ids, err := openSite(t, wp.Source{DSN: dsn}).PostsStoredAt(t.Context(), of, "https://example.test/nothing/")
		wptest.Must(t, err)
		return ids
	}
	expect.List(t, at("https://example.test/by-hand/"), []int64{200})
	expect.List(t, at("https://example.test/else/"), nil)
	wptest.Exec(t, dsn, setOption("active_plugins", phpList()))
	expect.List(t, at("https://example.test/by-hand/"), nil, "without Yoast SEO")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList(wp.PluginYoast)), "DROP TABLE wp_yoast_indexable")
	expect.List(t, at("https://example.test/by-hand/"), nil, "without the table")
}
