package objects

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// result is what a reading returned, as text.
func result(v any, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(v)
}

// Objects of the seed by their names and authors.
func TestLookups(t *testing.T) {
	ctx := t.Context()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = '' WHERE ID IN (6, 142)")
	s := openSite(t, wp.Source{DSN: dsn})
	list := func(ids []int64, err error) string { slices.Sort(ids); return result(ids, err) }
	user := func(id int64, types ...string) string { ok, err := HasPosts(ctx, s, id, types); return result(ok, err) }
	objects := func(slugs ...string) string {
		posts, terms, err := ObjectsNamed(ctx, s, slugs)
		return result([][]int64{posts, terms}, err)
	}
	for i, tt := range []struct{ got, want string }{
		{list(Find(ctx, s, PostsNamed, []string{"about", "sticky-news", "nothing"})), "[4 101]"},
		{list(Find(ctx, s, PostsNamed, nil)), "[]"},
		{list(Find(ctx, s, PostsWithoutSlug, []string{"page", "post"})), "[6 149]"},
		{result(NamesLike(ctx, s, "abuot")), "[about]"},
		{result(NamesLike(ctx, s, "%d0%bb_")), "[%d0%bb%d0%be%d0%b4%d0%ba%d0%b0]"},
		{list(Find(ctx, s, UsersNamed, []string{"gus", "ada"})), "[1 7]"},
		{result(TermsNamed(ctx, s, []string{"harbour"})), "[{category 2}]"},
		{result(TermsNamed(ctx, s, nil)), "[]"},
		{result(TermKeys(ctx, s, 3)), "[{category 3}]"},
		{objects("about", "ferries", "nothing"), "[[4] [3]]"},
		{result(CountObjects(ctx, s, []string{"page"}, 3)), "6"},
		{user(1, "page", "post"), "true"},
		{user(9, "post"), "false"}, // whose only post is a draft
		{user(1), "false"},
	} {
		expect.Equal(t, tt.got, tt.want, "row", i)
	}
}

// A search that fails halfway tells nothing, even if the page was read before.
func TestPageAt(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	s := openSite(t, wp.Source{DSN: dsn})
	at := func(path string) string { ok, err := PageAt(t.Context(), s, path); return result(ok, err) }
	expect.Equal(t, at("/about/"), "true")
	expect.Equal(t, at("/nothing/"), "false")
	wptest.Exec(t, dsn, "ALTER TABLE wp_posts RENAME COLUMN post_parent TO before", "ALTER TABLE wp_posts ADD COLUMN post_parent ANY DEFAULT 0",
		"UPDATE wp_posts SET post_type = 'page', post_name = 'about', post_parent = 'x' WHERE ID = 101")
	if got := at("/about/"); !strings.Contains(got, "looking for a page at /about/") {
		t.Errorf("%s, want an error", got)
	}
}
