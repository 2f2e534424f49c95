package wp_test

import (
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
)

// The tests of package wp read what the program reads.
func init() { wp.DeclareForTests(sitemap.Declared) }
