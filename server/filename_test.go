package server

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
)

// The settings of a plugin may give its files another name, and have one sitemap of everything: they are at these addresses,
// robots.txt names them, other addresses lead there, and a start without the database knows as much.
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
	if robots := s.ask("small.test", "/robots.txt").body; !strings.Contains(robots, "Sitemap: "+index+"\n") {
		t.Errorf("robots.txt does not name %s:\n%s", index, robots)
	}
	s.stop()
	wptest.Exec(t, dsn, "ALTER TABLE wp_posts RENAME TO gone")
	s = startState(t, dir, install)
	ask("from the state")
	if a := s.ask("small.test", strings.TrimPrefix(index, "https://small.test")); a.age == "" {
		t.Errorf("not from the state: %+v", a)
	}
}
