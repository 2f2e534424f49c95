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
		{name: "network born before 3.5", network: oldNetwork, blog: BlogRow{ID: 7, Network: 1},
			want: up{"/srv/wp-content/blogs.dir/7/files", site + "/files"}},
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
		{name: "the network's where the blog has none", config: constant, network: Network{shared: networkOptions{meta: options{"WPLANG": "de_DE"}}},
			want: "de_DE"},
		{name: "the network's empty one", config: constant, network: Network{shared: networkOptions{meta: options{"WPLANG": ""}}}, want: "en_US"},
		{name: "the blog's beats the network's", network: Network{shared: networkOptions{meta: options{"WPLANG": "de_DE"}}},
			options: options{"WPLANG": ""}, want: "en_US"},
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

// WP_SITEURL of a single site replaces the option. A network has its addresses in its tables.
func TestSiteURL(t *testing.T) {
	for _, tt := range []struct {
		multisite     bool
		home, siteURL string
	}{{false, "https://y.test", "https://y.test/core"}, {true, "https://x.test", "https://x.test/wp"}} {
		n := &Network{declared: ownAlone, multisite: tt.multisite,
			config: config(t, "define('WP_HOME', 'https://y.test/');", `define('WP_SITEURL', 'https://y.test/core/');`)}
		r := &reading{walk: &Walk{}, blog: &Blog{network: n, prefix: "wp_"}, options: options{"home": "https://x.test", "siteurl": "https://x.test/wp/"}}
		r.settings()
		expect.Equal(t, r.blog.set.Home, tt.home, "home, in a network", tt.multisite)
		expect.Equal(t, r.blog.set.SiteURL, tt.siteURL, "siteurl, in a network", tt.multisite)
	}
}

// WordPress knows three environments that are not production. The operator's word replaces the constant.
func TestEnvironment(t *testing.T) {
	for _, tt := range []struct{ constant, operator, want string }{
		{"", "", ""}, {"staging", "", "staging"}, {"local", "", "local"}, {"production", "", ""}, {"other", "", ""}, {"staging", "production", ""},
		{"", "staging", "staging"},
	} {
		n := &Network{declared: ownAlone, source: Source{Environment: tt.operator}, config: config(t, "define('WP_ENVIRONMENT_TYPE', '"+tt.constant+"');")}
		r := &reading{walk: &Walk{}, blog: &Blog{network: n}, options: options{}}
		r.settings()
		expect.Equal(t, r.blog.set.Environment, tt.want, tt)
		expect.Equal(t, len(r.blog.warnings) > 0, tt.want != "", tt, "the operator is told")
	}
}

// Pages of attachments are redirected to the files unless WordPress is told otherwise. Versions before 6.4 do not store the option.
func TestAttachmentsRedirected(t *testing.T) {
	for _, tt := range []struct {
		options options
		want    bool
	}{{options{}, false}, {options{"wp_attachment_pages_enabled": "0"}, true}, {options{"wp_attachment_pages_enabled": "1"}, false}} {
		r := &reading{walk: &Walk{}, blog: &Blog{network: &Network{declared: ownAlone}}, options: tt.options}
		r.settings()
		expect.Equal(t, r.blog.set.AttachmentsRedirected, tt.want, tt.options)
	}
}

// Roles that may edit posts are those with the capability edit_posts.
func TestEditRoles(t *testing.T) {
	roles := `a:3:{s:6:"editor";a:1:{s:12:"capabilities";a:1:{s:10:"edit_posts";b:1;}}s:10:"subscriber";a:1:{s:12:"capabilities";a:1:{s:4:"read";b:1;}}` +
		`s:4:"none";a:1:{s:12:"capabilities";a:1:{s:10:"edit_posts";b:0;}}}`
	r := &reading{walk: &Walk{}, blog: &Blog{network: &Network{declared: ownAlone}, prefix: "wp_7_"}, options: options{"wp_7_user_roles": roles}}
	r.settings()
	expect.List(t, r.blog.set.EditRoles, []string{"editor"})
}

// What is stored below the database's home is below the home of the configuration.
func TestMoved(t *testing.T) {
	b := new(Blog)
	b.set.Home, b.stored.home = "https://new.test/sub", "https://old.test"
	for stored, want := range map[string]string{
		"https://old.test/a/": "https://new.test/sub/a/", "https://old.test?p=1": "https://new.test/sub?p=1", "https://old.test": "https://new.test/sub",
		"https://old.tests/a": "https://old.tests/a", "https://other.test/": "https://other.test/", "": "",
	} {
		expect.Equal(t, b.Moved(stored), want, stored)
	}
	b.stored.home = ""
	expect.Equal(t, b.Moved("https://old.test/a/"), "https://old.test/a/", "home is the database's own")
	expect.Equal(t, b.Moved("/a/"), "/a/", "home is the database's own")
}

// The four dates of a post.
func TestParseDates(t *testing.T) {
	got := ParseDates([]byte("1970-01-01 00:00:01"), []byte("1970-01-01 00:00:02"), []byte("1970-01-01 00:00:03"), []byte("0000-00-00 00:00:00"))
	expect.Equal(t, got, Dates{Published: 1, Changed: 2, PublishedGMT: 3, ChangedGMT: NoTime})
}

// The rules of several plugins add up. The first plugin with a name for something gives it.
func TestLinkRules(t *testing.T) {
	rules := func(name string, l LinkRules) Inputs {
		return Inputs{Name: name, Decode: func(*Stored) Decoded { return Decoded{Links: l} }}
	}
	for _, one := range []LinkRules{
		{StripCategoryBase: true}, {StripCategoryFront: true}, {PrimaryCategory: "a"}, {PrimaryProductCategory: "a"}, {AnyPrimary: true},
		{AttachedPlain: true},
		{AuthorBase: "a"}, {AuthorSlug: "a"}, {StripProductBase: true}, {StripProductCategoryBase: true}, {FlatProductCategories: true},
	} {
		for _, order := range [][]Inputs{{rules("x", one), rules("y", LinkRules{})}, {rules("x", LinkRules{}), rules("y", one)}} {
			r := &reading{blog: &Blog{network: &Network{declared: Declare(order...)}}, options: options{}}
			r.decode()
			expect.Equal(t, r.linkRules(), one)
		}
	}
	r := &reading{blog: &Blog{network: &Network{declared: Declare(rules("x", LinkRules{PrimaryCategory: "first"}),
		rules("y", LinkRules{PrimaryCategory: "second"}))}}}
	r.decode()
	expect.Equal(t, r.linkRules().PrimaryCategory, "first")
}

// An option that holds no PHP array counts as never saved. If it should hold one, a warning says so.
func TestSerialized(t *testing.T) {
	for stored, want := range map[string]struct{ value, warning string }{
		"":                         {"", ""},
		`a:1:{s:1:"k";s:1:"v";}`:   {"v", ""},
		`O:1:"x":1:{s:1:"k";i:7;}`: {"7", ""},
		"text":                     {"", ""},
		"i:7;":                     {"", ""},
		`a:1:{s:1:"k";s:1:"v"`:     {"", "cut short"},
		`a:1:{s:1:"k";s:1:"v";`:    {"", "corrupted"},
		`a:1:{s:1:"k";s:9:"v";}`:   {"", "corrupted"},
	} {
		warning := ""
		v := options{"x": stored}.serialized("x", func(text string) { warning += text })
		expect.Equal(t, v.Get("k").Str(), want.value, stored)
		expect.Equal(t, want.warning == "" && warning == "" || want.warning != "" && strings.Contains(warning, want.warning), true, stored, warning)
	}
	v := options{}.serialized("x", func(text string) { t.Error(text) })
	expect.Equal(t, v.Truthy(), false, "a missing option")
}
