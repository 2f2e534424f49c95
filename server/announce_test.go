package server

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const announceKey = servertest.IndexNowKey

// hurried returns a clock on which ten minutes pass in a second.
func hurried() func() time.Time {
	start := time.Now()
	return func() time.Time { return start.Add(600 * time.Since(start)) }
}

// startAnnouncing starts a server with one real site and a folder for its state.
func startAnnouncing(t *testing.T, e *servertest.Engine, dir string, site config.Site) (log *logText, stop func()) {
	t.Helper()
	ts := newReal(t, config.Config{State: config.Secret(dir), CacheSize: 64 << 20, Sites: []config.Site{site}})
	ts.announceNow = hurried()
	s := ts.restless().start()
	e.Set(func() { e.Public = s.public })
	return s.log, s.stop
}

func waitFor(t *testing.T, log *logText, text string) {
	t.Helper()
	wptest.Eventually(t, text, func() bool { return log.count(text) > 0 }, log)
}

func newRow(id int64, kind, name string) string {
	return fmt.Sprintf(`INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_date, post_date_gmt, post_modified,
post_modified_gmt, post_parent, post_author, post_title, post_excerpt, post_content, to_ping, pinged, post_content_filtered)
		VALUES (%d, '%s', 'publish', '%s', '2026-01-01 10:00:00', '2026-01-01 10:00:00', '2026-01-01 10:00:00', '2026-01-01 10:00:00', 0,
7, 'T', '', '', '', '', '')`, id, kind, name)
}

// editRow returns statements for an edit with a revision, as WordPress makes it.
func editRow(id int64, minute int) string {
	at := fmt.Sprintf("2026-02-01 10:%02d:00", minute)
	return fmt.Sprintf(`UPDATE wp_posts SET post_modified = '%s', post_modified_gmt = '%[1]s' WHERE ID = %d;
		INSERT INTO wp_posts (post_type, post_status, post_name, post_date, post_date_gmt, post_modified, post_modified_gmt, post_parent,
post_author, post_title, post_excerpt, post_content, to_ping, pinged, post_content_filtered)
		VALUES ('revision', 'inherit', '%[2]d-revision-v1', '%[1]s', '%[1]s', '%[1]s', '%[1]s', %[2]d, 7, 'T', '', '', '', '', '')`, at, id)
}

// An edit is announced once. After a restart, what could not be sent before is announced, and what was edited meanwhile.
func TestAnnouncements(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Exec(t, dsn,
		`INSERT INTO wp_users (ID, user_login, user_nicename, display_name) VALUES (7, 'ann', 'ann', 'Ann')`,
		newRow(1, "post", "first"), newRow(2, "post", "second"), newRow(11, "page", "about"),
		`INSERT INTO wp_terms (term_id, name, slug) VALUES (21, 'Fruit', 'fruit'), (23, 'Pears', 'pears')`,
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
(21, 21, 'category', '', 0, 1), (23, 23, 'post_tag', '', 0, 1)`,
		`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 21), (2, 23)`)
	e := servertest.StartEngine(t)
	dir := t.TempDir()
	site := realSite("a", wptest.ReadOnlyDSN(t, dsn))
	site.Hosts, site.IndexNow = nil, config.IndexNow{Key: announceKey, Endpoint: e.Endpoint()}
	log, stop := startAnnouncing(t, e, dir, site)
	waitFor(t, log, "announced by IndexNow from now on")
	on := func(paths ...string) (urls []string) {
		for _, p := range paths {
			urls = append(urls, "https://small.test"+p)
		}
		return urls
	}

	wptest.Exec(t, dsn, "INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (3, 21)",
		"UPDATE wp_term_taxonomy SET count = 2 WHERE term_id = 21",
		strings.ReplaceAll(newRow(3, "post", "third"), "2026-01-01", "2026-02-01"))
	e.Expect("a post is published", on("/", "/third/", "/author/ann/", "/category/fruit/")...)
	expect.Equal(t, e.Pending, 1, "requests were answered with 202")

	e.Set(func() { e.Status = http.StatusServiceUnavailable })
	wptest.Exec(t, dsn, strings.ReplaceAll(newRow(500, "page", "later"), "2026-01-01", "2026-03-01"))
	waitFor(t, log, "retries it later")
	stop()
	e.Set(func() { e.Status = 0 })
	wptest.Exec(t, dsn, editRow(11, 5))
	log, _ = startAnnouncing(t, e, dir, site)
	e.Expect("after a restart", on("/about/", "/later/")...)
	if log.count("from now on") > 0 {
		t.Error("the note was not found again")
	}
	if strings.Contains(log.String(), announceKey) {
		t.Error("the key is in the log")
	}
}

// If several daemons share a Redis, one of them announces an edit. The same holds for the next edit of that page.
func TestOneOfSeveralDaemonsAnnounces(t *testing.T) {
	t.Parallel()
	redis := servertest.StartRedis(t)
	dsn := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Exec(t, dsn, `INSERT INTO wp_users (ID, user_login, user_nicename, display_name) VALUES (7, 'ann', 'ann', 'Ann')`,
		newRow(11, "page", "about"), newRow(12, "page", "other"))
	e := servertest.StartEngine(t)
	site := realSite("a", wptest.ReadOnlyDSN(t, dsn))
	site.Hosts, site.IndexNow = nil, config.IndexNow{Key: announceKey, Endpoint: e.Endpoint()}
	var all []*testServer
	for range 2 {
		ts := newReal(t, config.Config{
			State: config.Secret(redis.URL()), CacheSize: 64 << 20, LogLevel: slog.LevelDebug,
			Sites: []config.Site{site},
		})
		ts.announceNow, ts.pace.beat = hurried(), inHurry
		s := ts.restless().start()
		e.Set(func() { e.Public = s.public })
		if <-ts.installs[0].refresher.FirstRead(); len(all) == 0 { // the second daemon finds the note of the first
			waitFor(t, ts.log, "announced by IndexNow from now on")
			wptest.Eventually(t, "it is noted", func() bool {
				var note struct{ View string }
				return ts.store.Note(store.Note{Site: "a", Blog: ts.blog().Key(), Name: "indexnow"}, &note)
			}, ts.log)
		}
		all = append(all, ts)
	}
	sent, left := 0, 0
	for minute, page := range []string{"/about/", "/other/", "/about/"} {
		wptest.Exec(t, dsn, editRow(map[string]int64{"/about/": 11, "/other/": 12}[page], minute+1))
		wptest.Eventually(t, "one announces, one leaves it to the other", func() bool {
			sent, left = 0, 0
			for _, ts := range all {
				sent += ts.log.count("msg=announced ") + ts.log.count(`msg="announced; `)
				left += ts.log.count("another daemon announces these URLs, so this one does not")
			}
			return sent == minute+1 && left == minute+1
		}, all[0].log, all[1].log)
		e.Expect("an edit", "https://small.test"+page)
	}
}

// An install that replaces another takes over its announcements, and the other one stops announcing.
func TestAnnouncementsAreHandedOver(t *testing.T) {
	ts := newSite(t, config.Site{IndexNow: config.IndexNow{Key: announceKey}}, sitetest.ThreePosts(t, "https://a.test"))
	before := ts.installs[0]
	w := ts.newInstall(before.Config, before)
	w.inherit(before)
	if !before.Replaced() || w.Replaced() || w.announcer != before.announcer {
		t.Error("not handed over")
	}
}

// A site announces nothing at a host that belongs to another site.
func TestHostsOfOthersAreNotAnnounced(t *testing.T) {
	ts := newSite(t, config.Site{IndexNow: config.IndexNow{Key: announceKey}}, sitetest.ThreePosts(t, "https://a.test"))
	i := ts.installs[0]
	expect.Equal(t, i.Serves("https://a.test"), true, "its own host")
	other := site.New(config.Site{Name: "other", Hosts: []config.Host{"a.test"}}, i.Log)
	ts.front.Route(owner.New(i.Log).Table([]*site.Site{i.Site, other}, time.Now()))
	for _, home := range []string{"https://a.test", "https://a.test/shop", "https://www.a.test/"} {
		expect.Equal(t, i.Serves(home), false, home)
	}
}

// The key file is at the home of every blog, and nowhere else.
func TestKeyFile(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "upstream") })
	ts := serveSite(t, config.Site{Upstream: up, IndexNow: config.IndexNow{Key: announceKey}},
		sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/Blog"))
	const file = "/" + announceKey + ".txt"
	for path, want := range map[string]string{
		file: announceKey, "/Blog" + file: announceKey, "/blog" + file: announceKey, strings.ToUpper(file): "upstream", file + "/": "upstream",
		"/x" + file: "upstream", "/x" + file[1:]: "upstream", "/.txt": "upstream",
	} {
		resp := ts.get("GET", "https://a.test"+path)
		if got := body(t, resp); resp.StatusCode != 200 || got != want || want == announceKey &&
			(resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" || resp.Header.Get("X-Robots-Tag") == "") {
			t.Errorf("%s: %d %q %v", path, resp.StatusCode, got, resp.Header)
		}
	}
	expect.Equal(t, ts.get("POST", "https://a.test"+file).StatusCode, 405, "POST")
}
