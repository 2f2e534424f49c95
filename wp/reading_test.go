package wp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func storeOption(name, value string) string {
	return "REPLACE INTO wp_options (option_name, option_value) VALUES ('" + name + "', '" + value + "')"
}

// readEvidence reads a site with the evidence of its types.
func readEvidence(t *testing.T, dsn string) (*Blog, *registry.Evidence) {
	t.Helper()
	w, err := open(t, Source{DSN: dsn}).Walk(t.Context(), nil)
	wptest.Must(t, err)
	b, e, err := w.Read(t.Context(), w.Live[0])
	wptest.Must(t, err)
	return b, e
}

// A fingerprint changes with the settings that addresses depend on. The settings of single terms change only the other one.
func TestFingerprints(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	const termMeta = "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (%d, '_seopress_robots_index', '%s')"
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList("wp-seopress/seopress.php")), fmt.Sprintf(termMeta, 1, "yes"))
	read := func() (all, settings uint64) {
		b := openSite(t, Source{DSN: dsn})
		return b.Fingerprint(), b.SettingsFingerprint()
	}
	before, beforeSettings := read()
	for _, tt := range []struct {
		rule, sql     string
		all, settings bool
	}{
		{"nothing", storeOption("cron", "x"), false, false},
		{"the permalinks", storeOption("permalink_structure", "/%year%/%postname%/"), true, true},
		{"home", "UPDATE wp_options SET option_value = 'https://other.test' WHERE option_name = 'home'", true, true},
		{"a type", storeOption("cptui_post_types", ""), false, false},
		{"the settings of a term", fmt.Sprintf(termMeta, 2, "yes"), false, true},
		{"other settings of that term", "UPDATE wp_termmeta SET meta_value = 'no' WHERE term_id = 2", false, true},
		{"other term meta", "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (2, 'order', '1')", false, false},
		{"an active plugin", storeOption("active_plugins", phpList("wp-seopress/seopress.php", "woocommerce/woocommerce.php")), true, true},
	} {
		wptest.Exec(t, dsn, tt.sql)
		all, settings := read()
		expect.Equal(t, all != before, tt.all, tt.rule, "changes the fingerprint")
		expect.Equal(t, settings != beforeSettings, tt.settings, tt.rule, "changes the fingerprint of all settings")
		before, beforeSettings = all, settings
	}
}

// The tables of a blog, and those that all blogs share, by their short names.
func TestWritten(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	blogs, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
	wptest.Must(t, err)
	for _, tt := range []struct {
		blog   int
		tables string
		want   string
	}{
		{0, "wp_posts wp_2_posts wp_options WP_TERMS wp_none", "posts options terms"},
		{1, "wp_posts wp_2_posts wp_2_options wp_3_options", "posts options"},
		{1, "wp_blogs wp_users wp_usermeta wp_2_posts wp_2_posts", "blogs users usermeta posts"},
		{0, "posts wp_", ""},
	} {
		expect.Equal(t, strings.Join(blogs[tt.blog].Written(strings.Fields(tt.tables)), " "), tt.want, tt.blog, tt.tables)
	}
	users := &Blog{prefix: "wp_", network: &Network{base: "wp_", declared: ownAlone, config: config(t, "define('CUSTOM_USER_TABLE', 'people');")}}
	expect.List(t, users.Written([]string{"people", "wp_users"}), []string{"users"}, "a table of users of its own")
}

// Where WP Offload Media serves files from, by its settings and its version.
func TestOffload(t *testing.T) {
	const plugin = "amazon-s3-and-cloudfront/wordpress-s3.php"
	const table = "CREATE TABLE wp_as3cf_items (id int, source_id int, source_type text, provider text, region text, bucket text, path text, is_private int)"
	set := func(pairs ...string) string {
		text := fmt.Sprintf("a:%d:{", len(pairs)/2)
		for _, p := range pairs {
			text += fmt.Sprintf(`s:%d:"%s";`, len(p), p)
		}
		return storeOption(optionOffload, text+"}")
	}
	for _, tt := range []struct {
		rule   string
		sql    []string
		active bool
		want   *Bucket
	}{
		{"not active", []string{table, set("serve-from-s3", "1")}, false, nil},
		{"it serves nothing", []string{table, set("serve-from-s3", "0")}, true, nil},
		{"the provider's own domain", []string{table, set("serve-from-s3", "1", "provider", "aws")}, true,
			&Bucket{Scheme: "https", Provider: "aws", Path: true}},
		{"a domain of its own", []string{table, set("serve-from-s3", "1", "delivery-domain", "https://cdn.test", "domain", "x")}, true,
			&Bucket{Scheme: "https", Domain: "cdn.test", Path: true}},
		{"that is switched off", []string{table, set("serve-from-s3", "1", "delivery-domain", "cdn.test", "enable-delivery-domain", "0")}, true,
			&Bucket{Scheme: "https", Path: true}},
		{"the provider itself delivers", []string{table, set("serve-from-s3", "1", "delivery-domain", "cdn.test", "delivery-provider", "storage")}, true,
			&Bucket{Scheme: "https", Path: true}},
		{"no table: an old version", []string{set("serve-from-s3", "1", "cloudfront", "c.test")}, true,
			&Bucket{Scheme: "https", Domain: "c.test", Old: true, Path: true}},
		{"an old version with another form", []string{set("serve-from-s3", "1", "cloudfront", "c.test", "domain", "subdomain")}, true,
			&Bucket{Scheme: "https", Old: true, Path: true}},
		{"a site without HTTPS", []string{table, set("serve-from-s3", "1", "domain", "subdomain"),
			"UPDATE wp_options SET option_value = 'http://small.test' WHERE option_name = 'home'"}, true, &Bucket{Scheme: "http"}},
		{"that forces HTTPS", []string{table, set("serve-from-s3", "1", "domain", "subdomain", "force-https", "1"),
			"UPDATE wp_options SET option_value = 'http://small.test' WHERE option_name = 'home'"}, true, &Bucket{Scheme: "https", Path: true}},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		if tt.active {
			wptest.Exec(t, dsn, storeOption("active_plugins", phpList(plugin)))
		}
		wptest.Exec(t, dsn, tt.sql...)
		expect.Same(t, tt.want, openSite(t, Source{DSN: dsn}).Bucket(), tt.rule)
	}
	for _, tt := range []struct{ home, src, want string }{
		{"https://a.test", "http://b.test/x", "https://b.test/x"}, {"http://a.test", "http://b.test/x", "http://b.test/x"},
		{"https://a.test", "//b.test/x", "//b.test/x"},
	} {
		b := new(Blog)
		b.set.Home = tt.home
		expect.Equal(t, b.Secured(tt.src), tt.want, tt)
	}
}

// What WooCommerce stores, and what remains of it after it is switched off.
func TestReadWooCommerce(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "woo")
	_, e := readEvidence(t, dsn)
	w := e.Plugins.Woo
	if w == nil || w.ShopPageID != 300 || w.ShopPagePath != "store" || w.ShopPathEmpty || w.ThemeSupport != "yes" || w.Version != "9.9.5" || w.PrependShop ||
		w.BrandPermalink != "house" || !w.AttributesRead || e.Plugins.WooGone {
		t.Fatalf("%+v", w)
	}
	expect.Equal(t, fmt.Sprint(w.Attributes), "[{colour true} {size false}]")
	wptest.Exec(t, dsn, storeOption("woocommerce_force_ssl_checkout", "yes"), storeOption("woocommerce_cart_page_id", "-3"),
		storeOption("woocommerce_checkout_page_id", "7"),
		storeOption("woocommerce_prepend_shop_page_to_urls", "yes"), "UPDATE wp_posts SET post_name = '' WHERE ID = 300",
		"UPDATE wp_woocommerce_attribute_taxonomies SET attribute_public = -1 WHERE attribute_id = 2")
	b, e := readEvidence(t, dsn)
	expect.Equal(t, b.Settings().Woo, Woo{Active: true, ForceSSL: true, Checkout: 7})
	if w = e.Plugins.Woo; !w.ShopPathEmpty || !w.PrependShop || fmt.Sprint(w.Attributes) != "[{colour true} {size true}]" {
		t.Errorf("%+v", w)
	}
	wptest.Exec(t, dsn, "DROP TABLE wp_woocommerce_attribute_taxonomies", storeOption("woocommerce_shop_page_id", "999"))
	b, e = readEvidence(t, dsn)
	if w = e.Plugins.Woo; w.AttributesRead || w.ShopPathEmpty || w.ShopPagePath != "" || !strings.Contains(strings.Join(b.Warnings(), "\n"),
		"attributes have no sitemap") {
		t.Errorf("without the table: %+v, %q", w, b.Warnings())
	}
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList()))
	if b, e = readEvidence(t, dsn); e.Plugins.Woo != nil || !e.Plugins.WooGone || b.Settings().Woo.Active {
		t.Errorf("switched off: %+v", e.Plugins)
	}
}

// What WordPress found when it looked for updates counts while it is not much older than the site's newest change.
func TestLooksForUpdates(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	now := time.Now()
	look := func(age time.Duration) string {
		return storeOption(optionCoreUpdates, fmt.Sprintf(`a:2:{s:12:"last_checked";i:%d;s:15:"version_checked";s:5:"6.8.2";}`, now.Add(-age).Unix()))
	}
	for _, tt := range []struct {
		rule, sql string
		changed   time.Duration // ago
		want      string
	}{
		{"a new look", look(time.Hour), 0, "WordPress 6.8.2"},
		{"a look that is older than the newest change", look(29 * 24 * time.Hour), 0, "WordPress 6.8.2"},
		{"a look that is much older", look(31 * 24 * time.Hour), time.Hour, "WordPress 6.8"},
		{"an old look of a site that does not change", look(90 * 24 * time.Hour), 80 * 24 * time.Hour, "WordPress 6.8.2"},
		{"no look", "DELETE FROM wp_options WHERE option_name = '" + optionCoreUpdates + "'", 0, "WordPress 6.8"},
	} {
		wptest.Exec(t, dsn, tt.sql, storeOption("db_version", "60421"),
			"UPDATE wp_posts SET post_modified_gmt = '"+now.Add(-tt.changed).UTC().Format(time.DateTime)+"'")
		expect.Equal(t, openSite(t, Source{DSN: dsn}).Installed()[0].String(), tt.want, tt.rule)
	}
}

// An option may hold JSON or a PHP array. Anything else is reported and counts as never saved.
func TestStoredJSON(t *testing.T) {
	for text, want := range map[string]string{`{"a":"b"}`: "b", `a:1:{s:1:"a";s:1:"b";}`: "b", "": "", "nonsense": "", `s:1:"b";`: ""} {
		b := new(Blog)
		o := &Stored{blog: b, options: options{"x": text}}
		expect.Equal(t, o.JSON("x").Get("a").Str(), want, text)
		expect.Equal(t, len(b.warnings) > 0, want == "" && text != "", text, "is reported")
	}
}

// Values that are too long are counted by their key, up to a bound.
func TestLongMeta(t *testing.T) {
	b := &Blog{long: new(longMeta)}
	for id := range int64(mostLong + 5) {
		b.NoteLong("post_content", id)
		b.NoteLong("post_content", id)
	}
	b.NoteLong("a", 1)
	expect.List(t, b.long.warnings(), []string{
		"1 values of a are longer than 1 MiB and count as empty",
		fmt.Sprintf("%d values of post_content are longer than 8 MiB and count as empty", mostLong),
	})
	new(Blog).NoteLong("a", 1)
	expect.List(t, (*longMeta)(nil).warnings(), nil)
}

// Stored permalinks of Yoast are out of date if it noted another permalink structure or another home, or if they are not to be used.
func TestStalePermalinks(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, storeOption("permalink_structure", "/%postname%/"), storeOption("active_plugins", phpList("wordpress-seo/wp-seo.php")))
	option := func(pairs ...string) string {
		text := fmt.Sprintf("a:%d:{", len(pairs)/2)
		for _, p := range pairs {
			text += fmt.Sprintf(`s:%d:"%s";`, len(p), p)
		}
		return storeOption("wpseo", text+"}")
	}
	for _, tt := range []struct {
		option string
		want   bool
	}{
		{option(), false},
		{option("permalink_structure", "/%postname%/"), false},
		{option("permalink_structure", "/%year%/%postname%/"), true},
		{option("home_url", "https://small.test"), false},
		{option("home_url", "https://small.test/"), false},
		{option("home_url", "https://other.test"), true},
		{option("home_url", "", "permalink_structure", ""), false},
		{option("dynamic_permalinks", "1"), true},
		{option("dynamic_permalinks", "0"), false},
	} {
		wptest.Exec(t, dsn, tt.option)
		_, e := readEvidence(t, dsn)
		expect.Equal(t, e.Yoast.Stale, tt.want, tt.option)
	}
	wptest.Exec(t, dsn, option(), storeOption("active_plugins", phpList("wordpress-seo/wp-seo.php", PluginPermalinkManager)))
	_, e := readEvidence(t, dsn)
	expect.Equal(t, e.Yoast.Stale, true, "with Permalink Manager")
}

// Rows of Yoast's table are counted by type. Of the types that WordPress does not register, some rows are read.
func TestReadIndexables(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	_, e := readEvidence(t, dsn)
	expect.Equal(t, e.Yoast.HasIndexables, true)
	read := map[string]bool{}
	for _, of := range e.Yoast.Indexables {
		expect.Equal(t, of.Rows > 0, true, of.ObjectType, of.SubType)
		read[of.ObjectType+" "+of.SubType] = len(of.Samples) > 0
		for _, s := range of.Samples {
			expect.Equal(t, strings.HasPrefix(s.Permalink, "http") && s.Status != "-", true, of.ObjectType, of.SubType, s)
		}
	}
	expect.Same(t, map[string]bool{
		"post post": false, "post page": false, // WordPress registers them
		"post artist": false,
		"post book":   true, "post concert": true, "post flyer": true, "post manual": true, "post removed": true, "post-type-archive book": true,
		"post-type-archive concert": true, "term category": true, "term genre": true, "term mood": true,
	}, read, "which types have samples")
	wptest.Exec(t, dsn, "DROP TABLE wp_yoast_indexable")
	_, e = readEvidence(t, dsn)
	expect.Equal(t, e.Yoast.HasIndexables, false)
	expect.Equal(t, len(e.Yoast.Indexables), 0)
}
