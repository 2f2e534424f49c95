package check

import (
	"strings"
	"testing"

	"wpsitemapd/server/live"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
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

// sized returns a report about a blog with two sitemaps.
func sized(id int64, home string) *BlogReport {
	return &BlogReport{
		ID: id, Home: home, Plugin: "Yoast SEO", Compat: "spec", Sitemaps: []sizeReport{{"post", 2, 1500, ""}, {"page", 1, 1, "articles of two days"}},
		LeftOut: map[string]int{"noindex": 3, "password protected": 1200},
	}
}

// The report about one site has everything, and the sums of its sitemaps. Trouble comes before what is well.
func TestTextOfOneSite(t *testing.T) {
	b := sized(1, "https://a.test")
	b.Versions = []wp.Installed{{Name: "WordPress", Version: "6.8"}}
	b.Warnings, b.Troubles, b.Robots, b.Redirect = []string{"look at it"}, []string{"correct it"}, "from the daemon", "www.a.test"
	b.Unknown = []unknown{{Kind: "post type", Name: "book", Why: "nothing tells", Add: "[site.post_type.book]\npublic = true"}}
	b.Types = []typeReport{
		{Kind: "post type", Name: "post", Public: true, Addresses: "computed", Facts: []registry.Fact{
			{Key: "public", Words: "public", Source: "core"}, {Key: "slug", Words: "slug x", Source: "option y"}, {Key: "archive", Words: "no archive", Source: "core"},
		}},
		{Kind: "taxonomy", Name: "category", Public: true, Excluded: true, Facts: []registry.Fact{{Key: "public", Words: "public", Source: "core"}}},
		{Kind: "taxonomy", Name: "inner", Facts: []registry.Fact{{Key: "public", Words: "not public", Source: "core"}}},
	}
	b.Public = &PublicReport{Requests: 3, Problems: []PublicProblem{{"https://a.test/x.xml", "answers 404", "repair it"}}}
	b.Fetch = &FetchReport{Fetched: 1200, Bad: []FetchedPage{{"https://a.test/x/", "post-sitemap.xml", []live.Problem{{Kind: "noindex", Detail: "a header"}}}}}
	r := &Report{Sites: []*SiteReport{{Name: "a", Errors: []string{"site a: cannot open"}, Warnings: []string{"hosts lacks one"}, Blogs: []*BlogReport{b}}}}
	expect.Equal(t, r.Text(), `site a
  TROUBLE: cannot open
  warning: hosts lacks one
  https://a.test (blog 1, sitemaps of Yoast SEO, compat spec)
    installed: WordPress 6.8
    TROUBLE: correct it
    TROUBLE: nothing tells
      lines to add below this [[site]]:
        [site.post_type.book]
        public = true
    warning: look at it

    sitemaps
      post         2 files      1,500 URLs
      page          1 file           1 URL  articles of two days
      together     3 files      1,501 URLs
    the host www.a.test is redirected to home
    robots.txt: from the daemon
    excluded: 3 noindex, 1,200 password protected
    asked at the public address by 3 requests, trouble with 1
    TROUBLE: https://a.test/x.xml answers 404: repair it
    fetched 1,200 pages of the sitemaps, trouble with 1
    TROUBLE: https://a.test/x/ in post-sitemap.xml: it carries noindex: a header

    post types
      post  public, no archive (core)
            slug x (option y)
            addresses: computed

    taxonomies
      category  excluded (configuration)
                public (core)
      not public: inner (core)

1 site checked, trouble with 1.
`)
}

// Of several sites there is a table, those with trouble first. Below it is only the trouble, unless everything is asked for.
func TestTextOfSeveralSites(t *testing.T) {
	well, warned, broken := sized(1, "https://a.test"), sized(1, "https://b.test"), sized(1, "https://c.test")
	warned.Warnings, broken.Error, broken.Plugin = []string{"look at it"}, "site c, blog 1: no such table", ""
	sites := func() []*SiteReport {
		return []*SiteReport{
			{Name: "a", OK: true, Blogs: []*BlogReport{well}}, {Name: "b", OK: true, Warnings: []string{"hosts"}, Blogs: []*BlogReport{warned, sized(2, "https://b.test/two")}},
			{Name: "c", Blogs: []*BlogReport{broken, sized(2, "https://c.test/two")}}, {Name: "d", Errors: []string{"site d: cannot open"}},
		}
	}
	r := &Report{Sites: sites()}
	expect.Equal(t, r.Text(), `site  state       URLs   files  excluded  sitemaps   home
c     TROUBLE     3,002  6      2,406     Yoast SEO  https://c.test and 1 more
d     TROUBLE     0      0      0         none       -
b     2 warnings  3,002  6      2,406     Yoast SEO  https://b.test and 1 more
a     good        1,501  3      1,203     Yoast SEO  https://a.test

site c
  https://c.test (blog 1, sitemaps of nobody, compat spec)
    TROUBLE: blog 1: no such table

site d
  TROUBLE: cannot open

4 sites checked, trouble with 2.
--site NAME prints the full report of one site, --verbose of every site.
`)
	r = &Report{Sites: sites(), Verbose: true, Errors: []string{"a pattern matches nothing"}, Warnings: []string{"a key is old"}}
	text := r.Text()
	expect.Parts(t, text, "TROUBLE: a pattern matches nothing\nwarning: a key is old\n\nsite ", "\nsite a\n  https://a.test", "warning: look at it",
		"4 sites checked, trouble with 2 and with the configuration.\n")
	expect.Equal(t, strings.Contains(text, "--verbose"), false)
	expect.Equal(t, strings.Count(text, "\nsite "), 5)
	expect.Equal(t, strings.HasPrefix((&Report{OK: true, Sites: sites()[:1]}).Text(), "site a\n"), true)
	expect.Contains(t, (&Report{OK: true, Sites: sites()[:2]}).Text(), "\n2 sites checked, no trouble.\n")
	expect.Equal(t, (&Report{Valid: true, Config: "c.toml", Warnings: []string{"a key is old"}}).Text(), "warning: a key is old\nc.toml is valid.\n")
}

// One sitemap needs no sum, and a blog without sitemaps says nothing about them.
func TestTextOfFewSitemaps(t *testing.T) {
	var w strings.Builder
	(&BlogReport{Sitemaps: []sizeReport{{"post", 1, 1, ""}}}).printFound(&w)
	expect.Equal(t, w.String(), "\n    sitemaps\n      post      1 file           1 URL\n")
	w.Reset()
	(&BlogReport{LeftOut: map[string]int{}}).printFound(&w)
	expect.Equal(t, w.String(), "")
}
