package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
)

// Indexes of a network are as long as the protocol allows, and name no index, no private blog and no URL that cannot be in one.
func TestRenderNetwork(t *testing.T) {
	blog := func(n int, private bool) *Outline {
		o := &Outline{Private: private, Files: []File{{Name: seo.IndexName, URL: "https://a.test/sitemap_index.xml"}}}
		for i := range n {
			o.Files = append(o.Files, File{Name: "post", URL: fmt.Sprintf("https://a.test/post-sitemap%d.xml", i)})
		}
		return o
	}
	bad := &Outline{Files: []File{{Name: "post", URL: "nowhere"}}}
	indexes, refused := RenderNetwork(slices.Values([]*Outline{blog(30_000, false), blog(7, true), bad, blog(20_001, false)}))
	var got []int
	for _, body := range indexes {
		got = append(got, strings.Count(string(body), "<sitemap>"))
		if strings.Contains(string(body), "index.xml") {
			t.Error("an index is named")
		}
	}
	if !slices.Equal(got, []int{50_000, 1}) || refused != 1 {
		t.Errorf("%v, %d refused", got, refused)
	}
}
