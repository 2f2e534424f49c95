package sitemap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What the operator adds is listed, counted, explained and found by its address whichever plugin's sitemaps they are. URLs
// that are none of the site's are left out, and the sitemap of another program is named by the index alone.
func TestExtra(t *testing.T) {
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
		eachPlugin(t, dsn, registry.Overrides{}, opt, func(t *testing.T, c *sitemap.Catalog) {
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

const tours = "SELECT id, CONCAT('/tours/', slug) AS loc, changed AS lastmod FROM tours WHERE id > :after ORDER BY id LIMIT :limit"

// toursSite has a table of tours beside WordPress: 5 good ones, an address elsewhere, one that is too long, and dates that are none.
func toursSite(t *testing.T, e wptest.Engine) string {
	dsn := wptest.Load(t, e, "small")
	wptest.Exec(t, dsn, "CREATE TABLE tours (id INTEGER PRIMARY KEY, slug VARCHAR(3000), host VARCHAR(90), changed VARCHAR(90))",
		`INSERT INTO tours (id, slug, host, changed) VALUES (-7, 'a?x=1', '', '2026-03-01 10:00:00'), (2, 'b', '', '1772359200'), (3, 'c', '', NULL),
		(5, 'd', 'https://elsewhere.test', ''), (8, '`+strings.Repeat("e", 2100)+`', '', ''), (9, 'f', '', 'soon'), (70000, 'g', '', '2026-04-01')`)
	return dsn
}

// The rows of a SELECT are pages by their key: listed, dated, found by address, read anew by a full scan and not by a delta.
func TestExtraSelect(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := toursSite(t, e)
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
		statement := strings.Replace(tours, "CONCAT(", "CONCAT(host, ", 1)
		opt := seo.Options{PageSize: 3, Compat: seo.SpecLevel, Keep: true, Extra: []seo.Extra{{Name: "tours", Select: statement}}}
		c := sitemaptest.Build(t, blog, opt)
		pages := func(c *sitemap.Catalog) (all []string) {
			for _, f := range c.Files() {
				if f.Name != "extra-tours" {
					continue
				}
				parsed := sitemaptest.Parse(t, sitemaptest.Render(t, c, f.Name, f.Page).Body)
				expect.Equal(t, f.Entries, len(parsed.Entries), f.Filename, "URLs")
				for _, entry := range parsed.Entries {
					all = append(all, fmt.Sprint(f.Page, " ", strings.TrimPrefix(entry.Loc, "https://small.test/tours/"), " ", entry.LastMod))
				}
			}
			return all
		}
		want := []string{"1 a?x=1 2026-03-01T10:00:00+00:00", "1 b 2026-03-01T10:00:00+00:00", "1 c ", "2 f ", "3 g 2026-04-01T00:00:00+00:00"}
		expect.Same(t, want, pages(c))
		if l := c.List("extra-tours"); l.Explained.LeftOut[seo.ExternalLink] != 1 || l.Listed() != 5 || len(l.Entries)+len(l.First) != 0 {
			t.Errorf("%+v", l)
		}
		if x := sitemaptest.Explain(t, c, "https://small.test/tours/g"); !x.In || x.Sitemap != "extra-tours" || x.Page != 3 || x.LastMod == "" {
			t.Errorf("%+v", x)
		}
		if x := sitemaptest.Explain(t, c, "https://small.test/tours/z"); x.In {
			t.Errorf("%+v", x)
		}
		wptest.Exec(t, dsn, "INSERT INTO tours (id, slug, host) VALUES (70001, 'h', '')", "UPDATE tours SET slug = 'bb' WHERE id = 2")
		d, err := c.Delta(t.Context(), rows.ChangeSet{})
		wptest.Must(t, err)
		want[1] = "1 bb 2026-03-01T10:00:00+00:00"
		expect.Same(t, want, pages(d.Catalog))
		if doc := sitemaptest.Render(t, d.Catalog, "extra-tours", 1); !doc.Behind {
			t.Error("the first page has changed since it was counted")
		}
		expect.Equal(t, c.Fingerprint("extra-tours", 1), d.Catalog.Fingerprint("extra-tours", 1), "a delta has changed the page")
		next := sitemaptest.Build(t, blog, opt)
		expect.Same(t, append(want, "3 h "), pages(next))
		for page, changed := range []bool{true, false, true} {
			expect.Equal(t, c.Fingerprint("extra-tours", page+1) != next.Fingerprint("extra-tours", page+1), changed, "page", page+1)
		}
	})
}

// The SELECT of config.example.toml lists the guest authors of Co-Authors Plus that have posts, and no user again.
func TestGuestAuthors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../config.example.toml")
	wptest.Must(t, err)
	found := regexp.MustCompile(`# select = "(.*taxonomy = 'author'.*)"`).FindSubmatch(text)
	if found == nil {
		t.Fatal("the example has no SELECT of guest authors")
	}
	dsn := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Exec(t, dsn, "INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (901, 'guest', 'cap-a-guest', 0), (902, 'none', 'cap-without-posts', 0), (903, 'tag', 'cap-tag', 0)",
		"INSERT INTO wp_terms (term_id, name, slug, term_group) SELECT 904, 'user', CONCAT('cap-', user_nicename), 0 FROM wp_users LIMIT 1",
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
			(951, 901, 'author', '', 0, 2), (952, 902, 'author', '', 0, 0), (953, 903, 'post_tag', '', 0, 1), (954, 904, 'author', '', 0, 1)`)
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}),
		seo.Options{Compat: seo.SpecLevel, PageSize: 100, Extra: []seo.Extra{{Name: "guest-authors", Select: string(found[1])}}})
	expect.List(t, sitemaptest.PathsIn(t, c, "extra-guest-authors"), []string{"/author/a-guest/"})
}

// A SELECT takes no place of the index from other sitemaps, and is not to be sorted by the database.
func TestExtraSelectFits(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small")
		digits := "(SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)"
		wptest.Exec(t, dsn, "CREATE TABLE tours (id INTEGER PRIMARY KEY, slug VARCHAR(30))",
			fmt.Sprintf("INSERT INTO tours SELECT 1+a.n+10*b.n+100*c.n+1000*d.n+10000*e.n, 'x' FROM %[1]s a, %[1]s b, %[1]s c, %[1]s d, %[1]s e WHERE e.n < 6", digits))
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{PageSize: 1, Compat: seo.SpecLevel,
			Extra: []seo.Extra{{Name: "tours", Select: "SELECT id, CONCAT('/t/', id) AS loc FROM tours WHERE id > :after ORDER BY id LIMIT :limit"}}})
		if _, err := c.Render(t.Context(), "extra-tours", 1); err == nil || !strings.Contains(err.Error(), "no room for 60000 sitemaps") {
			t.Error(err)
		}
		sitemaptest.Render(t, c, seo.IndexName, 1)
		unsorted := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel,
			Extra: []seo.Extra{{Name: "tours", Select: "SELECT id+0 AS id, slug AS loc FROM tours WHERE id+0 > :after ORDER BY id+0 LIMIT :limit"}}})
		if _, err := unsorted.Render(t.Context(), "extra-tours", 1); e != wptest.SQLite && (err == nil || !strings.Contains(err.Error(), "sort all rows")) {
			t.Error(err)
		}
	})
}

// A file that cannot be read, or has a line that is no URL, and a SELECT that cannot be run, or does not go by its key, withholds its
// own sitemap and no other one, and says why: it is no empty sitemap.
func TestExtraThatFails(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := toursSite(t, e)
		bad := filepath.Join(t.TempDir(), "urls.txt")
		wptest.Must(t, os.WriteFile(bad, []byte("/a/\nftp://small.test/b\n"), 0o600))
		selecting := func(old, new string) seo.Extra { return seo.Extra{Select: strings.Replace(tours, old, new, 1)} }
		for extra, why := range map[seo.Extra]string{
			{File: "/nonexistent/urls.txt"}:                         "no such file",
			{File: bad}:                                             "line 2",
			{File: t.TempDir()}:                                     "no regular file",
			selecting("FROM tours", "FROM nowhere"):                 "nowhere",
			selecting("slug)", "slug), 1"):                          "columns must be id, loc",
			selecting("AS loc", "AS address"):                       "columns must be id, loc",
			selecting("ORDER BY id", "ORDER BY id DESC"):            "must ascend",
			selecting("id > :after", "id > -999 + 0*:after"):        "",
			selecting("LIMIT :limit", "LIMIT 10000"):                "",
			selecting("LIMIT :limit", "LIMIT 1; DELETE FROM tours"): "",
		} {
			extra.Name = "tours"
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Extra: []seo.Extra{extra}})
			_, err := c.Render(t.Context(), "extra-tours", 1)
			if why != "" && (err == nil || !strings.Contains(err.Error(), why)) {
				t.Errorf("%+v: %v", extra, err)
			}
			if !slices.ContainsFunc(c.Files(), func(f catalog.File) bool { return f.Name == "post" }) {
				t.Errorf("%+v: other sitemaps are missing", extra)
			}
		}
		db, _ := wptest.DB(t, dsn)
		n := 0
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM tours").Scan(&n); err != nil || n != 7 {
			t.Errorf("%d rows are left: %v", n, err)
		}
	})
}
