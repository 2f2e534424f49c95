package rankmath

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// The sitemaps answer if the plugin is active and set up, and its module is on.
func TestAnswers(t *testing.T) {
	for o, want := range map[*options]bool{
		{folder: "seo-by-rank-math", setUp: true, module: true}: true,
		{setUp: true, module: true}:                             false,
		{folder: "seo-by-rank-math", module: true}:              false,
		{folder: "seo-by-rank-math", setUp: true}:               false,
	} {
		expect.Equal(t, o.answers(), want, o.folder, "set up", o.setUp, "module", o.module)
	}
}

// Bases of addresses are changed as sanitize_title_with_dashes() does.
func TestSlugOf(t *testing.T) {
	for text, want := range map[string]string{
		"Writers": "writers", " a  b ": "a-b", "a--b": "a-b", "-a-": "a", "a.b/c": "a-b-c", "über_2%": "ber_2%", "azAZ09": "azaz09", "a'b": "ab",
	} {
		expect.Equal(t, slugOf(text), want, text)
	}
}

// Authors that the operator excludes keep their places. Authors that Rank Math leaves out have none.
func TestPlacesOfAuthors(t *testing.T) {
	for v, want := range map[seo.Verdict]bool{seo.Listed: true, seo.Excluded: true, seo.NotPublished: false, seo.MetaNoindex: false} {
		expect.Equal(t, PluginLevel{}.TakesPlace(nil, seo.KindUser, v), want, v)
	}
}

// An address with a number leads to a page that depends on how many objects there are. An address that would lead to itself is
// not ours.
func TestRenumber(t *testing.T) {
	for _, c := range []struct {
		uri      string
		objects  int // a page has 10
		location string
		leads    bool
	}{
		{"/post-sitemap.xml", 9, "", false},
		{"/post-sitemap.xml", 10, "", false},
		{"/post-sitemap.xml", 11, "/post-sitemap1.xml", true},
		{"/post-sitemap0.xml", 9, "", false},
		{"/post-sitemap0.xml", 11, "/post-sitemap01.xml", true},
		{"/post-sitemap1.xml", 9, "/post-sitemap.xml", true},
		{"/post-sitemap1.xml", 10, "", false},
		{"/post-sitemap7.xml", 9, "/post-sitemap.xml", true},
		{"/post-sitemap2.xml", 11, "", false},
		{"/post-sitemap.xml?x", 11, "", true},
		{"/post-sitemap.xml/", 11, "", true},
		{"/?sitemap=post&sitemap_n=1", 9, "", true},
		{"/?sitemap=post&sitemap_n=03", 30, "", true},
		{"/author-sitemap.xml", 11, "", false},
		{"/author-sitemap1.xml", 11, "", false},
		{"/author-sitemap2.xml", 11, "/author-sitemap.xml", true},
		{"/author-sitemap3.xml", 11, "", false},
		{"/sitemap_index.xml", 0, "", false},
	} {
		path, _, _ := strings.Cut(c.uri, "?")
		asked := scheme{}.Parse(seo.Request{URI: c.uri, Rest: strings.Trim(path, "/"), Pretty: true})
		if location, leads := (scheme{}).Renumber(asked, c.objects, 10); location != c.location || leads != c.leads {
			t.Errorf("%s of %d: %q, %t, want %q, %t", c.uri, c.objects, location, leads, c.location, c.leads)
		}
	}
}

// Numbers with leading zeros lead to numbers without. Behind index.php there is no other address.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		request seo.Request
		want    seo.Resource
	}{
		{seo.Request{URI: "/post-sitemap02.xml", Rest: "post-sitemap02.xml", Pretty: true},
			seo.Resource{Kind: seo.Redirect, Name: "post", Location: "/post-sitemap2.xml", Found: true}},
		{seo.Request{URI: "/a/post-sitemap00.xml", Path: "a", Rest: "post-sitemap00.xml", Pretty: true},
			seo.Resource{Kind: seo.Redirect, Name: "post", Location: "/post-sitemap.xml", Found: true}},
		{seo.Request{URI: "/sitemap_index.xml", Rest: "sitemap_index.xml", Pretty: true, Index: true}, seo.Resource{}},
		{seo.Request{URI: "/index.php/sitemap_index.xml", Rest: "index.php/sitemap_index.xml", Pretty: true, Index: true},
			seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1, Location: "/index.php/sitemap_index.xml"}},
		{seo.Request{URI: "/post-sitemap.xml", Rest: "post-sitemap.xml", Plain: true}, seo.Resource{}},
		{seo.Request{URI: "/?xsl=main", Plain: true}, seo.Resource{Kind: seo.Stylesheet, Name: "main"}},
		{seo.Request{URI: "/a/sitemap.xml", Path: "a", Rest: "sitemap.xml", Pretty: true},
			seo.Resource{Kind: seo.Redirect, Location: "/sitemap_index.xml"}},
		{seo.Request{URI: "/sitemap.xml?x", Rest: "sitemap.xml", Pretty: true}, seo.Resource{}},
	} {
		expect.Equal(t, (scheme{}).Parse(c.request), c.want, c.request.URI)
	}
}
