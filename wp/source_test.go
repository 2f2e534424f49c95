package wp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The clock of a source is the real one, unless another is set.
func TestSourceTime(t *testing.T) {
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	expect.Equal(t, (&Source{Now: func() time.Time { return at }}).Time(), at)
	if age := time.Since(new(Source).Time()); age < 0 || age > time.Minute {
		t.Errorf("the time is %s ago, want now", age)
	}
}

// Before a connection, Turn is told the server, or the file of SQLite.
func TestTurn(t *testing.T) {
	for _, tt := range []struct{ dsn, want string }{
		{wptest.Load(t, wptest.SQLite, "basic"), "file"}, {"u:p@tcp(127.0.0.1:1)/d", "127.0.0.1:1"},
	} {
		var servers []string
		n, err := Open(t.Context(), Source{Name: "a", DSN: tt.dsn, Turn: func(_ context.Context, server string) { servers = append(servers, server) }})
		if err == nil {
			n.Close()
		}
		want := strings.Replace(tt.want, "file", strings.TrimPrefix(tt.dsn, "sqlite:"), 1)
		expect.Equal(t, len(servers), 1, "calls of Turn")
		expect.Contains(t, strings.Join(servers, " "), want, "the server")
	}
}

// A wp-config.php may ask for TLS. A socket of this machine needs none.
func TestTLSOfConfig(t *testing.T) {
	const ssl, noVerify = "define('MYSQL_CLIENT_FLAGS', MYSQLI_CLIENT_SSL);",
		"define('MYSQL_CLIENT_FLAGS', MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT);"
	const account = "define('DB_NAME', 'n'); define('DB_USER', 'u'); define('DB_PASSWORD', 'p'); define('DB_HOST', 'db.test');"
	for _, tt := range []struct{ lines, socket, want string }{
		{"", "", ""}, {ssl, "", "true"}, {noVerify, "", "skip-verify"}, {ssl, "/run/s", ""},
	} {
		n := &Network{config: config(t, account, tt.lines), source: Source{Socket: tt.socket}}
		at, err := n.where("")
		wptest.Must(t, err)
		expect.Equal(t, at.cfg.TLSConfig, tt.want, tt.lines, tt.socket)
	}
	n := &Network{config: config(t, strings.Replace(account, "'n'", "''", 1))}
	_, err := n.where("")
	checkError(t, err, "DB_NAME")
}

// utf8 becomes utf8mb4, as WordPress chooses it. Anything that is no name of a character set does, too.
func TestConnectionCharset(t *testing.T) {
	for stored, want := range map[string]string{"": "utf8mb4", "utf8": "utf8mb4", "UTF8MB3": "utf8mb4", "utf8mb4": "utf8mb4", "Latin1": "latin1",
		"a'b": "utf8mb4"} {
		expect.Equal(t, connectionCharset(stored), want, stored)
	}
	for dsn, want := range map[string]bool{
		"u:p@tcp(a:1)/d": false, "u:p@tcp(a:1)/d?charset=latin1": true, "u:p@tcp(a:1)/d?collation=x": true, "u:p@tcp(a:1)/d?timeout=1s": false,
		"u:p?charset=x@unix(/a?charset=y)/d": false,
	} {
		expect.Equal(t, namesCharset(dsn), want, dsn)
	}
	n := &Network{config: config(t, "define('DB_CHARSET', 'latin1');")}
	for dsn, want := range map[string]string{"u:p@tcp(a:1)/d": "latin1", "u:p@tcp(a:1)/d?charset=binary": "binary"} {
		at, err := n.where(dsn)
		wptest.Must(t, err)
		expect.Contains(t, at.cfg.FormatDSN(), "charset="+want, dsn)
	}
}

// What the operator configures replaces what was not understood in wp-config.php, so nobody is told of that.
func TestConfigNotices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wp-config.php")
	wptest.Must(t, os.WriteFile(file, []byte("<?php\ndefine('DB_NAME', secret());\n$table_prefix = 'wp_';\n"), 0o600))
	n, err := prepare(t.Context(), Source{Name: "a", WPConfig: file})
	wptest.Must(t, err)
	expect.Contains(t, strings.Join(n.configNotices, "\n"), "DB_NAME")
	n, err = prepare(t.Context(), Source{Name: "a", WPConfig: file, DSN: "sqlite:x"})
	wptest.Must(t, err)
	expect.List(t, n.configNotices, nil, "with a dsn")
	wptest.Must(t, os.WriteFile(file, []byte("<?php\n$table_prefix = secret();\n"), 0o600))
	_, err = prepare(t.Context(), Source{Name: "a", WPConfig: file, DSN: "sqlite:x"})
	checkError(t, err, "site a", "table_prefix")
	_, err = prepare(t.Context(), Source{Name: "a", WPConfig: file, DSN: "sqlite:x", TablePrefix: "own_"})
	wptest.Must(t, err)
}

// An account that watches names no database, because that one may be dropped.
func TestWatcher(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB)
	w, err := ParseWatcher(dsn)
	wptest.Must(t, err)
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	expect.Equal(t, w.Server, "unix("+cfg.Addr+")")
	expect.Equal(t, w.config.DBName, "")
	opened, err := w.Open(t.Context(), ownAlone, db.Options{})
	wptest.Must(t, err)
	wptest.Must(t, opened.DB.Close())
	_, err = ParseWatcher("hunter2")
	checkError(t, err, "user:password@")
	w.config.User, w.config.Passwd = "nobody", "hunter2"
	_, err = w.Open(t.Context(), ownAlone, db.Options{})
	checkError(t, err, "nobody@unix(", "check user and password")
}

// Two names of one file are the same socket.
func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	a, b, link := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "link")
	wptest.Must(t, os.WriteFile(a, nil, 0o600))
	wptest.Must(t, os.WriteFile(b, nil, 0o600))
	wptest.Must(t, os.Symlink(a, link))
	for _, tt := range []struct {
		one, other string
		same       bool
	}{{a, a, true}, {a, link, true}, {a, b, false}, {a, dir + "/none", false}, {dir + "/none", a, false}} {
		expect.Equal(t, sameFile(tt.one, tt.other), tt.same, tt.one, tt.other)
	}
}

// Blogs of a network share a host, unless wp-config.php says that each has a subdomain. VHOST is the older constant for that.
func TestSubdirectories(t *testing.T) {
	for lines, want := range map[string]bool{
		"": true, "define('SUBDOMAIN_INSTALL', true);": false, "define('SUBDOMAIN_INSTALL', false);": true, "define('VHOST', 'yes');": false,
		"define('VHOST', 'no');": true, "define('SUBDOMAIN_INSTALL', false); define('VHOST', 'yes');": true,
	} {
		expect.Equal(t, (&Network{multisite: true, config: config(t, lines)}).subdirectories(), want, lines)
	}
	expect.Equal(t, (&Network{multisite: true}).subdirectories(), true, "without wp-config.php")
	expect.Equal(t, new(Network).subdirectories(), false, "a single site")
}

// The constants of wp-config.php choose the main network and its main blog. A value that is no id does not count.
func TestMainNetwork(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	wptest.Exec(t, dsn, "INSERT INTO wp_site (id, domain, path) VALUES (2, 'second.test', '/'), (3, 'second.test', '/sub/')",
		"INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (2, 'main_site', '3')")
	for _, tt := range []struct {
		lines         string
		network, blog int64
	}{
		{"", 1, 1}, {"define('DOMAIN_CURRENT_SITE', 'second.test'); define('PATH_CURRENT_SITE', '/');", 2, 3},
		{"define('DOMAIN_CURRENT_SITE', 'second.test'); define('PATH_CURRENT_SITE', '/sub/');", 3, 1},
		{"define('DOMAIN_CURRENT_SITE', 'other.test'); define('PATH_CURRENT_SITE', '/');", 1, 1},
		{"define('SITE_ID_CURRENT_SITE', 2); define('BLOG_ID_CURRENT_SITE', 2);", 2, 2}, {"define('SITE_ID_CURRENT_SITE', -2);", 1, 1},
		{"define('SITE_ID_CURRENT_SITE', 'two');", 1, 1},
	} {
		file := filepath.Join(t.TempDir(), "wp-config.php")
		wptest.Must(t, os.WriteFile(file, []byte("<?php\ndefine('MULTISITE', true);\n"+tt.lines+"\n$table_prefix = 'wp_';\n"), 0o600))
		n := open(t, Source{DSN: dsn, WPConfig: file})
		if n.shared.mainNetwork != tt.network || n.shared.mainBlog != tt.blog {
			t.Errorf("%s: network %d, blog %d, want %d and %d", tt.lines, n.shared.mainNetwork, n.shared.mainBlog, tt.network, tt.blog)
		}
	}
}

// The main blog comes first. A blog has its home and its host by its row, before its settings are read.
func TestWalkOfANetwork(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	walk := func() *Walk {
		t.Helper()
		w, err := open(t, Source{DSN: dsn}).Walk(t.Context(), nil)
		wptest.Must(t, err)
		return w
	}
	ids := func(rows []BlogRow) (ids []int64) {
		for _, b := range rows {
			ids = append(ids, b.ID)
		}
		return ids
	}
	expect.List(t, ids(walk().Live), []int64{1, 2, 3, 6}, "live blogs")
	expect.List(t, ids(walk().Gone), []int64{4, 5, 7}, "other blogs")
	wptest.Exec(t, dsn, "UPDATE wp_sitemeta SET meta_value = '3' WHERE meta_key = 'main_site'",
		"UPDATE wp_blogs SET domain = 'Bread.test', path = '/Sub/' WHERE blog_id = 3")
	w := walk()
	expect.List(t, ids(w.Live), []int64{3, 1, 2, 6}, "live blogs, with 3 as the main one")
	for scheme, siteURL := range map[string]string{"https": "https://example.test/", "http": "http://example.test/"} {
		wptest.Exec(t, dsn, "UPDATE wp_sitemeta SET meta_value = '"+siteURL+"' WHERE meta_key = 'siteurl'")
		home, hosts := walk().Address(w.Live[0])
		expect.Equal(t, home, scheme+"://bread.test/Sub")
		expect.List(t, hosts, []string{"bread.test"})
		home, _ = walk().Address(BlogRow{Domain: "a.test", Path: "/"})
		expect.Equal(t, home, scheme+"://a.test")
	}
	blogs, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
	wptest.Must(t, err)
	for _, b := range blogs {
		expect.Equal(t, b.IsMain(), b.BlogID() == 3, "blog", b.BlogID(), "is the main one")
	}
	expect.Equal(t, openSite(t, Source{DSN: wptest.Load(t, wptest.SQLite, "basic")}).IsMain(), true, "a single site is the main one")
}

// An option that is too long is left out, and the operator is told.
func TestLongOptions(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	long := strings.Repeat("x", db.MaxOption+1)
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '"+long+"' WHERE option_name = 'blogname'",
		"INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, 'ms_files_rewriting', '1')",
		"UPDATE wp_sitemeta SET meta_value = '"+long+"' WHERE meta_key = 'WPLANG'")
	b := openSite(t, Source{DSN: dsn})
	expect.Equal(t, b.Settings().Title, "")
	expect.Equal(t, b.Settings().Locale, "en_US")
	most := fmt.Sprintf("is longer than %d MiB", db.MaxOption>>20)
	warnings := b.Warnings()
	for _, want := range []string{"option blogname " + most, "network option WPLANG " + most} {
		expect.Equal(t, slices.ContainsFunc(warnings, func(w string) bool { return strings.HasPrefix(w, want) }), true, "a warning begins with", want,
			warnings)
	}
}

// What is no host cannot be in an address.
func TestIsHostName(t *testing.T) {
	for name, want := range map[string]bool{
		"a.test": true, "a.test:8080": true, "": false, strings.Repeat("a", 253): true, strings.Repeat("a", 254): false, "a b": false, "a/b": false,
		"ä.test": false,
		"a\x7f":  false, "a@b": false, "~": true, "!": true,
	} {
		expect.Equal(t, isHostName(name), want, name)
	}
}

// A sentence for the operator is told once.
func TestNotice(t *testing.T) {
	b := new(Blog)
	for _, text := range []string{"a", "b", "a"} {
		b.Notice(text)
	}
	expect.List(t, b.Warnings(), []string{"a", "b"})
}

// The clock of the site's zone is converted with summer time.
func TestUTC(t *testing.T) {
	b := new(Blog)
	b.set.Core.Zone = zone("Europe/Amsterdam", "")
	for local, want := range map[string]string{"2024-07-01 12:00:30": "2024-07-01 10:00:30", "2024-01-01 12:00:00": "2024-01-01 11:00:00"} {
		expect.Equal(t, b.UTC(ParseDate(local)), ParseDate(want), local)
	}
}
