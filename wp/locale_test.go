package wp

import "testing"

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
		{name: "the network's where the blog has none", config: constant, network: Network{meta: options{"WPLANG": "de_DE"}}, want: "de_DE"},
		{name: "the network's empty one", config: constant, network: Network{meta: options{"WPLANG": ""}}, want: "en_US"},
		{name: "the blog's beats the network's", network: Network{meta: options{"WPLANG": "de_DE"}}, options: options{"WPLANG": ""}, want: "en_US"},
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
