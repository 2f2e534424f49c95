package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
)

// Settings of a running site that turn its sitemaps into others.
const (
	yoastOff = `UPDATE wp_options SET option_value = REPLACE(option_value, 's:18:"enable_xml_sitemap";b:1', 's:18:"enable_xml_sitemap";b:0')
		WHERE option_name = 'wpseo'`
	yoastOn = `UPDATE wp_options SET option_value = REPLACE(option_value, 's:18:"enable_xml_sitemap";b:0', 's:18:"enable_xml_sitemap";b:1')
		WHERE option_name = 'wpseo'`
	noPlugin = `UPDATE wp_options SET option_value = 'a:1:{i:0;s:43:"custom-post-type-ui/custom-post-type-ui.php";}'
		WHERE option_name = 'active_plugins'`
	noPosts = `UPDATE wp_options SET option_value = REPLACE(option_value, 's:12:"noindex-post";b:0', 's:12:"noindex-post";b:1')
		WHERE option_name = 'wpseo_titles'`
	noPages = `UPDATE wp_options SET option_value = REPLACE(option_value, 's:12:"noindex-page";b:0', 's:12:"noindex-page";b:1')
		WHERE option_name = 'wpseo_titles'`
	private = `UPDATE wp_options SET option_value = '0' WHERE option_name = 'blog_public'`
	// coreRule is what WordPress 5.5 and later have among their rewrite rules.
	coreRule = `UPDATE wp_options SET option_value =
		REPLACE(option_value, 'a:89:{', CONCAT('a:90:{s:17:"^wp-sitemap', CHAR(92), '.xml$";s:23:"index.php?sitemap=index";'))
		WHERE option_name = 'rewrite_rules'`

	yoastIndex, coreIndex = "/sitemap_index.xml", "/wp-sitemap.xml"
)

// switched is a running site on MariaDB with many objects of several types, and PHP behind it.
type switched struct {
	*withState
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
	s.withState = startState(t, t.TempDir(), site)
	<-s.workers[0].good
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
	for deadline := time.Now().Add(90 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		s.consistent()
		got := s.ask("a.test", path)
		if ok(got) {
			return
		}
		if got.status == 503 || time.Now().After(deadline) {
			s.t.Fatalf("%s: %s is %d\n%s", what, path, got.status, s.log)
		}
	}
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
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		got := s.Status()[0]
		if got.Alarm == "" && got.Alarms == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%+v", got)
		}
	}
}

// The switch of Yoast's sitemaps, and the plugin itself: what answers then is served soon, with nobody's help.
func TestYoastIsSwitchedOffAndOn(t *testing.T) {
	for name, off := range map[string]string{"by its switch": yoastOff, "by its plugin": noPlugin} {
		t.Run(name, func(t *testing.T) {
			s := startSwitched(t, time.Hour)
			s.until("at first", yoastIndex, served)
			plugins := fmt.Sprintf("UPDATE wp_options SET option_value = '%s' WHERE option_name = 'active_plugins'", storedOption(t, s.dsn, "active_plugins"))
			s.core.Store(true)
			wptest.Exec(t, s.dsn, off)
			s.until("switched off", coreIndex, served)
			s.until("switched off", "/wp-sitemap-posts-post-1.xml", served)
			s.until("switched off", "/post-sitemap.xml", absent)
			s.core.Store(false)
			wptest.Exec(t, s.dsn, yoastOn, plugins)
			s.until("switched on", yoastIndex, served)
			s.until("switched on", "/post-sitemap.xml", served)
			s.blameless("the sitemaps of Yoast SEO are off")
			if s.log.count("those of Yoast SEO answer") == 0 {
				t.Error("nothing is said of their return")
			}
		})
	}
}

func storedOption(t *testing.T, dsn, name string) (value string) {
	db, _ := wptest.DB(t, dsn)
	if err := db.QueryRow("SELECT option_value FROM wp_options WHERE option_name = ?", name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// What settings leave out as a whole goes soon, and is no alarm.
func TestSettingsAreFollowed(t *testing.T) {
	for _, tt := range []struct{ name, statement, path, cause string }{
		{"posts are not indexed", noPosts, "/post-sitemap.xml", "not indexed or switched off: post"},
		{"pages are not indexed", noPages, "/page-sitemap.xml", "not indexed or switched off: page"},
		{"search engines are asked to stay away", private, "/post-sitemap.xml", "blog_public"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startSwitched(t, time.Hour)
			s.until("at first", tt.path, served)
			wptest.Exec(t, s.dsn, tt.statement)
			s.until(tt.name, tt.path, absent)
			s.blameless(tt.cause)
		})
	}
}

// Types that are lost while others gain: an alarm, which ends by itself, or by an operator's word.
func TestTypesTurnIntoOthers(t *testing.T) {
	for _, tt := range []struct{ name, statement, gone, there string }{
		{"a type is renamed", "UPDATE wp_posts SET post_type = 'artist' WHERE post_type = 'concert'", "/concert-sitemap.xml", "/artist-sitemap.xml"},
		{"posts become pages", "UPDATE wp_posts SET post_type = 'page' WHERE post_type = 'post'", "/post-sitemap.xml", "/page-sitemap.xml"},
	} {
		for _, operator := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, ", accepted ", operator), func(t *testing.T) {
				confirm := 4 * time.Second
				if operator {
					confirm = time.Hour
				}
				s := startSwitched(t, confirm)
				before := s.ask("a.test", tt.there).body
				s.until("at first", tt.gone, served)
				wptest.Exec(t, s.dsn, tt.statement)
				if operator {
					s.until("held", tt.gone, func(a answer) bool { return a.status == 200 && a.age != "" })
					resp, err := http.Post(s.admin+"/sites/a/accept", "", nil)
					if err != nil {
						t.Fatal(err)
					}
					resp.Body.Close()
					if resp.StatusCode != 202 {
						t.Fatal(resp.Status)
					}
				}
				for range 3 { // everyday work goes on
					s.insert(t, "book", 1)
					s.consistent()
				}
				gone := func(a answer) bool { return a.status != 200 || strings.Count(a.body, "<loc>") < 10 }
				s.until(tt.name, tt.gone, gone)
				s.until(tt.name, tt.there, func(a answer) bool {
					return served(a) && strings.Count(a.body, "<loc>") > strings.Count(before, "<loc>")+30
				})
			})
		}
	}
}

// An alarm for a loss is decided type by type.
func TestLossesAreComparedTypeByType(t *testing.T) {
	type counts = map[string]int
	const minute = time.Minute
	for _, tt := range []struct {
		name   string
		before counts
		then   []counts // what is read a minute after the other
		held   []bool
	}{
		{"others gain as much", counts{"post": 100, "page": 20}, []counts{{"page": 120}, {"page": 120}, {"page": 121}}, []bool{true, true, false}},
		{"others gain more", counts{"post": 20, "page": 20}, []counts{{"page": 500}, {"page": 510}, {"page": 600}}, []bool{true, true, false}},
		{"others gain and lose every day", counts{"tag": 10, "post": 1000}, []counts{{"post": 1010}, {"post": 990}, {"post": 1001}}, []bool{true, true, false}},
		{"one address more or less", counts{"post": 20, "page": 3}, []counts{{"post": 2, "page": 3}, {"post": 3, "page": 3}, {"post": 2, "page": 3}}, []bool{true, true, false}},
		{"another type goes, too", counts{"post": 100, "tag": 50, "page": 500}, []counts{{"tag": 50, "page": 500}, {"page": 500}, {"page": 500}, {"page": 500}}, []bool{true, true, true, false}},
		{"the type comes back slowly", counts{"post": 1000, "page": 1000}, []counts{{}, {"post": 100}, {"post": 200}, {"post": 300}}, []bool{true, true, true, true}},
		{"the type comes back slowly while another gains", counts{"post": 1000, "page": 500}, []counts{{"page": 500}, {"post": 100, "page": 400}, {"post": 200, "page": 300}}, []bool{true, true, true}},
	} {
		g := newGuarded(t, counts{"post": 1})
		w := g.workers[0]
		w.Config.Confirm = 2 * minute
		for i, now := range tt.then {
			if got := w.holds("x", tt.before, now, "") != ""; got != tt.held[i] {
				t.Errorf("%s: reading %d: held %v", tt.name, i+1, got)
				break
			}
			g.now = g.now.Add(minute)
		}
	}
}

// An operator's word counts for what was lost when it was given, and not for more.
func TestAcceptedFirst(t *testing.T) {
	type counts = map[string]int
	before := counts{"post": 100, "tag": 30, "page": 50}
	for _, tt := range []struct {
		name string
		now  counts
		held bool
	}{
		{"the same", counts{"tag": 30, "page": 150}, false},
		{"something has come back", counts{"post": 10, "tag": 30, "page": 50}, false},
		{"another gains", counts{"tag": 30, "page": 900}, false},
		{"more is lost", counts{"page": 150}, true},
	} {
		g := newGuarded(t, counts{"post": 1})
		w := g.workers[0]
		if w.holds("x", before, counts{"tag": 30, "page": 150}, "") == "" || !w.accept() {
			t.Fatal("no alarm")
		}
		if got := w.holds("x", before, tt.now, "") != ""; got != tt.held {
			t.Errorf("%s: held %v", tt.name, got)
		}
	}
}

func TestWhatSettingsExplain(t *testing.T) {
	outline := func(change func(*catalog.Outline), counts map[string]int) *catalog.Outline {
		o := &catalog.Outline{Active: true, Plugins: []string{"cptui/cptui.php", "wordpress-seo/wp-seo.php"}, Types: []string{"author", "concert", "page", "post"}, Plugin: "Yoast SEO"}
		for name, n := range counts {
			o.Files = append(o.Files, catalog.File{Name: name, Of: strings.TrimPrefix(name, "posts-"), Page: 1, Entries: n})
		}
		change(o)
		return o
	}
	nothing := func(*catalog.Outline) {}
	before := outline(nothing, map[string]int{"post": 100, "page": 100, "concert": 300})
	core := func(o *catalog.Outline) {
		o.Plugin, o.Plugins = "WordPress", o.Plugins[:1]
	}
	for _, tt := range []struct {
		name string
		now  *catalog.Outline
		want bool
	}{
		{"a type is not indexed", outline(func(o *catalog.Outline) { o.Off = []string{"concert"} }, map[string]int{"post": 100, "page": 100}), true},
		{"a type is not indexed, and posts are gone", outline(func(o *catalog.Outline) { o.Off = []string{"concert"} }, map[string]int{"page": 100}), false},
		{"the plugin of a type is gone", outline(func(o *catalog.Outline) { o.Plugins, o.Types = o.Plugins[1:], []string{"author", "page", "post"} }, map[string]int{"post": 100, "page": 100}), true},
		{"another plugin is gone, and concerts are", outline(func(o *catalog.Outline) { o.Plugins = o.Plugins[1:] }, map[string]int{"post": 100, "page": 100}), false},
		{"nothing says why most is unknown", outline(func(o *catalog.Outline) { o.Types = []string{"author", "page", "post"} }, map[string]int{"post": 100, "page": 100}), false},
		{"posts are gone", outline(nothing, map[string]int{"page": 100, "concert": 300}), false},
		{"WordPress' own", outline(core, map[string]int{"posts-post": 100, "posts-page": 100, "posts-concert": 300}), true},
		{"WordPress' own, and nothing in them", outline(core, map[string]int{"posts-page": 1}), false},
		{"private", outline(func(o *catalog.Outline) { o.Private = true }, nil), true},
	} {
		if got := intended(before, tt.now, 0.5); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// While an alarm stands a line a day says since when and why.
func TestAlarmIsToldOnceADay(t *testing.T) {
	g := newGuarded(t, map[string]int{"post": 1000})
	w := g.workers[0]
	since := g.now.UTC().Format(time.RFC3339)
	for hour := range 73 {
		g.counts(map[string]int{"post": hour % 7 * 50}) // it never rests
		w.remind()
		g.now = g.now.Add(time.Hour)
	}
	if first, daily := g.log.count("gone from its database"), g.log.count("before a loss are served still"); first != 1 || daily != 3 {
		t.Errorf("told %d and %d times", first, daily)
	}
	if g.log.count("since="+since) != 3 {
		t.Errorf("without the time\n%s", g.log)
	}
}
