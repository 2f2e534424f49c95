package wp

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A wp-config.php that was found names the servers of this machine and those that the operator allows, and no other one.
func TestServersOfFoundInstalls(t *testing.T) {
	allowed := []string{"db1.internal", "*.rds.example.com:33*", "[fd00::5]:3307", "/srv/db/*.sock"}
	for _, tt := range []struct {
		rule, network, addr string
		ok                  bool
	}{
		{"this machine", "tcp", "127.0.0.1:3306", true},
		{"this machine by IPv6", "tcp", "[::1]:3306", true},
		{"this machine by name", "tcp", "localhost:3306", true},
		{"another loopback address, at which anybody may listen", "tcp", "127.0.0.2:3306", false},
		{"another port of this machine", "tcp", "127.0.0.1:3307", false},
		{"a name that begins like it", "tcp", "localhost.example.com:3306", false},
		{"a number that is it, perhaps", "tcp", "2130706433:3306", false},
		{"any address of this machine", "tcp", "0.0.0.0:3306", false},
		{"a host nobody allowed", "tcp", "db2.internal:3306", false},
		{"a host that is allowed", "tcp", "db1.internal:3306", true},
		{"in other letters, and absolute", "tcp", "DB1.internal.:3306", true},
		{"another port of it", "tcp", "db1.internal:3307", false},
		{"a pattern", "tcp", "a.rds.example.com:3310", true},
		{"a pattern is about the whole name", "tcp", "a.rds.example.com.evil.test:3306", false},
		{"an address of IPv6", "tcp", "[fd00::5]:3307", true},
		{"a socket of a folder that is allowed", "unix", "/srv/db/a.sock", true},
		{"the socket of a package", "unix", "/run/mysqld/mysqld.sock", true},
		{"a link of the tenant's", "unix", "/srv/www/a/mysqld.sock", false},
		{"another folder in the end", "unix", "/srv/db/../www/a/x.sock", false},
		{"a socket in a folder that anybody can write to", "unix", "/tmp/mysql.sock", false},
		{"an abstract socket", "unix", "@mysql", false},
	} {
		cfg := &mysql.Config{User: "u", Passwd: "p", Net: tt.network, Addr: tt.addr}
		err := (&Source{Within: "/srv/www/a", Servers: allowed}).chooseServer(cfg)
		expect.Equal(t, err == nil, tt.ok, tt.rule, err)
		expect.Equal(t, cfg.DialFunc != nil, strings.HasPrefix(tt.rule, "this machine"), tt.rule, "who listens there is checked")
		if err != nil && tt.addr[0] != '@' && !strings.Contains(err.Error(), "add to the [[discover]] that found the install: db_hosts = [") {
			t.Errorf("%s: the error does not say what to write: %v", tt.rule, err)
		}
		if err := (&Source{Servers: allowed}).chooseServer(cfg); err != nil {
			t.Errorf("%s: a [[site]] may name every server: %v", tt.rule, err)
		}
	}
}

// The socket of a server lets in by the name of the process' own account, whose rights no tenant has.
func TestAccountsOfFoundInstalls(t *testing.T) {
	own, err := user.Current()
	wptest.Must(t, err)
	for _, tt := range []struct {
		user, password string
		ok             bool
	}{
		{"shop", "p", true},
		{"shop", "", false},
		{"root", "p", false},
		{own.Username, "p", false},
	} {
		cfg := &mysql.Config{User: tt.user, Passwd: tt.password, Net: "unix", Addr: "/run/mysqld/mysqld.sock"}
		err := (&Source{Within: "/srv/www/a", Servers: []string{"/run/mysqld/mysqld.sock"}}).chooseServer(cfg)
		expect.Equal(t, err == nil, tt.ok, tt.user, tt.password, err)
		err = (&Source{Within: "/srv/www/a", Socket: "/srv/db/s"}).chooseServer(cfg)
		expect.Equal(t, err == nil, tt.ok, "at a socket of init", tt.user, tt.password, err)
		if err := (&Source{}).chooseServer(cfg); err != nil {
			t.Errorf("a [[site]] may name every account: %v", err)
		}
	}
}

// Once it was read, another wp-config.php of its people changes nothing: what was examined is what is used.
func TestReadConfigIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wp-config.php")
	write := func(user string) {
		wptest.Must(t, os.WriteFile(file, []byte("<?php define('DB_USER', '"+user+"'); define('DB_PASSWORD', 'p'); define('DB_NAME', 'n');"+
			"define('DB_HOST', 'localhost'); $table_prefix = 'wp_';"), 0o600))
	}
	write("shop")
	src := Source{Name: "a", WPConfig: file, Within: filepath.Dir(file), Socket: "/srv/db/s"}
	wptest.Must(t, src.ReadConfig(t.Context()))
	write("root")
	n, err := prepare(t.Context(), src)
	wptest.Must(t, err)
	at, err := n.where("")
	if err != nil || !strings.Contains(at.text, "shop@unix(/srv/db/s)/n") {
		t.Errorf("%s %v", at.text, err)
	}
}

func TestCheckServer(t *testing.T) {
	for pattern, want := range map[string]string{
		"db1":              "",
		"db1:3306":         "",
		"*.internal:*":     "",
		"[::1]:3307":       "",
		"::1":              "",
		"/run/*/sock":      "",
		"":                 "must be a database server",
		"db1/x":            "must be a database server",
		"mysql://db1:3306": "must be a database server",
		"db1:0":            "the port",
		"db1:1":            "",
		"db1:65535":        "",
		"db1:65536":        "the port",
		"db1:mysql":        "the port",
		"db[1:3306":        "brackets only around an IPv6 address",
		"db[12]:3306":      "brackets only around an IPv6 address",
		"db[12].internal":  "brackets only around an IPv6 address",
		`db\`:              "not a valid pattern",
	} {
		err := CheckServer(pattern)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", pattern, err, want)
		}
	}
}
