package address

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// pathsOf are the addresses below home of posts and terms, by their ids.
func pathsOf(t *testing.T, b *Book, home string, posts []int64, terms map[string][]int64) map[string]string {
	t.Helper()
	got := map[string]string{}
	read, err := b.Posts(t.Context(), posts, func(*Post, string) {})
	wptest.Must(t, err)
	for _, p := range read {
		got[fmt.Sprint(p.ID)] = strings.TrimPrefix(p.Link, home)
	}
	for taxonomy, ids := range terms {
		read, err := b.TermsByID(t.Context(), b.Blog.Registry().Taxonomy(taxonomy), ids)
		wptest.Must(t, err)
		for _, term := range read {
			got[fmt.Sprint(term.ID)] = strings.TrimPrefix(term.Link, home)
		}
	}
	return got
}

// The rules are those of Custom Permalinks 3 and Permalink Manager 2.5.
func TestAddressesSetByHand(t *testing.T) {
	active := func(plugin string) string { return setOption("active_plugins", phpList(plugin)) }
	meta := func(post int, value string) string {
		return fmt.Sprintf("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (%d, 'custom_permalink', '%s')", post, value)
	}
	seed := []string{
		setOption("permalink_structure", "/%postname%/"), setOption("home", "https://a.test/in"), setOption("show_on_front", "page"), setOption("page_on_front", "3"),
		"DELETE FROM wp_posts", "DELETE FROM wp_postmeta", "DELETE FROM wp_terms", "DELETE FROM wp_term_taxonomy",
		addPost(1, "post", "publish", "one", 0), addPost(2, "page", "publish", "two", 0), addPost(3, "page", "publish", "front", 0),
		addPost(4, "attachment", "inherit", "photo", 1), addPost(5, "post", "publish", "five", 0),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'Seven', 'seven'), (8, 'Eight', 'eight')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count) VALUES (7, 7, 'category', '', 1), (8, 8, 'post_tag', '', 1)",
		meta(1, "guides//own-path/"), meta(2, "some%20where.html"), meta(3, "start/"), meta(4, "picture/"), meta(5, "0"), meta(5, "later/"),
		setOption("custom_permalink_table", "a:2:{"+phpText("topics/seven/")+`a:1:{s:2:"id";i:7;}`+phpText("no/")+`a:1:{s:2:"id";s:1:"8";}}`),
		setOption("permalink-manager-uris", "a:5:{i:1;"+phpText("Große straße/a+b")+"i:2;"+phpText("page.html")+"i:3;"+phpText("start")+"i:5;"+phpText("left")+phpText("tax-7")+phpText("themes/seven")+"}"),
		setOption("permalink-manager", `a:1:{s:7:"general";a:1:{s:16:"exclude_post_ids";`+phpText("4, 5-6")+"}}"),
	}
	plain := map[string]string{"1": "one/", "2": "two/", "3": "", "4": "one/photo/", "5": "five/", "7": "category/seven/", "8": "tag/eight/"}
	with := func(changes ...string) map[string]string {
		all := map[string]string{}
		for k, v := range plain {
			all[k] = v
		}
		for i := 0; i < len(changes); i += 2 {
			all[changes[i]] = changes[i+1]
		}
		return all
	}
	managed := []string{"1", "Gro%C3%9Fe+stra%C3%9Fe/a+b/", "2", "page.html", "4", "Große straße/a+b/attachment/photo/"}
	for _, c := range []struct {
		plugin       string
		want         map[string]string
		posts, terms []int64 // that are found by path
	}{
		{"", plain, nil, nil},
		{"custom-permalinks/custom-permalinks.php", with("1", "guides/own-path/", "2", "some%20where.html", "4", "guides/own-path/photo/", "7", "topics/seven/"), []int64{4}, []int64{7}},
		{"permalink-manager/permalink-manager.php", with(managed...), []int64{2}, nil},
		{"permalink-manager-pro/permalink-manager.php", with(append(managed, "7", "themes/seven/")...), []int64{2}, []int64{7}},
	} {
		t.Run(c.plugin, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, append(seed, active(c.plugin))...)
			n := open(t, wp.Source{DSN: dsn})
			walk, err := n.Walk(t.Context(), nil)
			wptest.Must(t, err)
			_, e, err := walk.Read(t.Context(), walk.Live[0])
			if manager := strings.HasPrefix(c.plugin, "permalink-manager"); err != nil || e.Yoast.Stale != manager {
				t.Errorf("it switches Yoast's dynamic permalinks on: %t, %v", e.Yoast.Stale, err)
			}
			books, err := ReadAll(t.Context(), n)
			wptest.Must(t, err)
			got := pathsOf(t, books[0], "https://a.test/in/", []int64{1, 2, 3, 4, 5}, map[string][]int64{"category": {7, 8}, "post_tag": {7, 8}})
			expect.Same(t, c.want, got)
			posts, terms, err := books[0].AtPaths(t.Context(), []string{"picture", "page.html", "topics/seven", "themes/seven"})
			wptest.Must(t, err)
			expect.List(t, posts, c.posts, "posts at these paths")
			expect.List(t, terms, c.terms, "terms at these paths")
		})
	}
}

func TestPermalinkManagerEndsPaths(t *testing.T) {
	for _, c := range []struct {
		mode                  int64
		structure, path, want string
	}{
		{0, "/%postname%/", "a/b", "a/b/"},
		{0, "/%postname%", "a/b/", "a/b"},
		{1, "/%postname%", "a/b", "a/b/"},
		{2, "/%postname%/", "a//b/", "a/b"},
		{1, "/%postname%/", "a/b.html", "a/b.html"},
		{1, "/%postname%/", "v1.2", "v1.2/"},
		{1, "/%postname%/", "a?b=c", "a/?b=c"},
	} {
		b := permalink.New(permalink.Settings{Home: "https://a.test", Structure: c.structure})
		expect.Equal(t, (&managedPaths{slashes: c.mode}).slashed(b, c.path), c.want, c.mode, c.structure, c.path)
	}
}

// The plugin ends the addresses of posts, too, that have none of their own there.
func TestPermalinkManagerEndsAllPosts(t *testing.T) {
	b := permalink.New(permalink.Settings{Home: "https://a.test", Structure: "/%postname%/"})
	s := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small")})
	s.hand.manager = &managedPaths{slashes: 2, postRanges: []idRange{{5, 6}}}
	home := s.Blog.Home() + "/"
	for _, c := range []struct {
		id         int64
		path, want string
	}{{1, "about/", "about"}, {5, "left/", "left/"}, {2, "", ""}} {
		p := &Post{ID: c.id, Type: "page", Status: "publish"}
		expect.Equal(t, s.managed(b, p, home+c.path), home+c.want, c.path)
	}
}

func TestPathsThatCannotBeSet(t *testing.T) {
	for _, path := range []string{strings.Repeat("a", 64<<10), "a\nb", "a\x7f"} {
		var warnings []string
		if got := pathByHand(path, func(text string) { warnings = append(warnings, text) }); got != "" || len(warnings) != 1 {
			t.Errorf("%.20q: %q, %q", path, got, warnings)
		}
	}
}

// What is wanted was printed by WordPress 7.0.4 with Custom Post Type Permalinks 3.5.5 for the same rows.
func TestStructuresOfPostTypes(t *testing.T) {
	rules := phpText("(book)/(.+?)(?:/([0-9]+))?/?$") + phpText("index.php?post_type=book&slug=$matches[1]&book=$matches[2]&page=$matches[3]") +
		phpText("shelf/(.+?)/?$") + phpText("index.php?shelf=$matches[1]")
	seed := []string{
		setOption("permalink_structure", "/%postname%/"), setOption("home", "https://a.test"),
		setOption("active_plugins", phpList("custom-post-type-permalinks/custom-post-type-permalinks.php")),
		setOption("rewrite_rules", "a:2:{"+rules+"}"),
		"REPLACE INTO wp_users (ID, user_login, user_nicename, user_email, display_name) VALUES (1, 'admin', 'admin', '', '')", "DELETE FROM wp_posts", "DELETE FROM wp_terms", "DELETE FROM wp_term_taxonomy", "DELETE FROM wp_term_relationships",
		addPost(1, "book", "publish", "one", 0), addPost(2, "book", "publish", "two", 1), addPost(3, "book", "publish", "three", 0),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'Zeta', 'zeta'), (8, 'alpha', 'alpha'), (9, 'Beta', 'beta')",
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
VALUES (7, 7, 'shelf', '', 0, 2), (8, 8, 'shelf', '', 7, 2), (9, 9, 'shelf', '', 0, 1)`,
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 7), (1, 8), (2, 8), (2, 9)",
	}
	for _, c := range []struct {
		rule    string
		options []string
		want    map[string]string
	}{
		{"not chosen", nil, map[string]string{"1": "book/one", "2": "book/one/two", "3": "book/three", "8": "shelf/zeta/alpha/"}},
		{
			"dates and ids", []string{setOption("book_structure", "/%year%/%hour%/%post_id%/%postname%/")},
			map[string]string{"1": "book/2024/05/1/one/", "2": "book/2024/05/2/one/two/", "3": "book/2024/05/3/three/", "8": "shelf/zeta/alpha/"},
		},
		{
			"terms", []string{setOption("book_structure", "/%shelf%-x/%author%/%post_id%"), setOption("no_taxonomy_structure", "")},
			map[string]string{"1": "book/zeta/alpha-x/admin/1", "2": "book/zeta/alpha-x/admin/2", "3": "book/%shelf%-x/admin/3", "8": "book/shelf/zeta/alpha/"},
		},
		{"terms have none", []string{setOption("no_taxonomy_structure", "1")}, map[string]string{"1": "book/one", "2": "book/one/two", "3": "book/three", "8": "shelf/zeta/alpha/"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, append(seed, c.options...)...)
			blog := openSite(t, wp.Source{DSN: dsn, Overrides: registry.Overrides{Taxonomies: map[string]registry.TaxonomyOverride{
				"shelf": {Public: new(true), ObjectTypes: []string{"book"}},
			}}})
			got := pathsOf(t, blog, "https://a.test/", []int64{1, 2, 3}, map[string][]int64{"shelf": {8}})
			expect.Same(t, c.want, got)
			if book := blog.Blog.Registry().PostType("book"); !book.Public {
				t.Errorf("the plugin has structures of public types alone: %+v", book)
			}
		})
	}
}

// What is wanted was printed by WordPress 7.0.4 with Tutor LMS 4.0.3 for the same tree.
func TestLessonsBelowCourses(t *testing.T) {
	seed := []string{
		setOption("home", "https://a.test"), setOption("permalink_structure", "/%postname%/"), setOption("active_plugins", phpList("tutor/tutor.php")),
		setOption("tutor_option", "a:1:{"+phpText("lesson_permalink_base")+phpText("lektionen")+"}"), "DELETE FROM wp_posts",
		addPost(1, "courses", "publish", "great-course", 0), addPost(2, "topics", "publish", "t", 1), addPost(3, "lesson", "publish", "one", 2),
		addPost(4, "lesson", "publish", "alone", 0), addPost(5, "tutor_quiz", "publish", "in-topic", 2), addPost(6, "tutor_quiz", "publish", "in-lesson", 3),
		addPost(7, "tutor_quiz", "publish", "in-course", 1), addPost(8, "lesson", "publish", "in-meta", 0),
		addPost(9, "tutor_quiz", "publish", "in-nothing", 99),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (8, '_tutor_course_id_for_lesson', '1')",
	}
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, seed...)
	s := openSite(t, wp.Source{DSN: dsn})
	got := pathsOf(t, s, "https://a.test/courses/", []int64{3, 4, 5, 6, 7, 8, 9}, nil)
	want := map[string]string{
		"3": "great-course/lektionen/one/", "4": "sample-course/lektionen/alone/",
		"5": "great-course/quizzes/in-topic/", "6": "great-course/quizzes/in-lesson/", "7": "great-course/quizzes/in-course/",
		"8": "great-course/lektionen/in-meta/", "9": "sample-course/quizzes/in-nothing/",
	}
	expect.Same(t, want, got)
	expect.Equal(t, s.Fingerprint(), openSite(t, wp.Source{DSN: dsn}).Fingerprint(), "read twice it is another site")
	for _, c := range []struct {
		change string
		left   bool // WordPress' own sitemap of quizzes is left to PHP
	}{
		{"UPDATE wp_posts SET post_parent = 1 WHERE ID = 2", false},
		{"UPDATE wp_posts SET post_parent = 0 WHERE ID = 2", true},   // its topic is in no course
		{"UPDATE wp_posts SET post_parent = 99 WHERE ID = 2", false}, // there is no such course
		{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 6", false},
		{"UPDATE wp_posts SET post_parent = 0 WHERE ID = 9", true}, // it is in nothing
	} {
		wptest.Exec(t, dsn, c.change)
		if q := openSite(t, wp.Source{DSN: dsn}).Blog.Registry().PostType("tutor_quiz"); q.Undecided != c.left || q.Public == c.left {
			t.Errorf("%s: %+v", c.change, q)
		}
	}
}
