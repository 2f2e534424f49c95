package endtoend

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/internal/browsertest"
	"wpsitemapd/wp/wptest"
)

// requiredWordPress is the variable that makes WordPress, PHP and nginx indispensable.
const requiredWordPress = "WPSITEMAPD_WORDPRESS"

// installed is where Debian's package puts WordPress. WPSITEMAPD_WORDPRESS_DIR names another one.
const installed = "/usr/share/wordpress"

// wordpress is a WordPress of the test's own, with nginx and PHP-FPM, and the daemon before it.
type wordpress struct {
	dir     string
	address string // of nginx, which only the daemon should ask
	home    string // of the site: the daemon's address
}

// accountPassword has what needs quoting.
const accountPassword = `sec'ret\"`

// startWordPress starts everything on an empty database, as with docker compose up: the account
// comes from the same script, and the daemon runs before WordPress is installed.
func startWordPress(t *testing.T) *wordpress {
	nginx, bash := program(t, requiredWordPress, "nginx"), program(t, requiredWordPress, "bash")
	fpm := program(t, requiredWordPress, "php-fpm", "php-fpm8.5", "php-fpm8.4", "php-fpm8.3", "php-fpm8.2", "php-fpm8.1")
	client := program(t, requiredWordPress, "mariadb")
	source := os.Getenv("WPSITEMAPD_WORDPRESS_DIR")
	if source == "" {
		source = installed
	}
	if _, err := os.Stat(filepath.Join(source, "wp-load.php")); err != nil {
		missing(t, requiredWordPress, "WordPress")
	}
	w := &wordpress{dir: folder(t), address: "127.0.0.1:" + wptest.FreePort(t)}
	www := filepath.Join(w.dir, "www")
	copyTree(t, source, www)
	write(t, filepath.Join(www, "probe.php"), probe)

	server, err := mysql.ParseDSN(wptest.MySQL(t))
	wptest.Must(t, err)
	db, _ := wptest.DB(t, server.FormatDSN())
	name := fmt.Sprintf("wordpress_%d", os.Getpid())
	must := func(statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	must("CREATE DATABASE " + name + " CHARACTER SET utf8mb4")
	t.Cleanup(func() {
		must("DROP DATABASE " + name)
		must("DROP USER IF EXISTS sitemaps@localhost")
	})
	must("DROP USER IF EXISTS sitemaps@localhost") // of a test that was killed
	// in the image the client finds its server by itself
	wrapper := filepath.Join(w.dir, "bin", "mariadb")
	write(t, wrapper, fmt.Sprintf("#!/bin/sh\nexec %s --no-defaults --socket=%s \"$@\"\n", client, server.Addr))
	wptest.Must(t, os.Chmod(wrapper, 0o755))
	script := exec.Command(bash, filepath.Join(root, "docs", "deploy", "account.sh"))
	script.Env = append(os.Environ(), "PATH="+filepath.Dir(wrapper)+":"+os.Getenv("PATH"),
		"MARIADB_ROOT_PASSWORD="+server.Passwd, "MARIADB_DATABASE="+name,
		"SITEMAPS_PASSWORD="+accountPassword, "SITEMAPS_HOST=localhost")
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("account.sh: %v\n%s", err, out)
	}

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

	_, internal, found := strings.Cut(deployed(t, "nginx-front.conf", "127.0.0.1:8081", w.address), "# WordPress as wpsitemapd asks for it")
	if !found {
		t.Fatal("nginx-front.conf has no server for the daemon")
	}
	write(t, filepath.Join(w.dir, "wordpress.conf"), "#"+internal)
	write(t, filepath.Join(w.dir, "snippets", "wordpress.conf"), deployed(t, "nginx-wordpress.conf", "/var/www/example",
		www, "/run/php/php-fpm.sock", socket, "#fastcgi_param HTTP_HOST", "fastcgi_param HTTP_HOST"))
	runNginx(t, nginx, w.dir, filepath.Join(w.dir, "wordpress.conf"), w.address)

	account := mysql.NewConfig()
	account.Net, account.Addr, account.DBName, account.User, account.Passwd = "unix", server.Addr, name, "sitemaps", accountPassword
	write(t, filepath.Join(w.dir, "dsn"), account.FormatDSN())
	config := filepath.Join(w.dir, "wpsitemapd.toml")
	write(t, config, fmt.Sprintf("listen = \"127.0.0.1:0\"\n[[site]]\nname = \"wordpress\"\nwp_config = %q\ndsn_file = \"dsn\"\nupstream = %q\n",
		filepath.Join(www, "wp-config.php"), "http://"+w.address))
	w.home = "http://" + daemon(t, config)
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

// picture writes a photograph, of sorts.
func picture(t testing.TB, path string) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 1200, 800))
	for y := range 800 {
		for x := range 1200 {
			m.Set(x, y, color.RGBA{uint8(x ^ y), uint8(x * y >> 9), uint8(y), 255})
		}
	}
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(jpeg.Encode(f, m, nil), f.Close())
	}
	wptest.Must(t, err)
}

// person is somebody with a browser.
type person struct {
	*browsertest.Browser
	t *testing.T
}

// fill writes into the fields of a form.
func (p *person) fill(fields map[string]string) {
	p.t.Helper()
	for selector, value := range fields {
		ok := false
		p.Eval(fmt.Sprintf(`
			const e = document.querySelector(%q);
			if (!e) return false;
			if (e.type == "checkbox") { e.checked = true; } else { e.value = %q; }
			for (const event of ["input", "keyup", "change"]) e.dispatchEvent(new Event(event, {bubbles: true}));
			return true;`, selector, value), &ok)
		if !ok {
			p.t.Fatalf("there is no %s at %s", selector, p.where())
		}
	}
}

// is reports whether an expression is true in the page.
func (p *person) is(expression string) bool {
	p.t.Helper()
	var yes bool
	p.Eval("return !!("+expression+")", &yes)
	return yes
}

func (p *person) until(expression string) {
	p.t.Helper()
	for end := time.Now().Add(patience); !p.is(expression); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%s is not so at %s", expression, p.where())
		}
	}
}

func (p *person) text(expression string) (s string) {
	p.t.Helper()
	p.Eval("return String("+expression+")", &s)
	return s
}

func (p *person) where() string {
	return p.text(`location.href + " (" + document.title + "): " + document.body.innerText.slice(0, 300)`)
}

// click clicks on the element a selector finds.
func (p *person) click(selector string) {
	p.t.Helper()
	if !p.is(fmt.Sprintf("document.querySelector(%q)", selector)) {
		p.t.Fatalf("there is no %s at %s", selector, p.where())
	}
	p.Click(fmt.Sprintf("document.querySelector(%q)", selector))
}

// press clicks on what does not lead to another page, once it is there.
func (p *person) press(selector string) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.querySelector(%q) && !document.querySelector(%q).matches(':disabled, [aria-disabled=true]')", selector, selector))
	var done bool
	p.Eval(fmt.Sprintf("document.querySelector(%q).click(); return true", selector), &done)
}

// TestWordPress installs WordPress, publishes, and comments, with two browsers that know
// nothing but the daemon's address; then it compares what the daemon passes on with what
// WordPress says to who asks it directly.
func TestWordPress(t *testing.T) {
	w := startWordPress(t)
	author := &person{browsertest.Start(t, browsertest.Options{}), t}
	visitor := &person{browsertest.Start(t, browsertest.Options{}), t}

	w.install(author)
	w.logIn(author)
	upload := w.upload(author)
	post := w.publish(author, upload)
	w.findInSitemap(visitor, post)
	w.comment(visitor, author, post)
	w.trash(author, post)
	w.compare(t, post, upload)
}

const (
	login    = "editor"
	password = "correct horse battery staple"
	title    = "The harbour in winter & other “stories”"
)

func (w *wordpress) install(p *person) {
	p.Open(w.home + "/")
	if !strings.HasPrefix(p.text("location.href"), w.home+"/wp-admin/install.php") {
		p.t.Fatalf("WordPress does not install itself: %s", p.where())
	}
	if p.is(`document.querySelector("#language-continue")`) { // where translations can be fetched
		p.click("#language-continue")
	}
	p.fill(map[string]string{
		"#weblog_title": "Saltwick Gazette",
		"#user_login":   login,
		"#pass1":        password,
		"#pass2":        password,
		"#admin_email":  "editor@example.com",
	})
	p.click("#submit")
	if !strings.Contains(p.text("document.body.innerText"), login) || !p.is(`document.querySelector("a[href*='wp-login.php']")`) {
		p.t.Fatalf("WordPress is not installed: %s", p.where())
	}
}

func (w *wordpress) logIn(p *person) {
	p.click("a[href*='wp-login.php']")
	p.fill(map[string]string{"#user_login": login, "#user_pass": password})
	p.click("#wp-submit")
	if p.text("location.href") != w.home+"/wp-admin/" || !p.is(`document.querySelector("#wpadminbar")`) {
		p.t.Fatalf("not logged in: %s", p.where())
	}
}

// upload is what WordPress made of a picture.
type upload struct {
	ID  int    `json:"id"`
	URL string `json:"source_url"`
}

func (w *wordpress) upload(p *person) (u upload) {
	file := filepath.Join(w.dir, "Harbour view.jpg")
	picture(p.t, file)
	p.Open(w.home + "/wp-admin/media-new.php?browser-uploader=1")
	p.Choose(`document.querySelector("#async-upload")`, file)
	p.click("#html-upload")
	p.Eval(`return fetch("/wp-json/wp/v2/media").then(r => r.json()).then(list => list[0])`, &u)
	if !strings.HasPrefix(u.URL, w.home+"/wp-content/uploads/") || !strings.Contains(u.URL, "Harbour-view") {
		p.t.Fatalf("the picture is not there: %+v %s", u, p.where())
	}
	resp, body := do(p.t, http.DefaultClient, "GET", u.URL, "", nil)
	original := read(p.t, file)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "image/jpeg" || body != original {
		p.t.Fatalf("of a picture of %d bytes %d arrived: %v", len(original), len(body), resp.Header)
	}
	return u
}

// publish writes a post with the block editor.
func (w *wordpress) publish(p *person, u upload) (address string) {
	p.Open(w.home + "/wp-admin/post-new.php")
	p.until(`window.wp?.data?.select("core/editor")?.getCurrentPostId() && wp.blocks?.getBlockType("core/image")`)
	var done bool
	p.Eval(fmt.Sprintf(`
		wp.data.dispatch("core/editor").editPost({title: %q});
		wp.data.dispatch("core/block-editor").insertBlocks([
			wp.blocks.createBlock("core/paragraph", {content: "Ice on the ropes."}),
			wp.blocks.createBlock("core/image", {id: %d, url: %q, alt: "Boats", sizeSlug: "full"}),
		]);
		return true;`, title, u.ID, u.URL), &done)
	p.press(".editor-post-publish-panel__toggle")
	p.press(".editor-post-publish-button")
	p.until(`wp.data.select("core/editor").isCurrentPostPublished() && !wp.data.select("core/editor").isSavingPost()`)
	address = p.text(`wp.data.select("core/editor").getPermalink()`)
	if !strings.HasPrefix(address, w.home+"/") || !strings.Contains(address, "/the-harbour-in-winter") {
		p.t.Fatalf("the post is at %s", address)
	}
	return address
}

// findInSitemap goes from the site's sitemap index to the post, by what a visitor can click.
func (w *wordpress) findInSitemap(p *person, post string) {
	const index, posts = "/wp-sitemap.html", "wp-sitemap-posts-post-1"
	wptest.Eventually(p.t, "the post is in the sitemap", func() bool {
		resp, body := do(p.t, http.DefaultClient, "GET", w.home+"/"+posts+".xml", "", nil)
		return resp.StatusCode == 200 && strings.Contains(body, "<loc>"+post+"</loc>")
	})
	_, robots := do(p.t, http.DefaultClient, "GET", w.home+"/robots.txt", "", nil)
	if strings.Count(robots, "Sitemap: "+w.home+"/wp-sitemap.xml") != 1 {
		p.t.Errorf("robots.txt:\n%s", robots)
	}
	p.Open(w.home + "/" + posts + ".xml")
	if locs := p.text(`[...document.querySelectorAll("loc")].map(e => e.textContent).join(" ")`); !strings.Contains(locs, post) {
		p.t.Errorf("the browser shows %q", locs)
	}
	p.Open(w.home + index)
	p.click("a[href$='/" + posts + ".html'], a[href$='/" + posts + ".xml']")
	p.Open(w.home + "/" + posts + ".html")
	p.click("a[href='" + post + "']")
	if p.text("location.href") != post || !strings.Contains(p.text("document.body.innerText"), "Ice on the ropes.") {
		p.t.Errorf("the sitemap leads to %s", p.where())
	}
	p.until(`[...document.images].some(i => i.alt == "Boats" && i.complete && i.naturalWidth > 0)`)
}

// comment is written by one, approved by the other, and seen by the first.
func (w *wordpress) comment(visitor, author *person, post string) {
	visitor.Open(post)
	visitor.fill(map[string]string{"#comment": "Cold, was it?", "#author": "Nell", "#email": "nell@example.com"})
	visitor.click("#commentform [type=submit]")
	if !strings.HasPrefix(visitor.text("location.href"), post+"?unapproved=") ||
		!strings.Contains(visitor.text("document.body.innerText"), "Cold, was it?") {
		visitor.t.Fatalf("the comment does not arrive: %s", visitor.where())
	}
	author.Open(w.home + "/wp-admin/edit-comments.php?comment_status=moderated")
	author.press("#the-comment-list .approve a, #the-comment-list a.vim-a")
	wptest.Eventually(author.t, "the comment is approved", func() bool {
		_, body := do(author.t, http.DefaultClient, "GET", post, "", nil)
		return strings.Contains(body, "Cold, was it?")
	})
}

// trash removes another post, which WordPress comes with, and waits until its sitemap knows.
func (w *wordpress) trash(p *person, post string) {
	const hello = "/hello-world/"
	inSitemap := func() bool {
		_, body := do(p.t, http.DefaultClient, "GET", w.home+"/wp-sitemap-posts-post-1.xml", "", nil)
		if !strings.Contains(body, post) {
			p.t.Fatalf("the wrong post is gone:\n%s", body)
		}
		return strings.Contains(body, hello)
	}
	if !inSitemap() {
		p.t.Fatal("the first post of every WordPress is not in the sitemap")
	}
	p.Open(w.home + "/wp-admin/edit.php")
	p.Open(p.text(`document.querySelector("#post-1 .trash a").href`)) // shown only below the mouse
	wptest.Eventually(p.t, "a post in the trash leaves the sitemap", func() bool { return !inSitemap() })
}

// cookies are those of a browser that scripts may see, and what logs in besides.
func (w *wordpress) cookies(t *testing.T) string {
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, _ := do(t, c, "POST", w.home+"/wp-login.php", "log="+login+"&pwd="+strings.ReplaceAll(password, " ", "+")+"&testcookie=1",
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
