package address_test

import (
	"wpsitemapd/sitemap"
	"wpsitemapd/wp/address"
)

// The tests of package address read what the program reads.
func init() { address.DeclaredForTests = sitemap.Declared }
