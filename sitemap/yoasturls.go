package sitemap

import (
	"strconv"

	"wpsitemapd/sitemap/urlset"
)

// yoastURLs is the address scheme of Yoast SEO: sitemap_index.xml, post-sitemap.xml, post-sitemap2.xml.
type yoastURLs struct{}

// Name implements URLs.
func (yoastURLs) Name(k Kind, of string) string {
	if k == KindUser {
		return "author"
	}
	return of
}

// File implements URLs.
func (yoastURLs) File(name string, page int) string {
	switch {
	case name == IndexName:
		return "sitemap_index.xml"
	case page == 1:
		return name + "-sitemap.xml"
	}
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// URL implements URLs: below home and, with index permalinks, below index.php/.
func (yoastURLs) URL(b Base, file string) string { return b.Front + file }

// XSL implements URLs.
func (yoastURLs) XSL(b Base, _ urlset.Kind) string { return b.folder() + XSLPath }
