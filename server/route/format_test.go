package route

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp/wptest/expect"
)

// The other formats have their own addresses. They are ours exactly if their sitemap is.
func TestFormatRoute(t *testing.T) {
	on := Scheme{URLs: yoast.Plugin.URLs, Gzip: true}
	folder := Scheme{URLs: yoast.Plugin.URLs, Gzip: true, Path: "blog"}
	packed := func(name string, page int) Resource {
		return Resource{Kind: Sitemap, Name: name, Page: page, Packed: true}
	}
	moved := func(name, location string) Resource {
		return Resource{Kind: Redirect, Name: name, Location: location}
	}
	text := func(page int) Resource { return Resource{Kind: Sitemap, Name: "sitemap.txt", Page: page} }
	atom := Resource{Kind: Sitemap, Name: "sitemap.atom", Page: 1}
	for _, test := range []struct {
		rule string
		at   Scheme
		uri  string
		want Resource
	}{
		{"a compressed sitemap", on, "/post-sitemap.xml.gz", packed("post", 1)},
		{"of another page", on, "/post-sitemap12.xml.gz", packed("post", 12)},
		{"the compressed index", on, "/sitemap_index.xml.gz", packed("1", 1)},
		{"a query string changes nothing", on, "/post-sitemap.xml.gz?x=1", packed("post", 1)},
		{
			"but its variables win, as in WordPress", on, "/post-sitemap.xml.gz?sitemap=page&sitemap_n=3",
			Resource{Kind: Sitemap, Name: "page", Page: 3, ByQuery: true},
		},
		{"encoded", on, "/post%2Dsitemap.xml%2Egz", packed("post", 1)},
		{"an encoded question mark begins no query", on, "/x%3Fsitemap=post&sitemap_n=1&a=.xml.gz", Resource{}},
		{"below index.php", on, "/index.php/post-sitemap.xml.gz", packed("post", 1)},
		{"page 1 has no number", on, "/post-sitemap1.xml.gz", moved("post", "/post-sitemap.xml.gz")},
		{"nor has page 0", on, "/post-sitemap0.xml.gz", moved("post", "/post-sitemap.xml.gz")},
		{"a slash at the end", on, "/post-sitemap.xml.gz/", Resource{}},
		{"in capitals", on, "/post-sitemap.xml.GZ", Resource{}},
		{"sitemap.xml.gz may be anybody's", on, "/sitemap.xml.gz", Resource{}},
		{"core's index leads nowhere here", on, "/wp-sitemap.xml.gz", packed("wp", 1)},
		{"core's pages neither", on, "/wp-sitemap-posts-post-1.xml.gz", Resource{}},
		{"a stylesheet", on, "/main-sitemap.xsl.gz", Resource{}},
		{"compressed twice", on, "/post-sitemap.xml.gz.gz", Resource{}},
		{"by the query alone", on, "/x.xml.gz?sitemap=post", Resource{Kind: Sitemap, Name: "post", Page: 1, ByQuery: true}},
		{"in a folder that is not home", on, "/a/post-sitemap.xml.gz", Resource{}},
		{"home in a folder", folder, "/blog/post-sitemap.xml.gz", packed("post", 1)},
		{"home in a folder, page 1", folder, "/blog/post-sitemap1.xml.gz", moved("post", "/post-sitemap.xml.gz")},
		{"without permalinks", Scheme{URLs: yoast.Plugin.URLs, Gzip: true, Plain: true}, "/post-sitemap.xml.gz", packed("post", 1)},
		{"switched off", Scheme{URLs: yoast.Plugin.URLs}, "/post-sitemap.xml.gz", Resource{}},
		{"WordPress' own", Scheme{Gzip: true, URLs: wpcore.Plugin.URLs, Pretty: true}, "/wp-sitemap-posts-post-2.xml.gz", packed("posts-post", 2)},
		{"WordPress' own index", Scheme{Gzip: true, URLs: wpcore.Plugin.URLs, Pretty: true}, "/wp-sitemap.xml.gz", packed("1", 1)},
		{
			"WordPress' own, by another number", Scheme{Gzip: true, URLs: wpcore.Plugin.URLs, Pretty: true}, "/wp-sitemap-users-01.xml.gz",
			moved("users", "/wp-sitemap-users-1.xml.gz"),
		},
		{"WordPress' own by queries have no files", Scheme{Gzip: true, URLs: wpcore.Plugin.URLs}, "/wp-sitemap-users-1.xml.gz", Resource{}},

		{"text", on, "/sitemap.txt", text(1)},
		{"text, another page", on, "/sitemap2.txt", text(2)},
		{"text, a page of many digits", on, "/sitemap123456789.txt", text(123456789)},
		{"text, too many digits", on, "/sitemap1234567890.txt", Resource{}},
		{"text has no page 1", on, "/sitemap1.txt", Resource{}},
		{"text has no page 0", on, "/sitemap0.txt", Resource{}},
		{"text has no leading zeros", on, "/sitemap02.txt", Resource{}},
		{"text with a query string", on, "/sitemap.txt?sitemap=", text(1)},
		{"text with a slash", on, "/sitemap.txt/", Resource{}},
		{"text in capitals", on, "/Sitemap.txt", Resource{}},
		{"text below a folder", on, "/a/sitemap.txt", Resource{}},
		{"text in home's folder", folder, "/blog/sitemap.txt", text(1)},
		{"text outside of home", folder, "/sitemap.txt", Resource{}},
		{"text below index.php", on, "/index.php/sitemap.txt", text(1)},
		{"text beside WordPress' own", Scheme{URLs: wpcore.Plugin.URLs, Pretty: true}, "/sitemap.txt", text(1)},
		{"the feed", on, "/sitemap.atom", atom},
		{"the other feed", on, "/sitemap.rss", Resource{Kind: Sitemap, Name: "sitemap.rss", Page: 1}},
		{"the feed with a query string", on, "/sitemap.atom?x", atom},
		{"the feed with a slash", on, "/sitemap.atom/", Resource{}},
		{"the feed, compressed", on, "/sitemap.atom.gz", Resource{}},
		{"their names are no sitemaps' by path", on, "/sitemap.txt-sitemap.xml", Resource{}},
		{"nor page 1 of one", on, "/sitemap.atom-sitemap1.xml", Resource{}},
		{"nor by the query", on, "/?sitemap=sitemap.txt", Resource{}},
	} {
		path, _, _ := strings.Cut(test.uri, "?")
		rest, ok := cutHomePath(strings.Trim(path, "/"), test.at.Path)
		if !ok {
			expect.Equal(t, test.want, Resource{}, test.rule, test.uri, "is not below home")
			continue
		}
		if diff := cmp.Diff(test.want, test.at.Resource(test.uri, rest), cmp.AllowUnexported(Resource{})); diff != "" {
			t.Errorf("%s: %s: %s", test.rule, test.uri, diff)
		}
	}
}
