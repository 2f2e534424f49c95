package sitemap

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// At level spec a site has the addresses that Rank Math lists, but for what docs/seo/compatibility.md names.
func TestRankMathSetOfAddresses(t *testing.T) {
	t.Parallel()
	for name, differs := range map[string]struct {
		without, with []string // as parts of addresses
		more          []string // recorded files that the index named under another address
	}{
		// An author with a canonical URL elsewhere, the archive of a type that is set to noindex; and a post whose canonical URL has
		// letters of another case.
		"rankmath-main": {without: []string{"/author/quill/", "/sheet/"}, with: []string{"-34/"}},
		"rankmath-paged": { // the index names no authors, though there is a sitemap of them
			with: []string{"/people/", "-34/"},
		},
		"rankmath-shop": { // pages that a shop works with, and the shop page once
			without: []string{"/author/quill/", "/cart/", "/checkout/", "/my-account/"}, with: []string{"-34/"},
		},
		"rankmath-plain": {without: []string{"/author/quill"}},
		"rankmath-net":   {without: []string{"/author/aquill/", "/author/fquill/"}},
		"rankmath-poly": { // posts without a language are left out, terms and archives of all languages are listed
			without: []string{"/stateless-"},
			with:    []string{"/de/", "/fr/"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(recordedSites, name)
			prefix := "wp_"
			if name == "rankmath-net" {
				prefix = "vn_"
			}
			src := wp.Source{DSN: wptest.Dump(t, filepath.Join(folder, "dump.sql.gz")), TablePrefix: prefix, WPConfig: filepath.Join(folder, "wp-config.php")}
			var got []string
			for _, site := range openSites(t, src) {
				c := mustBuild(t, site, seo.Options{Compat: seo.SpecLevel})
				if c.Plugin() != "Rank Math" || !c.Active() {
					continue
				}
				for _, f := range c.Files()[1:] {
					for _, e := range parse(t, mustRender(t, c, f.Name, f.Page).Body).Entries {
						got = append(got, e.Loc)
					}
				}
			}
			want := recordedAddresses(t, folder)
			got = slices.DeleteFunc(addressSet(got), isLaterPart(want))
			want = slices.DeleteFunc(want, has(differs.without))
			got = slices.DeleteFunc(got, func(loc string) bool {
				return has(differs.without)(loc) || has(differs.with)(loc) && !slices.Contains(want, loc)
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("recorded (-), ours (+):\n%s", diff)
			}
		})
	}
}

// rankMathSite is a site with Rank Math, over small: boxes of posts, terms and users in every form that the plugin or a hand
// may have stored. The names say which rule each is there for.
var rankMathSite = []string{
	`REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
		('active_plugins', 'a:1:{i:0;s:30:"seo-by-rank-math/rank-math.php";}', 'on'),
		('rank_math_modules', 'a:1:{i:0;s:7:"sitemap";}', 'on'),
		('rank_math_registration_skip', '1', 'on'),
		('rank-math-options-sitemap', 'a:8:{s:14:"items_per_page";s:3:"200";s:15:"authors_sitemap";s:2:"on";s:15:"pt_post_sitemap";s:2:"on";` +
		`s:15:"pt_page_sitemap";s:2:"on";s:20:"tax_category_sitemap";s:2:"on";s:20:"tax_post_tag_sitemap";s:3:"off";` +
		`s:13:"exclude_posts";s:11:"1009,, 9999";s:13:"exclude_roles";a:1:{i:0;s:10:"subscriber";}}', 'on'),
		('rank-math-options-titles', 'a:2:{s:21:"pt_page_custom_robots";s:2:"on";s:14:"pt_page_robots";a:1:{i:0;s:7:"noindex";}}', 'on')`,
	`INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
		(1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'), (1002, 'bo', '!', 'bo', 'bo@small.test', 'Bo'),
		(1003, 'cy', '!', 'cy', 'cy@small.test', 'Cy')`,
	`INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
		(1001, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'), (1002, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}'),
		(1003, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'), (1003, 'rank_math_robots', 'a:1:{i:0;s:7:"noindex";}')`,
	`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type,
		post_name, post_title, post_parent, post_password, post_content) VALUES
		(1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-02-01 11:00:00', '2024-02-01 10:00:00',
			'publish', 'post', 'plain', '', 0, '', ''),
		(1002, 1002, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-02-02 11:00:00', '2024-02-02 10:00:00',
			'publish', 'post', 'noindex', '', 0, '', ''),
		(1003, 1003, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-02-03 11:00:00', '2024-02-03 10:00:00',
			'publish', 'post', 'nofollow', '', 0, '', ''),
		(1004, 1001, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-02-04 11:00:00', '2024-02-04 10:00:00',
			'publish', 'post', 'elsewhere', '', 0, '', ''),
		(1005, 1001, '2024-01-05 11:00:00', '2024-01-05 10:00:00', '2024-02-05 11:00:00', '2024-02-05 10:00:00',
			'publish', 'post', 'own', '', 0, '', ''),
		(1006, 1001, '2024-01-06 11:00:00', '2024-01-06 10:00:00', '2024-02-06 11:00:00', '2024-02-06 10:00:00',
			'publish', 'post', 'locked', '', 0, 'x', ''),
		(1007, 1001, '2024-01-07 11:00:00', '2024-01-07 10:00:00', '2024-02-07 11:00:00', '2024-02-07 10:00:00',
			'publish', 'post', 'cut-in-half', '', 0, '', ''),
		(1008, 1001, '2024-01-08 11:00:00', '2024-01-08 10:00:00', '2024-02-08 11:00:00', '2024-02-08 10:00:00',
			'publish', 'post', 'null', '', 0, '', ''),
		(1009, 1001, '2024-01-09 11:00:00', '2024-01-09 10:00:00', '2024-02-09 11:00:00', '2024-02-09 10:00:00',
			'publish', 'post', 'by-id', '', 0, '', ''),
		(1011, 1001, '2024-01-11 11:00:00', '2024-01-11 10:00:00', '2024-02-11 11:00:00', '2024-02-11 10:00:00',
			'publish', 'page', 'of-the-type', '', 0, '', ''),
		(1012, 1001, '2024-01-12 11:00:00', '2024-01-12 10:00:00', '2024-02-12 11:00:00', '2024-02-12 10:00:00',
			'publish', 'page', 'with-index', '', 0, '', '')`,
	`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
		(1002, 'rank_math_robots', 'a:1:{i:0;s:7:"noindex";}'), (1003, 'rank_math_robots', 'a:1:{i:0;s:8:"nofollow";}'),
		(1004, 'rank_math_canonical_url', 'https://elsewhere.test/'), (1005, 'rank_math_canonical_url', 'https://small.test/own/'),
		(1007, 'rank_math_robots', 'a:2:{i:0;s:5:"index";i:1;s:7:"nof'), (1008, 'rank_math_robots', NULL), (1008, 'rank_math_canonical_url', NULL),
		(1012, 'rank_math_robots', 'a:1:{i:0;s:5:"index";}')`,
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (1021, 'Plain', 'plain-term'),
		(1022, 'Noindex', 'noindex-term'), (1023, 'Elsewhere', 'elsewhere-term')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
		(1021, 1021, 'category', '', 0, 1), (1022, 1022, 'category', '', 0, 1), (1023, 1023, 'category', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 1021), (1001, 1022), (1001, 1023)`,
	`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES
		(1022, 'rank_math_robots', 'a:1:{i:0;s:7:"noindex";}'), (1023, 'rank_math_canonical_url', 'https://elsewhere.test/')`,
}

// What Rank Math stores of posts, terms and users decides; index beats what is said of the type. What cannot be read says
// nothing.
func TestRankMathDecides(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, rankMathSite...)
		var log bytes.Buffer
		c := mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if c.Plugin() != "Rank Math" || !c.Active() {
			t.Fatalf("%s, active %t: %s", c.Plugin(), c.Active(), c.Whose.Why())
		}
		if !strings.Contains(log.String(), "cannot be read, and says nothing") || !strings.Contains(log.String(), "objects=1") {
			t.Errorf("no warning of what is cut in half: %s", &log)
		}
		want := map[string][]string{
			"post":     {"/", "/cut-in-half/", "/nofollow/", "/null/", "/own/", "/plain/"},
			"page":     {"/with-index/"},
			"category": {"/category/plain-term/"},
			"author":   {"/author/ann/"},
		}
		got := map[string][]string{}
		for name := range want {
			got[name] = slices.DeleteFunc(pathsIn(t, c, name), func(path string) bool { return strings.Contains(path, "hello") })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
		if c.List("post_tag") != nil {
			t.Error("a taxonomy that is switched off has a list")
		}
	})
}

// An edit of a box shows in the next catalog.
func TestRankMathBoxesChange(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, rankMathSite...)
		first := openSite(t, wp.Source{DSN: dsn})
		c := mustBuild(t, first, seo.Options{Compat: seo.SpecLevel, Keep: true})
		wptest.Exec(t, dsn, `INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1001, 'rank_math_robots', 'a:1:{i:0;s:7:"noindex";}')`)
		d, err := c.Delta(t.Context(), rows.ChangeSet{})
		if err != nil {
			t.Fatal(err)
		}
		if got := pathsIn(t, d.Catalog, "post"); slices.Contains(got, "/plain/") {
			t.Errorf("a delta lists %q", got)
		}
		before := first.SettingsFingerprint()
		wptest.Exec(t, dsn, `INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1021, 'rank_math_robots', 'a:1:{i:0;s:7:"noindex";}')`)
		again := openSite(t, wp.Source{DSN: dsn})
		if again.SettingsFingerprint() == before {
			t.Error("the settings are as before an edit of a term's box")
		}
		if got := mustBuild(t, again, seo.Options{Compat: seo.SpecLevel}).List("category"); got.Listed() != 0 {
			t.Errorf("%d categories are listed", got.Listed())
		}
	})
}

// Who asks for exactly what the plugin emits is told what of that no database holds.
func TestRankMathSaysWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, rankMathSite...)
	for images, want := range map[string]bool{"on": true, "off": false} {
		wptest.Exec(t, dsn, fmt.Sprintf(`UPDATE wp_options SET option_value = 'a:2:{s:15:"pt_post_sitemap";s:2:"on";s:14:"include_images";s:%d:"%s";}'
			WHERE option_name = 'rank-math-options-sitemap'`, len(images), images))
		site := openSite(t, wp.Source{DSN: dsn})
		for _, level := range levels {
			says := strings.Contains(WhoseOf(site, Auto, level).Warning(), "dynamic blocks and page builders")
			if says != (want && level == seo.PluginLevel) {
				t.Errorf("images %s, %s: %q", images, level, WhoseOf(site, Auto, level).Warning())
			}
		}
	}
}

// Where authors need no posts, one who may write none is told why he is excluded, and not that he has no posts.
func TestRankMathExplainsMembers(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, append(slices.Clone(rankMathSite), stored("rank-math-options-sitemap", array("authors_sitemap", "on", "pt_post_sitemap", "on",
		"include_authors_without_posts", "on", "exclude_roles", array(0, "subscriber"))))...)
	c := mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel})
	if x, err := c.Explain(t.Context(), "https://small.test/author/bo/"); err != nil || x.In || x.Rule != "role excluded" {
		t.Errorf("%+v, %v", x, err)
	}
}
