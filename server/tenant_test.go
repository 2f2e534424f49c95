package server

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTenantFolder(t *testing.T) {
	for _, tt := range []struct{ pattern, match, want string }{
		{"/var/www/*/htdocs/wp-config.php", "/var/www/a/htdocs/wp-config.php", "/var/www/a"},
		{"/var/www/*/wp-config.php", "/var/www/a/wp-config.php", "/var/www/a"},
		{"/srv/*/sites/s?[0-9]/web/wp-config.php", "/srv/x/sites/s12/web/wp-config.php", "/srv/x/sites/s12"},
		{"/srv/one/web/wp-config*.php", "/srv/one/web/wp-config.php", "/srv/one/web"},
		{"/srv/**/wp-config.php", "/srv/x/wp-config.php", "/srv/x"},
		{"/srv/**/wp-config.php", "/srv/x/y/z/wp-config.php", "/srv/x/y/z"},
		{"/srv/**/web/wp-config.php", "/srv/x/web/wp-config.php", "/srv/x/web"},
	} {
		if got := tenantFolder(tt.pattern, tt.match); got != tt.want {
			t.Errorf("%s, found by %s: %s, want %s", tt.match, tt.pattern, got, tt.want)
		}
	}
}

// What the configuration uses by ${NAME} is no wp-config.php's, of whatever site.
func TestEnvironmentOfTenants(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "www", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "www", "b", "wp-config.php"), []byte("<?php"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DB_A", "sesame")
	t.Setenv("DB_B", "open")
	c, err := ParseConfig(`
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
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ hidden, open bool }{{false, true}, {false, true}, {false, false}} {
		source := c.Sites[i].Source()
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
