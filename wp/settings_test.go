package wp

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wpconfig"
	"wpsitemapd/wp/wptest/expect"
)

// config parses a wp-config.php with the given lines.
func config(t *testing.T, lines ...string) *wpconfig.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wp-config.php")
	if err := os.WriteFile(path, []byte("<?php\n"+strings.Join(lines, "\n")+"\n$table_prefix = 'wp_';\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := wpconfig.Parse(t.Context(), path, wpconfig.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Where uploads live: wp_upload_dir() (wordpress-data 7).
func TestUploads(t *testing.T) {
	const site, dir, url = "https://x.test/wp", "/srv/wp-content/uploads", "https://x.test/wp/wp-content/uploads"
	network := Network{declared: ownAlone, multisite: true, shared: networkOptions{mainNetwork: 1, mainBlog: 1}}
	type up struct{ dir, url string }
	oldNetwork := network
	oldNetwork.shared.msFiles = true
	for _, tt := range []struct {
		name    string
		config  []string
		options options
		network Network
		blog    BlogRow
		want    up
	}{
		{name: "default", want: up{dir, url}},
		{name: "upload_path that says the default", options: options{"upload_path": " wp-content/uploads "}, want: up{dir, url}},
		{name: "relative upload_path is below ABSPATH and siteurl", options: options{"upload_path": "media"}, want: up{"/srv/media", site + "/media"}},
		{name: "absolute upload_path moves the folder only", options: options{"upload_path": "/data/media"}, want: up{"/data/media", url}},
		{name: "upload_url_path wins", options: options{"upload_path": "media", "upload_url_path": "https://files.x.test"},
			want: up{"/srv/media", "https://files.x.test"}},
		{name: "ABSPATH", config: []string{"define('ABSPATH', '/var/www/');"}, want: up{"/var/www/wp-content/uploads", url}},
		{name: "moved content folder", config: []string{"define('WP_CONTENT_DIR', '/srv/app');", "define('WP_CONTENT_URL', 'https://x.test/app');"},
			want: up{"/srv/app/uploads", "https://x.test/app/uploads"}},
		{name: "WP_CONTENT_URL below the request's host, which is home's",
			config: []string{"define('WP_CONTENT_URL', 'http://' . $_SERVER['HTTP_HOST'] . '/content');"},
			want:   up{dir, "https://home.test:8080/content/uploads"}},
		{name: "UPLOADS wins over the options", config: []string{"define('UPLOADS', 'files');"},
			options: options{"upload_url_path": "https://files.x.test"}, want: up{"/srv/files", site + "/files"}},
		{name: "main site of a network", network: network, blog: BlogRow{ID: 1, Network: 1}, want: up{dir, url}},
		{name: "other site of a network", network: network, blog: BlogRow{ID: 7, Network: 1}, want: up{dir + "/sites/7", url + "/sites/7"}},
		{name: "main site of another network", network: network, blog: BlogRow{ID: 8, Network: 2}, want: up{dir + "/sites/8", url + "/sites/8"}},
		{name: "upload_url_path of another site", network: network, blog: BlogRow{ID: 7, Network: 1},
			options: options{"upload_url_path": "https://files.x.test"}, want: up{dir + "/sites/7", "https://files.x.test/sites/7"}},
		{name: "network born before 3.5", network: oldNetwork, blog: BlogRow{ID: 7, Network: 1}, want: up{"/srv/wp-content/blogs.dir/7/files", site + "/files"}},
		{name: "main site of a network born before 3.5", network: oldNetwork, blog: BlogRow{ID: 1, Network: 1}, want: up{dir, url}},
		{name: "UPLOADS does nothing on a network born before 3.5",
			config:  []string{"define('MULTISITE', true);", "define('UPLOADS', 'files');"},
			network: oldNetwork, blog: BlogRow{ID: 7, Network: 1}, want: up{"/srv/wp-content/blogs.dir/7/files", site + "/files"}},
	} {
		n := tt.network
		n.root = "/srv"
		if tt.config != nil {
			n.config = config(t, tt.config...)
		}
		r := &reading{blog: &Blog{network: &n, row: tt.blog}, options: tt.options}
		if got := r.uploads("https://home.test:8080/blog", site); (up{got.Dir, got.URL}) != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestSettings(t *testing.T) {
	wpHome := []string{"define('WP_HOME', 'https://y.test/');"}
	for _, tt := range []struct {
		name    string
		config  []string
		source  Source
		options options
		home    string
		private bool
	}{
		{name: "as stored", home: "https://x.test"},
		{name: "slashes at the end of home go", options: options{"home": `https://x.test/a//\`}, home: "https://x.test/a"},
		{name: "without home siteurl stands in", options: options{"home": ""}, home: "https://x.test/wp"},
		{name: "WP_HOME wins over the option", config: wpHome, home: "https://y.test"},
		{name: "the operator wins over WP_HOME", config: wpHome, source: Source{Home: "https://z.test/"}, home: "https://z.test"},
		{name: "blog_public 0", options: options{"blog_public": "0"}, home: "https://x.test", private: true},
		{name: "blog_public empty", options: options{"blog_public": ""}, home: "https://x.test", private: true},
		{name: "blog_public of a privacy plugin", options: options{"blog_public": "-2"}, home: "https://x.test"},
	} {
		n := &Network{source: tt.source, declared: ownAlone}
		if tt.config != nil {
			n.config = config(t, tt.config...)
		}
		o := options{"home": "https://x.test", "siteurl": "https://x.test/wp"}
		maps.Copy(o, tt.options)
		r := &reading{walk: &Walk{}, blog: &Blog{network: n, prefix: "wp_"}, options: o}
		r.settings()
		got := r.blog.set
		if got.Home != tt.home || got.Permalinks.Home != tt.home || got.BlogPublic == tt.private {
			t.Errorf("%s: home %q, %q in links, public %t", tt.name, got.Home, got.Permalinks.Home, got.BlogPublic)
		}
	}
}

// get_locale(): yoast-news 5.
func TestLocale(t *testing.T) {
	constant := []string{"define('WPLANG', 'fr_FR');"}
	for _, tt := range []struct {
		name    string
		config  []string
		network Network
		options options
		want    string
	}{
		{name: "nothing says", want: "en_US"},
		{name: "option", options: options{"WPLANG": "nl_NL"}, want: "nl_NL"},
		{name: "option beats the constant", config: constant, options: options{"WPLANG": "nl_NL"}, want: "nl_NL"},
		{name: "an empty option does so, too", config: constant, options: options{"WPLANG": ""}, want: "en_US"},
		{name: "constant", config: constant, want: "fr_FR"},
		{name: "0 is empty", options: options{"WPLANG": "0"}, want: "en_US"},
		{name: "the network's where the blog has none", config: constant, network: Network{shared: networkOptions{meta: options{"WPLANG": "de_DE"}}}, want: "de_DE"},
		{name: "the network's empty one", config: constant, network: Network{shared: networkOptions{meta: options{"WPLANG": ""}}}, want: "en_US"},
		{name: "the blog's beats the network's", network: Network{shared: networkOptions{meta: options{"WPLANG": "de_DE"}}}, options: options{"WPLANG": ""}, want: "en_US"},
	} {
		n := tt.network
		if tt.config != nil {
			n.config = config(t, tt.config...)
		}
		r := &reading{blog: &Blog{network: &n}, options: tt.options}
		expect.Equal(t, r.locale(), tt.want, tt.name)
	}
}

func TestParseDate(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     int64
	}{
		{"zero date", "0000-00-00 00:00:00", NoTime},
		{"empty", "", NoTime},
		{"year without a day", "2024-00-00 00:00:00", NoTime},
		{"month without a day", "2024-05-00 00:00:00", NoTime},
		{"year zero", "0000-01-01 00:00:00", NoTime},
		{"first second", "0001-01-01 00:00:00", MinTime},
		{"last second", "9999-12-31 23:59:59", MaxTime},
		{"the epoch", "1970-01-01 00:00:00", 0},
		{"before the epoch", "1969-12-31 23:59:59", -1},
		{"leap day", "2024-02-29 12:00:00", 1709208000},
		{"day without a time", "2024-05-01", NoTime},
		{"thirteenth month", "2024-13-01 00:00:00", NoTime},
		{"hour 24", "2024-05-01 24:00:00", NoTime},
		{"sixtieth minute", "2024-05-01 23:60:00", NoTime},
		{"leap second", "2024-05-01 23:59:60", NoTime},
		{"fractions are cut", "1970-01-01 00:00:01.999", 1},
		{"T", "2024-05-01T00:00:00", NoTime},
		{"sign", "2024-05-+1 00:00:00", NoTime},
		{"words", "yesterday, all my troubles", NoTime},
	} {
		expect.Equal(t, ParseDate(tt.in), tt.want, tt.name)
	}
}

// The first and the last second that a sitemap can name are dates.
func TestStamp(t *testing.T) {
	for stamp, want := range map[int64]int64{0: 0, MinTime: MinTime, MaxTime: MaxTime, MinTime - 1: NoTime, MaxTime + 1: NoTime} {
		expect.Equal(t, Stamp(stamp), want, stamp)
	}
}

func TestParseDateIsTimeParse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		at := MinTime + random.Int64N(MaxTime-MinTime+1)
		text := time.Unix(at, 0).UTC().Format(time.DateTime)
		if got := ParseDate(text); got != at {
			t.Fatalf("%s: %d, want %d", text, got, at)
		}
	}
}
