package wpconfig

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The rules are wpdb::parse_db_host()'s and, for localhost, those of PHP's driver: checked with mysqli on PHP 8.2.
func TestDatabaseHost(t *testing.T) {
	dir := tree(t, map[string]string{"s": ""})
	for _, c := range []struct {
		rule, host, sockets, want string
	}{
		{"a name alone", "db", "/s", "tcp db:3306"},
		{"an address alone", "127.0.0.1", "/s", "tcp 127.0.0.1:3306"},
		{"a port", "db:3307", "/s", "tcp db:3307"},
		{"port 0 counts as none", "db:0", "/s", "tcp db:3306"},
		{"a port that is no number is left out", "db:x", "/s", "tcp db:3306"},
		{"localhost is a socket", "localhost", "/s", "unix /s"},
		{"the first socket that exists", "localhost", "/a /s", "unix /s"},
		{"localhost in any case", "LocalHost", "/s", "unix /s"},
		{"no host is localhost", "", "/s", "unix /s"},
		{"localhost with a port still is a socket", "localhost:3307", "/s", "unix /s"},
		{"without a socket localhost is TCP", "localhost", "/a", "tcp 127.0.0.1:3306"},
		{"without a socket the port of localhost counts", "localhost:3307", "", "tcp 127.0.0.1:3307"},
		{"a socket alone", ":/run/mysqld/mysqld.sock", "/s", "unix /run/mysqld/mysqld.sock"},
		{"localhost with a socket", "localhost:/path.sock", "/s", "unix /path.sock"},
		{"localhost with a port and a socket", "localhost:3306:/path.sock", "/s", "unix /path.sock"},
		{"a socket counts for localhost only", "db:3307:/path.sock", "/s", "tcp db:3307"},
		{"IPv6", "::1", "/s", "tcp [::1]:3306"},
		{"IPv6 in brackets", "[::1]", "/s", "tcp [::1]:3306"},
		{"IPv6 with a port", "[::1]:3307", "/s", "tcp [::1]:3307"},
		{"IPv6 without brackets has no port", "2001:db8::5", "/s", "tcp [2001:db8::5]:3306"},
		{"the mark of a persistent connection is taken for the host", "p:db", "/s", "tcp p:3306"},
		{"what WordPress refuses", "x:y:z", "/s", "error"},
	} {
		sockets := []string{}
		for _, name := range strings.Fields(c.sockets) {
			sockets = append(sockets, dir+name)
		}
		write(t, filepath.Join(dir, "wp-config.php"),
			"<?php define('DB_NAME','n');define('DB_USER','u');define('DB_PASSWORD','');define('DB_HOST','"+c.host+"');")
		got, err := Parse(t.Context(), dir, Options{sockets: sockets})
		wptest.Must(t, err)
		s := "error"
		if d, err := got.Database(); err == nil {
			s = d.Network + " " + strings.TrimPrefix(d.Addr, dir)
		}
		expect.Equal(t, s, c.want, c.rule, c.host)
	}
}

func TestCharset(t *testing.T) {
	const account = "<?php define('DB_NAME','n');define('DB_USER','u');define('DB_PASSWORD','');define('DB_HOST','h');"
	for _, c := range []struct{ rule, code, charset string }{
		{"utf8 is raised", `define('DB_CHARSET','utf8');`, "utf8mb4"},
		{"utf8mb4 stays", `define('DB_CHARSET','utf8mb4');define('DB_COLLATE','utf8mb4_bin');`, "utf8mb4"},
		{"latin1 stays", `define('DB_CHARSET','latin1');`, "latin1"},
		{"empty stays", `define('DB_CHARSET','');`, ""},
		{"undefined is the server's", ``, ""},
		{"undefined in a network is utf8, raised", `define('MULTISITE',true);`, "utf8mb4"},
	} {
		got, err := parseText(t, account+c.code)
		wptest.Must(t, err)
		d, err := got.Database()
		if err != nil || d.Charset != c.charset {
			t.Errorf("%s: %q, %v", c.rule, d.Charset, err)
		}
	}
}

func TestDatabaseNamesEverythingMissing(t *testing.T) {
	c, err := parseText(t, "<?php define('DB_NAME', f()); define('DB_USER', 'u'); define('DB_HOST', [1]);")
	wptest.Must(t, err)
	_, err = c.Database()
	want := "cannot evaluate DB_NAME at /srv/www/wp-config.php:1: calls f(); set dsn in the configuration; " +
		"cannot evaluate DB_PASSWORD at /srv/www/wp-config.php: is not defined; set dsn in the configuration; " +
		"cannot evaluate DB_HOST at /srv/www/wp-config.php:1: is no text; set dsn in the configuration"
	if err == nil || strings.ReplaceAll(err.Error(), filepath.Dir(c.File), "/srv/www") != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if p, ok := errors.AsType[Problem](err); !ok || p.Name != "DB_NAME" || p.Setting != "dsn" {
		t.Errorf("the first of them is %+v", p)
	}
}

func TestSQLite(t *testing.T) {
	const plugin = "<?php\n// from sqlite-database-integration\n"
	const account = "define('DB_NAME','n');define('DB_USER','u');define('DB_PASSWORD','');define('DB_HOST','h');"
	for _, c := range []struct {
		rule, code, dropIn, want string
	}{
		{"a constant", `define('DB_ENGINE','sqlite');`, "", "ROOT/wp-content/database/.ht.sqlite"},
		{"the drop-in", account, plugin, "ROOT/wp-content/database/.ht.sqlite"},
		{"the drop-in known by its version", account, "<?php define( 'SQLITE_DB_DROPIN_VERSION', '1' );", "ROOT/wp-content/database/.ht.sqlite"},
		{"the constant wins over the drop-in", account + `define('DB_ENGINE','mysql');`, plugin, "mysql"},
		{"the drop-in wins over the older constant", account + `define('DATABASE_ENGINE','mysql');`, plugin, "ROOT/wp-content/database/.ht.sqlite"},
		{"another drop-in is MySQL", account, "<?php // HyperDB", "mysql"},
		{"the content directory moves it", `define('DB_ENGINE','sqlite');define('WP_CONTENT_DIR','/c');`, "", "/c/database/.ht.sqlite"},
		{"DB_DIR moves it", `define('DB_ENGINE','sqlite');define('DB_DIR', __DIR__ . '/data/');`, "", "ROOT/data/.ht.sqlite"},
		{"a relative DB_DIR", `define('DB_ENGINE','sqlite');define('DB_DIR', '../data');`, "", "PARENT/data/.ht.sqlite"},
		{"DB_FILE renames it", `define('DB_ENGINE','sqlite');define('DB_FILE','x.db');`, "", "ROOT/wp-content/database/x.db"},
		{"FQDB is the whole name", `define('DB_ENGINE','sqlite');define('FQDB','/d/x.db');define('DB_FILE','y.db');`, "", "/d/x.db"},
		{"FQDBDIR has its own slash", `define('DB_ENGINE','sqlite');define('FQDBDIR','/d/');define('DB_DIR','/e');`, "", "/d/.ht.sqlite"},
		{"an unknown engine is an error", account + `define('DB_ENGINE', f());`, plugin, "error"},
		{"an unknown directory is an error", `define('DB_ENGINE','sqlite');define('DB_DIR', $_SERVER['DOCUMENT_ROOT']);`, "", "error"},
		{"an unknown content directory is an error", `define('DB_ENGINE','sqlite');define('WP_CONTENT_DIR', f());`, "", "error"},
	} {
		root := tree(t, map[string]string{"wp-config.php": "<?php " + c.code})
		if c.dropIn != "" {
			write(t, filepath.Join(root, "wp-content", "db.php"), c.dropIn)
		}
		config, err := Parse(t.Context(), filepath.Join(root, "wp-config.php"), Options{})
		wptest.Must(t, err)
		d, err := config.Database()
		got := d.SQLitePath
		switch {
		case err != nil:
			got = "error"
		case d.Engine == "mysql":
			got = "mysql"
		}
		want := strings.NewReplacer("ROOT", root, "PARENT", filepath.Dir(root)).Replace(c.want)
		expect.Equal(t, got, want, c.rule, err)
	}
}
