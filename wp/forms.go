package wp

import (
	"fmt"
	"slices"
	"strings"
)

// placeURLs cuts home from the URLs that the operator has configured for types. It returns an error if such a URL is
// not below home.
func (r *reading) placeURLs() error {
	for i, t := range slices.Concat(r.blog.registry.PostTypes, r.blog.registry.Taxonomies) {
		path, ok := strings.CutPrefix(strings.TrimPrefix(t.URL, r.blog.set.Home), "/")
		if t.URL != "" && !ok {
			table := "post_type"
			if i >= len(r.blog.registry.PostTypes) {
				table = "taxonomy"
			}
			return fmt.Errorf("site %s: [site.%s.%s] url is not below home, %s: write the path alone, or set home",
				r.blog.network.source.Name, table, t.Name, r.blog.set.Home)
		}
		t.URL = path
	}
	return nil
}
