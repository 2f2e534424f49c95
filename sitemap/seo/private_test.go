package seo_test

import (
	"fmt"
	"slices"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// A row of Yoast's index shows that a type is public from version 19.11 on, and never of a type that other plugins keep for themselves.
func TestTypesWithIndexRows(t *testing.T) {
	private := []string{"shop_coupon", "shop_order", "wpcf7_contact_form", "flamingo_inbound", "wpforms", "acf-field-group", "acf-field",
		"tablepress_table", "mc4wp-form", "popup", "popup_theme", "feedback", "scheduled-action", "elementor_library", "elementor_snippet",
		"wp_block", "wp_template", "wp_navigation", "edd_payment", "give_payment", "llms_coupon", "tutor_enrolled", "et_pb_layout", "um_form"}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, sitemaptest.Activate("wordpress-seo/wp-seo.php"))
		for i, name := range append(private, "poem") {
			wptest.Exec(t, dsn, sitemaptest.Insert(sitemaptest.Row{ID: 7000 + i, Type: name, Name: "one"}),
				fmt.Sprintf(`INSERT INTO wp_yoast_indexable (object_id, object_type, object_sub_type, permalink, post_status, version, blog_id)
				VALUES (%d, 'post', '%s', 'https://example.test/?%s=one', 'publish', 2, 1)`, 7000+i, name, name))
		}
		for version, public := range map[string]bool{"19.10": false, "19.11": true} {
			wptest.Exec(t, dsn, sitemaptest.SetOption("wpseo", fmt.Sprintf(`a:1:{s:7:"version";s:5:"%s";}`, version)))
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
			var unsettled []string
			for _, u := range c.Unsettled() {
				unsettled = append(unsettled, u.Name)
			}
			if (c.List("poem") != nil) != public || slices.Contains(unsettled, "poem") == public {
				t.Errorf("Yoast %s: poems are listed: %t, unsettled: %q", version, c.List("poem") != nil, unsettled)
			}
			for _, name := range private {
				if c.List(name) != nil || slices.Contains(unsettled, name) {
					t.Errorf("Yoast %s: %s is listed, or unsettled: %q", version, name, unsettled)
				}
			}
		}
	})
}
