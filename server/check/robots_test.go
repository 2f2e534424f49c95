package check

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The robots.txt in the web root is used, wherever that is. A wp-config.php cannot lead to the file of another install.
func TestRobotsOfTheWebRoot(t *testing.T) {
	database := filepath.Join(t.TempDir(), ".ht.sqlite")
	wptest.Must(t, sample.Create(t.Context(), database, "https://www.example.com"))
	for _, test := range []struct {
		rule     string
		wpConfig string // its place
		text     string // in it
		files    []string
		link     string
		want     string // D is the folder of everything
	}{
		{"beside wp-config.php", "a/wp-config.php", "", []string{"a/robots.txt"}, "", "from D/a/robots.txt; the daemon"},
		{"in ABSPATH", "a/wp-config.php", "define('ABSPATH', __DIR__ . '/public/');", []string{"a/public/robots.txt"}, "", "from D/a/public/robots.txt; the daemon"},
		{"above WordPress' own folder", "a/wp/wp-config.php", "define('WP_SITEURL', 'https://www.example.com/wp');",
			[]string{"a/robots.txt", "a/wp/robots.txt"}, "", "from D/a/robots.txt; the daemon"},
		{"Bedrock", "a/web/wp-config.php",
			"define('WP_SITEURL', 'https://www.example.com/wp'); define('ABSPATH', __DIR__ . '/wp/');", []string{"a/web/robots.txt"}, "",
			"from D/a/web/robots.txt; the daemon"},
		{"ABSPATH of another install", "a/wp-config.php", "define('ABSPATH', dirname(__DIR__) . '/b/');",
			[]string{"b/robots.txt", "b/wp-config.php"}, "", "from the daemon, with the text that WordPress would make; the web root has no file"},
		{"ABSPATH elsewhere", "a/wp-config.php", "define('ABSPATH', '/tmp/');", nil, "", "from the daemon, with the text that " +
			"WordPress would make; the web root has no file"},
		{"a link", "a/wp-config.php", "", []string{"b/robots.txt"}, "a/robots.txt", "503, because the file in the web root cannot be read"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			wptest.Must(t, err)
			write := func(name, text string) {
				t.Helper()
				path := filepath.Join(dir, name)
				wptest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
				wptest.Must(t, os.WriteFile(path, []byte(text), 0o644))
			}
			write(test.wpConfig, "<?php\n"+test.text+"\n$table_prefix = 'wp_';\n")
			for _, name := range test.files {
				write(name, "User-agent: *\nDisallow: /private/\n")
			}
			if test.link != "" {
				wptest.Must(t, os.Symlink(filepath.Join(dir, test.files[0]), filepath.Join(dir, test.link)))
			}
			write("wpsitemapd.toml", fmt.Sprintf("[[site]]\nname = \"a\"\nwp_config = %q\ndsn = \"sqlite:%s\"\n", filepath.Join(dir, test.wpConfig), database))
			cfg, err := config.Load(filepath.Join(dir, "wpsitemapd.toml"))
			wptest.Must(t, err)
			r, err := (&Check{}).Run(t.Context(), cfg, cfg.Sites)
			if err != nil || len(r.Sites[0].Blogs) != 1 {
				t.Fatalf("%v %+v", err, r.Sites[0])
			}
			b := r.Sites[0].Blogs[0]
			if want := strings.ReplaceAll(test.want, "D/", dir+"/"); !strings.HasPrefix(b.Robots, want) {
				t.Errorf("%q, want %q", b.Robots, want)
			}
			if named := "Sitemap: https://www.example.com/"; strings.Contains(test.want, "robots.txt; the daemon") &&
				!strings.Contains(strings.Join(b.Warnings, "\n"), named) {
				t.Errorf("no line to add in %q", b.Warnings)
			}
			expect.Contains(t, r.Text(), "robots.txt: "+b.Robots)
		})
	}
}

// check names lines of robots.txt that point to a dead sitemap of the site. It judges by the file name, or by the upstream's
// answer.
func TestDeadLinesOfRobots(t *testing.T) {
	const home = "https://www.example.com"
	database := filepath.Join(t.TempDir(), ".ht.sqlite")
	wptest.Must(t, sample.Create(t.Context(), database, home))
	const text = "User-agent: *\nSitemap: " + home + "/sitemap_index.xml\nSitemap: http://example.com/sitemap_index.xml\nSitemap: " + home +
		"/sitemaps.xml\nSitemap: " + home + "/forum.xml\nSitemap: https://elsewhere.test/sitemap.xml\n"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = io.WriteString(w, text)
		case "/forum.xml":
			_, _ = io.WriteString(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`)
		case "/sitemap_index.xml":
			http.Redirect(w, r, home+"/sitemap_index.xml", http.StatusMovedPermanently)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	root := t.TempDir()
	wptest.Must(t, os.WriteFile(filepath.Join(root, "wp-config.php"), []byte("<?php\n$table_prefix = 'wp_';\n"), 0o644))
	wptest.Must(t, os.WriteFile(filepath.Join(root, "robots.txt"), []byte(text), 0o644))
	for _, test := range []struct {
		rule, settings string
		want           []string
	}{
		{"a file in the web root", fmt.Sprintf("wp_config = %q", filepath.Join(root, "wp-config.php")),
			[]string{"http://example.com/sitemap_index.xml, which wpsitemapd does not serve", home + "/sitemaps.xml, which " +
				"wpsitemapd does not serve"}},
		{"an upstream", fmt.Sprintf("upstream = %q", srv.URL), []string{home + "/sitemaps.xml, which is no sitemap"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			cfg, err := config.Parse("[[site]]\nname = \"a\"\ndsn = \"sqlite:"+database+"\"\n"+test.settings+"\n", "c.toml", "/")
			wptest.Must(t, err)
			r, err := (&Check{Rate: 1000, Log: slog.New(slog.DiscardHandler), Err: io.Discard}).Run(t.Context(), cfg, cfg.Sites)
			wptest.Must(t, err)
			var named []string
			for _, w := range r.Sites[0].Blogs[0].Warnings {
				if strings.Contains(w, "robots.txt names ") {
					named = append(named, w)
				}
			}
			if len(named) != len(test.want) {
				t.Fatalf("%q, want %q", named, test.want)
			}
			for i, want := range test.want {
				expect.Contains(t, named[i], want)
			}
		})
	}
}
