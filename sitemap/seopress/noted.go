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
	sqlNoted = `SELECT option_name, option_value FROM wp_options WHERE option_name IN (?)`
	// Numbers of terms, and how the attributes of products are ordered.
	sqlOrders     = `SELECT term_id, meta_value FROM wp_termmeta WHERE meta_key = ?`
	sqlAttributes = `SELECT attribute_name, attribute_orderby FROM wp_woocommerce_attribute_taxonomies`
)

// The plugin notes the dates of its index in transients, one for each post type, which live an hour. They are what its own
// index shows, whatever has changed since.
const (
	notedPrefix   = "_transient_seopress_sitemap_lastmod_all_"
	timeoutPrefix = "_transient_timeout_seopress_sitemap_lastmod_all_"
	notedSuffix   = "_1000"
)

func (s *settings) loadDates(ctx context.Context) error {
	var names []string
	for _, name := range s.types.names {
		names = append(names, notedPrefix+name+notedSuffix, timeoutPrefix+name+notedSuffix)
	}
	s.noted = map[string]string{}
	if len(names) == 0 {
		return nil
	}
	return s.site.Query(ctx, sqlNoted, []any{names}, db.Rows2(func(name, value string) { s.noted[name] = value }))
}

// notedDates returns the dates of a post type's pages that the plugin has noted, by the site's clock; ok is false where it
// has none that are still good.
func (s *settings) notedDates(postType string, now time.Time) (dates []int64, ok bool) {
	until := php.NewString(s.noted[timeoutPrefix+postType+notedSuffix]).Int()
	v, err := php.MaybeUnserialize(s.noted[notedPrefix+postType+notedSuffix])
	if err != nil || v.Kind != php.Array || until < now.Unix() {
		return nil, false
	}
	for _, p := range v.Pairs() {
		dates = append(dates, wp.ParseDate(p.Value.Str()))
	}
	return dates, true
}

// loadOrders reads by what WooCommerce orders product categories and attributes.
func (s *settings) loadOrders(ctx context.Context) error {
	if !s.site.Settings().Woo.Active {
		return nil
	}
	s.orders, s.byOrder = map[int64]int64{}, map[string]bool{"product_cat": true}
	err := s.site.Query(ctx, sqlAttributes, nil, db.Rows2(func(name, by string) {
		s.byOrder["pa_"+name] = by == "menu_order" || strings.TrimSpace(by) == ""
	}))
	if err != nil && !db.Unreadable(err) {
		return err
	}
	return s.site.Query(ctx, sqlOrders, []any{"order"}, db.Rows2(func(id int64, value string) { s.orders[id] = php.NewString(value).Int() }))
}
