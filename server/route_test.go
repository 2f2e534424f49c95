package server

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/site"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/weburl"

	"github.com/google/go-cmp/cmp"
)

// The addresses a blog answers; what they do is yoast-sitemaps 2.1 to 2.3.
func TestAddressRoute(t *testing.T) {
	index := route{target: toSitemap, name: "1", page: 1}
	page := func(name string, n int) route { return route{target: toSitemap, name: name, page: n} }
	first := func(name string) route {
		return route{target: toRedirect, name: name, location: "/" + name + "-sitemap.xml"}
	}
	to := func(location string) route { return route{target: toRedirect, location: location} }
	xsl := func(name string) route { return route{target: toXSL, name: name} }
	upstream := route{}
	wp := route{target: toSitemap, name: "wp", page: 1} // nobody's as a rule

	pretty, folder, plain := address{}, address{path: "blog"}, address{plain: true}
	plainFolder := address{path: "blog", plain: true}
	tests := []struct {
		rule string
		at   address
		uri  string
		want route
	}{
		{"the index", pretty, "/sitemap_index.xml", index},
		{"a slash at the end", pretty, "/sitemap_index.xml/", index},
		{"several slashes around", pretty, "//sitemap_index.xml//", index},
		{"a query string is ignored", pretty, "/sitemap_index.xml?foo=bar&x=1", index},
		{"an empty query string", pretty, "/sitemap_index.xml?", index},
		{"upper case is another address", pretty, "/SITEMAP_INDEX.XML", upstream},
		{"type 1 is the index", pretty, "/1-sitemap.xml", index},
		{"an index has no number", pretty, "/sitemap_index2.xml", upstream},
		{"anchored at the end", pretty, "/sitemap_index.xml.gz", upstream},
		{"anchored at the beginning", pretty, "/my_sitemap_index.xml", upstream},

		{"a type", pretty, "/post-sitemap.xml", page("post", 1)},
		{"a type with a slash at the end", pretty, "/post-sitemap.xml/", page("post", 1)},
		{"a type with a query string", pretty, "/post-sitemap.xml?foo=bar", page("post", 1)},
		{"a page", pretty, "/post-sitemap2.xml", page("post", 2)},
		{"a page with two digits", pretty, "/post-sitemap10.xml", page("post", 10)},
		{"page 0 redirects", pretty, "/post-sitemap0.xml", first("post")},
		{"page 1 redirects", pretty, "/post-sitemap1.xml", first("post")},
		{"page 1 with a query string redirects", pretty, "/post-sitemap1.xml?x=1", first("post")},
		{"page 1 with a slash redirects", pretty, "/post-sitemap1.xml/", first("post")},
		{"01 is page 1", pretty, "/post-sitemap01.xml", page("post", 1)},
		{"00 is page 1", pretty, "/post-sitemap00.xml", page("post", 1)},
		{"007 is page 7", pretty, "/post-sitemap007.xml", page("post", 7)},
		{"a number beyond all bounds stays positive", pretty, "/post-sitemap99999999999999999999.xml", page("post", 1<<63-1)},
		{"a negative number is part of no address", pretty, "/post-sitemap-1.xml", upstream},
		{"a negative number of a type sitemap", pretty, "/post-sitemap-sitemap.xml", page("post-sitemap", 1)},
		{"the shortest type", pretty, "/a-sitemap-sitemap2.xml", page("a-sitemap", 2)},
		{"digits of a type are not its number", pretty, "/mp3-sitemap.xml", page("mp3", 1)},
		{"digits of a type and a number", pretty, "/mp3-sitemap2.xml", page("mp3", 2)},
		{"types keep their letter case", pretty, "/POST-sitemap.xml", page("POST", 1)},
		{"the rest is in lower case only", pretty, "/post-SITEMAP.xml", upstream},
		{"a hyphen in a type", pretty, "/x-post-sitemap.xml", page("x-post", 1)},
		{"an underscore in a type", pretty, "/post_tag-sitemap.xml", page("post_tag", 1)},
		{"no type", pretty, "/-sitemap.xml", upstream},
		{"a folder before", pretty, "/some/dir/post-sitemap.xml", upstream},
		{"a language before", pretty, "/fr/sitemap_index.xml", upstream},
		{"compressed files are not ours", pretty, "/post-sitemap.xml.gz", upstream},
		{"an encoded hyphen", pretty, "/post%2Dsitemap.xml", page("post", 1)},
		{"an encoded letter of a type is matched raw", pretty, "/p%6fst-sitemap2.xml", page("p%6fst", 2)},
		{"an encoded slash makes a folder", pretty, "/a%2Fpost-sitemap.xml", page("a%2Fpost", 1)},
		{"malformed encoding stays", pretty, "/p%zzst-sitemap.xml", page("p%zzst", 1)},
		{"an encoded type is matched raw first", pretty, "/pa_%d1%86-sitemap.xml", page("pa_%d1%86", 1)},

		{"sitemap.xml", pretty, "/sitemap.xml", to("/sitemap_index.xml")},
		{"sitemap.xml with a query string is another address", pretty, "/sitemap.xml?x=1", upstream},
		{"sitemap.xml with an empty query string too", pretty, "/sitemap.xml?", upstream},
		{"sitemap.xml with a slash too", pretty, "/sitemap.xml/", upstream},
		{"sitemap.xml below index.php too", pretty, "/index.php/sitemap.xml", upstream},
		{"core's index redirects, unless wp is a type", pretty, "/wp-sitemap.xml", route{target: toSitemap, name: "wp", page: 1, unowned: "/sitemap_index.xml"}},
		{"core's index with a query string does not", pretty, "/wp-sitemap.xml?x=1", wp},
		{"core's posts, page 1", pretty, "/wp-sitemap-posts-post-1.xml", to("/post-sitemap.xml")},
		{"core's posts, page 2 goes one too low", pretty, "/wp-sitemap-posts-page-2.xml", to("/page-sitemap1.xml")},
		{"core's posts, page 12", pretty, "/wp-sitemap-posts-page-12.xml", to("/page-sitemap11.xml")},
		{"core's posts, page 0", pretty, "/wp-sitemap-posts-post-0.xml", to("/post-sitemap-1.xml")},
		{"core's posts, leading zeros", pretty, "/wp-sitemap-posts-post-001.xml", to("/post-sitemap.xml")},
		{"core's types with a hyphen are not redirected", pretty, "/wp-sitemap-posts-my-type-1.xml", upstream},
		{"core's taxonomies", pretty, "/wp-sitemap-taxonomies-post_tag-1.xml", to("/post_tag-sitemap.xml")},
		{"core's users, page 1", pretty, "/wp-sitemap-users-1.xml", to("/author-sitemap.xml")},
		{"core's users, page 3", pretty, "/wp-sitemap-users-3.xml", to("/author-sitemap2.xml")},
		{"core's pages with a query string", pretty, "/wp-sitemap-users-1.xml?x", upstream},
		{"core's pages with a slash", pretty, "/wp-sitemap-users-1.xml/", upstream},
		{"core's stylesheet", pretty, "/wp-sitemap-index.xsl", upstream},

		{"query variables: the index", pretty, "/?sitemap=1", index},
		{"query variables: a type", pretty, "/?sitemap=post", page("post", 1)},
		{"query variables: a page", pretty, "/?sitemap=post&sitemap_n=2", page("post", 2)},
		{"query variables: in any order", pretty, "/?sitemap_n=2&x=y&sitemap=post", page("post", 2)},
		{"query variables: page 1 redirects", pretty, "/?sitemap=post&sitemap_n=1", first("post")},
		{"query variables: page 0 redirects", pretty, "/?sitemap=post&sitemap_n=0", first("post")},
		{"query variables: 01 is page 1", pretty, "/?sitemap=post&sitemap_n=01", page("post", 1)},
		{"query variables: a number with text behind it", pretty, "/?sitemap=post&sitemap_n=2abc", page("post", 2)},
		{"query variables: a number in scientific form", pretty, "/?sitemap=post&sitemap_n=1e1", page("post", 10)},
		{"query variables: a negative number is page 1", pretty, "/?sitemap=post&sitemap_n=-3", page("post", 1)},
		{"query variables: no number is page 1", pretty, "/?sitemap=post&sitemap_n=x", page("post", 1)},
		{"query variables: the last one counts", pretty, "/?sitemap=page&sitemap=post", page("post", 1)},
		{"query variables: encoded", pretty, "/?sitemap=p%6Fst", page("post", 1)},
		{"query variables: an encoded name", pretty, "/?s%69temap=post", page("post", 1)},
		{"query variables: an array is none", pretty, "/?sitemap[]=post", upstream},
		{"query variables: empty", pretty, "/?sitemap=", upstream},
		{"query variables: 0 is empty", pretty, "/?sitemap=0", upstream},
		{"query variables: letter case matters", pretty, "/?Sitemap=post", upstream},
		{"query variables: at index.php", pretty, "/index.php?sitemap=post", page("post", 1)},
		{"query variables: at any address of WordPress", pretty, "/some/page/?sitemap=post", page("post", 1)},
		{"query variables: not at another script", pretty, "/wp-login.php?sitemap=post", upstream},
		{"query variables: not in the administration", pretty, "/wp-admin/?sitemap=post", upstream},
		{"query variables: not at a file", pretty, "/wp-content/x.png?sitemap=post", upstream},
		{"query variables: not at the REST API", pretty, "/wp-json/wp/v2/posts?sitemap=post", upstream},
		{"explicit variables beat the path: type", pretty, "/post-sitemap.xml?sitemap=page", page("page", 1)},
		{"explicit variables beat the path: number", pretty, "/post-sitemap2.xml?sitemap_n=3", page("post", 3)},
		{"explicit variables beat the path: page 1 redirects", pretty, "/post-sitemap2.xml?sitemap_n=1", first("post")},
		{"explicit variables beat the path: empty number", pretty, "/post-sitemap2.xml?sitemap_n=", page("post", 1)},
		{"explicit variables beat the path: empty type", pretty, "/post-sitemap.xml?sitemap=", upstream},

		{"below index.php", pretty, "/index.php/sitemap_index.xml", index},
		{"below index.php, a type", pretty, "/index.php/post-sitemap2.xml", page("post", 2)},
		{"below index.php, page 1 redirects to the address without it", pretty, "/index.php/post-sitemap1.xml", first("post")},
		{"below index.php, a slash at the end", pretty, "/index.php/post-sitemap.xml/", page("post", 1)},
		{"below index.php, query variables", pretty, "/index.php/?sitemap=1", index},
		{"below index.php, core's addresses are not redirected", pretty, "/index.php/wp-sitemap.xml", wp},

		{"the stylesheet", pretty, "/main-sitemap.xsl", xsl("main")},
		{"the stylesheet of the news", pretty, "/news-sitemap.xsl", xsl("news")},
		{"the stylesheet of the videos", pretty, "/video-sitemap.xsl", xsl("video")},
		{"the stylesheet without hyphen", pretty, "/mainsitemap.xsl", xsl("main")},
		{"the stylesheet below index.php", pretty, "/index.php/main-sitemap.xsl", xsl("main")},
		{"the stylesheet by query variable", pretty, "/?yoast-sitemap-xsl=main", xsl("main")},
		{"the stylesheet goes before the sitemap", pretty, "/post-sitemap.xml?yoast-sitemap-xsl=main", xsl("main")},
		{"an unknown stylesheet", pretty, "/local-sitemap.xsl", upstream},
		{"a stylesheet without name", pretty, "/sitemap.xsl", upstream},
		{"a stylesheet's name is in lower case", pretty, "/MAIN-sitemap.xsl", upstream},
		{"the plugin's own file", pretty, "/wp-content/plugins/wordpress-seo/css/main-sitemap.xsl", upstream},
		{"our stylesheet", pretty, "/wpsitemapd.css", route{target: toCSS}},
		{"our stylesheet with a version", pretty, "/wpsitemapd.css?v=1", route{target: toCSS}},
		{"robots.txt", pretty, "/robots.txt", route{target: toRobots}},
		{"robots.txt with a query string", pretty, "/robots.txt?x", route{target: toRobots}},
		{"the front page", pretty, "/", upstream},
		{"a page", pretty, "/about/", upstream},

		{"home in a folder: the index", folder, "/blog/sitemap_index.xml", index},
		{"home in a folder: letter case of the folder does not matter", folder, "/BLOG/sitemap_index.xml", index},
		{"home in a folder: a type", folder, "/blog/post-sitemap3.xml", page("post", 3)},
		{"home in a folder: page 1", folder, "/blog/post-sitemap1.xml", first("post")},
		{"home in a folder: sitemap.xml", folder, "/blog/sitemap.xml", to("/sitemap_index.xml")},
		{"home in a folder: sitemap.xml must be exact", folder, "/Blog/sitemap.xml", upstream},
		{"home in a folder: core's addresses are not redirected", folder, "/blog/wp-sitemap.xml", wp},
		{"home in a folder: nor their pages", folder, "/blog/wp-sitemap-users-1.xml", upstream},
		{"home in a folder: robots.txt is none", folder, "/blog/robots.txt", upstream},
		{"home in a folder: query variables", folder, "/blog/?sitemap=post", page("post", 1)},
		{"home in a folder: our stylesheet", folder, "/blog/wpsitemapd.css", route{target: toCSS}},
		{"home in a folder: below index.php", folder, "/blog/index.php/post-sitemap.xml", page("post", 1)},
		{"home in a folder: the administration", folder, "/blog/wp-admin/?sitemap=post", upstream},

		{"plain: paths are not routed", plain, "/sitemap_index.xml", upstream},
		{"plain: nor types", plain, "/post-sitemap.xml", upstream},
		{"plain: nor page 1", plain, "/post-sitemap1.xml", upstream},
		{"plain: nor sitemap.xml", plain, "/sitemap.xml", upstream},
		{"plain: nor the stylesheet", plain, "/main-sitemap.xsl", upstream},
		{"plain: query variables are", plain, "/?sitemap=1", index},
		{"plain: a page", plain, "/?sitemap=post&sitemap_n=2", page("post", 2)},
		{"plain: page 1 redirects to an address with a path", plain, "/?sitemap=post&sitemap_n=1", first("post")},
		{"plain: core's index redirects", plain, "/wp-sitemap.xml", to("/sitemap_index.xml")},
		{"plain: core's pages redirect", plain, "/wp-sitemap-users-3.xml", to("/author-sitemap2.xml")},
		{"plain: our stylesheet", plain, "/wpsitemapd.css", route{target: toCSS}},
		{"plain, home in a folder: query variables", plainFolder, "/blog/?sitemap=post", page("post", 1)},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			path, _, _ := strings.Cut(test.uri, "?")
			rest, ok := cutHomePath(strings.Trim(path, "/"), test.at.path)
			if !ok {
				t.Fatalf("%s is not below %q", path, test.at.path)
			}
			// Only a path that is no sitemap's of its own leaves the name to the query.
			test.want.byQuery = test.want.target == toSitemap && !strings.HasSuffix(strings.TrimRight(path, "/"), ".xml")
			if diff := cmp.Diff(test.want, test.at.route(test.uri, rest), cmp.AllowUnexported(route{})); diff != "" {
				t.Errorf("%s: %s", test.uri, diff)
			}
		})
	}
}

func TestCutHomePath(t *testing.T) {
	tests := []struct {
		rule, path, home, rest string
		ok                     bool
	}{
		{"no folder", "a/b", "", "a/b", true},
		{"a folder", "blog/a/b", "blog", "a/b", true},
		{"the folder alone", "blog", "blog", "", true},
		{"letter case does not matter", "BLoG/a", "blog", "a", true},
		{"another folder", "shop/a", "blog", "", false},
		{"a longer name is another folder", "blogs/a", "blog", "", false},
		{"a shorter name too", "blo", "blog", "", false},
		{"nothing", "", "blog", "", false},
		{"two folders", "a/b/c", "a/b", "c", true},
		{"only the first of two folders", "a", "a/b", "", false},
		{"a slash too many behind the folder", "blog//a", "blog", "a", true},
		{"encoded in the request", "caf%C3%A9/a", "café", "a", true},
		{"encoded in home", "café/a", "caf%C3%A9", "a", true},
		{"encoded with letters of another case", "caf%c3%a9/a", "caf%C3%A9", "a", true},
	}
	for _, test := range tests {
		rest, ok := cutHomePath(test.path, test.home)
		if rest != test.rest || ok != test.ok {
			t.Errorf("%s: %q below %q is %q, %v", test.rule, test.path, test.home, rest, ok)
		}
	}
}

func TestLooksLikeSitemap(t *testing.T) {
	for uri, want := range map[string]bool{
		"/sitemap_index.xml": true, "/post-sitemap3.xml": true, "/any/folder/post-sitemap.xml/": true, "/?sitemap=1": true,
		"/a/?x=1&sitemap=post": true, "/sitemap.xml": true, "/blog/sitemap.xml": true, "/wp-sitemap.xml": true, "/main-sitemap.xsl": true,
		"/wpsitemapd.css": true, "/?yoast-sitemap-xsl=main": true,
		"/": false, "/about/": false, "/?s=sitemap": false, "/?sitemap=": false, "/robots.txt": false, "/sitemap/": false, "/post-sitemap.xml.gz": false,
	} {
		if got := looksLikeSitemap(uri); got != want {
			t.Errorf("looksLikeSitemap(%q) is %v", uri, got)
		}
	}
}

func TestPHPInt(t *testing.T) {
	// values of (int) in PHP 8.2
	for in, want := range map[string]int{
		"": 0, "7": 7, "007": 7, " 7": 7, "7 ": 7, "+7": 7, "-7": -7, "- 7": 0, "7abc": 7, "abc": 0, "1.9": 1, ".9": 0, "1e3": 1000, "1e": 1, "0x1A": 0,
		"-1e1x": -10, "9223372036854775807": 1<<63 - 1, "9223372036854775808": 1<<63 - 1, "-9223372036854775809": -1 << 63, "1e1000": 0, "\n5": 5, "1e19": 1<<63 - 1, "-9.9e30": -1 << 63, "1e-2": 0, "+-5": 0, "\v3": 3,
	} {
		if got := phpInt(in); got != want {
			t.Errorf("phpInt(%q) is %d, want %d", in, got, want)
		}
	}
}

// testRoutes makes routes of sites as their databases were read; a home without database
// yet is one whose blogs are nil.
func testRoutes(t *testing.T, sites ...*worker) (*routes, *[]string) {
	t.Helper()
	var clashes []string
	o := newOwnership(slog.New(slog.DiscardHandler))
	o.begin(sites, time.Now())
	r := newRoutes(sites, o)
	for _, site := range sites {
		for _, c := range o.clashes[site.Config.Name] {
			if c.owner == site.Config.Name {
				clashes = append(clashes, c.place.host+"/"+c.place.path+" "+c.owner+" "+strings.Join(c.others, " "))
			}
		}
	}
	return r, &clashes
}

func testWorker(install config.Site, state *site.Snapshot) *worker {
	w := &worker{Site: site.New(install, slog.New(slog.DiscardHandler))}
	w.Publish(state)
	return w
}

func testBlog(home string, hosts ...string) *site.Blog {
	host, path := weburl.Split(home)
	if hosts == nil {
		hosts = []string{host}
	}
	return &site.Blog{Settings: site.Settings{Home: home, Hosts: hosts}, Address: site.Address{Path: path}, Catalog: &fakeCatalog{}}
}

func inNetwork(b *site.Blog) *site.Blog { b.Network = true; return b }

func opened(blogs ...*site.Blog) *site.Snapshot { return &site.Snapshot{Opened: true, Blogs: blogs} }

func TestRoutesFind(t *testing.T) {
	network := testWorker(config.Site{Name: "network"}, opened(testBlog("https://net.test"), testBlog("https://net.test/fish"), testBlog("https://net.test/fish/cod"), testBlog("https://own.test:8443")))
	network.Snapshot().Gone = []site.Gone{{Host: "net.test", Path: "old"}}
	single := testWorker(config.Site{Name: "single", Hosts: []config.Host{"single.test", "alias.test"}}, opened(testBlog("https://single.test/blog")))
	opening := testWorker(config.Site{Name: "opening", Home: "https://opening.test/a"}, &site.Snapshot{})
	unknown := testWorker(config.Site{Name: "unknown"}, &site.Snapshot{})
	routes, clashes := testRoutes(t, network, single, opening, unknown)
	if len(*clashes) > 0 {
		t.Errorf("clashes %q", *clashes)
	}
	if diff := cmp.Diff([]string{"unknown"}, names(routes.opening)); diff != "" {
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
			at, rest := routes.find(test.host, test.path)
			site, home := "", ""
			if at.worker != nil {
				site = at.worker.Config.Name
			}
			if at.blog != nil {
				home = at.blog.Home
			}
			if site != test.site || home != test.home || rest != test.rest || at.gone != test.gone {
				t.Errorf("site %q, home %q, rest %q, gone %v", site, home, rest, at.gone)
			}
		})
	}
}

func names(workers []*worker) []string {
	var names []string
	for _, w := range workers {
		names = append(names, w.Config.Name)
	}
	return names
}

func TestRoutesOfOneSite(t *testing.T) {
	tests := []struct {
		rule string
		w    *worker
		home string // of the blog that an unknown host is for
	}{
		{"a single blog serves every host, as WordPress does", testWorker(config.Site{Name: "a"}, opened(testBlog("https://a.test"))), "https://a.test"},
		{"not when hosts are configured", testWorker(config.Site{Name: "a", Hosts: []config.Host{"a.test"}}, opened(testBlog("https://a.test"))), ""},
		{"nor do several blogs", testWorker(config.Site{Name: "a"}, opened(testBlog("https://a.test"), testBlog("https://b.test"))), ""},
		{"nor a network of one blog", testWorker(config.Site{Name: "a"}, opened(inNetwork(testBlog("https://a.test")))), ""},
		{"before the database is read the site is known", testWorker(config.Site{Name: "a"}, &site.Snapshot{}), ""},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			routes, _ := testRoutes(t, test.w)
			at, _ := routes.find("other.test", "/x")
			home := ""
			if at.blog != nil {
				home = at.blog.Home
			}
			if at.worker != test.w || home != test.home {
				t.Errorf("worker %v, home %q", at.worker, home)
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
			map[string]string{"x.test": "https://a.test", "y.test": "https://a.test", "a.test": ""}},
		{"are shared by a network in folders", []config.Host{"x.test"}, []*site.Blog{testBlog("https://a.test/b"), testBlog("https://a.test")},
			map[string]string{"x.test": "https://a.test", "a.test": ""}},
		{"limit a network on several hosts", []config.Host{"b.test"}, []*site.Blog{testBlog("https://a.test"), testBlog("https://b.test")},
			map[string]string{"a.test": "", "b.test": "https://b.test"}},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			routes, _ := testRoutes(t, testWorker(config.Site{Name: "a", Hosts: test.hosts}, opened(test.blogs...)))
			for host, want := range test.want {
				at, _ := routes.find(host, "/")
				home := ""
				if at.blog != nil {
					home = at.blog.Home
				}
				if home != want {
					t.Errorf("%s is %q, want %q", host, home, want)
				}
			}
		})
	}
}

func TestFirstSiteHasAClaimedPlace(t *testing.T) {
	first := testWorker(config.Site{Name: "first"}, opened(testBlog("https://a.test/x")))
	second := testWorker(config.Site{Name: "second"}, opened(testBlog("https://a.test/X"), testBlog("https://a.test/y")))
	routes, clashes := testRoutes(t, first, second)
	if diff := cmp.Diff([]string{"a.test/x first second"}, *clashes); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]*worker{"/x/a": first, "/y/a": second} {
		if at, _ := routes.find("a.test", path); at.worker != want {
			t.Errorf("%s is of %s", path, at.worker.Config.Name)
		}
	}
}
