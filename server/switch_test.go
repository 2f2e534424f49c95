package server

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Statements that change the settings of a running site so that it has other sitemaps.
const (
	noPlugin = `UPDATE wp_options SET option_value = 'a:1:{i:0;s:43:"custom-post-type-ui/custom-post-type-ui.php";}'
		WHERE option_name = 'active_plugins'`
	// coreRule adds the rewrite rule that WordPress 5.5 and later have.
	coreRule = `UPDATE wp_options SET option_value =
		REPLACE(option_value, 'a:89:{', CONCAT('a:90:{s:17:"^wp-sitemap', CHAR(92), '.xml$";s:23:"index.php?sitemap=index";'))
		WHERE option_name = 'rewrite_rules'`

	yoastIndex, coreIndex = "/sitemap_index.xml", "/wp-sitemap.xml"
)

// switched is a running site on MariaDB with many objects of several types, and with PHP as its upstream.
type switched struct {
	*daemon
	dsn  string
	core atomic.Bool // robots.txt of PHP names WordPress' own index
}

func startSwitched(t *testing.T) *switched {
	t.Parallel()
	s := &switched{dsn: wptest.Load(t, wptest.MariaDB, "basic", "types")}
	wptest.Exec(t, s.dsn, coreRule,
		"UPDATE wp_options SET option_value = '0' WHERE option_name = 'page_for_posts'") // post-sitemap.xml then contains nothing else
	for _, kind := range []string{"concert", "page", "post"} {
		s.insert(t, kind, 40)
	}
	site := realSite("a", wptest.ReadOnlyDSN(t, s.dsn))
	site.Confirm = time.Hour
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

// consistent requests robots.txt and both indexes. One index must be named and served, and the other one not.
func (s *switched) consistent() {
	s.t.Helper()
	before := s.ask("a.test", "/robots.txt").body
	answers := map[string]answer{yoastIndex: s.ask("a.test", yoastIndex), coreIndex: s.ask("a.test", coreIndex)}
	if s.ask("a.test", "/robots.txt").body != before {
		return // the plugin was just switched
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

// until waits until ok returns true for the answer at a path.
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

// blameless fails the test if the log blames the database.
func (s *switched) blameless(cause string) {
	s.t.Helper()
	if s.log.count("missing in its database") > 0 || s.log.count("level=ERROR") > 0 {
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

// After the plugin is switched off or on, the right sitemaps are served soon, without any help.
func TestYoastIsSwitchedOffAndOn(t *testing.T) {
	s := startSwitched(t)
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

// The operator may name a plugin although the site has switched its sitemaps off, or has none. Then that plugin's
// sitemaps are served, other indexes redirect to its index, and robots.txt names only them. The upstream still answers
// all other addresses.
func TestOperatorChoosesWhoseSitemaps(t *testing.T) {
	t.Parallel()
	const without = `UPDATE wp_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'`
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "User-agent: *\nDisallow: /wp-admin/\n\nSitemap: https://small.test/wp-sitemap.xml\nSitemap: https://small.test/news.xml\n")
	})
	moved := func(to string) string { return "301 https://small.test" + to }
	for _, tt := range []struct {
		sitemaps string
		answers  map[string]string // status, and Location if it matters
		names    string            // the sitemaps that robots.txt names
	}{
		{"yoast", map[string]string{
			"/sitemap_index.xml": "200", "/post-sitemap.xml": "200", "/sitemap.xml": moved("/sitemap_index.xml"),
			"/sitemaps.xml": moved("/sitemap_index.xml"), "/wp-sitemap.xml": moved("/sitemap_index.xml"), "/about/": "418",
		}, "news.xml sitemap_index.xml"},
		{"auto", map[string]string{"/wp-sitemap.xml": "200", "/sitemap_index.xml": "418", "/sitemap.xml": "418"}, "news.xml wp-sitemap.xml"},
		{"off", map[string]string{
			"/wp-sitemap.xml": "418", "/sitemap_index.xml": "418", "/page-sitemap.xml": "418", "/post-sitemap1.xml": "418", "/sitemap.xml": "418",
			"/main-sitemap.xsl": "418", "/wpsitemapd.css": "418", "/?sitemap=1": "418",
		}, "news.xml wp-sitemap.xml"},
	} {
		t.Run(tt.sitemaps, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, without)
			install := realSite("small", dsn)
			install.Sitemaps, install.Upstream = tt.sitemaps, up
			ts := startReal(t, 1, install)
			for path, want := range tt.answers {
				resp := ts.get("GET", "http://small.test"+path)
				got := strings.TrimSpace(resp.Status[:3] + " " + resp.Header.Get("Location"))
				expect.Equal(t, got, want, path)
			}
			var names []string
			for line := range strings.Lines(body(t, ts.get("GET", "http://small.test/robots.txt"))) {
				if address, ok := strings.CutPrefix(strings.TrimSpace(line), "Sitemap: https://small.test/"); ok {
					names = append(names, address)
				}
			}
			slices.Sort(names)
			expect.Equal(t, strings.Join(names, " "), tt.names, "robots.txt names")
		})
	}
}

// The settings of a plugin may give its files other names. They are served at these addresses, robots.txt names them,
// and other addresses redirect there. A start without the database knows that too.
func TestFilesOfAnotherName(t *testing.T) {
	t.Parallel()
	answers := map[string]int{
		"/map.xml": 200, "/addl-map.xml": 200, "/addl-map.xml.gz": 200, "/map.html": 200, "/addl-sitemap.xml": 404,
		"/page-map.xml": 404, "/sitemap.xml": 404, "/sitemap_index.xml": 302,
	}
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
		('active_plugins', 'a:1:{i:0;s:43:"all-in-one-seo-pack/all_in_one_seo_pack.php";}', 'on'),
		('aioseo_options', '{"sitemap":{"general":{"filename":"map"}}}', 'on')`)
	dir, install := t.TempDir(), realSite("small", dsn)
	s := startState(t, dir, install).read()
	ask := func(when string) {
		for path, want := range answers {
			a := s.ask("small.test", path)
			if a.status != want || want == 302 && !strings.Contains(a.body, "https://small.test/map.xml") {
				t.Errorf("%s: %s: %+v, want %d", when, path, a, want)
			}
		}
	}
	ask("from the database")
	index := s.installs[0].Snapshot().Blogs[0].Outline.Index
	expect.Contains(t, s.ask("small.test", "/robots.txt").body, "Sitemap: "+index+"\n", "robots.txt does not name", index)
	s.stop()
	wptest.Exec(t, dsn, "ALTER TABLE wp_posts RENAME TO gone")
	s = startState(t, dir, install)
	ask("from the state")
	if a := s.ask("small.test", strings.TrimPrefix(index, "https://small.test")); a.age == "" {
		t.Errorf("not from the state: %+v", a)
	}
}

// rewriteRules returns an option rewrite_rules as PHP serialises it. pairs are patterns and queries in turn.
func rewriteRules(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, `s:%d:"%s";s:%d:"%s";`, len(pairs[i]), pairs[i], len(pairs[i+1]), pairs[i+1])
	}
	return fmt.Sprintf("a:%d:{%s}", len(pairs)/2, b.String())
}

// These types are registered by code, and neither Yoast's lists nor its index know them yet. If only rewrite rules name
// them, nothing shows whether they are public. The site itself must say which sitemaps exist.
func TestTypesThatNothingDecides(t *testing.T) {
	pairs := []string{
		"forum/?$", "index.php?post_type=forum", "forum/([^/]+)(?:/([0-9]+))?/?$", "index.php?forum=$matches[1]&page=$matches[2]",
		"hall/([^/]+)(?:/([0-9]+))?/?$", "index.php?hall=$matches[1]&page=$matches[2]",
		"room/([^/]+)(?:/([0-9]+))?/?$", "index.php?room=$matches[1]&page=$matches[2]",
		"mood/([^/]+)/embed/?$", "index.php?mood=$matches[1]&embed=true", "mood/([^/]+)/?$", "index.php?mood=$matches[1]",
		"tone/([^/]+)/embed/?$", "index.php?tone=$matches[1]&embed=true", "tone/([^/]+)/?$", "index.php?tone=$matches[1]",
	}
	rules, withCore := rewriteRules(pairs...), rewriteRules(append(pairs, `^wp-sitemap\.xml$`, "index.php?sitemap=index")...)
	fresh := []string{
		"REPLACE INTO wp_options (option_name, option_value) VALUES ('rewrite_rules', '" + rules +
			"'), ('wpseo', 'a:0:{}'), ('wpseo_titles', 'a:1:{s:12:\"noindex-room\";b:1;}')",
		"UPDATE wp_posts SET post_type = 'forum' WHERE ID IN (100, 101)",
		"UPDATE wp_posts SET post_type = 'room' WHERE ID = 102",
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (901, 'calm', 'calm')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (901, 901, 'mood', '', 0, 1)",
	}
	emptied := "DELETE FROM wp_yoast_indexable"
	const left, unknown, missing, ours = 299, 503, 404, 200 // left: status of this test's upstream
	for _, tt := range []struct {
		name string
		more []string
		want map[string][2]int // by path: the status with an upstream, and without one
	}{
		{
			name: "an empty index", more: []string{emptied},
			want: map[string][2]int{
				"/forum-sitemap.xml": {left, unknown}, "/forum-sitemap2.xml": {left, unknown}, "/?sitemap=forum": {left, unknown},
				"/hall-sitemap.xml":   {left, unknown}, // there are no posts, but there may be a sitemap
				"/mood-sitemap.xml":   {left, unknown},
				"/tone-sitemap.xml":   {left, missing}, // there are no terms, but the site's own index may name a sitemap
				"/room-sitemap.xml":   {left, missing}, // it is noindexed, but the same holds
				"/post-sitemap.xml":   {ours, ours},
				"/sitemap_index.xml":  {left, ours},
				"/nobody-sitemap.xml": {left, missing},
			},
		},
		{
			name: "WordPress' own sitemaps",
			more: []string{emptied, "UPDATE wp_options SET option_value = 'a:1:{s:18:\"enable_xml_sitemap\";b:0;}' WHERE option_name = 'wpseo'",
				"REPLACE INTO wp_options (option_name, option_value) VALUES ('rewrite_rules', '" + withCore + "')"},
			want: map[string][2]int{
				"/wp-sitemap-posts-forum-1.xml": {left, unknown}, "/wp-sitemap-taxonomies-mood-1.xml": {left, unknown},
				"/wp-sitemap-posts-post-1.xml": {ours, ours}, "/wp-sitemap.xml": {left, ours},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			upstream := startUpstream(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(left) })
			dsn := wptest.Load(t, wptest.SQLite, "basic")
			wptest.Exec(t, dsn, append(fresh, tt.more...)...)
			for i, up := range []proxy.Upstream{upstream, {}} {
				site := realSite("a", dsn)
				site.Hosts = []config.Host{"example.test"}
				site.Upstream = up
				ts := startReal(t, 1, site)
				for path, want := range tt.want {
					expect.Equal(t, ts.ask("example.test", path).status, want[i], "with an upstream", i == 0, path)
				}
			}
		})
	}
}

// WordPress empties its rewrite rules, and makes new ones at its next request. In between, the earlier rules count, in
// a running daemon and in one that starts with stored state. A daemon without that state reports that the types are
// unknown.
func TestEmptiedRewriteRules(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, "DELETE FROM wp_yoast_indexable", "UPDATE wp_posts SET post_type = 'forum' WHERE ID IN (100, 101)",
		"REPLACE INTO wp_options (option_name, option_value) VALUES ('rewrite_rules', '"+rewriteRules(
			"halls/([^/]+)(?:/([0-9]+))?/?$", "index.php?forum=$matches[1]&page=$matches[2]")+"'), ('wpseo', "+
			"'a:1:{s:28:\"last_known_public_post_types\";a:3:{i:0;s:4:\"post\";i:1;s:4:\"page\";i:2;s:5:\"forum\";}}')")
	dir, host, path := t.TempDir(), "a.test", "/forum-sitemap.xml"
	site := realSite("a", dsn)
	s := startState(t, dir, site).read()
	before := s.ask(host, path)
	if before.status != 200 || !strings.Contains(before.body, "/halls/") {
		t.Fatalf("%+v", before)
	}
	same := func(when string, s *daemon) {
		t.Helper()
		wptest.Eventually(t, "the empty rules are read "+when, func() bool {
			return strings.Contains(fmt.Sprint(s.installs[0].Snapshot().Blogs[0].Warnings), "option rewrite_rules is empty")
		}, s.log)
		expect.Equal(t, s.ask(host, path), before, when)
		if got := s.ask(host, "/sitemap_index.xml"); got.status != 200 || !strings.Contains(got.body, path) {
			t.Errorf("%s: the index is %+v", when, got)
		}
	}
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '' WHERE option_name = 'rewrite_rules'")
	s.installs[0].refresher.ReadNow()
	same("while it runs", s)
	s.written()
	s.stop()
	s = startState(t, dir, site).read()
	same("after a restart", s)
	s.written()
	s.stop()
	s = startState(t, dir, site).read()
	same("after another one", s)

	s = startState(t, t.TempDir(), site).read()
	expect.Equal(t, s.ask(host, path).status, 503, "without state", "want 503")
}
