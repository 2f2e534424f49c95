package address

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func open(t *testing.T, src wp.Source) *wp.Network {
	t.Helper()
	src.Name, src.Declared = "shop", DeclaredForTests
	n, err := wp.Open(t.Context(), src)
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	return n
}

func openSite(t *testing.T, src wp.Source) *Book {
	t.Helper()
	books, err := ReadAll(t.Context(), open(t, src))
	wptest.Must(t, err)
	return books[0]
}

// says returns an answer of the site.
func says(status int, elsewhere string) wp.Response {
	return wp.Response{Status: status, Elsewhere: elsewhere}
}

// addPost is a statement that adds a post of user 1, for SQLite.
func addPost(id int, kind, status, name string, parent int) string {
	const at = "'2024-03-04 05:06:07'"
	return fmt.Sprintf("INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_parent, post_author, post_date, post_date_gmt, post_modified, "+
		"post_modified_gmt) VALUES (%d, '%s', '%s', '%s', %d, 1, %s, %[6]s, %[6]s, %[6]s)", id, kind, status, name, parent, at)
}

// setOption is a statement that stores an option.
func setOption(name, value string) string {
	return fmt.Sprintf("REPLACE INTO wp_options (option_name, option_value) VALUES ('%s', '%s')", name, value)
}

// phpText is a text as PHP serialises it.
func phpText(s string) string { return fmt.Sprintf(`s:%d:"%s";`, len(s), s) }

// phpList is a list of texts as PHP serialises it.
func phpList(texts ...string) string {
	var b strings.Builder
	for i, s := range texts {
		fmt.Fprintf(&b, `i:%d;s:%d:"%s";`, i, len(s), s)
	}
	return fmt.Sprintf("a:%d:{%s}", len(texts), b.String())
}

// Rows come in the order asked for, an attachment with its parent's address.
func TestPostsOrderAndContent(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		s := openSite(t, wp.Source{DSN: wptest.Load(t, e, "basic")})
		contents := map[int64]string{}
		posts, err := s.Posts(t.Context(), []int64{106, 6, 999, 58, 100}, func(p *Post, text string) { contents[p.ID] = strings.Clone(text) })
		wptest.Must(t, err)
		var links []string
		for _, p := range posts {
			links = append(links, p.Link)
		}
		want := []string{
			"https://example.test/long-read/", "https://example.test/about/crew/cook/", "https://example.test/gallery-day/gallery-a/",
			"https://example.test/the-pier-at-dawn/",
		}
		expect.Same(t, want, links, "links in the order asked for")
		if len(contents) != 4 || !strings.HasPrefix(contents[106], "First.<!--nextpage-->") || contents[58] != "" {
			t.Errorf("contents: %v", contents)
		}
	})
}

// A post in nothing but a category whose name is gone has the default category in its address.
func TestCategoryWithoutATerm(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic", "catprefix")
		link := func() string {
			posts, err := openSite(t, wp.Source{DSN: dsn}).Posts(t.Context(), []int64{100}, nil)
			if err != nil || len(posts) != 1 {
				t.Fatalf("%d posts, %v", len(posts), err)
			}
			return posts[0].Link
		}
		before := link()
		wptest.Exec(t, dsn, "DELETE FROM wp_terms WHERE term_id <> 1")
		const want = "https://example.test/uncategorized/the-pier-at-dawn/"
		if got := link(); got != want || before == want {
			t.Errorf("%s and then %s, want %s", before, got, want)
		}
	})
}

// GiveWP answers for the meta of its forms from a table of its own, once that was filled.
func TestMetaOfGiveForms(t *testing.T) {
	for _, c := range []struct {
		name, upgrades string
		want           int64
	}{
		{"moved", phpList("v20_move_metadata_into_new_table"), 90},
		{"not yet", phpList(), 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, setOption("active_plugins", phpList("give/give.php")), setOption("give_completed_upgrades", c.upgrades),
				addPost(70, "give_forms", "publish", "help", 0),
				"CREATE TABLE wp_give_formmeta (meta_id INTEGER PRIMARY KEY, form_id INTEGER, meta_key TEXT, meta_value TEXT)",
				"INSERT INTO wp_give_formmeta VALUES (1, 70, '_thumbnail_id', '90'), (2, 70, 'rank_math_robots', 'new')",
				"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (70, '_thumbnail_id', '80'), (70, 'rank_math_robots', 'old')")
			s := openSite(t, wp.Source{DSN: dsn})
			posts, err := s.Posts(t.Context(), []int64{70}, nil)
			if err != nil || len(posts) != 1 || posts[0].Thumbnail != c.want {
				t.Errorf("featured image %+v, want %d: %v", posts, c.want, err)
			}
			robots, err := s.Blog.MetaByKeys(t.Context(), nil, "rank_math_robots")
			want := map[int64]string{90: "new", 80: "old"}[c.want]
			if err != nil || robots["rank_math_robots"][70] != want {
				t.Errorf("robots %v, want %s: %v", robots, want, err)
			}
			robots, err = s.Blog.MetaOf(t.Context(), []int64{70}, "rank_math_robots")
			if err != nil || robots["rank_math_robots"][70] != want {
				t.Errorf("robots by post %v, want %s: %v", robots, want, err)
			}
		})
	}
}

// Checkout and account pages alone have links to https:, where WooCommerce is told so.
func TestSecured(t *testing.T) {
	const link = "http://shop.test/checkout/"
	for _, tt := range []struct {
		force   bool
		post    Post
		secured bool
	}{
		{true, Post{ID: 5, Type: "page"}, true}, {true, Post{ID: 6, Type: "page"}, true}, {true, Post{ID: 7, Type: "page"}, false},
		{true, Post{ID: 5, Type: "post"}, false}, {false, Post{ID: 5, Type: "page"}, false},
	} {
		s := &Book{Blog: new(wp.Blog)}
		s.Blog.Settings().Woo = wp.Woo{Active: true, ForceSSL: tt.force, Checkout: 5, Account: 6}
		if got := s.secured(&tt.post, link); (got == "https://shop.test/checkout/") != tt.secured || !tt.secured && got != link {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
