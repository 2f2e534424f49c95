package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/config"
)

// The other formats have addresses of their own, ours exactly when their sitemap is.
func TestFormatRoute(t *testing.T) {
	on := address{gzip: true}
	folder := address{gzip: true, path: "blog"}
	packed := func(name string, page int) route {
		return route{target: toSitemap, name: name, page: page, packed: true}
	}
	moved := func(name, location string) route {
		return route{target: toRedirect, name: name, location: location}
	}
	text := func(page int) route { return route{target: toSitemap, name: "sitemap.txt", page: page} }
	atom := route{target: toSitemap, name: "sitemap.atom", page: 1}
	tests := []struct {
		rule string
		at   address
		uri  string
		want route
	}{
		{"a compressed sitemap", on, "/post-sitemap.xml.gz", packed("post", 1)},
		{"of another page", on, "/post-sitemap12.xml.gz", packed("post", 12)},
		{"the compressed index", on, "/sitemap_index.xml.gz", packed("1", 1)},
		{"a query string changes nothing", on, "/post-sitemap.xml.gz?x=1", packed("post", 1)},
		{"but its variables win, as in WordPress", on, "/post-sitemap.xml.gz?sitemap=page&sitemap_n=3", route{target: toSitemap, name: "page", page: 3, byQuery: true}},
		{"encoded", on, "/post%2Dsitemap.xml%2Egz", packed("post", 1)},
		{"an encoded question mark begins no query", on, "/x%3Fsitemap=post&sitemap_n=1&a=.xml.gz", route{}},
		{"below index.php", on, "/index.php/post-sitemap.xml.gz", packed("post", 1)},
		{"page 1 has no number", on, "/post-sitemap1.xml.gz", moved("post", "/post-sitemap.xml.gz")},
		{"nor has page 0", on, "/post-sitemap0.xml.gz", moved("post", "/post-sitemap.xml.gz")},
		{"a slash at the end", on, "/post-sitemap.xml.gz/", route{}},
		{"in capitals", on, "/post-sitemap.xml.GZ", route{}},
		{"sitemap.xml.gz may be anybody's", on, "/sitemap.xml.gz", route{}},
		{"core's index leads nowhere here", on, "/wp-sitemap.xml.gz", packed("wp", 1)},
		{"core's pages neither", on, "/wp-sitemap-posts-post-1.xml.gz", route{}},
		{"a stylesheet", on, "/main-sitemap.xsl.gz", route{}},
		{"compressed twice", on, "/post-sitemap.xml.gz.gz", route{}},
		{"by the query alone", on, "/x.xml.gz?sitemap=post", route{target: toSitemap, name: "post", page: 1, byQuery: true}},
		{"in a folder that is not home", on, "/a/post-sitemap.xml.gz", route{}},
		{"home in a folder", folder, "/blog/post-sitemap.xml.gz", packed("post", 1)},
		{"home in a folder, page 1", folder, "/blog/post-sitemap1.xml.gz", moved("post", "/post-sitemap.xml.gz")},
		{"without permalinks", address{gzip: true, plain: true}, "/post-sitemap.xml.gz", packed("post", 1)},
		{"switched off", address{}, "/post-sitemap.xml.gz", route{}},
		{"WordPress' own", address{gzip: true, core: site.CorePaths}, "/wp-sitemap-posts-post-2.xml.gz", packed("posts-post", 2)},
		{"WordPress' own index", address{gzip: true, core: site.CorePaths}, "/wp-sitemap.xml.gz", packed("1", 1)},
		{"WordPress' own, by another number", address{gzip: true, core: site.CorePaths}, "/wp-sitemap-users-01.xml.gz", moved("users", "/wp-sitemap-users-1.xml.gz")},
		{"WordPress' own by queries have no files", address{gzip: true, core: site.CoreQueries}, "/wp-sitemap-users-1.xml.gz", route{}},

		{"text", on, "/sitemap.txt", text(1)},
		{"text, another page", on, "/sitemap2.txt", text(2)},
		{"text, a page of many digits", on, "/sitemap123456789.txt", text(123456789)},
		{"text, too many digits", on, "/sitemap1234567890.txt", route{}},
		{"text has no page 1", on, "/sitemap1.txt", route{}},
		{"text has no page 0", on, "/sitemap0.txt", route{}},
		{"text has no leading zeros", on, "/sitemap02.txt", route{}},
		{"text with a query string", on, "/sitemap.txt?sitemap=", text(1)},
		{"text with a slash", on, "/sitemap.txt/", route{}},
		{"text in capitals", on, "/Sitemap.txt", route{}},
		{"text below a folder", on, "/a/sitemap.txt", route{}},
		{"text in home's folder", folder, "/blog/sitemap.txt", text(1)},
		{"text outside of home", folder, "/sitemap.txt", route{}},
		{"text below index.php", on, "/index.php/sitemap.txt", text(1)},
		{"text beside WordPress' own", address{core: site.CorePaths}, "/sitemap.txt", text(1)},
		{"the feed", on, "/sitemap.atom", atom},
		{"the feed with a query string", on, "/sitemap.atom?x", atom},
		{"the feed with a slash", on, "/sitemap.atom/", route{}},
		{"the feed, compressed", on, "/sitemap.atom.gz", route{}},
		{"their names are no sitemaps' by path", on, "/sitemap.txt-sitemap.xml", route{}},
		{"nor page 1 of one", on, "/sitemap.atom-sitemap1.xml", route{}},
		{"nor by the query", on, "/?sitemap=sitemap.txt", route{}},
	}
	for _, test := range tests {
		path, _, _ := strings.Cut(test.uri, "?")
		rest, ok := cutHomePath(strings.Trim(path, "/"), test.at.path)
		if !ok {
			if test.want != (route{}) {
				t.Errorf("%s: %s is not below home", test.rule, test.uri)
			}
			continue
		}
		if diff := cmp.Diff(test.want, test.at.route(test.uri, rest), cmp.AllowUnexported(route{})); diff != "" {
			t.Errorf("%s: %s: %s", test.rule, test.uri, diff)
		}
	}
}

// While the database has not been read, only what is switched on may be ours.
func TestMayBeFormat(t *testing.T) {
	all := config.Formats{Gzip: true, Text: true, Atom: true}
	for uri, f := range map[string]config.Formats{
		"/post-sitemap.xml.gz": {Gzip: true}, "/a/sitemap_index.xml.gz?x": {Gzip: true}, "/wp-sitemap-users-1.xml.gz": {Gzip: true},
		"/sitemap.txt": {Text: true}, "/blog/sitemap3.txt": {Text: true}, "/sitemap.atom?x=1": {Atom: true},
	} {
		others := config.Formats{Gzip: !f.Gzip, Text: !f.Text, Atom: !f.Atom}
		if !mayBeFormat(f, uri) || !mayBeFormat(all, uri) || mayBeFormat(others, uri) {
			t.Errorf("%s is not %+v alone", uri, f)
		}
	}
	for _, uri := range []string{"/", "/sitemap.xml.gz", "/backup.gz", "/sitemap1.txt", "/robots.txt", "/sitemap.txt/", "/feed.atom", "/?x=/sitemap.txt"} {
		if mayBeFormat(all, uri) {
			t.Errorf("%s is no format of ours", uri)
		}
	}
}

// A page too small to be worth compressing is, for clients that take nothing else.
func TestSmallPageForWhoTakesNothingElse(t *testing.T) {
	ts, c, _ := onePage(t)
	c.render = func(context.Context, string, int) (*catalog.Document, error) {
		return &catalog.Document{Body: []byte("<urlset/>")}, nil
	}
	for accept, want := range map[string]string{"gzip": "", "gzip, identity;q=0": "gzip", "*, identity;q=0": "gzip", "br, identity;q=0": "406", "gzip;q=0, *;q=0": "406"} {
		resp := ts.get("GET", "http://a.test/post-sitemap.xml", "Accept-Encoding", accept)
		got := resp.Header.Get("Content-Encoding")
		if resp.StatusCode != 200 {
			got = fmt.Sprint(resp.StatusCode)
		}
		if got != want || resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %q, want %q", accept, got, want)
		}
	}
}
