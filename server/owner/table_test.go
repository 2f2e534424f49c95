package owner

import (
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/weburl"
	"wpsitemapd/wp/wptest/expect"
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
	expect.Same(t, []string{"unknown"}, names(routes.Opening))
	for _, test := range []struct {
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
	} {
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

// What hosts lead to by the configuration and by the homes of the blogs.
func TestHosts(t *testing.T) {
	copied := func(name, host string) *site.Site {
		return testSite(config.Site{Name: name, Hosts: []config.Host{config.Host(host)}}, opened(testBlog("https://a.test")))
	}
	read := func(name, home string) *site.Site { return testSite(config.Site{Name: name}, opened(testBlog(home))) }
	with := func(hosts []config.Host, blogs ...*site.Blog) []*site.Site {
		return []*site.Site{testSite(config.Site{Name: "a", Hosts: hosts}, opened(blogs...))}
	}
	for _, test := range []struct {
		rule  string
		sites []*site.Site
		want  map[string]string // by host: the site, and the home of its blog at /
	}{
		{"a single blog serves every host, as WordPress does", with(nil, testBlog("https://a.test")), map[string]string{"other.test": "a https://a.test"}},
		{"not when hosts are configured", with([]config.Host{"a.test"}, testBlog("https://a.test")), map[string]string{"other.test": "a "}},
		{"nor do several blogs", with(nil, testBlog("https://a.test"), testBlog("https://b.test")), map[string]string{"other.test": "a "}},
		{"nor a network of one blog", with(nil, inNetwork(testBlog("https://a.test"))), map[string]string{"other.test": "a "}},
		{"before the database is read the site is known", []*site.Site{testSite(config.Site{Name: "a"}, &site.Snapshot{})}, map[string]string{"other.test": "a "}},

		{"hosts replace those of the database, but for that of home, whose URLs the sitemaps list",
			with([]config.Host{"x.test", "y.test"}, testBlog("https://a.test")),
			map[string]string{"x.test": "a https://a.test", "y.test": "a https://a.test", "a.test": "a https://a.test", "b.test": "a "}},
		{"hosts are shared by a network in folders", with([]config.Host{"x.test"}, testBlog("https://a.test/b"), testBlog("https://a.test")),
			map[string]string{"x.test": "a https://a.test", "a.test": "a https://a.test", "b.test": "a "}},
		{"hosts limit a network on several hosts", with([]config.Host{"b.test"}, testBlog("https://a.test"), testBlog("https://b.test")),
			map[string]string{"a.test": "a ", "b.test": "a https://b.test"}},

		// A copy whose hosts are set has the original's home in its database.
		{"a copy is served at the original's home where nobody else is there", []*site.Site{copied("copy", "copy.test"), read("b", "https://b.test")},
			map[string]string{"a.test": "copy https://a.test"}},
		{"not beside the original", []*site.Site{copied("copy", "copy.test"), read("a", "https://a.test")}, map[string]string{"a.test": "a https://a.test"}},
		{"nor beside another copy", []*site.Site{copied("copy", "copy.test"), copied("c", "c.test")}, map[string]string{"a.test": " "}},
		{"nor while a site was not tried", []*site.Site{copied("copy", "copy.test"), testSite(config.Site{Name: "a"}, &site.Snapshot{})},
			map[string]string{"a.test": " "}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			for i, s := range test.sites {
				s.Rank, s.Began = uint64(i), time.Now()
			}
			routes, _ := testTable(test.sites...)
			for host, want := range test.want {
				at, _ := routes.Find(host, "/")
				name, home := "", ""
				if at.Site != nil {
					name = at.Site.Config.Name
				}
				if at.Blog != nil {
					home = at.Blog.Home
				}
				expect.Equal(t, name+" "+home, want, host)
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
