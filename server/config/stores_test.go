package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A new kind of store is one package and one line. Only the list here knows the packages below server/store. The status
// page and the metrics do not name kinds of stores.
func TestOnePackageAndOneLine(t *testing.T) {
	imported, named := regexp.MustCompile(`"wpsitemapd/server/store/`), regexp.MustCompile(`(?i)\b(redis|valkey|sqlite)\b`)
	wptest.Must(t, filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		shown := strings.HasPrefix(path, "../../server/admin/") || strings.HasPrefix(path, "../../server/metrics/")
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "internal" || path == "../../server/store"):
			return fs.SkipDir
		case e.IsDir(), strings.HasSuffix(path, "_test.go"), !shown && !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		want := 0
		if path == "../../server/config/stores.go" {
			want = len(backends)
		}
		expect.Equal(t, len(imported.FindAll(text, -1)), want, path, "imports", "packages of stores")
		if shown && named.Match(text) {
			t.Errorf("%s names a kind of store: %s", path, named.Find(text))
		}
		return err
	}))
}
