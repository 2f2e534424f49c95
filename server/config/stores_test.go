package config

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A new store is one package and one line: nothing but the list here knows a package below server/store, and neither status page
// nor metrics name a kind of store.
func TestOnePackageAndOneLine(t *testing.T) {
	const below = "wpsitemapd/server/store/"
	named := regexp.MustCompile(`(?i)\b(redis|valkey|sqlite)\b`)
	lines := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "internal" || path == "../../server/store"):
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			return nil
		}
		shown := strings.HasPrefix(path, "../../server/admin/") || strings.HasPrefix(path, "../../server/metrics/")
		if text, err := os.ReadFile(path); shown && err == nil && named.Match(text) {
			t.Errorf("%s names a kind of store: %s", path, named.Find(text))
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if name, _ := strconv.Unquote(i.Path.Value); strings.HasPrefix(name, below) {
				if lines++; path != "../../server/config/stores.go" {
					t.Errorf("%s imports %s", path, name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if lines != len(backends) {
		t.Errorf("%d packages, %d lines", lines, len(backends))
	}
}
