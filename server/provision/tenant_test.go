package provision

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/docs/deploy"
	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// relay passes data between a client and the database server. In it one name of a database is replaced by another of the same
// length: the client asks for "victim" and reads "own".
func relay(t *testing.T, server, victim, own string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:3306")
	if err != nil {
		t.Skipf("no place for the relay: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	carry := func(to io.WriteCloser, from io.Reader, old, new string) {
		defer to.Close()
		b := make([]byte, 1<<16)
		for {
			n, err := from.Read(b)
			if n > 0 {
				if _, err := to.Write(bytes.ReplaceAll(b[:n], []byte(old), []byte(new))); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("unix", server)
			if err != nil {
				client.Close()
				continue
			}
			go carry(s, client, victim, own)
			go carry(client, s, own, victim)
		}
	}()
	return l.Addr().String()
}

// rightsOn counts the rights to tables and columns of a database that accounts of init have.
func rightsOn(t *testing.T, dsn, schema string) (n int) {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	wptest.Must(t, db.QueryRow("SELECT (SELECT COUNT(*) FROM information_schema.TABLE_PRIVILEGES "+
		"WHERE GRANTEE LIKE '''sitemaps%' AND TABLE_SCHEMA = ?) + "+
		"(SELECT COUNT(*) FROM information_schema.COLUMN_PRIVILEGES WHERE GRANTEE LIKE '''sitemaps%' AND TABLE_SCHEMA = ?)", schema, schema).Scan(&n))
	return n
}

// If a wp-config.php names the database of somebody else, root gives nobody a right to it.
func TestNobodyGetsANeighboursDatabase(t *testing.T) {
	victim := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Alone(t, victim)
	theirs, err := mysql.ParseDSN(tenant(t, victim))
	wptest.Must(t, err)
	mine, err := mysql.ParseDSN(tenant(t, wptest.Load(t, wptest.MariaDB, "small")))
	wptest.Must(t, err)
	if len(mine.DBName) != len(theirs.DBName) {
		t.Fatal(mine.DBName, theirs.DBName)
	}
	wptest.Exec(t, victim, fmt.Sprintf("GRANT SELECT (option_name, option_value) ON `%s`.wp_options TO '%s'@'localhost'", theirs.DBName, mine.User))
	file := func(user, password, host string) string {
		return fmt.Sprintf("<?php define('DB_USER', '%s'); define('DB_PASSWORD', '%s'); define('DB_NAME', '%s'); "+
			"define('DB_HOST', '%s'); $table_prefix = 'wp_';\n",
			user, password, theirs.DBName, host)
	}
	socket := "localhost:" + mine.Addr
	for _, tt := range []struct{ rule, wpConfig string }{
		{"a relay that gives its own database the other name", file(mine.User, mine.Passwd, relay(t, mine.Addr, theirs.DBName, mine.DBName))},
		{"the other database, of which the account may read a column", file(mine.User, mine.Passwd, socket)},
		{"the other account without its password", file(theirs.User, "guessed", socket)},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			m, dir := machine(t)
			write(t, filepath.Join(dir, "www/wp-config.php"), tt.wpConfig)
			var out bytes.Buffer
			ok := func(context.Context) error { return nil }
			_ = (&Setup{Machine: m, Yes: true, Out: &out, Check: ok, Diff: ok, Public: ok}).Run(t.Context(), nil)
			if n := rightsOn(t, victim, theirs.DBName); n > 0 || strings.Contains(out.String(), "GRANT") {
				t.Errorf("%d rights\n%s", n, &out)
			}
			if exists(m.Config) && strings.Contains(text(t, m.Config), "dsn") {
				t.Errorf("%s", text(t, m.Config))
			}
			if out, err := undo(t, m); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// The server lets root in by its operating system account, with any password. No tenant may use root's account.
func TestAccountOfRootProvesNothing(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this needs root")
	}
	server := wptest.OwnServer(t)
	cfg, err := mysql.ParseDSN(server.Load(t, "small"))
	wptest.Must(t, err)
	wptest.Exec(t, cfg.FormatDSN(), "ALTER USER 'root'@'localhost' IDENTIFIED VIA unix_socket")
	m, dir := machine(t)
	m.Sockets, cfg.Passwd = []string{cfg.Addr}, "guessed"
	write(t, filepath.Join(dir, "www/wp-config.php"), wpConfig(t, cfg.FormatDSN(), ""))
	var out bytes.Buffer
	ok := func(context.Context) error { return nil }
	_ = (&Setup{Machine: m, Yes: true, Out: &out, Check: ok, Diff: ok, Public: ok}).Run(t.Context(), nil)
	if strings.Contains(out.String(), "CREATE USER") || len(accounts(t, cfg.FormatDSN())) > 0 {
		t.Error(out.String())
	}
}

// An account that is made may read no column that the account of wp-config.php may not read.
func TestAccountMayReadNoMoreThanThatOfWPConfig(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Alone(t, dsn)
	own, err := mysql.ParseDSN(wptest.ReadOnlyDSN(t, dsn))
	wptest.Must(t, err)
	wptest.Exec(t, dsn, fmt.Sprintf("REVOKE ALL, GRANT OPTION FROM '%s'@'localhost'", own.User))
	db, _ := wptest.DB(t, dsn)
	var tables []string
	rows, err := db.Query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> 'wp_yoast_indexable'")
	wptest.Must(t, err)
	for rows.Next() {
		var name string
		wptest.Must(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	wptest.Must(t, rows.Err())
	for _, name := range tables {
		wptest.Exec(t, dsn, fmt.Sprintf("GRANT SELECT ON `%s` TO '%s'@'localhost'", name, own.User))
	}
	wptest.Exec(t, dsn, fmt.Sprintf("GRANT SELECT (id) ON wp_yoast_indexable TO '%s'@'localhost'", own.User))
	m, dir := machine(t)
	write(t, filepath.Join(dir, "www/wp-config.php"), wpConfig(t, own.FormatDSN(), ""))
	out := setUp(t, &Setup{Machine: m, Yes: true})
	if !strings.Contains(out, "`wp_posts`") || strings.Contains(out, "`wp_yoast_indexable`") {
		t.Error(out)
	}
	if out, err := undo(t, m); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A dry run reads wp-config.php and the web server's configuration: it connects nowhere and writes nothing.
func TestDryRunConnectsNowhere(t *testing.T) {
	m, dir := machine(t)
	var connected atomic.Int32
	listen := func(network, address string) string {
		l, err := net.Listen(network, address)
		wptest.Must(t, err)
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				connected.Add(1)
				c.Close()
			}
		}()
		return l.Addr().String()
	}
	m.Sockets = []string{listen("unix", filepath.Join(dir, "s"))}
	file := "<?php define('DB_USER', 'u'); define('DB_PASSWORD', 'p'); define('DB_NAME', 'n'); define('DB_HOST', '%s'); " +
		"define('WP_HOME', 'https://%s.example.com');\n"
	write(t, filepath.Join(dir, "a/wp-config.php"), fmt.Sprintf(file, "localhost:"+m.Sockets[0], "a"))
	write(t, filepath.Join(dir, "b/wp-config.php"), fmt.Sprintf(file, listen("tcp", "127.0.0.1:0"), "b"))
	wordpress(t, filepath.Join(dir, "c"), "https://c.example.com")
	write(t, m.Config, deploy.Config)
	wptest.Must(t, os.Remove(m.Sockets[0])) // contents reads files
	m.Sockets = []string{listen("unix", filepath.Join(t.TempDir(), "s"))}
	before := contents(t, dir)
	out := setUp(t, &Setup{Machine: m, DryRun: true})
	expect.Parts(t, out, "Found 3 installs", "https://a.example.com", "https://b.example.com",
		"(its database has the home)", "[[discover]]", "Nothing was changed")
	if n := connected.Load(); n > 0 {
		t.Errorf("%d connections", n)
	}
	expect.Same(t, before, contents(t, dir))
}

// What init finds is written as [[discover]]. If its wp-config.php names another server later, it is not read from there.
func TestFoundInstallsAreNotTheOperatorsWord(t *testing.T) {
	m, dir := machine(t)
	wordpress(t, filepath.Join(dir, "www"), "https://www.example.com")
	setUp(t, &Setup{Machine: m, Yes: true})
	c, err := config.Load(m.Config)
	if err != nil || len(c.Sites) != 1 || !c.Sites[0].Discovered() || c.Sites[0].Name != "www.example.com" || len(c.AdminToken.Reveal()) < 20 {
		t.Errorf("%v\n%s", err, text(t, m.Config))
	}
}

// Folders may have any name. Signs that control a terminal, or that mean something in a configuration, are neither printed nor
// written.
func TestNamesOfFoldersAreHarmless(t *testing.T) {
	m, dir := machine(t)
	for i, name := range []string{"esc\x1b[31m", "line\n  forged", "star*", "${HOME}"} {
		wordpress(t, filepath.Join(dir, "www", name), fmt.Sprintf("https://s%d.example.com", i))
	}
	wordpress(t, filepath.Join(dir, "www/fine"), "https://fine.example.com")
	out := setUp(t, &Setup{Machine: m, Yes: true}, filepath.Join(dir, "www"))
	if strings.Contains(out, "\x1b") || strings.Contains(out, "\n  forged") {
		t.Errorf("%q", out)
	}
	expect.Parts(t, out, "Found 1 install", "[[discover]] cannot contain: rename the folder")
	expect.Equal(t, strings.Count(text(t, m.Config), "[[discover]]"), 1)
}

// init names a port that another process has, and the process. It uses a taken port only if the service has it, whatever the name of the
// process is. Else the web server would send all sitemaps to that process.
func TestTakenPortIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	name := text(t, "/proc/self/comm")
	wptest.Must(t, os.WriteFile("/proc/self/comm", []byte("x (wpsitemapd)"), 0o644))
	defer os.WriteFile("/proc/self/comm", []byte(name), 0o644)
	address, taken := freeAddress(port, 0)
	if address == l.Addr().String() || !strings.Contains(taken, fmt.Sprintf("is taken by PID %d (x (wpsitemapd))", os.Getpid())) {
		t.Errorf("%s %s", address, taken)
	}
	if address, taken := freeAddress(port, os.Getpid()); address != l.Addr().String() || taken != "" {
		t.Errorf("the service: %s %s", address, taken)
	}
}

// The people of an install can name any home. The host belongs to the install that the configuration has, or that the web server serves
// there. If neither decides between copies, init takes none of them.
func TestHomeOfANeighbour(t *testing.T) {
	for _, tt := range []struct {
		rule       string
		mallory    string // its home
		blocks     string // of nginx
		configured bool   // the victim
		want       []string
	}{
		{"the web server tells", "https://victim.test", "victim.test=victim mallory.test=mallory", false, []string{"victim"}},
		{"with www", "http://www.victim.test", "victim.test=victim mallory.test=mallory", false, []string{"victim"}},
		{"a path of its host", "https://victim.test/wp-admin", "victim.test=victim mallory.test=mallory", false, []string{"victim"}},
		{"the configuration tells", "https://victim.test", "", true, []string{"victim"}},
		{"a path, and the configuration", "https://victim.test/x", "", true, []string{"victim"}},
		{"nobody tells", "https://victim.test", "", false, nil},
		{"a folder of the same block", "https://victim.test/blog", "victim.test=.", false, []string{"mallory", "victim"}},
		{"its own host", "https://mallory.test", "victim.test=victim mallory.test=mallory", false, []string{"mallory", "victim"}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			m, dir := machine(t)
			wordpress(t, filepath.Join(dir, "www/mallory"), tt.mallory)
			wordpress(t, filepath.Join(dir, "www/victim"), "https://victim.test")
			blocks := ""
			for _, at := range strings.Fields(tt.blocks) {
				host, root, _ := strings.Cut(at, "=")
				blocks += fmt.Sprintf("server {\n    listen 127.0.0.1:1;\n    server_name %s;\n    root %s;\n}\n", host, filepath.Join(dir, "www", root))
			}
			if blocks != "" {
				nginx(t, &m, dir, blocks)
			}
			if tt.configured {
				write(t, m.Config, "[[site]]\nname = \"victim\"\nwp_config = \""+dir+"/www/victim/wp-config.php\"\n")
			}
			var out bytes.Buffer
			ok := func(context.Context) error { return nil }
			err := (&Setup{Machine: m, Yes: true, Out: &out, Check: ok, Diff: ok, Public: ok}).Run(t.Context(), []string{filepath.Join(dir, "www")})
			var got []string
			if exists(m.Config) {
				c, err := config.Load(m.Config)
				wptest.Must(t, err)
				for _, s := range c.Sites {
					got = append(got, filepath.Base(filepath.Dir(s.WPConfig)))
				}
				slices.Sort(got)
			}
			if !slices.Equal(got, tt.want) || (err == nil) != (got != nil) || len(got) < 2 &&
				!strings.Contains(strings.Join(strings.Fields(out.String()), " "), "mallory/wp-config.php is left out") {
				t.Errorf("%v %v\n%s", got, err, &out)
			}
		})
	}
}

// A link must be root's or lead to files of its own user. Else the file of a neighbour would be read, and the folder of another would get
// its database.
func TestLinksOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	m, dir := machine(t)
	victim := filepath.Join(dir, "victim/www")
	wordpress(t, victim, "https://victim.test")
	own := func(uid int, paths ...string) {
		for _, path := range paths {
			wptest.Must(t, os.Lchown(path, uid, uid))
		}
	}
	link := func(to, at string, uid int) string {
		at = filepath.Join(dir, at)
		wptest.Must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		wptest.Must(t, os.Symlink(to, at))
		own(uid, at)
		return at
	}
	own(1001, victim, filepath.Join(victim, "wp-config.php"))
	own(1002, link(victim, "mallory/www", 1002))
	link("../mallory/www", "root/over", 0)
	link(filepath.Join(dir, "mallory/loop"), "mallory/loop", 1002)
	link(victim+"/wp-config.php", "mallory/file/wp-config.php", 1002)
	link(victim, "root/current", 0)
	wptest.Must(t, os.MkdirAll(filepath.Join(dir, "mallory/hard"), 0o755))
	own(1002, filepath.Join(dir, "mallory/hard"))
	wptest.Must(t, os.Link(filepath.Join(victim, "wp-config.php"), filepath.Join(dir, "mallory/hard/wp-config.php")))
	link("releases", "victim/current", 1001)
	link("www", "victim/releases", 1001)
	for _, tt := range []struct {
		folder string
		taken  bool
	}{
		{"victim/www", true}, {"root/current", true}, {"victim/current", true},
		{"mallory/www", false}, {"mallory/file", false}, {"root/over", false}, {"mallory/loop", false}, {"mallory/hard", false},
	} {
		var out bytes.Buffer
		ok := func(context.Context) error { return nil }
		err := (&Setup{Machine: m, DryRun: true, Out: &out, Check: ok, Diff: ok, Public: ok}).Run(t.Context(), []string{filepath.Join(dir, tt.folder)})
		if (err == nil) != tt.taken {
			t.Errorf("%s: %v\n%s", tt.folder, err, &out)
		}
	}
}

// A dry run leaves no file or folder of a web server. nginx -t would make its pid file, its logs and its folders, apachectl would make folders.
func TestDryRunMakesNothingOfWebServers(t *testing.T) {
	m, dir := machine(t)
	wordpress(t, filepath.Join(dir, "www"), "https://www.example.com")
	wordpress(t, filepath.Join(dir, "web"), "https://web.example.com")
	nginx(t, &m, dir, fmt.Sprintf("server {\n    listen unix:%[1]s/socket;\n    access_log %[1]s/access.log;\n"+
		"    client_body_temp_path %[1]s/bodies;\n    root %[1]s/www;\n}\n", dir))
	apache(t, &m, dir, fmt.Sprintf("<VirtualHost *:1>\n  DocumentRoot %s/web\n</VirtualHost>\n", dir))
	control := filepath.Join(dir, "apachectl")
	write(t, control, "#!/bin/sh\nmkdir -p "+dir+"/run\n")
	wptest.Must(t, os.Chmod(control, 0o755))
	m.Apache = []string{control}
	before := contents(t, dir)
	out := setUp(t, &Setup{Machine: m, DryRun: true})
	expect.Parts(t, out, "nginx: the file", "sites-enabled/default:1", "Apache: the file", "sites-enabled/a.conf:1")
	expect.Same(t, before, contents(t, dir))
}
