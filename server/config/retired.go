package config

import "strings"

// retired has the keys that an earlier version knew, and what to write instead. A key of a site is named without the table
// of the site: it was known in [[site]], [defaults] and [[discover]].
var retired = map[string]string{
	"brotli":        "sitemaps are sent in gzip, so take the line out; a front server may compress anew",
	"changes":       "tables are polled every second, so take the line out",
	"collapse_wait": "a loss must last ten minutes, so take the line out",
	"indexnow.rate": "a thousand URLs a minute are announced, so take the line out",
	"warm":          "every page is rendered once in the background, so take the line out",
}

// Retired says what to write instead of a key that an earlier version knew, "" where none did. path is the key with the
// tables around it.
func Retired(path string) string {
	for {
		if instead := retired[path]; instead != "" {
			return instead
		}
		_, rest, found := strings.Cut(path, ".")
		if !found {
			return ""
		}
		path = rest
	}
}
