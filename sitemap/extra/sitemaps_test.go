package extra_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The operator's additions are listed, counted, explained and found by address, for every plugin. URLs
// outside the site are left out. Only the index names the sitemap of another program.
func TestExtra(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small")
		dir := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
			return path
		}
		opt := seo.Options{PageSize: 2, Extra: []seo.Extra{
			{Name: "tour-dates", File: write("urls.txt", "# ours\nhttps://small.test/tour/\n\n/tour/berlin/\n/tour/\nhttps://elsewhere.test/\n")},
			{Name: "shop", File: write("urls.csv", "\ufeffloc,lastmod\n\"https://small.test/shop/a,b/\",2026-03-01\n/shop/c/,2026-03-02T10:00:00+02:00\n/shop/d/\n")},
			{Name: "docs", URL: "https://docs.small.test/sitemap.xml"},
		}}
		sitemaptest.EachPlugin(t, dsn, registry.Overrides{}, opt, func(t *testing.T, c *sitemap.Catalog) {
			index := string(sitemaptest.Render(t, c, seo.IndexName, 1).Body)
			urls := map[string]int{}
			for _, f := range c.Files() {
				name, ours := strings.CutPrefix(f.Name, "extra-")
				if !ours {
					continue
				}
				urls[name] += f.Entries
				expect.Contains(t, index, "<loc>"+f.URL+"</loc>", "the index does not name", f.URL)
				if f.Elsewhere {
					continue
				}
				path := strings.TrimPrefix(f.URL, "https://small.test")
				to := sitemap.PluginNamed(c.Plugin()).URLs.Parse(seo.Request{URI: path, Rest: path[1:], Pretty: true})
				if to.Name != f.Name || max(to.Page, 1) != f.Page || !c.Owns(f.Name) {
					t.Errorf("%s leads to %+v", f.URL, to)
				}
				sitemaptest.Render(t, c, f.Name, f.Page)
			}
			if urls["tour-dates"] != 2 || urls["shop"] != 3 || !strings.Contains(index, "<loc>https://docs.small.test/sitemap.xml</loc>") {
				t.Errorf("%v\n%s", urls, index)
			}
			shop := string(sitemaptest.Render(t, c, "extra-shop", 1).Body)
			if !strings.Contains(shop, "<loc>https://small.test/shop/a,b/</loc>") || !strings.Contains(shop, "2026-03-01T00:00:00+00:00") ||
				!strings.Contains(shop, "2026-03-02T08:00:00+00:00") {
				t.Error(shop)
			}
			if x := sitemaptest.Explain(t, c, "https://small.test/tour/berlin/"); !x.In || !strings.HasPrefix(x.Sitemap, "extra-tour-dates") {
				t.Errorf("%+v", x)
			}
		})
	})
}

// A noindex that a plugin sets for all archives does not leave out the operator's URLs.
func TestExtraWithoutArchives(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "urls.txt")
	wptest.Must(t, os.WriteFile(file, []byte("/tour/\n"), 0o600))
	for plugin, noindex := range map[string]string{
		"all-in-one-seo-pack/all_in_one_seo_pack.php": sitemaptest.SetOption("aioseo_options",
			`{"searchAppearance":{"advanced":{"globalRobotsMeta":{"default":false,"noindex":true}}}}`),
		"seo-by-rank-math/rank-math.php": sitemaptest.SetOption("rank-math-options-titles",
			sitemaptest.Array("robots_global", sitemaptest.Array(0, "noindex"))),
	} {
		site := append(slices.Clone(sitemaptest.RankMathSite), sitemaptest.Activate(plugin), noindex)
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Extra: []seo.Extra{{Name: "tours", File: file}}}, site...)
		expect.List(t, sitemaptest.Listed(t, c, "extra-tours"), []string{"/tour/"}, plugin)
	}
}

// A file that cannot be read, or that has an invalid line, withholds its own sitemap and says why. The
// sitemap is not empty, and no other sitemap is affected.
func TestExtraThatFails(t *testing.T) {
	t.Parallel()
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	bad := write("urls.txt", "/a/\nftp://small.test/b\n")
	pipe, link, tenant := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "link"), t.TempDir()
	wptest.Must(t, syscall.Mkfifo(pipe, 0o600))
	wptest.Must(t, os.Symlink(bad, link))
	way := filepath.Join(tenant, "way")
	wptest.Must(t, os.Symlink(filepath.Dir(bad), way))
	for file, why := range map[string]string{
		"/nonexistent/urls.txt":            "no such file",
		bad:                                "line 2",
		write("quote.txt", "\"/a/\n/b/\n"): "line 1: there is neither a URL",
		write("date.csv", "/a/,31.01.2026\n/b/\n"):          "line 1: the second column must be a date",
		write("lines.csv", "loc,date\n\"/a/\n/b/\",\n"):     "line 2: there is neither a URL",
		write("many.txt", strings.Repeat("/a/\n", 100_001)): "has more than 100000 URLs",
		write("large.txt", strings.Repeat("#", 33<<20)):     "larger than",
		t.TempDir():       "not a regular file",
		pipe:              "not a regular file",
		link:              "is a link",
		way + "/urls.txt": "a link leads out of",
	} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Extra: []seo.Extra{{Name: "tours", File: file, Within: tenant}}})
		if _, err := c.Render(t.Context(), "extra-tours", 1); err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "ftp:") {
			t.Errorf("%s: %v", file, err)
		}
		if !slices.ContainsFunc(c.Files(), func(f catalog.File) bool { return f.Name == "post" }) {
			t.Errorf("%s: other sitemaps are missing", file)
		}
	}
}

// If the only sitemap is that of a file that cannot be read, it is not known whether there is something to list. So the index and
// the other formats are an error, neither empty nor missing, for plugins with and without an index of nothing.
func TestOnlyAnExtraThatFails(t *testing.T) {
	t.Parallel()
	nothing := "DELETE FROM wp_posts; DELETE FROM wp_term_taxonomy; DELETE FROM wp_users"
	for _, plugin := range []string{"yoast", "rankmath", "aioseo", "seopress", "core"} {
		for _, level := range sitemaptest.Levels {
			opt := seo.Options{Compat: level, Sitemaps: plugin, Text: true, Atom: true, RSS: true,
				Extra: []seo.Extra{{Name: "tours", File: "/nonexistent/urls.txt"}}}
			c := sitemaptest.Of(t, "small", opt, nothing, sitemaptest.SetOption("show_on_front", "page"))
			if len(c.Types()) > 0 {
				continue // some plugins list home at level plugin
			}
			for _, name := range []string{seo.IndexName, catalog.TextName, catalog.AtomName, catalog.RSSName} {
				_, err := c.Render(t.Context(), name, 1)
				if err == nil || errors.Is(err, catalog.ErrNotFound) || !strings.Contains(err.Error(), "no such file") {
					t.Errorf("%s, level %s, %s: %v", plugin, level, name, err)
				}
			}
			if c.Files() == nil {
				t.Errorf("%s, level %s: no index", plugin, level)
			}
		}
	}
}
