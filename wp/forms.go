package wp

import (
	"fmt"
	"slices"
	"strings"
)

// placeURLs cuts home from the URL forms of all types. It returns an error if a form is not below home.
func (s *Blog) placeURLs() error {
	for i, t := range slices.Concat(s.registry.PostTypes, s.registry.Taxonomies) {
		path, ok := strings.CutPrefix(strings.TrimPrefix(t.URL, s.set.Home), "/")
		if t.URL != "" && !ok {
			table := "post_type"
			if i >= len(s.registry.PostTypes) {
				table = "taxonomy"
			}
			return fmt.Errorf("site %s: [site.%s.%s] url is not below home, %s: write the path alone, or set home",
				s.network.source.Name, table, t.Name, s.set.Home)
		}
		t.URL = path
	}
	return nil
}
