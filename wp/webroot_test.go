package wp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The document root is the folder of home. WordPress may be in a folder below.
func TestWebRoots(t *testing.T) {
	for _, tt := range []struct {
		rule, home, siteURL string
		lines               string // of wp-config.php; its folder is www/blog
		within              bool   // the install was found, and is that folder
		want                string
	}{
		{"WordPress at home", "https://a.test", "https://a.test", "", false, "www/blog"},
		{"WordPress below home", "https://a.test", "https://a.test/blog", "", false, "www"},
		{"nothing above a found install is its own", "https://a.test", "https://a.test/blog", "", true, "www/blog"},
		{"home in a folder of the host", "https://a.test/en", "https://a.test/en/blog", "", false, "www"},
		{"another folder", "https://a.test", "https://a.test/log", "", false, "www/blog"},
		{"ABSPATH elsewhere", "https://a.test", "https://a.test", "define('ABSPATH', __DIR__ . '/core/');", false, "www/blog www/blog/core"},
		{"ABSPATH below", "https://a.test", "https://a.test/core", "define('ABSPATH', __DIR__ . '/core/');", false, "www/blog"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "www", "blog", "wp-config.php")
		wptest.Must(t, os.MkdirAll(filepath.Dir(file)+"/core", 0o755))
		wptest.Must(t, os.WriteFile(file, []byte("<?php\n"+tt.lines+"\n$table_prefix = 'wp_';"), 0o644))
		dsn := wptest.Load(t, wptest.SQLite, "basic")
		wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '"+tt.home+"' WHERE option_name = 'home'",
			"UPDATE wp_options SET option_value = '"+tt.siteURL+"' WHERE option_name = 'siteurl'")
		src := Source{DSN: dsn, WPConfig: file}
		if tt.within {
			src.Within = filepath.Dir(file)
		}
		var got []string
		for _, root := range openSite(t, src).WebRoots() {
			got = append(got, strings.TrimPrefix(root, dir+"/"))
		}
		expect.List(t, got, strings.Fields(tt.want), tt.rule)
	}
	if roots := openSite(t, Source{DSN: wptest.Load(t, wptest.SQLite, "basic")}).WebRoots(); roots != nil {
		t.Errorf("without wp-config.php: %q", roots)
	}
	link := filepath.Join(t.TempDir(), "link.php")
	real := configOf(t, "u:p@tcp(h)/d", "h", "$table_prefix = 'wp_';")
	wptest.Must(t, os.Symlink(real, link))
	if roots := openSite(t, Source{DSN: wptest.Load(t, wptest.SQLite, "basic"), WPConfig: link}).WebRoots(); !slices.Contains(roots, filepath.Dir(real)) &&
		!slices.Contains(roots, filepath.Dir(link)) {
		t.Errorf("by a link: %q", roots)
	}
}

// The home in wp-config.php is WP_HOME, or else that of the network.
func TestHomeInConfig(t *testing.T) {
	for _, tt := range []struct{ lines, want string }{
		{"define('WP_HOME', 'https://a.test/x');", "https://a.test/x"},
		{"define('DOMAIN_CURRENT_SITE', 'b.test'); define('PATH_CURRENT_SITE', 'y/');", "https://b.test/y/"},
		{"define('WP_HOME', 'https://a.test'); define('DOMAIN_CURRENT_SITE', 'b.test');", "https://a.test"},
		{"", ""},
	} {
		src := Source{WPConfig: configOf(t, "u:p@tcp(h)/d", "h", tt.lines)}
		expect.Equal(t, HomeInConfig(t.Context(), src), tt.want, tt.lines)
		wptest.Must(t, src.ReadConfig(t.Context()))
		wptest.Must(t, os.Remove(src.WPConfig))
		expect.Equal(t, HomeInConfig(t.Context(), src), tt.want, "read before:", tt.lines)
	}
	expect.Equal(t, HomeInConfig(t.Context(), Source{WPConfig: "/none/wp-config.php"}), "")
}
