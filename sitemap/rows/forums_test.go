package rows_test

import (
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Posts below a forum that bbPress hides are in no sitemap, no feed and no news.
func TestHiddenForums(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small")
		row := func(id int, kind, name, status string, parent int) sitemaptest.Row {
			return sitemaptest.Row{ID: id, Type: kind, Name: name, Title: name, Status: status, Parent: parent, Date: "2026-02-28 10:00:00"}
		}
		wptest.Exec(t, dsn, sitemaptest.Activate("bbpress/bbpress.php", "wordpress-seo/wp-seo.php"),
			sitemaptest.SetOption("_bbp_private_forums", sitemaptest.Array(0, 9001)), sitemaptest.SetOption("_bbp_hidden_forums", sitemaptest.Array(0, 9002)),
			sitemaptest.Insert(row(9001, "forum", "private", "private", 0), row(9002, "forum", "hidden", "hidden", 0), row(9003, "forum", "open-forum", "publish", 0),
				row(9011, "forum", "secret-below", "publish", 9001), row(9012, "topic", "secret-topic", "publish", 9011), row(9013, "reply", "secret-reply", "publish", 9012),
				row(9014, "topic", "secret-hidden", "publish", 9002), row(9015, "topic", "open-topic", "publish", 9003), row(9016, "reply", "open-reply", "publish", 9015)))
		opt := seo.Options{
			PageSize: 100, Keep: true, RSS: true, Atom: true, Text: true, Now: sitemaptest.ClockAt(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)),
			News: seo.News{Enabled: seo.SwitchedOn, PostTypes: []string{"topic", "reply"}},
		}
		all := func(c *sitemap.Catalog) string {
			var b strings.Builder
			for _, f := range append(c.Files(), c.OtherFiles()...) {
				b.Write(sitemaptest.Render(t, c, f.Name, f.Page).Body)
			}
			return b.String()
		}
		for _, choice := range []string{"yoast", "core"} {
			opt.Sitemaps, opt.Compat = choice, seo.SpecLevel
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), opt)
			if got := all(c); strings.Contains(got, "secret") || !strings.Contains(got, "open-topic") || !strings.Contains(got, "open-reply") {
				t.Errorf("%s: %s", choice, got)
			}
			x := sitemaptest.Explain(t, c, "https://small.test/?p=9012")
			expect.Equal(t, x.Rule, "in a hidden forum", choice)
			if choice != "yoast" {
				continue
			}
			wptest.Exec(t, dsn, sitemaptest.Insert(row(9021, "topic", "secret-new", "publish", 9011)), "UPDATE wp_posts SET post_parent = 9003, post_modified_gmt = '2026-02-28 11:00:00' WHERE ID = 9012")
			d, _, err := c.Delta(t.Context(), nil)
			wptest.Must(t, err)
			if got := all(d); strings.Contains(got, "secret-new") || !strings.Contains(got, "secret-topic") || !strings.Contains(got, "secret-reply") {
				t.Errorf("after a delta: %s", got)
			}
			wptest.Exec(t, dsn, "UPDATE wp_posts SET post_parent = 9011 WHERE ID = 9012")
		}
	})
}
