package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp/wptest"
)

// tree creates files. A name with an arrow creates a symbolic link.
func tree(t *testing.T, files ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, file := range files {
		file, target, link := strings.Cut(file, " -> ")
		path := filepath.Join(root, file)
		wptest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		err := error(nil)
		if link {
			err = os.Symlink(filepath.Join(root, target), path)
		} else {
			err = os.WriteFile(path, nil, 0o600)
		}
		wptest.Must(t, err)
	}
	return root
}

// TestSearch checks what a pattern finds, the name of each install, and the folder that nothing outside of may be read from.
func TestSearch(t *testing.T) {
	root := tree(t, "a/htdocs/wp-config.php", "b/sites/s12/web/wp-config.php", "b/sites/x/web/wp-config.php", "old/c/wp-config.php",
		"a/htdocs/wp-content/x/wp-config.php", "a/.git/wp-config.php", "outside/wp-config.php", "b/link -> outside",
		"1/2/3/4/5/6/7/8/wp-config.php", "1/2/3/4/5/6/7/8/9/wp-config.php")
	for _, tt := range []struct {
		pattern, skip string
		want          []string // file, name, folder
	}{
		{"*/htdocs/wp-config.php", "", []string{"a/htdocs/wp-config.php a a"}},
		{"*/sites/s?[0-9]/web/wp-config.php", "", []string{"b/sites/s12/web/wp-config.php b-s12 b/sites/s12"}},
		{"a/htdocs/wp-config*.php", "", []string{"a/htdocs/wp-config.php htdocs a/htdocs"}},
		{"b/*/wp-config.php", "", []string{"b/link/wp-config.php link b/link"}},
		{"b/**/wp-config.php", "", []string{
			"b/sites/s12/web/wp-config.php sites-s12-web b/sites/s12/web", "b/sites/x/web/wp-config.php sites-x-web b/sites/x/web",
		}},
		{"b/**/web/wp-config.php", "s12", []string{"b/sites/x/web/wp-config.php sites-x b/sites/x/web"}},
		{"**/htdocs/wp-config.php", "", []string{"a/htdocs/wp-config.php a a/htdocs"}},
		{"a/**/wp-config.php", "", []string{"a/htdocs/wp-config.php htdocs a/htdocs"}},
		{"**/c/wp-config.php", "old/*", nil},
		{"**/c/wp-config.php", "ROOT/o*", nil},
		{"**/c/wp-config.php", "ROOT/**/c", nil},
		{"**/c/wp-config.php", "o", []string{"old/c/wp-config.php old old/c"}},
		{"1/**/wp-config.php", "", []string{"1/2/3/4/5/6/7/8/wp-config.php 2-3-4-5-6-7-8 1/2/3/4/5/6/7/8", "1/2/3/4/5/6/7/8/9/wp-config.php " +
			"2-3-4-5-6-7-8-9 1/2/3/4/5/6/7/8/9"}},
		{"**/8/9/wp-config.php", "", []string{"1/2/3/4/5/6/7/8/9/wp-config.php 1-2-3-4-5-6-7 1/2/3/4/5/6/7/8/9"}},
		{"**/9/wp-config.php", "", []string{"1/2/3/4/5/6/7/8/9/wp-config.php 1-2-3-4-5-6-7-8 1/2/3/4/5/6/7/8/9"}},
		{"**/wp-config.php", "ROOT/?*", nil},
	} {
		t.Run(tt.pattern+" without "+tt.skip, func(t *testing.T) {
			s := &Search{Patterns: []string{filepath.Join(root, tt.pattern)}}
			if tt.skip != "" {
				s.Skip = []string{strings.Replace(tt.skip, "ROOT", root, 1)}
			}
			found := s.Find()
			var got []string
			for _, f := range found.Found {
				got = append(got, strings.ReplaceAll(fmt.Sprintf("%s %s %s", f.File, f.Name, f.Within), root+"/", ""))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || found.Stopped != "" || (len(got) == 0) != (len(found.Unmatched) == 1) {
				t.Errorf("%s\n%+v", diff, found)
			}
		})
	}
}

// The people of a folder may put a pipe in the place of a folder that a pattern names.
func TestSearchOpensNoPipe(t *testing.T) {
	root := t.TempDir()
	wptest.Must(t, os.MkdirAll(filepath.Join(root, "victim/htdocs/shop"), 0o755))
	wptest.Must(t, os.WriteFile(filepath.Join(root, "victim/htdocs/shop/wp-config.php"), nil, 0o644))
	wptest.Must(t, os.Mkdir(filepath.Join(root, "mallory"), 0o755))
	wptest.Must(t, syscall.Mkfifo(filepath.Join(root, "mallory/htdocs"), 0o644))
	if found := (&Search{Patterns: []string{root + "/*/htdocs/*/wp-config.php"}}).Find().Found; len(found) != 1 {
		t.Error(found)
	}
}

// A search ends at its bounds and reports that.
func TestSearchIsBounded(t *testing.T) {
	var files []string
	for i := range 20 {
		files = append(files, fmt.Sprintf("%02d/wp-config.php", i))
	}
	root := tree(t, files...)
	wide := bounds{100, 100, 100}
	for _, tt := range []struct {
		pattern string
		most    bounds
		want    string
	}{
		{"*/wp-config.php", bounds{100, 100, 10}, "10 installs were found"},
		{"**/other.php", bounds{10, 100, 100}, "11 folders with 30 names were read"},
		{"**/other.php", bounds{100, 25, 100}, "7 folders with 26 names were read"},
		{"*/wp-config.php", wide, ""},
		{"**/wp-config.php", wide, ""},
	} {
		found := (&Search{Patterns: []string{filepath.Join(root, tt.pattern)}}).find(tt.most)
		if tt.want != "" && !strings.HasSuffix(found.Stopped, tt.pattern+" stopped early: "+tt.want) || tt.want == "" && found.Stopped != "" ||
			len(found.Found) > tt.most.installs || tt.want == "" && len(found.Found) != 20 {
			t.Errorf("%+v", found)
		}
	}
}
