// Package sitetest provides a small real WordPress for tests of the server. Only tests import it.
package sitetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
	"wpsitemapd/wp/wptest"
)

// Published is the date of all posts of a WordPress, unless Edit changes it.
var Published = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Contents is a part of each statement that reads the posts of a page.
const Contents = "p.post_content FROM wp_posts p"

// A WordPress is a small site with Yoast SEO in SQLite. A test can write to it, break it and watch its statements.
type WordPress struct {
	DSN, Home string

	t      testing.TB
	blogs  int
	opened []*wp.Network

	mu   sync.Mutex
	down error
	read map[string]func() // functions to call after a statement; the key is a part of the statement
}

// NewWordPress creates a site at a home, with posts whose slugs are post-1, post-2 and so on. It also applies the
// seeds, see wptest.Load.
func NewWordPress(t testing.TB, home string, posts int, seeds ...string) *WordPress {
	t.Helper()
	w := &WordPress{DSN: wptest.Load(t, wptest.SQLite, append([]string{"small"}, seeds...)...), t: t, read: map[string]func(){}}
	w.Move(home)
	w.Publish("post", posts)
	return w
}

// ThreePosts returns a site with an index and, by SetDefaults, two pages of posts. The first page lists home and two posts, the
// second one post.
func ThreePosts(t testing.TB, home string) *WordPress {
	t.Helper()
	return NewWordPress(t, home, 3)
}

// SetDefaults fills the fields of a site that tests usually leave empty: three entries a page at level spec.
func SetDefaults(c *config.Site) {
	c.Refresh, c.PageSize = cmp.Or(c.Refresh, time.Minute), cmp.Or(c.PageSize, 3)
	c.Stylesheet, c.Compat = cmp.Or(c.Stylesheet, "css"), cmp.Or(c.Compat, "spec")
}

// Alter publishes a blog of a site with changed values.
func Alter(s *site.Site, id int64, change func(*site.Blog)) {
	b := *s.Snapshot().Of(id)[0]
	change(&b)
	s.Publish(s.Snapshot().With(id, []*site.Blog{&b}))
}

// NewNetwork creates a network in folders with a blog at each home. Each blog has the given number of posts.
func NewNetwork(t testing.TB, posts int, homes ...string) *WordPress {
	t.Helper()
	w := NewWordPress(t, homes[0], posts)
	host, _ := weburl.Split(w.Home)
	w.Exec("--: create network\nINSERT INTO wp_site (id, domain, path) VALUES (1, '"+host+"', '/')",
		"INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES "+
			"(1, 'siteurl', '"+w.Home+"/'), (1, 'main_site', '1'), (1, 'subdomain_install', '0')")
	for _, home := range homes {
		w.AddBlog(home)
	}
	return w
}

// AddBlog adds a blog with the posts of the first blog to a network.
func (w *WordPress) AddBlog(home string) {
	w.t.Helper()
	host, path := weburl.Split(home)
	if path != "" {
		path += "/"
	}
	w.blogs++
	w.Exec(fmt.Sprintf(`INSERT INTO wp_blogs (blog_id, site_id, domain, path, registered, last_updated, public)
VALUES (%d, 1, '%s', '/%s', '2024-10-01', '2024-10-01', 1)`, w.blogs, host, path))
	if w.blogs > 1 {
		w.Exec(fmt.Sprintf(`--: create blog %d
INSERT INTO wp_%[1]d_options SELECT * FROM wp_options;
INSERT INTO wp_%[1]d_posts SELECT * FROM wp_posts;
UPDATE wp_%[1]d_options SET option_value = '%[2]s' WHERE option_name IN ('home', 'siteurl')`, w.blogs, home))
	}
}

// Exec runs statements in the database, see wptest.Exec.
func (w *WordPress) Exec(statements ...string) {
	w.t.Helper()
	wptest.Exec(w.t, w.DSN, statements...)
}

// Move changes the home of the site, or of the first blog of a network.
func (w *WordPress) Move(home string) {
	w.t.Helper()
	w.Home = home
	w.Exec("UPDATE wp_options SET option_value = '" + home + "' WHERE option_name IN ('home', 'siteurl')")
}

// Publish replaces all objects of a type by n published ones.
func (w *WordPress) Publish(kind string, n int) {
	w.t.Helper()
	rows, first := []string{"DELETE FROM wp_posts WHERE post_type = '" + kind + "'"}, 10_000
	if kind == "page" {
		first = 20_000
	}
	if n > 0 {
		var values []string
		for i := range n {
			values = append(values, fmt.Sprintf("(%d, '%s', 'publish', '%[2]s-%d', '%[4]s', '%[4]s', '%[4]s', '%[4]s', 0, 0, 'T', '', '', '', '', '')",
				first+i, kind, i+1, Published.Format(time.DateTime)))
		}
		rows = append(rows, "INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_date, post_date_gmt, post_modified, post_modified_gmt, "+
			"post_parent, post_author, post_title, post_excerpt, post_content, to_ping, pinged, post_content_filtered) VALUES "+strings.Join(values, ", "))
	}
	w.Exec(rows...)
}

// Edit gives a published object a revision and a new date, some minutes after Published.
func (w *WordPress) Edit(slug string, minutes int) {
	w.t.Helper()
	at := Published.Add(time.Duration(minutes) * time.Minute).Format(time.DateTime)
	w.Exec(fmt.Sprintf(`UPDATE wp_posts SET post_modified = '%s', post_modified_gmt = '%[1]s' WHERE post_name = '%s'`, at, slug),
		fmt.Sprintf(`INSERT INTO wp_posts (post_type, post_status, post_name, post_date, post_content, post_parent)
SELECT 'revision', 'inherit', ID || '-revision-v1', '%s', '', ID FROM wp_posts WHERE post_name = '%s'`, at, slug))
}

// Break renames a table, so that it is missing until Mend is called.
func (w *WordPress) Break(table string) {
	w.t.Helper()
	w.Exec("ALTER TABLE " + table + " RENAME TO broken_" + table)
}

// Mend renames a table back that Break has renamed.
func (w *WordPress) Mend(table string) {
	w.t.Helper()
	w.Exec("ALTER TABLE broken_" + table + " RENAME TO " + table)
}

// Refuse makes every attempt to open the database fail with an error. nil ends that.
func (w *WordPress) Refuse(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = why
}

// After calls do after each statement that contains part, before the rows are used. nil ends that.
func (w *WordPress) After(part string, do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read[part] = do
}

// Hold makes every reader wait after a statement that contains part, until goOn is called. begun gets a value for each reader
// that waits.
func (w *WordPress) Hold(part string) (begun <-chan struct{}, goOn func()) {
	stopped, held := make(chan struct{}, 1000), make(chan struct{})
	w.After(part, func() {
		stopped <- struct{}{}
		<-held
	})
	return stopped, sync.OnceFunc(func() { w.After(part, nil); close(held) })
}

// Open opens the database of a site, as refresh.Daemon.Open does.
func (w *WordPress) Open(ctx context.Context, of *site.Site, now func() time.Time, turn func(context.Context, string)) (*wp.Network, error) {
	w.mu.Lock()
	down := w.down
	w.mu.Unlock()
	if down != nil {
		return nil, down
	}
	source := site.SourceOf(&of.Config)
	source.DSN, source.WPConfig, source.Now, source.Turn = w.DSN, "", now, turn
	source.Observe = func(query string, rows int, took time.Duration, err error) {
		of.Counted.Queried(query, rows, took, err)
		w.mu.Lock()
		var todo []func()
		for part, do := range w.read {
			if do != nil && strings.Contains(query, part) {
				todo = append(todo, do)
			}
		}
		w.mu.Unlock()
		for _, do := range todo {
			do()
		}
	}
	n, err := wp.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	n.RouteAs(of.Routed)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened = append(w.opened, n)
	return n, nil
}

// Blog reads the first blog of the database, for a site without a daemon. Its catalog has the given generation.
func (w *WordPress) Blog(of *site.Site, now func() time.Time, generation uint64) *site.Blog {
	w.t.Helper()
	ctx := w.t.Context()
	n, err := w.Open(ctx, of, now, nil)
	wptest.Must(w.t, err)
	w.t.Cleanup(func() { n.Close() })
	list, err := n.Walk(ctx, nil)
	wptest.Must(w.t, err)
	blogs, err := of.ReadBlogs(ctx, list)
	wptest.Must(w.t, err)
	c, err := sitemap.Build(ctx, blogs[0].Book, of.Options(1, now))
	wptest.Must(w.t, err)
	blogs[0].Serve(c, generation, now())
	return blogs[0]
}

// Opened returns how many of the databases that were opened are still open, and how many are closed.
func (w *WordPress) Opened() (open, closed int) {
	w.mu.Lock()
	networks := slices.Clone(w.opened)
	w.mu.Unlock()
	for _, n := range networks {
		if inUse, idle := n.Connections(); inUse+idle == 0 {
			closed++
		} else {
			open++
		}
	}
	return open, closed
}
