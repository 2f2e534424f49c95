package server

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/fsnotify/fsnotify"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest/expect"
)

// Which folders give notices follows from the configuration alone.
func TestWatchedFolders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule string
		c    config.Config
		want []string
	}{
		{"the configuration alone", config.Config{}, []string{"/etc"}},
		{"the file of the token", config.Config{Listening: config.Listening{AdminTokenFile: "/run/token"}}, []string{"/etc", "/run"}},
		{"wp-config.php and dsn_file", config.Config{Sites: []config.Site{{WPConfig: "/www/a/wp-config.php", DSNFile: "/run/dsn"}}},
			[]string{"/etc", "/www/a", "/run"}},
		{"one folder of two sites", config.Config{Sites: []config.Site{{DSNFile: "/run/a"}, {DSNFile: "/run/b"}}}, []string{"/etc", "/run"}},
		{"the folder before a wildcard", config.Config{Searches: []*config.Search{{Patterns: []string{"/home/*/www/wp-config.php"}}}},
			[]string{"/etc", "/home"}},
	} {
		expect.Same(t, tt.want, folders("/etc/wpsitemapd.toml", &tt.c), tt.rule)
	}
}

// A folder that a new configuration no longer needs gives no more notices.
func TestFoldersAreUnwatched(t *testing.T) {
	t.Parallel()
	notices, err := fsnotify.NewWatcher()
	if err != nil {
		t.Skip("the system has no more notices:", err)
	}
	defer notices.Close()
	etc, one, two := t.TempDir(), t.TempDir(), t.TempDir()
	c := &config.Config{}
	w := &watcher{file: filepath.Join(etc, "wpsitemapd.toml"), config: func() *config.Config { return c }}
	for _, step := range []struct {
		rule  string
		sites []string
		want  []string
	}{
		{"two sites", []string{one, two}, []string{etc, one, two}},
		{"one is removed", []string{two}, []string{etc, two}},
		{"it comes back", []string{one, two}, []string{etc, one, two}},
		{"a folder that does not exist", []string{filepath.Join(one, "nowhere")}, []string{etc}},
		{"no site", nil, []string{etc}},
	} {
		c = &config.Config{}
		for _, dir := range step.sites {
			c.Sites = append(c.Sites, config.Site{WPConfig: filepath.Join(dir, "wp-config.php")})
		}
		w.follow(notices)
		expect.Same(t, slices.Sorted(slices.Values(step.want)), slices.Sorted(slices.Values(notices.WatchList())), step.rule)
	}
}
