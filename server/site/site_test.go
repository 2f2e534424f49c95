package site

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A site whose turn has not come may be anybody's for as long as one whose server does not answer.
func TestHopeful(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	refused := &Snapshot{Since: began, Err: syscall.ECONNREFUSED}
	for name, tt := range map[string]struct {
		known *Snapshot
		after time.Duration
		want  bool
	}{
		"not tried":          {&Snapshot{}, FirstTimeout, true},
		"not tried for long": {&Snapshot{}, 10 * time.Minute, false},
		"no answer":          {refused, 9 * time.Minute, true},
		"none for long":      {refused, 10 * time.Minute, false},
		"it answers":         {&Snapshot{Since: began, Err: errors.New("access denied")}, 0, false},
		"no file":            {&Snapshot{Since: began, Err: &fs.PathError{Err: syscall.ENOENT}}, 0, false},
	} {
		s := New(config.Site{Confirm: 10 * time.Minute}, slog.New(slog.DiscardHandler))
		s.Began = began
		s.Publish(tt.known)
		expect.Equal(t, s.Hopeful(began.Add(tt.after)), tt.want, name)
	}
}

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
		source := SourceOf(&c.Sites[i])
		_, hidden := source.Env("DB_A")
		_, open := source.Env("DB_B")
		expect.Equal(t, hidden, want.hidden, source.Name)
		expect.Equal(t, open, want.open, source.Name)
		if found := source.Name == "b"; (source.Within != "") != found || (len(source.Servers) == 1) != found {
			t.Errorf("%s is kept within %q, with the servers %q", source.Name, source.Within, source.Servers)
		}
	}
}
