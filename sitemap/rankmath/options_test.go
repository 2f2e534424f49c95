package rankmath

import "testing"

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
