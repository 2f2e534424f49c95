package server

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/explain"
)

// knowing is a fake catalog that explains.
type knowing struct{ *fakeCatalog }

func (knowing) ExplainIn(_ context.Context, address string, _ explain.Pages) (*explain.Explanation, error) {
	return &explain.Explanation{URL: address, Object: "page"}, nil
}

func (knowing) ExplainSitemap(name string, page int) *explain.Explanation {
	return &explain.Explanation{Object: "sitemap " + name, Page: page}
}

// A running server explains by the catalogs it serves from, and finds them as it does for requests.
func TestServerExplains(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	a, b := New(&config.Config{}, log).newInstall(config.Site{Name: "a"}, nil), New(&config.Config{}, log).newInstall(config.Site{Name: "b"}, nil)
	blog := func(home string, c site.Catalog) *site.Blog {
		s := site.Unread(fakeBlog(1, home, nil), nil)
		s.Serve(site.Built{Catalog: c}, 1, time.Now())
		return s
	}
	a.Publish(&site.Snapshot{Opened: true, Gone: []site.Gone{{Host: "a.test", Path: "old"}}, Blogs: []*site.Blog{
		blog("https://a.test", knowing{newFakeCatalog("https://a.test")}),
		blog("https://a.test/shop", newFakeCatalog("https://a.test/shop")),
	}})
	b.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{blog("https://b.test/blog", knowing{newFakeCatalog("https://b.test/blog")})}})
	s := New(&config.Config{}, log)
	s.installs = []*install{a, b}
	s.route()
	for _, tt := range []struct {
		rule, address, site, object string
		page                        int
		err                         error
	}{
		{"a page", "https://a.test/hello/", "a", "page", 0, nil},
		{"without a path", "HTTPS://A.test", "a", "page", 0, nil},
		{"a sitemap", "https://a.test/post-sitemap2.xml", "a", "sitemap post", 2, nil},
		{"a sitemap by query", "https://a.test?sitemap=post", "a", "sitemap post", 1, nil},
		{"the index, behind a redirect", "http://b.test/blog/sitemap.xml", "b", "sitemap 1", 1, nil},
		{"the index", "http://b.test/blog/sitemap_index.xml", "b", "sitemap 1", 1, nil},
		{"first pages by their number", "https://a.test/post-sitemap1.xml", "a", "sitemap post", 1, nil},
		{"a type without a sitemap of ours", "https://a.test/other-sitemap.xml", "a", "sitemap other", 1, nil},
		{"robots.txt", "https://a.test/robots.txt", "a", "robots.txt", 0, nil},
		{"a stylesheet", "https://a.test/main-sitemap.xsl", "a", "stylesheet of the sitemaps", 0, nil},
		{"outside of home", "https://b.test/elsewhere/", "b", "page", 0, nil},
		{"a blog that is gone", "https://a.test/old/x", "a", "", 0, nil},
		{"a blog that is served from its copies", "https://a.test/shop/x/", "", "", 0, admin.ErrNotRead},
		{"a host of no site", "https://c.test/", "", "", 0, admin.ErrNoSite},
		{"without a scheme", "a.test/hello", "a", "page", 0, nil},
		{"no address", "hello", "", "", 0, explain.ErrAddress},
		{"a path of one of several sites", "/hello", "", "", 0, explain.ErrAddress},
		{"no host", "https:///hello", "", "", 0, explain.ErrAddress},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			x, err := s.view.Explainer.Explain(t.Context(), tt.address, "")
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err == nil && (x.Site != tt.site || x.Object != tt.object || x.Page != tt.page || x.URL != tt.address) {
				t.Errorf("site %q, object %q, page %d, url %q", x.Site, x.Object, x.Page, x.URL)
			}
		})
	}
}
