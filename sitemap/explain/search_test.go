package explain

import (
	"testing"

	"wpsitemapd/sitemap/catalog"
)

// What is found in a file has the date of its entry, and says which that is; an entry without a date says nothing.
func TestIsIn(t *testing.T) {
	for date, from := range map[string]string{"": "", "2026-01-02": "the entry https://a.test/x"} {
		var x Explanation
		x.IsIn(catalog.File{Name: "post", Page: 2}, Found{Loc: "https://a.test/x", LastMod: date})
		if !x.In || x.Page != 2 || x.LastMod != date || x.LastModFrom != from {
			t.Errorf("%q: %+v", date, x)
		}
	}
}
