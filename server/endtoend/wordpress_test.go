package endtoend

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

// requiredWordPress is the variable that makes WordPress, PHP and nginx indispensable.
const requiredWordPress = "WPSITEMAPD_WORDPRESS"

// installed is where Debian's package puts WordPress. WPSITEMAPD_WORDPRESS_DIR names another one.
const installed = "/usr/share/wordpress"

// wordpress is a WordPress of the test's own, with nginx and PHP-FPM, and the daemon before it.
type wordpress struct {
	dir     string
	www     string // where PHP is
	address string // of nginx, which only the daemon should ask
	config  string // the daemon's
	home    string // of the site: the daemon's address
	db      *sql.DB
	editor  http.Header // of requests of who is logged in; nil before
}

// accountPassword has what needs quoting.
const accountPassword = `sec'ret\"`

// startWordPress starts everything on an empty database, as with docker compose up: the account
// comes from the same script, and the daemon runs before WordPress is installed.
func startWordPress(t *testing.T) *wordpress {
	nginx, bash := wptest.Program(t, requiredWordPress, "nginx"), wptest.Program(t, requiredWordPress, "bash")
	fpm := wptest.Program(t, requiredWordPress, "php-fpm", "php-fpm8.5", "php-fpm8.4", "php-fpm8.3", "php-fpm8.2", "php-fpm8.1")
	client := wptest.Program(t, requiredWordPress, "mariadb")
	source := os.Getenv("WPSITEMAPD_WORDPRESS_DIR")
	if source == "" {
		source = installed
	}
	if _, err := os.Stat(filepath.Join(source, "wp-load.php")); err != nil {
		wptest.Missing(t, requiredWordPress, "WordPress")
	}
	w := &wordpress{dir: wptest.Folder(t), address: "127.0.0.1:" + wptest.FreePort(t)}
	www := filepath.Join(w.dir, "www")
	w.www, w.config = www, filepath.Join(w.dir, "wpsitemapd.toml")
	copyTree(t, source, www)
	write(t, filepath.Join(www, "probe.php"), probe)

	dsn := wptest.MySQL(t)
	server, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	name := fmt.Sprintf("wordpress_%d", os.Getpid())
	account := name + "_reads"
	wptest.Exec(t, dsn, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4")
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP DATABASE "+name, "DROP USER IF EXISTS "+account+"@localhost") })
	// in the image the client finds its server by itself
	wrapper := filepath.Join(w.dir, "bin", "mariadb")
	write(t, wrapper, fmt.Sprintf("#!/bin/sh\nexec %s --no-defaults --socket=%s \"$@\"\n", client, server.Addr))
	wptest.Must(t, os.Chmod(wrapper, 0o755))
	script := exec.Command(bash, filepath.Join(root, "docs", "deploy", "account.sh"))
	script.Env = append(os.Environ(), "PATH="+filepath.Dir(wrapper)+":"+os.Getenv("PATH"),
		"MARIADB_ROOT_PASSWORD="+server.Passwd, "MARIADB_DATABASE="+name,
		"SITEMAPS_PASSWORD="+accountPassword, "SITEMAPS_HOST=localhost")
	made := t.Run("account", func(t *testing.T) { // it is renamed, because tests of init wait until nobody else has an account of this name
		wptest.Alone(t, dsn)
		wptest.Exec(t, dsn, "DROP USER IF EXISTS sitemaps@localhost") // of a test that was killed
		if out, err := script.CombinedOutput(); err != nil {
			t.Fatalf("account.sh: %v\n%s", err, out)
		}
		wptest.Exec(t, dsn, "RENAME USER sitemaps@localhost TO "+account+"@localhost")
	})
	if !made {
		t.FailNow()
	}
	server.DBName = name
	w.db, _ = wptest.DB(t, server.FormatDSN())

	write(t, filepath.Join(www, "wp-config.php"), fmt.Sprintf(wpConfig, name, server.User, server.Passwd, server.Addr))
	socket := filepath.Join(w.dir, "php.sock")
	write(t, filepath.Join(w.dir, "fpm.conf"), fmt.Sprintf(
		"[global]\ndaemonize = no\nerror_log = /dev/stderr\n[www]\nlisten = %s\nlisten.mode = 0666\npm = static\npm.max_children = "+
			"4\ncatch_workers_output = yes\nphp_admin_flag[display_errors] = off\nphp_admin_value[sendmail_path] = /bin/true\n", socket))
	args := []string{"--nodaemonize", "--fpm-config", filepath.Join(w.dir, "fpm.conf")}
	if os.Getuid() == 0 {
		args = append(args, "--allow-to-run-as-root")
		write(t, filepath.Join(w.dir, "fpm.conf"), strings.Replace(read(t, filepath.Join(w.dir, "fpm.conf")), "[www]\n", "[www]\nuser = root\n", 1))
	}
	run(t, fpm, args, "unix", socket)

	write(t, filepath.Join(w.dir, "wordpress.conf"), secondAddress(t, deployed(t, "nginx-front.conf", "127.0.0.1:8081", w.address)))
	write(t, filepath.Join(w.dir, "snippets", "wordpress.conf"), deployed(t, "nginx-wordpress.conf", "/var/www/example",
		www, "/run/php/php-fpm.sock", socket, "#fastcgi_param HTTP_HOST", "fastcgi_param HTTP_HOST"))
	runNginx(t, nginx, w.dir, filepath.Join(w.dir, "wordpress.conf"), w.address)

	own := mysql.NewConfig()
	own.Net, own.Addr, own.DBName, own.User, own.Passwd = "unix", server.Addr, name, account, accountPassword
	write(t, filepath.Join(w.dir, "dsn"), own.FormatDSN())
	write(t, w.config, fmt.Sprintf("listen = \"127.0.0.1:0\"\n[[site]]\nname = \"wordpress\"\nwp_config = %q\ndsn_file = \"dsn\"\nupstream = %q\n",
		filepath.Join(www, "wp-config.php"), "http://"+w.address))
	w.home = "http://" + daemon(t, w.config)
	return w
}

// wpConfig keeps WordPress from asking other servers.
const wpConfig = `<?php
define( 'DB_NAME', '%s' );
define( 'DB_USER', '%s' );
define( 'DB_PASSWORD', '%s' );
define( 'DB_HOST', 'localhost:%s' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'AUTH_KEY', 'a' );
define( 'SECURE_AUTH_KEY', 'b' );
define( 'LOGGED_IN_KEY', 'c' );
define( 'NONCE_KEY', 'd' );
define( 'AUTH_SALT', 'e' );
define( 'SECURE_AUTH_SALT', 'f' );
define( 'LOGGED_IN_SALT', 'g' );
define( 'NONCE_SALT', 'h' );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'DISABLE_WP_CRON', true );
define( 'FS_METHOD', 'direct' );
$table_prefix = 'wp_';
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`

// probe is a script beside WordPress that tells all that PHP learns of a request.
const probe = `<?php
header( 'Content-Type: application/json' );
header( 'X-Twice: a', false );
header( 'X-Twice: b', false );
http_response_code( (int) ( $_GET['status'] ?? 200 ) );
$seen = [];
foreach ( [ 'REQUEST_METHOD', 'REQUEST_URI', 'QUERY_STRING', 'CONTENT_TYPE', 'CONTENT_LENGTH', 'HTTP_HOST', 'HTTP_USER_AGENT',
	'HTTP_ACCEPT', 'HTTP_COOKIE',
	'HTTP_AUTHORIZATION', 'HTTP_RANGE', 'HTTP_REFERER', 'HTTP_X_ODD', 'HTTPS', 'REMOTE_ADDR', 'PATH_INFO' ] as $name ) {
	$seen[ $name ] = isset( $_SERVER[ $name ] ) ? bin2hex( $_SERVER[ $name ] ) : null; // JSON takes no odd bytes
}
echo json_encode( [ $seen, bin2hex( serialize( [ $_GET, $_POST, $_COOKIE ] ) ),
	array_map( fn( $f ) => [ $f['name'], $f['type'], $f['size'] ], $_FILES ),
	md5( file_get_contents( 'php://input' ) ) ] );
`

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	wptest.Must(t, err)
	return string(text)
}

// copyTree copies a folder, and what symbolic links in it lead to.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	wptest.Must(t, err)
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		info, err := os.Stat(source)
		switch {
		case errors.Is(err, fs.ErrNotExist): // a link to what another package would have
		case err != nil:
			t.Fatal(err)
		case info.IsDir():
			copyTree(t, source, target)
		default:
			data, err := os.ReadFile(source)
			if err == nil {
				err = os.WriteFile(target, data, 0o644)
			}
			wptest.Must(t, err)
		}
	}
}

// picture is a photograph, of sorts.
func picture(t testing.TB) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 1200, 800))
	for y := range 800 {
		for x := range 1200 {
			m.Set(x, y, color.RGBA{uint8(x ^ y), uint8(x * y >> 9), uint8(y), 255})
		}
	}
	var b bytes.Buffer
	wptest.Must(t, jpeg.Encode(&b, m, nil))
	return b.String()
}

const (
	login    = "editor"
	password = "correct horse battery staple"
	title    = "The harbour in winter & other “stories”"
)

// TestWordPress installs WordPress, publishes, and puts into the trash, by nothing but the daemon's address; then it compares what
// the daemon passes on with what WordPress says to who asks it directly.
func TestWordPress(t *testing.T) {
	w := startWordPress(t)
	resp, _ := do(t, noRedirects, "GET", w.home+"/", "", nil)
	if !strings.HasPrefix(resp.Header.Get("Location"), w.home+"/wp-admin/install.php") {
		t.Fatalf("WordPress does not install itself: %d %v", resp.StatusCode, resp.Header)
	}
	form := url.Values{
		"weblog_title": {"Saltwick Gazette"}, "user_name": {login}, "admin_password": {password}, "admin_password2": {password},
		"admin_email": {"editor@example.com"},
	}
	resp, body := do(t, noRedirects, "POST", w.home+"/wp-admin/install.php?step=2", form.Encode(),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
	if resp.StatusCode != 200 || !strings.Contains(body, "wp-login.php") {
		t.Fatalf("WordPress is not installed: %d %s", resp.StatusCode, body)
	}
	u := w.upload(t)
	post := w.publish(t, u)
	w.findInSitemap(t, post)
	w.trash(t, post)
	w.compare(t, post, u)
	w.filters(t)
}

var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// rest asks WordPress' REST API as the editor, and decodes the answer.
func (w *wordpress) rest(t *testing.T, method, path, body string, into any, header ...string) {
	t.Helper()
	if w.editor == nil {
		w.editor = http.Header{"Cookie": {w.cookies(t)}}
		_, nonce := do(t, noRedirects, "GET", w.home+"/wp-admin/admin-ajax.php?action=rest-nonce", "", w.editor)
		w.editor.Set("X-WP-Nonce", nonce)
	}
	h := w.editor.Clone()
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	resp, text := do(t, noRedirects, method, w.home+"/wp-json/wp/v2/"+path, body, h)
	if err := json.Unmarshal([]byte(text), into); err != nil || resp.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %d %v\n%s", method, path, resp.StatusCode, err, text)
	}
}

// upload is what WordPress made of a picture.
type upload struct {
	ID  int    `json:"id"`
	URL string `json:"source_url"`
}

func (w *wordpress) upload(t *testing.T) (u upload) {
	original := picture(t)
	w.rest(t, "POST", "media", original, &u, "Content-Type", "image/jpeg", "Content-Disposition", `attachment; filename="Harbour view.jpg"`)
	resp, body := do(t, noRedirects, "GET", u.URL, "", nil)
	if !strings.HasPrefix(u.URL, w.home+"/wp-content/uploads/") || resp.StatusCode != 200 ||
		resp.Header.Get("Content-Type") != "image/jpeg" || body != original {
		t.Fatalf("%+v: of a picture of %d bytes %d arrived: %v", u, len(original), len(body), resp.Header)
	}
	return u
}

func (w *wordpress) publish(t *testing.T, u upload) (address string) {
	content := fmt.Sprintf("<p>Ice on the ropes.</p><img src=%q alt=\"Boats\" class=\"wp-image-%d\">", u.URL, u.ID)
	text, err := json.Marshal(map[string]string{"title": title, "content": content, "status": "publish"})
	wptest.Must(t, err)
	var post struct{ Link string }
	w.rest(t, "POST", "posts", string(text), &post, "Content-Type", "application/json")
	if !strings.HasPrefix(post.Link, w.home+"/") || !strings.Contains(post.Link, "/the-harbour-in-winter") {
		t.Fatalf("the post is at %s", post.Link)
	}
	return post.Link
}

const sitemap = "/wp-sitemap-posts-post-1"

// findInSitemap finds the post and its picture, from robots.txt on.
func (w *wordpress) findInSitemap(t *testing.T, post string) {
	wptest.Eventually(t, "the post is in the sitemap", func() bool {
		resp, body := do(t, noRedirects, "GET", w.home+sitemap+".xml", "", nil)
		return resp.StatusCode == 200 && strings.Contains(body, "<loc>"+post+"</loc>")
	})
	for path, want := range map[string]string{
		"/robots.txt": "Sitemap: " + w.home + "/wp-sitemap.xml", "/wp-sitemap.xml": "<loc>" + w.home + sitemap + ".xml</loc>",
		"/wp-sitemap.html": sitemap + ".html", sitemap + ".html": post, strings.TrimPrefix(post, w.home): "Ice on the ropes.",
	} {
		wptest.Eventually(t, path+" names "+want, func() bool { // PHP answers for what the daemon has not read yet
			_, body := do(t, noRedirects, "GET", w.home+path, "", nil)
			return strings.Contains(body, want)
		})
	}
}

// trash removes another post, which WordPress comes with, and waits until its sitemap knows.
func (w *wordpress) trash(t *testing.T, post string) {
	inSitemap := func() bool {
		_, body := do(t, noRedirects, "GET", w.home+sitemap+".xml", "", nil)
		if !strings.Contains(body, post) {
			t.Fatalf("the wrong post is gone:\n%s", body)
		}
		return strings.Contains(body, "/hello-world/")
	}
	if !inSitemap() {
		t.Fatal("the first post of every WordPress is not in the sitemap")
	}
	w.rest(t, "DELETE", "posts/1", "", &struct{}{})
	wptest.Eventually(t, "a post in the trash leaves the sitemap", func() bool { return !inSitemap() })
}

// exec changes what WordPress has stored.
func (w *wordpress) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := w.db.Exec(statement)
	wptest.Must(t, err)
}

// cookies returns the cookies of a user who is logged in.
func (w *wordpress) cookies(t *testing.T) string {
	t.Helper()
	resp, _ := do(t, noRedirects, "POST", w.home+"/wp-login.php", "log="+login+"&pwd="+strings.ReplaceAll(password, " ", "+")+"&testcookie=1",
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Cookie": {"wordpress_test_cookie=WP%20Cookie%20check"}})
	var pairs []string
	for _, c := range resp.Cookies() {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	if resp.StatusCode != 302 || !slices.ContainsFunc(pairs, func(p string) bool { return strings.HasPrefix(p, "wordpress_logged_in_") }) {
		t.Fatalf("not logged in: %d %q", resp.StatusCode, pairs)
	}
	return strings.Join(pairs, "; ")
}
