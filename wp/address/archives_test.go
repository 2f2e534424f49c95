package address

import (
	"context"
	"testing"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The archive of a type has its stored address if the site answers only there. While there are no rewrite rules, the last decision stays.
func TestStoredArchives(t *testing.T) {
	const library, reading = "https://example.test/library/", "https://example.test/reading/"
	for _, tt := range []struct {
		rule    string
		gone    string // the address that is missing
		decided string // StoredArchive after the site was asked
		link    string
	}{
		{"the site answers the stored one", library, reading, reading},
		{"the site answers the computed one", reading, "", library},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
		wptest.Exec(t, dsn, planted("post-type-archive", 0, reading, "1"))
		remembered := ""
		n := open(t, wp.Source{DSN: dsn, Ask: func(_ context.Context, address string) (wp.Response, error) {
			if address == tt.gone {
				return says(404, ""), nil
			}
			return says(200, address), nil
		}})
		n.RouteAs(func(int64) string { return remembered })
		read := func() *Book {
			t.Helper()
			books, err := ReadAll(t.Context(), n)
			wptest.Must(t, err)
			remembered = books[0].Routed()
			return books[0]
		}
		before := read()
		expect.Equal(t, before.StoredArchive("book"), "", tt.rule, "before the site was asked")
		said, _, err := before.Inquire(t.Context(), time.Now(), 0)
		wptest.Must(t, err)
		remembered = said.Into(remembered)
		after := read()
		expect.Equal(t, after.StoredArchive("book"), tt.decided, tt.rule)
		link, err := after.ArchiveLink(t.Context(), after.Blog.Registry().PostType("book"))
		wptest.Must(t, err)
		expect.Equal(t, link, tt.link, tt.rule)
		expect.Equal(t, before.Fingerprint() != after.Fingerprint(), tt.decided != "", tt.rule, "the fingerprint changes")
		wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '' WHERE option_name = 'rewrite_rules'")
		expect.Equal(t, read().StoredArchive("book"), tt.decided, tt.rule, "without rewrite rules")
	}
}

// The archive of products is at the shop page, below the pages above it. In a language, it has the code of the language.
func TestArchiveLinks(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList("polylang/polylang.php", "woocommerce/woocommerce.php")),
		setOption("woocommerce_shop_page_id", "1"),
		`UPDATE wp_options SET option_value = REPLACE(option_value, 's:10:"post_types";a:0:{}', 's:10:"post_types";a:1:{i:0;s:7:"product";}') WHERE option_name = 'polylang'`,
		setOption("woocommerce_version", "9.9.5"), addPost(1, "page", "publish", "shop", 2), addPost(2, "page", "publish", "above", 0),
		addPost(3, "product", "publish", "rope", 0))
	b := openSite(t, wp.Source{DSN: dsn})
	for _, tt := range []struct{ postType, language, want string }{
		{"product", "", "https://small.test/above/shop/"}, {"product", "fr", "https://small.test/fr/above/shop/"},
		{"post", "fr", "https://small.test/"}, {"page", "", ""},
	} {
		link, err := b.ArchiveLinkIn(t.Context(), b.Blog.Registry().PostType(tt.postType), tt.language)
		wptest.Must(t, err)
		expect.Equal(t, link, tt.want, tt.postType, tt.language)
	}
}

// An attachment has the language of the post that it is attached to, if addresses of that type have languages.
func TestAttachmentsInLanguages(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, setOption("wp_attachment_pages_enabled", "1"), addPost(1, "attachment", "inherit", "of-a-post", 1002),
		addPost(2, "attachment", "inherit", "of-a-page", 1012), addPost(3, "attachment", "inherit", "alone", 0),
		addPost(4, "attachment", "inherit", "of-nothing", 99),
		addPost(5, "page", "publish", "enfant", 1012), "INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (5, 2032)")
	got := pathsOf(t, openSite(t, wp.Source{DSN: dsn}), "https://small.test/", []int64{1, 2, 3, 4, 5}, nil)
	want := map[string]string{"1": "fr/bonjour/of-a-post/", "2": "fr/a-propos/of-a-page/", "3": "alone/", "4": "?attachment_id=4",
		"5": "fr/a-propos/enfant/"}
	expect.Same(t, want, got)
}

// The address of an attachment shows the category of its post, as the post's own address does.
func TestAttachmentBelowACategory(t *testing.T) {
	for _, tt := range []struct {
		plugin, key, want string
	}{
		{"wordpress-seo/wp-seo.php", "_yoast_wpseo_primary_category", "b/one/attachment/photo/"},
		{"wp-seopress/seopress.php", "_seopress_robots_primary_cat", "a/one/attachment/photo/"}, // SEOPress filters no addresses of attachments
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, setOption("active_plugins", phpList(tt.plugin)), setOption("permalink_structure", "/%category%/%postname%/"),
			setOption("wp_attachment_pages_enabled", "1"), addPost(1, "post", "publish", "one", 0), addPost(2, "attachment", "inherit", "photo", 1),
			"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'A', 'a'), (8, 'B', 'b')",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count) VALUES (7, 7, 'category', '', 1), (8, 8, 'category', '', 1)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 7), (1, 8)",
			"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, '"+tt.key+"', '8')")
		b := openSite(t, wp.Source{DSN: dsn})
		expect.Same(t, map[string]string{"1": "b/one/"}, pathsOf(t, b, "https://small.test/", []int64{1}, nil), tt.plugin)
		expect.Same(t, map[string]string{"2": tt.want}, pathsOf(t, b, "https://small.test/", []int64{2}, nil), tt.plugin)
	}
}

// An attachment of a trashed post has the status that the post had before. Custom Permalinks gives trashed posts an address, too.
func TestAttachmentOfATrashedPost(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("wp_attachment_pages_enabled", "1"), setOption("active_plugins", phpList(pluginCustomPermalinks)),
		addPost(1, "post", "trash", "one__trashed", 0), addPost(2, "attachment", "inherit", "photo", 1),
		addPost(3, "post", "trash", "two__trashed", 0), addPost(4, "attachment", "inherit", "picture", 3),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, '_wp_trash_meta_status', 'publish'), (3, '_wp_trash_meta_status', 'draft'), "+
			"(1, 'custom_permalink', 'by-hand/'), (3, 'custom_permalink', 'by-hand-too/')")
	got := pathsOf(t, openSite(t, wp.Source{DSN: dsn}), "https://small.test/", []int64{2, 4}, nil)
	expect.Same(t, map[string]string{"2": "by-hand/photo/", "4": "?attachment_id=4"}, got)
}

// %author% is the slug of the user who wrote the post.
func TestAuthorInAddresses(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("permalink_structure", "/%author%/%postname%/"), addUser(1, "ann"), addPost(1, "post", "publish", "one", 0))
	got := pathsOf(t, openSite(t, wp.Source{DSN: dsn}), "https://small.test/", []int64{1}, nil)
	expect.Same(t, map[string]string{"1": "ann/one/"}, got)
}

// WP Job Manager and Page Links To store plain texts. A value that looks serialized is not theirs.
func TestMetaOfPosts(t *testing.T) {
	for _, tt := range []struct{ value, want string }{{"1", "1"}, {`a:1:{i:0;s:1:"x";}`, ""}, {"", ""}} {
		p := &Post{meta: []metaValue{{"other", "x"}, {wp.MetaFilled, tt.value}, {wp.MetaLinksTo, tt.value}}}
		expect.Equal(t, p.Filled(), tt.want, tt.value)
		expect.Equal(t, p.LinksTo(), tt.want, tt.value)
		expect.Equal(t, p.Meta("other"), "x")
		expect.Equal(t, p.Meta("missing"), "")
	}
}

// The last value of a key that was read is the one with the smallest meta_id.
func TestSetMeta(t *testing.T) {
	b, p := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small")}), &Post{Type: "post"}
	for _, m := range []metaValue{{"a", "later"}, {"b", "only"}, {"a", "first"}, {wp.MetaThumbnail, "12x"}, {"_yoast_wpseo_primary_category", "3"}} {
		b.setMeta(p, m.key, m.value)
	}
	expect.List(t, p.meta, []metaValue{{"a", "first"}, {"b", "only"}})
	expect.Equal(t, p.Thumbnail, 12, "_thumbnail_id as an integer, as PHP reads it")
	expect.Equal(t, p.primary, "3", "primary category")
}

// Tutor LMS makes the addresses of lessons and quizzes of the address of their course.
func TestTypesBelow(t *testing.T) {
	b := &Book{hand: handSet{tutor: tutorBases{course: "courses"}}}
	expect.List(t, b.TypesBelow("courses"), []string{"lesson", "tutor_quiz"}, "Tutor LMS puts lessons and quizzes below their course")
	expect.List(t, b.TypesBelow("page"), nil)
	expect.List(t, new(Book).TypesBelow("courses"), nil, "without Tutor LMS")
}

// Yoast SEO and SEOPress store no primary category for products; Rank Math stores one for posts and one for products.
func TestPrimaryOfPostsAndProducts(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList("seo-by-rank-math/rank-math.php")), setOption("rank_math_registration_skip", "1"))
	b := openSite(t, wp.Source{DSN: dsn})
	for _, tt := range []struct {
		postType, key string
		depends       bool
		primary       string
	}{
		{"post", "rank_math_primary_category", true, "7"}, {"product", "rank_math_primary_category", true, ""},
		{"post", "rank_math_primary_product_cat", true, ""}, {"product", "rank_math_primary_product_cat", true, "7"},
		{"post", "custom_permalink", false, ""},
	} {
		p := &Post{Type: tt.postType}
		if depends := b.setLinkMeta(p, tt.key, "7"); depends != tt.depends || p.primary != tt.primary {
			t.Errorf("%s of a %s: permalinks depend on it %t, want %t; primary %q, want %q", tt.key, tt.postType, depends, tt.depends, p.primary, tt.primary)
		}
	}
}
