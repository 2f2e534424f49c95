package sitemap

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// seopressLists is the option of SEOPress' sitemaps: pages and posts, tags and categories, authors, images.
const seopressLists = `a:5:{s:35:"seopress_xml_sitemap_general_enable";s:1:"1";` +
	`s:31:"seopress_xml_sitemap_img_enable";s:1:"1";` +
	`s:34:"seopress_xml_sitemap_author_enable";s:1:"1";` +
	`s:36:"seopress_xml_sitemap_post_types_list";a:2:{s:4:"page";a:1:{s:7:"include";s:1:"1";}s:4:"post";a:1:{s:7:"include";s:1:"1";}}` +
	`s:36:"seopress_xml_sitemap_taxonomies_list";a:2:{s:8:"post_tag";a:1:{s:7:"include";s:1:"1";}s:8:"category";a:1:{s:7:"include";s:1:"1";}}}`

// seopressSite is a site with SEOPress, over small: boxes of posts and terms, each in every form that the plugin or a hand may
// have stored. The names of the posts say which rule each is there for.
var seopressSite = []string{
	`REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
		('active_plugins', 'a:1:{i:0;s:24:"wp-seopress/seopress.php";}', 'on'),
		('seopress_toggle', 'a:2:{s:18:"toggle-xml-sitemap";s:1:"1";s:15:"toggle-advanced";s:1:"1";}', 'on'),
		('seopress_xml_sitemap_option_name', '` + seopressLists + `', 'on'),
		('seopress_titles_option_name', 'a:1:{s:29:"seopress_titles_single_titles";a:1:{s:4:"page";a:1:{s:7:"noindex";s:1:"1";}}}', 'on')`,
	`INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
		(1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'), (1002, 'bo', '!', 'bo', 'bo@small.test', 'Bo')`,
	`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type,
		post_name, post_title, post_parent, post_password, post_content) VALUES
		(1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-02-01 11:00:00', '2024-02-01 10:00:00', 'publish', 'post',
		'plain', 'Plain', 0, '', ''),
		(1002, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-02-02 11:00:00', '2024-02-02 10:00:00', 'publish', 'post',
		'noindex', 'Noindex', 0, '', ''),
		(1003, 1001, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-02-03 11:00:00', '2024-02-03 10:00:00', 'publish', 'post',
		'noindex-of-another-kind', 'Stored by hand', 0, '', ''),
		(1004, 1001, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-02-04 11:00:00', '2024-02-04 10:00:00', 'publish', 'post',
		'canonical-elsewhere', 'Elsewhere', 0, '', ''),
		(1005, 1001, '2024-01-05 11:00:00', '2024-01-05 10:00:00', '2024-02-05 11:00:00', '2024-02-05 10:00:00', 'publish', 'post',
		'canonical-own', 'Own', 0, '', ''),
		(1006, 1002, '2024-01-06 11:00:00', '2024-01-06 10:00:00', '2024-02-06 11:00:00', '2024-02-06 10:00:00', 'publish', 'post',
		'locked', 'Locked', 0, 'secret', ''),
		(1007, 1001, '2024-01-07 11:00:00', '2024-01-07 10:00:00', '2024-02-07 11:00:00', '2024-02-07 10:00:00', 'publish', 'post',
		'caf%c3%a9', 'Canonical decoded', 0, '', ''),
		(1008, 1001, '2024-01-08 11:00:00', '2024-01-08 10:00:00', '2024-02-08 11:00:00', '2024-02-08 10:00:00', 'publish', 'post',
		'canonical-null', 'NULL', 0, '', ''),
		(1011, 1001, '2024-01-09 11:00:00', '2024-01-09 10:00:00', '2024-02-09 11:00:00', '2024-02-09 10:00:00', 'publish', 'page',
		'in-a-noindexed-type', 'Its type is noindexed', 0, '', '')`,
	`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
		(1002, '_seopress_robots_index', 'yes'), (1003, '_seopress_robots_index', '1'),
		(1004, '_seopress_robots_canonical', 'https://elsewhere.test/'), (1005, '_seopress_robots_canonical',
		'https://small.test/canonical-own/'),
		(1007, '_seopress_robots_canonical', 'https://small.test/café/'), (1008, '_seopress_robots_canonical', NULL), (1008,
		'_seopress_robots_index', NULL)`,
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (1021, 'Plain', 'plain-term'), (1022, 'Noindex', 'noindex-term'), (1023,
		'Elsewhere', 'elsewhere-term')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
		(1021, 1021, 'category', '', 0, 1), (1022, 1022, 'category', '', 0, 1), (1023, 1023, 'post_tag', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 1021), (1001, 1022), (1001, 1023)`,
	`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES
		(1022, '_seopress_robots_index', 'anything'), (1023, '_seopress_robots_canonical', 'https://elsewhere.test/'), (1021,
		'_seopress_robots_index', '0')`,
}

// pathsIn returns the addresses of a sitemap, without home, in order.
func pathsIn(t *testing.T, c *Catalog, name string) []string {
	t.Helper()
	var paths []string
	for _, e := range parse(t, mustRender(t, c, name, 1).Body).Entries {
		paths = append(paths, strings.TrimPrefix(e.Loc, c.Site().Home()))
	}
	slices.Sort(paths)
	return paths
}

// What SEOPress stores of posts and terms decides; its noindex of a whole type does not.
func TestSEOPressDecides(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, seopressSite...)
		c := mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
		if c.Plugin() != "SEOPress" || !c.Active() {
			t.Fatalf("%s, active %t: %s", c.Plugin(), c.Active(), c.Whose.Why())
		}
		want := map[string][]string{
			"post":     {"/", "/caf%c3%a9/", "/canonical-null/", "/canonical-own/", "/noindex-of-another-kind/", "/plain/"},
			"page":     {"/in-a-noindexed-type/"},
			"category": {"/category/plain-term/"},
			"author":   {"/author/ann/", "/author/bo/"}, // whose one post is locked,
		}
		got := map[string][]string{}
		for name := range want {
			got[name] = pathsIn(t, c, name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
	})
}

// An option that is cut in half counts as never saved, as in WordPress, with a warning that names it: the plugin's sitemaps
// are off, and those that the operator asks for are as the plugin is activated.
func TestSEOPressBrokenOption(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, seopressSite...)
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = SUBSTR(option_value, 1, 200) "+
		"WHERE option_name = 'seopress_xml_sitemap_option_name'")
	site := openSite(t, wp.Source{DSN: dsn})
	if warnings := strings.Join(site.Warnings(), "\n"); !strings.Contains(warnings, "seopress_xml_sitemap_option_name") {
		t.Errorf("warnings: %s", warnings)
	}
	if c := mustBuild(t, site, seo.Options{Compat: seo.SpecLevel}); c.Plugin() == "SEOPress" && c.Active() {
		t.Errorf("it is on: %s", c.Whose.Why())
	}
	c := mustBuild(t, site, seo.Options{Compat: seo.SpecLevel, Sitemaps: "seopress"})
	var names []string
	for _, n := range c.Types() {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"post", "page", "category"}, names); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// Without the table of term meta, or the right to read it, terms are listed with a warning that names it.
func TestSEOPressWithoutTermMeta(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, seopressSite...)
		wptest.Exec(t, dsn, "DROP TABLE wp_termmeta")
		site := openSite(t, wp.Source{DSN: dsn})
		if warnings := strings.Join(site.Warnings(), "\n"); !strings.Contains(warnings, "wp_termmeta cannot be read") {
			t.Errorf("warnings: %s", warnings)
		}
		c := mustBuild(t, site, seo.Options{Compat: seo.SpecLevel})
		if paths := pathsIn(t, c, "category"); len(paths) != 2 {
			t.Errorf("categories: %q", paths)
		}
	})
}

// What is ticked on the page of a term changes the fingerprint of the settings, by which a new catalog is made; other meta of
// terms does not. A box of a post is found by a delta.
func TestSEOPressEdits(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, seopressSite...)
	fingerprint := func() uint64 { return openSite(t, wp.Source{DSN: dsn}).SettingsFingerprint() }
	before := fingerprint()
	wptest.Exec(t, dsn, "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1021, 'order', '3')")
	if fingerprint() != before {
		t.Error("the order of a term changes the settings")
	}
	c := mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Keep: true})
	wptest.Exec(t, dsn, "UPDATE wp_termmeta SET meta_value = 'yes' WHERE term_id = 1021 AND meta_key = '_seopress_robots_index'")
	if fingerprint() == before {
		t.Error("a noindex of a term does not change the settings")
	}
	wptest.Exec(t, dsn, "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1001, '_seopress_robots_index', 'yes')",
		"DELETE FROM wp_postmeta WHERE post_id = 1002")
	d, err := c.Delta(t.Context(), rows.ChangeSet{})
	if err != nil {
		t.Fatal(err)
	}
	got := pathsIn(t, d.Catalog, "post")
	if slices.Contains(got, "/plain/") || !slices.Contains(got, "/noindex/") || d.Touched != 2 {
		t.Errorf("%d touched: %q", d.Touched, got)
	}
}

// Explain names the row of SEOPress that decides.
func TestSEOPressExplains(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, seopressSite...)
	c := mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
	for _, tt := range []struct{ path, rule, source string }{
		{"/noindex/", "noindex", "wp_postmeta._seopress_robots_index"},
		{"/canonical-elsewhere/", "canonical elsewhere", "wp_postmeta._seopress_robots_canonical"},
		{"/category/noindex-term/", "noindex", "wp_termmeta._seopress_robots_index"},
		{"/tag/elsewhere-term/", "canonical elsewhere", "wp_termmeta._seopress_robots_canonical"},
		{"/plain/", "listed", "wp_posts.post_status"},
	} {
		x := mustExplain(t, c, "https://small.test"+tt.path)
		named := slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == tt.source })
		if x.Rule != tt.rule || !named || x.In != (tt.rule == "listed") {
			t.Errorf("%s: in %t, %s, %+v", tt.path, x.In, x.Rule, x.Evidence)
		}
	}
}

// Level plugin has the order, the dates of the site's clock, and short pages; the index has the note of an hour, and without
// it the newest row.
func TestSEOPressAtLevelPlugin(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, seopressSite...)
	build := func() *Catalog {
		return mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel, Now: clockAt(time.Unix(1_800_000_000, 0))})
	}
	c := build()
	var got []string
	for _, e := range parse(t, mustRender(t, c, "post", 1).Body).Entries {
		got = append(got, e.Loc+" "+e.LastMod)
	}
	want := []string{
		"https://small.test/ ", "https://small.test/canonical-null/ 2024-02-08T11:00:00+00:00",
		"https://small.test/café/ 2024-02-07T11:00:00+00:00",
		"https://small.test/canonical-own/ 2024-02-05T11:00:00+00:00", "https://small.test/noindex-of-another-kind/ 2024-02-03T11:00:00+00:00",
		"https://small.test/plain/ 2024-02-01T11:00:00+00:00",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if entries := parse(t, mustRender(t, c, "post", 99).Body).Entries; len(entries) > 0 {
		t.Errorf("past the end: %v", entries)
	}
	for _, tt := range []struct{ until, want string }{
		{"1799999999", "2024-02-08T11:00:00+00:00"}, {"1800003600", "2020-05-05T05:05:05+00:00"},
	} {
		wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES "+
			"('_transient_timeout_seopress_sitemap_lastmod_all_post_1000', '"+tt.until+"'), "+
			`('_transient_seopress_sitemap_lastmod_all_post_1000', 'a:1:{i:0;s:19:"2020-05-05 05:05:05";}')`)
		index := mustRender(t, build(), seo.IndexName, 1).Body
		if date := indexDate(t, index, "https://small.test/post-sitemap1.xml"); date != tt.want {
			t.Errorf("until %s: %s, want %s", tt.until, date, tt.want)
		}
	}
}

// ownEscaped is the slug of a post with its own canonical address, of which the plugin says that it is another one.
const ownEscaped = "/日本語の-記事/"

// At level spec a site has the addresses that SEOPress lists, but for what docs/seo/compatibility.md names.
func TestSEOPressSetOfAddresses(t *testing.T) {
	t.Parallel()
	for name, differs := range map[string]struct {
		more          string   // recorded files beside those of types
		without, with []string // as parts of addresses
	}{
		// Its archive has no posts, or is of a type that is set to noindex, as tags and authors are. The canonical URL of a post
		// is its own, with escapes; that of another has letters of another case.
		"seopress-main": {
			more: "expected/author.xml", without: []string{"/author/", "/lone/", "/sheet/", "/tag/"}, with: []string{ownEscaped, "-34/"},
		},
		"seopress-paged": { // a type that is gone
			more: "expected/author.xml", without: []string{"/author/", "/tag/", "?p="}, with: []string{ownEscaped, "-34/"},
		},
		"seopress-shop": { // pages that a shop works with
			more:    "expected/author.xml",
			without: []string{"/author/", "/cart/", "/checkout/", "/my-account/"}, with: []string{ownEscaped, "-34/"},
		},
		"seopress-plain": { // what nobody could record
			more: "unlisted/__*.xml", without: []string{"?author="}, with: []string{"?book=", "?tag="},
		},
		"seopress-net":  {more: "expected/author.xml", without: []string{"/blog/author/"}, with: []string{ownEscaped}},
		"seopress-poly": {more: "expected/author.xml", without: []string{"/author/", "/tag/", "/stateless-"}}, // posts without a language
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(recordedSites, name)
			prefix := "wp_"
			if name == "seopress-net" {
				prefix = "vn_"
			}
			src := wp.Source{DSN: wptest.Dump(t, filepath.Join(folder, "dump.sql.gz")), TablePrefix: prefix, WPConfig: filepath.Join(folder, "wp-config.php")}
			var got []string
			for _, site := range openSites(t, src) {
				c := mustBuild(t, site, seo.Options{Compat: seo.SpecLevel})
				if c.Plugin() != "SEOPress" || !c.Active() {
					continue
				}
				for _, f := range c.Files()[1:] {
					for _, e := range parse(t, mustRender(t, c, f.Name, f.Page).Body).Entries {
						got = append(got, e.Loc)
					}
				}
			}
			more, err := filepath.Glob(filepath.Join(folder, differs.more))
			if err != nil {
				t.Fatal(err)
			}
			inFolders, err := filepath.Glob(filepath.Join(folder, "expected", "*", "author.xml"))
			if err != nil {
				t.Fatal(err)
			}
			want := recordedAddresses(t, folder, append(more, inFolders...)...)
			got = addressSet(got)
			want = slices.DeleteFunc(want, has(differs.without))
			got = slices.DeleteFunc(got, func(loc string) bool { return has(differs.with)(loc) && !slices.Contains(want, loc) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("recorded (-), ours (+):\n%s", diff)
			}
		})
	}
}

// has returns what reports whether an address holds one of some texts.
func has(parts []string) func(string) bool {
	return func(loc string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(loc, part) })
	}
}

// A page of posts costs as few statements as one of Yoast's, at both levels.
func TestSEOPressPagesCostAsLittle(t *testing.T) {
	t.Parallel()
	dsn := bulk(t, wptest.MariaDB, 1100)
	wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES ('seopress_xml_sitemap_option_name', '"+seopressLists+"')")
	for _, structure := range []string{"/%postname%/", "/%author%/%category%/%postname%/"} {
		wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '"+structure+"' WHERE option_name = 'permalink_structure'")
		var c counter
		site := openSite(t, wp.Source{DSN: dsn, Observe: c.observe})
		for _, level := range levels {
			var costs []int
			for _, plugin := range []string{"yoast", "seopress"} {
				catalog := mustBuild(t, site, seo.Options{Compat: level, Sitemaps: plugin})
				c.take()
				if n := mustRender(t, catalog, "post", 1).Entries; n < 900 {
					t.Fatalf("%s: %d entries", plugin, n)
				}
				costs = append(costs, len(c.take()))
			}
			t.Logf("%s, level %s: %d statements of Yoast, %d of SEOPress", structure, level, costs[0], costs[1])
			if costs[1] > costs[0] {
				t.Errorf("%s, level %s: %d statements of Yoast, %d of SEOPress", structure, level, costs[0], costs[1])
			}
		}
	}
}

// Every poll checks the table of term meta, and a reading of the settings follows.
func TestSEOPressTermMetaIsFollowed(t *testing.T) {
	if !slices.Contains(Declared.TablesWith(func(t wp.Table) bool { return t.Settings && t.Watched }), "termmeta") {
		t.Error("polls do not check the table, or no reading of the settings follows")
	}
}
