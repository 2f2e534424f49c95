package refresh

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// What a record keeps of a blog is all that requests need before its database is read again.
func TestRecordOfABlog(t *testing.T) {
	facts := site.Facts{
		ID: 7, Home: "https://a.test", Hosts: []string{"a.test"}, Network: true, Plain: true, Robots: []int64{7, 8}, Apart: true,
		RobotsText: "User-agent: *", WebRoots: []string{"/www"}, Routed: "book",
	}
	read := facts
	read.Warnings, read.Fingerprint, read.Reader = []string{"odd"}, 1, &fakeSite{}
	outline := catalog.Outline{Active: true, Plugin: sitemap.DefaultPlugin.Name, Title: "A", Files: []catalog.File{{Name: "post", Page: 1, Entries: 3}}}
	before := site.Remembered(read, outline, time.Unix(1e9, 0).UTC())
	before.AskedAt(time.Unix(1e9, 5))
	text, err := json.Marshal(recordOf(site.New(config.Site{Name: "a"}, nil), before))
	var r BlogRecord
	if err != nil || json.Unmarshal(text, &r) != nil {
		t.Fatal(err)
	}
	after := RememberedBlog(&r)
	facts.Plugin, outline.Title = sitemap.DefaultPlugin, ""
	if diff := cmp.Diff(facts, after.Facts, cmp.Comparer(func(a, b *seo.Plugin) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(outline, after.Outline); diff != "" || !after.Built.Equal(before.Built) || after.Asked() != before.Asked() {
		t.Errorf("%s, %v, %d", diff, after.Built, after.Asked())
	}
}

// The record of a blog is written anew with each catalog, and pages that are gone from it leave the store.
func TestRecordFollowsTheCatalog(t *testing.T) {
	s, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	of, m := site.New(config.Site{Name: "a"}, nil), memory{blogs: map[string]kept{}}
	var last BlogRecord
	for generation, pages := range []int{2, 1} {
		b := site.Unread(site.Facts{ID: 1, Home: "https://a.test", Reader: &fakeSite{}}, nil)
		b.Serve(site.Built{Catalog: &fakeSite{}}, uint64(generation+1), time.Unix(1e9, 0))
		b.Outline = *servertest.Outline(pages)
		m.Remember(of, &site.Snapshot{Blogs: []*site.Blog{b}}, s)
		s.SavePage(servertest.StoredPage(t, "a", b.Key(), "post", 1))
		if generation == 0 {
			s.SavePage(servertest.StoredPage(t, "a", b.Key(), "post", 2))
		}
		servertest.Written(t, s)
		if !s.Blog("a", b.Key(), &last) || len(last.Sitemaps.Files) != 1+pages {
			t.Errorf("%d files are recorded of %d pages", len(last.Sitemaps.Files), pages)
		}
		for page := 1; page <= 2; page++ {
			if has := s.Has(store.Key{Site: "a", Blog: b.Key(), Name: "post", Page: page}); has != (page <= pages) {
				t.Errorf("of %d pages %d is stored: %t", pages, page, has)
			}
		}
	}
}
