package admin

import (
	"testing"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/site"
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
