package rankmath

import (
	"testing"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest/expect"
)

// The query for the authors of the index is valid SQL only if ids stand between commas and roles have keys from 0.
func TestIndexesAuthors(t *testing.T) {
	const (
		comma, space = `s:13:"exclude_users";s:4:"1, 2";`, `s:13:"exclude_users";s:3:"1 2";`
		array        = `s:13:"exclude_users";a:1:{i:0;i:1;}`
		anyone       = `s:29:"include_authors_without_posts";s:2:"on";`
		fromZero     = `s:13:"exclude_roles";a:1:{i:0;s:6:"editor";}`
		fromOne      = `s:13:"exclude_roles";a:1:{i:1;s:6:"editor";}`
		text         = `s:13:"exclude_roles";s:6:"editor";`
	)
	for stored, want := range map[string]bool{
		"a:0:{}": true, "a:1:{" + comma + "}": true, "a:1:{" + space + "}": false, "a:1:{" + array + "}": false,
		"a:2:{" + space + anyone + "}": true, // the ids are then not in the query
		"a:1:{" + fromZero + "}":       true, "a:1:{" + fromOne + "}": false, "a:1:{" + text + "}": false,
	} {
		v, err := php.MaybeUnserialize(stored)
		o := &options{sitemap: v}
		expect.Equal(t, err == nil && o.indexesAuthors(), want, stored)
	}
}
