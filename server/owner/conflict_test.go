package owner

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest/expect"
)

// Each kind of conflict has its message, sentence and hint in the log. Several hosts of one kind and the same sites are one line.
func TestConflicts(t *testing.T) {
	named := func(name, home string, homes ...string) *site.Site {
		s := testSite(config.Site{Name: name, Home: config.Home(home)}, opened())
		for _, h := range homes {
			s.Snapshot().Blogs = append(s.Snapshot().Blogs, testBlog(h))
		}
		return s
	}
	read := func(name string, homes ...string) *site.Site { return named(name, "", homes...) }
	of := func(sites ...*site.Site) []*site.Site { return sites }
	const several = "several sites claim one host"
	type line struct {
		Msg, Host, Path, Conflict, Hint string
		Hosts                           int
	}
	for _, tt := range []struct {
		rule          string
		before, sites []*site.Site // of the first table, whose log does not count, and of the second one
		want          line
	}{
		{
			"contested", nil, of(read("a", "https://a.test", "https://b.test"), read("b", "https://a.test", "https://b.test")),
			line{
				several, "a.test", "/", "is claimed by site a and site b, and the configuration does not say which of them has it. " +
					"Until it does, the sitemaps of the host are answered with 503",
				`write hosts = ["a.test"] in the section of the site that should have the host: [[site]] a or [[site]] b`, 2,
			},
		},
		{
			"owner missing", of(found("a", "https://a.test")), of(read("b", "https://a.test")),
			line{
				several, "a.test", "/",
				"is claimed by site b, but belongs to site a, which is missing or has left it. The sitemaps of the host are answered with 503",
				`write hosts = ["a.test"] in the section of the site that should have the host: [[site]] b`, 1,
			},
		},
		{
			"displaced", of(read("a", "https://a.test")), of(read("a", "https://a.test"), read("b", "https://a.test/shop")),
			line{
				several, "a.test", "/shop", "is claimed by site b, too, but belongs to site a, which is served there",
				`write hosts = ["a.test"] in the section of the site that should have the host: [[site]] a or [[site]] b; ` +
					`to share it, write hosts = ["a.test"] in [[site]] a and home = "https://a.test/shop" in [[site]] b`, 1,
			},
		},
		{
			"not granted", nil, of(named("a", "https://a.test", "https://a.test"), read("b", "https://a.test/shop")),
			line{
				several, "a.test", "/shop", "is claimed by site b, but the configuration gives the host to site a",
				`to share the host, write home = "https://a.test/shop" in [[site]] b. If the site should not be there, correct its address in WordPress`, 1,
			},
		},
		{
			"path of another site", nil,
			of(named("a", "https://a.test", "https://a.test", "https://a.test/shop/x", "https://a.test/shop/y"),
				named("b", "https://a.test/shop", "https://a.test/shop")), // two blogs, one host
			line{
				several, "a.test", "/shop/x", "belongs to site b, but site a claims it, too",
				"give the blog an address below home of [[site]] a", 1,
			},
		},
		{
			"path of no site", nil,
			of(named("a", "https://a.test/blog", "https://a.test/blog", "https://a.test/x"), named("b", "https://a.test/shop", "https://a.test/shop")),
			line{
				"a blog is at a path that the configuration gives to no site", "a.test", "/x", "belongs to no site of the " +
					"configuration, but site a has a blog there",
				"give the blog an address below home of [[site]] a", 1,
			},
		},
		{
			"the rest is not named", of(read("a", "https://a.test")),
			of(read("a", "https://a.test"), named("b", "https://a.test/shop", "https://a.test/shop")),
			line{
				"a site keeps the rest of a host only because it had the host before", "a.test", "/",
				"has paths that the configuration gives to site b. Site a keeps the rest of the host only because it had the host before",
				`write hosts = ["a.test"] in [[site]] a`, 1,
			},
		},
		{
			"one address of two blogs", nil, of(read("a", "https://a.test", "https://a.test", "https://b.test", "https://b.test")),
			line{
				"two blogs of a network have the same address; the first one keeps it", "a.test", "/", "is the address of two blogs of site a",
				"give one of the two blogs another address in WordPress", 2,
			},
		},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			var log strings.Builder
			o := New(slog.New(slog.NewJSONHandler(&log, nil)))
			o.Table(tt.before, time.Now())
			log.Reset()
			for range 2 {
				o.Table(tt.sites, time.Now())
			}
			expect.Equal(t, strings.Count(log.String(), "\n"), 1, &log)
			var got line
			if err := json.Unmarshal([]byte(strings.SplitN(log.String(), "\n", 2)[0]), &got); err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, got, tt.want)
			text, hosts, _ := o.Summary("a")
			if about := tt.rule != "one address of two blogs" && tt.rule != "owner missing"; about != (hosts == tt.want.Hosts) || about != strings.Contains(text, got.Conflict) {
				t.Errorf("summary of a: %d hosts, %q", hosts, text)
			}
		})
	}
}
