package owner

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
	"wpsitemapd/wp/wptest/expect"
)

// testTable returns the table of sites whose databases were read. A site whose blogs are nil was not read yet.
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
	host, _ := weburl.Split(home)
	if hosts == nil {
		hosts = []string{host}
	}
	return site.Remembered(site.Blog{Home: home, Hosts: hosts}, catalog.Outline{}, time.Time{})
}

func inNetwork(b *site.Blog) *site.Blog { b.Network = true; return b }

func opened(blogs ...*site.Blog) *site.Snapshot { return &site.Snapshot{Opened: true, Blogs: blogs} }

func TestRoutesFind(t *testing.T) {
	network := testSite(config.Site{Name: "network"}, opened(testBlog("https://net.test"),
		testBlog("https://net.test/fish"), testBlog("https://net.test/fish/cod"), testBlog("https://own.test:8443")))
	network.Snapshot().Gone = []wp.BlogRow{{Domain: "net.test", Path: "/old/"}}
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

// Which site and blog a host leads to, by the configuration and by the homes of the blogs.
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
		{"before the database is read the site is known", []*site.Site{testSite(config.Site{Name: "a"}, &site.Snapshot{})},
			map[string]string{"other.test": "a "}},

		{"one site has all of a host, although the configuration names a path of it for it", []*site.Site{
			testSite(config.Site{Name: "a", Home: "https://a.test/blog"}, opened(testBlog("https://a.test"))), read("b", "https://b.test")},
			map[string]string{"a.test": "a https://a.test"}},

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
		{"not beside the original", []*site.Site{copied("copy", "copy.test"), read("a", "https://a.test")},
			map[string]string{"a.test": "a https://a.test"}},
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

// A host belongs to one site. Another site gets no path of it by its database, whatever the configuration says of the owner. It
// gets only a path that the configuration gives to it.
func TestPathsOfAnotherSite(t *testing.T) {
	const host = "https://victim.test"
	hosts := func(of *site.Site) { of.Config.Hosts = []config.Host{"victim.test"} }
	for _, owner := range []struct {
		rule string
		set  func(victim *site.Site)
	}{
		{"its database alone", func(*site.Site) {}},
		{"its hosts", hosts},
		{"its home", func(s *site.Site) { s.Config.Home = host }},
	} {
		for _, claim := range []struct {
			rule string
			now  *site.Snapshot
		}{
			{"a path of WordPress", opened(testBlog(host + "/wp-admin"))},
			{"a sitemap", opened(testBlog(host + "/sitemap_index.xml"))},
			{"robots.txt", opened(testBlog(host + "/robots.txt"))},
			{"an escaped path", opened(testBlog(host + "/%77p-login.php"))},
			{"with www", opened(testBlog("https://www.victim.test/wp-admin"))},
			{"blogs of a network", opened(inNetwork(testBlog("https://mallory.test")), inNetwork(testBlog(host+"/wp-admin")), inNetwork(testBlog(host+"/x")))},
			{"another host of a blog", opened(testBlog("https://mallory.test/wp-admin", "mallory.test", "victim.test"))},
			{"blogs that are gone", &site.Snapshot{Opened: true, Gone: []wp.BlogRow{{Domain: "victim.test", Path: "/wp-admin/"}}}},
		} {
			t.Run(owner.rule+"/"+claim.rule, func(t *testing.T) {
				victim := testSite(config.Site{Name: "victim"}, opened(testBlog(host)))
				mallory := testSite(config.Site{Name: "mallory", WPConfig: "/www/mallory/wp-config.php", Within: "/www"}, claim.now)
				owner.set(victim)
				var log strings.Builder
				o := New(slog.New(slog.NewTextHandler(&log, nil)))
				o.Table([]*site.Site{victim}, begin)
				table := o.Table([]*site.Site{mallory, victim}, begin)
				for _, path := range []string{"/", "/wp-admin/x", "/sitemap_index.xml", "/robots.txt", "/wp-login.php", "/%77p-login.php", "/x"} {
					if at, _ := table.Find("victim.test", path); at.Site != victim || at.Gone || at.Blog == nil {
						t.Errorf("%s leads to %v", path, at.Site)
					}
				}
				if at, _ := table.Find("www.victim.test", "/wp-admin"); at.Site == mallory {
					t.Error("www.victim.test leads to mallory")
				}
				if _, n, displaced := o.Summary("mallory"); claim.now.Blogs != nil && (n == 0 || !displaced) {
					t.Errorf("no alarm: %s", &log)
				}
				if _, _, displaced := o.Summary("victim"); displaced {
					t.Error("the victim has lost a host")
				}
			})
		}
	}

	shop := testSite(config.Site{Name: "shop", Home: host + "/shop"}, opened(testBlog(host+"/shop")))
	other := testSite(config.Site{Name: "other", Home: host + "/Shop/x"}, opened(testBlog(host+"/shop/x")))
	victim := testSite(config.Site{Name: "victim"}, opened(testBlog(host)))
	want := func(what string, table *route.Table, places map[string]*site.Site) {
		t.Helper()
		for path, s := range places {
			if at, _ := table.Find("victim.test", path); at.Site != s {
				t.Errorf("%s: %s leads to %v", what, path, at.Site)
			}
		}
	}
	o := New(slog.New(slog.DiscardHandler))
	o.Table([]*site.Site{victim}, begin)
	shared := map[string]*site.Site{"/": victim, "/blog": victim, "/shop": shop, "/shop/y": shop, "/shop/x": other, "/shop/x/y": other}
	want("shared with the owner", o.Table([]*site.Site{victim, shop, other}, begin), shared)
	if text, n, displaced := o.Summary("victim"); n == 0 || displaced || !strings.Contains(text, `write hosts = ["victim.test"] in [[site]] victim`) {
		t.Error(text, n, displaced)
	}
	want("the configuration knows no owner of the rest", New(o.log).Table([]*site.Site{victim, shop, other}, begin),
		map[string]*site.Site{"/shop": shop, "/shop/x": other})
	victim.Publish(opened(testBlog(host), testBlog(host+"/shop/y")))
	shop.Publish(opened(testBlog(host+"/shop"), testBlog(host+"/blog")))
	hosts(victim)
	want("shared by the configuration", New(o.log).Table([]*site.Site{victim, shop, other}, begin), shared)
}
