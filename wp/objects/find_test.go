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

// What new rows concern, and what a delta reads of it.
func TestTouched(t *testing.T) {
	ctx := t.Context()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	s := openSite(t, wp.Source{DSN: dsn})
	before, err := ReadMarks(ctx, s)
	wptest.Must(t, err)
	touched := func(limit int) string {
		ids, _, more, err := Touched(ctx, s, before, limit)
		return result(fmt.Sprint(ids, more), err)
	}
	expect.Equal(t, touched(100), "[] false", "nothing was written")
	wptest.Exec(t, dsn, addPost(9001, "revision", "inherit", "4-revision-v1", 4), addPost(9002, "post", "publish", "new", 0), addPost(9003, "attachment", "inherit", "photo", 101),
		addPost(9004, "page", "draft", "", 0), addPost(9005, "page", "publish", "child", 9004), addPost(9006, "page", "publish", "grandchild", 9005),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (102, '_thumbnail_id', '52'), (103, '_edit_last', '1')",
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (9002, 1002)")
	ids := func(ids []int64, err error) string { slices.Sort(ids); return result(ids, err) }
	var rows, relations, terms []string
	wptest.Must(t, PostRows(ctx, s, []int64{9001, 9004, 9005, 1}, func(p PostRow) {
		rows = append(rows, fmt.Sprint(p.ID, " ", p.Type, " ", p.Status, " ", p.Slug))
	}))
	slices.Sort(rows)
	wptest.Must(t, RelationsOf(ctx, s, []int64{9002, 9003}, func(object, id int64) { relations = append(relations, fmt.Sprint(object, " ", id)) }))
	wptest.Must(t, TermRows(ctx, s, []int64{1003}, func(taxonomy string, r TermRow) { terms = append(terms, fmt.Sprintf("%s %+v", taxonomy, r)) }))
	for i, tt := range []struct{ got, want string }{
		{touched(100), "[4 101 102 9002 9003 9004 9005 9006] false"},
		{touched(-markOverlap), "[] true"},
		{fmt.Sprint(rows), "[9001 revision inherit 4-revision-v1 9004 page draft  9005 page publish child]"},
		{fmt.Sprint(relations), "[9002 1002]"},
		{fmt.Sprint(terms), "[category {ID:3 TaxonomyID:1003 Parent:2 Count:2 InUse:false}]"},
		{ids(AttachedTo(ctx, s, []int64{101})), "[9003]"},
		{result(HasBelow(ctx, s, []string{"page"}, []int64{9005})), "true"},
		{result(HasBelow(ctx, s, []string{"page"}, []int64{9006})), "false"},
		{result(HasPageNamed(ctx, s, []string{"new", "child"})), "true"},
		{result(HasPageNamed(ctx, s, []string{"new", "4-revision-v1", "photo"})), "false"},
		{result(s.MetaOf(ctx, []int64{102, 103}, "_thumbnail_id", "none")), "map[_thumbnail_id:map[102:52] none:map[]]"},
		{result(NextScheduled(ctx, s, "post", 0)), fmt.Sprint(wp.ParseDate("2024-07-07 12:00:00"))},
		{result(NextScheduled(ctx, s, "post", wp.ParseDate("2024-07-07 12:00:00"))), fmt.Sprint(wp.ParseDate("2099-01-01 11:00:00"))},
	} {
		expect.Equal(t, tt.got, tt.want, "row", i)
	}
}
