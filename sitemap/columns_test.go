package sitemap_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
)

// optionalTables are tables of plugins with the columns that are read. Sitemaps in refused are
// answered with an error, because the table may exclude objects.
var optionalTables = []struct {
	name, columns string
	refused       map[string]string // sitemaps by column; "" for every column
	silent        string            // columns whose absence says nothing, as versions without them are supported
}{
	{name: "yoast_indexable", columns: "object_id object_type object_sub_type permalink permalink_hash blog_id post_status is_robots_noindex " +
		"breadcrumb_title version object_last_modified updated_at object_published_at", refused: map[string]string{"breadcrumb_title": "news"},
		silent: "version object_last_modified updated_at object_published_at"},
	{name: "icl_languages", columns: "code default_locale tag active"},
	{name: "icl_translations", columns: "element_type element_id trid language_code"},
	{name: "woocommerce_attribute_taxonomies", columns: "attribute_name attribute_public attribute_orderby", silent: "attribute_orderby"},
	{name: "jet_post_types", columns: "slug args status"},
	{name: "jet_taxonomies", columns: "slug args object_type status"},
	{name: "as3cf_items", columns: "source_id provider region bucket path is_private source_type"},
	{name: "give_formmeta", columns: "form_id meta_id meta_key meta_value"},
	{name: "aioseo_posts", columns: "post_id robots_default robots_noindex priority canonical_url images image_scan_date",
		refused: map[string]string{"post_id": "post page product", "robots_default": "post page product", "robots_noindex": "post page product", "priority": "post page product",
			"canonical_url": "post page product"}, silent: "image_scan_date"},
	{name: "aioseo_cache", columns: "name value", silent: "name value"},
	{name: "termmeta", columns: "term_id meta_id meta_key meta_value"},
	{name: "redirection_items", columns: "url match_url match_data regex position action_type action_data match_type status"},
	{name: "rank_math_redirections", columns: "sources url_to header_code updated status"},
}

// A table of another plugin version may lack a column. This leads to a warning. Sitemaps of any plugin
// are served, except those that may list objects that the table excludes.
func TestMissingColumnOfAnOptionalTable(t *testing.T) {
	t.Parallel()
	plugins := []string{"woocommerce/woocommerce.php", "wordpress-seo/wp-seo.php", "wpseo-news/wpseo-news.php", "jet-engine/jet-engine.php",
		"give/give.php", "amazon-s3-and-cloudfront/wordpress-s3.php", "all-in-one-seo-pack/all_in_one_seo_pack.php", "seo-by-rank-math/rank-math.php",
		"wp-seopress/seopress.php", "sitepress-multilingual-cms/sitepress.php", sitemaptest.PluginRedirection}
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "woo")
	wptest.Exec(t, dsn, slices.Concat(sitemaptest.AioseoTable, []string{
		sitemaptest.Activate(plugins...),
		sitemaptest.SetOption("tantan_wordpress_s3", sitemaptest.Array("serve-from-s3", true)),
		sitemaptest.SetOption("give_completed_upgrades", sitemaptest.Array(0, "v20_move_metadata_into_new_table")),
		sitemaptest.SetOption("rank_math_modules", sitemaptest.Array(0, "sitemap", 1, "redirections")),
		"CREATE TABLE wp_jet_post_types (id INT PRIMARY KEY, slug TEXT, status TEXT, args TEXT)",
		"CREATE TABLE wp_jet_taxonomies (id INT PRIMARY KEY, slug TEXT, status TEXT, args TEXT, object_type TEXT)",
		"CREATE TABLE wp_as3cf_items (id INT PRIMARY KEY, provider TEXT, region TEXT, bucket TEXT, path TEXT, is_private INT, source_type TEXT, source_id INT)",
		"CREATE TABLE wp_give_formmeta (meta_id INT PRIMARY KEY, form_id INT, meta_key VARCHAR(255), meta_value TEXT)",
		"CREATE TABLE wp_aioseo_cache (id INT PRIMARY KEY, name VARCHAR(80), value TEXT)",
		"CREATE TABLE wp_icl_languages (id INT PRIMARY KEY, code VARCHAR(7), active INT, default_locale VARCHAR(35), tag VARCHAR(35))",
		"CREATE TABLE wp_icl_translations (translation_id INT PRIMARY KEY, element_type VARCHAR(36), element_id INT, trid INT, language_code VARCHAR(7))",
		"INSERT INTO wp_icl_languages VALUES (1, 'en', 1, 'en_US', 'en')",
		"CREATE TABLE wp_rank_math_redirections (id INT PRIMARY KEY, sources TEXT, url_to TEXT, header_code INT, status TEXT, updated TEXT)",
		sitemaptest.TableRedirection,
	})...)
	read := func(t *testing.T, column string, refused string) {
		for _, choice := range []string{"yoast", "rankmath", "aioseo", "seopress", "core"} {
			for _, level := range sitemaptest.Levels {
				if level == seo.SpecLevel && choice != "yoast" {
					continue // the same statements
				}
				var log wptest.Buffer
				blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
				c := sitemaptest.Build(t, blog, seo.Options{Sitemaps: choice, Compat: level, Log: slog.New(slog.NewTextHandler(&log, nil))})
				for _, f := range c.Files() {
					_, err := c.Render(t.Context(), f.Name, f.Page)
					if err != nil && !(slices.Contains(strings.Fields(refused), f.Name) && db.Unreadable(err)) {
						t.Errorf("%s, %s: %s: %v", choice, level, f.Filename, err)
					}
				}
				if choice == "yoast" && column != "" && !strings.Contains(strings.Join(blog.Blog.Warnings(), "\n")+log.String(), column+"' in") {
					t.Errorf("%s: no warning names the column: %q", level, blog.Blog.Warnings())
				}
			}
		}
	}
	read(t, "", "")
	tested := map[string]bool{}
	for _, table := range optionalTables {
		tested[table.name] = true
		for column := range strings.FieldsSeq(table.columns) {
			t.Run(table.name+" without "+column, func(t *testing.T) {
				wptest.Exec(t, dsn, "ALTER TABLE wp_"+table.name+" RENAME COLUMN "+column+" TO was_"+column)
				defer wptest.Exec(t, dsn, "ALTER TABLE wp_"+table.name+" RENAME COLUMN was_"+column+" TO "+column)
				named := column
				if slices.Contains(strings.Fields(table.silent), column) {
					named = ""
				}
				read(t, named, table.refused[column])
			})
		}
	}
	for _, declared := range sitemap.Declared.Tables {
		isCore := slices.ContainsFunc(sitemap.Declared.Core, func(c wp.Table) bool { return c.Name == declared.Name })
		if !isCore && !declared.Network && !tested[declared.Name] {
			t.Errorf("table %s: no column of it is tried", declared.Name)
		}
	}
}
