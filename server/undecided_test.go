package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// rewriteRules is an option rewrite_rules as PHP serialises it, of patterns and queries in turn.
func rewriteRules(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, `s:%d:"%s";s:%d:"%s";`, len(pairs[i]), pairs[i], len(pairs[i+1]), pairs[i+1])
	}
	return fmt.Sprintf("a:%d:{%s}", len(pairs)/2, b.String())
}

// Types that code registers and that neither Yoast's lists nor its index know yet: where only the rewrite rules name them nothing
// reports whether they are public, and the site itself has to say whether there is a sitemap, and what its index names.
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
	const left, unknown, missing, ours = 299, 503, 404, 200 // left: what the upstream here answers
	for _, tt := range []struct {
		name string
		more []string
		want map[string][2]int // path → with an upstream and without
	}{
		{
			name: "an empty index", more: []string{emptied},
			want: map[string][2]int{
				"/forum-sitemap.xml": {left, unknown}, "/forum-sitemap2.xml": {left, unknown}, "/?sitemap=forum": {left, unknown},
				"/hall-sitemap.xml":   {left, unknown}, // no posts, and yet it may have one
				"/mood-sitemap.xml":   {left, unknown},
				"/tone-sitemap.xml":   {missing, missing}, // no terms: there is none, public or not
				"/room-sitemap.xml":   {missing, missing}, // noindexed: there is none, public or not
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
			for i, up := range []config.Upstream{upstream, {}} {
				site := realSite("a", dsn)
				site.Hosts = []config.Host{"example.test"}
				site.Upstream = up
				ts := startReal(t, 1, site)
				for path, want := range tt.want {
					if got := ts.ask("example.test", path); got.status != want[i] {
						t.Errorf("with an upstream %v: %s: %+v, want %d", i == 0, path, got, want[i])
					}
				}
			}
		})
	}
}

// WordPress empties its rewrite rules and makes them anew at its next request. What they showed holds in between: in the daemon
// that runs, and in one that starts with its state. One that knows nothing from before says that nobody knows.
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
		if got := s.ask(host, path); got != before {
			t.Errorf("%s: %+v, want %+v", when, got, before)
		}
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
	if got := s.ask(host, path); got.status != 503 {
		t.Errorf("without state: %+v, want 503", got)
	}
}
