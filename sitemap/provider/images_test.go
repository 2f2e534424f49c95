package provider_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// At level spec, images in meta fields are listed, and so are images on another host than their URLs
// say.
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
		expect.List(t, sitemaptest.Images(t, c, "post", ""), want, level)
	}
}

// Files that WP Offload Media has moved to a bucket are listed there. At level plugin such files in
// texts are foreign, as for the plugin.
func TestFilesInABucket(t *testing.T) {
	t.Parallel()
	const local, s3, cdn = "https://small.test/wp-content/uploads/2024/01/", "https://files.s3.eu-west-1.amazonaws.com/m/", "https://cdn.test/m/"
	const on = `s:13:"serve-from-s3";b:1;s:8:"provider";s:3:"aws";`
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		for name, tt := range map[string]struct {
			settings     string
			plugin, spec []string
		}{
			"of the provider": {`a:2:{` + on + `}`, []string{s3 + "a%20b.jpg", local + "b.jpg"}, []string{s3 + "a%20b.jpg", s3 + "b.jpg", s3 + "c.jpg"}},
			"of a domain": {`a:4:{` + on + `s:22:"enable-delivery-domain";b:1;s:15:"delivery-domain";s:16:"https://cdn.test";}`,
				[]string{cdn + "a%20b.jpg", local + "b.jpg"}, []string{cdn + "a%20b.jpg", cdn + "b.jpg", cdn + "c.jpg"}},
			"not served": {`a:1:{s:13:"serve-from-s3";b:0;}`,
				[]string{local + "a%20b.jpg", local + "b.jpg", local + "c.jpg", local + "d.jpg"}, []string{local + "a%20b.jpg", local + "b.jpg", local + "c.jpg", local + "d.jpg"}},
		} {
			dsn := wptest.Load(t, e, "small")
			statements := []string{
				`REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:2:{i:0;s:24:"wordpress-seo/wp-seo.php";i:1;s:41:"amazon-s3-and-cloudfront/wordpress-s3.php";}')`,
				`REPLACE INTO wp_options (option_name, option_value) VALUES ('tantan_wordpress_s3', '` + tt.settings + `')`,
				`CREATE TABLE wp_as3cf_items (id BIGINT PRIMARY KEY, provider VARCHAR(18), region VARCHAR(255), bucket VARCHAR(255), path VARCHAR(1024), is_private INT, source_type VARCHAR(18), source_id BIGINT)`,
				sitemaptest.Insert(sitemaptest.Row{ID: 2001, Name: "pictures", Text: `<img class="size-full wp-image-2052" src="` + local + `b.jpg">` +
					`<img class="wp-image-2053" src="` + local + `c-300x200.jpg"><img class="wp-image-2054" src="` + local + `d-300x200.jpg">`}),
				sitemaptest.MetaRow(2001, "_thumbnail_id", "2051"),
			}
			for i, name := range []string{"a b", "b", "c", "d"} {
				id, private := strconv.Itoa(2051+i), strconv.Itoa(i/3)
				statements = append(statements, sitemaptest.Picture(2051+i, "2024/01/"+name+".jpg"),
					"INSERT INTO wp_as3cf_items VALUES ("+id+", 'aws', 'eu-west-1', 'files', 'm/"+name+".jpg', "+private+", 'media-library', "+id+")",
					"INSERT INTO wp_as3cf_items VALUES (1"+id+", 'aws', 'eu-west-1', 'files', 'other.jpg', 0, 'provider-test', "+id+")")
			}
			wptest.Exec(t, dsn, statements...)
			for level, want := range map[seo.Level][]string{seo.SpecLevel: tt.spec, seo.PluginLevel: tt.plugin} {
				for _, all := range []bool{false, true} { // which reads the library
					c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level, AllPages: all})
					expect.List(t, sitemaptest.Images(t, c, "post", ""), want, name, level)
				}
			}
		}
	})
}

// WP Offload Media before 2.3 has no table, but stores post meta of attachments.
func TestFilesInABucketOfAnOldPlugin(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ settings, want string }{
		"a bucket in the path":  {`s:6:"domain";s:4:"path";`, "https://s3-eu-west-1.amazonaws.com/files/m/"},
		"a bucket in the host":  {`s:6:"domain";s:9:"subdomain";`, "https://s3-eu-west-1.amazonaws.com/files/m/"}, // by https only in the path
		"a domain":              {`s:6:"domain";s:10:"cloudfront";s:10:"cloudfront";s:8:"cdn.test";`, "https://cdn.test/m/"},
		"settings before 0.8":   {`s:10:"cloudfront";s:8:"cdn.test";`, "https://cdn.test/m/"},
		"a domain not in use":   {`s:6:"domain";s:4:"path";s:10:"cloudfront";s:8:"cdn.test";`, "https://s3-eu-west-1.amazonaws.com/files/m/"},
		"a domain with a colon": {`s:6:"domain";s:10:"cloudfront";s:10:"cloudfront";s:16:"https://cdn.test";`, "https://cdn.test/m/"},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, sitemaptest.Activate("wordpress-seo/wp-seo.php", "amazon-s3-and-cloudfront/wordpress-s3.php"),
			sitemaptest.SetOption("tantan_wordpress_s3",
				fmt.Sprintf(`a:%d:{s:13:"serve-from-s3";s:1:"1";%s}`, 1+strings.Count(tt.settings, ";")/2, tt.settings)),
			"DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id'",
			sitemaptest.Insert(sitemaptest.Row{ID: 2001, Name: "pictures",
				Text: `<img class="wp-image-2052" src="/b.jpg"><img class="wp-image-2053" src="/c.jpg">`}),
			sitemaptest.MetaRow(2001, "_thumbnail_id", "2051"),
			sitemaptest.Picture(2051, "2024/01/a.jpg"), sitemaptest.Picture(2052, "2024/01/b.jpg"), sitemaptest.Picture(2053, "2024/01/c.jpg"),
			sitemaptest.MetaRow(2051, "amazonS3_info", sitemaptest.Array("bucket", "files", "key", "m/a.jpg", "region", "eu-west-1")),
			sitemaptest.MetaRow(2052, "amazonS3_info", sitemaptest.Array("bucket", "files", "key", "m/b.jpg", "region", "eu-west-1", "acl", "private")),
			sitemaptest.MetaRow(2053, "amazonS3_info", `a:1:{s:6:"bucket"`))
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
		expect.List(t, blog.Blog.Warnings(), nil, name)
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.PluginLevel})
		expect.List(t, sitemaptest.Images(t, c, "post", "")[:1], []string{tt.want + "a.jpg"}, name)
	}
}

// If siteurl has another scheme than home, files have the scheme of home. At level plugin this is not
// so if the plugin builds the addresses itself.
func TestFilesOfAnHTTPSHome(t *testing.T) {
	t.Parallel()
	const file = "://small.test/wp-content/uploads/2024/01/a.jpg"
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, sitemaptest.SeopressSite...)
	wptest.Exec(t, dsn, sitemaptest.SetOption("siteurl", "http://small.test"), sitemaptest.Picture(2051, "2024/01/a.jpg"),
		"DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id'", sitemaptest.Insert(sitemaptest.Row{ID: 2001, Name: "pictures"}),
		sitemaptest.MetaRow(2001, "_thumbnail_id", "2051"))
	for _, tt := range []struct {
		sitemaps string
		level    seo.Level
		want     string
	}{
		{"yoast", seo.SpecLevel, "https" + file}, {"yoast", seo.PluginLevel, "http" + file},
		{"seopress", seo.PluginLevel, "https" + file},
	} {
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: tt.level, Sitemaps: tt.sitemaps})
		expect.List(t, sitemaptest.Images(t, c, "post", ""), []string{tt.want}, tt.sitemaps, tt.level)
	}
}

// At level spec, images in texts are https if home is. Categories of products have the image that
// WooCommerce shows.
func TestImagesOfSpec(t *testing.T) {
	t.Parallel()
	statements := []string{
		sitemaptest.Picture(2051, "2024/01/a.jpg"), "DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id'",
		"UPDATE wp_posts SET post_content = '<img src=\"http://example.test/b.jpg\">' WHERE ID = 301",
		"INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (52, 'thumbnail_id', '2051'), (51, 'thumbnail_id', '9999')",
	}
	for level, want := range map[seo.Level][2][]string{
		seo.SpecLevel:   {{"https://example.test/b.jpg"}, {"https://example.test/wp-content/uploads/2024/01/a.jpg"}},
		seo.PluginLevel: {{"http://example.test/b.jpg"}, nil},
	} {
		c := sitemaptest.Of(t, "basic woo", seo.Options{Compat: level, PageSize: 1000}, statements...)
		expect.List(t, sitemaptest.Images(t, c, "product", "/rope/"), want[0], level)
		expect.List(t, sitemaptest.Images(t, c, "product_cat", ""), want[1], level)
	}
}
