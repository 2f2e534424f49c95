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
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, sitemaptest.Activate("wordpress-seo/wp-seo.php"))
		for i, name := range []string{"poem", "shop_coupon"} {
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
			if c.List("shop_coupon") != nil || slices.Contains(unsettled, "shop_coupon") {
				t.Errorf("Yoast %s: coupons are listed, or unsettled: %q", version, unsettled)
			}
		}
	})
}
