package news_test

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// openNews opens the seed small-news after it has run the statements.
func openNews(t *testing.T, e wptest.Engine, statements ...string) *address.Book {
	t.Helper()
	dsn := wptest.Load(t, e, "small", "small-news")
	wptest.Exec(t, dsn, statements...)
	return sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: sitemaptest.NewsOverrides()})
}

// The expected files in testdata/expected are written by hand from the rows of the seed.
func TestNewsExpected(t *testing.T) {
	for _, tt := range []struct {
		level    seo.Level
		expected string
		index    string // lastmod of the news in the index
	}{
		{seo.SpecLevel, "small-news", "2024-04-01T11:59:59+00:00"},
		{seo.PluginLevel, "small-news-plugin", "2024-04-01T11:59:59+00:00"},
	} {
		t.Run(string(tt.level), func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				c := sitemaptest.Build(t, openNews(t, e), seo.Options{Compat: tt.level, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
				doc := sitemaptest.Render(t, c, "news", 1)
				want := sitemaptest.ParseNews(t, sitemaptest.ReadFile(t, "expected", tt.expected, "news-sitemap.xml"))
				expect.Same(t, want, sitemaptest.ParseNews(t, doc.Body))
				if strings.Contains(string(doc.Body), "sitemap-image") != (string(tt.level) == "spec") {
					t.Error("images are declared at level spec only")
				}
				if string(tt.level) == "spec" { // the plugin lists an article without an address
					schematest.Validate(t, doc.Body)
				}
				if got := doc.LastMod; !got.Equal(time.Date(2024, 4, 1, 11, 59, 59, 0, time.UTC)) {
					t.Errorf("newest date %s", got)
				}
				entries := sitemaptest.Parse(t, sitemaptest.Render(t, c, seo.IndexName, 1).Body).Entries
				if last := entries[len(entries)-1]; last.Loc != "https://small.test/news-sitemap.xml" || last.LastMod != tt.index {
					t.Errorf("the index ends in %+v", last)
				}
			})
		})
	}
}

// An article stays for 48 hours and leaves in the next second without a query. The index changes with
// it.
func TestNewsWindowFollowsTheClock(t *testing.T) {
	const day = 24 * time.Hour
	blog := openNews(t, wptest.SQLite)
	edge := time.Date(2024, 4, 1, 12, 0, 0, 0, time.UTC) // the 48th hour of edge and revised
	winter, summer := time.Date(2024, 4, 2, 0, 59, 59, 0, time.UTC), time.Date(2024, 4, 2, 1, 0, 0, 0, time.UTC)
	never := time.Time{}
	const newest = "2024-04-01T11:59:59"
	for _, tt := range []struct {
		level   seo.Level
		at      time.Time
		last    string // article of the sitemap
		index   string // lastmod in the index, "" for no entry
		expires time.Time
		all     int
	}{
		{seo.SpecLevel, edge.Add(-1), "revised", newest, edge, 12},
		{seo.SpecLevel, edge, "revised", newest, edge.Add(time.Second), 11},
		{seo.SpecLevel, edge.Add(time.Second - 1), "revised", newest, edge.Add(time.Second), 11},
		{seo.SpecLevel, edge.Add(time.Second), "imported", newest, edge.Add(7*time.Hour + time.Second), 9},
		{seo.SpecLevel, winter, "winter", newest, summer, 8},
		{seo.SpecLevel, summer, "summer", newest, summer.Add(time.Second), 7},
		{seo.SpecLevel, edge.Add(2*day - time.Hour), "marked-0", newest, edge.Add(2*day - time.Hour + time.Second), 2},
		{seo.SpecLevel, edge.Add(2*day - time.Hour + time.Second), "first", newest, edge.Add(2 * day), 1},
		{seo.SpecLevel, edge.Add(2 * day), "", "", never, 0}, // a change to come, in 2199, is none

		{seo.PluginLevel, edge, "edge", newest, edge.Add(time.Second), 12},
		{seo.PluginLevel, edge.Add(time.Second), "winter", newest, summer, 11},
		{seo.PluginLevel, edge.Add(2*day - 1), "?p=1099&lang=nl&x", newest, edge.Add(2 * day), 2},
		{seo.PluginLevel, edge.Add(2 * day), "", "", never, 0},
	} {
		t.Run(string(tt.level)+" "+tt.at.UTC().Format(time.RFC3339Nano), func(t *testing.T) {
			for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -9.5*3600), time.FixedZone("", 14*3600)} {
				now := edge.Add(-1).In(zone)
				c := sitemaptest.Build(t, blog, seo.Options{Compat: tt.level, Now: func() time.Time { return now }})
				now = tt.at.In(zone)
				doc := sitemaptest.Render(t, c, "news", 1)
				got := strings.Fields(sitemaptest.Slugs(t, doc))
				if len(got) != tt.all || len(got) > 0 && got[len(got)-1] != tt.last || doc.Entries != tt.all {
					t.Errorf("%s: %v, want %d with %s the last", now, got, tt.all, tt.last)
				}
				index := ""
				for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, seo.IndexName, 1).Body).Entries {
					if strings.Contains(e.Loc, "/news-sitemap") {
						index = e.LastMod
					}
				}
				if index != tt.index && index != tt.index+"+00:00" {
					t.Errorf("%s: the index says %q, want %q", now, index, tt.index)
				}
				if got := c.Expires(); !got.Equal(tt.expires) {
					t.Errorf("%s: expires at %s, want %s", now, got, tt.expires)
				}
				listed := false
				for _, n := range c.Types() {
					listed = listed || n.Name == "news"
				}
				expect.Equal(t, listed, tt.all > 0, now, "counted as a sitemap")
			}
		})
	}
}

// If the operator chooses so, only publication makes a post news. explain says when an article leaves.
func TestNewsByPublication(t *testing.T) {
	const old = "old"
	blog := openNews(t, wptest.SQLite, sitemaptest.Insert(
		sitemaptest.Row{ID: 9001, Name: old, Date: "2024-01-01 10:00:00"}, sitemaptest.Row{ID: 9002, Name: "new", Date: "2024-04-01 10:00:00"}),
		"UPDATE wp_posts SET post_modified = '2024-04-01 11:00:00', post_modified_gmt = '2024-04-01 11:00:00' WHERE ID IN (9001, 9002)")
	for window, leaves := range map[string]string{"": "2024-04-03T11:00:01Z", "modified": "2024-04-03T11:00:01Z", seo.ByPublication: "2024-04-03T10:00:01Z"} {
		c := sitemaptest.Build(t, blog, seo.Options{
			Compat: seo.SpecLevel, News: seo.News{Window: window, Enabled: seo.SwitchedOn}, Now: sitemaptest.ClockAt(time.Date(2024, 4, 1, 12, 0, 0, 0, time.UTC)),
		})
		got := strings.Fields(sitemaptest.Slugs(t, sitemaptest.Render(t, c, "news", 1)))
		if !slices.Contains(got, "new") || slices.Contains(got, old) == (window == seo.ByPublication) {
			t.Errorf("%q: %q", window, got)
		}
		x := sitemaptest.Explain(t, c, "https://small.test/new/")
		if want := "It leaves the sitemap news at " + leaves + ", unless it changes."; !slices.Contains(x.Notes, want) {
			t.Errorf("%q: %+v", window, x)
		}
		x = sitemaptest.Explain(t, c, "https://small.test/old/")
		if out := slices.ContainsFunc(x.Notes, func(n string) bool { return strings.Contains(n, "older than 48 hours (wp_posts.post_date_gmt") }); out != (window == seo.ByPublication) {
			t.Errorf("%q: %+v", window, x)
		}
		if older, all := c.List("news").Older(c.Rules.Options.Now().Unix()); all != len(got) || (older > 0) == (window == seo.ByPublication) {
			t.Errorf("%q: %d of %d", window, older, all)
		}
	}
}

func TestNewsNameAndPages(t *testing.T) {
	on := sitemaptest.Activate("wordpress-seo/wp-seo.php", "wpseo-news/wpseo-news.php")
	private, noindexed := sitemaptest.SetOption("blog_public", "0"), sitemaptest.SetOption("wpseo_titles", `a:1:{s:14:"noindex-report";b:1;}`)
	yes, no := true, false
	own := func(public *bool) registry.Overrides {
		o := sitemaptest.NewsOverrides()
		slug := "news"
		o.PostTypes["news"] = registry.PostTypeOverride{Public: public, Slug: &slug}
		return o
	}
	for _, tt := range []struct {
		name      string
		statement string             // "": the add-on is active
		overrides registry.Overrides // none: those of the seed
		level     seo.Level          // "": spec
		size      int
		pages     map[string]int // "name page" → entries; -1: not found
		owned     []string
		foreign   []string
	}{
		{name: "news", pages: map[string]int{"news 1": 11, "news 2": -1, "yoast-news 1": -1}, owned: []string{"news"}, foreign: []string{"yoast-news"}},
		{name: "a post type of that name", overrides: own(&yes), pages: map[string]int{"yoast-news 1": 11}, owned: []string{"news", "yoast-news"}},
		{name: "a post type of that name, not public", overrides: own(&no), level: seo.PluginLevel,
			pages: map[string]int{"yoast-news 1": 12, "news 1": -1}, owned: []string{"news", "yoast-news"}},
		{name: "further files", size: 5, pages: map[string]int{"news 1": 5, "news 2": 5, "news 3": 1, "news 4": -1}},
		{name: "files that are full", size: 11, pages: map[string]int{"news 1": 11, "news 2": -1}},
		{name: "any page of the plugin is the first", level: seo.PluginLevel, size: 5,
			pages: map[string]int{"news 1": 12, "news 2": 12, "news 99": 12, "news 0": -1}},
		{name: "the plugin is not active", statement: sitemaptest.YoastActive, pages: map[string]int{"news 1": -1}, foreign: []string{"news"}},
		{name: "Yoast's sitemaps are off", statement: sitemaptest.SetOption("wpseo", `a:1:{s:18:"enable_xml_sitemap";b:0;}`),
			pages: map[string]int{"news 1": -1}, foreign: []string{"news"}},
		{name: "a private site has none", statement: private, pages: map[string]int{"news 1": -1}, owned: []string{"news"}},
		{name: "a private site, by the plugin", statement: private, level: seo.PluginLevel, pages: map[string]int{"news 1": 12}},
		{name: "no types switched on: posts", statement: sitemaptest.SetOption("wpseo_news", ""), pages: map[string]int{"news 1": 10}},
		{name: "exclusions for types that are not news do nothing", level: seo.PluginLevel, pages: map[string]int{"news 1": 10},
			statement: sitemaptest.SetOption("wpseo_news", `a:1:{s:26:"news_sitemap_exclude_terms";a:1:{s:13:"1021_for_page";s:2:"on";}}`)},
		{name: "a noindexed type is no news", statement: noindexed, pages: map[string]int{"news 1": 9}},
		{name: "but to the plugin", statement: noindexed, level: seo.PluginLevel, pages: map[string]int{"news 1": 12}},
		{name: "nothing new is an empty page", statement: `DELETE FROM wp_posts`, pages: map[string]int{"news 1": 0, "news 2": -1}},
		{name: "an empty index table", statement: `DELETE FROM wp_yoast_indexable`, level: seo.PluginLevel, pages: map[string]int{"news 1": 0, "news 2": 0}},
		{name: "no index table", statement: `DROP TABLE wp_yoast_indexable`, level: seo.PluginLevel, pages: map[string]int{"news 1": 0}},
		{name: "the posts do not need the index table", statement: `DROP TABLE wp_yoast_indexable`, pages: map[string]int{"news 1": 11}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.overrides.PostTypes == nil {
				tt.overrides = sitemaptest.NewsOverrides()
			}
			dsn := wptest.Load(t, wptest.SQLite, "small", "small-news")
			wptest.Exec(t, dsn, cmp.Or(tt.statement, on))
			level := cmp.Or(tt.level, seo.SpecLevel)
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: tt.overrides}),
				seo.Options{Compat: level, PageSize: tt.size, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
			for at, want := range tt.pages {
				var name string
				var page int
				fmt.Sscan(at, &name, &page)
				doc, err := c.Render(t.Context(), name, page)
				switch {
				case want < 0 && !errors.Is(err, catalog.ErrNotFound):
					t.Errorf("%s: %v, want ErrNotFound", at, err)
				case want >= 0 && (err != nil || doc.Entries != want):
					t.Errorf("%s: %v, %+v, want %d entries", at, err, doc, want)
				}
			}
			for _, name := range append(tt.owned, tt.foreign...) {
				expect.Equal(t, c.Owns(name), slices.Contains(tt.owned, name), name, "is ours")
			}
			index := map[string]string{}
			for _, f := range c.Files() {
				if f.Name == seo.IndexName {
					for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, seo.IndexName, 1).Body).Entries {
						index[e.Loc] = e.LastMod
					}
					continue
				}
				if strings.Contains(f.Name, "news") && f.Entries == 0 {
					t.Errorf("%s is in the index without entries", f.Filename)
				}
				if doc := sitemaptest.Render(t, c, f.Name, f.Page); strings.Contains(f.Name, "news") &&
					level == seo.SpecLevel && index[f.URL] != sitemaptest.Written(doc.LastMod) {
					t.Errorf("%s: the index says %q, the newest date is %q", f.Filename, index[f.URL], sitemaptest.Written(doc.LastMod))
				}
			}
		})
	}
}

func TestNewsOfTheOperator(t *testing.T) {
	blog := openNews(t, wptest.SQLite)
	exclude := seo.Exclude{PostIDs: []int64{1001}, URLs: []*regexp.Regexp{regexp.MustCompile(`/report/of`), regexp.MustCompile(`summer`)}}
	for level, gone := range map[seo.Level]int{seo.SpecLevel: 3, seo.PluginLevel: 3} {
		all := sitemaptest.Build(t, blog, seo.Options{Compat: level, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
		c := sitemaptest.Build(t, blog, seo.Options{Compat: level, Now: sitemaptest.ClockAt(sitemaptest.NewsTime), Exclude: exclude})
		got := sitemaptest.Slugs(t, sitemaptest.Render(t, c, "news", 1))
		if n := sitemaptest.Render(t, all, "news", 1).Entries - len(strings.Fields(got)); n != gone ||
			regexp.MustCompile(`first|of-another|summer`).MatchString(got) {
			t.Errorf("%s: %d are gone, want %d: %s", string(level), n, gone, got)
		}
	}
}

func TestNewsLimits(t *testing.T) {
	var posts []sitemaptest.Row
	var rows []string
	for i := range 1001 {
		at := fmt.Sprintf("2024-04-01 %02d:%02d:00", i/60%11, i%60)
		posts = append(posts, sitemaptest.Row{ID: 3000 + i, Author: 1001, Name: fmt.Sprint("bulk-", 3000+i), Title: "Bulk", Date: at})
		rows = append(rows, fmt.Sprintf("(%d, %d, 'post', 'post', 'publish', 'https://small.test/bulk-%d/', 'Bulk', '%s')", 3000+i, 3000+i, 3000+i, at))
	}
	blog := openNews(t, wptest.SQLite,
		`DELETE FROM wp_posts`, `DELETE FROM wp_yoast_indexable`, sitemaptest.Insert(posts...),
		`INSERT INTO wp_yoast_indexable (id, object_id, object_type, object_sub_type, post_status, permalink, breadcrumb_title,
object_published_at) VALUES `+
			strings.Join(rows, ","),
		// two lists of tickers: the article is listed twice, and there are still at most 1,000
		`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (3659, '_yoast_wpseo_newssitemap-stocktickers', 'A:B'),
(3659, '_yoast_wpseo_newssitemap-stocktickers', 'C:D')`)
	c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, PageSize: 50_000, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
	first := sitemaptest.Render(t, c, "news", 1)
	expect.Equal(t, first.Entries, 1000)
	expect.Equal(t, sitemaptest.Render(t, c, "news", 2).Entries, 1)
	// The hours begin again after eleven. 3340 and 4000 have the same minute; the higher id is first.
	if got := sitemaptest.Slugs(t, first); !strings.HasPrefix(got, "bulk-3659 bulk-3658 ") || !strings.Contains(got, " bulk-3341 bulk-4000 bulk-3340 ") {
		t.Errorf("level spec: %.100s", got)
	}
	c = sitemaptest.Build(t, blog, seo.Options{Compat: seo.PluginLevel, PageSize: 10, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
	doc := sitemaptest.Render(t, c, "news", 1)
	if urls := sitemaptest.ParseNews(t, doc.Body); len(urls) != 1000 || urls[0].News[0].Date != "2024-04-01T10:59:00+00:00" {
		t.Errorf("level plugin: %d articles from %+v", len(urls), urls[0])
	}
	for _, f := range c.Files() {
		if f.Name == "news" && (f.Page != 1 || f.Entries != 1000) {
			t.Errorf("%+v", f)
		}
	}
}

// A page of news costs two statements more than the same posts in their own sitemap.
func TestNewsQueries(t *testing.T) {
	for _, level := range sitemaptest.Levels {
		wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
			queries := 0
			blog := sitemaptest.OpenSite(t, wp.Source{
				DSN: wptest.Load(t, e, "small", "small-news"), Overrides: sitemaptest.NewsOverrides(),
				Observe: func(string, int, time.Duration, error) { queries++ },
			})
			build := func(now time.Time) *sitemap.Catalog {
				queries = 0
				return sitemaptest.Build(t, blog, seo.Options{Compat: level, Now: sitemaptest.ClockAt(now)})
			}
			without := func() int { build(sitemaptest.NewsTime.AddDate(1, 0, 0)); return queries }()
			c := build(sitemaptest.NewsTime)
			if queries > without+3 {
				t.Errorf("level %s: building reads %d times, %d without news", string(level), queries, without)
			}
			queries = 0
			sitemaptest.Render(t, c, "post", 1)
			posts := queries
			queries = 0
			sitemaptest.Render(t, c, "news", 1)
			if queries > posts+2 {
				t.Errorf("level %s: a page of news reads %d times, one of posts %d times", string(level), queries, posts)
			}
			queries = 0
			c.Files()
			c.Expires()
			sitemaptest.Render(t, c, seo.IndexName, 1)
			expect.Equal(t, queries, 0, "level", string(level), "the index reads", "times")
		})
	}
}

// The document is valid whatever titles, names and tickers contain.
func TestNewsOfHostileTexts(t *testing.T) {
	texts := []string{
		`]]>`, `<![CDATA[x]]>`, `]]]]>>`, `&eacute;&nbsp;&bogus; & &amp;amp; &#0; &#xFFFF;`, `<script>alert(1)</script><b`, `<!-- x`, `%%title%% %%sep%%`,
		"\x01\x02\x0b\x1f\x7f", "a\r\nb\tc", `🚢🏳️‍🌈`, `"quoted" 'text'`, ``, ` `, `0`, strings.Repeat("long ]]> ", 1000), "\u202e\ufeff\ufffe",
	}
	var insert []string
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	for i, text := range texts {
		id := 2000 + i
		insert = append(insert,
			sitemaptest.Insert(sitemaptest.Row{ID: id, Author: 1001, Name: fmt.Sprint("hostile-", i), Title: text, Date: "2024-04-01 08:00:00"}),
			fmt.Sprintf(`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (%d, '_yoast_wpseo_newssitemap-stocktickers', %s)`,
				id, quote(text+", A:"+text+",NYSE:OK")),
			fmt.Sprintf(`INSERT INTO wp_yoast_indexable (id, object_id, object_type, object_sub_type, post_status, permalink,
breadcrumb_title, object_published_at) VALUES
(%d, %d, 'post', 'post', 'publish', 'https://small.test/hostile/?a&b=%d', %s, '2024-04-01 08:00:00')`,
				id, id, i, quote(text)))
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		for i, name := range []string{"", "<i>]]></i> &eacute; \"q\" \x01", "🚢"} {
			blog := openNews(t, e, append(insert,
				`UPDATE wp_yoast_indexable SET permalink = 'https://small.test/marked-0/' WHERE permalink IS NULL`,
				fmt.Sprintf(`REPLACE INTO wp_options (option_name, option_value) VALUES ('wpseo_news', 'a:1:{s:17:"news_sitemap_name";s:%d:"%s";}')`,
					len(name), name),
				`REPLACE INTO wp_options (option_name, option_value) VALUES ('blogname', '`+[]string{"Harbour &amp; Hearth", "", " <b></b> "}[i]+`')`)...)
			for _, level := range sitemaptest.Levels {
				c := sitemaptest.Build(t, blog, seo.Options{Compat: level, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
				doc := sitemaptest.Render(t, c, "news", 1)
				urls := sitemaptest.ParseNews(t, doc.Body)
				if len(urls) < len(texts) {
					t.Errorf("%d articles of %d", len(urls), len(texts))
				}
				if string(level) == "plugin" {
					schematest.Validate(t, ownTickers.ReplaceAll(doc.Body, nil)) // as stored, and no list
					continue
				}
				schematest.Validate(t, doc.Body)
				for _, u := range urls {
					n := u.News[0]
					if n.Title == "" || n.Name == "" || n.Language == "" || n.Date == "" {
						t.Errorf("%s: %+v", u.Loc, n)
					}
				}
				if want := []string{"Harbour & Hearth", `]]> é "q"`, "🚢"}[i]; strings.TrimSpace(urls[0].News[0].Name) != want {
					t.Errorf("name %q, want %q", urls[0].News[0].Name, want)
				}
			}
		}
	})
}

var ownTickers = regexp.MustCompile(`(?s)<news:stock_tickers>.*?</news:stock_tickers>`)
