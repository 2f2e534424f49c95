package server

import (
	"os"
	"path/filepath"
	"testing"

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
db_hosts = ["db1.internal"]
`, "c.toml", dir)
	wptest.Must(t, err)
	for i, want := range []struct{ hidden, open bool }{{false, true}, {false, true}, {false, false}} {
		source := site.SourceOf(&c.Sites[i])
		_, hidden := source.Env("DB_A")
		_, open := source.Env("DB_B")
		if hidden != want.hidden || open != want.open {
			t.Errorf("%s may read the variable in use: %v, another: %v", source.Name, hidden, open)
		}
		if found := source.Name == "b"; (source.Within != "") != found || (len(source.Servers) == 1) != found {
			t.Errorf("%s is kept within %q, with the servers %q", source.Name, source.Within, source.Servers)
		}
	}
}
