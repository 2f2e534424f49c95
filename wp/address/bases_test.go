package address

import (
	"fmt"
	"slices"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// rewriteRules is a statement that stores rewrite rules: patterns, each followed by its query.
func rewriteRules(rules ...string) string {
	all := ""
	for _, text := range rules {
		all += phpText(text)
	}
	return setOption("rewrite_rules", fmt.Sprintf("a:%d:{%s}", len(rules)/2, all))
}

// A page is shadowed if a rule for another kind of object matches its address first. If it is not sure which rule is
// the first, the page is not.
func TestShadowedByRules(t *testing.T) {
	category := []string{"category/(.+?)/?$", "index.php?category_name=$matches[1]"}
	page := []string{"(.?.+?)(?:/([0-9]+))?/?$", "index.php?pagename=$matches[1]&page=$matches[2]"}
	for _, c := range []struct {
		rule    string
		rules   []string
		plugins []string
		want    []int64
	}{
		{"a rule of categories comes first", slices.Concat(category, page), nil, []int64{9002}},
		{"the rule of pages comes first", slices.Concat(page, category), nil, nil},
		{"Go cannot compile an earlier rule", slices.Concat([]string{"(?<!a)b", "index.php"}, category, page), nil, nil},
		{"editors set addresses", slices.Concat(category, page), []string{pluginCustomPermalinks}, nil},
		{"there are no rules", nil, nil, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, rewriteRules(c.rules...), setOption("active_plugins", phpList(c.plugins...)),
				addPost(9001, "page", "publish", "category", 0), addPost(9002, "page", "publish", "news", 9001), addPost(9003, "page", "publish", "child", 9004),
				addPost(9004, "page", "publish", "parent", 0))
			got, err := openSite(t, wp.Source{DSN: dsn}).ShadowedByRules(t.Context(), []int64{9003, 9002, 9001})
			wptest.Must(t, err)
			expect.List(t, got, c.want)
		})
	}
}

// The query variables of a rule say what WordPress looks for.
func TestFindsOther(t *testing.T) {
	b := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small")})
	for _, c := range []struct {
		vars map[string]string
		want bool
	}{
		{map[string]string{"pagename": "a", "attachment": "b"}, false},
		{map[string]string{"page_id": "1"}, false},
		{map[string]string{"name": "a"}, false},
		{map[string]string{"attachment": "a"}, true},
		{map[string]string{"author_name": "a"}, true},
		{map[string]string{"s": "a"}, true},
		{map[string]string{"year": "2025"}, true},
		{map[string]string{"year": "2025", "name": "a"}, false},
		{map[string]string{"year": "2025", "p": "1"}, false},
		{map[string]string{"category_name": "a"}, true},
		{map[string]string{"category_name": ""}, false},
		{map[string]string{"taxonomy": "category", "term": "a"}, true},
		{map[string]string{"taxonomy": "category"}, false},
		{map[string]string{"genre": "a"}, false}, // nothing registers it
	} {
		expect.Equal(t, b.findsOther(c.vars), c.want, c.vars)
	}
}

// Only what follows a base can be the address of another object.
func TestBase(t *testing.T) {
	b := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small")})
	for path, want := range map[string]string{
		"category/news/": "category", "Category/news/": "Category", "category/": "", "search/a/": "search", "author/a/": "author", "about/us/": "", "": "",
	} {
		expect.Equal(t, b.Base(b.Blog.Home()+"/"+path), want, path)
	}
}

// Visitors can open objects of a type that is viewable. A taxonomy that is public is viewable, too, unless it cannot be queried.
func TestHasAddresses(t *testing.T) {
	for _, tt := range []struct {
		of   registry.Type
		want bool
	}{
		{registry.Type{}, false},
		{registry.Type{Viewable: true}, true},
		{registry.Type{Viewable: true, Filtered: true}, false},
		{registry.Type{Public: true}, false},
		{registry.Type{Taxonomy: true}, false},
		{registry.Type{Taxonomy: true, Public: true}, true},
		{registry.Type{Taxonomy: true, Public: true, Unqueryable: true}, false},
		{registry.Type{Taxonomy: true, Public: true, Filtered: true}, false},
	} {
		expect.Equal(t, hasAddresses(&tt.of), tt.want, fmt.Sprintf("%+v", tt.of))
	}
}

// An address that is set by hand is read once, and only while its plugin is active.
func TestWithHandSet(t *testing.T) {
	b := new(Book)
	expect.List(t, b.withHandSet("a"), []string{"a"})
	expect.List(t, b.withHandSet(metaCustomPermalink), []string{metaCustomPermalink})
	b.hand.custom = true
	expect.List(t, b.withHandSet("a"), []string{"a", metaCustomPermalink})
	expect.List(t, b.withHandSet(metaCustomPermalink, "a"), []string{metaCustomPermalink, "a"})
	expect.List(t, b.withHandSet(), []string{metaCustomPermalink})
}
