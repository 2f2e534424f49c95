package route

import (
	"fmt"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
)

// published publishes a blog of a site, and returns a target in it.
func published(s *site.Site) *Target {
	b := site.Unread(site.Facts{ID: 1, Home: "https://a.test"}, nil)
	s.Publish(&site.Snapshot{Blogs: []*site.Blog{b}})
	return &Target{Visit: Visit{Mount{Site: s, Key: b.Key()}, b}}
}

// Whoever asks with ever new addresses takes no more than so much memory.
func TestTargetsAreBounded(t *testing.T) {
	var all targets
	to := published(site.New(config.Site{}, nil))
	for i := range 3 * mostTargets {
		all.keep(requested{"a.test", fmt.Sprint("/post-sitemap.xml?", i)}, to)
		if len(all.kept) > mostTargets {
			t.Fatalf("%d targets", len(all.kept))
		}
	}
	if all.get(requested{"a.test", fmt.Sprint("/post-sitemap.xml?", 3*mostTargets-1)}) == nil {
		t.Error("the last one is forgotten")
	}
}

// What was asked for of blogs that are idle by now does not keep their catalogs in memory.
func TestTargetsOfIdleBlogsAreDropped(t *testing.T) {
	var all targets
	const blogs, idle = 400, 300
	for i := range blogs {
		s := site.New(config.Site{}, nil)
		to := published(s)
		all.keep(requested{"a.test", fmt.Sprint("/b", i, "/post-sitemap.xml")}, to)
		if i < idle {
			published(s)
		}
	}
	if most := blogs - idle + idle/4; len(all.kept) > most {
		t.Errorf("%d targets, want %d at most", len(all.kept), most)
	}
}
