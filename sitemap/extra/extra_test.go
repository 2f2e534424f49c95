package extra

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What a file of URLs lists. More about files is in TestExtra of package sitemap.
func TestFileOfURLs(t *testing.T) {
	t.Parallel()
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Unix()
	link := func(loc string, at int64) catalog.FirstLink { return catalog.FirstLink{Loc: loc, LastMod: at} }
	for _, tt := range []struct {
		why, name, text string
		want            []catalog.FirstLink
		wrong           bool
	}{
		{"a text file has a URL on each line", "a.txt", "https://a.test/x/\n\n# a comment\n/y/\r\n",
			[]catalog.FirstLink{link("https://a.test/x/", wp.NoTime), link("https://home.test/y/", wp.NoTime)}, false},
		{"a byte order mark is no part of a URL", "a.txt", "\ufeff/x/\n", []catalog.FirstLink{link("https://home.test/x/", wp.NoTime)}, false},
		{"nor is it part of a quoted cell", "a.csv", "\ufeff\"/x,y/\",2026-03-01\n", []catalog.FirstLink{link("https://home.test/x,y/", march)}, false},
		{"the ending may have capitals", "A.CSV", "/x/,2026-03-01\n", []catalog.FirstLink{link("https://home.test/x/", march)}, false},
		{"the first row may be a header", "a.csv", "loc,lastmod\n/x/,\n", []catalog.FirstLink{link("https://home.test/x/", wp.NoTime)}, false},
		{"a header has two cells", "a.csv", "loc\n/x/\n", nil, true},
		{"a second header is a mistake", "a.csv", "loc,lastmod\nloc,lastmod\n", nil, true},
		{"a date is a W3C Datetime", "a.csv", "/x/,01.03.2026\n", nil, true},
	} {
		name := filepath.Join(t.TempDir(), tt.name)
		wptest.Must(t, os.WriteFile(name, []byte(tt.text), 0o600))
		got, err := read(name, "", "https://home.test")
		expect.Equal(t, err != nil, tt.wrong, tt.why, err)
		expect.Equal(t, reflect.DeepEqual(got, tt.want), true, tt.why, got)
	}
}
