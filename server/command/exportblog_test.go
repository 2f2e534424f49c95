package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
)

// Of a network one blog can be exported, which is named by its home or its path.
func TestExportOfOneBlog(t *testing.T) {
	config := siteOf(t, fmt.Sprintf("dsn = %q", wptest.Load(t, wptest.MariaDB, "basic", "network")))
	all := t.TempDir()
	if code, _, stderr := runCommand(t, "export", "--config", config, "--out", all); code != done {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	indexes, err := filepath.Glob(filepath.Join(all, "*", "*", "sitemap_index.xml"))
	if err != nil || len(indexes) == 0 {
		t.Fatalf("no blog with a path: %v", err)
	}
	folder, err := filepath.Rel(all, filepath.Dir(indexes[0]))
	if err != nil {
		t.Fatal(err)
	}
	host, path := filepath.Split(folder)
	for _, blog := range []string{"https://" + host + path, "/" + path, "/" + path + "/"} {
		one := t.TempDir()
		code, _, stderr := runCommand(t, "export", "--config", config, "--out", one, "--blog", blog)
		if code != done {
			t.Errorf("%s: exit code %d\n%s", blog, code, stderr)
		}
		err := filepath.WalkDir(one, func(file string, entry os.DirEntry, err error) error {
			if rel, _ := filepath.Rel(one, file); err == nil && !entry.IsDir() && !strings.HasPrefix(rel, folder) {
				t.Errorf("%s: %s is another blog's", blog, rel)
			}
			return err
		})
		if _, missing := os.Stat(filepath.Join(one, folder, "sitemap_index.xml")); err != nil || missing != nil {
			t.Errorf("%s: %v, %v", blog, err, missing)
		}
	}
	for _, blog := range []string{"/nowhere/", "nowhere"} {
		code, _, stderr := runCommand(t, "export", "--config", config, "--out", t.TempDir(), "--blog", blog)
		if code == done || !strings.Contains(stderr, blog) {
			t.Errorf("%s: exit code %d\n%s", blog, code, stderr)
		}
	}
}
