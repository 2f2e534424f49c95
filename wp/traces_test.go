package wp

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// addRow is a statement that adds a published post, for SQLite.
func addRow(id int, kind, name string, parent int) string {
	const at = "'2024-03-04 05:06:07'"
	return fmt.Sprintf("INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_parent, post_author, post_date, post_date_gmt, post_modified, "+
		"post_modified_gmt) VALUES (%d, '%s', 'publish', '%s', %d, 1, %s, %[5]s, %[5]s, %[5]s)", id, kind, name, parent, at)
}

// addTerm are statements that add a term in use. Its id is its term_taxonomy_id, too.
func addTerm(id int, taxonomy string, count int) string {
	return fmt.Sprintf("INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (%d, %[1]d, '%s', '', 0, %d)", id, taxonomy, count)
}

// The rows of posts and terms show which types there are, which taxonomies a type uses, and which types a taxonomy has.
func TestRowsOfTypes(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addRow(1, "book", "one", 0), addRow(2, "book", "two", 1), addRow(3, "film", "three", 0), addRow(4, "post", "four", 0),
		addRow(5, "book", "five", 0), "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 5", addRow(6, "", "six", 0),
		"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 6",
		addTerm(11, "genre", 2), addTerm(12, "genre", 0), addTerm(13, "shelf", 0), addTerm(14, "category", 1), addTerm(15, "", 1), addTerm(16, "mood", 1),
		"UPDATE wp_term_taxonomy SET parent = 11 WHERE term_id = 12",
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 11), (3, 11), (6, 11), (4, 14), (4, 16), (1, 13)")
	_, e := readEvidence(t, dsn)
	var types, taxonomies []string
	for _, r := range e.PostTypes {
		types = append(types, fmt.Sprint(r.Name, " ", r.Used))
	}
	for _, r := range e.Taxonomies {
		taxonomies = append(taxonomies, fmt.Sprint(r.Name, " ", r.Used, " ", r.Parents, " ", r.ObjectTypes))
	}
	expect.List(t, types, []string{"book 2", "film 1"}, "post types")
	expect.List(t, taxonomies, []string{"category 1 false []", "genre 1 true [book film]", "mood 1 false [post]", "shelf 0 false [book]"}, "taxonomies")
}

// Without rewrite rules, only post_parent shows that a type is hierarchical. It is read if a plugin has noted types.
func TestParentsOfTypes(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList("wp-seopress/seopress.php")), storeOption("seopress_xml_sitemap_option_name",
		`a:1:{s:36:"seopress_xml_sitemap_post_types_list";a:1:{s:4:"book";a:1:{s:7:"include";s:1:"1";}}}`),
		addRow(1, "book", "one", 0), addRow(2, "book", "two", 1), addRow(3, "film", "three", 0))
	parents := func() map[string]bool {
		_, e := readEvidence(t, dsn)
		found := map[string]bool{}
		for _, r := range e.PostTypes {
			found[r.Name] = r.Parents
		}
		return found
	}
	expect.Same(t, map[string]bool{"book": true, "film": false}, parents())
	wptest.Exec(t, dsn, storeOption("rewrite_rules", `a:1:{s:8:"books/?$";s:9:"index.php";}`))
	expect.Same(t, map[string]bool{"book": false, "film": false}, parents(), "with rewrite rules")
}

// While option rewrite_rules is empty, what the last reading found about types holds.
func TestRoutedBefore(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	read := func(before string) (*Blog, *registry.Evidence) {
		t.Helper()
		n := open(t, Source{DSN: dsn})
		n.RouteAs(func(blog int64) string { return before })
		w, err := n.Walk(t.Context(), nil)
		wptest.Must(t, err)
		b, e, err := w.Read(t.Context(), w.Live[0])
		wptest.Must(t, err)
		return b, e
	}
	warned := func(b *Blog) bool {
		return strings.Contains(strings.Join(b.Warnings(), "\n"), "rewrite_rules is empty")
	}
	b, e := read(`{}`)
	if e.Before == nil || !warned(b) {
		t.Errorf("before %+v, warnings %q", e.Before, b.Warnings())
	}
	for _, tt := range []struct{ rule, before, sql string }{
		{"nothing is remembered", "", ""}, {"no JSON is remembered", "x", ""},
		{"there are rules", "{}", storeOption("rewrite_rules", `a:1:{s:8:"books/?$";s:9:"index.php";}`)},
		{"plain permalinks", "{}", storeOption("rewrite_rules", "") + ";" + storeOption("permalink_structure", "")},
	} {
		for s := range strings.SplitSeq(tt.sql, ";REPLACE") {
			if s != "" {
				wptest.Exec(t, dsn, strings.TrimPrefix("REPLACE"+strings.TrimPrefix(s, "REPLACE"), ";"))
			}
		}
		if b, e := read(tt.before); e.Before != nil || warned(b) {
			t.Errorf("%s: before %+v, warnings %q", tt.rule, e.Before, b.Warnings())
		}
	}
}

// WP Job Manager stores JSON, other known plugins store what PHP serializes.
func TestKnownOptions(t *testing.T) {
	name := registry.KnownOptions()[0]
	for text, want := range map[string]string{`a:1:{s:1:"k";s:1:"v";}`: "v", `{"k":"v"}`: "v", "broken": "", `a:1:{`: ""} {
		expect.Equal(t, options{name: text}.known()[name].Get("k").Str(), want, text)
	}
	expect.Equal(t, options{name: "plain"}.known()[name].Str(), "plain", "a text")
	expect.Equal(t, options{name: `"json"`}.known()[name].Str(), `"json"`, "JSON that holds no array is a text")
	expect.Equal(t, len(options{"other": "x"}.known()), 0, "options of other plugins")
}

// Custom Post Type Permalinks stores one structure for each type.
func TestReadStructures(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addRow(1, "book", "one", 0), storeOption("book_structure", "/%postname%/"), storeOption("film_structure", "/x/"),
		storeOption(registry.NoTermStructures, "1"))
	_, e := readEvidence(t, dsn)
	expect.Equal(t, len(e.Plugins.Structures), 0, "structures without the plugin")
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList(registry.PluginStructures)))
	_, e = readEvidence(t, dsn)
	expect.Same(t, map[string]string{"book_structure": "/%postname%/", registry.NoTermStructures: "1"}, map[string]string(e.Plugins.Structures))
}

// Quizzes of Tutor LMS without a course are noticed, while the plugin is active.
func TestOrphans(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addRow(1, "film", "f", 0), addRow(2, "tutor_quiz", "q", 0))
	orphans := func(name string) (yes bool) {
		_, e := readEvidence(t, dsn)
		for _, r := range e.PostTypes {
			yes = yes || r.Name == name && r.Orphans
		}
		return yes
	}
	expect.Equal(t, orphans("tutor_quiz"), false, "the plugin is not active")
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList(PluginTutor)))
	expect.Equal(t, orphans("tutor_quiz"), true)
	expect.Equal(t, orphans("film"), false, "another type")
}

// A field of ACF holds images if it is a field of a group, and of the type image or gallery.
func TestImageFields(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	field := func(id, parent int, key, name, kind string) []string {
		return []string{addRow(id, "acf-field", key, parent),
			fmt.Sprintf(`UPDATE wp_posts SET post_excerpt = '%s', post_content = 'a:1:{s:4:"type";s:%d:"%s";}' WHERE ID = %d`, name, len(kind), kind, id)}
	}
	wptest.Exec(t, dsn, addRow(1, "acf-field-group", "group", 0))
	for _, of := range [][]string{
		field(2, 1, "field_a", "photo", "image"), field(3, 1, "field_b", "photos", "gallery"), field(4, 1, "field_c", "text", "text"),
		field(5, 1, "field_d", "", "image"), field(6, 2, "field_e", "inner", "image"), field(7, 1, "field_f", "photo", "image"),
	} {
		wptest.Exec(t, dsn, of...)
	}
	wptest.Exec(t, dsn, addRow(8, "acf-field", "field_g", 1),
		`UPDATE wp_posts SET post_excerpt = 'broken', post_content = 'a:1:{s:4:"type";s:9:"image";}' WHERE ID = 8`)
	if got := openSite(t, Source{DSN: dsn}).ImageFields(); got != nil {
		t.Errorf("without ACF: %v", got)
	}
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList(registry.PluginsACF[0])))
	expect.Same(t, map[string][]string{"photo": {"field_a", "field_f"}, "photos": {"field_b"}}, openSite(t, Source{DSN: dsn}).ImageFields())
}

// A corrupted definition of ACF is left out, and the operator is told.
func TestCorruptedDefinition(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addRow(77, "acf-post-type", "x", 0), `UPDATE wp_posts SET post_content = 'a:1:{s:9:"post_type";s:9:"book";}'`)
	b, e := readEvidence(t, dsn)
	if len(e.Plugins.Definitions) != 0 || !strings.Contains(strings.Join(b.Warnings(), "\n"), "post ID 77") {
		t.Errorf("%+v, %q", e.Plugins.Definitions, b.Warnings())
	}
}

// An address that the operator gives to a type is below home.
func TestPlacedURLs(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	read := func(o registry.Overrides) (*Blog, error) {
		blogs, err := open(t, Source{DSN: dsn, Overrides: o}).ReadBlogs(t.Context())
		if err != nil {
			return nil, err
		}
		return blogs[0], nil
	}
	post := func(url string) registry.Overrides {
		return registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {URL: &url}}}
	}
	category := func(url string) registry.Overrides {
		return registry.Overrides{Taxonomies: map[string]registry.TaxonomyOverride{"category": {URL: &url}}}
	}
	for _, url := range []string{"/blog/{slug}", "https://small.test/blog/{slug}"} {
		b, err := read(post(url))
		wptest.Must(t, err)
		expect.Equal(t, b.Registry().PostType("post").URL, "blog/{slug}", url)
	}
	_, err := read(post("https://other.test/{slug}"))
	checkError(t, err, "[site.post_type.post]", "not below home", "https://small.test")
	_, err = read(category("https://other.test/{slug}"))
	checkError(t, err, "[site.taxonomy.category]")
}
