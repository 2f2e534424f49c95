package catalog_test

import (
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// The first rule that matches a path counts, also if the path has to be decoded first. Variables of the request win, if a rule sets
// them at all.
func TestRewrites(t *testing.T) {
	rules := catalog.Rewrites{
		catalog.Rule(`^([^/]+?)-sitemap([0-9]+)?\.xml$`, "sitemap=$1&n=$2"), catalog.Rule(`^any-sitemap\.xml$`, "sitemap=never"),
	}
	for _, tt := range []struct {
		uri, path string
		want      map[string]string
		byQuery   bool
	}{
		{"/post-sitemap2.xml", "post-sitemap2.xml", map[string]string{"sitemap": "post", "n": "2"}, false},
		{"/any-sitemap.xml", "any-sitemap.xml", map[string]string{"sitemap": "any", "n": ""}, false},
		{"/post%2Dsitemap.xml", "post%2Dsitemap.xml", map[string]string{"sitemap": "post", "n": ""}, false},
		{"/post-sitemap2.xml?sitemap=&x=1", "post-sitemap2.xml", map[string]string{"sitemap": "", "n": "2"}, false},
		{"/?n=3", "", map[string]string{"n": "3"}, true},
		{"/about/", "about", map[string]string{}, true},
	} {
		got, byQuery := rules.Vars(&seo.Request{URI: tt.uri, Rest: tt.path, Pretty: true}, tt.path)
		expect.Same(t, tt.want, got, tt.uri)
		expect.Equal(t, byQuery, tt.byQuery, tt.uri)
	}
	expect.Equal(t, rules.Link("post-sitemap2.xml"), "?sitemap=post&n=2")
}
