package check

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// A type about which nothing tells whether it is public is not among those that are not public.
func TestUndecidedTypes(t *testing.T) {
	b := &BlogReport{
		Types:   []typeReport{{Kind: "post type", Name: "vault"}, {Kind: "post type", Name: "inner"}, {Kind: "taxonomy", Name: "vault"}},
		Unknown: []unknown{{Kind: "post type", Name: "vault"}},
	}
	for kind, want := range map[string]string{
		"post type": "\n    post types\n      undecided: vault\n      not public: inner (not known)\n",
		"taxonomy":  "\n    taxonomies\n      not public: vault (not known)\n",
	} {
		var w strings.Builder
		b.printTypes(&w, kind)
		expect.Equal(t, w.String(), want, kind)
	}
}
