package route

import (
	"log/slog"
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
