package command

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPath(t *testing.T) {
	tests := []struct {
		rule, address string
		hostFolder    bool
		want          string // "": refused
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
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			got, err := pathOf(test.address, test.hostFolder)
			if filepath.ToSlash(got) != test.want || (err != nil) != (test.want == "") {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestWriteFileLeavesTheOldOneOnFailure(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "sitemap.xml")
	if err := os.MkdirAll(filepath.Join(target, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(target, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
