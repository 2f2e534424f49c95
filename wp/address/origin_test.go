package address

import (
	"context"
	"crypto/md5"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp"
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
func TestStoredAddressesOlderThanLanguages(t *testing.T) {
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
		s := openSite(t, wp.Source{DSN: dsn})
		posts, err := s.Posts(t.Context(), []int64{1002, 1003}, nil)
		wptest.Must(t, err)
		terms, err := s.TermsByID(t.Context(), s.Blog.Registry().Taxonomy("category"), []int64{1022})
		wptest.Must(t, err)
		got := []string{posts[0].Link, posts[1].Link, terms[0].Link}
		want := []string{"https://small.test/fr/bonjour/", "https://small.test/de/hallo/", "https://small.test/fr/category/actualites/"}
		expect.List(t, got, want, name)
	}
}

// Without a site to ask, stored addresses count if all of a type are stored in another form, and today's rewrite rules answer it.
func TestStoredAddresses(t *testing.T) {
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
		{"a filter, and a part of an address", []string{stories, post(200, shelf, "1"), post(201, desk+"?a&", "1")}, []string{shelf, ""}},
		{"one address that a filter made after a row was stored", []string{stories, post(200, shelf, "2"), post(201, knot, "1")}, []string{tide, knot}},
		{"an index that was never rebuilt", []string{post(200, site+"/books/the-tide-table/", "1"), post(201, site+"/books/the-knot-book/", "1")},
			[]string{byPHP, byPHP}},
		{"slugs that SQL has changed", []string{post(200, site+"/library/tides/", "1"), post(201, site+"/library/knots/", "1"),
			planted("term", 40, site+"/genre/novels/", "1"), planted("term", 41, site+"/genre/novels/sea-stories/", "1")}, []string{tide, knot}},
		{"parents that were in the trash", []string{post(200, site+"/above__trashed/the-tide-table/", "1"),
			post(201, site+"/above__trashed/the-knot-book/", "1")}, []string{tide, knot}},
		{"an index of before there were rules", []string{post(200, site+"/?book=the-tide-table", "1"), post(201, site+"/?post_type=book&p=201", "1"),
			planted("term", 40, site+"/?genre=fiction", "1"), planted("term", 41, site+"/?genre=sea-stories", "1")}, []string{tide, knot}},
		{"a part of an index of before there were rules", []string{post(200, site+"/?book=the-tide-table", "1"), post(201, knot, "1")},
			[]string{tide, knot}},
		{"an index of other permalinks", []string{stories, post(200, shelf, "1"), post(201, desk, "1"),
			`UPDATE wp_options SET option_value = REPLACE(option_value, 's:12:"/%postname%/"', 's:12:"/%post_id%//"') WHERE option_name = 'wpseo'`},
			[]string{tide, knot}},
		{"Yoast is not active", []string{stories, post(200, shelf, "1"), post(201, desk, "1"),
			`UPDATE wp_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'`}, []string{tide, knot}},
		{"an address set by hand", []string{post(200, hand, "1"), post(201, knot, "2")}, []string{tide, knot}},
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
		{"terms with a query", []string{planted("term", 40, genre+"?all=40", "1"), planted("term", 41, tree+"?all=41", "1")},
			[]string{tide, knot, site + "/library/", genre + "?all=40", tree + "?all=41"}},
		{"a term without a row", []string{planted("term", 40, genre+"?all=40", "1"), "DELETE FROM wp_yoast_indexable WHERE object_id = 41"},
			[]string{tide, knot, site + "/library/", genre + "?all=40", ""}},
		{"terms behind &#038;, where Yoast sees a fragment", []string{planted("term", 40, site+"/?terms%5B%5D=40&", "1"),
			planted("term", 41, site+"/?terms%5B%5D=41&", "1")}, []string{tide, knot, site + "/library/", byPHP, byPHP}},
		{"one term of them", []string{planted("term", 40, genre, "1"), planted("term", 41, site+"/?terms%5B%5D=41&", "2")},
			[]string{tide, knot}},
		{"terms on one page, without their fragments", []string{planted("term", 40, site+"/words/", "1"), planted("term", 41, site+"/words/", "1")},
			[]string{tide, knot, site + "/library/", byPHP, byPHP}},
		{"posts on one page", []string{post(200, site+"/words/", "1"), post(201, site+"/words/", "1")}, []string{byPHP, byPHP}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "basic", "types")
				wptest.Exec(t, dsn, tt.rows...)
				got := addresses(t, openSite(t, wp.Source{DSN: dsn}))
				want := append(tt.want, []string{tide, knot, site + "/library/", genre, tree}[len(tt.want):]...)
				expect.Same(t, want, got, "addresses")
			})
		})
	}
}

// Rows that name no address of the site are told.
func TestForeignRowsAreCounted(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	const want = "2 rows of table wp_yoast_indexable name no address of this site, and are ignored"
	told := func() bool { return slices.Contains(openSite(t, wp.Source{DSN: dsn}).Blog.Warnings(), want) }
	if told() {
		t.Error("of good rows")
	}
	wptest.Exec(t, dsn, planted("post", 200, "https://evil.test/the-tide-table/", "1"), planted("post", 201, "https://example.test/a\nb/", "1"))
	if !told() {
		t.Errorf("warnings: %q", openSite(t, wp.Source{DSN: dsn}).Blog.Warnings())
	}
}

// Home is the address of the front page, whatever Yoast stored when it was a page like others.
func TestStoredAddressOfTheFrontPage(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	front := openSite(t, wp.Source{DSN: dsn}).Blog.Settings().PageOnFront
	wptest.Exec(t, dsn, fmt.Sprintf("DELETE FROM wp_yoast_indexable WHERE object_type = 'post' AND object_id = %d", front),
		fmt.Sprintf("UPDATE wp_yoast_indexable SET object_id = %d, object_sub_type = 'page' WHERE object_type = 'post' AND object_id = 200", front),
		planted("post", int(front), "https://example.test/hand-made/", "1"))
	posts, err := openSite(t, wp.Source{DSN: dsn}).Posts(t.Context(), []int64{front}, nil)
	if err != nil || len(posts) != 1 || posts[0].Link != "https://example.test/" {
		t.Errorf("%v, %+v", err, posts[0])
	}
}

// A stored URL that is not used comes with the reason. An object without such a URL has no doubt.
func TestDoubts(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	const site = "https://example.test"
	wptest.Exec(t, dsn, planted("post", 200, site+"/by-hand/", "2"), planted("post", 201, site+"/library/the-knot-book/", "1"),
		planted("term", 40, site+"/fiction/", "2"), planted("term", 41, site+"/genre/fiction/sea-stories/", "1"))
	s := openSite(t, wp.Source{DSN: dsn})
	posts, err := s.Posts(t.Context(), []int64{200, 201}, nil)
	wptest.Must(t, err)
	genre := s.Blog.Registry().Taxonomy("genre")
	terms, err := s.TermsByID(t.Context(), genre, []int64{40, 41})
	wptest.Must(t, err)
	draft := *posts[0]
	draft.Status = "draft"
	post := func(p *Post) func() (*Doubt, error) {
		return func() (*Doubt, error) { return s.DoubtOfPost(t.Context(), p) }
	}
	term := func(of *Term) func() (*Doubt, error) {
		return func() (*Doubt, error) { return s.DoubtOfTerm(t.Context(), genre, of) }
	}
	for _, tt := range []struct {
		rule   string
		of     func() (*Doubt, error)
		stored string
	}{
		{"another URL of a post", post(posts[0]), site + "/by-hand/"},
		{"the same URL of a post", post(posts[1]), ""},
		{"a draft", post(&draft), ""},
		{"another URL of a term", term(terms[0]), site + "/fiction/"},
		{"the same URL of a term", term(terms[1]), ""},
	} {
		d, err := tt.of()
		wptest.Must(t, err)
		if (d == nil) != (tt.stored == "") || d != nil && d.Stored != tt.stored {
			t.Errorf("%s: %+v", tt.rule, d)
		}
	}
}

// byPHP stands for addresses of a type that is left to PHP.
const byPHP = "by PHP"

// addresses are those of two books, their archive, and two genres.
func addresses(t *testing.T, s *Book) []string {
	t.Helper()
	posts, err := s.Posts(t.Context(), []int64{200, 201}, nil)
	wptest.Must(t, err)
	archive, err := s.ArchiveLink(t.Context(), s.Blog.Registry().PostType("book"))
	wptest.Must(t, err)
	terms, err := s.TermsByID(t.Context(), s.Blog.Registry().Taxonomy("genre"), []int64{40, 41})
	wptest.Must(t, err)
	found := []string{posts[0].Link, posts[1].Link, archive, terms[0].Link, terms[1].Link}
	if s.Blog.Registry().PostType("book").Undecided {
		found[0], found[1] = byPHP, byPHP
	}
	if s.Blog.Registry().Taxonomy("genre").Undecided {
		found[3], found[4] = byPHP, byPHP
	}
	return found
}

// While WordPress has emptied the rewrite rules, stored addresses are those they were. If Yoast has emptied its table, the type is left to PHP.
func TestStoredAddressesWithoutRules(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	address := "https://example.test/by/ann/stories/the-tide-table/"
	wptest.Exec(t, dsn, rules("by/([^/]+)/stories/([^/]+)/?$", "index.php?post_type=book&name=$matches[2]"), planted("post", 200, address, "1"))
	before := openSite(t, wp.Source{DSN: dsn}).Routed()
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '' WHERE option_name = 'rewrite_rules'")
	n := open(t, wp.Source{DSN: dsn})
	n.RouteAs(func(int64) string { return before })
	sites, err := ReadAll(t.Context(), n)
	wptest.Must(t, err)
	expect.Same(t, []string{address, ""}, addresses(t, sites[0])[:2], "addresses without rules")
	wptest.Exec(t, dsn, "UPDATE wp_yoast_indexable SET permalink = NULL")
	sites, err = ReadAll(t.Context(), n)
	wptest.Must(t, err)
	expect.Same(t, []string{byPHP, byPHP}, addresses(t, sites[0])[:2], "addresses after Yoast has reset them")
}

// Those computed stand until there is proof against them.
func TestAddressesAreDecided(t *testing.T) {
	another, mixed := clues{form: 3, rules: true}, clues{agree: 1, detail: 1, form: 9, rules: true}
	with := func(c clues, change func(*clues)) clues { change(&c); return c }
	for name, tt := range map[string]struct {
		clues clues
		want  Origin
	}{
		"nothing is stored":                    {clues{rules: true}, asComputed},
		"what is stored agrees":                {clues{agree: 3, rules: true}, asComputed},
		"other slugs and parents":              {clues{detail: 3, rules: true}, asComputed},
		"some of another form":                 {mixed, asComputed},
		"some, which rules answer":             {with(mixed, func(c *clues) { c.answered = true }), asComputed},
		"all of another form":                  {another, ByPHP},
		"rules answer these":                   {with(another, func(c *clues) { c.answered = true }), AsStored},
		"the site answers these":               {with(another, func(c *clues) { c.answer.Right = rightStored }), AsStored},
		"the site answers those computed":      {with(another, func(c *clues) { c.answered, c.answer.Right = true, rightComputed }), asComputed},
		"the site answers neither":             {with(another, func(c *clues) { c.answered, c.answer = true, answer{Right: rightElsewhere, Shown: "404"} }), ByPHP},
		"a known plugin":                       {with(another, func(c *clues) { c.filtered = true }), AsStored},
		"a known plugin, and the site":         {with(another, func(c *clues) { c.filtered, c.answer.Right = true, rightComputed }), asComputed},
		"a known plugin, and nothing stored":   {clues{filtered: true, rules: true}, asComputed},
		"the configuration":                    {with(another, func(c *clues) { c.operator, c.answer.Right = true, rightStored }), asComputed},
		"elsewhere, and nothing stored":        {clues{rules: true, answer: answer{Right: rightElsewhere, Shown: "404"}}, ByPHP},
		"elsewhere, and rows agree":            {clues{agree: 3, rules: true, answer: answer{Right: rightElsewhere, Shown: "404"}}, ByPHP},
		"no rules, as stored before":           {clues{form: 3, before: AsStored}, AsStored},
		"no rules, not as stored before":       {clues{form: 3}, ByPHP},
		"nothing stored now":                   {clues{rules: true, before: AsStored}, ByPHP},
		"still nothing stored":                 {clues{rules: true, before: ByPHP}, ByPHP},
		"nothing stored now, the site answers": {clues{rules: true, before: ByPHP, answer: answer{Right: rightComputed}}, asComputed},
		"stored again, as computed":            {clues{agree: 1, rules: true, before: ByPHP}, asComputed},
	} {
		got, why := tt.clues.decide()
		if got != tt.want || (got != asComputed) && why == "" {
			t.Errorf("%s: %d, %q, want %d", name, got, why, tt.want)
		}
	}
}

// A stored address that differs makes us ask. It counts if the site answers it alone, with itself as canonical.
func TestSuspicions(t *testing.T) {
	const tide, knot, hand = "https://example.test/library/the-tide-table/", "https://example.test/library/the-knot-book/", "https://example.test/by-hand/"
	one := []string{planted("post", 200, hand, "1"), planted("post", 201, knot, "1")}
	two := []string{planted("post", 200, hand+"1/", "1"), planted("post", 201, hand+"2/", "1")}
	for _, tt := range []struct {
		name      string
		rows      []string
		answers   map[string]wp.Response // by the begin of an address; other books are 404
		want      []string
		unchanged bool // by what the site says
	}{
		{"the stored one", one, map[string]wp.Response{hand: says(200, "self"), knot: says(200, "self")}, []string{hand, knot}, false},
		{"it redirects", one, map[string]wp.Response{hand: says(200, "self"), tide: says(301, hand), knot: says(200, "self")}, []string{hand, knot}, false},
		{"the computed one", one, map[string]wp.Response{tide: says(200, "self"), knot: says(200, "self")}, []string{tide, knot}, true},
		{"both", one, map[string]wp.Response{hand: says(200, "self"), tide: says(200, "self"), knot: says(200, "self")}, []string{tide, knot}, true},
		{"both name the stored one", one, map[string]wp.Response{hand: says(200, "self"), tide: says(200, hand), knot: says(200, "self")}, []string{hand, knot}, false},
		{"no canonical", one, map[string]wp.Response{hand: says(200, ""), knot: says(200, "self")}, []string{tide, knot}, true},
		{"neither", one, map[string]wp.Response{knot: says(200, "self")}, []string{tide, knot}, true},
		{"maintenance", one, map[string]wp.Response{"": says(503, "")}, []string{tide, knot}, true},
		{"a type as stored", two, map[string]wp.Response{hand: says(200, "self")}, []string{hand + "1/", hand + "2/"}, false},
		{"a type as computed", two, map[string]wp.Response{tide: says(200, "self"), knot: says(200, "self")}, []string{tide, knot}, false},
		{"one of each", two, map[string]wp.Response{hand + "1/": says(200, "self"), knot: says(200, "self")}, []string{byPHP, byPHP}, true},
		{"a type that is closed", two, map[string]wp.Response{"": says(403, "")}, []string{byPHP, byPHP}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
			wptest.Exec(t, dsn, tt.rows...)
			remembered := ""
			n := open(t, wp.Source{DSN: dsn, Ask: func(_ context.Context, address string) (wp.Response, error) {
				for begin, page := range tt.answers {
					if strings.HasPrefix(address, begin) {
						if page.Elsewhere == "self" {
							page.Elsewhere = address
						}
						return page, nil
					}
				}
				if !strings.Contains(address, "/library/") && !strings.Contains(address, "/by-hand/") {
					return says(200, address), nil
				}
				return wp.Response{Status: 404}, nil
			}})
			n.RouteAs(func(int64) string { return remembered })
			read := func() *Book {
				t.Helper()
				sites, err := ReadAll(t.Context(), n)
				wptest.Must(t, err)
				return sites[0]
			}
			before := read()
			addresses(t, before) // which compares them with what is stored
			said, changed, err := before.Inquire(t.Context(), time.Now(), 0)
			wptest.Must(t, err)
			expect.Equal(t, changed, !tt.unchanged, "what the site says changes addresses", said)
			remembered = said.Into(before.Routed())
			after := read()
			expect.Same(t, tt.want, addresses(t, after)[:2], "addresses")
			expect.Equal(t, before.Fingerprint() != after.Fingerprint(), changed, "the fingerprint changes")
			if addresses(t, after); after.Inquires(time.Now()) {
				t.Error("asks again")
			}
			expect.Equal(t, after.Inquires(time.Now().Add(inquireEvery)), true, "asks again, later")
		})
	}
}

// What is stored below the database's home is below the home of the configuration, as the news of Yoast are.
func TestMovedAddresses(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	for stored, want := range map[string]string{
		"https://example.test/a/": "https://new.test/sub/a/", "https://example.test/?p=1": "https://new.test/sub/?p=1", "https://example.test": "https://new.test/sub",
		"https://example.tests/a/": "https://example.tests/a/", "https://other.test/a/": "https://other.test/a/", "": "",
	} {
		expect.Equal(t, openSite(t, wp.Source{DSN: dsn, Home: "https://new.test/sub"}).Blog.Moved(stored), want, stored)
		expect.Equal(t, openSite(t, wp.Source{DSN: dsn}).Blog.Moved(stored), stored)
	}
}
