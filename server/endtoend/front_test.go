package endtoend

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/fcgi"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// required is the variable that makes the web servers indispensable.
const required = "WPSITEMAPD_SERVERS"

// client is the address the test's requests come from, so that it can be told from those of
// the servers. All of 127.0.0.0/8 is there on Linux.
const client = "127.0.0.2"

// place is where one front is tried.
type place struct {
	t                      *testing.T
	dir                    string
	daemon                 string // address
	stop                   func() // ends the daemon
	plain, secure, private string // ports: HTTP, HTTPS, and WordPress for the daemon alone
	php                    net.Listener
}

// front is a web server with one of the files of docs/deploy.
type front struct {
	name  string
	start func(*place)
	lean  bool // HTTPS only; only PHP answers robots.txt; its answers have status 503 if the daemon does not run
}

var fronts = []front{
	{"nginx sidecar", func(p *place) { p.nginx("nginx-sidecar.conf") }, false},
	{"nginx front", func(p *place) { p.nginx("nginx-front.conf") }, false},
	{"nginx with a server block of its own", (*place).nginxLocations, false},
	{"Apache sidecar", func(p *place) { p.apache("apache-sidecar.conf") }, false},
	{"Apache front", func(p *place) { p.apache("apache-front.conf") }, false},
	{"Caddy sidecar", func(p *place) { p.caddy("Caddyfile.sidecar") }, false},
	{"Caddy front", func(p *place) { p.caddy("Caddyfile.front") }, false},
	{"Apache with a virtual host of its own", (*place).apacheLocations, true},
}

// php is what the PHP side has seen of a request, as PHP would: by FastCGI.
type php struct {
	Method, URI, Host, Client, Body string
	HTTPS                           bool
	Forwarding                      string // values of all header fields about the client
}

// answer is WordPress as far as this test goes: like redirect_canonical() it sends everybody to
// HTTPS who does not come by it.
func answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-From", "PHP")
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	// REQUEST_URI is nowhere else, and keeps its bytes in there
	seen := php{Method: r.Method, URI: r.URL.RequestURI(), Host: r.Host, Client: client, HTTPS: r.TLS != nil}
	if !seen.HTTPS {
		http.Redirect(w, r, "https://"+r.Host+r.URL.RequestURI(), http.StatusMovedPermanently)
		return
	}
	if strings.HasPrefix(r.URL.RequestURI(), "/robots.txt") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, "User-agent: *\nDisallow: /wp-admin/\n")
		return
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"} {
		seen.Forwarding += strings.Join(r.Header[name], ",") + ";"
	}
	hash := sha256.New()
	if r.ContentLength != 0 { // net/http/fcgi has one body for all requests without any
		_, _ = io.Copy(hash, r.Body) // what is missing changes the sum
	}
	seen.Body = fmt.Sprintf("%x", hash.Sum(nil))
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(seen)
}

func newPlace(t *testing.T) *place {
	p := &place{t: t, dir: wptest.Folder(t), plain: wptest.FreePort(t), secure: wptest.FreePort(t), private: wptest.FreePort(t)}
	socket := filepath.Join(p.dir, "php.sock")
	l, err := net.Listen("unix", socket)
	if err == nil {
		err = os.Chmod(socket, 0o666)
	}
	wptest.Must(t, err)
	p.php = l
	t.Cleanup(func() { l.Close() })
	go func() { _ = fcgi.Serve(l, http.HandlerFunc(answer)) }() // until the listener is closed

	www := filepath.Join(p.dir, "www")
	for _, name := range []string{"index.php", "wp-admin/index.php", "wp-content/uploads/evil.php", "wp-content/logo.png", ".git/config"} {
		write(t, filepath.Join(www, name), "file "+name)
	}
	wptest.WriteCertificate(t, p.dir, "example.com")
	for _, name := range []string{"tls.crt", "tls.key"} {
		wptest.Must(t, os.Chmod(filepath.Join(p.dir, name), 0o644))
	}

	database := filepath.Join(p.dir, "ht.sqlite")
	wptest.Must(t, sample.Create(t.Context(), database, "https://example.com"))
	write(t, filepath.Join(p.dir, "credentials", "wpsitemapd.dsn"), "sqlite:"+database+"\n")
	t.Setenv("CREDENTIALS_DIRECTORY", filepath.Join(p.dir, "credentials"))
	t.Setenv("STATE_DIRECTORY", filepath.Join(p.dir, "state"))
	config := filepath.Join(p.dir, "wpsitemapd.toml")
	write(t, config, deployed(t, "wpsitemapd.toml",
		"127.0.0.1:8080", "127.0.0.1:0", "127.0.0.1:9090", "127.0.0.1:0", "127.0.0.1:8081", "127.0.0.1:"+p.private))
	address, stop := startDaemon(t, config)
	p.daemon, p.stop = address, sync.OnceFunc(stop)
	t.Cleanup(p.stop)
	return p
}

// in puts the place's addresses and paths in a file of docs/deploy.
func (p *place) in(file string, oldNew ...string) string {
	return deployed(p.t, file, oldNew...)
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

func (p *place) addresses() []string {
	return []string{"127.0.0.1:" + p.plain, "127.0.0.1:" + p.secure, "127.0.0.1:" + p.private}
}

func (p *place) nginx(file string) {
	write(p.t, p.path("snippets/wpsitemapd.conf"), p.in("nginx-wpsitemapd.conf"))
	p.runNginx(p.in(file,
		"listen 80;", "listen 127.0.0.1:"+p.plain+";", "listen 443 ssl;", "listen 127.0.0.1:"+p.secure+" ssl;",
		"127.0.0.1:8080", p.daemon, "127.0.0.1:8081", "127.0.0.1:"+p.private,
		"/etc/ssl/example.com.pem", p.path("tls.crt"), "/etc/ssl/example.com.key", p.path("tls.key")))
}

func (p *place) runNginx(servers string) {
	nginx := wptest.Program(p.t, required, "nginx")
	write(p.t, p.path("snippets/wordpress.conf"),
		p.in("nginx-wordpress.conf", "/var/www/example", p.path("www"), "/run/php/php-fpm.sock", p.path("php.sock")))
	write(p.t, p.path("example.conf"), servers)
	runNginx(p.t, nginx, p.dir, p.path("example.conf"), p.addresses()...)
}

// ownBlock is a site's server block that knows nothing of wpsitemapd but the one line that the snippet asks for. It has a
// location that would take sitemaps for files.
const ownBlock = `server {
    listen 127.0.0.1:%s;
    server_name example.com;
    return 301 https://$server_name$request_uri;
}
server {
    listen 127.0.0.1:%s ssl;
    server_name example.com;
    ssl_certificate     %s;
    ssl_certificate_key %s;
    include snippets/wpsitemapd-locations.conf;
    location ~* \.(?:xml|css|txt|gz|xsl)$ { return 418; }
    set $client_https $https;
    include snippets/wordpress.conf;
}
`

// nginxLocations starts nginx with the snippet for a server block that stays as it is, and with the second address of
// WordPress, which is at the end of nginx-sidecar.conf.
func (p *place) nginxLocations() {
	write(p.t, p.path("snippets/wpsitemapd-locations.conf"), p.in("nginx-locations.conf", "127.0.0.1:8080", p.daemon))
	own := fmt.Sprintf(ownBlock, p.plain, p.secure, p.path("tls.crt"), p.path("tls.key"))
	p.runNginx(own + secondAddress(p.t, p.in("nginx-sidecar.conf", "127.0.0.1:8081", "127.0.0.1:"+p.private)))
}

// secondAddress is the end of a file of docs/deploy: WordPress as the daemon asks for it.
func secondAddress(t testing.TB, text string) string {
	t.Helper()
	_, private, ok := strings.Cut(text, "# WordPress as wpsitemapd asks for it")
	if !ok {
		t.Fatal("there is no second address of WordPress")
	}
	return "#" + private
}

// runNginx runs nginx with a file that belongs in its http section. What else the file includes is in dir.
func runNginx(t testing.TB, nginx, dir, file string, addresses ...string) {
	t.Helper()
	params, err := os.ReadFile("/etc/nginx/fastcgi_params")
	wptest.Must(t, err)
	write(t, filepath.Join(dir, "fastcgi_params"), string(params))
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	var temp strings.Builder
	for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temp, "%s_temp_path %s;\n", name, filepath.Join(dir, "temp-"+name))
	}
	write(t, filepath.Join(dir, "nginx.conf"), fmt.Sprintf(
		"%s\ndaemon off;\nworker_processes 1;\npid %s/nginx.pid;\nerror_log stderr warn;\nevents {}\nhttp {\n%saccess_log off;\ntypes { "+
			"text/css css; image/png png; image/jpeg jpg jpeg; application/javascript js; text/html html; }\ninclude %s;\n}\n",
		user, dir, &temp, file))
	run(t, nginx, []string{"-e", "stderr", "-p", dir, "-c", filepath.Join(dir, "nginx.conf")}, "tcp", addresses...)
}

func (p *place) apache(file string) {
	p.runApache(p.in(file, p.apachePorts()...))
}

// apachePorts are the ports and the paths in files for Apache, and those of the test.
func (p *place) apachePorts() []string {
	return []string{
		"*:80>", "*:" + p.plain + ">", "*:443>", "*:" + p.secure + ">",
		"127.0.0.1:8080", p.daemon, "127.0.0.1:8081", "127.0.0.1:" + p.private,
		"/etc/ssl/example.com.pem", p.path("tls.crt"), "/etc/ssl/example.com.key", p.path("tls.key"),
	}
}

// runApache starts Apache with virtual hosts.
func (p *place) runApache(hosts string) {
	apache := wptest.Program(p.t, required, "apache2", "httpd")
	modules := "/usr/lib/apache2/modules"
	if _, err := os.Stat(modules); err != nil {
		wptest.Missing(p.t, required, modules)
	}
	write(p.t, p.path("conf-available/wordpress.conf"),
		p.in("apache-wordpress.conf", "/var/www/example", p.path("www"), "/run/php/php-fpm.sock", p.path("php.sock")))
	write(p.t, p.path("conf-available/wpsitemapd.conf"), p.in("apache-wpsitemapd.conf", "127.0.0.1:8081", "127.0.0.1:"+p.private))
	write(p.t, p.path("example.conf"), hosts)
	var load strings.Builder
	for _, name := range strings.Fields("mpm_event authz_core dir mime alias env headers proxy proxy_balancer lbmethod_byrequests " +
		"proxy_fcgi proxy_http remoteip rewrite setenvif slotmem_shm ssl") {
		fmt.Fprintf(&load, "LoadModule %s_module %s/mod_%s.so\n", name, modules, name)
	}
	write(p.t, p.path("mime.types"), "image/png png\n")
	write(p.t, p.path("apache2.conf"), fmt.Sprintf(
		"ServerRoot %[1]s\nPidFile %[1]s/apache2.pid\nDefaultRuntimeDir %[1]s\nMutex file:%[1]s default\nErrorLog /dev/stderr\nLogLevel "+
			"warn\nTypesConfig %[1]s/mime.types\n%[2]sUser #65534\nGroup #65534\nServerName example.com\nListen 127.0.0.1:%[3]s\nListen "+
			"127.0.0.1:%[4]s\nInclude example.conf\n",
		p.dir, &load, p.plain, p.secure))
	run(p.t, apache, []string{"-d", p.dir, "-f", p.path("apache2.conf"), "-DFOREGROUND"}, "tcp", p.addresses()...)
}

// ownHost is a virtual host that knows nothing of wpsitemapd but the one line that apache-locations.conf asks for.
const ownHost = `<VirtualHost *:%s>
    Include conf-available/wpsitemapd-locations.conf
    ServerName example.com
    SSLEngine on
    SSLCertificateFile    %s
    SSLCertificateKeyFile %s
    Include conf-available/wordpress.conf
</VirtualHost>
`

// apacheLocations is for Apache what nginxLocations is.
func (p *place) apacheLocations() {
	write(p.t, p.path("conf-available/wpsitemapd-locations.conf"), p.in("apache-locations.conf", "127.0.0.1:8080", p.daemon))
	p.runApache(fmt.Sprintf(ownHost, p.secure, p.path("tls.crt"), p.path("tls.key")) +
		secondAddress(p.t, p.in("apache-sidecar.conf", p.apachePorts()...)))
}

func (p *place) caddy(file string) {
	caddy := wptest.Program(p.t, required, "caddy")
	pairs := []string{
		"example.com {", fmt.Sprintf("example.com {\n\tbind 127.0.0.1\n\ttls %s %s", p.path("tls.crt"), p.path("tls.key")),
		"http://:8081", "http://:" + p.private, "127.0.0.1:8080", p.daemon, "127.0.0.1:8081", "127.0.0.1:" + p.private,
		"/var/www/example", p.path("www"), "/run/php/php-fpm.sock", p.path("php.sock"),
	}
	// certificates of the test's own, and none from Let's Encrypt
	global := fmt.Sprintf("{\n\tadmin off\n\tauto_https disable_certs\n\thttp_port %s\n\thttps_port %s\n\tdefault_bind 127.0.0.1\n}\n",
		p.plain, p.secure)
	write(p.t, p.path("Caddyfile"), global+p.in(file, pairs...))
	p.t.Setenv("XDG_DATA_HOME", p.path("data"))
	p.t.Setenv("XDG_CONFIG_HOME", p.path("config"))
	run(p.t, caddy, []string{"run", "--adapter", "caddyfile", "--config", p.path("Caddyfile")}, "tcp", p.addresses()...)
}

// visitor is a client from its own address that trusts the test's certificate and follows no redirects.
func (p *place) visitor() *http.Client {
	roots := x509.NewCertPool()
	pem, err := os.ReadFile(p.path("tls.crt"))
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		p.t.Fatalf("the certificate: %v", err)
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(client)}}
	transport := &http.Transport{
		TLSClientConfig:    &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			port := map[string]string{"example.com:80": p.plain, "example.com:443": p.secure}[address]
			if port == "" {
				return nil, fmt.Errorf("a request to %s", address)
			}
			return dialer.DialContext(ctx, network, "127.0.0.1:"+port)
		},
	}
	p.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: wptest.Patience, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// Who answers.
const (
	ours  = "the daemon"
	site  = "PHP"
	files = "the web server"
	both  = "the daemon after PHP"
)

// request is one request through a front.
type request struct {
	rule, method, target string
	from                 string
	status               int
	holds                string // in the body
	location             string // where a redirect leads, as a whole address
}

var requests = []request{
	{"the index", "GET", "/sitemap_index.xml", ours, 200, "<sitemapindex", ""},
	{"a sitemap", "GET", "/post-sitemap.xml", ours, 200, "<urlset", ""},
	{"a slash at the end", "GET", "/post-sitemap.xml/", ours, 200, "<urlset", ""},
	{"a query", "GET", "/post-sitemap.xml?a=b", ours, 200, "<urlset", ""},
	{"HEAD", "HEAD", "/post-sitemap.xml", ours, 200, "", ""},
	{"another method", "POST", "/post-sitemap.xml", ours, 405, "", ""},
	{"compressed", "GET", "/post-sitemap.xml.gz", ours, 200, "\x1f\x8b", ""},
	{"for people", "GET", "/sitemap_index.html", ours, 200, "<html", ""},
	{"stylesheet", "GET", "/wpsitemapd.css", ours, 200, "{", ""},
	{"XSLT", "GET", "/main-sitemap.xsl", ours, 200, "<xsl:stylesheet", ""},
	{"a sitemap that is not there", "GET", "/post-sitemap99.xml", ours, 404, "", ""},
	{"redirects of Yoast's", "GET", "/sitemap.xml", ours, 301, "", "https://example.com/sitemap_index.xml"},
	{"robots.txt is the site's with our line", "GET", "/robots.txt", both, 200, "Disallow: /wp-admin/", ""},
	{"robots.txt is the site's with our line", "GET", "/robots.txt", both, 200, "Sitemap: https://example.com/sitemap_index.xml", ""},

	{"a page", "GET", "/about/", site, 200, "", ""},
	{"a query as it was sent", "GET", "/?s=%20a+b&c[]=%C3%BC&&d", site, 200, "", ""},
	{"escapes as they were sent", "GET", "/%e2%82%ac%5Bx%5D/b%2Fc/", site, 200, "", ""},
	{"a script by its name", "GET", "/index.php?p=1", site, 200, "", ""},
	{"an upload", "POST", "/contact/", site, 200, "", ""},
	{"a sitemap of nobody we know", "GET", "/nobodys-sitemap.xml?x=%2F", site, 200, "", ""},
	{"a page that resembles one for people", "GET", "/sitemap.html", site, 200, "", ""},

	{"a file", "GET", "/wp-content/logo.png", files, 200, "file wp-content/logo.png", ""},
	{"a folder without its slash", "GET", "/wp-admin", files, 301, "", "https://example.com/wp-admin/"},
}

func TestFronts(t *testing.T) {
	for _, f := range fronts {
		t.Run(f.name, func(t *testing.T) {
			p := newPlace(t)
			f.start(p)
			v := p.visitor()
			for _, r := range requests {
				if f.lean && r.from == both {
					r.holds = "Disallow: /wp-admin/"
				}
				t.Run(r.rule, func(t *testing.T) { p.ask(t, v, r) })
			}
			if f.lean {
				t.Run("who asks", func(t *testing.T) { p.identifies(t, v) })
				p.stop()
				resp, body := do(t, v, "GET", "https://example.com/sitemap_index.xml?a=%2F", "", nil)
				expect.Equal(t, resp.Header.Get("X-From"), "PHP", "without the daemon", resp.StatusCode, resp.Header)
				expect.Contains(t, body, "/sitemap_index.xml?a=%2F", "without the daemon", resp.StatusCode, resp.Header)
				return
			}
			t.Run("what must not be shown", func(t *testing.T) { p.hides(t, v) })
			t.Run("who asks", func(t *testing.T) { p.identifies(t, v) })
			t.Run("HTTPS is reached by one redirect", func(t *testing.T) { p.upgrades(t, v) })
			t.Run("a robots.txt of the site", func(t *testing.T) { p.hasRobots(t, v) })
			t.Run("without PHP", func(t *testing.T) { p.withoutPHP(t, v) })
		})
	}
}

// The site is never worse off than without the daemon. PHP is asked if the daemon does not run or answers with an error of a gateway.
func TestFrontsWithoutTheDaemon(t *testing.T) {
	for _, f := range fronts {
		if f.lean {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			p := newPlace(t)
			f.start(p)
			v := p.visitor()
			p.stop()
			t.Run("it is gone", func(t *testing.T) { p.leadsToPHP(t, v, true) })
			l, err := net.Listen("tcp", p.daemon)
			wptest.Must(t, err)
			var status atomic.Int64
			broken := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) })}
			go func() { _ = broken.Serve(l) }() // until it is closed
			t.Cleanup(func() { broken.Close() })
			status.Store(404)
			wptest.Eventually(t, "another answer of the daemon is sent on, once it is asked again", func() bool {
				resp, _ := do(t, v, "GET", "https://example.com/foo-sitemap.xml?a=%2F", "", nil)
				return resp.StatusCode == 404 && resp.Header.Get("X-From") == ""
			})
			for _, s := range []int64{502, 503, 504} {
				status.Store(s)
				t.Run(fmt.Sprintf("it answers %d", s), func(t *testing.T) { p.leadsToPHP(t, v, false) })
			}
			write(t, filepath.Join(p.dir, "www", "robots.txt"), "User-agent: *\nDisallow: /private/\n")
			status.Store(503)
			if resp, body := do(t, v, "GET", "https://example.com/robots.txt", "", nil); resp.StatusCode != 200 ||
				!strings.Contains(body, "Disallow: /private/") {
				t.Errorf("the file robots.txt: %d\n%s", resp.StatusCode, body)
			}
		})
	}
}

// leadsToPHP asks for what the daemon would answer, and for a page.
func (p *place) leadsToPHP(t *testing.T, v *http.Client, gone bool) {
	for _, r := range []request{
		{"the index", "GET", "/sitemap_index.xml", site, 200, "", ""},
		{"a query as it was sent", "GET", "/post-sitemap.xml?s=%20a+b&c[]=%C3%BC&&d", site, 200, "", ""},
		{"robots.txt", "GET", "/robots.txt", both, 200, "Disallow: /wp-admin/", ""},
		{"a page", "GET", "/about/", site, 200, "", ""},
		{"an upload", "POST", "/contact/", site, 200, "", ""},
	} {
		if !gone && !strings.Contains(r.target, "sitemap") && r.target != "/robots.txt" {
			continue // in a front it may be PHP's own answer, which is not asked for twice
		}
		t.Run(r.rule, func(t *testing.T) { p.ask(t, v, r) })
	}
}

// hasRobots puts a robots.txt in the web root.
func (p *place) hasRobots(t *testing.T, v *http.Client) {
	path := filepath.Join(p.dir, "www", "robots.txt")
	write(t, path, "User-agent: *\nDisallow: /private/\n")
	resp, body := do(t, v, "GET", "https://example.com/robots.txt", "", nil)
	expect.Equal(t, resp.StatusCode, 200)
	expect.Contains(t, body, "Disallow: /private/")
	wptest.Must(t, os.Remove(path))
}

// do sends a request and returns the answer and its body.
func do(t testing.TB, c *http.Client, method, address, body string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	wptest.Must(t, err)
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	if header != nil {
		r.Header = header.Clone()
	}
	resp, err := c.Do(r)
	wptest.Must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	return resp, string(text)
}

func (p *place) ask(t *testing.T, v *http.Client, r request) {
	sent := ""
	if r.from == site && r.method == "POST" {
		sent = strings.Repeat("a picture of a harbour ", 100_000)
	}
	resp, body := do(t, v, r.method, "https://example.com"+r.target, sent, nil)
	if resp.StatusCode != r.status && !(r.status == 301 && resp.StatusCode == 308) || !strings.Contains(body, r.holds) {
		t.Fatalf("status %d, want %d with %q\n%v\n%.500s", resp.StatusCode, r.status, r.holds, resp.Header, body)
	}
	expect.Equal(t, resp.Header.Get("X-From") == "PHP", r.from == site || r.from == both, "PHP was asked", r.from)
	if r.location != "" {
		if to, err := resp.Request.URL.Parse(resp.Header.Get("Location")); err != nil || to.String() != r.location {
			t.Errorf("redirects to %v, want %s (%v)", to, r.location, err)
		}
	}
	if r.from != site {
		return
	}
	var seen php
	wptest.Must(t, json.Unmarshal([]byte(body), &seen))
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(sent)))
	if seen.Method != r.method || seen.URI != r.target || seen.Host != "example.com" || seen.Client != client || !seen.HTTPS || seen.Body != sum {
		t.Errorf("PHP has seen %+v", seen)
	}
}

// hides asks for what a web server before WordPress should not hand out.
func (p *place) hides(t *testing.T, v *http.Client) {
	for _, path := range []string{"/.git/config", "/wp-content/uploads/evil.php"} {
		resp, body := do(t, v, "GET", "https://example.com"+path, "", nil)
		if resp.StatusCode < 400 && resp.Header.Get("X-From") == "" || strings.Contains(body, "file ") ||
			strings.HasSuffix(path, ".php") && resp.StatusCode < 400 {
			t.Errorf("%s: %d %q", path, resp.StatusCode, body)
		}
	}
}

// identifies pretends to be somebody else, by way of an address that goes through the daemon
// to PHP in every arrangement, and for a sitemap.
func (p *place) identifies(t *testing.T, v *http.Client) {
	lies := http.Header{
		"X-Forwarded-For": {"6.6.6.6"}, "X-Real-Ip": {"6.6.6.6"}, "Forwarded": {"for=6.6.6.6;host=evil.example;proto=http"},
		"X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"evil.example"},
	}
	resp, body := do(t, v, "GET", "https://example.com/nobodys-sitemap.xml", "", lies)
	var seen php
	if err := json.Unmarshal([]byte(body), &seen); err != nil {
		t.Fatalf("%d %v\n%s", resp.StatusCode, err, body)
	}
	if seen.Client != client || !seen.HTTPS || seen.Host != "example.com" || strings.Contains(seen.Forwarding, "6.6.6.6") ||
		strings.Contains(seen.Forwarding, "evil") || !strings.Contains(seen.Forwarding, "https") {
		t.Errorf("PHP has seen %+v", seen)
	}
	honest, want := do(t, v, "GET", "https://example.com/sitemap_index.xml", "", nil)
	if resp, body := do(t, v, "GET", "https://example.com/sitemap_index.xml", "", lies); resp.StatusCode != 200 ||
		body != want || resp.Header.Get("ETag") != honest.Header.Get("ETag") {
		t.Errorf("a sitemap changes with what the client says of itself:\n%s", body)
	}
}

// upgrades follows redirects from HTTP.
func (p *place) upgrades(t *testing.T, v *http.Client) {
	for _, target := range []string{"/about/?a=%2F", "/sitemap_index.xml", "/nobodys-sitemap.xml"} {
		address, redirects := "http://example.com"+target, 0
		for {
			resp, _ := do(t, v, "GET", address, "", nil)
			if resp.StatusCode == 200 {
				break
			}
			to, err := url.Parse(resp.Header.Get("Location"))
			if redirects++; err != nil || redirects > 1 || resp.StatusCode/100 != 3 {
				t.Fatalf("%s: %d, redirect number %d to %s", address, resp.StatusCode, redirects, to)
			}
			address = to.String()
		}
		expect.Equal(t, address, "https://example.com"+target, target, "ends at")
	}
}

// withoutPHP ends PHP.
func (p *place) withoutPHP(t *testing.T, v *http.Client) {
	before, want := do(t, v, "GET", "https://example.com/post-sitemap.xml", "", nil)
	p.php.Close()
	wptest.Eventually(t, "PHP is down", func() bool {
		resp, _ := do(t, v, "GET", "https://example.com/about/", "", nil)
		return resp.StatusCode == 502 || resp.StatusCode == 503
	})
	resp, body := do(t, v, "GET", "https://example.com/post-sitemap.xml", "", nil)
	if resp.StatusCode != 200 || body != want || resp.Header.Get("ETag") != before.Header.Get("ETag") {
		t.Errorf("a sitemap without PHP: %d\n%.300s", resp.StatusCode, body)
	}
	if resp, body := do(t, v, "GET", "https://example.com/robots.txt", "", nil); resp.StatusCode != 200 ||
		!bytes.Contains([]byte(body), []byte("Sitemap: https://example.com/sitemap_index.xml")) {
		t.Errorf("robots.txt without PHP: %d\n%s", resp.StatusCode, body)
	}
}
