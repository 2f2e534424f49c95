package admin

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestLastFullScan(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	blog := func(readings ...site.Reading) *site.Blog { return &site.Blog{Readings: readings} }
	scan := func(at time.Time, took time.Duration, queries int64) site.Reading {
		return site.Reading{Kind: site.FullScan, At: at, Took: took, Queries: queries}
	}
	for _, tt := range []struct {
		rule  string
		blogs []*site.Blog
		want  *site.Reading
	}{
		{"no blog", nil, nil},
		{"no full scan", []*site.Blog{blog(site.Reading{Kind: "poll", At: noon})}, nil},
		{"blogs are added up, with the latest time", []*site.Blog{
			blog(scan(noon.Add(time.Hour), 2*time.Second, 20)), blog(), blog(scan(noon, time.Second, 10)),
		}, &site.Reading{Kind: site.FullScan, At: noon.Add(time.Hour), Took: 3 * time.Second, Queries: 30}},
	} {
		expect.Same(t, tt.want, lastFullScan(tt.blogs), tt.rule)
	}
}

func TestLastCrawl(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	google, bing := crawler.Other+1, crawler.Other+2
	report := func(e crawler.Engine, verified, unverified time.Time) crawler.EngineReport {
		return crawler.EngineReport{Engine: e, Verified: crawler.Stats{Last: verified}, Unverified: crawler.Stats{Last: unverified}}
	}
	for _, tt := range []struct {
		rule    string
		engines []crawler.EngineReport
		at      time.Time
		by      string
	}{
		{"none", nil, time.Time{}, ""},
		{"another robot is no search engine", []crawler.EngineReport{report(crawler.Other, noon, noon)}, time.Time{}, ""},
		{"the last unverified one", []crawler.EngineReport{
			report(google, time.Time{}, noon), report(bing, time.Time{}, noon.Add(1)),
		}, noon.Add(1), "unverified " + bing.Title()},
		{"a verified one before a later unverified one", []crawler.EngineReport{
			report(google, time.Time{}, noon.Add(1)), report(bing, noon, time.Time{}), report(google, time.Time{}, noon.Add(2)),
		}, noon, bing.Title()},
		{"the last verified one", []crawler.EngineReport{report(google, noon, noon), report(bing, noon.Add(1), noon)}, noon.Add(1), bing.Title()},
	} {
		at, by := lastCrawl(tt.engines)
		expect.Equal(t, at, tt.at, tt.rule)
		expect.Equal(t, by, tt.by, tt.rule)
	}
}

// Badges say what a person should know of a site that works. The sitemaps of WordPress itself are told from those of a plugin.
func TestBadges(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	known := ts.blog()
	for _, tt := range []struct {
		rule     string
		change   func(*site.Blog)
		conflict bool
		want     string
	}{
		{"a plugin's sitemaps", func(b *site.Blog) {}, false, ""},
		{"a conflict", func(b *site.Blog) {}, true, "conflict"},
		{"another plugin makes the sitemaps", func(b *site.Blog) { b.Outline.Rival, b.Outline.Active = "Slim SEO", false }, false, "another plugin: Slim SEO"},
		{"no sitemaps", func(b *site.Blog) { b.Outline.Active, b.Outline.Private = false, true }, false, "off"},
		{"a private site", func(b *site.Blog) { b.Outline.Private = true }, true, "conflict, private"},
		{"not in memory", func(b *site.Blog) { b.Catalog = nil }, false, ""},
	} {
		b := *known
		tt.change(&b)
		got := badges(&site.Snapshot{Blogs: []*site.Blog{&b, &b, new(site.Blog)}}, tt.conflict)
		expect.Equal(t, strings.Join(got, ", "), tt.want, tt.rule)
	}
	core := readReal(t, "core", wptest.Load(t, wptest.SQLite, "small"), proxy.Upstream{}, "small.test")
	wptest.Exec(t, core.install.Config.DSN.Reveal(), "UPDATE wp_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'")
	core.read()
	expect.List(t, badges(core.install.Snapshot(), false), []string{"core"})
}

// The page says whose sitemaps a blog has, or why it has none.
func TestWhatBlogServes(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	known := ts.blog()
	for _, tt := range []struct {
		change func(*site.Blog)
		want   string
	}{
		{func(b *site.Blog) {}, "The sitemaps follow the rules of Yoast SEO at compat level spec: Yoast SEO is active (wordpress-seo). Installed: "},
		{func(b *site.Blog) { b.Outline.Installed = nil }, "The sitemaps follow the rules of Yoast SEO at compat level spec: Yoast SEO is active (wordpress-seo)."},
		{func(b *site.Blog) { b.Outline.Active, b.Outline.Why = false, "none" }, "wpsitemapd makes no sitemaps for this blog: none."},
		{func(b *site.Blog) { b.Outline.Private = true }, "They are empty, because the site asks search engines to stay away"},
	} {
		b := *known
		tt.change(&b)
		expect.Contains(t, ts.View.blog(ts.install, &b, nil).What, tt.want)
		expect.Equal(t, strings.Contains(ts.View.blog(ts.install, &b, nil).What, "Installed"), b.Outline.Installed != nil)
	}
	expect.Equal(t, ts.View.blog(ts.install, new(site.Blog), nil).What, "The blog could not be read yet.")
}

// The oldest reading is the first full scan. A later one keeps its reason, even if the blog was empty before.
func TestFirstFullScan(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	reasons := func(readings ...site.Reading) string {
		var all []string
		for _, r := range ts.View.blog(ts.install, &site.Blog{Readings: readings}, nil).Readings {
			all = append(all, r.Reason)
		}
		return strings.Join(all, ", ")
	}
	expect.Equal(t, reasons(), "")
	expect.Equal(t, reasons(site.Reading{Reason: "b"}, site.Reading{Reason: "a"}), "b, first full scan")
	expect.Equal(t, reasons(site.Reading{Reason: "b"}, site.Reading{Reason: "a", Before: 1}), "b, a")
}

// A cached page is shown with its size and the time of its rendering. A sitemap that nobody asked for has none.
func TestFilesOfBlog(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	at := time.Now()
	ts.get("https://example.test/post-sitemap.xml")
	found := 0
	fetch := crawler.Fetch{At: at, Engine: crawler.Recognize("Googlebot"), Verdict: crawler.Verified, Blog: 1, Sitemap: "post", Page: 1, Status: 200}
	d := ts.View.blog(ts.install, ts.blog(), []crawler.Fetch{fetch})
	for _, f := range d.Files {
		cached := f.Name == "post"
		if cached {
			found++
		}
		expect.Equal(t, f.Bytes > f.Packed && f.Packed > 0, cached, f.Filename)
		expect.Equal(t, f.Made.Before(at) || f.Made.IsZero(), !cached, f.Filename)
		expect.Equal(t, f.Fetch, map[bool]crawler.Fetch{true: fetch}[cached], f.Filename)
		if f.Entries < 1 {
			t.Errorf("%s has %d entries", f.Filename, f.Entries)
		}
	}
	expect.Equal(t, found, 1)
	if len(d.Types) < 4 || d.Types[0].URLs == 0 || d.Types[0].URLs < d.Types[1].URLs || d.Types[1].URLs < d.Types[2].URLs {
		t.Errorf("the types are not sorted: %+v", d.Types)
	}
	expect.Equal(t, d.LeftOut["noindex"], 4)
	if n, ok := d.LeftOut["not published"]; ok {
		t.Errorf("%d objects are left out as not published", n)
	}
}

// The page shows the blog that the request names, or else the first one.
func TestBlogOfPage(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	first, second := *ts.blog(), *ts.blog()
	second.ID, second.Home = 7, "https://example.test/seven"
	ts.install.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{&first, &second}})
	ts.install.Counted.History.Add(metrics.Point{At: time.Now(), URLs: 3}, 1)
	for id, want := range map[int64]string{0: first.Home, 1: first.Home, 7: second.Home, 8: first.Home} {
		expect.Equal(t, ts.site(ts.install, id).Blog.Home, want, id)
	}
	ts.install.Publish(new(site.Snapshot))
	expect.Equal(t, ts.site(ts.install, 0).Blog == nil, true, "nothing was read:")
}

func TestFetchedName(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]crawler.Fetch{
		"not read yet": {}, "index": {Sitemap: seo.IndexName, Blog: 1}, "post": {Sitemap: "post", Page: 1, Blog: 1}, "post 2": {Sitemap: "post", Page: 2},
		"post 3 (blog 2)": {Sitemap: "post", Page: 3, Blog: 2}, "index (blog 2)": {Sitemap: seo.IndexName, Blog: 2},
	} {
		expect.Equal(t, fetchedName(f), want)
	}
}

// Prometheus gets the age of what is known, and whether the database is up. Before the first reading there is no age.
func TestMetricsOfSite(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	one := func() metrics.SiteSnapshot { return ts.metrics().Sites[0] }
	s := one()
	expect.Equal(t, s.Up, true)
	expect.Equal(t, s.Took > 0, true, "duration of the last full scan:")
	expect.Equal(t, s.Age >= 0 && s.Age < time.Hour, true, "age", s.Age)
	expect.Equal(t, s.Alarmed, false)
	expect.Equal(t, s.IndexNow == nil, true, "nothing is announced:")
	expect.Equal(t, ts.metrics().Reload.OK, true)
	var installed []string
	for _, is := range s.Installed {
		installed = append(installed, is.Name)
	}
	expect.Equal(t, slices.Contains(installed, "Yoast SEO"), true, installed)
	now := *ts.install.Snapshot()
	now.Err = errors.New("connection refused")
	now.Blogs = []*site.Blog{now.Blogs[0], now.Blogs[0]}
	ts.install.Publish(&now)
	expect.Equal(t, one().Up, false)
	expect.Equal(t, len(one().Installed), len(installed), "a version is counted once:")
	expect.Equal(t, ts.summary(ts.install).Error, "connection refused")
	ts.install.Publish(new(site.Snapshot))
	expect.Equal(t, one().Up, false)
	expect.Equal(t, one().Age, -1)
	ts.Reloaded = func() Reload { return Reload{Error: "no such key"} }
	expect.Equal(t, ts.metrics().Reload.OK, false)
}
