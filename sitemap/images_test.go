package sitemap_test

import (
	"slices"
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
	field := func(id, parent int, name, kind, key, settings string) sitemaptest.Row {
		return sitemaptest.Row{ID: id, Parent: parent, Name: name, Type: kind, Excerpt: key, Text: settings}
	}
	wptest.Exec(t, dsn, sitemaptest.Activate("wordpress-seo/wp-seo.php", "advanced-custom-fields/acf.php"),
		sitemaptest.Insert(
			sitemaptest.Row{ID: 2001, Name: "pictures"}, field(2010, 0, "group_1", "acf-field-group", "", ""),
			field(2011, 2010, "field_1", "acf-field", "hero", `a:1:{s:4:"type";s:5:"image";}`),
			field(2012, 2010, "field_2", "acf-field", "views", `a:1:{s:4:"type";s:7:"gallery";}`),
			field(2013, 2010, "field_3", "acf-field", "price", `a:1:{s:4:"type";s:6:"number";}`)),
		`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (2001, '_thumbnail_id', '2051'), (2001, 'own', '2052, 2051'),
(2001, 'hero', '2053'), (2001, '_hero', 'field_1'), (2001, 'views', 'a:2:{i:0;s:4:"2054";i:1;s:1:"x";}'), (2001, '_views', 'field_2'),
(2001, 'price', '2055'), (2001, '_price', 'field_3')`)
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		wptest.Exec(t, dsn, sitemaptest.Picture(2051+i, "2024/01/"+name+".jpg"))
	}
	images := seo.Images{Meta: []string{"own"}, Replace: []seo.Replacement{{Old: uploads + "b", New: "https://cdn.test/b"}, {Old: uploads, New: "https://img.test/"}}}
	for level, want := range map[seo.Level][]string{
		seo.SpecLevel:   {"https://img.test/a.jpg", "https://cdn.test/b.jpg", "https://img.test/c.jpg", "https://img.test/d.jpg"},
		seo.PluginLevel: {uploads + "a.jpg"},
	} {
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level, Images: images})
		if got := sitemaptest.Images(t, c, "post", ""); !slices.Equal(got, want) {
			t.Errorf("%v: got %q, want %q", level, got, want)
		}
	}
}
