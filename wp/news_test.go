package wp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wpsitemapd/wp/wptest"
)

func TestNewsSettings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config []string
		option string
		want   News
	}{
		{name: "never saved"},
		{name: "empty", option: "a:0:{}"},
		{name: "broken", option: `a:1:{s:17:"news_sitemap_name";s:99:"The Quay";}`},
		{name: "name as it is stored", option: `a:1:{s:17:"news_sitemap_name";s:18:"Fish &amp; "chips"";}`, want: News{Publication: `Fish &amp; "chips"`}},
		{name: "types are on, or are not",
			option: `a:1:{s:31:"news_sitemap_include_post_types";a:5:{s:4:"post";s:2:"on";s:4:"page";s:3:"off";s:4:"film";b:1;s:4:"song";` +
				`s:2:"ON";s:6:"report";s:2:"on";}}`,
			want: News{PostTypes: map[string]bool{"post": true, "report": true}}},
		{name: "types that are no list", option: `a:1:{s:31:"news_sitemap_include_post_types";s:4:"post";}`},
		{name: "terms by type",
			option: `a:1:{s:26:"news_sitemap_exclude_terms";a:7:{s:10:"5_for_post";s:2:"on";s:10:"6_for_post";s:2:"on";s:10:"7_for_post";` +
				`s:3:"off";s:14:"5_for_news_for";s:2:"on";s:6:"5_post";s:2:"on";s:11:"x_for_films";s:2:"on";i:9;s:2:"on";}}`,
			want: News{excludedTerms: map[string][]int64{"post": {5, 6}, "news_for": {5}, "films": {0}}}},
		{
			name: "constant for the name of the sitemap", config: []string{"define('YOAST_NEWS_SITEMAP_BASENAME', 'berichten');"},
			want: News{Basename: "berichten"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := new(Network)
			if tt.config != nil {
				n.config = config(t, tt.config...)
			}
			o := options{}
			if tt.option != "" {
				o["wpseo_news"] = tt.option
			}
			s := &Site{network: n}
			got := s.news(o, false)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(News{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
			if warned := len(s.warnings) > 0; warned != (tt.name == "broken") {
				t.Errorf("warnings %q", s.warnings)
			}
			if !s.news(o, true).Active {
				t.Error("an active plugin is not")
			}
		})
	}
}

// get_locale(): yoast-news 5.
func TestLocale(t *testing.T) {
	constant := []string{"define('WPLANG', 'fr_FR');"}
	for _, tt := range []struct {
		name    string
		config  []string
		network Network
		options options
		want    string
	}{
		{name: "nothing says", want: "en_US"},
		{name: "option", options: options{"WPLANG": "nl_NL"}, want: "nl_NL"},
		{name: "option beats the constant", config: constant, options: options{"WPLANG": "nl_NL"}, want: "nl_NL"},
		{name: "an empty option does so, too", config: constant, options: options{"WPLANG": ""}, want: "en_US"},
		{name: "constant", config: constant, want: "fr_FR"},
		{name: "0 is empty", options: options{"WPLANG": "0"}, want: "en_US"},
		{name: "the network's where the blog has none", config: constant, network: Network{locale: "de_DE", localeStored: true}, want: "de_DE"},
		{name: "the network's empty one", config: constant, network: Network{localeStored: true}, want: "en_US"},
		{name: "the blog's beats the network's", network: Network{locale: "de_DE", localeStored: true}, options: options{"WPLANG": ""}, want: "en_US"},
	} {
		n := tt.network
		if tt.config != nil {
			n.config = config(t, tt.config...)
		}
		s := &Site{network: &n}
		if got := s.locale(tt.options); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The locale of a network is in its meta table.
func TestLocaleOfNetwork(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic", "network")
		wptest.Exec(t, dsn,
			`DELETE FROM wp_options WHERE option_name = 'WPLANG'`,
			`DELETE FROM wp_2_options WHERE option_name = 'WPLANG'`,
			`INSERT INTO wp_2_options (option_name, option_value) VALUES ('WPLANG', 'nb_NO')`,
			`DELETE FROM wp_sitemeta WHERE meta_key = 'WPLANG'`,
			`INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, 'WPLANG', 'de_DE')`)
		n, err := Open(t.Context(), Source{Name: "test", DSN: dsn})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close() })
		sites, err := n.Sites(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sites {
			want := map[int64]string{1: "de_DE", 2: "nb_NO"}[s.BlogID()]
			if got := s.Settings().Locale; want != "" && got != want {
				t.Errorf("blog %d: %s, want %s", s.BlogID(), got, want)
			}
		}
	})
}

// A mark other than 0 excludes, whichever of several there is that does not; a term does so
// for the post types it is named with, itself and not those below it.
func TestNewsExcluded(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small", "small-news")
		wptest.Exec(t, dsn, `INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
			(2001, '_yoast_wpseo_newssitemap-robots-index', '1'), (2001, '_yoast_wpseo_newssitemap-robots-index', '0'),
			(2002, '_yoast_wpseo_newssitemap-robots-index', NULL), (2003, '_yoast_wpseo_newssitemap-robots-index', 'on')`)
		n, err := Open(t.Context(), Source{Name: "test", DSN: dsn})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close() })
		sites, err := n.Sites(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := sites[0].NewsExcluded(t.Context(), map[int64]string{
			1001: "post", 1008: "post", 1009: "post", 1010: "post", 1031: "post", 1032: "report", 1033: "report",
			2001: "post", 2002: "post", 2003: "post",
		})
		if err != nil {
			t.Fatal(err)
		}
		for id, out := range map[int64]bool{
			1001: false,
			1008: true,
			1009: true,
			1010: false,
			1031: true,
			1032: false,
			1033: false,
			2001: false,
			2002: false,
			2003: true,
		} {
			if got[id] != out {
				t.Errorf("post %d is excluded: %t, want %t", id, got[id], out)
			}
		}
	})
}
