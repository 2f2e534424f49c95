package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// Images of a post in order: featured, in the text, in galleries. Within a gallery the newest file is first; each file is shown once.
func TestImagesOfGalleries(t *testing.T) {
	t.Parallel()
	const uploads = "https://small.test/wp-content/uploads/"
	site := []string{"DELETE FROM wp_posts", sitemaptest.YoastActive}
	for i, file := range []string{"a.jpg", "b.jpg", "c.jpg", "d.pdf", "e.jpg", "f.jpg"} {
		mime := map[bool]string{true: "application/pdf", false: "image/jpeg"}[strings.HasSuffix(file, "pdf")]
		parent := 1
		if i >= 4 {
			parent = 2
		}
		site = append(site, sitemaptest.Insert(sitemaptest.Row{ID: 51 + i, Type: "attachment", Status: "inherit", Name: fmt.Sprint("file-", i),
			MIME:   mime,
			Parent: parent, Title: "Picture " + file[:1], Date: fmt.Sprintf("2024-01-%02d 10:00:00", 10+i)}),
			sitemaptest.MetaRow(51+i, "_wp_attached_file", file))
	}
	for _, tt := range []struct{ rule, text, want string }{
		{"by ids, the newest first", "[gallery ids=\"51,55,52\"]", "e b a"},
		{"each file once", "[gallery ids=\"51,52\"] [gallery ids=\"52,53\"]", "b a c"},
		{"those of the post", "[gallery]", "c b a"},
		{"without some", "[gallery exclude=\"52\"]", "c a"},
		{"those of another post", "[gallery id=\"2\"]", "f e"},
		{"those of no post", "[gallery id=\"99\"]", ""},
		{"no image", "[gallery ids=\"54\"]", ""},
		{"after those in the text", "[gallery ids=\"51,52\"] <img src=\"/wp-content/uploads/c.jpg\">", "c b a"},
		{"after the featured one", "featured [gallery ids=\"51,52\"]", "f b a"},
	} {
		sql := append(append([]string{}, site...), sitemaptest.Insert(sitemaptest.Row{ID: 1, Name: "first", Text: tt.text},
			sitemaptest.Row{ID: 2, Name: "second"}))
		if strings.HasPrefix(tt.text, "featured") {
			sql = append(sql, sitemaptest.MetaRow(1, "_thumbnail_id", "56"))
		}
		for _, level := range sitemaptest.Levels {
			var got []string
			for _, loc := range sitemaptest.Images(t, sitemaptest.Of(t, "small", seo.Options{Compat: level}, sql...), "post", "/first/") {
				got = append(got, strings.TrimSuffix(strings.TrimPrefix(loc, uploads), ".jpg"))
			}
			expect.Equal(t, strings.Join(got, " "), tt.want, tt.rule, level)
		}
	}
}

// At level spec an entry has a thousand images at most, as the protocol says, and each only once. Yoast SEO writes all.
func TestMostImages(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 1010 {
		fmt.Fprintf(&text, "<img src=\"/%d.jpg\"><img src=\"/0.jpg\">", i)
	}
	for level, want := range map[seo.Level]string{seo.SpecLevel: "1000 /999.jpg", seo.PluginLevel: "2020 /0.jpg"} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: level}, "DELETE FROM wp_posts", sitemaptest.YoastActive,
			sitemaptest.Insert(sitemaptest.Row{ID: 1, Name: "first", Text: text.String()}))
		images := sitemaptest.Images(t, c, "post", "/first/")
		expect.Equal(t, fmt.Sprint(len(images), " ", strings.TrimPrefix(images[len(images)-1], "https://small.test")), want, level)
	}
}

// Text and feeds have the addresses of posts, terms and authors, and feeds have their titles. Only level spec lists later parts.
func TestAddressesAndTitles(t *testing.T) {
	t.Parallel()
	for level, parts := range map[seo.Level]string{seo.SpecLevel: "/plain/ /plain/2/", seo.PluginLevel: "/plain/"} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: level, Text: true, Atom: true}, append(append([]string{}, sitemaptest.AioseoSite...),
			sitemaptest.YoastActive, "DELETE FROM wp_posts WHERE post_type = 'page' OR ID BETWEEN 2002 AND 2003 OR ID > 2004",
			"UPDATE wp_posts SET post_content = 'a<!--nextpage--><img src=\"/a.jpg\">', post_author = 31, post_title = 'Plain &amp; <b>simple</b>' WHERE ID = 2001",
			"INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES (31, 'bea', '!', 'bea', '', 'Bea B.')",
			"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (31, 'wp_capabilities', 'a:0:{}'), (31, 'wp_user_level', '1'), "+
				"(31, '_yoast_wpseo_profile_updated', '1700000000')")...)
		text := strings.ReplaceAll(string(sitemaptest.Render(t, c, "sitemap.txt", 1).Body), "https://small.test", "")
		expect.Equal(t, strings.Join(strings.Fields(text), " "), "/ "+parts+" /by-term/ /category/out/ /author/bea/", level)
		var titles []string
		for _, entry := range strings.Split(string(sitemaptest.Render(t, c, "sitemap.atom", 1).Body), "<entry>")[1:] {
			_, title, _ := strings.Cut(entry, "<title>")
			title, _, _ = strings.Cut(title, "</title>")
			titles = append(titles, title)
		}
		slices.Sort(titles)
		expect.Equal(t, strings.Join(titles, ", "), "Bea B., Out, Plain &amp; simple, Small, https://small.test/by-term/", level)
	}
}

// An author without a row in the table of users takes no place.
func TestAuthorsWithoutAUser(t *testing.T) {
	t.Parallel()
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: level, PageSize: 1},
			append(append([]string{}, sitemaptest.AioseoSite...), sitemaptest.YoastActive,
				"UPDATE wp_posts SET post_author = CASE ID WHEN 2001 THEN 31 ELSE 30 END",
				"INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES (31, 'bea', '!', 'bea', '', 'Bea B.')",
				"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (31, 'wp_capabilities', 'a:0:{}'), (31, 'wp_user_level', '1'), "+
					"(31, '_yoast_wpseo_profile_updated', '1700000000')")...)
		expect.List(t, sitemaptest.Listed(t, c, "author"), []string{"/author/bea/"})
		expect.Equal(t, c.List("author").Pages(), 1, level)
	}
}

// The entry of an attachment has the file itself, if that is an image: at level spec, and at level plugin in the versions that listed it.
func TestImageOfAnAttachment(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		level   seo.Level
		version string
		want    string
	}{{seo.SpecLevel, "", "\t/wp-content/uploads/a.jpg\n"}, {seo.PluginLevel, "", ""}, {seo.PluginLevel, "15.3", "\t/wp-content/uploads/a.jpg\n"}} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: tt.level}, "DELETE FROM wp_posts", sitemaptest.YoastActive,
			sitemaptest.SetOption("wpseo", sitemaptest.Array("enable_xml_sitemap", true, "version", tt.version)),
			sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("disable-attachment", false)),
			sitemaptest.Picture(51, "a.jpg"), sitemaptest.Picture(52, "b.pdf"), "UPDATE wp_posts SET post_mime_type = 'application/pdf' WHERE ID = 52",
			sitemaptest.Insert(sitemaptest.Row{ID: 1, Name: "first"}), "UPDATE wp_posts SET post_parent = 1 WHERE post_type = 'attachment'")
		want := "/first/file-51/ 2024-01-01T10:00:00+00:00\n" + tt.want + "/first/file-52/ 2024-01-01T10:00:00+00:00\n"
		expect.Equal(t, sitemaptest.Text(t, c, "attachment"), want, tt.level, tt.version)
	}
}
