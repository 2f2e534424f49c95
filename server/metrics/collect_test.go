package metrics

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/store"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// told returns what a scrape gets, without histograms and the build: a name, the values of its labels, and a number. It leaves out the prefix.
func told(t *testing.T, s Snapshot) (lines []string) {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(collector{func() Snapshot { return s }})
	families, err := r.Gather()
	wptest.Must(t, err)
	for _, f := range families {
		name := strings.TrimPrefix(f.GetName(), "wpsitemapd_")
		for _, m := range f.Metric {
			if m.GetHistogram() != nil || name == "build_info" {
				continue
			}
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			words := []string{name}
			for _, label := range []string{"site", "cache", "kind", "engine", "verdict", "software", "version", "state", "status", "level", "result"} {
				if v, ok := labels[label]; ok {
					words = append(words, v)
				}
			}
			lines = append(lines, fmt.Sprint(strings.Join(words, " "), " ", m.GetCounter().GetValue()+m.GetGauge().GetValue()))
		}
	}
	return lines
}

// Every number that was counted is told under its name.
func TestNumbersOfSite(t *testing.T) {
	t.Parallel()
	c := new(SiteCounts)
	for status, n := range map[int]int{200: 3, 304: 2, 404: 1} {
		for range n {
			c.Answered(Sitemap, status, 100)
		}
	}
	c.Answered(Robots, 503, 7)
	c.Hits.Add(11)
	c.Misses.Add(12)
	c.Stale.Add(13)
	c.Worked(Render, nil)
	c.Worked(Render, nil)
	c.Worked(FullScan, errors.New("x"))
	for i := range 9 {
		c.Queried("", 0, time.Second, map[bool]error{true: errors.New("x")}[i < 2])
	}
	c.UpstreamErrors.Add(14)
	c.Alarms.Add(15)
	google := crawler.Recognize("Googlebot")
	s := SiteSnapshot{
		Name: "a", Counted: c, Ready: true, Up: true, Conflicts: 16, URLs: 17, Blogs: 18, Age: 19 * time.Second, Took: 1500 * time.Millisecond, InUse: 2, Idle: 1,
		Installed: []wp.Installed{{Name: "WordPress", Version: "6.8"}, {Name: "Yoast SEO", Range: "20 or later"}},
		Engines:   []crawler.EngineReport{{Engine: google, Verified: crawler.Stats{Fetches: 21, NotModified: 20}, Spoofed: crawler.Stats{Fetches: 1}}},
		IndexNow:  &Announcements{Waiting: 22, Sent: 23, Refused: 24, Dropped: 25},
	}
	lines := slices.DeleteFunc(told(t, Snapshot{Process: NewProcess(), Sites: []SiteSnapshot{s}}), func(line string) bool { return !strings.Contains(line, " a ") })
	expect.Equal(t, strings.Join(lines, "\n"), strings.Join([]string{
		"blogs a 18",
		"collapse_alarm a 0",
		"collapse_alarms_total a 15",
		"crawler_fetches_total a google spoofed 1",
		"crawler_fetches_total a google verified 21",
		"crawler_not_modified_total a google spoofed 0",
		"crawler_not_modified_total a google verified 20",
		"data_age_seconds a 19",
		"database_connections a idle 1",
		"database_connections a in_use 2",
		"database_queries_total a error 2",
		"database_queries_total a ok 7",
		"database_query_seconds_total a 9",
		"host_conflict a 16",
		"indexnow_urls_total a dropped 25",
		"indexnow_urls_total a refused 24",
		"indexnow_urls_total a sent 23",
		"indexnow_waiting_urls a 22",
		"installed_info a WordPress 6.8 1",
		"installed_info a Yoast SEO 20 or later 1",
		"last_full_scan_duration_seconds a 1.5",
		"not_modified_total a robots 0",
		"not_modified_total a sitemap 2",
		"page_lookups_total a hit 11",
		"page_lookups_total a miss 12",
		"requests_total a robots 5xx 1",
		"requests_total a sitemap 2xx 3",
		"requests_total a sitemap 3xx 2",
		"requests_total a sitemap 4xx 1",
		"requests_total a sitemap 5xx 0",
		"response_bytes_total a robots 7",
		"response_bytes_total a sitemap 600",
		"site_ready a 1",
		"site_up a 1",
		"stale_responses_total a 13",
		"upstream_errors_total a 14",
		"urls a 17",
		"work_total a delta error 0",
		"work_total a delta ok 0",
		"work_total a full_scan error 1",
		"work_total a full_scan ok 0",
		"work_total a render error 0",
		"work_total a render ok 2",
	}, "\n"))
}

// Of a site that has done nothing, the numbers that rates need are 0. What is not known is not told.
func TestNumbersOfNewSite(t *testing.T) {
	t.Parallel()
	lines := told(t, Snapshot{Process: NewProcess(), Sites: []SiteSnapshot{{Name: "a", Counted: new(SiteCounts), Age: -1, Alarmed: true}}})
	text := strings.Join(lines, "\n") + "\n"
	expect.Parts(t, text, "requests_total a sitemap 2xx 0\n", "requests_total a sitemap 5xx 0\n", "response_bytes_total a sitemap 0\n", "collapse_alarm a 1\n",
		"site_ready a 0\n", "site_up a 0\n")
	for _, name := range []string{"data_age_seconds", "last_full_scan", "indexnow", "crawler_", "robots", "upstream 2xx", "4xx", "installed_info"} {
		expect.Equal(t, strings.Contains(text, name), false, name)
	}
	lines = told(t, Snapshot{Process: NewProcess(), Sites: []SiteSnapshot{{Name: "a", Counted: new(SiteCounts)}}})
	expect.Equal(t, slices.Contains(lines, "data_age_seconds a 0"), true, "it was read just now")
}

// The numbers of the process, of the caches and of the store.
func TestNumbersOfProcess(t *testing.T) {
	t.Parallel()
	p := NewProcess()
	p.Strayed(421)
	p.Strayed(421)
	p.Polled(2*time.Second, false)
	p.Polled(time.Second, true)
	p.Warnings.Add(3)
	p.Errors.Add(4)
	p.Reloads.Add(5)
	p.ReloadFails.Add(2)
	kept := &store.Stats{Usage: store.Usage{Bytes: 6}, Queued: 7, Written: 8, Failed: 9, Missed: 10, Damaged: 11}
	s := Snapshot{
		Process: p, Copies: map[string]Copies{"sitemaps": {Count: 12, Bytes: 13, Evictions: 14}}, Waiting: 15, State: kept,
		Reload: Reload{OK: true, Good: time.UnixMilli(1_700_000_000_500)},
	}
	expect.Equal(t, strings.Join(told(t, s), "\n"), strings.Join([]string{
		"cached_pages sitemaps 12",
		"cached_pages_bytes sitemaps 13",
		"config_last_reload_success_timestamp_seconds 1.7000000005e+09",
		"config_last_reload_successful 1",
		"config_reloads_total error 2",
		"config_reloads_total ok 3",
		"database_connections_waiting 15",
		"log_messages_total error 4",
		"log_messages_total warn 3",
		"page_evictions_total sitemaps 14",
		"poll_seconds_total 3",
		"polls_total error 1",
		"polls_total ok 1",
		"state_bytes 6",
		"state_damaged_blobs_total 11",
		"state_queued_blobs 7",
		"state_writable 1",
		"state_writes_total failed 9",
		"state_writes_total missed 10",
		"state_writes_total ok 8",
		"stray_requests_total 4xx 2",
	}, "\n"))
	kept.Error = "no space"
	text := strings.Join(told(t, Snapshot{Process: NewProcess(), State: kept}), "\n")
	expect.Parts(t, text, "state_writable 0", "config_last_reload_successful 0")
	expect.Equal(t, strings.Contains(text, "success_timestamp"), false, "it was never read")
	expect.Equal(t, strings.Contains(strings.Join(told(t, Snapshot{Process: NewProcess()}), "\n"), "state_"), false, "there is no store")
}

// A scrape gets the daemon's numbers, its build, and those of Go and of the process.
func TestScrape(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	Handler(func() Snapshot { return Snapshot{Process: NewProcess()} }).ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	expect.Parts(t, rec.Body.String(), "wpsitemapd_build_info{", "go_goroutines ", "process_cpu_seconds_total ", `wpsitemapd_work_duration_seconds_count{kind="render"} 0`)
}
