package yoast_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The first entries of pages and posts if the front page options name a page that is not, or no longer, the front page. For a
// deleted page the plugin writes an entry without an address; neither level repeats it.
func TestFirstLinksOfStaleOptions(t *testing.T) {
	const gone = "DELETE FROM wp_posts WHERE ID = 3"
	row := func(id int, kind, status, name string, parent int) string {
		return sitemaptest.Insert(sitemaptest.Row{ID: id, Type: kind, Status: status, Name: name, Parent: parent, MIME: "image/jpeg"})
	}
	front := func(id int) []string { // on a site with one other
		return []string{
			`DELETE FROM wp_posts WHERE post_type = 'page' AND post_name <> 'about'`, row(9001, "attachment", "inherit", "picture", 0),
			row(9002, "attachment", "inherit", "below", 100), row(9003, "page", "trash", "gone", 0),
			sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", fmt.Sprint(id)), sitemaptest.SetOption("page_for_posts", "0"),
		}
	}
	for _, tt := range []struct {
		name, list   string
		change       []string
		spec, plugin string // the first entry, without the host
	}{
		{"a draft that was the front page", "page",
			[]string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 2", sitemaptest.SetOption("show_on_front", "posts")},
			"/journal/", "/?page_id=2"}, // home is listed with the posts
		{"show_on_front is unknown: the latest posts are on the front page", "post",
			[]string{"DELETE FROM wp_options WHERE option_name = 'show_on_front'"}, "/", ""},
		{"show_on_front is unknown and the posts page is gone", "post", []string{sitemaptest.SetOption("show_on_front", "other"), gone}, "/", ""},
		{"the posts page is gone", "post", []string{gone}, "/the-pier-at-dawn/", "/no-modified-date/"},
		{"the front page is deleted", "page", front(99999), "/about/", "/about/"},
		{"the front page is an attachment", "page", front(9001), "/about/", "/picture/"},
		{"the front page is an attachment of a post", "page", front(9002), "/about/", "/the-pier-at-dawn/below/"},
		{"the front page is in the trash", "page", front(9003), "/about/", "/"},
		{"the front page is a post", "page", front(100), "/about/", "/the-pier-at-dawn/"},
		{"the front page is a page", "page", append(front(9004), row(9004, "page", "publish", "start", 0)), "/", "/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for level, want := range map[seo.Level]string{seo.SpecLevel: tt.spec, seo.PluginLevel: tt.plugin} {
				c := sitemaptest.Of(t, "basic", seo.Options{Compat: level}, tt.change...)
				expect.Equal(t, sitemaptest.Listed(t, c, tt.list)[0], want, level)
			}
		})
	}
}

// Stored values that Yoast never writes. The wanted answers at level plugin are those of WordPress 7.2 with Yoast SEO 28.3.
func TestSitemapsSwitchedByOtherValues(t *testing.T) {
	const off, yoast, core = "everything is the site's", "Yoast's", "WordPress' own"
	for _, tt := range []struct{ value, plugin, spec string }{
		{"b:1;", yoast, yoast},
		{"b:0;", core, core},
		{"i:1;", off, yoast},
		{"a:1:{i:0;i:1;}", off, yoast},
		{"N;", core, core},
		{"a:0:{}", core, core},
	} {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			for level, want := range map[seo.Level]string{seo.PluginLevel: tt.plugin, seo.SpecLevel: tt.spec} {
				c := sitemaptest.Of(t, "basic", seo.Options{Compat: level},
					sitemaptest.SetOption("wpseo", fmt.Sprintf(`a:1:{s:18:"enable_xml_sitemap";%s}`, tt.value)))
				got := off
				switch {
				case c.Active() && sitemap.WhoseOf(c.Rules.Blog, sitemap.Auto, seo.SpecLevel).Plugin() == &wpcore.Plugin:
					got = core
				case c.Active():
					got = yoast
				}
				expect.Equal(t, got, want, "level", level)
				if files := c.Files(); (len(files) > 0) != (got != off) {
					t.Errorf("level %s: %d files", level, len(files))
				}
			}
		})
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	option := sitemaptest.SetOption
	const core = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"
	const start, end = "# START YOAST BLOCK\n# ---------------------------\n", "# ---------------------------\n# END YOAST BLOCK"
	const shop = `a:2:{i:0;s:27:"woocommerce/woocommerce.php";i:1;s:24:"wordpress-seo/wp-seo.php";}`
	for _, tt := range []struct {
		name    string
		changes []string
		network bool
		want    string
	}{
		{"WordPress alone", nil, false, core},
		{"below a folder", []string{option("siteurl", "https://example.test/wp/")}, false,
			"User-agent: *\nDisallow: /wp/wp-admin/\nAllow: /wp/wp-admin/admin-ajax.php\n"},
		{"Yoast replaces the rules", []string{sitemaptest.YoastActive}, false, start + "User-agent: *\nDisallow:\n\n" + end},
		{"Yoast does not know the rules of a folder", []string{sitemaptest.YoastActive, option("siteurl", "https://example.test/wp")}, false,
			"User-agent: *\nDisallow: /wp/wp-admin/\nAllow: /wp/wp-admin/admin-ajax.php\n\n" + start + "User-agent: *\nDisallow:\n\n" + end},
		{"nor those of WooCommerce", []string{option("active_plugins", shop)}, false,
			"User-agent: *\nDisallow: /wp-content/uploads/wc-logs/\nDisallow: /wp-content/uploads/woocommerce_transient_files/\nDisallow: " +
				"/wp-content/uploads/woocommerce_uploads/\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\n" +
				start + "User-agent: *\nDisallow:\n\n" + end},
		{"search is denied", []string{sitemaptest.YoastActive, option("wpseo", `a:1:{s:20:"deny_search_crawling";b:1;}`)}, false,
			start + "User-agent: *\nDisallow: /?s=\nDisallow: /page/*/?s=\nDisallow: /search/\n\n" + end},
		{"everything is denied", []string{
			sitemaptest.YoastActive,
			option("wpseo", `a:3:{s:20:"deny_search_crawling";b:1;s:21:"deny_wp_json_crawling";b:1;s:20:"deny_adsbot_crawling";b:1;}`),
		}, false,
			start + "User-agent: *\nDisallow: /?s=\nDisallow: /page/*/?s=\nDisallow: /search/\nDisallow: /wp-json/\nDisallow: " +
				"/?rest_route=\n\nUser-agent: AdsBot\nDisallow: /\n\n" + end},
		{"AdsBot alone is denied", []string{sitemaptest.YoastActive, option("wpseo", `a:2:{s:20:"deny_search_crawling";b:0;s:20:"deny_adsbot_crawling";b:1;}`)}, false,
			start + "User-agent: *\nDisallow:\n\nUser-agent: AdsBot\nDisallow: /\n\n" + end},
		{"not in a network", []string{sitemaptest.YoastActive, option("wpseo", `a:1:{s:20:"deny_adsbot_crawling";b:1;}`)}, true, start +
			"User-agent: *\nDisallow:\n\n" + end},
	} {
		t.Run(tt.name, func(t *testing.T) {
			blog := sitemaptest.Of(t, "small small-core", seo.Options{Compat: seo.SpecLevel}, tt.changes...).Rules.Blog
			expect.Equal(t, sitemap.Robots(blog, tt.network), tt.want)
		})
	}
}

const uploads = "https://example.test/wp-content/uploads/2024/05/"

// A gallery without ids in the description of a term shows nothing, because terms have no attachments. It does not show an
// unattached image that the description itself shows, either.
func TestGalleryOfNoPost(t *testing.T) {
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Of(t, "basic", seo.Options{Compat: level},
			`UPDATE wp_term_taxonomy SET description = '<img class="wp-image-52" src="/x.png">[gallery]' WHERE term_id = 2`)
		expect.List(t, sitemaptest.Images(t, c, "category", "/category/harbour/"), []string{uploads + "mill.png"}, level)
	}
}

// A gallery without ids shows what is attached to its post.
func TestGalleryOfPost(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.SpecLevel}, `UPDATE wp_posts SET post_content = '[gallery]' WHERE ID = 106`,
		sitemaptest.Picture(900, "2024/05/alone.png"), `UPDATE wp_posts SET post_parent = 106 WHERE ID = 900`)
	expect.List(t, sitemaptest.Images(t, c, "post", "/long-read/"), []string{uploads + "alone.png"})
}

const zeroDate = "-0001-11-30T00:00:00+00:00"

// Rows that WordPress did not write may have zero dates of change. If Yoast asks MySQL for the newest of several, it prints
// PHP's reading of zero: in the index, at the archive and at terms. A single post then has no date. Level spec has no such
// date.
func TestZeroDatesOfChange(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_modified_gmt = '0000-00-00 00:00:00' WHERE post_type = 'post'")
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Build(t, blog, seo.Options{Compat: level})
			index, posts, tags := sitemaptest.Render(t, c, seo.IndexName, 1), sitemaptest.Render(t, c, "post", 1), sitemaptest.Render(t, c, "post_tag", 1)
			want := map[string]bool{
				"post": string(level) == string(seo.PluginLevel), "category": string(level) == string(seo.PluginLevel),
				"post_tag": string(level) == string(seo.PluginLevel), "page": false,
			}
			for name, zero := range want {
				expect.Equal(t, sitemaptest.IndexDate(t, index.Body, c.URL(name, 1)) == zeroDate, zero, string(level), "index date of", name)
			}
			if !index.LastMod.IsZero() && index.LastMod.Year() < 1970 {
				t.Errorf("%s: the index changed at %v", string(level), index.LastMod)
			}
			if !tags.LastMod.IsZero() {
				t.Errorf("%s: the sitemap of tags changed at %v", string(level), tags.LastMod)
			}
			for name, doc := range map[string]*catalog.Document{"tags": tags, "posts": posts} {
				entries, zero := sitemaptest.Parse(t, doc.Body).Entries, 0 // the first entry among the posts is
				for _, entry := range entries {
					if entry.LastMod == zeroDate {
						zero++
					}
				}
				if (zero > 0) != (string(level) == string(seo.PluginLevel)) || name == "posts" && zero > 1 || zero > 0 && entries[0].LastMod != zeroDate {
					t.Errorf("%s: %d of the %s have a zero date", string(level), zero, name)
				}
			}
			schematest.Validate(t, sitemaptest.WithoutZeroDates(index.Body), sitemaptest.WithoutZeroDates(posts.Body), sitemaptest.WithoutZeroDates(tags.Body))
		}
	})
}

// The other formats do not have this date. A text sitemap has no Last-Modified from it, and a feed with only zero dates is not
// served.
func TestZeroDatesInOtherFormats(t *testing.T) {
	c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.PluginLevel, Text: true, Atom: true},
		"UPDATE wp_posts SET post_modified_gmt = '0000-00-00 00:00:00', post_date_gmt = '0000-00-00 00:00:00'",
		"DELETE FROM wp_usermeta WHERE meta_key = '_yoast_wpseo_profile_updated'")
	if !strings.Contains(string(sitemaptest.Render(t, c, seo.IndexName, 1).Body), zeroDate) {
		t.Fatal("the index has no zero date: this says nothing")
	}
	for _, f := range c.OtherFiles() {
		if f.Name == catalog.AtomName || !f.LastMod.IsZero() {
			t.Errorf("%s is there, changed at %v", f.Filename, f.LastMod)
		}
	}
	if doc := sitemaptest.Render(t, c, catalog.TextName, 1); !doc.LastMod.IsZero() || doc.Entries == 0 {
		t.Errorf("the text sitemap has %d addresses and changed at %v", doc.Entries, doc.LastMod)
	}
	if _, err := c.Render(t.Context(), catalog.AtomName, 1); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("the feed: %v", err)
	}
}
