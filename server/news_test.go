package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
)

// An article leaves the news at its 48th hour by the running clock, though nothing changes in
// the database, nor is anything read.
func TestNewsLeaveByTheClock(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "small", "small-news")
	stamp := func(at time.Time) string { return at.Format(time.DateTime) }
	amsterdam, err := time.LoadLocation("Europe/Amsterdam") // the site's zone
	wptest.Must(t, err)
	set := func(id int, at time.Time) string {
		return fmt.Sprintf("UPDATE wp_posts SET post_date = '%[2]s', post_modified = '%[2]s', post_date_gmt = '%[3]s', post_modified_gmt "+
			"= '%[3]s' WHERE ID = %[1]d", id, stamp(at.In(amsterdam)), stamp(at.UTC()))
	}
	site := realSite("small", dsn)
	ts, public := startReal(t, 1, site)
	listed := func() bool {
		status, text, err := ask(public, "small.test", "/news-sitemap.xml")
		if err != nil || status != 200 || !strings.Contains(text, "/first/") {
			t.Fatalf("%d, %v\n%s\n%s", status, err, text, ts.log)
		}
		return strings.Contains(text, "/edge/")
	}
	var leaves time.Time
	for left := 8 * time.Second; ; left *= 2 { // enough for the articles to be read
		leaves = time.Now().Add(left).Truncate(time.Second)
		wptest.Exec(t, dsn, set(1001, leaves.Add(-time.Hour)), set(1002, leaves.Add(-48*time.Hour)))
		ts.settle()
		if listed() {
			break
		}
		if time.Now().Before(leaves) {
			t.Fatalf("it is not there before %v\n%s", leaves, ts.log)
		}
	}
	read := ts.blog().Built
	wptest.Eventually(t, "it leaves", func() bool { return !listed() }, ts.log)
	if now := time.Now(); now.Before(leaves) {
		t.Errorf("gone at %v, before %v", now, leaves)
	}
	if ts.blog().Built != read {
		t.Errorf("something was read: %+v", ts.blog().Readings)
	}
}

// What the configuration asks for is there after a reload, beside WordPress' own sitemaps too, and what it switches off is
// gone, though the add-on is active.
func TestReloadOfNewsAndVideos(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "small", "small-video")
	site := realSite("small", dsn)
	ts, public := startReal(t, 1, site)
	ts.Load = func() (*config.Config, error) {
		return &config.Config{Listening: ts.config.Listening, Sites: []config.Site{site}}, nil
	}
	answers := func(path string, want int, text string) {
		t.Helper()
		var status int
		var body string
		wptest.Eventually(t, fmt.Sprintf("%s is %d with %q", path, want, text), func() bool {
			status, body, _ = ask(public, "small.test", path)
			return status == want && strings.Contains(body, text)
		}, &status, &body, ts.log)
	}
	reload := func(enabled seo.Switch) {
		t.Helper()
		site.News.Enabled, site.Video.Enabled = enabled, enabled
		wptest.Must(t, ts.Reload(t.Context()))
	}
	answers("/video-sitemap.xml", 200, "/record/")
	answers("/news-sitemap.xml", 404, "")
	reload(seo.SwitchedOff)
	answers("/video-sitemap.xml", 404, "")
	answers("/sitemap_index.xml", 200, "post-sitemap.xml")
	reload(seo.SwitchedOn)
	answers("/video-sitemap.xml", 200, "/record/")
	answers("/news-sitemap.xml", 200, "<urlset")
	answers("/sitemap_index.xml", 200, "/video-sitemap.xml")

	wptest.Exec(t, dsn, `UPDATE wp_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'`)
	site.Refresh = time.Second
	reload(seo.SwitchedOn)
	answers("/wp-sitemap.xml", 200, "https://small.test/video-sitemap.xml")
	answers("/video-sitemap.xml", 200, "/record/")
	answers("/video-sitemap.html", 200, "/record/")
	answers("/news-sitemap.xml", 200, "<urlset")
}
