package server

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// many returns statements that make a network of so many further blogs below example.test.
func many(blogs int) []string {
	var statements []string
	for id := 100; id < 100+blogs; id++ {
		for _, table := range []string{"options", "posts", "postmeta", "terms", "term_taxonomy", "term_relationships"} {
			name := fmt.Sprintf("wp_%d_%s", id, table)
			statements = append(statements, "CREATE TABLE "+name+" LIKE wp_2_"+table, "INSERT INTO "+name+" SELECT * FROM wp_2_"+table)
		}
		statements = append(statements,
			fmt.Sprintf("UPDATE wp_%d_options SET option_value = 'https://example.test/b%d' WHERE option_name IN ('home', 'siteurl')", id, id),
			fmt.Sprintf("INSERT INTO wp_blogs (blog_id, site_id, domain, path, registered, last_updated, public) VALUES (%d, 1, "+
				"'example.test', '/b%d/', '2024-10-01', '2024-10-01', 1)", id, id))
	}
	return statements
}

// While the blogs of a network are read none is 404 or the main blog's, and what is read is served.
func TestBlogsNotReadYet(t *testing.T) {
	t.Parallel()
	const blogs = 30
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	wptest.Exec(t, dsn, many(blogs)...)
	wptest.Exec(t, dsn, "DROP TABLE wp_110_options", "DROP TABLE wp_111_options")
	site := realSite("net", dsn)
	site.Hosts = nil
	ts := startReal(t, 0, site)
	partly := false
	wptest.Eventually(t, "all are read", func() bool {
		ready := ts.Status()[0].Ready
		served := 0
		for id := 100; id < 100+blogs; id += 7 {
			switch got := ts.ask("example.test", fmt.Sprintf("/b%d/post-sitemap.xml", id)); {
			case got.status == 200 && strings.Contains(got.body, fmt.Sprintf("https://example.test/b%d/", id)):
				served++
			case got.status != 503:
				t.Fatalf("blog %d: %+v", id, got)
			}
		}
		partly = partly || served > 0 && served < blogs/7
		return ready
	}, ts.log)
	for _, id := range []int{110, 111} {
		if got := ts.ask("example.test", fmt.Sprintf("/b%d/post-sitemap.xml", id)); got.status != 503 {
			t.Errorf("a blog that cannot be read: %+v, want 503", got)
		}
	}
	for line := range strings.Lines(ts.log.String()) {
		if len(line) > 4000 {
			t.Errorf("a line of the log has %d bytes: %.500s", len(line), line)
		}
	}
	if n := ts.log.count("site cannot be read"); n != 1 {
		t.Errorf("%d lines on blogs that cannot be read, want 1\n%s", n, ts.log)
	}
	t.Logf("partly served meanwhile: %v", partly)
}

// A reading that is interrupted keeps what was read, the main blog comes first, and what is read is served meanwhile.
func TestReadingOfANetworkGoesOn(t *testing.T) {
	ts, _, net := onePage(t)
	w := ts.installs[0]
	var mu sync.Mutex
	var order []int64
	broken := int64(3)
	served := map[int64]bool{} // what was served when a blog was read
	net.walk = func() (*site.Walk, error) {
		pass := &site.Walk{Network: true}
		for id := int64(1); id <= 9; id++ {
			stand := site.Facts{ID: id, Home: fmt.Sprintf("https://example.com/b%d", id), Hosts: []string{"example.com"}, Network: true}
			s := site.Stub{Facts: stand}
			s.Read = func(context.Context) ([]site.Facts, error) {
				mu.Lock()
				defer mu.Unlock()
				if broken > 0 && id >= broken {
					return nil, context.DeadlineExceeded
				}
				order = append(order, id)
				at, _ := ts.front.Table().Find("example.com", "/b1/post-sitemap.xml")
				served[id] = at.Blog != nil && at.Blog.Catalog != nil && len(order) > 1
				b := fakeBlog(id, stand.Home, newFakeCatalog(stand.Home))
				return []site.Facts{b}, nil
			}
			pass.Stubs = append(pass.Stubs, s)
		}
		return pass, nil
	}
	read, ok := w.refresher.ReadOnce(t.Context())
	if !read || ok {
		t.Fatalf("read %v, ok %v of an interrupted reading", read, ok)
	}
	if at, _ := ts.front.Table().Find("example.com", "/b7/post-sitemap.xml"); at.Blog == nil || at.Blog.ID != 7 || at.Blog.Catalog != nil {
		t.Errorf("a blog that was not read: %+v", at.Blog)
	}
	if at, _ := ts.front.Table().Find("example.com", "/b2/post-sitemap.xml"); at.Blog == nil || at.Blog.Catalog == nil {
		t.Error("a blog that was read is not served")
	}
	broken = 0
	if read, ok = w.refresher.ReadOnce(t.Context()); !read || !ok {
		t.Fatalf("read %v, ok %v", read, ok)
	}
	if got := fmt.Sprint(order); got != "[1 2 1 2 3 4 5 6 7 8 9]" {
		t.Errorf("read in the order %s", got)
	}
	if !served[9] {
		t.Errorf("served meanwhile: %v", served)
	}
}

// Whoever asks at the start waits until the blog is read, and for no other one.
func TestRequestsWaitForTheirBlog(t *testing.T) {
	net := &fakeNetwork{}
	ts := newSite(t, config.Site{}, net)
	release := make(chan struct{})
	net.walk = func() (*site.Walk, error) {
		pass := &site.Walk{Network: true}
		for id := int64(1); id <= 3; id++ {
			stand := site.Facts{ID: id, Home: fmt.Sprintf("https://example.com/b%d", id), Hosts: []string{"example.com"}, Network: true}
			pass.Stubs = append(pass.Stubs, site.Stub{Facts: stand, Read: func(context.Context) ([]site.Facts, error) {
				if id == 2 {
					<-release
				}
				return []site.Facts{fakeBlog(id, stand.Home, newFakeCatalog(stand.Home))}, nil
			}})
		}
		return pass, nil
	}
	var tasks sync.WaitGroup
	tasks.Go(func() { ts.installs[0].refresher.ReadOnce(t.Context()) })
	ask := func(path string) int {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "example.com"
		rec := httptest.NewRecorder()
		ts.ServeHTTP(rec, r)
		return rec.Code
	}
	if status := ask("/b1/post-sitemap.xml"); status != 200 {
		t.Errorf("the blog that is read: %d", status)
	}
	tasks.Go(func() {
		if status := ask("/b3/post-sitemap.xml"); status != 200 {
			t.Errorf("the blog that is read last: %d", status)
		}
	})
	close(release)
	tasks.Wait()
}

// Options of a whole network are read when its database is opened, and a change of them is followed all the same.
func TestOptionsOfTheNetworkAreFollowed(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	site := realSite("net", dsn)
	site.Hosts = nil
	ts := startReal(t, 0, site)
	until := func(path string, want int) {
		t.Helper()
		got := 0
		wptest.Eventually(t, fmt.Sprintf("%s is %d", path, want), func() bool {
			got = ts.ask("example.test", path).status
			return got == want
		}, &got, ts.log)
	}
	until("/post-sitemap.xml", 200)
	wptest.Exec(t, dsn, "DELETE FROM wp_sitemeta WHERE meta_key = 'wpseo_ms'",
		`INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, 'wpseo_ms', 'a:1:{s:24:"allow_enable_xml_sitemap";b:0;}')`)
	until("/wp-sitemap-posts-post-1.xml", 200)
	wptest.Exec(t, dsn, "DELETE FROM wp_sitemeta WHERE meta_key = 'wpseo_ms'")
	until("/post-sitemap.xml", 200)
}
