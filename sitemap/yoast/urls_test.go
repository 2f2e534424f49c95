package yoast

import "testing"

func TestFilename(t *testing.T) {
	for page, want := range map[int]string{1: "post-sitemap.xml", 2: "post-sitemap2.xml", 1000: "post-sitemap1000.xml"} {
		if got := (scheme{}).File("post", page, 0); got != want {
			t.Errorf("page %d: %s, want %s", page, got, want)
		}
	}
}
