package permalink

import (
	"math"
	"strings"
	"testing"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest/expect"
)

func TestHomeURL(t *testing.T) {
	for _, c := range []struct{ rule, home, structure, want string }{
		{"root of the host, slash whatever the structure", "https://x.test", "/%postname%", "https://x.test/"},
		{"root of the host, plain", "https://x.test/", "", "https://x.test/"},
		{"port", "http://x.test:8080", "", "http://x.test:8080/"},
		{"sub-directory, slash", "https://x.test/sub", "/%postname%/", "https://x.test/sub/"},
		{"sub-directory, no slash", "https://x.test/sub/", "/%postname%", "https://x.test/sub"},
		{"sub-directory, plain", "https://x.test/sub", "", "https://x.test/sub"},
	} {
		expect.Equal(t, New(Settings{Home: c.home, Structure: c.structure}).HomeURL(), c.want, c.rule)
	}
}

func TestSitemap(t *testing.T) {
	for structure, want := range map[string]string{
		"":                           "/post-sitemap.xml",
		"/blog/%postname%/":          "/post-sitemap.xml",
		"/index.php/blog/%postname%": "/index.php/post-sitemap.xml",
		"index.php/%postname%":       "/index.php/post-sitemap.xml",
		"/indexes/%postname%":        "/post-sitemap.xml",
		"/index.php":                 "/index.php/post-sitemap.xml",
		"/index-php/%postname%":      "/index.php/post-sitemap.xml", // as core's pattern has it
		"/index\nphp/%postname%":     "/post-sitemap.xml",
		"/inde.php/%postname%":       "/post-sitemap.xml",
	} {
		expect.Equal(t, site(structure).Sitemap("post-sitemap.xml"), home+want, structure)
	}
}

func TestStructure(t *testing.T) {
	for _, c := range []struct {
		structure, front string
		pretty           bool
	}{
		{"", "", false},
		{"0", "", false},
		{"/%postname%/", "/", true},
		{"/blog/%postname%/", "/blog/", true},
		{"/index.php/%year%", "/index.php/", true},
		{"%postname%", "", true},
		{"/fixed", "", true},
	} {
		b := site(c.structure)
		if b.Front() != c.front || b.Pretty() != c.pretty {
			t.Errorf("%q: front %q, pretty %v", c.structure, b.Front(), b.Pretty())
		}
	}
	b := site("/%author%/%postname%")
	if !b.Needs("author") || b.Needs("category") {
		t.Error("Needs does not tell the tokens of the structure")
	}
}

func TestPart(t *testing.T) {
	for _, c := range []struct {
		rule, structure, link string
		n                     int
		front                 bool
		status, want          string
	}{
		{"first part", "/%postname%/", "/a/", 1, false, "publish", "/a/"},
		{"pretty", "/%postname%/", "/a/", 2, false, "publish", "/a/2/"},
		{"no slash", "/%postname%", "/a", 12, false, "publish", "/a/12"},
		{"static front page", "/%postname%/", "/", 2, true, "publish", "/page/2/"},
		{"static front page, no slash", "/%postname%", "/", 2, true, "publish", "/page/2"},
		{"plain", "", "/?p=5", 2, false, "publish", "/?p=5&page=2"},
		{"plain static front page", "", "/", 2, true, "publish", "/?page=2"},
		{"draft", "/%postname%/", "/?p=5", 2, false, "draft", "/?p=5&page=2"},
		{"pending", "/%postname%/", "/?p=5", 2, false, "pending", "/?p=5&page=2"},
		{"the query there is encoded anew", "", "/?docs=a/%e6b c", 3, false, "publish", "/?docs=a%2F%E6b+c&page=3"},
		{"the page of the link is replaced", "", "/?page=7&docs=a&page=8", 2, false, "publish", "/?page=2&docs=a"},
		{"a key without a value", "", "/?docs", 2, false, "publish", "/?docs&page=2"},
	} {
		expect.Equal(t, site(c.structure).Part(home+c.link, c.n, c.front, c.status), home+c.want, c.rule)
	}
}

func FuzzLinks(f *testing.F) {
	f.Add("https://x.test/sub", "/%category%/%postname%/", "slug", "2024-05-01 10:20:30", "publish", "a/%book%", int64(3))
	f.Add("", "index.php", "%", "--::  ", "trash", "%%", int64(-1))
	f.Add(`http:\\`, `%postname%year%\/`, "0", "", "inherit", "%year%/%x", int64(0))
	f.Fuzz(func(t *testing.T, home, structure, name, date, status, slug string, id int64) {
		b := New(Settings{Home: home, Structure: structure, CategoryBase: slug, TagBase: name, ShowOnFront: "page", PageOnFront: 1})
		own := &registry.PostType{Name: "book", Viewable: true, Rewrite: true, Slug: slug, HasArchive: true, Hierarchical: id%3 == 0, QueryVar: name}
		links := []string{b.Author(id, name), b.Sitemap(name), b.HomeURL(), b.Archive(own, name)}
		for _, typ := range []*registry.PostType{postType, pageType, own, fileType, nil} {
			p := Post{ID: id, Type: typ, Status: status, Name: name, Date: date, Path: slug, Terms: map[string]string{name: date}}
			file := Post{ID: 2, Type: fileType, Status: "inherit", Name: name, ParentID: id, Parent: &p}
			p.ParentID, p.Parent = 2, &file // parents of each other
			links = append(links, b.Post(p), b.Post(file))
		}
		for _, n := range []string{"category", "post_tag", "genre"} {
			links = append(links, b.Term(&registry.Taxonomy{Name: n, Rewrite: id%2 == 0, RewriteHierarchical: true, Slug: slug}, id, name, date))
		}
		for _, link := range links {
			b.Part(link, int(id), id%2 == 0, status)
			if !strings.HasPrefix(link, b.home) {
				t.Errorf("%q does not start with home %q", link, b.home)
			}
		}
	})
}

func TestDateArchives(t *testing.T) {
	for structure, want := range map[string][2]string{
		"":                                    {"https://a.test/?m=2024", "https://a.test/?m=202403"},
		"/%postname%/":                        {"https://a.test/2024/", "https://a.test/2024/03/"},
		"/blog/%postname%":                    {"https://a.test/blog/2024", "https://a.test/blog/2024/03"},
		"/index.php/%year%/%postname%/":       {"https://a.test/index.php/2024/", "https://a.test/index.php/2024/03/"},
		"/archives/%post_id%":                 {"https://a.test/archives/date/2024", "https://a.test/archives/date/2024/03"},
		"/%category%/%author%/%post_id%/":     {"https://a.test/date/2024/", "https://a.test/date/2024/03/"},
		"/%day%/%monthnum%/%year%/%post_id%/": {"https://a.test/2024/", "https://a.test/03/2024/"},
		"/%monthnum%/%day%/%year%/":           {"https://a.test/2024/", "https://a.test/03/2024/"},
		"/%year%/%monthnum%/%day%/%monthnum%/%year%/%postname%/": {"https://a.test/2024/", "https://a.test/2024/03/"}, // the first order counts
	} {
		b := New(Settings{Home: "https://a.test", Structure: structure})
		expect.Equal(t, [2]string{b.Date(2024, 0), b.Date(2024, 3)}, want, structure)
		expect.Equal(t, b.Date(2024, 1), strings.Replace(want[1], "03", "01", 1), structure)
	}
}

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		rule, structure, path string
		names                 string
		ids                   []int64
		named                 bool
	}{
		{"a name", "/%postname%/", "hello", "hello hello", nil, true},
		{"a name with an extension", "/%year%/%postname%.html", "hello.html", "hello.html hello", nil, true},
		{"a name with something before it", "/read-%postname%/", "read-hello", "read-hello read-hello", nil, false},
		{"an id beside the name", "/%postname%-%post_id%", "2024/hello-17", "2024 2024 hello-17 hello-17", []int64{2024, 17}, true},
		{"an id beyond all", "/archives/%post_id%", "99999999999999999999", "99999999999999999999 99999999999999999999", []int64{math.MaxInt64}, true},
		{"a date alone", "/%year%/%monthnum%/%day%/%hour%%minute%%second%", "102030", "102030 102030", nil, false},
	} {
		names, ids := site(c.structure).Named(strings.Split(c.path, "/"))
		expect.Equal(t, strings.Join(names, " "), c.names, c.rule)
		expect.List(t, ids, c.ids, c.rule)
		expect.Equal(t, site(c.structure).NamesPosts(), c.named, c.rule)
	}
}
