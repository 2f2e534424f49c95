package wp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/content"
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
	network := Network{declared: ownAlone, multisite: true, mainNetwork: 1, mainBlog: 1}
	oldNetwork := network
	oldNetwork.msFiles = true
	for _, tt := range []struct {
		name    string
		config  []string
		options options
		network Network
		blog    BlogRow
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
		{name: "WP_CONTENT_URL below the request's host, which is home's",
			config: []string{"define('WP_CONTENT_URL', 'http://' . $_SERVER['HTTP_HOST'] . '/content');"},
			want:   content.Uploads{Dir: "/srv/wp-content/uploads", URL: "https://home.test:8080/content/uploads"}},
		{name: "UPLOADS wins over the options", config: []string{"define('UPLOADS', 'files');"},
			options: options{"upload_url_path": "https://files.x.test"},
			want:    content.Uploads{Dir: "/srv/files", URL: site + "/files"}},
		{
			name: "main site of a network", network: network, blog: BlogRow{ID: 1, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/uploads", URL: site + "/wp-content/uploads"},
		},
		{
			name: "other site of a network", network: network, blog: BlogRow{ID: 7, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/uploads/sites/7", URL: site + "/wp-content/uploads/sites/7"},
		},
		{
			name: "main site of another network", network: network, blog: BlogRow{ID: 8, Network: 2},
			want: content.Uploads{Dir: "/srv/wp-content/uploads/sites/8", URL: site + "/wp-content/uploads/sites/8"},
		},
		{name: "upload_url_path of another site", network: network, blog: BlogRow{ID: 7, Network: 1},
			options: options{"upload_url_path": "https://files.x.test"},
			want:    content.Uploads{Dir: "/srv/wp-content/uploads/sites/7", URL: "https://files.x.test/sites/7"}},
		{
			name: "network born before 3.5", network: oldNetwork, blog: BlogRow{ID: 7, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/blogs.dir/7/files", URL: site + "/files"},
		},
		{
			name: "main site of a network born before 3.5", network: oldNetwork, blog: BlogRow{ID: 1, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/uploads", URL: site + "/wp-content/uploads"},
		},
		{name: "UPLOADS does nothing on a network born before 3.5",
			config:  []string{"define('MULTISITE', true);", "define('UPLOADS', 'files');"},
			network: oldNetwork, blog: BlogRow{ID: 7, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/blogs.dir/7/files", URL: site + "/files"}},
		{name: "network without the constant MULTISITE", config: []string{"define('VHOST', 'no');"}, network: network, blog: BlogRow{ID: 7, Network: 1},
			want: content.Uploads{Dir: "/srv/wp-content/uploads/7", URL: site + "/wp-content/uploads/7"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := tt.network
			n.root = "/srv"
			if tt.config != nil {
				n.config = config(t, tt.config...)
			}
			s := &Blog{network: &n, row: tt.blog, blogID: tt.blog.ID}
			if got := s.uploads(tt.options, "https://home.test:8080/blog", site); got != tt.want {
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
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := &Network{source: tt.source, declared: ownAlone}
			if tt.config != nil {
				n.config = config(t, tt.config...)
			}
			o := options{}
			for _, from := range []options{base, tt.options} {
				for k, v := range from {
					o[k] = v
				}
			}
			s := &Blog{network: n, prefix: "wp_"}
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
	public = flag("BlogPublic", func(s Settings) bool { return s.BlogPublic })
)
