package server

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// What the configuration uses by ${NAME} is no wp-config.php's, of whatever site.
func TestEnvironmentOfTenants(t *testing.T) {
	dir := t.TempDir()
	wptest.Must(t, os.MkdirAll(filepath.Join(dir, "www", "b"), 0o755))
	wptest.Must(t, os.WriteFile(filepath.Join(dir, "www", "b", "wp-config.php"), []byte("<?php"), 0o600))
	t.Setenv("DB_A", "sesame")
	t.Setenv("DB_B", "open")
	c, err := config.Parse(`
[[site]]
name = "a"
wp_config = "a/wp-config.php"
dsn = "u:${DB_A}@tcp(h:1)/d"
[[site]]
name = "c"
wp_config = "c/wp-config.php"
[[discover]]
wp_config = "www/*/wp-config.php"
`, "c.toml", dir)
	wptest.Must(t, err)
	for i, want := range []struct{ hidden, open bool }{{false, true}, {false, true}, {false, false}} {
		source := site.SourceOf(&c.Sites[i])
		_, hidden := source.Env("DB_A")
		_, open := source.Env("DB_B")
		if hidden != want.hidden || open != want.open {
			t.Errorf("%s may read the variable in use: %v, another: %v", source.Name, hidden, open)
		}
		if (source.Within != "") != (source.Name == "b") {
			t.Errorf("%s is kept within %q", source.Name, source.Within)
		}
	}
}

// A wp-config.php that a pattern has found leads to the database servers that the operator allows, by no other name or link.
func TestDatabaseServersOfTenants(t *testing.T) {
	dsn := wptest.ReadOnlyDSN(t, wptest.Load(t, wptest.MariaDB, "basic"))
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	dir := t.TempDir()
	foreign, err := net.Listen("tcp", "127.0.0.1:0") // a server of the tenant's own
	wptest.Must(t, err)
	defer foreign.Close()
	var reached atomic.Bool
	go func() {
		for {
			conn, err := foreign.Accept()
			if err != nil {
				return
			}
			reached.Store(true)
			conn.Close()
		}
	}()
	own, err := os.MkdirTemp("", "tenant") // paths of sockets are short
	wptest.Must(t, err)
	defer os.RemoveAll(own)
	if err := os.Chmod(own, 0o777); err != nil { // as if it were another user's
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(own, "s"))
	wptest.Must(t, err)
	defer socket.Close()
	wptest.Must(t, os.Symlink(cfg.Addr, filepath.Join(own, "link")))
	wptest.Must(t, os.Symlink(filepath.Join(own, "s"), filepath.Join(own, "back")))
	for name, host := range map[string]string{
		"good": "localhost:" + cfg.Addr, "linked": "localhost:" + filepath.Join(own, "link"),
		"host": foreign.Addr().String(), "socket": "localhost:" + filepath.Join(own, "s"), "back": "localhost:" + filepath.Join(own, "back"),
	} {
		folder := filepath.Join(dir, "www", name)
		wptest.Must(t, os.MkdirAll(folder, 0o755))
		wptest.Must(t, os.WriteFile(filepath.Join(folder, "wp-config.php"), fmt.Appendf(nil, "<?php\ndefine('DB_HOST', '%s');\ndefine('DB_NAME', '%s');\n"+
			"define('DB_USER', '%s');\ndefine('DB_PASSWORD', '%s');\ndefine('DB_CHARSET', 'utf8mb4');\n$table_prefix = 'wp_';\n",
			host, cfg.DBName, cfg.User, cfg.Passwd), 0o600))
	}
	c, err := config.Parse(fmt.Sprintf("[[discover]]\nwp_config = \"www/*/wp-config.php\"\ndb_hosts = [\"db.internal\", %q]\n", cfg.Addr), "c.toml", dir)
	wptest.Must(t, err)
	for i := range c.Sites {
		s := &c.Sites[i]
		n, _, err := site.Blogs(t.Context(), s)
		if n != nil {
			n.Close()
		}
		refused := err != nil && strings.Contains(err.Error(), "add to its [[discover]]: db_hosts = [")
		if may := s.Name == "good" || s.Name == "linked"; refused == may || may && err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if len(c.Sites) != 5 || reached.Load() {
		t.Errorf("%d sites; the tenant's own server was reached: %v", len(c.Sites), reached.Load())
	}
}
