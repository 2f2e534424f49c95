package seopress

import (
	"context"
	"strings"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// Only the plugin's own sitemaps depend on dates that SEOPress has cached and on the order in which WooCommerce sorts terms. So only
// level plugin reads them.

// Load implements seo.PluginSettings. At level plugin it also reads cached dates and the order of terms.
func (s *settings) Load(ctx context.Context) error {
	if s.level == seo.PluginLevel {
		s.noted = map[string]string{}
		if err := s.Blog.Query(ctx, sqlNoted, nil, db.Rows2(func(name, value string) { s.noted[name] = value })); err != nil {
			return err
		}
		if err := s.loadOrders(ctx); err != nil {
			return err
		}
	}
	return s.Meta.Load(ctx)
}

const (
	sqlNoted = `SELECT option_name, option_value FROM wp_options
WHERE option_name LIKE '!_transient!_seopress!_sitemap!_lastmod!_all!_%' ESCAPE '!'
OR option_name LIKE '!_transient!_timeout!_seopress!_sitemap!_lastmod!_all!_%' ESCAPE '!'`
	// The stored sort numbers of terms, and the sort order of product attributes.
	sqlOrders     = `SELECT term_id, meta_value FROM wp_termmeta WHERE meta_key = ?`
	sqlAttributes = `SELECT attribute_name, attribute_orderby FROM wp_woocommerce_attribute_taxonomies`
)

// The plugin caches the dates of its index in transients for an hour. The index shows cached dates
// even if posts have changed. Since 9.3 each post type has one transient. Older versions have one for
// each page; these are not read.
const (
	notedPrefix   = "_transient_seopress_sitemap_lastmod_all_"
	timeoutPrefix = "_transient_timeout_seopress_sitemap_lastmod_all_"
	notedSuffix   = "_1000"
)

// notedDates returns the cached dates of a post type's first pages, by the site's clock. ok is false
// if nothing is cached or if the cache has expired.
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

// loadOrders reads how WooCommerce sorts product categories and attributes.
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
