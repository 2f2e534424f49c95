package address

import (
	"fmt"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// addUser is a statement that adds a user.
func addUser(id int, nicename string) string {
	return fmt.Sprintf("INSERT INTO wp_users (ID, user_login, user_nicename, user_email, display_name) VALUES (%d, '%[2]s', '%[2]s', '', '%[2]s')", id,
		nicename)
}

// addUserMeta is a statement that adds a row of usermeta.
func addUserMeta(id, user int, key, value string) string {
	return fmt.Sprintf("INSERT INTO wp_usermeta (umeta_id, user_id, meta_key, meta_value) VALUES (%d, %d, '%s', %s)", id, user, key, value)
}

// An author of a single site is a member without any role. user_level is compared with '0' as the database does: spaces at the end
// do not count.
func TestAuthors(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addUser(1, "ann"), addUser(2, "ben"), addUser(3, "cem"), addUser(4, "dora"),
		addUserMeta(11, 1, "wp_capabilities", `'a:1:{s:6:"Editor";b:1;}'`), addUserMeta(12, 1, "wp_user_level", "'7'"),
		addUserMeta(21, 2, "wp_capabilities", `'a:1:{s:10:"subscriber";b:1;}'`), addUserMeta(22, 2, "wp_user_level", "'0 '"),
		addUserMeta(31, 3, "wp_user_level", "NULL"), addUserMeta(32, 3, "wp_9_capabilities", `'a:1:{s:6:"editor";b:1;}'`),
		addUserMeta(45, 4, "wpseo_noindex_author", "'second'"), addUserMeta(44, 4, "wpseo_noindex_author", "'first'"),
		addUserMeta(46, 4, "wp_user_level", "'0'"), addUserMeta(47, 4, "wp_user_level", "'1'"))
	authors, err := openSite(t, wp.Source{DSN: dsn}).Authors(t.Context(), []int64{4, 3, 99, 2, 1, 1})
	wptest.Must(t, err)
	var got []string
	for _, a := range authors {
		got = append(got, fmt.Sprint(a.ID, " ", a.Link, " member ", a.Member, " level ", a.Level, " roles ", a.Roles, " editor ", a.NamesRole("EDITOR")))
	}
	const site = "https://small.test/author/"
	expect.Same(t, []string{
		"1 " + site + "ann/ member true level true roles true editor true", "2 " + site + "ben/ member true level false roles true editor false",
		"3 " + site + "cem/ member true level false roles false editor false", "4 " + site + "dora/ member true level true roles false editor false",
	}, got)
	values := authors[3].Meta("wpseo_noindex_author")
	if len(values) != 2 || values[0].String != "first" || values[1].String != "second" || authors[3].Meta("other") != nil {
		t.Errorf("the values of a key are %v, want them in the order of umeta_id", values)
	}
}

// In a network, a user without a role on the blog is no member, whatever roles the user has elsewhere.
func TestAuthorsOfANetwork(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	wptest.Exec(t, dsn, "DELETE FROM wp_usermeta", addUserMeta(1, 2, "wp_2_capabilities", `'a:1:{s:6:"editor";b:1;}'`))
	books, err := ReadAll(t.Context(), open(t, wp.Source{DSN: dsn}))
	wptest.Must(t, err)
	for _, b := range books {
		authors, err := b.Authors(t.Context(), []int64{2})
		wptest.Must(t, err)
		expect.Equal(t, authors[0].Member, b.Blog.BlogID() == 2, "blog", b.Blog.BlogID())
	}
}

// Rank Math lets an author have a slug of its own, which replaces user_nicename.
func TestAuthorSlugs(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList("seo-by-rank-math/rank-math.php")), setOption("rank_math_registration_skip", "1"),
		addUser(1, "ann"), addUser(2, "ben"), addUser(3, "cem"), addUser(4, ""),
		addUserMeta(11, 1, "rank_math_permalink", "'first-lady'"), addUserMeta(12, 1, "rank_math_permalink", "'later'"),
		addUserMeta(21, 2, "rank_math_permalink", "'0'"), addUserMeta(41, 4, "rank_math_permalink", "'x'"))
	authors, err := openSite(t, wp.Source{DSN: dsn}).Authors(t.Context(), []int64{1, 2, 3, 4})
	wptest.Must(t, err)
	var links []string
	for _, a := range authors {
		links = append(links, a.Link)
	}
	const site = "https://small.test/author/"
	expect.List(t, links, []string{site + "first-lady/", site + "ben/", site + "cem/", site}, "links")
}
