package route

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
)

func TestTwinRoutes(t *testing.T) {
	pretty, folder, plain := Scheme{
		URLs: yoast.Plugin.URLs, HTML: true,
	}, Scheme{URLs: yoast.Plugin.URLs, HTML: true, Path: "blog"}, Scheme{URLs: yoast.Plugin.URLs, HTML: true, Plain: true}
	core, coreFolder, coreQuery := Scheme{
		HTML: true, URLs: wpcore.Plugin.URLs, Pretty: true,
	}, Scheme{HTML: true, URLs: wpcore.Plugin.URLs, Pretty: true, Path: "blog"}, Scheme{HTML: true, URLs: wpcore.Plugin.URLs, Plain: true}
	off := Scheme{URLs: yoast.Plugin.URLs}
	twin := func(name string, page int) Resource { return Resource{Kind: HTML, Name: name, Page: page} }
	upstream := Resource{}
	for _, tt := range []struct {
		name string
		a    Scheme
		uri  string
		want Resource
	}{
		{"of the index", pretty, "/sitemap_index.html", twin("1", 1)},
		{"of a page", pretty, "/post-sitemap.html", twin("post", 1)},
		{"of a later page", pretty, "/post-sitemap2.html", twin("post", 2)},
		{"of a name with hyphens", pretty, "/my-own-type-sitemap3.html", twin("my-own-type", 3)},
		{"with a slash behind it, as the sitemap may have", pretty, "/post-sitemap2.html/", twin("post", 2)},
		{"below index.php, as the sitemap may be", pretty, "/index.php/post-sitemap.html", twin("post", 1)},
		{"with its part", pretty, "/post-sitemap.html?part=2", twin("post", 1)},
		{"home in a folder", folder, "/blog/post-sitemap.html", twin("post", 1)},
		{"home in a folder: not outside", folder, "/post-sitemap.html", upstream},
		{"without permalinks: with the slash, as the sitemap", plain, "/post-sitemap.html/", twin("post", 1)},
		{"without permalinks: not without it", plain, "/post-sitemap.html", upstream},
		{"of core's index", core, "/wp-sitemap.html", twin("1", 1)},
		{"of core's page", core, "/wp-sitemap-posts-post-2.html", twin("posts-post", 2)},
		{"of core's users", core, "/wp-sitemap-users-1.html", twin("users", 1)},
		{"of core's, home in a folder", coreFolder, "/blog/wp-sitemap-taxonomies-category-1.html", twin("taxonomies-category", 1)},
		{"core's other spellings are redirects and have none", core, "/wp-sitemap-posts-post-02.html", upstream},
		{"core's query addresses have none", coreQuery, "/wp-sitemap.html", upstream},
		{
			"a query address has none, and stays the sitemap", pretty, "/page.html?sitemap=post",
			Resource{Kind: Sitemap, Name: "post", Page: 1, ByQuery: true},
		},
		{"the site's own page /sitemap.html", pretty, "/sitemap.html", upstream},
		{
			"the site's own page /sitemap.html where core answers", Scheme{HTML: true, URLs: wpcore.Plugin.URLs, Pretty: true, Alone: true},
			"/sitemap.html", upstream,
		},
		{"a redirect has none", pretty, "/post-sitemap1.html", upstream},
		{"nor the other", pretty, "/post-sitemap0.html", upstream},
		{"core's index where Yoast answers", pretty, "/wp-sitemap-users-1.html", upstream},
		{"in a folder of the site", pretty, "/docs/post-sitemap.html", upstream},
		{"in capitals", pretty, "/post-sitemap.HTML", upstream},
		{"other endings", pretty, "/post-sitemap.htm", upstream},
		{"both endings", pretty, "/post-sitemap.xml.html", upstream},
		{"a stylesheet", pretty, "/main-sitemap.xsl.html", upstream},
		{"nothing before it", pretty, "/.html", upstream},
		{"an ordinary page", pretty, "/about.html", upstream},
		{"switched off", off, "/post-sitemap.html", upstream},
		{"switched off: the index", off, "/sitemap_index.html", upstream},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, _, _ := strings.Cut(tt.uri, "?")
			rest, ok := cutHomePath(strings.Trim(path, "/"), tt.a.Path)
			got := Resource{}
			if ok {
				got = tt.a.Resource(tt.uri, rest)
			}
			if tt.want.Kind == HTML {
				got.Unowned = ""
			}
			if got.Kind != tt.want.Kind || got.Name != tt.want.Name || got.Page != tt.want.Page {
				t.Errorf("%s: %+v, want %+v", tt.uri, got, tt.want)
			}
		})
	}
}
