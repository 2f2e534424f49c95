package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// Settings of a running site that turn its sitemaps into others.
const (
	noPlugin = `UPDATE wp_options SET option_value = 'a:1:{i:0;s:43:"custom-post-type-ui/custom-post-type-ui.php";}'
		WHERE option_name = 'active_plugins'`
	noPosts = `UPDATE wp_options SET option_value = REPLACE(option_value, 's:12:"noindex-post";b:0', 's:12:"noindex-post";b:1')
		WHERE option_name = 'wpseo_titles'`
	// coreRule is what WordPress 5.5 and later have among their rewrite rules.
	coreRule = `UPDATE wp_options SET option_value =
		REPLACE(option_value, 'a:89:{', CONCAT('a:90:{s:17:"^wp-sitemap', CHAR(92), '.xml$";s:23:"index.php?sitemap=index";'))
		WHERE option_name = 'rewrite_rules'`

	yoastIndex, coreIndex = "/sitemap_index.xml", "/wp-sitemap.xml"
)

// switched is a running site on MariaDB with many objects of several types, and PHP behind it.
type switched struct {
	*daemon
	dsn  string
	core atomic.Bool // PHP's robots.txt names WordPress' own index
}

func startSwitched(t *testing.T, confirm time.Duration) *switched {
	t.Parallel()
	s := &switched{dsn: wptest.Load(t, wptest.MariaDB, "basic", "types")}
	wptest.Exec(t, s.dsn, coreRule,
		"UPDATE wp_options SET option_value = '0' WHERE option_name = 'page_for_posts'") // post-sitemap.xml holds nothing else
	for _, kind := range []string{"concert", "page", "post"} {
		s.insert(t, kind, 40)
	}
	site := realSite("a", wptest.ReadOnlyDSN(t, s.dsn))
	site.Confirm = confirm
	site.Upstream = startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		index := yoastIndex
		if s.core.Load() {
			index = coreIndex
		}
		io.WriteString(w, "User-agent: *\nDisallow: /private/\n\nSitemap: https://example.test"+index+"\n")
	})
	s.daemon = startState(t, t.TempDir(), site).read()
	s.settle()
	return s
}

var inserted atomic.Int64

// insert adds published objects of a type.
func (s *switched) insert(t *testing.T, kind string, n int) {
	var rows []string
	for range n {
		id := 10_000 + inserted.Add(1)
		const dates = "'2024-09-01 12:00:00', '2024-09-01 10:00:00', '2024-09-01 12:00:00', '2024-09-01 10:00:00'"
		rows = append(rows, fmt.Sprintf("(%d, 2, %s, 'publish', '%s', '%s-%d', 'T', 0, 'Text.')", id, dates, kind, kind, id))
	}
	wptest.Exec(t, s.dsn, "INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, "+
		"post_status, post_type, post_name, post_title, post_parent, post_content) VALUES "+strings.Join(rows, ", "))
}

// consistent asks for robots.txt and both indexes: one is named, and served, and the other is not.
func (s *switched) consistent() {
	s.t.Helper()
	before := s.ask("a.test", "/robots.txt").body
	answers := map[string]answer{yoastIndex: s.ask("a.test", yoastIndex), coreIndex: s.ask("a.test", coreIndex)}
	if s.ask("a.test", "/robots.txt").body != before {
		return // it was switched just now
	}
	if n := strings.Count(before, "Sitemap:"); n != 1 {
		s.t.Fatalf("%d indexes are named:\n%s", n, before)
	}
	for path, got := range answers {
		named := strings.Contains(before, "Sitemap: https://example.test"+path)
		if named != (got.status == 200) {
			s.t.Fatalf("%s is %d\n%s\n%s", path, got.status, before, s.log)
		}
	}
}

// until waits until a sitemap is answered so.
func (s *switched) until(what, path string, ok func(answer) bool) {
	s.t.Helper()
	wptest.Eventually(s.t, what+": "+path, func() bool {
		s.consistent()
		got := s.ask("a.test", path)
		if got.status == 503 {
			s.t.Fatalf("%s: %s is %d\n%s", what, path, got.status, s.log)
		}
		return ok(got)
	}, func() any { return s.ask("a.test", path) }, s.log)
}

func served(a answer) bool { return a.status == 200 && a.age == "" }
func absent(a answer) bool { return a.status == 404 }

// blameless fails where the database was blamed.
func (s *switched) blameless(cause string) {
	s.t.Helper()
	if s.log.count("gone from its database") > 0 || s.log.count("level=ERROR") > 0 {
		s.t.Errorf("the database is blamed\n%s", s.log)
	}
	if s.log.count(cause) == 0 {
		s.t.Errorf("nothing is said of %q\n%s", cause, s.log)
	}
	wptest.Eventually(s.t, "no alarm", func() bool {
		got := s.Status()[0]
		return got.Alarm == "" && got.Alarms == 0
	}, func() any { return s.Status()[0] })
}

// The plugin is switched off and on: what answers then is served soon, with nobody's help.
func TestYoastIsSwitchedOffAndOn(t *testing.T) {
	s := startSwitched(t, time.Hour)
	s.until("at first", yoastIndex, served)
	plugins := fmt.Sprintf("UPDATE wp_options SET option_value = '%s' WHERE option_name = 'active_plugins'", storedOption(t, s.dsn, "active_plugins"))
	s.core.Store(true)
	wptest.Exec(t, s.dsn, noPlugin)
	s.until("switched off", coreIndex, served)
	s.until("switched off", "/wp-sitemap-posts-post-1.xml", served)
	s.until("switched off", "/post-sitemap.xml", absent)
	s.core.Store(false)
	wptest.Exec(t, s.dsn, plugins)
	s.until("switched on", yoastIndex, served)
	s.until("switched on", "/post-sitemap.xml", served)
	s.blameless("the sitemaps of Yoast SEO are off")
	if s.log.count("those of Yoast SEO answer") == 0 {
		t.Error("nothing is said of their return")
	}
}

func storedOption(t *testing.T, dsn, name string) (value string) {
	db, _ := wptest.DB(t, dsn)
	wptest.Must(t, db.QueryRow("SELECT option_value FROM wp_options WHERE option_name = ?", name).Scan(&value))
	return value
}

// What settings leave out as a whole goes soon, and is no alarm.
func TestSettingsAreFollowed(t *testing.T) {
	s := startSwitched(t, time.Hour)
	s.until("at first", "/post-sitemap.xml", served)
	wptest.Exec(t, s.dsn, noPosts)
	s.until("posts are not indexed", "/post-sitemap.xml", absent)
	s.blameless("not indexed or switched off: post")
}
