package wp

import (
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Other plugins keep posts out of sitemaps, if they are active.
func TestExclusions(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, storeOption("_bbp_private_forums", "a:2:{i:0;i:5;i:1;s:1:\"6\";}"), storeOption("_bbp_hidden_forums", "a:1:{i:0;i:7;}"),
		storeOption("woocommerce_cart_page_id", "11"), storeOption("woocommerce_checkout_page_id", "12"), storeOption("woocommerce_myaccount_page_id", "0"),
		storeOption("edd_settings",
			`a:4:{s:13:"purchase_page";s:2:"21";s:12:"success_page";i:22;s:12:"failure_page";s:0:"";s:21:"purchase_history_page";i:24;}`))
	read := func(plugins ...string) *Blog {
		t.Helper()
		wptest.Exec(t, dsn, storeOption("active_plugins", phpList(plugins...)))
		return openSite(t, Source{DSN: dsn})
	}
	expect.Same(t, Exclusions{}, read().Settings().Exclusions, "no plugin is active")
	expect.List(t, read().ExclusionMeta(), nil, "no plugin is active")
	b := read("wp-job-manager/wp-job-manager.php", "page-links-to/page-links-to.php", "bbpress/bbpress.php", "woocommerce/woocommerce.php",
		"easy-digital-downloads/easy-digital-downloads.php")
	expect.Same(t, Exclusions{Jobs: true, LinksTo: true, HiddenForums: []int64{5, 6, 7}, ServicePages: []ServicePage{
		{11, "woocommerce_cart_page_id"}, {12, "woocommerce_checkout_page_id"}, {21, "edd_settings[purchase_page]"}, {22, "edd_settings[success_page]"},
		{24, "edd_settings[purchase_history_page]"},
	}}, b.Settings().Exclusions)
	expect.List(t, b.ExclusionMeta(), []string{"_filled", "_links_to"})
	expect.Equal(t, len(read("easy-digital-downloads-pro/easy-digital-downloads.php").Settings().Exclusions.ServicePages), 3,
		"service pages of Easy Digital Downloads Pro")

	e := &b.Settings().Exclusions
	if page, ok := e.ServicePage(12); !ok || page.Option != "woocommerce_checkout_page_id" {
		t.Errorf("the service page 12 is %+v, %t", page, ok)
	}
	if page, ok := e.ServicePage(13); ok {
		t.Errorf("13 is no service page, and is %+v", page)
	}
}

// WP Job Manager asks for a value that PHP takes as true. Its rule for WordPress' own sitemaps asks for any value but 0.
func TestFilledJobs(t *testing.T) {
	for _, tt := range []struct {
		postType, value string
		filled, forCore bool
	}{
		{"job_listing", "1", true, true}, {"Job_Listing", "1", true, true}, {"job_listing", "0", false, false}, {"job_listing", "", false, true},
		{"post", "1", false, false},
	} {
		expect.Equal(t, Filled(tt.postType, tt.value), tt.filled, tt.postType, tt.value)
		expect.Equal(t, FilledForCore(tt.postType, tt.value), tt.forCore, tt.postType, tt.value, "for WordPress' own sitemaps")
	}
}

// A key that decides whether a post is listed counts if its plugin is active, or always.
func TestDecisiveMeta(t *testing.T) {
	d := Declare(Inputs{Name: "a", Plugins: []string{"a/a.php"}, PostMeta: []string{"of a"}, Decisive: []string{"of a"}},
		Inputs{Name: "b", Plugins: []string{"b/b.php"}, PostMeta: []string{"of b"}, Decisive: []string{"of b"}},
		Inputs{Name: "c", Plugins: []string{"c/c.php"}, PostMeta: []string{"of c"}, Decisive: []string{"of c"}, Always: true})
	b := &Blog{network: &Network{declared: d}, set: Settings{ActivePlugins: map[string]bool{"a/a.php": true, "page-links-to/page-links-to.php": true}}}
	expect.List(t, b.DecisiveMeta(), []string{"_links_to", "of a", "of c"})
}

// People edit the tables of posts and terms. WordPress and its plugins write to others all the time.
func TestEdited(t *testing.T) {
	for table, want := range map[string]bool{"posts": true, "terms": true, "term_taxonomy": true, "postmeta": false, "options": false,
		"comments": false} {
		expect.Equal(t, ownAlone.Edited(table), want, table)
	}
}
