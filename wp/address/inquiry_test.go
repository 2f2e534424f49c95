package address

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The site shows where the addresses of a type are others than those computed, whatever plugin is active. What it answers for
// other reasons shows nothing.
func TestInquiry(t *testing.T) {
	const (
		site  = "https://example.test"
		books = site + "/library/"
		shelf = site + "/by/ann/stories/"
	)
	there := func(address string) (wp.Response, error) { return wp.Response{Status: 200}, nil }
	slug := func(address string) string { return strings.TrimPrefix(address, books) }
	to := func(status int, to func(address string) string) func(string) (wp.Response, error) {
		return func(address string) (wp.Response, error) {
			if !strings.HasPrefix(address, books) {
				return there(address)
			}
			return says(status, to(address)), nil
		}
	}
	nowhere := func(string) string { return "" }
	filtered := func(address string) string { return shelf + slug(address) }
	only := func(id string, answer func(string) (wp.Response, error)) func(string) (wp.Response, error) {
		return func(address string) (wp.Response, error) {
			if strings.Contains(address, id) {
				return there(address)
			}
			return answer(address)
		}
	}
	for _, tt := range []struct {
		name   string
		answer func(address string) (wp.Response, error)
		rows   []string // statements
		books  int      // beside the two of the seed
		wrong  string   // the part of what is said; "": nothing is wrong
	}{
		{name: "all are there", answer: there},
		{name: "a filter", answer: to(301, filtered), wrong: books + "the-tide-table/ leads to " + shelf + "the-tide-table/"},
		{name: "a filter that was never flushed", answer: to(404, nowhere), wrong: "the-tide-table/ answers 404"},
		{name: "a filter that came after Yoast SEO had stored what was true before", answer: to(301, filtered), wrong: "the-tide-table/ leads to",
			rows: []string{planted("post", 200, books+"the-tide-table/", "1"), planted("post", 201, books+"the-knot-book/", "1")}},
		{name: "other canonicals", answer: to(200, filtered), books: 1, wrong: "names " + shelf + "the-tide-table/ as canonical"},
		{name: "one is there", answer: only("knot", to(301, filtered)), books: 1},
		{name: "canonicals that somebody may have set", answer: to(200, filtered)},
		{name: "one canonical that somebody has set", answer: only("knot", only("tide", to(200, filtered))), books: 1},
		{name: "one canonical for all", answer: to(200, func(string) string { return site + "/shop/" }), books: 1},
		{name: "canonicals at another host", answer: to(200, func(a string) string { return "https://mother.test/" + slug(a) }), books: 1},
		{name: "its own canonical with another scheme", answer: to(200, func(a string) string { return strings.Replace(a, "https", "http", 1) })},
		{name: "a redirect that a person has set", answer: to(301, func(a string) string { return site + "/new/" + slug(a)[:3] })},
		{name: "a login", answer: to(302, func(a string) string { return site + "/wp-login.php?redirect_to=" + slug(a) })},
		{name: "a page for all", answer: to(301, func(string) string { return site + "/members/" }), books: 1},
		{name: "a type without rewriting now", answer: to(301, func(a string) string { return site + "/?book=" + strings.Trim(slug(a), "/") }),
			wrong: "the-tide-table/ leads to " + site + "/?book=the-tide-table"},
		{name: "a type without rewriting now, of three", answer: to(301, func(a string) string { return site + "/?book=" + strings.Trim(slug(a), "/") }),
			books: 1, wrong: "/?book="},
		{name: "home for all, in a language", answer: to(301, func(string) string { return site + "/?lang=nl" }), books: 1},
		{name: "www", answer: to(301, func(a string) string { return strings.Replace(a, "://", "://www.", 1) })},
		{name: "http", answer: to(301, func(a string) string { return strings.Replace(a, "https", "http", 1) })},
		{name: "a query", answer: to(301, func(a string) string { return a + "?seen=1" })},
		{name: "another site", answer: to(301, func(a string) string { return "https://moved.test/" + slug(a) })},
		{name: "maintenance", answer: to(503, nowhere)},
		{name: "a password", answer: to(401, nowhere)},
		{name: "no answer", answer: func(string) (wp.Response, error) { return wp.Response{}, errors.New("timeout") }},
		{name: "nothing is there at all", answer: func(string) (wp.Response, error) { return wp.Response{Status: 404}, nil }},
		{name: "nothing but home is there", answer: func(a string) (wp.Response, error) {
			if a == site+"/" {
				return there(a)
			}
			return wp.Response{Status: 404}, nil
		}},
		{name: "no address", answer: to(301, func(string) string { return "://" })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
			wptest.Exec(t, dsn, tt.rows...)
			if tt.books > 0 {
				wptest.Exec(t, dsn, "UPDATE wp_posts SET post_type = 'book' WHERE ID = 209")
			}
			asked := map[string]int{}
			s := openSite(t, wp.Source{DSN: dsn, Ask: func(_ context.Context, address string) (wp.Response, error) {
				asked[address]++
				return tt.answer(address)
			}})
			said, _, err := s.Inquire(t.Context(), time.Now(), 0)
			wptest.Must(t, err)
			if got := said["post book"].Shown; !strings.Contains(got, tt.wrong) || (got == "") != (tt.wrong == "") {
				t.Errorf("%q, want %q", got, tt.wrong)
			}
			for address, n := range asked {
				if n > 1 && address != site+"/" {
					t.Errorf("asked %d times for %s", n, address)
				}
			}
			if len(said) < 5 && tt.name != "no answer" || tt.name == "all are there" && len(asked) > len(said)+1 {
				t.Errorf("asked for %d pages of %d types", len(asked), len(said))
			}
		})
	}
}

// Of a type without rewriting whose plugin is gone, Yoast's rows remain, and WordPress shows home at its addresses.
func TestInquiryAboutATypeThatIsGone(t *testing.T) {
	for _, gone := range []bool{true, false} {
		s := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "basic", "types"), Ask: func(_ context.Context, address string) (wp.Response, error) {
			if gone && strings.Contains(address, "?flyer=") {
				return says(200, "https://example.test/"), nil
			}
			return says(200, address), nil
		}})
		said, changed, err := s.Inquire(t.Context(), time.Now(), 0)
		if err != nil || changed != gone || (said["post flyer"].Right == rightElsewhere) != gone {
			t.Errorf("gone %t: %+v, changed %t, %v", gone, said["post flyer"], changed, err)
		}
	}
}

// What a site has said is remembered until plugins, the theme or permalinks change, or an hour is over, and a type whose addresses
// are others is left to the site for as long.
func TestInquiryIsRemembered(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "types")
	status, asked, remembered, now := 301, 0, "", time.Now()
	read := func() *Book {
		t.Helper()
		n := open(t, wp.Source{DSN: dsn, Ask: func(_ context.Context, address string) (wp.Response, error) {
			asked++
			if status != 200 && strings.Contains(address, "/library/") {
				return says(status, strings.Replace(address, "library", "shelf", 1)), nil
			}
			return wp.Response{Status: 200}, nil
		}})
		n.RouteAs(func(int64) string { return remembered })
		sites, err := ReadAll(t.Context(), n)
		wptest.Must(t, err)
		return sites[0]
	}
	step := func(when string, asks, changed, left bool) {
		t.Helper()
		before := asked
		s := read()
		said, moved, err := s.Inquire(t.Context(), now, 0)
		wptest.Must(t, err)
		remembered = said.Into(s.Routed())
		s = read()
		book := s.Blog.Registry().PostType("book")
		if s.Inquires(now) || (asked > before) != asks || moved != changed || book.Public == left || book.Undecided != left {
			t.Errorf("%s: asked for %d pages, changed %t, %+v", when, asked-before, moved, book)
		}
	}
	step("a filter", true, true, true)
	step("again", false, false, true)
	status = 503
	now = now.Add(inquireEvery)
	step("an hour later, when the site is closed", true, false, true)
	wptest.Exec(t, dsn, `UPDATE wp_options SET option_value = REPLACE(option_value, 'advanced-custom-fields/acf', 'advanced-custom-fields/scf')
WHERE option_name = 'active_plugins'`)
	step("another plugin, when the site is closed", true, false, true)
	status = 200
	now = now.Add(inquireEvery)
	step("the filter is gone", true, true, false)
	status = 404
	step("again", false, false, false)
	wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES ('stylesheet', 'child')")
	step("another theme", true, true, true)
}

// A stored address that the site answers instead of the computed one does not depend on the posts above the post.
func TestStoredAddressesAreNotInTheTree(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	wptest.Exec(t, dsn, planted("post", 200, "https://example.test/somewhere/else.html", "1"), planted("post", 201, "https://example.test/library/the-knot-book/", "2"))
	remembered := ""
	read := func() *Book {
		n := open(t, wp.Source{DSN: dsn, Ask: func(_ context.Context, address string) (wp.Response, error) {
			if strings.Contains(address, "tide") {
				return says(404, ""), nil
			}
			return says(200, address), nil
		}})
		n.RouteAs(func(int64) string { return remembered })
		books, err := ReadAll(t.Context(), n)
		wptest.Must(t, err)
		return books[0]
	}
	inTree := func(b *Book) []int64 {
		ids, err := b.InTree(t.Context(), b.Blog.Registry().PostType("book"), []int64{200, 201})
		wptest.Must(t, err)
		return ids
	}
	b := read()
	expect.List(t, inTree(b), []int64{200, 201}, "before the site was asked")
	said, _, err := b.Inquire(t.Context(), time.Now(), 0)
	wptest.Must(t, err)
	remembered = said.Into(b.Routed())
	expect.List(t, inTree(read()), []int64{201}, "after the site was asked")
}

// A form of the operator with {path} names the slugs above a post, so that its posts are in the tree.
func TestFormsWithPathAreInTheTree(t *testing.T) {
	for form, want := range map[string][]int64{"/x/{path}/": {200, 201}, "/x/{slug}/": nil} {
		b := openSite(t, wp.Source{
			DSN: wptest.Load(t, wptest.SQLite, "basic", "types"), Overrides: registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"book": {URL: &form}}},
			Ask: func(_ context.Context, address string) (wp.Response, error) { return says(200, address), nil },
		})
		ids, err := b.InTree(t.Context(), b.Blog.Registry().PostType("book"), []int64{200, 201})
		wptest.Must(t, err)
		expect.List(t, ids, want, form)
	}
}

// What bbPress hides says nothing of the addresses of its type, as visitors get 404 for it: the site is not asked for that.
func TestInquiryLeavesOutHiddenReplies(t *testing.T) {
	dsn, public := wptest.Load(t, wptest.SQLite, "basic"), true
	wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:19:\"bbpress/bbpress.php\";}'), "+
		"('_bbp_private_forums', 'a:1:{i:0;i:9000;}')")
	for id := 9001; id <= 9020; id++ {
		parent := 9000 // a private forum
		if id <= 9005 {
			parent = 9100
		}
		wptest.Exec(t, dsn, fmt.Sprintf("INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_parent, post_author, post_date, post_date_gmt, post_modified, "+
			"post_modified_gmt, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered) VALUES (%d, 'reply', 'publish', 'reply-%d', %d, 1, "+
			"'2025-01-01 00:00:%02d', '2025-01-01 00:00:00', '2025-01-01 00:00:00', '2025-01-01 00:00:00', 't', '', '', '', '', '')", id, id, parent, id-9000))
	}
	s := openSite(t, wp.Source{DSN: dsn, Overrides: registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"reply": {Public: &public}}}})
	expectNewest(t, s, "reply", []int64{9003, 9004, 9005})
}

// Pages that WordPress does not find because of what is above them say nothing of the addresses of pages.
func TestInquiryLeavesOutLostPages(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	for id := 9001; id <= 9010; id++ {
		parent := 9999 // a page that is missing
		if id <= 9005 {
			parent = 0
		}
		wptest.Exec(t, dsn, fmt.Sprintf("INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_parent, post_author, post_date, post_date_gmt, post_modified, "+
			"post_modified_gmt, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered) VALUES (%d, 'page', 'publish', 'page-%d', %d, 1, "+
			"'2035-01-01 00:00:%02d', '2025-01-01 00:00:00', '2025-01-01 00:00:00', '2025-01-01 00:00:00', 't', '', '', '', '', '')", id, id, parent, id-9000))
	}
	expectNewest(t, openSite(t, wp.Source{DSN: dsn}), "page", []int64{9003, 9004, 9005})
}

func expectNewest(t *testing.T, b *Book, postType string, want []int64) {
	t.Helper()
	objects, err := b.newest(t.Context(), b.Blog.Registry().PostType(postType))
	wptest.Must(t, err)
	var ids []int64
	for _, o := range objects {
		ids = append(ids, o.id)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, want) {
		t.Errorf("the site is asked for %v, want the newest posts that visitors may see: %v", ids, want)
	}
}
