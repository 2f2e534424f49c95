package route

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest/expect"
)

// The configuration alone says where a site is that was not read yet. Later the blogs do, at the configured hosts if there are any.
func TestMountsOf(t *testing.T) {
	blog := func(id int64, home, path string, hosts ...string) *site.Blog {
		b := site.Remembered(site.Blog{ID: id, Home: home, Hosts: hosts}, catalog.Outline{}, time.Time{})
		b.Address.Path = path
		return b
	}
	read := func(blogs ...*site.Blog) *site.Snapshot {
		return &site.Snapshot{Opened: true, Blogs: blogs, Gone: []wp.BlogRow{{Domain: "A.test", Path: "/gone/"}}}
	}
	hosts := []config.Host{"x.test", "b.test"}
	gone := "a.test/gone"
	for _, tt := range []struct {
		rule   string
		config config.Site
		now    *site.Snapshot
		want   []string // places; + before one that is served unless another site has it
	}{
		{"not read, and nothing is configured", config.Site{}, &site.Snapshot{}, nil},
		{"not read, by its home", config.Site{Home: "https://a.test/blog"}, &site.Snapshot{}, []string{"a.test/blog"}},
		{"not read, by its hosts", config.Site{Hosts: hosts}, &site.Snapshot{}, []string{"x.test/", "b.test/"}},
		{"by its blogs", config.Site{}, read(blog(1, "https://a.test", "", "a.test:8443"), blog(2, "https://b.test/two", "two", "b.test")),
			[]string{"a.test/", "b.test/two", gone}},
		{"one host, and others are configured", config.Site{Hosts: hosts}, read(blog(1, "https://a.test", "", "a.test"), blog(2, "https://a.test/two", "two", "a.test")),
			[]string{"x.test/", "b.test/", "+a.test/", "x.test/two", "b.test/two", "+a.test/two", "x.test/gone", "b.test/gone"}},
		{"several hosts, and one of them is configured", config.Site{Hosts: hosts}, read(blog(1, "https://a.test", "", "a.test"), blog(2, "https://b.test", "", "b.test")),
			[]string{"b.test/", gone}},
	} {
		tt.config.Name = "a"
		s := site.New(tt.config, slog.New(slog.DiscardHandler))
		s.Publish(tt.now)
		var places []string
		for _, m := range MountsOf(s) {
			for _, host := range m.Hosts {
				places = append(places, host+"/"+m.Path)
			}
			if m.Home != "" {
				places = append(places, "+"+m.Home+"/"+m.Path)
			}
			expect.Equal(t, m.Gone, m.Path == "gone", tt.rule, m.Path)
		}
		expect.List(t, places, tt.want, tt.rule)
	}
}

// The longest path that contains the path of a request counts, without differences in letter case and escapes. A host leads to its
// site also outside of all homes, and with or without www.
func TestFind(t *testing.T) {
	s := site.New(config.Site{Name: "a"}, slog.New(slog.DiscardHandler))
	mounts := func(paths ...string) (all []Mount) {
		for _, path := range paths {
			all = append(all, Mount{Site: s, Path: path})
		}
		return all
	}
	table := NewTable(map[string][]Mount{"a.test": mounts("", "fish", "fish/cod"), "b.test": mounts("caf%C3%A9")}, nil, nil, nil)
	for _, tt := range []struct{ host, path, home, rest string }{
		{"a.test", "/", "", ""},
		{"a.test", "/x/y/", "", "x/y"},
		{"a.test", "/fishes/x", "", "fishes/x"},
		{"a.test", "/FISH/x", "fish", "x"},
		{"a.test", "/fish/cod", "fish/cod", ""},
		{"a.test", "/fish/cod/x", "fish/cod", "x"},
		{"a.test", "/fish/eel/x", "fish", "eel/x"},
		{"b.test", "/caf%c3%a9/x", "caf%C3%A9", "x"},
		{"b.test", "/x", "", ""},
		{"www.a.test", "/fish/x", "fish", "x"},
	} {
		at, rest := table.Find(tt.host, tt.path)
		expect.Equal(t, at.Site, s, tt.host, tt.path)
		expect.Equal(t, at.Path, tt.home, tt.host, tt.path)
		expect.Equal(t, rest, tt.rest, tt.host, tt.path)
	}
	for host, fallback := range map[string]*site.Site{"c.test": nil, "": s} {
		at, _ := NewTable(map[string][]Mount{"a.test": mounts("")}, nil, fallback, nil).Find(host, "/x")
		expect.Equal(t, at.Site, fallback, host)
		expect.Equal(t, at.Unnamed, fallback != nil, host)
	}
	for _, uri := range []string{"http://c.test/sitemap_index.xml", "http://b.test/sitemap_index.xml"} {
		expect.Equal(t, table.Target(httptest.NewRequest("GET", uri, nil)).Kind, Upstream, uri, "is of no blog")
	}
}
