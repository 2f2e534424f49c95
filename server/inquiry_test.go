package server

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
)

// phpSite answers as WordPress with a plugin that may filter the addresses of books.
type phpSite struct {
	mu       sync.Mutex
	filtered bool
	answers  map[string]http.HandlerFunc // of some paths
	asked    []string
}

func (s *phpSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	filtered, own := s.filtered, s.answers[r.URL.Path]
	s.asked = append(s.asked, r.URL.Path)
	s.mu.Unlock()
	name, book := strings.CutPrefix(r.URL.Path, "/library/")
	shelved, _ := strings.CutPrefix(r.URL.Path, "/by/ann/")
	canonical := "https://example.test" + r.URL.Path
	switch {
	case own != nil:
		own(w, r)
		return
	case strings.HasSuffix(r.URL.Path, ".xml"):
		w.WriteHeader(299)
	case filtered && book && name != "":
		http.Redirect(w, r, "/by/ann/"+name, http.StatusMovedPermanently)
		return
	case !filtered && shelved != r.URL.Path:
		http.NotFound(w, r)
		return
	}
	fmt.Fprintf(w, `<!DOCTYPE html><html><head><link rel="canonical" href="%s"></head><body>`, canonical)
}

func (s *phpSite) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Where no table has PHP's word on addresses, a filter that a plugin adds is noticed by asking the site, and that it is gone, too. What
// somebody has set for a single page is no filter, and of a site that is closed nothing is learnt. It is known after a restart.
func TestFiltersThatNoTableShows(t *testing.T) {
	t.Parallel()
	php := &phpSite{answers: map[string]http.HandlerFunc{
		"/library/the-knot-book/": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<html><head><link rel="canonical" href="https://example.test/the-best-knots/"></head>`)
		},
	}}
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "types")
	plugins := func(names ...string) {
		t.Helper()
		var list strings.Builder
		names = append(names, "advanced-custom-fields/acf.php", "custom-post-type-ui/custom-post-type-ui.php")
		for i, name := range names {
			fmt.Fprintf(&list, `i:%d;s:%d:"%s";`, i, len(name), name)
		}
		wptest.Exec(t, dsn, option("active_plugins", fmt.Sprintf("a:%d:{%s}", len(names), &list)))
	}
	plugins()
	site, dir, public := realSite("a", dsn), t.TempDir(), true
	site.Hosts, site.Sitemaps, site.Upstream = []config.Host{"example.test"}, "core", startUpstream(t, php.ServeHTTP)
	site.Overrides.PostTypes = map[string]registry.PostTypeOverride{"book": {Public: &public}}
	s := startState(t, dir, site)
	is := func(when string, want int) {
		t.Helper()
		wptest.Eventually(t, when, func() bool {
			return s.ask("example.test", "/wp-sitemap-posts-book-1.xml").status == want && s.ask("example.test", "/wp-sitemap.xml").status == want
		}, func() any { return s.ask("example.test", "/wp-sitemap-posts-book-1.xml") }, s.log)
	}
	asked := func(when string) {
		t.Helper()
		php.set(func() { php.asked = nil })
		plugins(when)
		wptest.Eventually(t, when, func() bool {
			php.mu.Lock()
			defer php.mu.Unlock()
			return slices.Contains(php.asked, "/library/the-tide-table/") && len(php.asked) > 5
		}, s.log)
		s.rested()
	}
	asked("plain/plain.php")
	is("all but one are as computed", 200)
	closed := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login/", http.StatusMovedPermanently)
	}
	php.set(func() {
		php.filtered = true
		delete(php.answers, "/library/the-knot-book/")
		php.answers["/"] = closed
	})
	asked("closed/closed.php")
	is("the site is closed", 200)
	php.set(func() { delete(php.answers, "/") })
	plugins("shelves/shelves.php")
	is("the filter is noticed", 299)
	if got := s.ask("example.test", "/wp-sitemap-posts-post-1.xml").status; got != 200 {
		t.Errorf("posts: %d", got)
	}
	s.written()
	s.stop()
	s = startState(t, dir, site)
	<-s.installs[0].refresher.FirstRead()
	is("after a restart", 299)
	php.set(func() { php.filtered = false })
	plugins()
	is("it is noticed that the filter is gone", 200)
}

// A filter of a must-use plugin, which no table and no setting shows, is noticed by asking WordPress itself at the next full scan,
// and that it was taken out, too: at both levels nothing but what WordPress says is served of the type.
func TestFilterOfRealWordPress(t *testing.T) {
	t.Parallel()
	wordpress := os.Getenv("WPSITEMAPD_WORDPRESS_DIR")
	if wordpress == "" {
		wordpress = "/usr/share/wordpress"
	}
	php, err := exec.LookPath("php")
	if err == nil {
		_, err = os.Stat(filepath.Join(wordpress, "wp-load.php"))
	}
	if err != nil && os.Getenv("WPSITEMAPD_WORDPRESS") == "required" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip(err)
	}
	for _, level := range []string{"plugin", "spec"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.MariaDB, "basic", "types")
			wptest.Exec(t, dsn, `INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_name, post_type, post_title,
				post_content, post_excerpt, to_ping, pinged, post_content_filtered) VALUES (1, NOW(), UTC_TIMESTAMP(), NOW(), UTC_TIMESTAMP(), 'a-third-book', 'book', '',
				'', '', '', '', '')`) // of two somebody may have set the canonical URLs
			db, err := mysql.ParseDSN(dsn)
			wptest.Must(t, err)
			dir, address := t.TempDir(), "127.0.0.1:"+wptest.FreePort(t)
			plugins := filepath.Join(dir, "wp-content", "mu-plugins")
			write := func(path, text string) {
				t.Helper()
				wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
			}
			wptest.Must(t, os.MkdirAll(plugins, 0o700))
			write(filepath.Join(dir, "index.php"), fmt.Sprintf(wordpressIndex, db.DBName, db.User, db.Passwd, db.Addr, dir, wordpress+"/"))
			write(filepath.Join(plugins, "books.php"), booksPlugin)
			filter := filepath.Join(plugins, "shelves.php")
			var log wptest.Buffer
			server := exec.Command(php, "-S", address, filepath.Join(dir, "index.php"))
			server.Stdout, server.Stderr = &log, &log
			wptest.Must(t, server.Start())
			t.Cleanup(func() {
				_ = server.Process.Kill()
				_ = server.Wait()
				if t.Failed() {
					t.Log(log.End())
				}
			})
			wptest.Eventually(t, "PHP answers", func() bool {
				conn, err := net.Dial("tcp", address)
				if err == nil {
					conn.Close()
				}
				return err == nil
			})
			site, public := realSite("a", dsn), true
			site.Hosts, site.Sitemaps, site.Compat = []config.Host{"example.test"}, "core", level
			wptest.Must(t, site.Upstream.UnmarshalText([]byte("http://"+address)))
			site.Overrides.PostTypes = map[string]registry.PostTypeOverride{"book": {Public: &public}}
			var hours atomic.Int64
			s := newReal(t, config.Config{State: t.TempDir(), Sites: []config.Site{site}})
			s.Now = func() time.Time { return time.Now().Add(time.Duration(hours.Load()) * time.Hour) }
			s.pace.FirstScan, s.pace.LastScan, s.pace.ScanTurn = time.Second, time.Second, time.Millisecond
			running := s.start()
			is := func(when string, ours bool) {
				t.Helper()
				hours.Add(1)
				wptest.Eventually(t, when, func() bool {
					a := running.ask("example.test", "/wp-sitemap-posts-book-1.xml")
					return a.status > 0 && strings.Contains(a.body, "<loc>https://example.test/library/the-tide-table/</loc>") == ours
				}, func() any { return running.ask("example.test", "/wp-sitemap-posts-book-1.xml") }, s.log)
			}
			is("no filter", true)
			write(filter, shelvesPlugin)
			is("the filter is noticed", false)
			wptest.Must(t, os.Remove(filter))
			is("it is noticed that the filter is gone", true)
		})
	}
}

// wordpressIndex runs WordPress for every request, as behind a server with TLS.
const wordpressIndex = `<?php
define( 'DB_NAME', '%s' );
define( 'DB_USER', '%s' );
define( 'DB_PASSWORD', '%s' );
define( 'DB_HOST', 'localhost:%s' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'WP_CONTENT_DIR', '%s/wp-content' );
define( 'ABSPATH', '%s' );
define( 'DISABLE_WP_CRON', true );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'WP_USE_THEMES', true );
$table_prefix = 'wp_';
ini_set( 'display_errors', '0' );
$_SERVER['HTTPS'] = 'on';
$_SERVER['PHP_SELF'] = $_SERVER['SCRIPT_NAME'] = '/index.php';
require ABSPATH . 'wp-settings.php';
wp();
require ABSPATH . WPINC . '/template-loader.php';
`

// booksPlugin registers the type, and stands for a theme.
const booksPlugin = `<?php
add_action( 'init', function () {
	register_post_type( 'book', [ 'public' => true, 'has_archive' => true, 'rewrite' => [ 'slug' => 'library' ] ] );
} );
add_action( 'template_redirect', function () {
	echo '<!DOCTYPE html><html><head>';
	rel_canonical();
	exit( '</head><body>' );
}, 99 );
`

const shelvesPlugin = `<?php
add_filter( 'post_type_link', fn( $link, $post ) => 'book' === $post->post_type ? home_url( "/by/ann/$post->post_name/" ) : $link, 10, 2 );
add_action( 'init', fn() => add_rewrite_rule( '^by/ann/([^/]+)/?$', 'index.php?book=$matches[1]', 'top' ) );
`
