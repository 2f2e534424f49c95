package seo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// Coupons, forms, popups and field groups are in no sitemap: neither where Yoast wrote index rows of every type (before 19.11),
// nor where rows are left over in a newer one.
func TestPrivateTypesAreNotListed(t *testing.T) {
	private := []string{"shop_coupon", "shop_order", "wpcf7_contact_form", "flamingo_inbound", "wpforms", "acf-field-group", "acf-field",
		"tablepress_table", "mc4wp-form", "popup", "popup_theme", "feedback", "scheduled-action", "elementor_library", "elementor_snippet",
		"wp_block", "wp_template", "wp_navigation", "edd_payment", "give_payment", "llms_coupon", "tutor_enrolled", "et_pb_layout", "um_form"}
	statements := []string{sitemaptest.Activate("wordpress-seo/wp-seo.php")}
	for i, name := range private {
		statements = append(statements, sitemaptest.Insert(sitemaptest.Row{ID: 7000 + i, Type: name, Name: fmt.Sprint("secret-", i)}),
			fmt.Sprintf(`INSERT INTO wp_yoast_indexable (object_id, object_type, object_sub_type, permalink, post_status, version, blog_id)
			VALUES (%d, 'post', '%s', 'https://example.test/?%s=secret-%d', 'publish', 2, 1)`, 7000+i, name, name, i))
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, statements...)
		for _, version := range []string{"14.9", "19.10", "19.11", "28.3", ""} {
			for _, titles := range []string{"", `a:2:{s:12:"noindex-post";b:0;s:12:"noindex-page";b:0;}`} {
				wptest.Exec(t, dsn, sitemaptest.SetOption("wpseo", fmt.Sprintf(`a:1:{s:7:"version";s:%d:"%s";}`, len(version), version)),
					sitemaptest.SetOption("wpseo_titles", titles))
				for _, level := range []seo.Level{seo.SpecLevel, seo.PluginLevel} {
					s := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
					c := sitemaptest.Build(t, s, seo.Options{Compat: level})
					for _, l := range c.Lists {
						if slices.Contains(private, l.Of) {
							t.Errorf("Yoast %q, level %s, titles %q: %s is listed", version, level, titles, l.Name)
						}
					}
					for _, u := range c.Unsettled() {
						if slices.Contains(private, u.Name) {
							t.Errorf("Yoast %q: %s", version, u.Why)
						}
					}
					for _, text := range allPages(t, c) {
						if strings.Contains(text, "secret") {
							t.Errorf("Yoast %q, level %s, titles %q: a private post is listed", version, level, titles)
						}
					}
				}
			}
		}
	})
}

// allPages renders every page of a catalog.
func allPages(t *testing.T, c *sitemap.Catalog) []string {
	t.Helper()
	var all []string
	for _, f := range c.Files() {
		doc, err := c.Render(t.Context(), f.Name, f.Page)
		if err != nil {
			t.Fatalf("%s: %v", f.Filename, err)
		}
		all = append(all, string(doc.Body))
	}
	return all
}
