package wp

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// giveForms is a site with GiveWP, which keeps the meta of its forms in a table of its own.
func giveForms(t *testing.T) string {
	t.Helper()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList("give/give.php")), storeOption("give_completed_upgrades", phpList(upgradeFormMeta)),
		"CREATE TABLE wp_give_formmeta (meta_id INTEGER PRIMARY KEY, form_id INTEGER, meta_key TEXT, meta_value TEXT)",
		"INSERT INTO wp_give_formmeta VALUES (1, 70, 'k', 'of the form')",
		"INSERT INTO wp_postmeta (meta_id, post_id, meta_key, meta_value) VALUES (9, 1, 'k', 'second'), (8, 1, 'K', 'first'), (7, 2, 'k', 'other'), (6, 1, 'no', 'x')")
	return dsn
}

// The first row of a key by meta_id is its value. The letter case of a key does not count. Forms of GiveWP have their own table.
func TestMetaOf(t *testing.T) {
	dsn := giveForms(t)
	b := openSite(t, Source{DSN: dsn})
	of := func(ids []int64, keys ...string) map[string]map[int64]string {
		t.Helper()
		values, err := b.MetaByKeys(t.Context(), ids, keys...)
		wptest.Must(t, err)
		return values
	}
	expect.Same(t, map[string]map[int64]string{"k": {1: "first", 70: "of the form"}, "z": {}}, of([]int64{1, 70}, "k", "z"))
	expect.Same(t, map[string]map[int64]string{"k": {1: "first", 2: "other", 70: "of the form"}}, of(nil, "k"), "of all posts")
	expect.Same(t, map[string]map[int64]string{}, of([]int64{1}), "of no keys")
	wptest.Exec(t, dsn, storeOption("give_completed_upgrades", phpList()))
	b = openSite(t, Source{DSN: dsn})
	expect.Same(t, map[string]map[int64]string{"k": {1: "first"}}, of([]int64{1, 70}, "k"), "before the table is filled")
	wptest.Exec(t, dsn, storeOption("give_completed_upgrades", phpList(upgradeFormMeta)), "DROP TABLE wp_give_formmeta")
	b = openSite(t, Source{DSN: dsn})
	expect.Equal(t, b.Settings().FormMeta, false, "without the table")
	expect.Contains(t, strings.Join(b.Warnings(), "\n"), "forms of GiveWP")
}

// A meta value that is too long counts as empty, and is counted.
func TestTooLongMeta(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, 'k', '"+strings.Repeat("x",
		db.MaxMeta+1)+"'), (2, 'k', 'short'), (3, 'k', 'short')")
	b := openSite(t, Source{DSN: dsn})
	values, err := b.MetaOf(t.Context(), []int64{1, 2, 3}, "k")
	wptest.Must(t, err)
	expect.Same(t, map[string]map[int64]string{"k": {1: "", 2: "short", 3: "short"}}, values)
	expect.Contains(t, strings.Join(b.Warnings(), "\n"), "1 values of k are longer than")
}

// MetaValues returns every row of a key, with NULL.
func TestMetaValues(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, 'k', 'a'), (1, 'k', NULL), (2, 'k', 'b'), (3, 'k', 'c'), (1, 'z', 'd')")
	values, err := openSite(t, Source{DSN: dsn}).MetaValues(t.Context(), []int64{1, 2}, "k")
	wptest.Must(t, err)
	expect.Same(t, map[int64][]sql.NullString{1: {{String: "a", Valid: true}, {}}, 2: {{String: "b", Valid: true}}}, values)
}

// Posts whose meta plugins read as settings are known, while such a plugin is active.
func TestHoldSettings(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, 'set', 'x'), (2, 'other', 'x')")
	declared := Declare(Inputs{Name: "a", Plugins: []string{"a/a.php"}, SettingMeta: []string{"set"}})
	for _, tt := range []struct {
		active bool
		posts  []int64
		want   bool
	}{{true, []int64{1}, true}, {true, []int64{2, 1}, true}, {true, []int64{2}, false}, {true, nil, false}, {false, []int64{1}, false}} {
		wptest.Exec(t, dsn, storeOption("active_plugins", phpList(map[bool]string{true: "a/a.php", false: "b/b.php"}[tt.active])))
		got, err := openSite(t, Source{DSN: dsn, Declared: declared}).HoldSettings(t.Context(), tt.posts)
		wptest.Must(t, err)
		expect.Equal(t, got, tt.want, tt.active, tt.posts)
	}
}

// Ids come in ascending order and without repeats, texts by id.
func TestIDsAndTexts(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addRow(1, "page", "one", 0), addRow(2, "page", "two", 9), addRow(3, "page", "three", 1), addRow(4, "page", "four", 9),
		"UPDATE wp_posts SET post_title = 'Title ' || ID", "INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'Seven', 'a')",
		"INSERT INTO wp_users (ID, user_login, user_nicename, user_email, display_name) VALUES (8, 'a', 'a', '', 'Ann')")
	b := openSite(t, Source{DSN: dsn})
	parents, err := b.IDsOf(t.Context(), "reading parents", "SELECT post_parent FROM wp_posts WHERE ID IN (?) ORDER BY ID", []int64{4, 3, 2})
	wptest.Must(t, err)
	expect.List(t, parents, []int64{1, 9})
	titles, err := b.PostTitles(t.Context(), []int64{1, 3, 99})
	wptest.Must(t, err)
	expect.Same(t, map[int64]string{1: "Title 1", 3: "Title 3"}, titles)
	names, err := b.TermNames(t.Context(), []int64{7})
	wptest.Must(t, err)
	expect.Same(t, map[int64]string{7: "Seven"}, names)
	users, err := b.UserNames(t.Context(), []int64{8})
	wptest.Must(t, err)
	expect.Same(t, map[int64]string{8: "Ann"}, users)
}

// Chains of parents are read up to a bound, and a loop ends.
func TestReadAncestors(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	for id := 1; id <= MaxGenerations+5; id++ {
		wptest.Exec(t, dsn, addRow(id, "page", fmt.Sprint("p", id), id+1))
	}
	wptest.Exec(t, dsn, addRow(901, "page", "a", 902), addRow(902, "page", "b", 901))
	b, tree := openSite(t, Source{DSN: dsn}), Tree{}
	wptest.Must(t, b.ReadAncestors(t.Context(), tree, []int64{1, 1, 0, -5, 999}))
	expect.Equal(t, len(tree), MaxGenerations, "generations")
	tree = Tree{}
	wptest.Must(t, b.ReadAncestors(t.Context(), tree, []int64{901}))
	expect.Same(t, Tree{901: {"a", 902}, 902: {"b", 901}}, tree, "a loop")
	tree = Tree{2: {"known", 0}}
	wptest.Must(t, b.ReadAncestors(t.Context(), tree, []int64{1}))
	expect.Same(t, Tree{1: {"p1", 2}, 2: {"known", 0}}, tree, "what is known is not read")
	expect.Equal(t, tree.Path(1), "known/p1")
}

// Term meta of another plugin is read when it is needed. If the table cannot be read with the settings, the operator is told.
func TestTermMeta(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList("wp-seopress/seopress.php")),
		"INSERT INTO wp_termmeta (meta_id, term_id, meta_key, meta_value) VALUES (5, 1, '_seopress_robots_index', 'later'), (4, 1, '_seopress_robots_index', 'yes'), "+
			"(6, 1, 'thumbnail_id', '9')")
	b := openSite(t, Source{DSN: dsn})
	values, err := b.TermMeta(t.Context(), "_seopress_robots_index")
	wptest.Must(t, err)
	expect.Same(t, map[int64]string{1: "yes"}, values["_seopress_robots_index"], "of the active plugin")
	values, err = b.TermMeta(t.Context(), "_seopress_robots_index", "thumbnail_id")
	wptest.Must(t, err)
	expect.Same(t, map[string]map[int64]string{"_seopress_robots_index": {1: "yes"}, "thumbnail_id": {1: "9"}}, values, "of another plugin, too")
	wptest.Exec(t, dsn, "DROP TABLE wp_termmeta")
	b = openSite(t, Source{DSN: dsn})
	expect.Contains(t, strings.Join(b.Warnings(), "\n"), "wp_termmeta cannot be read")
	if _, err = b.TermMeta(t.Context(), "_seopress_robots_index"); !db.MissingTable(err) {
		t.Errorf("without the table: %v", err)
	}
}

// An option that is not stored, or holds no PHP array, is null.
func TestStoredArray(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, storeOption("list", phpList("a", "b")), storeOption("text", "a"), storeOption("broken", "a:1:{"))
	b := openSite(t, Source{DSN: dsn})
	for option, want := range map[string]int{"list": 2, "text": 0, "broken": 0, "none": 0} {
		v, err := b.StoredArray(t.Context(), option)
		wptest.Must(t, err)
		expect.Equal(t, v.Len(), want, option)
	}
}
