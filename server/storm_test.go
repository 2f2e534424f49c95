package server

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"wpsitemapd/server/config"
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
	n := &fakeNetwork{blogs: []site.Settings{fakeBlog(1, home, old)}}
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
	n.set(func() { n.blogs = []site.Settings{slow} })
	before.refresher.ReadNow()
	<-reading

	now := newFakeCatalog(home)
	n.set(func() { n.blogs = []site.Settings{fakeBlog(1, home, now)} })
	changed := fakeSite("a")
	changed.PageSize = 7
	if err := r.reload(changed); err != nil {
		t.Fatal(err)
	}
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

// On MariaDB: the configuration changes again and again while everything is asked for and edited. Once that is over
// a page that has not changed is not made again for anybody.
func TestReloadStorm(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	site := realSite("a", wptest.ReadOnlyDSN(t, dsn))
	site.PageSize = 20
	ts, public := startReal(t, 1, site)
	var lock sync.Mutex
	next := &config.Config{Listening: ts.config.Listening, CacheSize: 64 << 20, Sites: []config.Site{site}}
	ts.Load = func() (*config.Config, error) {
		lock.Lock()
		defer lock.Unlock()
		return next, nil
	}
	files := ts.running()[0].Snapshot().Blogs[0].Outline.Files
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				status, _, err := askFor(ctx, public, "a.test", "/"+files[n%len(files)].Filename)
				if err == nil && status >= 500 {
					t.Errorf("%s: %d", files[n%len(files)].Filename, status)
				}
			}
		})
	}
	for i := range 15 {
		wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_posts SET post_title = 'storm %d', post_modified_gmt = '2026-01-01 00:00:%02d' WHERE ID = 101", i, i))
		changed := site
		changed.CacheControl = fmt.Sprintf("max-age=%d", i)
		lock.Lock()
		next = &config.Config{Listening: next.Listening, CacheSize: 64 << 20, Sites: []config.Site{changed}}
		lock.Unlock()
		if err := ts.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	clients.Wait()
	ts.settle()
	tags := map[string]string{}
	for _, f := range files {
		tags[f.Filename] = askAnswer(t, public, "a.test", "/"+f.Filename).etag
	}
	counted := ts.running()[0].Counted
	misses := counted.Misses.Load()
	for range 5 {
		for _, f := range files {
			if got := askAnswer(t, public, "a.test", "/"+f.Filename, "If-None-Match", tags[f.Filename]); got.status != http.StatusNotModified {
				t.Errorf("%s: %d", f.Filename, got.status)
			}
		}
	}
	if got := counted.Misses.Load() - misses; got > 0 {
		t.Errorf("%d of %d answers were made anew", got, 5*len(files))
	}
}
