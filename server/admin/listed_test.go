package admin

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/live"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"
	"wpsitemapd/server/survey"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest/expect"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	expect.Equal(t, (&listed{Found: mostListed}).Cut(), false)
	expect.Equal(t, (&listed{Found: mostListed + 1}).Cut(), true)
	u := survey.URL{Loc: "https://a.test/Harbour-News/", File: &catalog.File{Name: "post"}}
	for _, c := range []struct {
		name string
		l    listed
		want bool
	}{
		{"no filter", listed{}, true},
		{"part of the URL", listed{Text: "harbour"}, true},
		{"letter case is ignored", listed{Text: "a.TEST/harBOUR"}, true},
		{"no part of the URL", listed{Text: "harbor"}, false},
		{"the sitemap", listed{Sitemap: "post"}, true},
		{"another sitemap", listed{Sitemap: "pos"}, false},
		{"both", listed{Text: "news", Sitemap: "post"}, true},
		{"only the sitemap matches", listed{Text: "old", Sitemap: "post"}, false},
		{"only the text matches", listed{Text: "news", Sitemap: "page"}, false},
	} {
		expect.Equal(t, c.l.matches(&u), c.want, c.name)
	}
}

func TestSort(t *testing.T) {
	t.Parallel()
	day := func(d int) live.Date { return live.DateOf(time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC)) }
	wants := map[string]string{
		"": "c a d b", "nonsense": "c a d b", "url": "a b c d", "newest": "d c b a", "oldest": "a c b d", "images": "b c a d", // c and b are of one day
	}
	for _, o := range (&listed{}).Orders() {
		if wants[o[0]] == "" {
			t.Errorf("order %s has no case", o[0])
		}
	}
	for order, want := range wants {
		all := []survey.URL{{Loc: "c", LastMod: day(2), Images: 1}, {Loc: "a", Images: 1}, {Loc: "d", LastMod: day(3)}, {Loc: "b", LastMod: day(2), Images: 5}}
		(&listed{Sort: order}).sort(all)
		var got []string
		for _, u := range all {
			got = append(got, u.Loc)
		}
		expect.Equal(t, strings.Join(got, " "), want, order)
	}
}

// Each page of a large site is read in time, but all together take longer than an answer may. The download is whole.
func TestListedTakesItsTime(t *testing.T) {
	w := sitetest.NewWordPress(t, "https://a.test", 5)
	now, log := func() time.Time { return sitetest.Published.Add(time.Hour) }, slog.New(slog.DiscardHandler)
	s := site.New(config.Site{Name: "a", PageSize: 1, Compat: "spec"}, log)
	s.Counted, s.Process, s.Crawls = new(metrics.SiteCounts), metrics.NewProcess(), new(crawler.SiteLog)
	s.Publish(&site.Snapshot{Blogs: []*site.Blog{w.Blog(s, now, 1)}, Opened: true})
	w.After(sitetest.Contents, func() { time.Sleep(surveyTimeout / 2) })
	synctest.Test(t, func(t *testing.T) {
		h := &handler{View: &View{Now: now, Explainer: &Explainer{
			Pages: pages.New(pages.Options{Limit: 1 << 20, Now: now, Breaker: pages.NewBreaker(log)}),
		}}}
		rec := httptest.NewRecorder()
		h.serveListed(rec, httptest.NewRequest("GET", "/sites/a/listed.csv?sitemap=post", nil), Install{Site: s})
		expect.Equal(t, rec.Code, 200)
		expect.Equal(t, strings.Count(rec.Body.String(), "\n"), 7, rec.Body.String())
	})
}
