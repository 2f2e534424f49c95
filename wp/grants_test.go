package wp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// account creates an account without rights, and returns its name and its DSN for the database of dsn.
func account(t *testing.T, dsn, password string) (name, own string) {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	name = cfg.DBName + "_x"
	wptest.Exec(t, dsn, "CREATE USER '"+name+"'@'localhost' IDENTIFIED BY '"+password+"'")
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER IF EXISTS '"+name+"'@'localhost'") })
	cfg.User, cfg.Passwd = name, password
	return name, cfg.FormatDSN()
}

// configOf writes a wp-config.php with the account of a DSN, and more lines.
func configOf(t *testing.T, dsn, host string, lines ...string) string {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	path := filepath.Join(t.TempDir(), "wp-config.php")
	text := fmt.Sprintf("<?php define('DB_USER', '%s'); define('DB_PASSWORD', '%s'); define('DB_NAME', '%s'); define('DB_HOST', '%s'); %s",
		cfg.User, cfg.Passwd, cfg.DBName, host, strings.Join(lines, " "))
	wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// What an account needs depends on which account can look which tables there are.
func TestReadGrants(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	at := "localhost:" + cfg.Addr
	name, reader := account(t, dsn, "right")
	wptest.Exec(t, dsn, "GRANT SELECT ON `"+cfg.DBName+"`.wp_posts TO '"+name+"'@'localhost'",
		"GRANT SELECT (ID) ON `"+cfg.DBName+"`.wp_users TO '"+name+"'@'localhost'")
	wrong := strings.Replace(reader, "right", "wrong", 1)
	const network, prefix = "define('MULTISITE', true);", "$table_prefix = 'wp_';"
	for _, tt := range []struct {
		rule            string
		src             Source
		account, lister string
		refused         bool
		tables, unseen  string // some of them, in the order of the names
	}{
		{
			"the account sees all tables of the network", Source{DSN: dsn}, "root@localhost", "root@localhost", false,
			"wp_2_options wp_2_posts wp_2_yoast_indexable wp_blogs wp_options wp_posts wp_users wp_yoast_indexable", "",
		},
		{
			"the account sees only its own table", Source{DSN: reader}, name + "@localhost", name + "@localhost", false,
			"wp_options wp_posts wp_users", "wp_blogs wp_yoast_indexable",
		},
		{
			"the account of wp-config.php sees all tables of the network",
			Source{DSN: reader, WPConfig: configOf(t, dsn, at, network, prefix)}, name + "@localhost", "root@localhost", false,
			"wp_2_options wp_2_posts wp_2_yoast_indexable wp_blogs wp_options wp_posts wp_users wp_yoast_indexable", "",
		},
		{
			"the users are in other tables", Source{DSN: reader, WPConfig: configOf(t, dsn, at, "define('CUSTOM_USER_TABLE', 'wp_terms');", prefix)},
			name + "@localhost", "root@localhost", false, "wp_blogs wp_options wp_posts wp_terms wp_yoast_indexable", "",
		},
		{
			"the server refuses the account, which tables there are says wp-config.php",
			Source{DSN: wrong, WPConfig: configOf(t, dsn, at, prefix)}, name + "@localhost", "root@localhost", true,
			"wp_blogs wp_options wp_posts wp_users wp_yoast_indexable", "",
		},
		{
			"the server refuses the only account", Source{DSN: wrong}, name + "@localhost", "", true,
			"wp_options wp_posts wp_users", "wp_blogs wp_yoast_indexable",
		},
		{
			"without dsn, no table that the account of wp-config.php may not read",
			Source{WPConfig: configOf(t, reader, at, prefix)}, name + "@localhost", name + "@localhost", false, "wp_posts", "",
		},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			g, err := ReadGrants(t.Context(), tt.src)
			wptest.Must(t, err)
			expect.Equal(t, g.Schema, cfg.DBName)
			expect.Equal(t, g.Account, tt.account)
			expect.Equal(t, g.Lister, tt.lister)
			expect.Equal(t, g.Refused != nil, tt.refused, g.Refused)
			expect.Equal(t, g.Password != "", tt.refused)
			wanted := strings.Fields("wp_2_options wp_2_posts wp_2_users wp_2_yoast_indexable wp_blogs wp_options wp_posts wp_users wp_yoast_indexable")
			if strings.Contains(tt.tables, "wp_terms") {
				wanted = append(wanted, "wp_terms")
			}
			named := func(all []Grant) string {
				var names []string
				for _, r := range all {
					if slices.Contains(wanted, r.Table) {
						names = append(names, r.Table)
					}
				}
				slices.Sort(names)
				return strings.Join(slices.Compact(names), " ")
			}
			if named(g.Tables) != tt.tables || named(g.Unseen) != tt.unseen {
				t.Errorf("tables %q, unseen %q", named(g.Tables), named(g.Unseen))
			}
		})
	}
	g, err := ReadGrants(t.Context(), Source{DSN: reader})
	wptest.Must(t, err)
	statements := g.Statements("a@localhost")
	for _, want := range []string{"GRANT SELECT ON `" + cfg.DBName + "`.`wp_posts` TO 'a'@'localhost'", "GRANT SELECT (ID, user_nicename, "} {
		if !slices.ContainsFunc(statements, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("no %s in %q", want, statements)
		}
	}
	other, err := mysql.ParseDSN(g.DSN("b", "c"))
	wptest.Must(t, err)
	expect.Equal(t, g.Server(), "unix("+cfg.Addr+")")
	expect.Equal(t, fmt.Sprint(other.User, other.Passwd, other.Net, other.Addr, other.DBName), fmt.Sprint("b", "c", cfg.Net, cfg.Addr, cfg.DBName))
	watch, err := ReadWatchGrants(t.Context(), wrong, nil)
	wptest.Must(t, err)
	if watch.Account != name+"@localhost" || watch.Refused == nil || watch.Tables != nil {
		t.Errorf("[watch]: %+v", watch)
	}
}

// Who cannot be asked is no account that needs rights.
func TestReadGrantsOfNoServer(t *testing.T) {
	g, err := ReadGrants(t.Context(), Source{DSN: wptest.Load(t, wptest.SQLite, "basic")})
	wptest.Must(t, err)
	if g.Schema != "" || g.Tables != nil {
		t.Errorf("SQLite: %+v", g)
	}
	for rule, src := range map[string]Source{
		"no source": {}, "no server": {Name: "shop", DSN: "u:hunter2@tcp(127.0.0.1:1)/d"}, "no DSN": {DSN: "hunter2"},
	} {
		if g, err := ReadGrants(t.Context(), src); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %+v, %v", rule, g, err)
		}
	}
}

// The administrator creates and drops accounts. The password of a wp-config.php is tried at the administrator's server only.
func TestAdministrator(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	a, err := OpenAdministrator(t.Context(), cfg.Addr)
	wptest.Must(t, err)
	defer a.Close()
	has := func(account string) bool {
		t.Helper()
		is, err := a.HasAccount(t.Context(), account)
		wptest.Must(t, err)
		return is
	}
	name := cfg.DBName + "_y"
	if has(name + "@localhost") {
		t.Error("an account exists before it is created")
	}
	wptest.Must(t, a.Run(t.Context(), []string{"CREATE USER '" + name + "'@localhost"}))
	if !has(name+"@localhost") || has(name+"@%") || has(cfg.DBName+"_z@localhost") {
		t.Error("an account that was created does not exist, or another one does")
	}
	for range 2 {
		wptest.Must(t, a.DropAccount(t.Context(), name+"@localhost"))
		expect.Equal(t, has(name+"@localhost"), false, "exists after it was dropped")
	}
	if err := a.Run(t.Context(), []string{"no statement", "CREATE USER '" + name + "'@localhost"}); err == nil || has(name+"@localhost") {
		t.Errorf("a statement that fails: %v", err)
	}
	if _, err := OpenAdministrator(t.Context(), filepath.Join(t.TempDir(), "none.sock")); err == nil {
		t.Error("there is no server at the socket")
	}

	reader, right := account(t, dsn, "right")
	wptest.Exec(t, dsn, "GRANT SELECT ON `"+cfg.DBName+"`.wp_posts TO '"+reader+"'@'localhost'")
	db, _ := wptest.DB(t, dsn)
	var port int
	wptest.Must(t, db.QueryRow(sqlPort).Scan(&port))
	link := filepath.Join(t.TempDir(), "link.sock")
	wptest.Must(t, os.Symlink(cfg.Addr, link))
	for _, tt := range []struct {
		rule, network, addr string
		is                  bool
	}{
		{"its socket", "unix", cfg.Addr, true},
		{"another name of its socket, which others may change", "unix", link, false},
		{"its port", "tcp", fmt.Sprintf("127.0.0.1:%d", port), true},
		{"its port by name", "tcp", fmt.Sprintf("localhost:%d", port), true},
		{"its port by IPv6", "tcp", fmt.Sprintf("[::1]:%d", port), true},
		{"another port", "tcp", fmt.Sprintf("127.0.0.1:%d", port+1), false},
		{"another host", "tcp", fmt.Sprintf("10.0.0.7:%d", port), false},
		{"another host by name", "tcp", fmt.Sprintf("db.test:%d", port), false},
	} {
		expect.Equal(t, a.confirm(t.Context(), tt.network, tt.addr) == nil, tt.is, tt.rule)
	}
	for _, tt := range []struct{ rule, dsn, host, says string }{
		{"the right password", right, "localhost:" + cfg.Addr, ""},
		{"another password", strings.Replace(right, "right", "wrong", 1), "localhost:" + cfg.Addr, "the server does not let"},
		{"another server", right, "10.0.0.7", "but root can log in only at"},
	} {
		err := a.Knows(t.Context(), Source{WPConfig: configOf(t, tt.dsn, tt.host)})
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.rule, err)
		}
	}
}
