package wp

import (
	"testing"

	"wpsitemapd/wp/wptest"
)

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
		s := &Blog{network: &n}
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
		wptest.Must(t, err)
		t.Cleanup(func() { n.Close() })
		sites, err := n.ReadBlogs(t.Context())
		wptest.Must(t, err)
		for _, s := range sites {
			want := map[int64]string{1: "de_DE", 2: "nb_NO"}[s.BlogID()]
			if got := s.Settings().Locale; want != "" && got != want {
				t.Errorf("blog %d: %s, want %s", s.BlogID(), got, want)
			}
		}
	})
}
