package provision

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
)

// Root writes only where nobody else can make a link. If others can write to a folder or to one above it, the folder is refused.
// So is a record there, because it names commands.
func TestFoldersOfOthersAreRefused(t *testing.T) {
	for _, tt := range []struct {
		rule string
		lay  func(t *testing.T, dir string)
		ok   bool
	}{
		{"a folder of our own", func(*testing.T, string) {}, true},
		{"one that all can write to", func(t *testing.T, dir string) { wptest.Must(t, os.Chmod(dir, 0o777)) }, false},
		{"with the sticky bit, too", func(t *testing.T, dir string) { wptest.Must(t, os.Chmod(dir, 0o777|os.ModeSticky)) }, false},
		{"one that a group can write to", func(t *testing.T, dir string) { wptest.Must(t, os.Chmod(dir, 0o775)) }, false},
		{"one below a folder that all can write to", func(t *testing.T, dir string) { wptest.Must(t, os.Chmod(filepath.Dir(dir), 0o777)) }, false},
		{"one of another user", func(t *testing.T, dir string) { give(t, dir) }, false},
		{"one below a folder of another user", func(t *testing.T, dir string) { give(t, filepath.Dir(dir)) }, false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a/b")
			file := filepath.Join(dir, "file")
			write(t, file, "before")
			tt.lay(t, dir)
			for what, err := range map[string]error{
				"replaceFile": replaceFile(file, "after"), "writeFile": writeFile(filepath.Join(dir, "new"), "", 0o644, keep, keep),
				"a folder in it": writeFile(filepath.Join(dir, "x/new"), "", 0o644, keep, keep),
				"removeFile":     removeFile(file),
			} {
				if (err == nil) != tt.ok {
					t.Errorf("%s: %v", what, err)
				}
			}
			record := filepath.Join(dir, "record")
			wptest.Must(t, os.WriteFile(record, []byte("{}"), 0o600))
			if _, err := readRecord(record); (err == nil) != tt.ok {
				t.Errorf("the record: %v", err)
			}
		})
	}
}

// give gives a folder to another user. Only root can.
func give(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	wptest.Must(t, os.Chown(path, 65534, 65534))
}

// Links that stand in the way are replaced, and their targets stay unchanged.
func TestLinksAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	victim, file := filepath.Join(dir, "victim"), filepath.Join(dir, "file")
	write(t, victim, "mine")
	write(t, file, "before")
	wptest.Must(t, os.Symlink(victim, file+".wpsitemapd-new"))
	wptest.Must(t, replaceFile(file, "after"))
	wptest.Must(t, os.Symlink(victim, filepath.Join(dir, "link")))
	if text(t, victim) != "mine" || text(t, file) != "after" || exists(file+".wpsitemapd-new") {
		t.Errorf("%q %q", text(t, victim), text(t, file))
	}
	if _, err := readOwn(dir); err == nil || !strings.Contains(err.Error(), "not used") {
		t.Errorf("a folder is read: %v", err)
	}
}
