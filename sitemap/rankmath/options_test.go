package rankmath

import (
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// The sitemaps answer where the plugin is active, set up, and its module is on.
func TestAnswers(t *testing.T) {
	for o, want := range map[*options]bool{
		{folder: "seo-by-rank-math", setUp: true, module: true}: true,
		{setUp: true, module: true}:                             false,
		{folder: "seo-by-rank-math", module: true}:              false,
		{folder: "seo-by-rank-math", setUp: true}:               false,
	} {
		if got := o.answers(); got != want {
			t.Errorf("%q, set up %t, module %t: %t", o.folder, o.setUp, o.module, got)
		}
	}
}

// A stamp that no sitemap can name is no date; the first and the last that it can are.
func TestDateOf(t *testing.T) {
	for stamp, want := range map[int64]int64{
		0: 0, wp.MinTime: wp.MinTime, wp.MaxTime: wp.MaxTime, wp.MinTime - 1: wp.NoTime, wp.MaxTime + 1: wp.NoTime,
	} {
		if got := dateOf(stamp); got != want {
			t.Errorf("%d: %d, want %d", stamp, got, want)
		}
	}
}

// Bases of addresses are as sanitize_title_with_dashes() leaves them.
func TestSlugOf(t *testing.T) {
	for text, want := range map[string]string{
		"Writers": "writers", " a  b ": "a-b", "a--b": "a-b", "-a-": "a", "a.b/c": "a-b-c", "über_2%": "ber_2%", "azAZ09": "azaz09", "a'b": "ab",
	} {
		if got := slugOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Authors that the operator excludes keep their places, those that Rank Math leaves out have none.
func TestPlacesOfAuthors(t *testing.T) {
	for v, want := range map[seo.Verdict]bool{seo.Listed: true, seo.OperatorExcluded: true, seo.NotPublished: false, seo.MetaNoindex: false} {
		if got := Policy.Authors.TakesPlace(nil, v); got != want {
			t.Errorf("%s: %t", v, got)
		}
	}
}
