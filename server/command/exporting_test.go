package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A file is left out only if it is known to be older. A sitemap without a date is not, and neither is one with the date
// 0000-00-00, which level plugin uses for the index.
func TestOlder(t *testing.T) {
	at := func(year int) time.Time { return time.Date(year, 11, 30, 0, 0, 0, 0, time.UTC) }
	for _, test := range []struct {
		date, since time.Time
		want        bool
	}{{at(2024), at(2025), true}, {at(2025), at(2024), false}, {at(-1), at(2025), false}, {at(-1), time.Time{}, false}, {time.Time{}, at(2025), false}} {
		expect.Equal(t, older(catalog.File{LastMod: test.date}, test.since), test.want, test.date, test.since)
	}
}

func TestPath(t *testing.T) {
	for _, test := range []struct {
		rule, address string
		hostFolder    bool
		want          string // "": the command must refuse it
	}{
		{"the path", "https://a.example/post-sitemap2.xml", false, "post-sitemap2.xml"},
		{"below home", "https://a.example/blog/index.php/post-sitemap.xml", false, "blog/index.php/post-sitemap.xml"},
		{"with the host", "https://A.example/blog/post-sitemap.xml", true, "a.example/blog/post-sitemap.xml"},
		{"a port", "http://a.example:8080/post-sitemap.xml", true, "a.example_8080/post-sitemap.xml"},
		{"decoded", "https://a.example/caf%C3%A9-sitemap.xml", false, "café-sitemap.xml"},
		{"never above the folder", "https://a.example/../../etc/x-sitemap.xml", false, ""},
		{"never above the folder, encoded", "https://a.example/%2e%2e/x-sitemap.xml", false, ""},
		{"never above the folder, by the host", "https://../x", true, ""},
		{"the folder itself", "https://a.example/", false, ""},
		{"a folder", "https://a.example/blog/", false, ""},
		{"a query", "https://a.example/blog/?sitemap=users&paged=1", false, ""},
		{"a query behind a file", "https://a.example/index.php?sitemap=post", true, ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got, err := pathOf(test.address, test.hostFolder)
			expect.Equal(t, filepath.ToSlash(got), test.want, got, err)
			expect.Equal(t, err != nil, test.want == "", got, err)
		})
	}
}

func TestReplaceLeavesTheOldFileOnFailure(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "sitemap.xml")
	wptest.Must(t, os.MkdirAll(filepath.Join(target, "in the way"), 0o755))
	temp, err := writeTemp(target, []byte("x"))
	wptest.Must(t, err)
	if err := replace(target, temp); err == nil {
		t.Error("a folder was replaced")
	}
	entries, err := os.ReadDir(dir)
	expect.Equal(t, err, nil, "left behind", entries)
	expect.Equal(t, len(entries), 1, "left behind", entries)
}

// If the plain file cannot be replaced, the old compressed file stays, so that the two agree.
func TestStoreKeepsPairs(t *testing.T) {
	target := filepath.Join(t.TempDir(), "sitemap.xml")
	wptest.Must(t, os.MkdirAll(filepath.Join(target, "in the way"), 0o755))
	wptest.Must(t, os.WriteFile(target+".gz", []byte("old"), 0o644))
	d := draft{path: target}
	var err error
	d.plain, err = writeTemp(target, []byte("new"))
	wptest.Must(t, err)
	d.zipped, err = writeTemp(target+".gz", []byte("new"))
	wptest.Must(t, err)
	if err := new(exporter).store(d); err == nil {
		t.Error("a folder was replaced")
	}
	zipped, err := os.ReadFile(target + ".gz")
	expect.Equal(t, string(zipped), "old", err)
	entries, err := os.ReadDir(filepath.Dir(target))
	expect.Equal(t, len(entries), 2, "left behind", entries, err)
}

// One blog of a network can be exported. Its home or its path names it.
func TestExportOfOneBlog(t *testing.T) {
	config := siteOf(t, fmt.Sprintf("dsn = %q", wptest.Load(t, wptest.SQLite, "basic", "network")))
	all := t.TempDir()
	printed(t, "export", "--config", config, "--out", all)
	indexes, err := filepath.Glob(filepath.Join(all, "*", "*", "sitemap_index.xml"))
	if err != nil || len(indexes) == 0 {
		t.Fatalf("no blog with a path: %v", err)
	}
	folder, err := filepath.Rel(all, filepath.Dir(indexes[0]))
	wptest.Must(t, err)
	host, path := filepath.Split(folder)
	for _, blog := range []string{"https://" + host + path, "/" + path, "/" + path + "/"} {
		one := t.TempDir()
		printed(t, "export", "--config", config, "--out", one, "--blog", blog)
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

// An unchanged sitemap keeps its file. So tools that copy files see what changed, including a blog that lost a post.
func TestExportLeavesEqualFilesAlone(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	config, out := siteOf(t, fmt.Sprintf("dsn = %q", dsn)), t.TempDir()
	printed(t, "export", "--config", config, "--out", out)
	long := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	files, err := filepath.Glob(filepath.Join(out, "*", "*", "*.xml*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		wptest.Must(t, os.Chtimes(file, long, long))
	}
	wptest.Exec(t, dsn, "DELETE FROM wp_2_posts WHERE post_name = 'cod'")
	expect.Contains(t, printed(t, "export", "--config", config, "--out", out), " as before)", "printed")
	for _, file := range files {
		info, err := os.Stat(file)
		wptest.Must(t, err)
		written, posts := !info.ModTime().Equal(long), strings.Contains(file, "fish/post-sitemap.xml")
		if posts && !written || written && (!strings.Contains(file, "fish") || strings.Contains(file, "page-sitemap")) {
			t.Errorf("%s: written anew is %v", file, written)
		}
	}
}

// With --changed-since, only the sitemaps that have changed since then are written, and every index.
func TestExportChangedSince(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_modified_gmt = '2030-01-02 03:04:05' WHERE post_type = 'page' AND post_status = 'publish'")
	config := siteOf(t, fmt.Sprintf("dsn = %q", dsn))
	for since, posts := range map[string]bool{"2000-01-01T00:00:00Z": true, "2030-01-02T04:04:05+01:00": false} {
		out := t.TempDir()
		printed(t, "export", "--config", config, "--out", out, "--changed-since", since, "--as-of", "2031-01-01T00:00:00Z")
		for file, want := range map[string]bool{"sitemap_index.xml": true, "page-sitemap.xml": true, "post-sitemap.xml": posts} {
			if _, err := os.Stat(filepath.Join(out, file)); (err == nil) != want {
				t.Errorf("since %s, %s: %v", since, file, err)
			}
		}
	}
	if code, _, _ := runCommand(t, "export", "--config", config, "--out", t.TempDir(), "--changed-since", "yesterday"); code != misuse {
		t.Errorf("exit code %d for no time", code)
	}
}
