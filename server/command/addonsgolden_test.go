package command

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp/wptest"
)

// TestAddOnsGolden asks recorded sites for news and videos, which no add-on has to make: whosever sitemaps, they are valid,
// stand in the index where they hold something, and name only what the other sitemaps name, too. The recordings are not
// part of this repository; make golden-addons runs it where they are.
func TestAddOnsGolden(t *testing.T) {
	eachRecording(t, "golden-addons", func(t *testing.T, g *recording) {
		newest := ""
		for _, files := range readRecorded(t, g).places {
			for file, date := range files {
				if date < g.AsOf && strings.Contains(file, "post-sitemap") {
					newest = max(newest, date)
				}
			}
		}
		text, err := os.ReadFile(g.config)
		wptest.Must(t, err)
		for _, how := range []struct{ sitemaps, level string }{{"auto", "spec"}, {"auto", "plugin"}, {"core", "spec"}, {"yoast", "spec"}} {
			more := fmt.Sprintf("\n[defaults]\nsitemaps = %q\ncompat = %q\nnews.enabled = true\nvideo.enabled = true\n", how.sitemaps, how.level)
			wptest.Must(t, os.WriteFile(g.config, append(bytes.Clone(text), more...), 0o600))
			out := t.TempDir()
			code, stdout, stderr := runCommand(t, "export", "--config", g.config, "--as-of", max(newest, "2020-01-01T00:00:00+00:00"), "--out", out)
			if strings.Contains(stderr, "cannot be written as a file") { // addresses by queries alone
				continue
			}
			if code != done {
				t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
			}
			checkAddOns(t, how.sitemaps+" "+how.level, out)
		}
	})
}

// checkAddOns checks the exported sitemaps of a site.
func checkAddOns(t *testing.T, level, dir string) {
	t.Helper()
	type document struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
		Sitemap []struct {
			Loc string `xml:"loc"`
		} `xml:"sitemap"`
	}
	listed, named := map[string]bool{}, map[string]bool{}
	found := map[string]document{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".xml") {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var doc document
		if err := xml.Unmarshal(body, &doc); err != nil {
			t.Errorf("%s: %s: %v", level, path, err)
			return nil
		}
		for _, s := range doc.Sitemap {
			named[s.Loc[strings.LastIndexByte(s.Loc, '/')+1:]] = true
		}
		file := filepath.Base(path)
		if strings.Contains(file, "news-sitemap") || strings.Contains(file, "video-sitemap") {
			schematest.Validate(t, body)
			found[path] = doc
			return nil
		}
		for _, u := range doc.URL {
			listed[u.Loc] = true
		}
		return nil
	})
	wptest.Must(t, err)
	for path, doc := range found {
		if file := filepath.Base(path); len(doc.URL) > 0 && !named[file] {
			t.Errorf("%s: the index does not name %s", level, file)
		}
		for _, u := range doc.URL {
			if !listed[u.Loc] {
				t.Errorf("%s: only %s names %s", level, path, u.Loc)
			}
		}
		t.Logf("%s: %s: %d", level, filepath.Base(path), len(doc.URL))
	}
}
