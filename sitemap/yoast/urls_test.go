package yoast

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// The addresses that a blog answers, and what they mean.
func TestParse(t *testing.T) {
	index := seo.Resource{Kind: seo.Sitemap, Name: "1", Page: 1}
	page := func(name string, n int) seo.Resource { return seo.Resource{Kind: seo.Sitemap, Name: name, Page: n} }
	first := func(name string) seo.Resource {
		return seo.Resource{Kind: seo.Redirect, Name: name, Location: "/" + name + "-sitemap.xml"}
	}
	to := func(location string) seo.Resource { return seo.Resource{Kind: seo.Redirect, Location: location} }
	xsl := func(name string) seo.Resource { return seo.Resource{Kind: seo.Stylesheet, Name: name} }
	upstream := seo.Resource{}
	wp := seo.Resource{Kind: seo.Sitemap, Name: "wp", Page: 1} // usually no list has this name

	pretty, folder, plain := seo.Request{}, seo.Request{Path: "blog"}, seo.Request{Plain: true}
	for _, tt := range []struct {
		rule string
		r    seo.Request
		uri  string
		want seo.Resource
	}{
		{"the index", pretty, "/sitemap_index.xml", index},
		{"a slash at the end", pretty, "/sitemap_index.xml/", index},
		{"upper case is another address", pretty, "/SITEMAP_INDEX.XML", upstream},
		{"type 1 is the index", pretty, "/1-sitemap.xml", index},
		{"an index has no number", pretty, "/sitemap_index2.xml", upstream},
		{"anchored at the end", pretty, "/sitemap_index.xml.gz", upstream},
		{"anchored at the beginning", pretty, "/my_sitemap_index.xml", upstream},

		{"a type", pretty, "/post-sitemap.xml", page("post", 1)},
		{"a type with a slash at the end", pretty, "/post-sitemap.xml/", page("post", 1)},
		{"a page", pretty, "/post-sitemap2.xml", page("post", 2)},
		{"page 0 redirects", pretty, "/post-sitemap0.xml", first("post")},
		{"page 1 redirects", pretty, "/post-sitemap1.xml", first("post")},
		{"01 is page 1", pretty, "/post-sitemap01.xml", page("post", 1)},
		{"a number beyond all bounds stays positive", pretty, "/post-sitemap99999999999999999999.xml", page("post", 1<<63-1)},
		{"a negative number is part of no address", pretty, "/post-sitemap-1.xml", upstream},
		{"a negative number of a type sitemap", pretty, "/post-sitemap-sitemap.xml", page("post-sitemap", 1)},
		{"digits of a type are not its number", pretty, "/mp3-sitemap.xml", page("mp3", 1)},
		{"types keep their letter case", pretty, "/POST-sitemap.xml", page("POST", 1)},
		{"the rest is in lower case only", pretty, "/post-SITEMAP.xml", upstream},
		{"no type", pretty, "/-sitemap.xml", upstream},
		{"a folder before", pretty, "/some/dir/post-sitemap.xml", upstream},
		{"a language before", pretty, "/fr/sitemap_index.xml", upstream},
		{"compressed files are not ours", pretty, "/post-sitemap.xml.gz", upstream},
		{"an encoded hyphen", pretty, "/post%2Dsitemap.xml", page("post", 1)},
		{"an encoded letter of a type is matched raw", pretty, "/p%6fst-sitemap2.xml", page("p%6fst", 2)},
		{"an encoded slash makes a folder", pretty, "/a%2Fpost-sitemap.xml", page("a%2Fpost", 1)},

		{"sitemap.xml", pretty, "/sitemap.xml", to("/sitemap_index.xml")},
		{"sitemap.xml with a query string is another address", pretty, "/sitemap.xml?x=1", upstream},
		{"sitemap.xml with a slash too", pretty, "/sitemap.xml/", upstream},
		{"sitemap.xml below index.php too", pretty, "/index.php/sitemap.xml", upstream},
		{"core's index redirects, unless wp is a type", pretty, "/wp-sitemap.xml", seo.Resource{Kind: seo.Sitemap, Name: "wp", Page: 1,
			Unowned: "/sitemap_index.xml"}},
		{"core's index with a query string does not", pretty, "/wp-sitemap.xml?x=1", wp},
		{"core's posts, page 1", pretty, "/wp-sitemap-posts-post-1.xml", to("/post-sitemap.xml")},
		{"core's posts, page 2 goes one too low", pretty, "/wp-sitemap-posts-page-2.xml", to("/page-sitemap1.xml")},
		{"core's posts, page 0", pretty, "/wp-sitemap-posts-post-0.xml", to("/post-sitemap-1.xml")},
		{"core's types with a hyphen are not redirected", pretty, "/wp-sitemap-posts-my-type-1.xml", upstream},
		{"core's taxonomies", pretty, "/wp-sitemap-taxonomies-post_tag-1.xml", to("/post_tag-sitemap.xml")},
		{"core's users, page 1", pretty, "/wp-sitemap-users-1.xml", to("/author-sitemap.xml")},
		{"core's users, page 3", pretty, "/wp-sitemap-users-3.xml", to("/author-sitemap2.xml")},
		{"core's pages with a query string", pretty, "/wp-sitemap-users-1.xml?x", upstream},
		{"core's stylesheet", pretty, "/wp-sitemap-index.xsl", upstream},

		{"query variables: the index", pretty, "/?sitemap=1", index},
		{"query variables: a type", pretty, "/?sitemap=post", page("post", 1)},
		{"query variables: a page", pretty, "/?sitemap=post&sitemap_n=2", page("post", 2)},
		{"query variables: page 1 redirects", pretty, "/?sitemap=post&sitemap_n=1", first("post")},
		{"query variables: a number with text behind it", pretty, "/?sitemap=post&sitemap_n=2abc", page("post", 2)},
		{"query variables: a number in scientific form", pretty, "/?sitemap=post&sitemap_n=1e1", page("post", 10)},
		{"query variables: a negative number is page 1", pretty, "/?sitemap=post&sitemap_n=-3", page("post", 1)},
		{"query variables: the last one counts", pretty, "/?sitemap=page&sitemap=post", page("post", 1)},
		{"query variables: encoded", pretty, "/?sitemap=p%6Fst", page("post", 1)},
		{"query variables: 0 is empty", pretty, "/?sitemap=0", upstream},
		{"query variables: an encoded name", pretty, "/?s%69temap=post", page("post", 1)},
		{"query variables: an array is none", pretty, "/?sitemap[]=post", upstream},
		{"query variables: empty", pretty, "/?sitemap=", upstream},
		{"query variables: at index.php", pretty, "/index.php?sitemap=post", page("post", 1)},
		{"query variables: at any address of WordPress", pretty, "/some/page/?sitemap=post", page("post", 1)},
		{"query variables: not at another script", pretty, "/wp-login.php?sitemap=post", upstream},
		{"query variables: not in the administration", pretty, "/wp-admin/?sitemap=post", upstream},
		{"query variables: not at the REST API", pretty, "/wp-json/wp/v2/posts?sitemap=post", upstream},
		{"explicit variables beat the path: type", pretty, "/post-sitemap.xml?sitemap=page", page("page", 1)},
		{"explicit variables beat the path: number", pretty, "/post-sitemap2.xml?sitemap_n=3", page("post", 3)},
		{"explicit variables beat the path: empty number", pretty, "/post-sitemap2.xml?sitemap_n=", page("post", 1)},
		{"explicit variables beat the path: empty type", pretty, "/post-sitemap.xml?sitemap=", upstream},

		{"below index.php", pretty, "/index.php/sitemap_index.xml", index},
		{"below index.php, a type", pretty, "/index.php/post-sitemap2.xml", page("post", 2)},
		{"below index.php, page 1 redirects to the address without it", pretty, "/index.php/post-sitemap1.xml", first("post")},
		{"below index.php, core's addresses are not redirected", pretty, "/index.php/wp-sitemap.xml", wp},

		{"the stylesheet", pretty, "/main-sitemap.xsl", xsl("main")},
		{"the stylesheet of the news", pretty, "/news-sitemap.xsl", xsl("news")},
		{"the stylesheet of the videos", pretty, "/video-sitemap.xsl", xsl("video")},
		{"the stylesheet without hyphen", pretty, "/mainsitemap.xsl", xsl("main")},
		{"the stylesheet by query variable", pretty, "/?yoast-sitemap-xsl=main", xsl("main")},
		{"the stylesheet goes before the sitemap", pretty, "/post-sitemap.xml?yoast-sitemap-xsl=main", xsl("main")},
		{"an unknown stylesheet", pretty, "/local-sitemap.xsl", upstream},
		{"a stylesheet without name", pretty, "/sitemap.xsl", upstream},
		{"the plugin's own file", pretty, "/wp-content/plugins/wordpress-seo/css/main-sitemap.xsl", upstream},
		{"the front page", pretty, "/", upstream},

		{"home in a folder: the index", folder, "/blog/sitemap_index.xml", index},
		{"home in a folder: letter case of the folder does not matter", folder, "/BLOG/sitemap_index.xml", index},
		{"home in a folder: a type", folder, "/blog/post-sitemap3.xml", page("post", 3)},
		{"home in a folder: sitemap.xml", folder, "/blog/sitemap.xml", to("/sitemap_index.xml")},
		{"home in a folder: sitemap.xml must be exact", folder, "/Blog/sitemap.xml", upstream},
		{"home in a folder: core's addresses are not redirected", folder, "/blog/wp-sitemap.xml", wp},
		{"home in a folder: nor their pages", folder, "/blog/wp-sitemap-users-1.xml", upstream},
		{"home in a folder: below index.php", folder, "/blog/index.php/post-sitemap.xml", page("post", 1)},

		{"sitemap.xml of a blog without permalinks, as WordPress redirects it", plain, "/sitemap.xml/", index},
		{"plain: paths are not routed", plain, "/sitemap_index.xml", upstream},
		{"plain: nor types", plain, "/post-sitemap.xml", upstream},
		{"plain: nor sitemap.xml", plain, "/sitemap.xml", upstream},
		{"plain: query variables are", plain, "/?sitemap=1", index},
		{"plain: page 1 redirects to an address with a path", plain, "/?sitemap=post&sitemap_n=1", first("post")},
		{"plain: core's index redirects", plain, "/wp-sitemap.xml", to("/sitemap_index.xml")},
		{"plain: core's pages redirect", plain, "/wp-sitemap-users-3.xml", to("/author-sitemap2.xml")},
	} {
		path, _, _ := strings.Cut(tt.uri, "?")
		tt.r.URI, tt.r.Rest = tt.uri, strings.Trim(strings.Trim(path, "/")[len(tt.r.Path):], "/")
		// The query decides the name only if the path is not the path of a sitemap.
		tt.want.ByQuery = tt.want.Kind == seo.Sitemap && !strings.HasSuffix(strings.TrimRight(path, "/"), ".xml")
		expect.Equal(t, Plugin.URLs.Parse(tt.r), tt.want, tt.rule, tt.uri)
	}
}
