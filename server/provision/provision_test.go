package provision

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"wpsitemapd/docs/deploy"
	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	wptest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	wptest.Must(t, os.WriteFile(path, []byte(text), 0o644))
}

// wpConfig is a wp-config.php with the account of a DSN.
func wpConfig(t *testing.T, dsn, more string) string {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	return fmt.Sprintf("<?php\ndefine('DB_USER', '%s'); define('DB_PASSWORD', '%s'); define('DB_NAME', '%s'); define('DB_HOST', 'localhost:%s');\n"+
		"$table_prefix = 'wp_';\n%s", cfg.User, cfg.Passwd, cfg.DBName, cfg.Addr, more)
}

// tenant is the DSN of a database for an account that may do all there, and nothing elsewhere.
func tenant(t *testing.T, dsn string) string {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	cfg.User, cfg.Passwd = cfg.DBName+"_t", "secret"
	wptest.Exec(t, dsn, "CREATE USER '"+cfg.User+"'@'localhost' IDENTIFIED BY 'secret'", "GRANT ALL ON `"+cfg.DBName+"`.* TO '"+cfg.User+"'@'localhost'")
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER '"+cfg.User+"'@'localhost'") })
	return cfg.FormatDSN()
}

// wordpress makes an install with a SQLite database.
func wordpress(t *testing.T, root, home string) {
	t.Helper()
	write(t, filepath.Join(root, "wp-config.php"), "<?php\ndefine('DB_ENGINE', 'sqlite');\n$table_prefix = 'wp_';\n")
	wptest.Must(t, os.MkdirAll(filepath.Join(root, "wp-content/database"), 0o755))
	wptest.Must(t, sample.Create(t.Context(), filepath.Join(root, "wp-content/database/.ht.sqlite"), home))
}

// machine is one without web servers and systemd.
func machine(t *testing.T) (Machine, string) {
	t.Helper()
	dir := t.TempDir()
	return Machine{
		Config: filepath.Join(dir, "etc/wpsitemapd.toml"), Systemd: filepath.Join(dir, "none"), Units: filepath.Join(dir, "etc/units"),
		Sites: []string{dir}, Sockets: []string{os.Getenv("WPSITEMAPD_TEST_SOCKET")}, State: filepath.Join(dir, "state"),
	}, dir
}

// nginx gives a machine a real nginx with server blocks. Without nginx the test is skipped.
func nginx(t *testing.T, m *Machine, dir, blocks string) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("there is no nginx here")
	}
	conf := filepath.Join(dir, "etc/nginx/nginx.conf")
	write(t, conf, fmt.Sprintf("pid %s/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n    include sites-enabled/*;\n}\n", dir))
	write(t, filepath.Join(dir, "etc/nginx/sites-enabled/default"), blocks)
	wptest.Must(t, os.Mkdir(filepath.Join(dir, "etc/nginx/snippets"), 0o755))
	named := filepath.Join(dir, "bin/nginx") // runs nginx as if it was built for this folder
	write(t, named, fmt.Sprintf("#!/bin/sh\n[ \"$1\" != -V ] || exec echo --conf-path=%s\n"+
		"exec %s -e stderr -p %s -c %[1]s \"$@\"\n", conf, program, dir))
	wptest.Must(t, os.Chmod(named, 0o755))
	m.Nginx = []string{named}
}

// apache gives a machine a real Apache with virtual hosts.
func apache(t *testing.T, m *Machine, dir, hosts string) {
	t.Helper()
	program, err := exec.LookPath("apache2")
	if err != nil {
		t.Skip("there is no Apache here")
	}
	conf := filepath.Join(dir, "etc/apache2/apache2.conf")
	text := "ServerName localhost\nServerRoot " + dir + "\nPidFile " + dir + "/apache.pid\nMutex file:" + dir +
		" default\nErrorLog /dev/stderr\nListen 127.0.0.1:" + wptest.FreePort(t) + "\n"
	for _, name := range strings.Fields("mpm_event alias authz_core dir headers proxy proxy_http rewrite") {
		text += fmt.Sprintf("LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", name, name)
	}
	write(t, conf, text+"Include "+filepath.Dir(conf)+"/sites-enabled/*.conf\n")
	write(t, filepath.Join(dir, "etc/apache2/sites-enabled/a.conf"), hosts)
	m.Apache = []string{program, "-f", conf}
	m.ApacheProgram = m.Apache
	t.Cleanup(func() { _ = exec.Command(program, "-f", conf, "-k", "stop").Run() }) // graceful has started it
}

// setUp runs init and returns what it prints.
func setUp(t *testing.T, s *Setup, folders ...string) string {
	t.Helper()
	var out bytes.Buffer
	ok := func(context.Context) error { return nil }
	s.Out, s.Check, s.Diff, s.Public = &out, ok, ok, ok
	if err := s.Run(t.Context(), folders); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return out.String()
}

// contents are the files and folders below a folder, with their modes.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, _ := d.Info()
		if d.IsDir() {
			all[path] = info.Mode().String()
			return nil
		}
		text, err := os.ReadFile(path)
		all[path] = info.Mode().String() + "\n" + string(text)
		return err
	})
	wptest.Must(t, err)
	return all
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	wptest.Must(t, err)
	return string(b)
}

// accounts are those at a server that init may have made.
func accounts(t *testing.T, dsn string) (names []string) {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	rows, err := db.Query("SELECT CONCAT(User, '@', Host) FROM mysql.user WHERE User LIKE 'sitemaps%' ORDER BY 1")
	wptest.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		wptest.Must(t, rows.Scan(&name))
		names = append(names, name)
	}
	return names
}

const twoBlocks = `# a server { that is none }
server {
    listen 127.0.0.1:1;
    server_name www.example.com "x{y}";
    root %[1]s; # with ; and }
    location = /robots.txt { access_log off; }
    location ~ \.php$ { return 404; }
}
server { listen 127.0.0.1:2; root %[1]s; server_name example.com; }
server { listen 127.0.0.1:3; server_name other; location /.well-known/ { root %[1]s; } location / { return 301 https://example.com; } }
server { listen 127.0.0.1:4; root /srv/another; }
`

// All steps with a real database and a real nginx: a dry run changes nothing, a second run neither, and --undo takes all back.
func TestInitAndUndo(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Alone(t, dsn)
	m, dir := machine(t)
	root := filepath.Join(dir, "www")
	nginx(t, &m, dir, fmt.Sprintf(twoBlocks, root))
	write(t, filepath.Join(root, "wp-config.php"), wpConfig(t, tenant(t, dsn), ""))
	write(t, m.Config, deploy.Config)
	before, accountsBefore := contents(t, filepath.Join(dir, "etc")), accounts(t, dsn)

	setUp(t, &Setup{Machine: m, DryRun: true})
	setUp(t, &Setup{Machine: m, In: strings.NewReader(strings.Repeat("n\n", 9))})
	if diff := cmp.Diff(before, contents(t, filepath.Join(dir, "etc"))); diff != "" {
		t.Fatalf("a dry run, or one without agreement, has changed something:\n%s", diff)
	}

	out := setUp(t, &Setup{Machine: m, Yes: true})
	out = strings.Join(strings.Fields(out), " ")
	expect.Parts(t, out, "Found 1 install", "CREATE USER", "IDENTIFIED BY '***'", "has a location for /robots.txt of its own", "init --undo")
	if !regexp.MustCompile(`dsn = "sitemaps\d*:\*\*\*@`).MatchString(out) { // a number where the server has such an account
		t.Errorf("no account in\n%s", out)
	}
	cfg, err := config.Load(m.Config)
	wptest.Must(t, err)
	n, blogs, err := site.Blogs(t.Context(), &cfg.Sites[0])
	if err != nil || len(blogs) != 1 {
		t.Fatalf("the account that was made cannot read the site: %v", err)
	}
	n.Close()
	if own := cfg.Sites[0].DSN.Reveal(); strings.Contains(out, strings.Split(strings.TrimPrefix(own, "sitemaps"), "@")[0][1:]) {
		t.Error("the password is printed")
	}
	block := text(t, filepath.Join(dir, "etc/nginx/sites-enabled/default"))
	expect.Equal(t, strings.Count(block, "wpsitemapd-locations.conf"), 2, "the include is not in both blocks of the root", block)
	if out, err := exec.Command(m.Nginx[0], append(m.Nginx[1:], "-t")...).CombinedOutput(); err != nil {
		t.Errorf("nginx: %s", out)
	}
	address, _ := cfg.Listen[0].Dial()
	snippet := text(t, filepath.Join(dir, "etc/nginx/snippets/wpsitemapd-locations.conf"))
	if !strings.Contains(snippet, "http://"+string(cfg.Listen[0])) {
		t.Errorf("the include leads elsewhere than %v (%s)", cfg.Listen, address)
	}

	after := contents(t, filepath.Join(dir, "etc"))
	setUp(t, &Setup{Machine: m, Yes: true})
	expect.Same(t, after, contents(t, filepath.Join(dir, "etc")), "the second run has changed something")

	s := &Setup{Machine: m, Yes: true, Out: &bytes.Buffer{}}
	_ = s.Undo(t.Context()) // nginx does not run, and is not reloaded
	expect.Same(t, before, contents(t, filepath.Join(dir, "etc")), "after --undo")
	expect.Same(t, accountsBefore, accounts(t, dsn), "accounts after --undo")
}

// Forty installs below one folder are added to a configuration with one site, which stays unchanged.
func TestFortyInstalls(t *testing.T) {
	m, dir := machine(t)
	for i := range 40 {
		wordpress(t, filepath.Join(dir, fmt.Sprintf("www/s%02d/htdocs", i)), fmt.Sprintf("https://s%02d.example.com", i))
	}
	write(t, filepath.Join(dir, "www/s00/backup/wp-config.php"), "<?php broken(")
	mine := "listen = \"127.0.0.1:8081\"\n[[site]]\nname = \"mine\"\nwp_config = \"" + dir + "/www/s07/htdocs/wp-config.php\"\n"
	write(t, m.Config, mine)
	out := setUp(t, &Setup{Machine: m, Yes: true}, filepath.Join(dir, "www"))
	cfg, err := config.Load(m.Config)
	if err != nil || len(cfg.Sites) != 40 || !strings.HasPrefix(text(t, m.Config), mine) ||
		cfg.Sites[0].Name != "mine" || cfg.Sites[1].Name != "s00.example.com" {
		t.Fatalf("%v\n%s\n%s", err, out, text(t, m.Config))
	}
	expect.Contains(t, strings.Join(strings.Fields(out), " "), "backup/wp-config.php is left out")
}

// A network and a Bedrock, each at the account of its own kind, behind Apache.
func TestNetworkAndBedrockBehindApache(t *testing.T) {
	network := wptest.Load(t, wptest.MariaDB, "basic", "network")
	bedrock := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Alone(t, network)
	m, dir := machine(t)
	write(t, filepath.Join(dir, "net/wp-config.php"), wpConfig(t, tenant(t, network), "define('MULTISITE', true);"))
	cfg, err := mysql.ParseDSN(tenant(t, bedrock))
	wptest.Must(t, err)
	rock := filepath.Join(dir, "rock")
	wptest.Must(t, os.CopyFS(rock, os.DirFS("../../wp/wpconfig/testdata/bedrock")))
	write(t, filepath.Join(rock, ".env.local"), fmt.Sprintf("DB_NAME=%s\nDB_USER=%s\nDB_PASSWORD=%s\nDB_HOST=localhost:%s\n"+
		"WP_HOME=https://rock.example.com\nWP_SITEURL=${WP_HOME}/wp\n", cfg.DBName, cfg.User, cfg.Passwd, cfg.Addr))
	apache(t, &m, dir, fmt.Sprintf("<VirtualHost *:1>\n  ServerName net\n  DocumentRoot \"%[1]s/net\"\n</VirtualHost>\n"+
		"<VirtualHost *:1>\n  ServerName rock\n  ServerAlias www.rock\n  DocumentRoot %[1]s/rock/web\n</VirtualHost>\n"+
		"<VirtualHost *:1>\n  Redirect / https://x/\n</VirtualHost>\n", dir))
	before := accounts(t, network)
	out := setUp(t, &Setup{Machine: m, Yes: true})
	if !strings.Contains(out, "Found 2 installs") || !strings.Contains(out, "rock.example.com") || !strings.Contains(out, " blogs") {
		t.Error(out)
	}
	expect.Equal(t, len(accounts(t, network)), len(before)+2, "accounts", "before", before)
	c, err := config.Load(m.Config)
	if err != nil || len(c.Sites) != 2 {
		t.Fatal(err, out)
	}
	for i := range c.Sites {
		n, _, err := site.Blogs(t.Context(), &c.Sites[i])
		if err != nil {
			t.Error(err)
		}
		n.Close()
	}
	conf := text(t, filepath.Join(dir, "etc/apache2/sites-enabled/a.conf"))
	expect.Equal(t, strings.Count(conf, "Include "), 2)
	expect.Contains(t, conf, "<VirtualHost *:1>\n    Include ")
	if out, err := exec.Command(m.Apache[0], append(m.Apache[1:], "-t")...).CombinedOutput(); err != nil {
		t.Errorf("Apache: %s", out)
	}
	_ = (&Setup{Machine: m, Yes: true, Out: &bytes.Buffer{}}).Undo(t.Context())
	if diff := cmp.Diff(before, accounts(t, network)); diff != "" ||
		strings.Contains(text(t, filepath.Join(dir, "etc/apache2/sites-enabled/a.conf")), "Include") {
		t.Errorf("after --undo %s", diff)
	}
}

// Whose group the service needs.
func TestGroupsFor(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	wptest.Must(t, err)
	file := filepath.Join(dir, "wp-config.php")
	write(t, file, "")
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // go test's own is for its user alone
		t.Fatal(err)
	}
	for _, test := range []struct {
		mode   fs.FileMode
		groups int
		ok     bool
	}{{0o644, 0, true}, {0o640, 1, true}, {0o600, 0, false}} {
		wptest.Must(t, os.Chmod(file, test.mode))
		if groups, ok := groupsFor(file); ok != test.ok || ok && len(groups) != test.groups {
			t.Errorf("%v: %v %v", test.mode, groups, ok)
		}
	}
	wptest.Must(t, os.Symlink("/etc/shadow", filepath.Join(dir, ".env")))
	if groups, ok := groupsFor(filepath.Join(dir, ".env")); ok || groups != nil {
		t.Errorf("a link gives %v", groups)
	}
}
