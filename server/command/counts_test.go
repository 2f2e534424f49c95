package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/server/check"
	"wpsitemapd/wp/sample"
)

// check counts what is in the files, later parts of posts among them.
func TestCheckCountsWhatIsInTheFiles(t *testing.T) {
	dir := t.TempDir()
	database := filepath.Join(dir, ".ht.sqlite")
	if err := sample.Create(t.Context(), database, "https://www.example.com"); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "wpsitemapd.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "[[site]]\nname = \"a\"\ndsn = \"sqlite:%s\"\n", database), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runCommand(t, "check", "--config", config, "--json")
	var r check.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != done {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	out := filepath.Join(dir, "out")
	if code, _, stderr := runCommand(t, "export", "--config", config, "--out", out); code != done {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, s := range r.Sites[0].Blogs[0].Sitemaps {
		files, err := filepath.Glob(filepath.Join(out, "*", s.Name+"-sitemap*.xml"))
		if more, _ := filepath.Glob(filepath.Join(out, s.Name+"-sitemap*.xml")); err == nil {
			files = append(files, more...)
		}
		urls := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			urls += strings.Count(string(text), "<url>")
		}
		if urls != s.URLs || urls == 0 {
			t.Errorf("%s: check counts %d, %q have %d", s.Name, s.URLs, files, urls)
		}
	}
}
