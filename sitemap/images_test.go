package sitemap_test

import (
	"slices"
	"strconv"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// Images that fields of a post hold, and that are on another host than their URLs say: at level spec.
func TestImagesOfFieldsAndElsewhere(t *testing.T) {
	const uploads = "https://small.test/wp-content/uploads/2024/01/"
	dsn := wptest.Load(t, wptest.SQLite, "small")
	field := func(id, parent int, name, kind, settings string) string {
		return `INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_excerpt, post_parent, post_content, to_ping, pinged, post_content_filtered)
SELECT ` + strconv.Itoa(id) + `, 1, '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', 'publish', '` + kind + `', '` + name + `', '', '` + settings + `', ` + strconv.Itoa(parent) + `, `
	}
	image := func(id int, name string) string {
		return `INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_mime_type, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
VALUES (` + strconv.Itoa(id) + `, 1, '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', 'inherit', 'attachment', '` + name + `', '', 'image/jpeg', '', '', '', '', '')`
	}
	const more = `, '', '', ''`
	statements := []string{
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:2:{i:0;s:24:"wordpress-seo/wp-seo.php";i:1;s:30:"advanced-custom-fields/acf.php";}')`,
		field(2001, 0, "pictures", "post", "") + `''` + more,
		field(2010, 0, "group_1", "acf-field-group", "") + `''` + more,
		field(2011, 2010, "field_1", "acf-field", "hero") + `'a:1:{s:4:"type";s:5:"image";}'` + more,
		field(2012, 2010, "field_2", "acf-field", "views") + `'a:1:{s:4:"type";s:7:"gallery";}'` + more,
		field(2013, 2010, "field_3", "acf-field", "price") + `'a:1:{s:4:"type";s:6:"number";}'` + more,
		`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (2001, '_thumbnail_id', '2051'), (2001, 'own', '2052, 2051'),
(2001, 'hero', '2053'), (2001, '_hero', 'field_1'), (2001, 'views', 'a:2:{i:0;s:4:"2054";i:1;s:1:"x";}'), (2001, '_views', 'field_2'),
(2001, 'price', '2055'), (2001, '_price', 'field_3')`,
	}
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		statements = append(statements, image(2051+i, name),
			"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES ("+strconv.Itoa(2051+i)+", '_wp_attached_file', '2024/01/"+name+".jpg')")
	}
	wptest.Exec(t, dsn, statements...)
	images := seo.Images{Meta: []string{"own"}, Replace: []seo.Replacement{{Old: uploads + "b", New: "https://cdn.test/b"}, {Old: uploads, New: "https://img.test/"}}}
	for level, want := range map[seo.Level][]string{
		seo.SpecLevel:   {"https://img.test/a.jpg", "https://cdn.test/b.jpg", "https://img.test/c.jpg", "https://img.test/d.jpg"},
		seo.PluginLevel: {uploads + "a.jpg"},
	} {
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level, Images: images})
		var got []string
		for _, entry := range sitemaptest.Parse(t, sitemaptest.Render(t, c, "post", 1).Body).Entries {
			for _, i := range entry.Images {
				got = append(got, i.Loc)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: got %q, want %q", level, got, want)
		}
	}
}
