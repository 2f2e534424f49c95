package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/site"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap"
)

func TestChooseCoding(t *testing.T) {
	const none = "none"
	tests := []struct {
		rule            string
		accept          []string
		without, brotli string // the choice where brotli is off and on
	}{
		{"no header: what everybody understands", nil, identity, identity},
		{"an empty header", []string{""}, identity, identity},
		{"gzip", []string{"gzip"}, "gzip", "gzip"},
		{"gzip by its old name, in capitals", []string{"X-GZIP"}, "gzip", "gzip"},
		{"brotli", []string{"br"}, identity, "br"},
		{"what browsers send", []string{"gzip, deflate, br, zstd"}, "gzip", "br"},
		{"several headers are one list", []string{"deflate", "br", "gzip"}, "gzip", "br"},
		{"the heavier one", []string{"br;q=0.5, gzip;q=0.8"}, "gzip", "gzip"},
		{"of equal weight the smaller one", []string{"gzip;q=0.5, br;q=0.5"}, "gzip", "br"},
		{"identity is better when it says so", []string{"gzip;q=0.5, identity;q=0.8"}, identity, identity},
		{"identity of equal weight", []string{"identity, gzip"}, "gzip", "gzip"},
		{"a tiny weight is enough", []string{"gzip;q=0.001"}, "gzip", "gzip"},
		{"a weight of 0 is a refusal", []string{"gzip;q=0"}, identity, identity},
		{"with more digits too", []string{"gzip;q=0.000, br;q=0.0"}, identity, identity},
		{"spaces around a weight", []string{"gzip ; q=1.0 ,br ; Q=0.1"}, "gzip", "gzip"},
		{"everything", []string{"*"}, "gzip", "br"},
		{"everything but brotli", []string{"*, br;q=0"}, "gzip", "gzip"},
		{"everything but gzip", []string{"gzip;q=0, *"}, identity, "br"},
		{"everything, lightly", []string{"*;q=0.2"}, "gzip", "br"},
		{"a name beats the asterisk", []string{"*;q=0.9, br;q=0.1"}, "gzip", "gzip"},
		{"unknown ones alone", []string{"zstd, compress"}, identity, identity},
		{"not as it is, but gzip", []string{"identity;q=0, gzip"}, "gzip", "gzip"},
		{"not as it is, everything else", []string{"identity;q=0, *"}, "gzip", "br"},
		{"not as it is, only brotli", []string{"br, identity;q=0"}, none, "br"},
		{"nothing else but brotli", []string{"br, *;q=0"}, none, "br"},
		{"not as it is and nothing else", []string{"identity;q=0"}, none, none},
		{"nothing at all", []string{"*;q=0"}, none, none},
		{"nothing but as it is", []string{"identity, *;q=0"}, identity, identity},
		{"a malformed weight is a refusal", []string{"gzip;q=much"}, identity, identity},
		{"so is one above 1", []string{"gzip;q=2"}, identity, identity},
		{"and a negative one", []string{"gzip;q=-1"}, identity, identity},
		{"and one that is no decimal", []string{"gzip;q=1e-1"}, identity, identity},
		{"and another parameter", []string{"gzip;level=9"}, identity, identity},
		{"empty members are none", []string{", ,gzip,,"}, "gzip", "gzip"},
	}
	for _, test := range tests {
		for on, want := range map[bool]string{false: test.without, true: test.brotli} {
			got, ok := chooseCoding(test.accept, on)
			if !ok {
				got = none
			}
			if got != want {
				t.Errorf("%s, brotli %v: %q, want %q", test.rule, on, got, want)
			}
		}
	}
}

func TestEvaluate(t *testing.T) {
	const at, before, after = "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 03:04:04 GMT", "Fri, 02 Jan 2026 03:04:06 GMT"
	tests := []struct {
		rule   string
		header []string
		want   int
	}{
		{"no condition", nil, 200},
		{"If-Match: the tag", []string{"If-Match", `"a"`}, 200},
		{"If-Match: among others", []string{"If-Match", `"x", "a"`}, 200},
		{"If-Match: in a second header", []string{"If-Match", `"x"`, "If-Match", `"b"`}, 200},
		{"If-Match: any", []string{"If-Match", "*"}, 200},
		{"If-Match: another", []string{"If-Match", `"x"`}, 412},
		{"If-Match: a weak one is never the same", []string{"If-Match", `W/"a"`}, 412},
		{"If-Match: nothing", []string{"If-Match", ""}, 412},
		{"If-Match: no tag", []string{"If-Match", "a"}, 412},
		{"If-Match beats If-Unmodified-Since", []string{"If-Match", `"a"`, "If-Unmodified-Since", before}, 200},
		{"If-Match holds, and the client has it", []string{"If-Match", `"a"`, "If-None-Match", `"a"`}, 304},
		{"If-Match fails before all else", []string{"If-Match", `"x"`, "If-None-Match", `"a"`}, 412},
		{"If-Unmodified-Since: the date", []string{"If-Unmodified-Since", at}, 200},
		{"If-Unmodified-Since: later", []string{"If-Unmodified-Since", after}, 200},
		{"If-Unmodified-Since: earlier", []string{"If-Unmodified-Since", before}, 412},
		{"If-Unmodified-Since: no date", []string{"If-Unmodified-Since", "yesterday"}, 200},
		{"If-None-Match: the tag", []string{"If-None-Match", `"a"`}, 304},
		{"If-None-Match: that of another encoding", []string{"If-None-Match", `"b"`}, 304},
		{"If-None-Match: a weak form", []string{"If-None-Match", `W/"a"`}, 304},
		{"If-None-Match: a list", []string{"If-None-Match", `"x" , W/"y",	"a"`}, 304},
		{"If-None-Match: a comma inside a tag", []string{"If-None-Match", `"x,y", "a"`}, 304},
		{"If-None-Match: a tag inside another", []string{"If-None-Match", `"x,\"a\""`}, 200},
		{"If-None-Match: empty members", []string{"If-None-Match", `,, "a",`}, 304},
		{"If-None-Match: any", []string{"If-None-Match", " * "}, 304},
		{"If-None-Match: an asterisk in a list is no tag", []string{"If-None-Match", `"x", *`}, 200},
		{"If-None-Match: without quotes", []string{"If-None-Match", "a"}, 200},
		{"If-None-Match: half a quote", []string{"If-None-Match", `"a`}, 200},
		{"If-None-Match: a small w", []string{"If-None-Match", `w/"a"`}, 200},
		{"If-None-Match: tags without a comma", []string{"If-None-Match", `"x" "a"`}, 200},
		{"If-None-Match: empty", []string{"If-None-Match", ""}, 200},
		{"another tag beats the date", []string{"If-None-Match", `"x"`, "If-Modified-Since", after}, 200},
		{"the tag beats an earlier date", []string{"If-None-Match", `"a"`, "If-Modified-Since", before}, 304},
		{"If-Modified-Since: the date", []string{"If-Modified-Since", at}, 304},
		{"If-Modified-Since: later", []string{"If-Modified-Since", after}, 304},
		{"If-Modified-Since: in the next century", []string{"If-Modified-Since", "Fri, 02 Jan 2126 03:04:05 GMT"}, 304},
		{"If-Modified-Since: earlier", []string{"If-Modified-Since", before}, 200},
		{"If-Modified-Since: as in RFC 850", []string{"If-Modified-Since", "Friday, 02-Jan-26 03:04:05 GMT"}, 304},
		{"If-Modified-Since: as in asctime()", []string{"If-Modified-Since", "Fri Jan  2 03:04:05 2026"}, 304},
		{"If-Modified-Since: earlier, as in RFC 850", []string{"If-Modified-Since", "Friday, 02-Jan-26 03:04:04 GMT"}, 200},
		{"If-Modified-Since: earlier, as in asctime()", []string{"If-Modified-Since", "Fri Jan  2 03:04:04 2026"}, 200},
		{"If-Modified-Since: as in RFC 3339", []string{"If-Modified-Since", "2026-01-02T03:04:05Z"}, 200},
		{"If-Modified-Since: a number", []string{"If-Modified-Since", "1767323045"}, 200},
		{"If-Modified-Since: no such day", []string{"If-Modified-Since", "Fri, 32 Jan 2026 03:04:05 GMT"}, 200},
		{"If-Modified-Since: empty", []string{"If-Modified-Since", ""}, 200},
		{"If-Modified-Since: two of them", []string{"If-Modified-Since", at, "If-Modified-Since", after}, 200},
	}
	modified := newest.Add(999 * time.Millisecond) // a header has whole seconds only
	for _, test := range tests {
		h := http.Header{}
		for i := 0; i+1 < len(test.header); i += 2 {
			h.Add(test.header[i], test.header[i+1])
		}
		if got := evaluate(h, modified, []string{`"a"`, `"b"`}); got != test.want {
			t.Errorf("%s: %d, want %d", test.rule, got, test.want)
		}
		dated := strings.Contains(strings.Join(test.header, " "), "-Since")
		if got := evaluate(h, time.Time{}, []string{`"a"`, `"b"`}); dated && len(test.header) == 2 && got != 200 {
			t.Errorf("%s, of what has no date: %d, want 200", test.rule, got)
		}
	}
}

func FuzzParseTags(f *testing.F) {
	f.Add(`"a", W/"b" ,"c,d"`)
	f.Fuzz(func(t *testing.T, text string) {
		_, tags := parseTags(nil, []string{text})
		for _, tag := range tags {
			if bare := strings.TrimPrefix(tag, "W/"); len(bare) < 2 || bare[0] != '"' || strings.Count(bare, `"`) != 2 || !strings.Contains(text, tag) {
				t.Errorf("%q is no tag of %q", tag, text)
			}
		}
		if q := parseAccept([]string{text}).of("gzip"); q < 0 || q > 1 {
			t.Errorf("weight %v of %q", q, text)
		}
	})
}

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
	c.render = func(context.Context, string, int) (*sitemap.Document, error) {
		return &sitemap.Document{Body: []byte("<urlset/>")}, nil
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
