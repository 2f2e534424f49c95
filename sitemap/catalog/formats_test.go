package catalog_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// formats returns options that enable all formats that are off by default.
func formats(level seo.Level) seo.Options {
	return seo.Options{Compat: level, Text: true, Atom: true, RSS: true, Hints: seo.Hints{
		PostTypes:  map[string]urlset.Hints{"post": {ChangeFreq: "weekly", Priority: "0.8"}},
		Taxonomies: map[string]urlset.Hints{"category": {ChangeFreq: "monthly"}},
		Authors:    urlset.Hints{Priority: "0.0"},
	}}
}

// hinted is an entry with all elements of the protocol itself.
type hinted struct {
	Loc        string `xml:"loc"`
	LastMod    string `xml:"lastmod"`
	ChangeFreq string `xml:"changefreq"`
	Priority   string `xml:"priority"`
}

func parseHints(t testing.TB, body []byte) []hinted {
	t.Helper()
	var doc struct {
		URLs []hinted `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		t.Fatalf("not well-formed: %v\n%.2000s", err, body)
	}
	return doc.URLs
}

// The expected files are written by hand from the rows of the seed.
func TestFormatsExpected(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.ReadOnlyDSN(t, wptest.Load(t, e, "small", "small-formats"))
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), formats(seo.SpecLevel))
		files, err := filepath.Glob(filepath.Join(wptest.Testdata, "expected", "small-formats", "*"))
		if err != nil || len(files) != 6 {
			t.Fatalf("%d files are expected (%v)", len(files), err)
		}
		for _, file := range files {
			file = filepath.Base(file)
			want := sitemaptest.ReadFile(t, "expected", "small-formats", file)
			name, isXML := strings.CutSuffix(file, "-sitemap.xml")
			doc := sitemaptest.Render(t, c, name, 1)
			if isXML {
				schematest.Validate(t, doc.Body)
				expect.Same(t, parseHints(t, want), parseHints(t, doc.Body), file)
				continue
			}
			expect.Same(t, string(want), string(doc.Body), file)
			if !doc.LastMod.Equal(time.Date(2024, 3, 6, 10, 0, 0, 0, time.UTC)) || !doc.Expires.IsZero() {
				t.Errorf("%s: newest date %v, expires %v", file, doc.LastMod, doc.Expires)
			}
		}
		var got []string
		for _, f := range c.OtherFiles() {
			got = append(got, fmt.Sprint(f.Name, " ", f.Page, " ", f.Filename, " ", f.URL, " ", f.Entries))
		}
		want := []string{"sitemap.txt 1 sitemap.txt https://small.test/sitemap.txt 7", "sitemap.atom 1 sitemap.atom https://small.test/sitemap.atom 7",
			"sitemap.rss 1 sitemap.rss https://small.test/sitemap.rss 7"}
		expect.Same(t, want, got, "other files")
	})
}

// Formats that are not enabled do not exist, and sitemaps without hints do not change.
func TestFormatsAreOffByDefault(t *testing.T) {
	t.Parallel()
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small", "small-formats")})
	for _, level := range sitemaptest.Levels {
		off, on := sitemaptest.Build(t, blog, seo.Options{Compat: level}), sitemaptest.Build(t, blog, formats(level))
		for _, name := range []string{catalog.TextName, catalog.AtomName, catalog.RSSName} {
			if _, err := off.Render(t.Context(), name, 1); !errors.Is(err, catalog.ErrNotFound) || off.Owns(name) || !on.Owns(name) {
				t.Errorf("%s: %s: %v, owned %v, when wanted %v", string(level), name, err, off.Owns(name), on.Owns(name))
			}
			expect.Equal(t, catalog.IsOtherFormat(name), true, name, "is another format")
			for _, page := range []int{-1, 0, 2, 1 << 40} {
				if _, err := on.Render(t.Context(), name, page); !errors.Is(err, catalog.ErrNotFound) {
					t.Errorf("%s: %s page %d: %v", string(level), name, page, err)
				}
			}
		}
		if files := off.OtherFiles(); files != nil {
			t.Errorf("%s: %v", string(level), files)
		}
		for _, f := range off.Files() {
			expect.Equal(t, catalog.IsOtherFormat(f.Name), false, f.Name, "is another format")
			without, with := string(sitemaptest.Render(t, off, f.Name, f.Page).Body), string(sitemaptest.Render(t, on, f.Name, f.Page).Body)
			if strings.Contains(without, "changefreq") || strings.Contains(without, "priority") {
				t.Errorf("%s: %s has hints nobody asked for", string(level), f.Filename)
			}
			bare := strings.NewReplacer("\t\t<changefreq>weekly</changefreq>\n", "", "\t\t<changefreq>monthly</changefreq>\n",
				"", "\t\t<priority>0.8</priority>\n", "", "\t\t<priority>0.0</priority>\n", "").Replace(with)
			expect.Equal(t, bare, without, string(level), f.Filename, "differs by more than its hints")
			if hinted := f.Name == "post" || f.Name == "category" || f.Name == "author"; (with != without) != hinted {
				t.Errorf("%s: %s has hints: %v", string(level), f.Filename, with != without)
			}
		}
	}
}

// For every site, the text sitemap holds the addresses of the other sitemaps in their order. The feed
// holds the newest of them. Both are valid.
func TestFormatsOfEverySeed(t *testing.T) {
	for name, stack := range sitemaptest.EverySeed(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, stack...)
			if name == "hostile" {
				wptest.Exec(t, dsn, sitemaptest.YoastActive)
			}
			var feeds [][]byte
			for _, blog := range sitemaptest.Open(t, wp.Source{DSN: dsn}) {
				for _, level := range sitemaptest.Levels {
					c := sitemaptest.Build(t, blog, formats(level))
					if feed := checkFormats(t, c); feed != nil {
						feeds = append(feeds, feed)
					}
				}
			}
			schematest.Validate(t, feeds...)
		})
	}
}

// laterPart matches the end of the address of a later part in the seeds.
var laterPart = regexp.MustCompile(`/[0-9]/?$`)

func checkFormats(t *testing.T, c *sitemap.Catalog) (feed []byte) {
	t.Helper()
	var want []string
	dates := map[string]string{}
	for _, l := range c.Everything() {
		for page := range l.Dates {
			for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, l.Name, page+1).Body).Entries {
				want = append(want, e.Loc)
				if at, err := time.Parse(time.RFC3339, e.LastMod); err == nil { // WordPress' own are in the site's zone
					dates[e.Loc] = max(dates[e.Loc], sitemaptest.Written(at))
				}
			}
		}
	}
	var got []string
	files := c.OtherFiles()
	for _, f := range files {
		if f.Name != catalog.TextName {
			continue
		}
		doc := sitemaptest.Render(t, c, catalog.TextName, f.Page)
		if !utf8.Valid(doc.Body) || len(doc.Body) > urlset.MaxBytes || doc.Entries > urlset.MaxEntries || !strings.HasSuffix(string(doc.Body), "\n") {
			t.Errorf("%d bytes, %d lines, UTF-8: %v", len(doc.Body), doc.Entries, utf8.Valid(doc.Body))
		}
		lines := strings.Split(strings.TrimSuffix(string(doc.Body), "\n"), "\n")
		expect.Equal(t, len(lines), doc.Entries, "lines")
		for _, line := range lines {
			if utf8.RuneCountInString(line) >= urlset.MaxLoc || !strings.HasPrefix(line, "http") ||
				strings.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r == 0x7F }) {
				t.Errorf("a line is %q", line)
			}
		}
		got = append(got, lines...)
	}
	expect.Same(t, want, got, string(c.Rules.Options.Compat), "the sitemaps (-) and the text (+) differ")
	if len(files) < 2 || files[len(files)-1].Name != catalog.RSSName || files[len(files)-2].Name != catalog.AtomName {
		return nil
	}
	doc := sitemaptest.Render(t, c, catalog.AtomName, 1)
	var atom struct {
		ID      string `xml:"id"`
		Updated string `xml:"updated"`
		Entries []struct {
			ID      string `xml:"id"`
			Updated string `xml:"updated"`
			Link    struct {
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	wptest.Must(t, xml.Unmarshal(doc.Body, &atom))
	ids := map[string]bool{}
	last := atom.Updated
	for _, e := range atom.Entries {
		if ids[e.ID] || e.Link.Href != e.ID || e.Updated > last || dates[e.ID] != e.Updated {
			t.Errorf("%s: %s of %s behind %s: twice %v, the sitemaps say %q", string(c.Rules.Options.Compat), e.ID, e.Updated, last, ids[e.ID], dates[e.ID])
		}
		ids[e.ID], last = true, e.Updated
	}
	var rss struct {
		Items []struct {
			Link    string `xml:"link"`
			GUID    string `xml:"guid"`
			PubDate string `xml:"pubDate"`
		} `xml:"channel>item"`
	}
	if err := xml.Unmarshal(sitemaptest.Render(t, c, catalog.RSSName, 1).Body, &rss); err != nil || len(rss.Items) != len(atom.Entries) {
		t.Fatalf("%d items of RSS, %d of Atom: %v", len(rss.Items), len(atom.Entries), err)
	}
	for i, e := range rss.Items {
		at, err := time.Parse(time.RFC1123Z, e.PubDate)
		if want := atom.Entries[i]; err != nil || e.Link != want.ID || e.GUID != want.ID || at.UTC().Format("2006-01-02T15:04:05+00:00") != want.Updated {
			t.Errorf("item %+v, entry %+v: %v", e, want, err)
		}
	}
	dated := 0
	for _, loc := range slices.Compact(want) {
		if dates[loc] != "" && !ids[loc] && !strings.Contains(loc, "page=") && !laterPart.MatchString(loc) {
			dated++
		}
	}
	if dated > 0 && len(atom.Entries) < 500 {
		t.Errorf("%s: %d addresses are missing in the feed", string(c.Rules.Options.Compat), dated)
	}
	return doc.Body
}

// A text sitemap costs one set of queries for every batch, a feed one for every type.
func TestFormatsCost(t *testing.T) {
	t.Parallel()
	dsn := sitemaptest.Bulk(t, wptest.MariaDB, 2400)
	for _, level := range sitemaptest.Levels {
		var count sitemaptest.Counter
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: count.Observe}), formats(level))
		batches, types := 0, 0
		for _, l := range c.Everything() {
			batches += (len(l.First) + len(l.Places) + len(l.After) + catalog.LocateBatch - 1) / catalog.LocateBatch
			types++
		}
		count.Take()
		doc := sitemaptest.Render(t, c, catalog.TextName, 1)
		text := len(count.Take())
		sitemaptest.Render(t, c, catalog.AtomName, 1)
		atom := len(count.Take())
		t.Logf("%s: %d statements for %d addresses in %d batches, %d for the feed of %d types", string(level), text, doc.Entries, batches, atom, types)
		if doc.Entries < 2400 || text > 4*batches || atom > 5*types {
			t.Errorf("%s: %d statements for the text (%d batches), %d for the feed (%d types)", string(level), text, batches, atom, types)
		}
		for _, s := range count.Take() {
			if sitemaptest.Offset.MatchString(s) {
				t.Errorf("pages by OFFSET: %s", s)
			}
		}
	}
}

// An article has its own language if a multilingual plugin knows it. Yoast's plugin uses the language
// of the site.
func TestNewsLanguageOfPosts(t *testing.T) {
	const (
		yoast, news = "wordpress-seo/wp-seo.php", "wpseo-news/wpseo-news.php"
		polylang    = "polylang/polylang.php"
	)
	for _, tt := range []struct{ seed, plugins, changes, want string }{
		{"small-polylang", sitemaptest.Activate(yoast, polylang, news), "", "de fr en"},
		{"small-polylang", sitemaptest.Activate(yoast, polylang, news),
			`UPDATE wp_term_taxonomy SET description = REPLACE(description, 's:5:"fr_FR"', 's:5:"zh_TW"') WHERE taxonomy = 'language'`, "de zh-tw en"},
		{"small-polylang", sitemaptest.Activate(yoast, polylang, news), `UPDATE wp_term_taxonomy SET description = '' WHERE taxonomy = 'language'`, "de fr en"}, // by their codes
		{"small-wpml", sitemaptest.Activate(yoast, "sitepress-multilingual-cms/sitepress.php", news), "", "de fr en"},
		{"small-polylang", sitemaptest.Activate(yoast, news), "", "nl nl nl"},
	} {
		t.Run(tt.seed+" "+tt.want, func(t *testing.T) {
			t.Parallel()
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "small", tt.seed)
				wptest.Exec(t, dsn, tt.plugins, sitemaptest.SetOption("WPLANG", "nl_NL"),
					sitemaptest.SetOption("wpseo_news", `a:1:{s:17:"news_sitemap_name";s:4:"Quay";}`), tt.changes)
				now := sitemaptest.ClockAt(time.Date(2024, 1, 3, 10, 0, 0, 0, time.UTC))
				doc := sitemaptest.Render(t, sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Now: now}), "news", 1)
				var got []string
				for _, u := range sitemaptest.ParseNews(t, doc.Body) {
					for _, n := range u.News {
						got = append(got, n.Language)
					}
				}
				expect.Equal(t, strings.Join(got, " "), tt.want, "languages")
				schematest.Validate(t, doc.Body)
			})
		})
	}
}

// Rows may change after a catalog was made. A page with such rows says so. It lists no address with
// the date of another one, and no post in the trash.
func TestPageBehindItsRows(t *testing.T) {
	tests := []struct {
		rule, write string
		behind      bool
		want, never string
	}{
		{"nothing is written", `UPDATE wp_posts SET comment_count = 7 WHERE ID = 101`, false, "", ""},
		{"another address and date",
			`UPDATE wp_posts SET post_name = 'edited', post_modified = '2025-05-05 05:05:05', post_modified_gmt = '2025-05-05 05:05:05' WHERE ID = 101`,
			true,
			"/edited/</loc>\n\t\t<lastmod>2025-05-05T05:05:05+00:00</lastmod>", ""},
		{"into the trash", `UPDATE wp_posts SET post_name = 'gone__trashed', post_status = 'trash' WHERE ID = 101`, true, "", "gone__trashed"},
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		for _, tt := range tests {
			t.Run(tt.rule, func(t *testing.T) {
				dsn := wptest.Load(t, e, "basic")
				c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
				wptest.Exec(t, dsn, tt.write)
				doc := sitemaptest.Render(t, c, "post", 1)
				body := string(doc.Body)
				if doc.Behind != tt.behind || !strings.Contains(body, tt.want) || tt.never != "" && strings.Contains(body, tt.never) {
					t.Errorf("behind: %v\n%s", doc.Behind, body)
				}
			})
		}
	})
}
