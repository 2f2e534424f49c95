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

// Files that WP Offload Media has in a bucket are listed there. By level plugin those in texts are foreign then, as for the plugin.
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
					if got := sitemaptest.Images(t, c, "post", ""); !slices.Equal(got, want) {
						t.Errorf("%s, %v: got %q, want %q", name, level, got, want)
					}
				}
			}
		}
	})
}
