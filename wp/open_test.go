package wp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What Open says to wrong input: the site's name, what is wrong and what to do, never a password.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	noInstall := wptest.Load(t, wptest.SQLite)
	for _, tt := range []struct {
		name string
		src  Source
		says []string
	}{
		{"nothing said", Source{}, []string{"neither wp_config nor dsn"}},
		{"prefix with a quote", Source{DSN: "sqlite:x", TablePrefix: "wp`; DROP"}, []string{"table prefix", "letters, digits and _"}},
		{"dsn of another form", Source{DSN: "mysql://user:hunter2@host/db"}, []string{"user:password@unix("}},
		{"no such file", Source{DSN: "sqlite:" + filepath.Join(dir, "none.sqlite")}, []string{"none.sqlite", "check the path"}},
		{"a directory", Source{DSN: "sqlite:" + dir}, []string{dir}},
		{
			"not a database", Source{DSN: "sqlite:" + file("text.sqlite", strings.Repeat("This is not a database. ", 100))},
			[]string{"text.sqlite", "not a database"},
		},
		{"an empty file", Source{DSN: "sqlite:" + file("empty.sqlite", "")}, []string{"no table wp_options", "table_prefix"}},
		{"another prefix", Source{DSN: noInstall, TablePrefix: "blog_"}, []string{
			"no table blog_options in the database, which has tables of options with the prefix wp_: check table_prefix",
		}},
		{"tables without rows", Source{DSN: noInstall}, []string{"wp_options has no siteurl", "not installed"}},
		{
			"no server at the socket", Source{DSN: "user:hunter2@unix(" + filepath.Join(dir, "none.sock") + ")/db"},
			[]string{"user@unix(", "none.sock", "check that the server runs"},
		},
		{"no server at the port", Source{DSN: "user:hunter2@tcp(127.0.0.1:1)/db"}, []string{"user@tcp(127.0.0.1:1)/db", "check that the server runs"}},
		{"no wp-config.php", Source{WPConfig: filepath.Join(dir, "wp-config.php")}, []string{"wp_config", "wp-config.php"}},
	} {
		t.Run(tt.name, func(t *testing.T) { opensNot(t, tt.src, tt.says) })
	}
}

// opensNot wants an error that names the site and says some texts.
func opensNot(t *testing.T, src Source, says []string) {
	t.Helper()
	src.Name = "shop"
	n, err := Open(t.Context(), src)
	if err == nil {
		n.Close()
	}
	checkError(t, err, append(says, "shop")...)
}

func checkError(t *testing.T, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %q", says)
	}
	for _, s := range says {
		expect.Contains(t, err.Error(), s, "the error does not say", err)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error holds the password: %v", err)
	}
}

func TestOpenErrorsOfMariaDB(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn, "CREATE TABLE shop_options (option_id INT PRIMARY KEY)", "CREATE TABLE `a'b_options` (option_id INT PRIMARY KEY)")
	reader := wptest.ReadOnlyDSN(t, dsn)
	change := func(dsn string, how func(*mysql.Config)) string {
		t.Helper()
		cfg, err := mysql.ParseDSN(dsn)
		wptest.Must(t, err)
		how(cfg)
		return cfg.FormatDSN()
	}
	for _, tt := range []struct {
		name string
		src  Source
		says []string
	}{
		{"wrong password", Source{DSN: change(reader, func(c *mysql.Config) { c.Passwd = "hunter2" })}, []string{"check user and password"}},
		{"no such database", Source{DSN: change(dsn, func(c *mysql.Config) { c.DBName = "wptest_none" })}, []string{
			"wptest_none", "check the name of the database",
		}},
		{"another's database", Source{DSN: change(reader, func(c *mysql.Config) { c.DBName = "mysql" })}, []string{"mysql", "wpsitemapd grants"}},
		{"another prefix", Source{DSN: dsn, TablePrefix: "blog_"}, []string{
			"no table blog_options in the database, which has tables of options with the prefix shop_, wp_: check table_prefix",
		}},
		{
			"another prefix, of which the account may not know", Source{DSN: reader, TablePrefix: "blog_"},
			[]string{"blog_options", "check table_prefix", "GRANT SELECT ON `", "`.`blog_options` TO '"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) { opensNot(t, tt.src, tt.says) })
	}
}

func TestOpenIsCancelled(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		n, err := Open(ctx, Source{Name: "shop", DSN: wptest.Load(t, e, "basic")})
		if err == nil {
			n.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want %v", err, context.Canceled)
		}
	})
}

// The prefix is the operator's, else that of wp-config.php, else wp_.
func TestPrefix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wp-config.php")
	if err := os.WriteFile(path, []byte("<?php $table_prefix = 'of_file_';"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ file, prefix, want string }{{"", "", "wp_"}, {path, "", "of_file_"}, {path, "own_", "own_"}, {"", "own_", "own_"}} {
		n, err := prepare(t.Context(), Source{DSN: "sqlite:x", WPConfig: tt.file, TablePrefix: tt.prefix})
		if err != nil || n.base != tt.want {
			t.Errorf("%+v: %v, %v", tt, n, err)
		}
	}
}
