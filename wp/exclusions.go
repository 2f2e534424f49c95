package wp

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
)

// Post meta by which other plugins keep a post out of sitemaps.
const (
	MetaFilled  = "_filled"   // of WP Job Manager: the position is filled
	MetaLinksTo = "_links_to" // of Page Links To: the address that a post leads to

	typeJob           = "job_listing"
	pluginJobs        = "wp-job-manager/wp-job-manager.php"
	pluginPageLinksTo = "page-links-to/page-links-to.php"
	pluginForums      = "bbpress/bbpress.php"
)

// OptionsHiddenForums are where bbPress keeps the forums that are not for all, those of a BuddyPress group among them.
var OptionsHiddenForums = []string{"_bbp_private_forums", "_bbp_hidden_forums"}

var pluginsDownloads = []string{"easy-digital-downloads/easy-digital-downloads.php", "easy-digital-downloads-pro/easy-digital-downloads.php"}

// Exclusions are the ways in which other active plugins keep posts out of sitemaps, or from search engines
// altogether, as far as the database shows.
type Exclusions struct {
	Jobs         bool // WP Job Manager: filled listings are not in the sitemaps of SEO plugins
	HideFilled   bool // and by option job_manager_hide_filled_positions not in WordPress' own
	LinksTo      bool // Page Links To: posts may have the address of something else
	ServicePages []ServicePage
	HiddenForums []int64 // bbPress: visitors get 404 for what is below them, whose own status is publish
}

// ServicePage is a page that a shop works with, such as its checkout.
type ServicePage struct {
	ID     int64
	Option string // which names it
}

// exclusions decodes what they depend on.
func (s *Blog) exclusions(o options, plugins map[string]bool, woo Woo) Exclusions {
	e := Exclusions{Jobs: plugins[pluginJobs], LinksTo: plugins[pluginPageLinksTo]}
	hide := o.integer("job_manager_hide_filled_positions")
	e.HideFilled = e.Jobs && (hide == 1 || hide == -1) // absint() of it is 1
	add := func(id int64, option string) {
		if id > 0 {
			e.ServicePages = append(e.ServicePages, ServicePage{id, option})
		}
	}
	if plugins[pluginForums] {
		for _, option := range OptionsHiddenForums {
			for _, p := range o.serialized(option, s.Notice).Pairs() {
				e.HiddenForums = append(e.HiddenForums, p.Value.Int())
			}
		}
	}
	add(woo.Cart, "woocommerce_cart_page_id")
	add(woo.Checkout, "woocommerce_checkout_page_id")
	add(woo.Account, "woocommerce_myaccount_page_id")
	if plugins[pluginsDownloads[0]] || plugins[pluginsDownloads[1]] {
		settings := o.serialized("edd_settings", s.Notice)
		for _, key := range []string{"purchase_page", "success_page", "failure_page", "purchase_history_page"} {
			add(settings.Get(key).Int(), "edd_settings["+key+"]")
		}
	}
	return e
}

// ExclusionMeta are the keys of post meta by which those plugins keep posts out.
func (s *Blog) ExclusionMeta() []string {
	var keys []string
	if s.set.Exclusions.Jobs {
		keys = append(keys, MetaFilled)
	}
	if s.set.Exclusions.LinksTo {
		keys = append(keys, MetaLinksTo)
	}
	return keys
}

// typesOfForums are the post types of bbPress.
var typesOfForums = []string{"forum", "topic", "reply"}

// By the index post_parent.
const sqlBelowForums = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type IN ('forum', 'topic', 'reply')`

// InHiddenForums returns the forums, topics and replies below forums that are not for all, in ascending order.
func (s *Blog) InHiddenForums(ctx context.Context) ([]int64, error) {
	var all []int64
	seen := map[int64]bool{}
	for level := s.set.Exclusions.HiddenForums; len(level) > 0; {
		below, err := s.IDsOf(ctx, "reading what is below hidden forums", sqlBelowForums, level)
		if err != nil {
			return nil, err
		}
		level = slices.DeleteFunc(below, func(id int64) bool { return seen[id] }) // a tree may be a ring
		for _, id := range level {
			seen[id] = true
		}
		all = append(all, level...)
	}
	return Distinct(all), nil
}

// ServicePage returns the service page of that id.
func (e *Exclusions) ServicePage(id int64) (ServicePage, bool) {
	for _, p := range e.ServicePages {
		if p.ID == id {
			return p, true
		}
	}
	return ServicePage{}, false
}

// Filled reports whether WP Job Manager takes a post for a filled position, by its value of MetaFilled.
func Filled(postType, value string) bool {
	return strings.EqualFold(postType, typeJob) && php.NewString(value).Truthy()
}

// FilledForCore is Filled by the query of WordPress' own sitemaps.
func FilledForCore(postType, value string) bool {
	return strings.EqualFold(postType, typeJob) && value != "0"
}

// Filled is the value of MetaFilled, "" without.
func (p *Post) Filled() string { return plain(p.Meta(MetaFilled)) }

// plain is a value of a post's meta that is a text; one that looks serialized counts as missing.
func plain(value string) string {
	if php.IsSerialized(value) {
		return ""
	}
	return value
}

// LinksTo is the value of MetaLinksTo, "" without.
func (p *Post) LinksTo() string { return plain(p.Meta(MetaLinksTo)) }
