package owner

import (
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/route"

	"wpsitemapd/server/site"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/weburl"

	"github.com/google/go-cmp/cmp"
)

// testTable makes routes of sites as their databases were read; a home without database
// yet is one whose blogs are nil.
func testTable(sites ...*site.Site) (*route.Table, int) {
	o := New(slog.New(slog.DiscardHandler))
	return o.Table(sites, time.Now()), len(o.last.conflicts)
}

func testSite(install config.Site, now *site.Snapshot) *site.Site {
	s := site.New(install, slog.New(slog.DiscardHandler))
	s.Publish(now)
	return s
}

func testBlog(home string, hosts ...string) *site.Blog {
	host, path := weburl.Split(home)
	if hosts == nil {
		hosts = []string{host}
	}
	return &site.Blog{Facts: site.Facts{Home: home, Hosts: hosts}, Address: site.Address{Path: path}, Catalog: fakeCatalog{}}
}

// fakeCatalog is there, and never called.
type fakeCatalog struct{ site.Catalog }

func inNetwork(b *site.Blog) *site.Blog { b.Network = true; return b }

func opened(blogs ...*site.Blog) *site.Snapshot { return &site.Snapshot{Opened: true, Blogs: blogs} }

func TestRoutesFind(t *testing.T) {
	network := testSite(config.Site{Name: "network"}, opened(testBlog("https://net.test"),
		testBlog("https://net.test/fish"), testBlog("https://net.test/fish/cod"), testBlog("https://own.test:8443")))
	network.Snapshot().Gone = []site.Gone{{Host: "net.test", Path: "old"}}
	single := testSite(config.Site{Name: "single", Hosts: []config.Host{"single.test", "alias.test"}}, opened(testBlog("https://single.test/blog")))
	opening := testSite(config.Site{Name: "opening", Home: "https://opening.test/a"}, &site.Snapshot{})
	unknown := testSite(config.Site{Name: "unknown"}, &site.Snapshot{})
	routes, conflicts := testTable(network, single, opening, unknown)
	if conflicts > 0 {
		t.Errorf("%d conflicts", conflicts)
	}
	if diff := cmp.Diff([]string{"unknown"}, names(routes.Opening)); diff != "" {
		t.Error(diff)
	}
	tests := []struct {
		rule, host, path string
		site, home, rest string
		gone             bool
	}{
		{"the blog at the root", "net.test", "/post-sitemap.xml", "network", "https://net.test", "post-sitemap.xml", false},
		{"a blog in a folder", "net.test", "/fish/post-sitemap.xml", "network", "https://net.test/fish", "post-sitemap.xml", false},
		{"the longest folder", "net.test", "/fish/cod/post-sitemap.xml", "network", "https://net.test/fish/cod", "post-sitemap.xml", false},
		{"a folder in another letter case", "net.test", "/FISH/x", "network", "https://net.test/fish", "x", false},
		{"a folder with a longer name", "net.test", "/fishes/x", "network", "https://net.test", "fishes/x", false},
		{"a blog that is gone", "net.test", "/old/post-sitemap.xml", "network", "", "post-sitemap.xml", true},
		{"a blog on its own host", "own.test", "/", "network", "https://own.test:8443", "", false},
		{"hosts of the configuration", "alias.test", "/blog/x", "single", "https://single.test/blog", "x", false},
		{"outside the folder of home the host still names the site", "alias.test", "/x", "single", "", "", false},
		{"a site not read yet, by its home", "opening.test", "/a/x", "opening", "", "x", false},
		{"an unknown host", "other.test", "/x", "", "", "", false},
		{"no host", "", "/x", "", "", "", false},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			at, rest := routes.Find(test.host, test.path)
			site, home := "", ""
			if at.Site != nil {
				site = at.Site.Config.Name
			}
			if at.Blog != nil {
				home = at.Blog.Home
			}
			if site != test.site || home != test.home || rest != test.rest || at.Gone != test.gone {
				t.Errorf("site %q, home %q, rest %q, gone %v", site, home, rest, at.Gone)
			}
		})
	}
}

func names(sites []*site.Site) []string {
	var names []string
	for _, w := range sites {
		names = append(names, w.Config.Name)
	}
	return names
}

func TestRoutesOfOneSite(t *testing.T) {
	tests := []struct {
		rule string
		s    *site.Site
		home string // of the blog that an unknown host is for
	}{
		{"a single blog serves every host, as WordPress does", testSite(config.Site{Name: "a"}, opened(testBlog("https://a.test"))), "https://a.test"},
		{"not when hosts are configured", testSite(config.Site{Name: "a", Hosts: []config.Host{"a.test"}}, opened(testBlog("https://a.test"))), ""},
		{"nor do several blogs", testSite(config.Site{Name: "a"}, opened(testBlog("https://a.test"), testBlog("https://b.test"))), ""},
		{"nor a network of one blog", testSite(config.Site{Name: "a"}, opened(inNetwork(testBlog("https://a.test")))), ""},
		{"before the database is read the site is known", testSite(config.Site{Name: "a"}, &site.Snapshot{}), ""},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			routes, _ := testTable(test.s)
			at, _ := routes.Find("other.test", "/x")
			home := ""
			if at.Blog != nil {
				home = at.Blog.Home
			}
			if at.Site != test.s || home != test.home {
				t.Errorf("site %v, home %q", at.Site, home)
			}
		})
	}
}

func TestHostsOfTheConfiguration(t *testing.T) {
	tests := []struct {
		rule  string
		hosts []config.Host
		blogs []*site.Blog
		want  map[string]string // host to home at /
	}{
		{"replace those of the database", []config.Host{"x.test", "y.test"}, []*site.Blog{testBlog("https://a.test")},
			map[string]string{"x.test": "https://a.test", "y.test": "https://a.test", "b.test": ""}},
		{"leave that of home, whose URLs the sitemaps list", []config.Host{"x.test"}, []*site.Blog{testBlog("https://a.test")},
			map[string]string{"x.test": "https://a.test", "a.test": "https://a.test", "b.test": ""}},
		{"are shared by a network in folders", []config.Host{"x.test"}, []*site.Blog{testBlog("https://a.test/b"), testBlog("https://a.test")},
			map[string]string{"x.test": "https://a.test", "a.test": "https://a.test", "b.test": ""}},
		{"limit a network on several hosts", []config.Host{"b.test"}, []*site.Blog{testBlog("https://a.test"), testBlog("https://b.test")},
			map[string]string{"a.test": "", "b.test": "https://b.test"}},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			routes, _ := testTable(testSite(config.Site{Name: "a", Hosts: test.hosts}, opened(test.blogs...)))
			for host, want := range test.want {
				at, _ := routes.Find(host, "/")
				home := ""
				if at.Blog != nil {
					home = at.Blog.Home
				}
				if home != want {
					t.Errorf("%s is %q, want %q", host, home, want)
				}
			}
		})
	}
}

// A copy whose hosts are set has the original's home in its database. It is served there only where nobody else may have the place.
func TestHomeOfACopy(t *testing.T) {
	copied := func() *site.Site {
		return testSite(config.Site{Name: "copy", Hosts: []config.Host{"copy.test"}}, opened(testBlog("https://a.test")))
	}
	tests := []struct {
		rule   string
		others []*site.Site
		want   string // site at a.test
	}{
		{"nobody else", nil, "copy"},
		{"another site is elsewhere", []*site.Site{testSite(config.Site{Name: "b"}, opened(testBlog("https://b.test")))}, "copy"},
		{"the original", []*site.Site{testSite(config.Site{Name: "a"}, opened(testBlog("https://a.test")))}, "a"},
		{"two copies", []*site.Site{testSite(config.Site{Name: "c", Hosts: []config.Host{"c.test"}}, opened(testBlog("https://a.test")))}, ""},
		{"a site that was not tried yet", []*site.Site{testSite(config.Site{Name: "a"}, &site.Snapshot{})}, ""},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			for i, s := range test.others {
				s.Rank, s.Began = uint64(i)+1, time.Now()
			}
			routes, _ := testTable(append([]*site.Site{copied()}, test.others...)...)
			at, _ := routes.Find("a.test", "/")
			name := ""
			if at.Blog != nil {
				name = at.Site.Config.Name
			}
			if name != test.want {
				t.Errorf("a.test is served by %q, want %q", name, test.want)
			}
		})
	}
}

func TestConflictOfOneFolder(t *testing.T) {
	first := testSite(config.Site{Name: "first"}, opened(testBlog("https://a.test/x")))
	second := testSite(config.Site{Name: "second"}, opened(testBlog("https://a.test/X"), testBlog("https://a.test/y")))
	routes, _ := testTable(first, second)
	if at, _ := routes.Find("a.test", "/x/a"); at.Contest == nil || len(at.Contest.Sites) != 2 {
		t.Errorf("/x/a is of %v", at.Site)
	}
	if at, _ := routes.Find("a.test", "/y/a"); at.Site != second {
		t.Errorf("/y/a is of %v", at.Site)
	}
}
