package wp

import (
	"strings"

	"wpsitemapd/wp/php"
)

// Post meta with which other plugins keep a post out of sitemaps.
const (
	MetaFilled  = "_filled"   // WP Job Manager: the position is filled
	MetaLinksTo = "_links_to" // Page Links To: the address that a post leads to

	typeJob           = "job_listing"
	pluginJobs        = "wp-job-manager/wp-job-manager.php"
	pluginPageLinksTo = "page-links-to/page-links-to.php"
	pluginForums      = "bbpress/bbpress.php"
)

// OptionsHiddenForums are the options in which bbPress keeps its private and hidden forums. Forums of BuddyPress
// groups are among them.
var OptionsHiddenForums = []string{"_bbp_private_forums", "_bbp_hidden_forums"}

var pluginsDownloads = []string{"easy-digital-downloads/easy-digital-downloads.php", "easy-digital-downloads-pro/easy-digital-downloads.php"}

// Exclusions says how other active plugins keep posts out of sitemaps or out of search engines, as far as the database
// shows that.
type Exclusions struct {
	Jobs         bool // WP Job Manager: sitemaps of SEO plugins do not list filled positions
	HideFilled   bool // option job_manager_hide_filled_positions: WordPress' own sitemaps do not list them either
	LinksTo      bool // Page Links To: a post may lead to another address
	ServicePages []ServicePage
	HiddenForums []int64 // bbPress: visitors get 404 for everything below these forums, although its status is publish
}

// ServicePage is a page that a shop needs to work, such as its checkout.
type ServicePage struct {
	ID     int64
	Option string // the option that names the page
}

// exclusions reads from options how active plugins keep posts out of sitemaps.
func (r *reading) exclusions() Exclusions {
	plugins, woo := r.blog.set.ActivePlugins, r.blog.set.Woo
	e := Exclusions{Jobs: plugins[pluginJobs], LinksTo: plugins[pluginPageLinksTo]}
	hide := r.options.integer("job_manager_hide_filled_positions")
	e.HideFilled = e.Jobs && (hide == 1 || hide == -1) // the plugin takes absint() of the option
	add := func(id int64, option string) {
		if id > 0 {
			e.ServicePages = append(e.ServicePages, ServicePage{id, option})
		}
	}
	if plugins[pluginForums] {
		for _, option := range OptionsHiddenForums {
			for _, p := range r.array(option).Pairs() {
				e.HiddenForums = append(e.HiddenForums, p.Value.Int())
			}
		}
	}
	add(woo.Cart, "woocommerce_cart_page_id")
	add(woo.Checkout, "woocommerce_checkout_page_id")
	add(woo.Account, "woocommerce_myaccount_page_id")
	if plugins[pluginsDownloads[0]] || plugins[pluginsDownloads[1]] {
		settings := r.array("edd_settings")
		for _, key := range []string{"purchase_page", "success_page", "failure_page", "purchase_history_page"} {
			add(settings.Get(key).Int(), "edd_settings["+key+"]")
		}
	}
	return e
}

// ExclusionMeta returns the post meta keys with which active plugins keep posts out of sitemaps.
func (b *Blog) ExclusionMeta() []string {
	var keys []string
	if b.set.Exclusions.Jobs {
		keys = append(keys, MetaFilled)
	}
	if b.set.Exclusions.LinksTo {
		keys = append(keys, MetaLinksTo)
	}
	return keys
}

// ServicePage returns the service page with an id, and whether there is one.
func (e *Exclusions) ServicePage(id int64) (ServicePage, bool) {
	for _, p := range e.ServicePages {
		if p.ID == id {
			return p, true
		}
	}
	return ServicePage{}, false
}

// Filled reports whether WP Job Manager considers the job of a post as filled. value is the post's MetaFilled.
func Filled(postType, value string) bool {
	return strings.EqualFold(postType, typeJob) && php.NewString(value).Truthy()
}

// FilledForCore reports whether WordPress' own sitemaps leave out a post because WP Job Manager considers its job as filled.
// value is the post's MetaFilled.
func FilledForCore(postType, value string) bool {
	return strings.EqualFold(postType, typeJob) && value != "0"
}
