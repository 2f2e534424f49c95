package journal

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// followed is a site with a journal. Its clock stands still until the test sets it.
type followed struct {
	*Journal
	t     *testing.T
	site  *site.Site
	dsn   string
	clock time.Time
	reads uint64
}

func follow(t *testing.T, kept *store.Store) *followed {
	f := &followed{
		Journal: &Journal{kept: kept}, t: t, dsn: wptest.Load(t, wptest.SQLite, "small"), clock: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
		site: site.New(config.Site{Name: "a", Sitemaps: "yoast", Compat: "spec"}, slog.New(slog.DiscardHandler)),
	}
	wptest.Exec(t, f.dsn, "UPDATE wp_options SET option_value = 'https://a.test' WHERE option_name IN ('home', 'siteurl')", page("first"))
	return f
}

// page returns the statement that publishes a page.
func page(slug string) string {
	return fmt.Sprintf(`INSERT INTO wp_posts (post_type, post_status, post_name, post_date, post_date_gmt, post_modified,
post_modified_gmt, post_parent, post_author, post_title, post_excerpt, post_content, to_ping, pinged, post_content_filtered) SELECT 'page', 'publish',
'%s', '2024-01-01 10:00:00', '2024-01-01 10:00:00', '2024-01-01 10:00:00', '2024-01-01 10:00:00', 0, 1, 'T', '', '', '', '', ''`, slug)
}

func unpublish(slug string) string {
	return "UPDATE wp_posts SET post_status = 'draft' WHERE post_name = '" + slug + "'"
}

// read publishes the current state of the database after statements, and lets the journal look.
func (f *followed) read(statements ...string) *site.Blog {
	f.t.Helper()
	wptest.Exec(f.t, f.dsn, statements...)
	source := f.site.Config
	source.DSN = config.Secret(f.dsn)
	n, blogs, err := site.Blogs(f.t.Context(), &source)
	wptest.Must(f.t, err)
	f.t.Cleanup(func() { n.Close() })
	c, err := site.Build(f.t.Context(), &source, blogs[0], nil, f.site.Log, false)
	wptest.Must(f.t, err)
	f.reads++
	b := site.Unread(site.Blog{ID: 1, Home: "https://a.test"}, nil)
	b.Serve(c, f.reads, f.clock)
	f.publish(b)
	return b
}

func (f *followed) publish(b *site.Blog) {
	f.site.Publish(&site.Snapshot{Opened: true, Blogs: []*site.Blog{b}})
	f.look(f.t.Context(), []*site.Site{f.site}, pages.NewSlots(8, 8), f.clock)
}

// want checks the changes in the journal, the newest first.
func (f *followed) want(want ...string) {
	f.t.Helper()
	var got []string
	for _, c := range f.Of("a", f.site.Snapshot().Blogs[0]) {
		got = append(got, strings.TrimSpace(c.What+" "+strings.TrimPrefix(c.URL, "https://a.test")+c.Note))
	}
	expect.List(f.t, got, append(want, "note "+began))
}

func TestJournal(t *testing.T) {
	f := follow(t, nil)
	f.read() // the first catalog is no change
	f.want()
	f.read(page("second"))
	f.want("came /second/")
	f.read(unpublish("first"))
	f.want("came /second/") // the comparison has to wait
	f.clock = f.clock.Add(rest)
	f.read(page("third"))
	f.want("came /third/", "went /first/", "came /second/")
	f.clock = f.clock.Add(rest)
	f.read("UPDATE wp_posts SET post_modified_gmt = '2024-02-01 10:00:00' WHERE post_name = 'third'")
	f.clock = f.clock.Add(rest)
	f.read("UPDATE wp_posts SET post_modified_gmt = '2024-03-01 10:00:00' WHERE post_name = 'third'")
	f.want("changed /third/", "came /third/", "went /first/", "came /second/") // of the changes of a URL the last
	f.clock = f.clock.Add(rest)
	f.read("DELETE FROM wp_posts WHERE post_name = 'second'")
	f.want("went /second/", "changed /third/", "came /third/", "went /first/", "came /second/") // the URL is known from before
	f.clock = f.clock.Add(Days * 24 * time.Hour)
	f.read(page("fourth"))
	var left []string
	for _, c := range f.Of("a", f.site.Snapshot().Blogs[0]) {
		left = append(left, c.URL)
	}
	expect.List(t, left, []string{"https://a.test/fourth/", "https://a.test/second/"})
}

// A loss that the guard holds is not in the sitemaps. An idle blog keeps no catalog in memory.
func TestHeldAndIdle(t *testing.T) {
	f := follow(t, nil)
	f.read()
	held := f.site.Snapshot().Blogs[0].HeldFor("most of it is gone")
	held.Generation++
	f.publish(held)
	f.want()
	f.publish(held.Idle())
	expect.Equal(t, len(f.blogs), 1, "without a store, its changes are in memory only")
	for _, b := range f.blogs {
		expect.Equal(t, b.known == nil, true)
	}
	f.read(page("second"))
	f.want() // nobody knows what the blog listed while it was idle
	f.look(t.Context(), nil, nil, f.clock)
	expect.Equal(t, len(f.blogs), 0, "blogs that are gone")
}

// The store has the journal after a restart, and what came meanwhile is no change.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	open := func() (*store.Store, func()) {
		return servertest.OpenStore(t, sqlite.Backend, dir, store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	}
	kept, closeStore := open()
	f := follow(t, kept)
	f.read()
	f.read(page("second"))
	closeStore()
	kept, _ = open()
	f.Journal = &Journal{kept: kept}
	f.want("came /second/") // before anything was read
	f.read(page("third"))
	f.want("came /second/")
	f.read(page("fourth"))
	f.want("came /fourth/", "came /second/")
}

// A full journal takes little memory.
func TestBounds(t *testing.T) {
	var packed []byte
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for n := range 2 * most / mostAtOnce {
		var changes []catalog.Change
		for i := range mostAtOnce {
			id := n*mostAtOnce + i
			changes = append(changes, catalog.Change{At: at, What: "came", Sitemap: "post", Object: fmt.Sprint("post ", id),
				URL: fmt.Sprintf("https://www.example.com/2026/05/what-the-fishermen-told-us-about-%x/", id*id*7919)})
		}
		packed = pack(merge(unpack(packed), changes))
	}
	all := unpack(packed)
	expect.Equal(t, len(all), most)
	expect.Equal(t, all[most-1].Object, fmt.Sprint("post ", 2*most-1))
	if len(packed) > 24<<10 {
		t.Errorf("%d changes take %d bytes", most, len(packed))
	}
	expect.Equal(t, len(unpack([]byte("damaged"))), 0)
}
