package news

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wpsitemapd/sitemap/news"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestNewsSettings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		option string
		want   settings
	}{
		{name: "never saved"},
		{name: "empty", option: "a:0:{}"},
		{name: "broken", option: `a:1:{s:17:"news_sitemap_name";s:99:"The Quay";}`},
		{name: "name as it is stored", option: `a:1:{s:17:"news_sitemap_name";s:18:"Fish &amp; "chips"";}`,
			want: settings{news.Settings{Publication: `Fish & "chips"`}, `Fish &amp; "chips"`}},
		{name: "types are on, or are not",
			option: `a:1:{s:31:"news_sitemap_include_post_types";a:5:{s:4:"post";s:2:"on";s:4:"page";s:3:"off";s:4:"film";b:1;s:4:"song";` +
				`s:2:"ON";s:6:"report";s:2:"on";}}`,
			want: settings{Settings: news.Settings{PostTypes: []string{"post", "report"}}}},
		{name: "types that are no list", option: `a:1:{s:31:"news_sitemap_include_post_types";s:4:"post";}`},
		{name: "terms by type",
			option: `a:1:{s:26:"news_sitemap_exclude_terms";a:7:{s:10:"5_for_post";s:2:"on";s:10:"6_for_post";s:2:"on";s:10:"7_for_post";` +
				`s:3:"off";s:14:"5_for_news_for";s:2:"on";s:6:"5_post";s:2:"on";s:11:"x_for_films";s:2:"on";i:9;s:2:"on";}}`,
			want: settings{Settings: news.Settings{ExcludedTerms: map[string][]int64{"post": {5, 6}, "news_for": {5}, "films": {0}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stored php.Value
			if v, err := php.MaybeUnserialize(tt.option); err == nil && v.Kind == php.Array {
				stored = v
			}
			got := decode(false, "", stored)
			if diff := cmp.Diff(tt.want, *got, cmp.AllowUnexported(settings{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// A post is excluded if any of its marks is not 0. A term excludes only its own posts, not those of terms below it, and only of
// the post types with which it is stored.
func TestNewsExcluded(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small", "small-news")
		wptest.Exec(t, dsn, `INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
			(2001, '_yoast_wpseo_newssitemap-robots-index', '1'), (2001, '_yoast_wpseo_newssitemap-robots-index', '0'),
			(2002, '_yoast_wpseo_newssitemap-robots-index', NULL), (2003, '_yoast_wpseo_newssitemap-robots-index', 'on')`)
		n, err := wp.Open(t.Context(), wp.Source{Name: "test", DSN: dsn, Declared: wp.Declare(Inputs...)})
		wptest.Must(t, err)
		t.Cleanup(func() { n.Close() })
		sites, err := address.ReadAll(t.Context(), n)
		wptest.Must(t, err)
		rules := seo.NewRules(sites[0], seo.Options{}, nil, seo.PluginDecisions{})
		settings := Provider.Of(rules)
		got, err := Provider.LeftOut(t.Context(), rules, &settings, map[int64]string{
			1001: "post", 1008: "post", 1009: "post", 1010: "post", 1031: "post", 1032: "report", 1033: "report",
			2001: "post", 2002: "post", 2003: "post",
		})
		wptest.Must(t, err)
		for id, out := range map[int64]bool{
			1001: false, 1008: true, 1009: true, 1010: false, 1031: true, 1032: false, 1033: false, 2001: false, 2002: false, 2003: true,
		} {
			expect.Equal(t, got[id], out, "post", id, "is excluded")
		}
	})
}

func TestStockTickers(t *testing.T) {
	for _, tt := range []struct{ name, stored, want string }{
		{"none", "", ""},
		{"one", "NASDAQ:AMAT", "NASDAQ:AMAT"},
		{"blanks around", " NASDAQ:AMAT ,BOM:500325,", "NASDAQ:AMAT, BOM:500325"},
		{"a class of shares", "NYSE:BRK.B, TSX:BBD-B, AMS:A&B", "NYSE:BRK.B, TSX:BBD-B, AMS:A&B"},
		{"as the editor stores it", "NYSE:A&amp;B", "NYSE:A&B"},
		{"without an exchange", "AMAT, :AMAT, NASDAQ:", ""},
		{"two colons", "A:B:C", ""},
		{"blanks inside", "NASDAQ: AMAT, NAS DAQ:AMAT", ""},
		{"markup", "<b>NASDAQ:AMAT</b>", "NASDAQ:AMAT"},
		{"the first five", "A:A,B:B,C:C,D:D,E:E,F:F", "A:A, B:B, C:C, D:D, E:E"},
	} {
		expect.Equal(t, stockTickers(tt.stored), tt.want, tt.name, tt.stored)
	}
}
