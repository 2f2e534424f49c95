package redirects_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// redirect returns the statement for a rule of Redirection. If match is "regex", the rule is a regular
// expression.
func redirect(id int, from, match, to string) string {
	regex := 0
	if match == "regex" {
		regex = 1
	}
	return fmt.Sprintf(`INSERT INTO wp_redirection_items (id, url, match_url, regex, action_type, action_code, action_data, match_type)
VALUES (%d, '%s', '%s', %d, 'url', 301, '%s', 'url')`, id, from, match, regex, to)
}

// addresses returns the addresses in all sitemaps of a catalog.
func addresses(t *testing.T, c *sitemap.Catalog) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, f := range c.Files() {
		if f.Name != seo.IndexName {
			for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, f.Name, f.Page).Body).Entries {
				found[e.Loc] = true
			}
		}
	}
	return found
}

// At level spec, objects of every kind that the site's redirect manager redirects are left out,
// explained and counted. This holds for redirects of one address and of many.
func TestRedirectedAddresses(t *testing.T) {
	const home = "https://example.test"
	for _, tt := range []struct {
		name  string
		yoast bool
		rules []string
		out   []string
	}{
		{"one by one", true, []string{redirect(1, "/the-pier-at-dawn/", "/the-pier-at-dawn", "/new/"),
			redirect(2, "/about/crew", "/about/crew", "/new/"),
			redirect(3, "/category/harbour/ferries/", "/category/harbour/ferries", "https://other.test/"),
			redirect(4, "/author/ada/", "/author/ada", "/new/"), redirect(5, "/journal/", "/journal", "/new/"),
			redirect(6, "/лодка/", "/%d0%bb%d0%be%d0%b4%d0%ba%d0%b0", "/new/")}, []string{"/the-pier-at-dawn/", "/about/crew/",
			"/category/harbour/ferries/", "/author/ada/", "/journal/", "/%d0%bb%d0%be%d0%b4%d0%ba%d0%b0/"}},
		{"by an expression", true,
			[]string{redirect(1, "^/(the-pier|about/crew/$|category/harbour/ferries/$|author/ada|journal)", "regex", "/new/")},
			[]string{"/the-pier-at-dawn/", "/about/crew/", "/category/harbour/ferries/", "/author/ada/", "/journal/"}},
		{"the front page", true, []string{redirect(1, "/", "/", "/en/")}, []string{"/"}},
		{"WordPress' own", false, []string{redirect(1, "/the-pier-at-dawn/", "/the-pier-at-dawn", "/new/"),
			redirect(2, "/category/harbour/ferries/", "/category/harbour/ferries", "/new/"),
			redirect(3, "^/author/ada", "regex", "/new/")}, []string{"/the-pier-at-dawn/", "/category/harbour/ferries/",
			"/author/ada/"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "basic")
				wptest.Exec(t, dsn, append([]string{sitemaptest.With(tt.yoast, sitemaptest.PluginRedirection), sitemaptest.TableRedirection}, tt.rules...)...)
				blog := sitemaptest.OpenSite(t, wp.Source{DSN: wptest.ReadOnlyDSN(t, dsn)})
				plugin, spec := sitemaptest.Build(t, blog, seo.Options{Compat: seo.PluginLevel}), sitemaptest.Build(t, blog,
					seo.Options{Compat: seo.SpecLevel})
				before, now := addresses(t, plugin), addresses(t, spec)
				for _, path := range tt.out {
					x := sitemaptest.Explain(t, spec, home+path)
					if now[home+path] || x.In || x.Rule != seo.Redirected.String() {
						t.Errorf("%s: listed = %t, explained as %q", path, now[home+path], x.Rule)
					}
					if !strings.HasPrefix(x.Because, "The redirect manager Redirection redirects its URL to ") || len(x.Evidence) < 3 {
						t.Errorf("%s: %q, %+v", path, x.Because, x.Evidence)
					}
					if !before[home+path] {
						t.Errorf("%s is not listed at level plugin", path)
					}
				}
				expect.Equal(t, spec.LeftOut[seo.Redirected], len(tt.out), "counted as redirected")
				expect.Equal(t, plugin.LeftOut[seo.Redirected], 0, "counted at level plugin")
				for loc := range now {
					if x := sitemaptest.Explain(t, spec, loc); !x.In {
						t.Errorf("%s is listed and explained as %q", loc, x.Rule)
					}
				}
			})
		})
	}
}

// A hit of a redirect does not count as a change of the site. A changed redirect does, but does not
// change a page by itself.
func TestRedirectsAreSettings(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, sitemaptest.With(true, sitemaptest.PluginRedirection), sitemaptest.TableRedirection, redirect(1, "/a/", "/a", "/new/"))
		src := wp.Source{DSN: wptest.ReadOnlyDSN(t, dsn)}
		first := sitemaptest.OpenSite(t, src)
		wptest.Exec(t, dsn, "UPDATE wp_redirection_items SET last_count = last_count + 1")
		expect.Equal(t, sitemaptest.OpenSite(t, src).SettingsFingerprint(), first.SettingsFingerprint(), "a hit counts as a change")
		for _, change := range []string{
			"UPDATE wp_redirection_items SET action_data = '/newer/'", "UPDATE wp_redirection_items SET match_type = 'login'",
			"UPDATE wp_redirection_items SET status = 'disabled'",
		} {
			before := sitemaptest.OpenSite(t, src)
			wptest.Exec(t, dsn, change)
			now := sitemaptest.OpenSite(t, src)
			if now.SettingsFingerprint() == before.SettingsFingerprint() {
				t.Errorf("%s: no change", change)
			}
			expect.Equal(t, now.Fingerprint(), before.Fingerprint(), change, "all pages count as changed")
		}
		if !slices.Contains(first.Blog.Written([]string{"wp_redirection_items"}), "redirection_items") {
			t.Error("the table is not among those that are followed")
		}
	})
}

// A delta judges the new address of a post, and those of the posts below it.
func TestDeltaOfRedirectedAddresses(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn, sitemaptest.PlainRedirects("/moved/", "/information/crew/", "/sticky-news/"))
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, Keep: true})
	for _, step := range []struct {
		name string
		post int64
		n    int
	}{{"moved", 100, 2}, {"news", 101, 1}, {"information", 4, 2}, {"about", 4, 1}} {
		wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_posts SET post_name = '%s' WHERE ID = %d", step.name, step.post), sitemaptest.Revision(step.post))
		delta, _, err := c.Delta(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		expect.Equal(t, delta.LeftOut[seo.Redirected], step.n, step.name, "redirected")
		if !maps.Equal(addresses(t, delta), addresses(t, sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel,
			Keep: true}))) {
			t.Errorf("%s: a delta and a build differ", step.name)
		}
		c = delta
	}
}

// A post that holds a redirect is read with the settings. A delta declines its changes.
func TestDeltaOfPostsThatHoldRedirects(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn, sitemaptest.With(true, sitemaptest.PluginSEOPress))
	src := wp.Source{DSN: dsn}
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, src), seo.Options{Compat: seo.SpecLevel, Keep: true})
	wptest.Exec(t, dsn, sitemaptest.MetaRow(100, "_seopress_redirections_type", "301"), sitemaptest.MetaRow(100, "_seopress_redirections_value", "/new/"))
	if _, _, err := c.Delta(t.Context(), nil); err != nil {
		t.Errorf("before it is enabled: %v", err)
	}
	wptest.Exec(t, dsn, sitemaptest.MetaRow(100, "_seopress_redirections_enabled", "yes"))
	if _, _, err := c.Delta(t.Context(), nil); !errors.Is(err, rows.ErrDeclined) {
		t.Errorf("a new redirect: %v", err)
	}
	c = sitemaptest.Build(t, sitemaptest.OpenSite(t, src), seo.Options{Compat: seo.SpecLevel, Keep: true})
	x := sitemaptest.Explain(t, c, "https://example.test/the-pier-at-dawn/")
	if x.In || x.Because != "The redirect manager SEOPress redirects its URL to /new/." {
		t.Errorf("%+v", x)
	}
	wptest.Exec(t, dsn, "DELETE FROM wp_postmeta WHERE meta_key LIKE '!_seopress%' ESCAPE '!'",
		sitemaptest.Revision(100))
	if _, _, err := c.Delta(t.Context(), nil); !errors.Is(err, rows.ErrDeclined) {
		t.Errorf("a redirect less: %v", err)
	}
}

// If there are too many addresses for the regular expressions, the expressions are ignored and a
// warning names them. Redirects of one address still apply.
func TestTooManyAddressesForExpressions(t *testing.T) {
	statements := []string{sitemaptest.With(true, sitemaptest.PluginRedirection), sitemaptest.TableRedirection, redirect(2000, "/sticky-news/",
		"/sticky-news", "/new/")}
	for id := range 1000 {
		statements = append(statements, redirect(id+1, fmt.Sprintf("^/the-pier.*%d?$", id), "regex", "/new/"))
	}
	statements = append(statements, `INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description)
WITH RECURSIVE n(i) AS (SELECT 100000 UNION ALL SELECT i + 1 FROM n WHERE i < 121000) SELECT i, i, 'other', '' FROM n`)
	var log bytes.Buffer
	c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.SpecLevel, Log: slog.New(slog.NewTextHandler(&log, nil))}, statements...)
	expect.Contains(t, log.String(), "redirects by regular expression are ignored", "log")
	expect.Equal(t, c.LeftOut[seo.Redirected], 1, "redirected, want 1")
	if x := sitemaptest.Explain(t, c, "https://example.test/the-pier-at-dawn/"); !x.In {
		t.Errorf("explained as %q", x.Rule)
	}
}
