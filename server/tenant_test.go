package server

import (
	"os"
	"path/filepath"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
)

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
	if err != nil {
		t.Fatal(err)
	}
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
