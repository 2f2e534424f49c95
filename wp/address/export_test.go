package address

import "wpsitemapd/wp"

// DeclaredForTests is what is read from the database in tests.
var DeclaredForTests *wp.Declared
