package admin

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/writes"
)

// hostile is used for every text that strangers can write: names, addresses, errors, reasons.
const hostile = `"><script>document.title="hacked"</script><img src=x onerror=alert(1)> & 'x' ` + "\u202e\x1b[31m"

var at = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

// fleet returns a fleet of n sites, in all possible states.
func fleet(n int) *Fleet {
	f := &Fleet{
		Now: at, Started: at.Add(-76 * time.Hour), Version: "v1.2.3",
		Reload: Reload{At: at.Add(-time.Hour), Good: at.Add(-time.Hour)},
		State:  &store.Stats{Place: "on disk", Usage: store.Usage{Blobs: 14000, Bytes: 340 << 20}, Limit: 1 << 30},
		Copies: metrics.Copies{Count: 12044, Bytes: 41 << 20, Limit: 64 << 20},
	}
	for i := range n {
		f.Sites = append(f.Sites, summary(i))
	}
	return f
}

func summary(i int) Summary {
	before := 1204 + i*731
	s := Summary{
		Name:   fmt.Sprintf("%s-%03d", []string{"harbour-gazette", "saltwick", "bakery", "ferry", "museum-of-nets"}[i%5], i),
		Blogs:  1 + i%7/6*11,
		Ready:  true,
		Active: true,
		Home:   fmt.Sprintf("https://www.site-%03d.example", i), Since: at.Add(-50 * time.Hour),
		URLs: before + (i%5-2)*i, Files: 3 + i%9, Before: &before, From: at.Add(-24 * time.Hour), Read: at.Add(-time.Duration(i%40) * time.Second),
		FullScan: &site.Reading{
			At: at.Add(-time.Duration(i%50) * time.Minute), Kind: site.FullScan, Took: time.Duration(30+i*7) * time.Millisecond,
			Queries: int64(20 + i%9),
		},
		Crawled: at.Add(-time.Duration(i) * 7 * time.Minute), Crawler: []string{"Google", "Bing", "Seznam"}[i%3], Fetches: int64(i * 31),
	}
	switch {
	case i == 0:
		s.Crawled, s.Fetches = time.Time{}, 0
	case i%23 == 3:
		s.Error, s.Since, s.Failures = "site "+s.Name+": cannot open the database (dsn sitemaps@tcp(10.0.0.7:3306)/x): Error 1045 "+
			"(28000): Access denied for user 'sitemaps'@'localhost': check user and password "+hostile, at.Add(-20*time.Minute), 14
	case i%23 == 4:
		s.Alarm, s.Alarmed, s.Alarms = "9120 of 9200 URLs are gone", at.Add(-3*time.Minute), 1
	case i%23 == 5:
		s.Restored, s.Read, s.FullScan = true, time.Time{}, nil
	case i%23 == 6:
		s = Summary{Name: s.Name}
	case i%23 == 7:
		s.Name, s.Home = "хостел.примор-"+fmt.Sprint(i), "javascript:alert(1)//"+hostile
	}
	return s
}

// network returns a page about a site that shows everything a page can show.
func network() *sitePage {
	s := &sitePage{Summary: summary(2), Now: at, Verified: true}
	s.Warnings, s.Upstream, s.Blogs = 3, 17, 3
	s.Poll = writes.Poll{Took: 120 * time.Millisecond, Every: 2400 * time.Millisecond}
	for i := range 145 {
		x := float64(i) / 144
		s.Points = append(s.Points, metrics.Point{
			At:      at.Add(time.Duration(i-144) * metrics.Every),
			URLs:    2600 + int(50*x*x) - i/90*12,
			Build:   time.Duration((0.2 + math.Abs(math.Sin(9*x))) * float64(400*time.Millisecond)),
			Fetches: int(40 + 35*math.Sin(6*x)),
		})
	}
	for i, agent := range []string{"Googlebot", "bingbot", "Applebot", "DuckDuckBot", "bot"} {
		engine := crawler.Recognize(agent)
		s.Crawls.Engines = append(s.Crawls.Engines, crawler.EngineReport{
			Engine:     engine,
			Verified:   crawler.Stats{Fetches: int64(4000 / (i + 1)), NotModified: int64(3000 / (i + 1)), Last: at.Add(-time.Duration(i*i) * time.Hour)},
			Unverified: crawler.Stats{Fetches: int64(i * 3)},
			Spoofed:    crawler.Stats{Fetches: int64(i % 2 * 12)},
		})
	}
	for i := range 40 {
		s.Crawls.Fetches = append(s.Crawls.Fetches, crawler.Fetch{
			At:      at.Add(-time.Duration(i*i) * time.Minute),
			Engine:  crawler.Recognize("Googlebot"),
			Verdict: crawler.Verified,
			Sitemap: "post",
			Page:    2,
			Status:  []int{200, 304, 503}[i%3],
			Bytes:   int64(i * 1033),
		})
	}
	s.IndexNow = &metrics.Announcements{Waiting: 12, Last: at.Add(-time.Minute), Reason: "429 Too Many Requests", Sent: 144, Refused: 2}
	for i := range 3 {
		o := &site.Blog{ID: int64(i + 1), Home: fmt.Sprintf("https://network.example/blog-%d", i+1)}
		o.Outline.Files = []catalog.File{{Name: "post", Entries: 900 - i*200}}
		s.Others = append(s.Others, o)
	}
	s.Listed = func(b *site.Blog) int { return int(b.ID) }
	s.Others[2].Err = errors.New(hostile)
	s.Others[0].Warnings = []string{"WPML is active: " + hostile}
	b := &blog{
		Blog:    s.Others[0],
		What:    "The sitemaps follow the rules of Yoast SEO at compat level spec.",
		LeftOut: map[string]int{"noindex": 14, "password": 2},
	}
	for i, name := range []string{"post", "page", "product", "category", hostile} {
		b.Types = append(b.Types,
			Type{Kind: []string{"post type", "taxonomy"}[i/3%2], Name: name, URLs: max(0, 600-i*200), Public: i < 4, Facts: []registry.Fact{
				{Key: "public", Words: "public", Source: "option cptui_post_types"}, {Key: "slug", Words: "slug " + name, Source: "option rewrite_rules"},
				{Key: "archive", Words: "no archive", Source: "default"},
			}})
	}
	b.Unknown = []registry.Unknown{{
		Kind: "post type", Name: "song", Rows: 12, Why: "it has published posts, and nothing tells whether they are public: " + hostile,
	}}
	b.Files = []file{{
		File:   catalog.File{Filename: "sitemap_index.xml", URL: b.Home + "/sitemap_index.xml", Entries: 5, LastMod: at},
		Bytes:  900,
		Packed: 310,
		Made:   at.Add(-time.Minute),
		Fetch:  crawler.Fetch{At: at.Add(-time.Hour), Engine: crawler.Recognize("Googlebot")},
	}}
	for i := range 12 {
		f := file{File: catalog.File{
			Filename: fmt.Sprintf("post-sitemap%d.xml", i+1), URL: fmt.Sprintf("%s/post-sitemap%d.xml", b.Home, i+1), Entries: 1000,
			LastMod: at.AddDate(0, -i, 0),
		}}
		if i%3 > 0 {
			f.Bytes, f.Packed, f.Made = 131072+i, 20111+i, at.Add(-time.Duration(i)*time.Hour)
		}
		b.Files = append(b.Files, f)
	}
	b.Files = append(b.Files, file{File: catalog.File{Filename: hostile, URL: "javascript:alert(1)"}})
	for i := range 9 {
		b.Readings = append(b.Readings, site.Reading{
			At:      at.Add(-time.Duration(i*i) * time.Minute),
			Kind:    []site.ReadingKind{site.Delta, site.FullScan}[i%2],
			Reason:  "written: [postmeta posts] " + strings.Repeat(hostile, i/8),
			Took:    time.Duration(i*i+2) * 3 * time.Millisecond,
			Queries: int64(4 + i),
			Touched: (i + 1) % 2 * 3,
			Before:  2600 - i,
			After:   2601 - i*i%3,
		})
	}
	b.Readings[5].Err = "reading posts: invalid connection"
	s.Blog = b
	return s
}
