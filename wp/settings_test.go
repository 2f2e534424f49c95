package wp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp/content"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wpconfig"
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
	const site = "https://x.test/wp"
	network := Network{multisite: true, mainNetwork: 1, mainBlog: 1}
	oldNetwork := network
	oldNetwork.msFiles = true
	for _, tt := range []struct {
		name    string
		config  []string
		options options
		network Network
		blog    Blog
		want    content.Uploads
	}{
		{name: "default", want: content.Uploads{Dir: "/srv/wp-content/uploads", URL: site + "/wp-content/uploads"}},
		{
			name: "upload_path that says the default", options: options{"upload_path": " wp-content/uploads "},
			want: content.Uploads{Dir: "/srv/wp-content/uploads", URL: site + "/wp-content/uploads"},
		},
		{
			name: "relative upload_path is below ABSPATH and siteurl", options: options{"upload_path": "media"},
			want: content.Uploads{Dir: "/srv/media", URL: site + "/media"},
		},
		{
			name: "absolute upload_path moves the folder only", options: options{"upload_path": "/data/media"},
			want: content.Uploads{Dir: "/data/media", URL: site + "/wp-content/uploads"},
		},
		{
			name: "upload_url_path wins", options: options{"upload_path": "media", "upload_url_path": "https://files.x.test"},
			want: content.Uploads{Dir: "/srv/media", URL: "https://files.x.test"},
		},
		{
			name: "ABSPATH", config: []string{"define('ABSPATH', '/var/www/');"},
			want: content.Uploads{Dir: "/var/www/wp-content/uploads", URL: site + "/wp-content/uploads"},
		},
		{name: "moved content folder", config: []string{"define('WP_CONTENT_DIR', '/srv/app');", "define('WP_CONTENT_URL', 'https://x.test/app');"},
			want: content.Uploads{Dir: "/srv/app/uploads", URL: "https://x.test/app/uploads"}},
		{name: "UPLOADS wins over the options", config: []string{"define('UPLOADS', 'files');"},
			options: options{"upload_url_path": "https://files.x.test"},
			want:    content.Uploads{Dir: "/srv/files", URL: site + "/files"}},
		{
			name: "main site of a network", network: network, blog: Blog{ID: 1, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/uploads", URL: site + "/wp-content/uploads"},
		},
		{
			name: "other site of a network", network: network, blog: Blog{ID: 7, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/uploads/sites/7", URL: site + "/wp-content/uploads/sites/7"},
		},
		{
			name: "main site of another network", network: network, blog: Blog{ID: 8, Network: 2},
			want: content.Uploads{Dir: "/srv/wp-content/uploads/sites/8", URL: site + "/wp-content/uploads/sites/8"},
		},
		{name: "upload_url_path of another site", network: network, blog: Blog{ID: 7, Network: 1},
			options: options{"upload_url_path": "https://files.x.test"},
			want:    content.Uploads{Dir: "/srv/wp-content/uploads/sites/7", URL: "https://files.x.test/sites/7"}},
		{
			name: "network born before 3.5", network: oldNetwork, blog: Blog{ID: 7, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/blogs.dir/7/files", URL: site + "/files"},
		},
		{
			name: "main site of a network born before 3.5", network: oldNetwork, blog: Blog{ID: 1, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/uploads", URL: site + "/wp-content/uploads"},
		},
		{name: "UPLOADS does nothing on a network born before 3.5",
			config:  []string{"define('MULTISITE', true);", "define('UPLOADS', 'files');"},
			network: oldNetwork, blog: Blog{ID: 7, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/blogs.dir/7/files", URL: site + "/files"}},
		{name: "network without the constant MULTISITE", config: []string{"define('VHOST', 'no');"}, network: network, blog: Blog{ID: 7, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/uploads/7", URL: site + "/wp-content/uploads/7"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := tt.network
			n.root = "/srv"
			if tt.config != nil {
				n.config = config(t, tt.config...)
			}
			s := &Site{network: &n, blog: tt.blog, blogID: tt.blog.ID}
			if got := s.uploads(tt.options, site); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	base := options{"home": "https://x.test", "siteurl": "https://x.test/wp"}
	for _, tt := range []struct {
		name    string
		config  []string
		source  Source
		options options
		is      func(Settings) string // "" when it is right
	}{
		{"slashes at the end of home go", nil, Source{}, options{"home": `https://x.test/a//\`}, home("https://x.test/a")},
		{"without home siteurl stands in", nil, Source{}, options{"home": ""}, home("https://x.test/wp")},
		{"WP_HOME wins over the option", []string{"define('WP_HOME', 'https://y.test/');"}, Source{}, nil, home("https://y.test")},
		{"the operator wins over WP_HOME", []string{"define('WP_HOME', 'https://y.test/');"}, Source{Home: "https://z.test/"}, nil, home("https://z.test")},
		{"blog_public 0", nil, Source{}, options{"blog_public": "0"}, public(false)},
		{"blog_public empty", nil, Source{}, options{"blog_public": ""}, public(false)},
		{"blog_public of a privacy plugin", nil, Source{}, options{"blog_public": "-2"}, public(true)},
		{"blog_public missing", nil, Source{}, nil, public(true)},
		{"sitemaps are on by default", nil, Source{}, nil, sitemaps(true)},
		{"sitemaps on", nil, Source{}, options{"wpseo": `a:1:{s:18:"enable_xml_sitemap";b:1;}`}, sitemaps(true)},
		{"sitemaps off", nil, Source{}, options{"wpseo": `a:1:{s:18:"enable_xml_sitemap";b:0;}`}, sitemaps(false)},
		{"sitemaps on means boolean true", nil, Source{}, options{"wpseo": `a:1:{s:18:"enable_xml_sitemap";s:2:"on";}`}, sitemaps(false)},
		{"a corrupted wpseo counts as never saved", nil, Source{}, options{"wpseo": `a:1:{s:18:"enable_xml_sitemap";b:0;`}, sitemaps(true)},
		{"Yoast active", nil, Source{}, options{"active_plugins": `a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}`}, active(true)},
		{"other plugins", nil, Source{}, options{"active_plugins": `a:1:{i:0;s:9:"akismet.x";}`}, active(false)},
		{"no list of plugins", nil, Source{}, nil, active(false)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := &Network{source: tt.source, sitemapsAllowed: true}
			if tt.config != nil {
				n.config = config(t, tt.config...)
			}
			o := options{}
			for _, from := range []options{base, tt.options} {
				for k, v := range from {
					o[k] = v
				}
			}
			s := &Site{network: n, prefix: "wp_"}
			if wrong := tt.is(s.settings(o)); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

func home(want string) func(Settings) string {
	return func(s Settings) string {
		if s.Home != want || s.Permalinks.Home != want {
			return fmt.Sprintf("home %q, %q in links, want %q", s.Home, s.Permalinks.Home, want)
		}
		return ""
	}
}

func flag(name string, get func(Settings) bool) func(bool) func(Settings) string {
	return func(want bool) func(Settings) string {
		return func(s Settings) string {
			if get(s) != want {
				return fmt.Sprintf("%s is %t", name, !want)
			}
			return ""
		}
	}
}

var (
	public   = flag("BlogPublic", func(s Settings) bool { return s.BlogPublic })
	sitemaps = flag("Sitemaps", func(s Settings) bool { return s.Yoast.Sitemaps })
	active   = flag("Active", func(s Settings) bool { return s.Yoast.Active })
)

// How strictly Yoast compares each switch (yoast-sitemaps 4, 5, 6.2, 8).
func TestYoastSwitches(t *testing.T) {
	stored := map[string]string{"true": "b:1", "false": "b:0", "on": `s:2:"on"`, "1": "i:1", "0": `s:1:"0"`, "empty": `s:0:""`, "null": "N"}
	for _, tt := range []struct {
		name string
		key  string
		get  func(Yoast) bool
		on   []string // what switches it on, "unsaved" among them
	}{
		{"disable-TYPE is any truth", "disable-book", func(y Yoast) bool { return y.PostTypeDisabled("book") }, []string{"1", "on", "true"}},
		{"attachments are disabled unless saved otherwise", "disable-attachment", func(y Yoast) bool { return y.PostTypeDisabled("attachment") }, []string{
			"1", "on", "true", "unsaved",
		}},
		{"noindex-TYPE is all but false", "noindex-book", func(y Yoast) bool { return y.PostTypeNoindex("book") }, []string{
			"0", "1", "empty", "on", "true",
		}},
		{"noindex-ptarchive-TYPE is any truth", "noindex-ptarchive-book", func(y Yoast) bool { return y.ArchiveNoindex("book") }, []string{
			"1", "on", "true",
		}},
		{"noindex-tax-TAXONOMY is true only", "noindex-tax-mood", func(y Yoast) bool { return y.TaxonomyNoindex("mood", false) }, []string{"true"}},
		{"noindex-tax-TAXONOMY is any truth where it is taken plainly", "noindex-tax-mood", func(y Yoast) bool {
			return y.TaxonomyNoindex("mood",
				true)
		}, []string{"1", "on", "true"}},
		{"post formats are noindexed unless saved otherwise", "noindex-tax-post_format", func(y Yoast) bool {
			return y.TaxonomyNoindex("post_format",
				false)
		}, []string{"true", "unsaved"}},
		{"disable-post_format is any truth", "disable-post_format", Yoast.FormatsDisabled, []string{"1", "on", "true"}},
		{"disable-author is any truth", "disable-author", func(y Yoast) bool { _, off := y.AuthorsDisabled(); return off }, []string{"1", "on", "true"}},
		{"noindex-author-wpseo is any truth", "noindex-author-wpseo", func(y Yoast) bool { _, off := y.AuthorsDisabled(); return off }, []string{
			"1", "on", "true",
		}},
		{
			"authors need posts unless saved otherwise", "noindex-author-noposts-wpseo", Yoast.AuthorsNeedPosts,
			[]string{"1", "null", "on", "true", "unsaved"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var on []string
			if tt.get(Yoast{}) {
				on = append(on, "unsaved")
			}
			for name, value := range stored {
				titles, err := php.Unserialize(fmt.Sprintf(`a:1:{s:%d:"%s";%s;}`, len(tt.key), tt.key, value))
				if err != nil {
					t.Fatal(err)
				}
				if tt.get(Yoast{titles: titles}) {
					on = append(on, name)
				}
			}
			slices.Sort(on)
			if diff := cmp.Diff(tt.on, on); diff != "" {
				t.Errorf("what switches it on, expected (-) and got (+):\n%s", diff)
			}
		})
	}
}

func TestTermMeta(t *testing.T) {
	meta, err := php.Unserialize(`a:1:{s:8:"category";a:3:{i:8;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}i:9;` +
		`a:2:{s:13:"wpseo_noindex";s:5:"index";s:15:"wpseo_canonical";s:15:"https://y.test/";}i:10;s:4:"text";}}`)
	if err != nil {
		t.Fatal(err)
	}
	y := Yoast{taxonomyMeta: meta}
	for id, want := range map[int64]bool{8: true, 9: false, 10: false, 11: false} {
		if got := y.TermNoindex("category", id); got != want {
			t.Errorf("noindex of %d: %t", id, got)
		}
	}
	if y.TermNoindex("post_tag", 8) {
		t.Error("noindex of a term of another taxonomy")
	}
	if got := y.TermCanonical("category", 9); got != "https://y.test/" {
		t.Errorf("canonical of 9: %q", got)
	}
	if got := y.TermCanonical("category", 8) + y.TermCanonical("category", 10); got != "" {
		t.Errorf("canonical of 8 and 10: %q", got)
	}
	if !y.TermsWithMeta("category") || y.TermsWithMeta("post_tag") {
		t.Error("TermsWithMeta")
	}
}
