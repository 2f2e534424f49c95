package wp

import (
	"context"
	"crypto/md5"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// planted is a row of yoast_indexable for an object that has one, as Yoast writes it.
func planted(objectType string, id int, address, stored string) string {
	which := fmt.Sprintf("object_id = %d", id)
	if id == 0 {
		which = "object_sub_type = 'book'"
	}
	return fmt.Sprintf(`UPDATE wp_yoast_indexable SET permalink = '%s', permalink_hash = '%d:%x', version = 2, blog_id = 1,
object_last_modified = '2024-08-06 10:00:00', updated_at = '2026-01-0%s 00:00:00' WHERE object_type = '%s' AND %s`,
		address, len(address), md5.Sum([]byte(address)), stored, objectType, which)
}

// rules adds rewrite rules before those of the seed.
func rules(pairs ...string) string {
	var b strings.Builder
	for _, s := range pairs {
		fmt.Fprintf(&b, `s:%d:"%s";`, len(s), s)
	}
	return fmt.Sprintf(`UPDATE wp_options SET option_value = REPLACE(option_value, 'a:89:{', 'a:%d:{%s') WHERE option_name = 'rewrite_rules'`,
		89+len(pairs)/2, b.String())
}

// An object that was given its language after Yoast had stored its address has the address of that language.
func TestWitnessesOfBeforeLanguages(t *testing.T) {
	const seen = `INSERT INTO wp_yoast_indexable (id, object_id, object_type, object_sub_type) VALUES (1, 1002, 'post', 'post'), (2, 1003, 'post', 'post'),
(3, 1022, 'term', 'category')`
	t.Parallel()
	for name, stored := range map[string][]string{
		"none": {"/bonjour/", "/hallo/", "/category/actualites/"}, "another one": {"/de/bonjour/", "/fr/hallo/", "/de/category/actualites/"},
		"one was stored again": {"/bonjour/", "/de/hallo/", "/category/actualites/"},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
		wptest.Exec(t, dsn, seen, `REPLACE INTO wp_options (option_name, option_value) VALUES ('rewrite_rules', 'a:4:{`+
			`s:25:"(fr|de)/category/(.+?)/?$";s:52:"index.php?lang=$matches[1]&category_name=$matches[2]";`+
			`s:17:"category/(.+?)/?$";s:35:"index.php?category_name=$matches[1]";`+
			`s:18:"(fr|de)/([^/]+)/?$";s:43:"index.php?lang=$matches[1]&name=$matches[2]";s:10:"([^/]+)/?$";s:26:"index.php?name=$matches[1]";}')`)
		for i, object := range []string{"post", "post", "term"} {
			wptest.Exec(t, dsn, planted(object, []int{1002, 1003, 1022}[i], "https://small.test"+stored[i], fmt.Sprint(i+1)),
				"UPDATE wp_yoast_indexable SET object_last_modified = '2030-01-01 00:00:00'")
		}
		s := openSite(t, Source{DSN: dsn})
		posts, err := s.Posts(t.Context(), []int64{1002, 1003}, nil)
		wptest.Must(t, err)
		terms, err := s.TermsByID(t.Context(), s.Registry().Taxonomy("category"), []int64{1022})
		wptest.Must(t, err)
		got := []string{posts[0].Link, posts[1].Link, terms[0].Link}
		want := []string{"https://small.test/fr/bonjour/", "https://small.test/de/hallo/", "https://small.test/fr/category/actualites/"}
		expect.List(t, got, want, name)
	}
}

// What plugins make of addresses by filters is believed where yoast_indexable has it and nothing speaks against the row.
func TestWitnesses(t *testing.T) {
	const (
		site  = "https://example.test"
		tide  = site + "/library/the-tide-table/"
		knot  = site + "/library/the-knot-book/"
		shelf = site + "/by/ann/stories/the-tide-table/"
		desk  = site + "/by/ben/stories/the-knot-book/"
		hand  = site + "/somewhere/else.html"
		genre = site + "/genre/fiction/"
		tree  = site + "/genre/fiction/sea-stories/"
	)
	post := func(id int, address, stored string) string { return planted("post", id, address, stored) }
	stories := rules("by/([^/]+)/stories/([^/]+)/?$", "index.php?post_type=book&name=$matches[2]")
	for _, tt := range []struct {
		name string
		rows []string
		want []string // tide, knot, archive, fiction, sea stories
	}{
		{"nothing is stored by a Yoast that can be believed", nil, []string{tide, knot}},
		{"what is stored agrees", []string{post(200, tide, "1"), post(201, strings.Replace(knot, "-", "%2D", 1), "1")}, []string{tide, knot}},
		{"a filter of a plugin", []string{stories, post(200, shelf, "1"), post(201, desk, "1")}, []string{shelf, desk}},
		{"a filter, and an object without a row", []string{stories, post(200, shelf, "1"), "DELETE FROM wp_yoast_indexable WHERE object_id = 201"},
			[]string{shelf, ""}},
		{"a filter, and a row older than its object", []string{stories, post(200, shelf, "1"), post(201, desk, "1"),
			"UPDATE wp_yoast_indexable SET object_last_modified = '2024-08-06 09:59:59' WHERE object_id = 201"}, []string{shelf, ""}},
		{"one address that a filter made after a row was stored", []string{stories, post(200, shelf, "2"), post(201, knot, "1")}, []string{shelf, knot}},
		{"a filter that was there before a row", []string{stories, post(200, shelf, "1"), post(201, knot, "2")}, []string{tide, knot}},
		{"an index that was never rebuilt", []string{post(200, site+"/books/the-tide-table/", "1"), post(201, site+"/books/the-knot-book/", "1")},
			[]string{tide, knot}},
		{"an index of before there were rules", []string{post(200, site+"/?book=the-tide-table", "1"), post(201, site+"/?post_type=book&p=201", "1"),
			planted("term", 40, site+"/?genre=fiction", "1"), planted("term", 41, site+"/?genre=sea-stories", "1")}, []string{tide, knot}},
		{"a part of an index of before there were rules", []string{post(200, site+"/?book=the-tide-table", "1"), post(201, knot, "1")},
			[]string{tide, knot}},
		{"an index of other permalinks", []string{stories, post(200, shelf, "1"), post(201, desk, "1"),
			`UPDATE wp_options SET option_value = REPLACE(option_value, 's:12:"/%postname%/"', 's:12:"/%post_id%//"') WHERE option_name = 'wpseo'`},
			[]string{tide, knot}},
		{"Yoast is not active", []string{stories, post(200, shelf, "1"), post(201, desk, "1"),
			`UPDATE wp_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'`}, []string{tide, knot}},
		{"an address set by hand", []string{post(200, hand, "1"), post(201, knot, "2")}, []string{hand, knot}},
		{"permalinks were reset", []string{stories, post(200, shelf, "1"), post(201, desk, "1"),
			"UPDATE wp_yoast_indexable SET permalink = NULL, permalink_hash = NULL, version = 0"}, []string{tide, knot}},
		{"another host", []string{post(200, "https://evil.test/by/ann/stories/the-tide-table/", "1"), post(201, knot, "1")}, []string{tide, knot}},
		{"another scheme", []string{post(200, "http"+strings.TrimPrefix(hand, "https"), "1"), post(201, knot, "1")}, []string{tide, knot}},
		{"a user in it", []string{post(200, "https://me@example.test/else/", "1"), post(201, knot, "1")}, []string{tide, knot}},
		{"64 KB", []string{post(200, site+"/"+strings.Repeat("a", 1<<16), "1"), post(201, knot, "1")}, []string{tide, knot}},
		{"2,048 characters", []string{post(200, site+"/"+strings.Repeat("a", 2048-1-len(site)), "1"), post(201, knot, "1")}, []string{tide, knot}},
		{"control characters", []string{post(200, site+"/a\nb/", "1"), post(201, knot, "1")}, []string{tide, knot}},
		{"of another blog", []string{post(200, hand, "1"), post(201, knot, "1"), "UPDATE wp_yoast_indexable SET blog_id = 2"}, []string{tide, knot}},
		{"of another text", []string{post(200, hand, "1"), post(201, knot, "1"),
			"UPDATE wp_yoast_indexable SET permalink_hash = '1:x' WHERE object_id = 200"}, []string{tide, knot}},
		{"an archive", []string{rules("reading/?$", "index.php?post_type=book"), planted("post-type-archive", 0, site+"/reading/", "1")},
			[]string{tide, knot, site + "/reading/"}},
		{"an archive where no rule leads", []string{planted("post-type-archive", 0, site+"/reading/", "1")}, []string{tide, knot}},
		{"terms", []string{planted("term", 40, genre+"?all=40", "1"), planted("term", 41, tree+"?all=41", "1")},
			[]string{tide, knot, site + "/library/", genre + "?all=40", tree + "?all=41"}},
		{"a term without a row", []string{planted("term", 40, genre+"?all=40", "1"), "DELETE FROM wp_yoast_indexable WHERE object_id = 41"},
			[]string{tide, knot, site + "/library/", genre + "?all=40", ""}},
		{"terms behind &#038;, where Yoast sees a fragment", []string{planted("term", 40, site+"/?terms%5B%5D=40&", "1"),
			planted("term", 41, site+"/?terms%5B%5D=41&", "1")}, []string{tide, knot, site + "/library/", byPHP, byPHP}},
		{"one term of them", []string{planted("term", 40, genre, "1"), planted("term", 41, site+"/?terms%5B%5D=41&", "2")},
			[]string{tide, knot, site + "/library/", genre, ""}},
		{"all but one of before the filter", []string{post(200, site+"/?a=200&", "2"), post(201, site+"/?a=201&", "2"),
			"INSERT INTO wp_yoast_indexable (object_type, object_sub_type, object_id) VALUES ('post', 'book', 2020)", post(2020, site+"/library/third/", "1"),
			"INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_date, post_date_gmt, post_modified, post_modified_gmt, post_content, " +
				"post_title, post_excerpt, to_ping, pinged, post_content_filtered) VALUES (2020, 'book', 'publish', 'third', '2024-01-01', '2024-01-01', " +
				"'2024-01-01', '2024-01-01', '', '', '', '', '', '')"}, []string{byPHP, byPHP}},
		{"terms on one page, without their fragments", []string{planted("term", 40, site+"/words/", "1"), planted("term", 41, site+"/words/", "1")},
			[]string{tide, knot, site + "/library/", byPHP, byPHP}},
		{"posts on one page", []string{post(200, site+"/words/", "1"), post(201, site+"/words/", "1")}, []string{byPHP, byPHP}},
		{"home, as of before permalinks changed", []string{post(200, site+"/", "1"), post(201, site+"/", "1")}, []string{tide, knot}},
		{"two with a query", []string{planted("term", 40, genre+"?a=1&b=2", "1"), planted("term", 41, tree+"?a=1&b=2", "1")},
			[]string{tide, knot, site + "/library/", genre + "?a=1&b=2", tree + "?a=1&b=2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "basic", "types")
				wptest.Exec(t, dsn, tt.rows...)
				got := addresses(t, openSite(t, Source{DSN: dsn}))
				want := append(tt.want, []string{tide, knot, site + "/library/", genre, tree}[len(tt.want):]...)
				expect.Same(t, want, got, "addresses")
			})
		})
	}
}

// Rows that name no address of the site are told.
func TestHostileWitnessesAreCounted(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	const want = "2 rows of table wp_yoast_indexable name no address of this site, and count for nothing"
	told := func() bool { return slices.Contains(openSite(t, Source{DSN: dsn}).Warnings(), want) }
	if told() {
		t.Error("of good rows")
	}
	wptest.Exec(t, dsn, planted("post", 200, "https://evil.test/the-tide-table/", "1"), planted("post", 201, "https://example.test/a\nb/", "1"))
	if !told() {
		t.Errorf("warnings: %q", openSite(t, Source{DSN: dsn}).Warnings())
	}
}

// Home is the address of the front page, whatever Yoast stored when it was a page like others.
func TestWitnessOfTheFrontPage(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	front := openSite(t, Source{DSN: dsn}).Settings().PageOnFront
	wptest.Exec(t, dsn, fmt.Sprintf("DELETE FROM wp_yoast_indexable WHERE object_type = 'post' AND object_id = %d", front),
		fmt.Sprintf("UPDATE wp_yoast_indexable SET object_id = %d, object_sub_type = 'page' WHERE object_type = 'post' AND object_id = 200", front),
		planted("post", int(front), "https://example.test/hand-made/", "1"))
	posts, err := openSite(t, Source{DSN: dsn}).Posts(t.Context(), []int64{front}, nil)
	if err != nil || len(posts) != 1 || posts[0].Link != "https://example.test/" {
		t.Errorf("%v, %+v", err, posts[0])
	}
}

// Posts with categories in their addresses, which Yoast stored before their categories changed, have those computed now.
func TestWitnessesOfOtherCategories(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '/%category%/%postname%/' WHERE option_name = 'permalink_structure'",
		`UPDATE wp_options SET option_value = REPLACE(option_value, 's:12:"/%postname%/"', 's:23:"/%category%/%postname%/"') WHERE option_name = 'wpseo'`)
	wptest.Exec(t, dsn, rules("(.+?)/([^/]+)/?$", "index.php?category_name=$matches[1]&name=$matches[2]"))
	ids := []int64{100, 120, 121}
	read := func() []string {
		s := openSite(t, Source{DSN: dsn})
		posts, err := s.Posts(t.Context(), ids, nil)
		wptest.Must(t, err)
		var links []string
		for _, p := range posts {
			links = append(links, p.Link)
		}
		return links
	}
	want := read()
	for i, link := range want {
		stored := link
		if i == 0 {
			stored = strings.Replace(link, "example.test/", "example.test/above/", 1)
		}
		wptest.Exec(t, dsn, strings.Replace(planted("post", int(ids[i]), stored, "1"), "2024-08-06", "2034-08-06", 1))
	}
	expect.Same(t, want, read(), "addresses")
}

// addresses are those of two books, their archive, and two genres.
// byPHP stands for addresses of a type that is left to PHP.
const byPHP = "by PHP"

func addresses(t *testing.T, s *Blog) []string {
	t.Helper()
	posts, err := s.Posts(t.Context(), []int64{200, 201}, nil)
	wptest.Must(t, err)
	archive, err := s.ArchiveLink(t.Context(), s.Registry().PostType("book"))
	wptest.Must(t, err)
	terms, err := s.TermsByID(t.Context(), s.Registry().Taxonomy("genre"), []int64{40, 41})
	wptest.Must(t, err)
	found := []string{posts[0].Link, posts[1].Link, archive, terms[0].Link, terms[1].Link}
	if s.Registry().PostType("book").Undecided {
		found[0], found[1] = byPHP, byPHP
	}
	if s.Registry().Taxonomy("genre").Undecided {
		found[3], found[4] = byPHP, byPHP
	}
	return found
}

// While WordPress has emptied the rewrite rules, or Yoast what it has stored, addresses are known as they were before.
func TestWitnessesWithoutRules(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	address := "https://example.test/by/ann/stories/the-tide-table/"
	wptest.Exec(t, dsn, rules("by/([^/]+)/stories/([^/]+)/?$", "index.php?post_type=book&name=$matches[2]"))
	wptest.Exec(t, dsn, planted("post", 200, address, "1"))
	before := openSite(t, Source{DSN: dsn}).Routed()
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '' WHERE option_name = 'rewrite_rules'")
	n := open(t, Source{DSN: dsn})
	n.RouteAs(func(int64) string { return before })
	sites, err := n.ReadBlogs(t.Context())
	wptest.Must(t, err)
	if got := addresses(t, sites[0])[:2]; !cmp.Equal(got, []string{address, ""}) {
		t.Errorf("addresses: %q", got)
	}
	wptest.Exec(t, dsn, "UPDATE wp_yoast_indexable SET permalink = NULL")
	if sites, err = n.ReadBlogs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := addresses(t, sites[0])[:2]; !cmp.Equal(got, []string{"", ""}) {
		t.Errorf("addresses after Yoast has reset them: %q", got)
	}
}

// Where rewrite rules do not tell, the site is asked, once while plugins and permalinks are the same.
func TestWitnessesAreAskedFor(t *testing.T) {
	const (
		tide, knot   = "https://example.test/library/the-tide-table/", "https://example.test/library/the-knot-book/"
		tides, knots = "https://example.test/books/the-tide-table/", "https://example.test/books/the-knot-book/"
	)
	for _, tt := range []struct {
		name   string
		there  []string // pages; others are redirected
		books  bool     // is in all of their canonicals
		status int      // of pages
		want   []string
		asked  int
		trust  bool
	}{
		{"those computed name those that are stored", []string{tide, tides, knot, knots}, true, 200, []string{tides, knots}, 4, true},
		{"those that are stored are there", []string{tides, knots}, false, 200, []string{tides, knots}, 4, true},
		{"those computed are there", []string{tide, knot}, false, 200, []string{tide, knot}, 4, true},
		{"one of each", []string{tides, knot}, false, 200, []string{tide, knot}, 4, false},
		{"both", []string{tide, tides, knot, knots}, false, 200, []string{tide, knot}, 2, false},
		{"maintenance", []string{tide, tides, knot, knots}, false, 503, []string{tide, knot}, 1, false},
		{"no answer", []string{tide, tides, knot, knots}, false, 0, []string{tide, knot}, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
			wptest.Exec(t, dsn, planted("post", 200, tides, "1"), planted("post", 201, knots, "1"))
			asked, remembered := 0, ""
			read := func() *Blog {
				t.Helper()
				n := open(t, Source{DSN: dsn, Ask: func(_ context.Context, address string) (Response, error) {
					asked++
					if slices.Contains(tt.there, address) {
						page := Response{Status: tt.status}
						if tt.books {
							page.Elsewhere = strings.Replace(address, "/library/", "/books/", 1)
						}
						return page, nil
					}
					return Response{Status: 301}, nil
				}})
				n.RouteAs(func(int64) string { return remembered })
				sites, err := n.ReadBlogs(t.Context())
				wptest.Must(t, err)
				remembered = sites[0].Routed()
				return sites[0]
			}
			for range 2 {
				s := read()
				if diff := cmp.Diff(tt.want, addresses(t, s)[:2]); diff != "" || s.Addressing(s.Registry().PostType("book")).Asked > 0 != tt.trust {
					t.Errorf("%+v, addresses, expected (-) and got (+):\n%s", s.Addressing(s.Registry().PostType("book")), diff)
				}
			}
			expect.Equal(t, asked, tt.asked, "asked for", "pages")
			wptest.Exec(t, dsn, `UPDATE wp_options SET option_value = 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}' WHERE option_name = 'active_plugins'`)
			if read(); asked != 2*tt.asked {
				t.Errorf("asked for %d pages after a change of plugins, want %d", asked, 2*tt.asked)
			}
		})
	}
}

// Where a filter has made the newest of the stored addresses, the site is asked whether older ones still hold.
func TestWitnessesOfAFilterThatCame(t *testing.T) {
	const knot, shelf = "https://example.test/library/the-knot-book/", "https://example.test/by/ann/stories/the-tide-table/"
	for status, want := range map[int][]string{200: {shelf, knot}, 301: {shelf, ""}, 500: {shelf, knot}} {
		dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
		wptest.Exec(t, dsn, planted("post", 200, shelf, "2"), planted("post", 201, knot, "1"))
		wptest.Exec(t, dsn, rules("by/([^/]+)/stories/([^/]+)/?$", "index.php?post_type=book&name=$matches[2]"))
		s := openSite(t, Source{DSN: dsn, Ask: func(_ context.Context, address string) (Response, error) {
			expect.Equal(t, address, knot)
			return Response{Status: status}, nil
		}})
		expect.Same(t, want, addresses(t, s)[:2], "status", status, "addresses")
	}
}
