package seopress

import (
	"context"
	"strings"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

const (
	sqlNoted = `SELECT option_name, option_value FROM wp_options
WHERE option_name LIKE '!_transient!_seopress!_sitemap!_lastmod!_all!_%' ESCAPE '!'
OR option_name LIKE '!_transient!_timeout!_seopress!_sitemap!_lastmod!_all!_%' ESCAPE '!'`
	// Numbers of terms, and how the attributes of products are ordered.
	sqlOrders     = `SELECT term_id, meta_value FROM wp_termmeta WHERE meta_key = ?`
	sqlAttributes = `SELECT attribute_name, attribute_orderby FROM wp_woocommerce_attribute_taxonomies`
)

// The plugin notes the dates of its index in transients, which live an hour. They are what its own index shows, whatever has
// changed since. Since 9.3 a post type has one note; those of before, one a page, are not followed.
const (
	notedPrefix   = "_transient_seopress_sitemap_lastmod_all_"
	timeoutPrefix = "_transient_timeout_seopress_sitemap_lastmod_all_"
	notedSuffix   = "_1000"
)

// notedDates returns the dates of a post type's first pages that the plugin has noted, by the site's clock; ok is false without a note
// that is still good.
func (s *settings) notedDates(postType string, now time.Time) (dates []int64, ok bool) {
	v, err := php.MaybeUnserialize(s.noted[notedPrefix+postType+notedSuffix])
	if err != nil || v.Kind != php.Array || php.NewString(s.noted[timeoutPrefix+postType+notedSuffix]).Int() < now.Unix() {
		return nil, false
	}
	for _, p := range v.Pairs() {
		dates = append(dates, wp.ParseDate(p.Value.Str()))
	}
	return dates, true
}

// loadOrders reads by what WooCommerce orders product categories and attributes.
func (s *settings) loadOrders(ctx context.Context) error {
	if !s.Blog.Settings().Woo.Active {
		return nil
	}
	s.orders, s.byOrder = map[int64]int64{}, map[string]bool{"product_cat": true}
	err := s.Blog.Query(ctx, sqlAttributes, nil, db.Rows2(func(name, by string) {
		s.byOrder["pa_"+name] = by == "menu_order" || strings.TrimSpace(by) == ""
	}))
	if err != nil && !db.Unreadable(err) {
		return err
	}
	return s.Blog.Query(ctx, sqlOrders, []any{"order"}, db.Rows2(func(id int64, value string) { s.orders[id] = php.NewString(value).Int() }))
}
