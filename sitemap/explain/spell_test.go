package explain

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestIsDate(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"2024": true, "2024/1": true, "2024/12/31": true, "0001/01/01": true,
		"": false, "224": false, "20240": false, "0000": false, "about": false,
		"2024/0": false, "2024/13": false, "2024/12/32": false, "2024/00012": false, "2024/12/31/1": false,
	} {
		expect.Equal(t, isDate(strings.Split(path, "/")), want, path)
	}
}

// The host of an address in the form in which hosts are compared, and its path and variables.
func TestSpell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, address, host, path, variable string }{
		{"the default port of http", "http://a.test:80/x", "a.test", "/x", ""},
		{"the default port of https", "https://a.test:443/x", "a.test", "/x", ""},
		{"another port", "https://a.test:80/x", "a.test:80", "/x", ""},
		{"a user before the host", "https://me:p@ss@a.test/x", "a.test", "/x", ""},
		{"the final dot of a host", "https://A.test./x", "a.test", "/x", ""},
		{"another script", "https://bücher.test/x", "xn--bcher-kva.test", "/x", ""},
		{"no path", "https://a.test", "a.test", "/", ""},
		{"a query without a path", "https://a.test?v=1", "a.test", "/", "1"},
		{"blanks around", " https://a.test/x\n", "a.test", "/x", ""},
		{"encoded", "https://a.test/%E6%B5%B7?v=a+b%21", "a.test", "/海", "a b!"},
		{"the last of several values", "https://a.test/?v=1&v=2&w=3", "a.test", "/", "2"},
		{"a fragment", "https://a.test/x#/?v=1", "a.test", "/x", ""},
	} {
		s, err := spell(c.address)
		expect.Equal(t, err, nil, c.rule)
		expect.List(t, []string{s.host, s.path, s.vars["v"]}, []string{c.host, c.path, c.variable}, c.rule)
	}
}

// The database has a segment as WordPress stores it, percent-encoded in lower case, or raw.
func TestStoredForms(t *testing.T) {
	t.Parallel()
	expect.List(t, slugForms("plain"), []string{"plain"})
	expect.List(t, slugForms("海"), []string{"%e6%b5%b7", "海"})
	expect.List(t, pathForms([]string{"a", "b"}), []string{"a/b"})
	expect.List(t, pathForms([]string{"a", "海"}), []string{"a/海", "a/%E6%B5%B7"})
}

// Which part of an address is a view of an object, and what remains.
func TestCutView(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address, path, rule string
		n                   int
	}{
		{"https://a.test/x/", "/x/", ruleNoView, 0},
		{"https://a.test/x/page/3/", "/x/", rulePagination, 3},
		{"https://a.test/x/page/3", "/x/", rulePagination, 3},
		{"https://a.test/x/feed/", "/x/", ruleFeed, 0},
		{"https://a.test/x/feed/atom/", "/x/", ruleFeed, 0},
		{"https://a.test/x/comment-page-2/", "/x/", ruleComments, 2},
		{"https://a.test/x/trackback/", "/x/", ruleEmbed, 0},
		{"https://a.test/x/12/", "/x/", rulePart, 12},
		{"https://a.test/x/02/", "/x/02/", ruleNoView, 0},
		{"https://a.test/x/?paged=4", "/x/", rulePagination, 4},
		{"https://a.test/x/?page=5&utm=1", "/x/", rulePart, 5},
		{"https://a.test/x/?feed=rss2", "/x/", ruleFeed, 0},
		{"https://a.test/x/?cpage=6", "/x/", ruleComments, 6},
		{"https://a.test/x/?embed=true", "/x/", ruleEmbed, 0},
	} {
		s, err := spell(c.address)
		expect.Equal(t, err, nil)
		base, v := s.cutView()
		expect.Equal(t, v, view{c.rule, c.n}, c.address)
		expect.Equal(t, base.path, c.path, c.address)
		expect.Equal(t, base.vars[map[string]string{rulePagination: "paged", rulePart: "page"}[c.rule]], "", c.address)
	}
}

// An address below a home in a folder has the segments after that folder.
func TestBelow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, home string
		ok         bool
		segments   string
	}{
		{"/a/b/", "/", true, "a/b"}, {"/index.php/a/", "/", true, "a"}, {"/a/index.php", "/", true, "a/index.php"}, {"/", "/", true, ""},
		{"/blog/a/", "/blog/", true, "a"}, {"/Blog", "/blog/", true, ""}, {"/blog/index.php/a", "/blog/", true, "a"},
		{"/blogs/a/", "/blog/", false, ""}, {"/blo", "/blog/", false, ""}, {"/a/blog/", "/blog/", false, ""}, {"/a//b", "/", true, "a/b"},
	} {
		segments, ok := (&spelled{path: c.path}).below(&spelled{path: c.home})
		expect.Equal(t, ok, c.ok, c.path, c.home)
		expect.Equal(t, strings.Join(segments, "/"), c.segments, c.path, c.home)
	}
}

// A site that does not answer for its sitemaps has the address of a sitemap by the forms of all plugins.
func TestAsksSitemap(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"/sitemap.xml": true, "/post-sitemap2.xml.gz": true, "/Sitemap_Index.XML": true, "/index.php/sitemap.xml": true, "/news.xml": true,
		"/author.xml": true, "/main-sitemap.xsl": true, "/?sitemap=index": true, "/?feed=sitemap": true, "/?tsf-sitemap=base": true,
		"/": false, "/?feed=rss2": false, "/sitemap/": false, "/a/sitemap.xml": false, "/x/index.php/sitemap.xml": false, "/other.xml": false,
		"/a/news.xml": false, "/sitemap.json": false,
	} {
		s, err := spell("https://a.test" + address)
		expect.Equal(t, err, nil)
		segments := strings.FieldsFunc(s.path, func(r rune) bool { return r == '/' })
		expect.Equal(t, new(explainer).asksSitemap(s, segments), want, address)
	}
}

func FuzzSpell(f *testing.F) {
	f.Add("https://a.test/x/?p=1#y", "https://a.test/")
	f.Add("http://a.test:80/%e6%97/page/2/feed", "https://[::1]/")
	f.Fuzz(func(t *testing.T, a, b string) {
		s, err := spell(a)
		home, err2 := spell(b)
		if err != nil || err2 != nil {
			return
		}
		expect.Equal(t, s.like(&s, func(string) bool { return true }), same, a, "is not the same as itself")
		s.below(&home)
		s.cutView()
	})
}
