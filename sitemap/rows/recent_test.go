package rows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A post of a watched type is recent if it was published or changed within the window of news. A date in the future is no change,
// and a post with such a date is news only from then on.
func TestRecent(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 6, 10, 12, 0, 0, 0, time.UTC)
	changed := func(id int, date string) string {
		return fmt.Sprintf("UPDATE wp_posts SET post_modified_gmt = '%s' WHERE ID = %d", date, id)
	}
	site := []string{sitemaptest.Insert(
		sitemaptest.Row{ID: 1, Name: "fresh", Date: "2024-06-10 10:00:00"},
		sitemaptest.Row{ID: 2, Name: "at-the-edge", Date: "2024-06-08 12:00:00"},
		sitemaptest.Row{ID: 3, Name: "too-old", Date: "2024-06-08 11:59:59"},
		sitemaptest.Row{ID: 4, Name: "old-and-changed", Date: "2023-01-01 10:00:00"},
		sitemaptest.Row{ID: 5, Name: "to-come", Date: "2024-06-10 13:00:00"},
		sitemaptest.Row{ID: 6, Name: "without-a-date", Date: "2024-06-10 09:00:00"},
		sitemaptest.Row{ID: 7, Type: "page", Name: "a-page", Date: "2024-06-10 11:00:00"},
		sitemaptest.Row{ID: 8, Name: "draft", Status: "draft", Date: "2024-06-10 11:00:00"},
	), changed(4, "2024-06-09 10:00:00"), changed(5, "2024-06-10 08:00:00"), "UPDATE wp_posts SET post_date_gmt = '0000-00-00 00:00:00' WHERE ID = 6"}
	for _, tt := range []struct {
		window string
		now    string // ids of the news now
		soon   string // and two hours later
	}{
		{"modified", "1 2 4 6", "1 4 5 6"},
		{seo.ByPublication, "1 2 6", "1 5 6"},
	} {
		opt := seo.Options{Compat: seo.SpecLevel, Now: sitemaptest.ClockAt(now), News: seo.News{Window: tt.window}}
		b := rows.NewReader(sitemaptest.Of(t, "small", opt, site...).Rules, []string{"post"})
		wptest.Must(t, b.Read(t.Context(), nil))
		for at, want := range map[time.Time]string{now: tt.now, now.Add(2 * time.Hour): tt.soon} {
			var got []string
			for _, a := range b.Recent["post"] {
				if a.IsNews(at.Unix()) {
					got = append(got, fmt.Sprint(a.ID))
				}
			}
			slices.Sort(got)
			expect.Equal(t, strings.Join(got, " "), want, tt.window, at)
		}
		expect.Equal(t, len(b.Recent["page"]), 0, "a type that is not watched")
		expect.Equal(t, time.Unix(b.Newest, 0).UTC().Format(time.DateTime), "2024-06-10 13:00:00")
		i := slices.IndexFunc(b.Recent["post"], func(a rows.Article) bool { return a.ID == 6 })
		expect.Equal(t, b.Recent["post"][i].Published, wp.ParseDate("2024-06-10 09:00:00"), "the date of change, for want of one of publication")
	}
}

// The posts of each language, and those that the domains of other languages list.
func TestPostsOfLanguages(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, polylangSite(3, "en", "https://small.test", "fr", "https://petit.test", "de", "https://klein.test")...)
	for _, book := range sitemaptest.Open(t, wp.Source{DSN: dsn}) {
		for _, hreflang := range []bool{true, false} {
			b := rows.NewReader(sitemaptest.Build(t, book, seo.Options{Compat: seo.SpecLevel, Hreflang: hreflang}).Rules, nil)
			wptest.Must(t, b.Read(t.Context(), nil))
			elsewhere := map[string][]int64{
				"https://small.test": {1002, 1003, 1012, 1102},
				"https://petit.test": {1001, 1003, 1004, 1007, 1011},
				"https://klein.test": {1001, 1002, 1004, 1007, 1011, 1012, 1102},
			}[book.Blog.Home()]
			if !hreflang {
				elsewhere = nil
			}
			expect.List(t, b.Translated.Posts, elsewhere, book.Blog.Home(), hreflang)
			var newest []string
			for _, l := range b.Languages["post"] {
				newest = append(newest, fmt.Sprint(l.Listed, " ", time.Unix(l.Newest, 0).UTC().Format(time.DateOnly)))
			}
			expect.List(t, newest, []string{"true 2024-01-07", "true 2024-01-02", "true 2024-01-03"}, "the newest post of each language")
			expect.Equal(t, b.Languages["page"][2].Listed, false, "no German page")
		}
	}
}

// Posts that another plugin sends elsewhere or takes as filled are left out.
func TestPostsThatOtherPluginsLeaveOut(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel},
		sitemaptest.With(true, "page-links-to/page-links-to.php", "wp-job-manager/wp-job-manager.php"),
		sitemaptest.SetOption("job_manager_hide_filled_positions", "1"),
		sitemaptest.SetOption("rewrite_rules", sitemaptest.Array("job/([^/]+)(?:/([0-9]+))?/?$",
			"index.php?job_listing=$matches[1]&page=$matches[2]")),
		sitemaptest.Insert(sitemaptest.Row{ID: 1, Name: "here"}, sitemaptest.Row{ID: 2, Name: "elsewhere"},
			sitemaptest.Row{ID: 3, Type: "job_listing", Name: "open"}, sitemaptest.Row{ID: 4, Type: "job_listing", Name: "filled"}),
		sitemaptest.MetaRow(2, "_links_to", "https://elsewhere.test/"), sitemaptest.MetaRow(3, "_filled", "0"),
		sitemaptest.MetaRow(4, "_filled", "1"))
	expect.Equal(t, c.LeftOut[seo.LinksElsewhere], 1)
	expect.Equal(t, c.LeftOut[seo.JobFilled], 1)
	expect.List(t, sitemaptest.Listed(t, c, "post"), []string{"/", "/here/"})
}
