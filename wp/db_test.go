package wp

import (
	"database/sql"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func open(t *testing.T, src Source) *Network {
	t.Helper()
	src.Name = "shop"
	n, err := Open(t.Context(), src)
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	return n
}

func openSite(t *testing.T, src Source) *Blog {
	t.Helper()
	sites, err := open(t, src).ReadBlogs(t.Context())
	wptest.Must(t, err)
	return sites[0]
}

func TestObserveIsToldOfEveryStatement(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		var told, read, failed atomic.Int64
		s := openSite(t, Source{DSN: wptest.Load(t, e, "basic"), Observe: func(query string, rows int, took time.Duration, err error) {
			told.Add(1)
			read.Add(int64(rows))
			if err != nil {
				failed.Add(1)
			}
			if query == "" || took < 0 {
				t.Errorf("%q took %s", query, took)
			}
		}})
		before, readBefore, posts := told.Load(), read.Load(), int64(0)
		wptest.Must(t, s.Query(t.Context(), "SELECT ID FROM wp_posts", nil, func(*sql.Rows) error { posts++; return nil }))
		if got, rows := told.Load()-before, read.Load()-readBefore; got != 1 || rows != posts || posts == 0 {
			t.Errorf("told of %d statements with %d rows, want 1 with %d", got, rows, posts)
		}
		failures := failed.Load()
		err := s.Query(t.Context(), "SELECT nothing FROM wp_posts", nil, func(*sql.Rows) error { return nil })
		if err == nil || failed.Load() != failures+1 {
			t.Errorf("%v, told of %d failures, want 1", err, failed.Load()-failures)
		}
	})
}

func TestTablesBind(t *testing.T) {
	for _, tt := range []struct{ name, blog, base, query, want string }{
		{"a single site", "wp_", "wp_", sqlNodes, sqlNodes},
		{"another prefix", "x1_", "x1_", "SELECT 1 FROM wp_posts p JOIN wp_postmeta m", "SELECT 1 FROM x1_posts p JOIN x1_postmeta m"},
		{"a blog of a network", "wp_7_", "wp_", "SELECT 1 FROM wp_posts, wp_users, wp_usermeta", "SELECT 1 FROM wp_7_posts, wp_users, wp_usermeta"},
		{"the network's tables", "x_7_", "x_", "wp_blogs, wp_site , wp_sitemeta, wp_options", "x_blogs, x_site , x_sitemeta, x_7_options"},
		{
			"meta keys stay", "x_7_", "x_", "SELECT 1 FROM wp_postmeta WHERE meta_key = '_wp_attached_file'",
			"SELECT 1 FROM x_7_postmeta WHERE meta_key = '_wp_attached_file'",
		},
		{
			"a prefix that holds the placeholder", "wp_users_", "wp_users_", "SELECT 1 FROM wp_users, wp_posts",
			"SELECT 1 FROM wp_users_users, wp_users_posts",
		},
	} {
		expect.Equal(t, newTables(tt.blog, tt.base, tt.base+"users", tt.base+"usermeta").Bind(tt.query), tt.want, tt.name)
	}
}
