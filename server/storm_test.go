package server

import (
	"context"
	"testing"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// An install that has left the configuration ends a reading after its successor's: its catalog is later made, and
// yet of the past.
func TestRetiredWorkerKeepsNothing(t *testing.T) {
	r := newReloadable(t, fakeSite("a"))
	home := "https://a.test"
	old := newFakeCatalog(home)
	n := netOf(old)
	r.nets["a"] = n
	r.run()
	r.until("a.test", 200)
	before := r.running()[0]
	reading, goOn := make(chan struct{}), make(chan struct{})
	late := newFakeCatalog(home)
	slow := fakeBlog(1, home, late)
	slow.Reader = fakeReader(func(context.Context) (site.Catalog, error) {
		close(reading)
		<-goOn
		return late, nil
	})
	n.set(func() { n.blogs = []site.Facts{slow} })
	before.refresher.ReadNow()
	<-reading

	now := newFakeCatalog(home)
	n.set(func() { n.blogs = []site.Facts{fakeBlog(1, home, now)} })
	changed := fakeSite("a")
	changed.PageSize = 7
	wptest.Must(t, r.reload(changed))
	r.until("a.test", 200)
	close(goOn)
	wptest.Eventually(t, "the old install ends its reading", func() bool { return before.Snapshot().Blogs[0].Catalog == site.Catalog(late) })
	key := pages.KeyOf(before.Site, before.Snapshot().Blogs[0], "post", 1)
	if _, err := r.pages.Get(t.Context(), before.Site, before.Snapshot().Blogs[0], "post", 1); err != nil { // for a request under way
		t.Fatal(err)
	}
	if planned := r.pages.Plan(before.Site); len(planned) > 0 {
		t.Errorf("the old install makes %d pages", len(planned))
	}
	rendered := now.renders.Load()
	for range 5 {
		if r.status("a.test") != 200 {
			t.Fatal("not served")
		}
	}
	if got := now.renders.Load(); got != rendered {
		t.Errorf("5 requests render the page %d times", got-rendered)
	}
	if page := r.copies("a")[key]; page == nil || r.pages.Freshness(r.running()[0].Snapshot().Blogs[0], key, page) != pages.Fresh {
		t.Errorf("%+v is kept", page)
	}
}
