package wpcore

import (
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp"
)

// Pages hold 2,000 posts beside home.
func TestPages(t *testing.T) {
	home := []catalog.FirstLink{{Loc: "H", LastMod: wp.NoTime}}
	for _, tt := range []struct {
		first         []catalog.FirstLink
		entries, want int
	}{{nil, 2000, 1}, {nil, 2001, 2}, {nil, 0, 0}, {home, 0, 1}, {home, 2000, 1}} {
		l := &catalog.List{First: tt.first, Entries: make([]catalog.Entry, tt.entries), Size: PageSize(nil, 0)}
		if got := pages(l); got != tt.want {
			t.Errorf("%d first links, %d entries: %d pages, want %d", len(tt.first), tt.entries, got, tt.want)
		}
	}
}
