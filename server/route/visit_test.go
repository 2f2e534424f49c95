package route

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// listing returns a site with a blog that lists posts at https://a.test/blog. change may be nil or change the blog.
func listing(c config.Site, change func(*site.Blog, *catalog.Outline)) (*site.Site, *site.Blog) {
	c.Name = "a"
	s := site.New(c, slog.New(slog.DiscardHandler))
	known := site.Blog{ID: 1, Home: "https://a.test/blog", Hosts: []string{"a.test"}, Plugin: &yoast.Plugin}
	outline := catalog.Outline{
		Active: true, Main: true, Owned: []string{seo.IndexName, "post", "posts"}, Base: seo.Base{Home: "https://a.test/blog", Front: "https://a.test/blog/", Pretty: true}, Asked: map[string]string{"posts": "post"},
		Files: []catalog.File{{Name: "post", Page: 1, Entries: 1}, {Name: "post", Page: 2, Entries: 1}},
	}
	if change != nil {
		change(&known, &outline)
	}
	b := site.Remembered(known, outline, s.Began)
	s.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{b}})
	return s, b
}

func target(s *site.Site, b *site.Blog, uri string) *Target {
	table := NewTable(map[string][]Mount{"a.test": {{Site: s, Path: "blog", Key: b.Key()}}}, nil, nil, nil)
	return table.Target(httptest.NewRequest("GET", "https://a.test"+uri, nil))
}

// The key file is in the home of the blog, as IndexNow asks for, also before the blog was read. Letter case of folders does not matter.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	s, b := listing(config.Site{IndexNow: config.IndexNow{Key: "0123456789"}}, nil)
	for uri, want := range map[string]seo.ResourceKind{
		"/blog/0123456789.txt": KeyFile, "/BLOG/0123456789.txt": KeyFile, "/blog/0123456789.txt?x": KeyFile, "/0123456789.txt": Upstream,
		"/blog/x/0123456789.txt": Upstream, "/blog/0123456789.TXT": Upstream, "/blog/0123456789": Upstream, "/blog/other.txt": Upstream, "/blog/": Upstream,
	} {
		expect.Equal(t, target(s, b, uri).Kind, want, uri)
	}
	unread := site.Unread(site.Blog{ID: 1, Home: "https://a.test/blog"}, nil)
	s.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{unread}})
	expect.Equal(t, target(s, unread, "/blog/0123456789.txt").Kind, KeyFile, "before the blog was read")
	expect.Equal(t, target(s, unread, "/blog/post-sitemap.xml").Kind, Upstream, "before the blog was read")
	none, b := listing(config.Site{}, nil)
	expect.Equal(t, target(none, b, "/blog/.txt").Kind, Upstream, "without a key")
}

// The main blog of a network has the index of the network, unless a type of the blog has this name. Page 1 has no number.
func TestNetworkPage(t *testing.T) {
	t.Parallel()
	network := func(b *site.Blog, _ *catalog.Outline) { b.Network = true }
	for _, tt := range []struct {
		rule   string
		config config.Site
		change func(*site.Blog, *catalog.Outline)
		uri    string
		page   int // 0: not the index of the network
	}{
		{"page 1", config.Site{NetworkIndex: true}, network, "/blog/network-sitemap.xml", 1},
		{"page 2", config.Site{NetworkIndex: true}, network, "/blog/network-sitemap2.xml", 2},
		{"page 10", config.Site{NetworkIndex: true}, network, "/blog/network-sitemap10.xml", 10},
		{"a number that page 1 does not have", config.Site{NetworkIndex: true}, network, "/blog/network-sitemap1.xml", 0},
		{"page 0", config.Site{NetworkIndex: true}, network, "/blog/network-sitemap0.xml", 0},
		{"another address", config.Site{NetworkIndex: true}, network, "/blog/x/network-sitemap.xml", 0},
		{"switched off", config.Site{}, network, "/blog/network-sitemap.xml", 0},
		{"no network", config.Site{NetworkIndex: true}, nil, "/blog/network-sitemap.xml", 0},
		{"another blog", config.Site{NetworkIndex: true}, func(b *site.Blog, o *catalog.Outline) { b.Network, o.Main = true, false }, "/blog/network-sitemap.xml", 0},
		{"a type of this name", config.Site{NetworkIndex: true}, func(b *site.Blog, o *catalog.Outline) {
			b.Network, o.Owned = true, []string{"network"}
		}, "/blog/network-sitemap.xml", 0},
	} {
		s, b := listing(tt.config, tt.change)
		to := target(s, b, tt.uri)
		expect.Equal(t, to.Kind == Network, tt.page > 0, tt.rule)
		if tt.page > 0 {
			expect.Equal(t, to.Page, tt.page, tt.rule)
		}
	}
}

// What an address means depends on what the blog lists. A sitemap that is not the blog's leads to the plugin's redirect or to the site.
func TestMeaningOfAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, uri string
		change    func(*site.Blog, *catalog.Outline)
		want      Resource
	}{
		{"a sitemap", "/blog/post-sitemap.xml", nil, Resource{Kind: Sitemap, Name: "post", Page: 1}},
		{"a page that it does not have", "/blog/post-sitemap7.xml", nil, Resource{Kind: Sitemap, Name: "post", Page: 7}},
		{"the index has one page", "/blog/?sitemap=1&sitemap_n=3", nil, Resource{Kind: Sitemap, Name: seo.IndexName, Page: 1, ByQuery: true}},
		{"a name that only a query may have", "/blog/?sitemap=posts", nil, Resource{Kind: Sitemap, Name: "post", Page: 1, ByQuery: true}},
		{"a sitemap of another program", "/blog/shop-sitemap.xml", nil, Resource{}},
		{"a stylesheet", "/blog/main-sitemap.xsl", nil, Resource{Kind: XSL, Name: "main"}},
		{"no sitemaps", "/blog/post-sitemap.xml", func(_ *site.Blog, o *catalog.Outline) { o.Active = false }, Resource{}},
	} {
		s, b := listing(config.Site{}, tt.change)
		if tt.want.ByQuery && tt.want.Name == "post" {
			expect.Equal(t, target(s, b, tt.uri).Asked, "posts", tt.rule, "asked")
			tt.want.Name = target(s, b, tt.uri).Name
		}
		expect.Equal(t, target(s, b, tt.uri).Resource, tt.want, tt.rule)
	}
}

// The header of a listed sitemap is made once for each catalog. The header of any other address is made for each request.
func TestHeaderIsMadeOnce(t *testing.T) {
	t.Parallel()
	s, b := listing(config.Site{}, nil)
	table := NewTable(map[string][]Mount{"a.test": {{Site: s, Path: "blog", Key: b.Key()}}}, nil, nil, nil)
	made := 0
	header := func(uri string) {
		table.Target(httptest.NewRequest("GET", "https://a.test"+uri, nil)).Header(func() http.Header { made++; return http.Header{} })
	}
	for range 3 {
		header("/blog/post-sitemap.xml")
	}
	expect.Equal(t, made, 1)
	header("/blog/post-sitemap.xml?a=1")
	header("/blog/post-sitemap.xml?a=1")
	expect.Equal(t, made, 3, "with a query")
	later := *b
	later.Generation++
	s.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{&later}})
	header("/blog/post-sitemap.xml")
	expect.Equal(t, made, 4, "of another catalog")
}

// The address is what the client has sent, also if a proxy sends a whole URL.
func TestURI(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{"/a//b/?c=%20": "/a//b/?c=%20", "http://a.test/a?b": "/a?b", "http://a.test": "/", "*": "*"} {
		r := httptest.NewRequest("GET", "http://a.test/", nil)
		if sent != "*" {
			r = httptest.NewRequest("GET", sent, nil)
		} else {
			r.URL.Path, r.URL.Opaque = "", "*"
		}
		r.RequestURI = sent
		expect.Equal(t, URI(r), want, sent)
	}
}

// A host that no site has leads to the same host with or without www. The request is moved if the home has another host.
func TestFindOtherHosts(t *testing.T) {
	t.Parallel()
	s, b := listing(config.Site{}, nil)
	mounts := map[string][]Mount{"a.test": {{Site: s, Path: "blog", Key: b.Key()}}, "b.test": {{Site: s, Path: "blog"}}}
	for _, fallback := range []*site.Site{nil, s} {
		table := NewTable(mounts, nil, fallback, nil)
		for _, tt := range []struct {
			host           string
			moved, unnamed bool
		}{{"a.test", false, false}, {"www.a.test", true, fallback != nil}, {"www.b.test", false, fallback != nil}} {
			at, rest := table.Find(tt.host, "/blog/x")
			expect.Equal(t, fmt.Sprint(at.Site == s, at.Moved, at.Unnamed, rest), fmt.Sprint(true, tt.moved, tt.unnamed, "x"), tt.host, fallback != nil)
		}
		at, _ := table.Find("www.a.test", "/elsewhere/")
		expect.Equal(t, at.Site, fallback, "outside of its home")
	}
	only := NewTable(mounts, &Mount{Site: s, Path: "blog", Key: b.Key()}, s, nil)
	at, rest := only.Find("any.test", "/blog/x/")
	expect.Equal(t, fmt.Sprint(at.Blog == b, rest, at.Unnamed), "truexfalse", "the only site serves every host")
	home, _ := listing(config.Site{}, func(b *site.Blog, _ *catalog.Outline) { b.Home = "https://www.a.test" })
	www := NewTable(map[string][]Mount{"a.test": {{Site: home, Key: home.Snapshot().Blogs[0].Key()}}}, nil, nil, nil)
	at, _ = www.Find("www.a.test", "/")
	expect.Equal(t, at.Moved, false, "the home has this host")
}

// Of several mounts with one home the first is served. Outside of all homes, the mount with the shortest path says which site it is.
func TestPlacesOfHost(t *testing.T) {
	t.Parallel()
	one, two := site.New(config.Site{Name: "one"}, nil), site.New(config.Site{Name: "two"}, nil)
	table := NewTable(map[string][]Mount{
		"a.test": {{Site: one, Path: "x/y"}, {Site: two, Path: "x"}, {Site: one, Path: "x"}}, "b.test": {{Site: one, Path: "long"}, {Site: two, Path: "x"}},
	}, nil, nil, nil)
	for _, tt := range []struct {
		host, path string
		want       *site.Site
	}{
		{"a.test", "/x/z", two}, {"a.test", "/x/y/z", one}, {"a.test", "/x/y", one}, {"a.test", "/X/Y/", one}, {"b.test", "/elsewhere", two}, {"b.test", "/long/a/b/c", one},
	} {
		at, _ := table.Find(tt.host, tt.path)
		expect.Equal(t, at.Site, tt.want, tt.host, tt.path)
	}
}

// A message names at most ten of the hosts, in order.
func TestSomeHosts(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "", 1: "; it has h00.test", 2: "; it has h00.test, h01.test",
		10: "; it has h00.test, h01.test, h02.test, h03.test, h04.test, h05.test, h06.test, h07.test, h08.test, h09.test",
		12: "; it has h00.test, h01.test, h02.test, h03.test, h04.test, h05.test, h06.test, h07.test, h08.test, h09.test and 2 more",
	} {
		hosts := map[string][]Mount{}
		for i := range n {
			hosts[fmt.Sprintf("h%02d.test", i)] = nil
		}
		expect.Equal(t, NewTable(hosts, nil, nil, nil).SomeHosts(), want, n)
	}
}

// Sites without a known host may have any host. If there are none, the other sites that are still being opened may have more hosts.
func TestUnplacedSites(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	named, unnamed := site.New(config.Site{Name: "a", Hosts: []config.Host{"a.test"}}, log), site.New(config.Site{Name: "b"}, log)
	unplaced := func(opening ...*site.Site) []*site.Site { return NewTable(nil, nil, nil, opening).Unplaced() }
	expect.List(t, unplaced(named, unnamed), []*site.Site{unnamed})
	expect.List(t, unplaced(named), []*site.Site{named})
	expect.List(t, unplaced(), nil)
}

// Requests go to an upstream only if all sites that may be meant have the same.
func TestShareUpstream(t *testing.T) {
	t.Parallel()
	with := func(address string) *site.Site {
		s := site.New(config.Site{}, slog.New(slog.DiscardHandler))
		if address != "" {
			wptest.Must(t, s.Config.Upstream.UnmarshalText([]byte(address)))
			s.Upstream = new(proxy.Proxy)
		}
		return s
	}
	one, same, other, none := with("http://127.0.0.1:1"), with("http://127.0.0.1:1"), with("http://127.0.0.1:2"), with("")
	for _, tt := range []struct {
		sites []*site.Site
		want  bool
	}{
		{nil, false}, {[]*site.Site{one}, true}, {[]*site.Site{one, same}, true}, {[]*site.Site{one, other}, false}, {[]*site.Site{one, none}, false},
		{[]*site.Site{none}, false}, {[]*site.Site{none, none}, false},
	} {
		expect.Equal(t, ShareUpstream(tt.sites), tt.want, len(tt.sites))
	}
}

// A sitemap has an HTML view if the blog answers for it.
func TestOwnHTML(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, loc string
		config    config.Site
		change    func(*site.Blog, *catalog.Outline)
		want      string
	}{
		{"its own", "https://a.test/blog/post-sitemap2.xml", config.Site{HTML: true}, nil, "https://a.test/blog/post-sitemap2.html"},
		{"the index", "https://a.test/blog/sitemap_index.xml", config.Site{HTML: true}, nil, "https://a.test/blog/sitemap_index.html"},
		{"of the site itself", "https://a.test/blog/shop-sitemap.xml", config.Site{HTML: true}, nil, ""},
		{"outside of its home", "https://a.test/post-sitemap.xml", config.Site{HTML: true}, nil, ""},
		{"no sitemap", "https://a.test/blog/about.xml", config.Site{HTML: true}, nil, ""},
		{"switched off", "https://a.test/blog/post-sitemap.xml", config.Site{}, nil, ""},
	} {
		s, b := listing(tt.config, tt.change)
		expect.Equal(t, Visit{Mount{Site: s}, b}.OwnHTML(tt.loc), tt.want, tt.rule)
	}
	s, b := listing(config.Site{HTML: true}, nil)
	v := Visit{Mount{Site: s}, b}
	expect.Equal(t, v.HTMLOf("post", 2), "https://a.test/blog/post-sitemap2.html")
	expect.Equal(t, v.Scheme().htmlAt("https://a.test/sitemap.xml"), "", "many sites have a page /sitemap.html")
	expect.Equal(t, v.Scheme().htmlAt("https://a.test/?sitemap=post"), "", "a query has no view")
	plain := v.Scheme()
	plain.Plain = true
	expect.Equal(t, plain.htmlAt("https://a.test/post-sitemap.xml"), "https://a.test/post-sitemap.html/")
}
