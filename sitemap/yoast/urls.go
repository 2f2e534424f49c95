package yoast

import (
	"strconv"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

// yoastURLs is the address scheme of Yoast SEO: sitemap_index.xml, post-sitemap.xml, post-sitemap2.xml.
type URLs struct{}

// Name implements URLs.
func (URLs) Name(k seo.Kind, of string) string {
	if k == seo.KindUser {
		return "author"
	}
	return of
}

// File implements URLs.
func (URLs) File(name string, page int) string {
	switch {
	case name == seo.IndexName:
		return "sitemap_index.xml"
	case page == 1:
		return name + "-sitemap.xml"
	}
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// URL implements URLs: below home and, with index permalinks, below index.php/.
func (URLs) URL(b seo.Base, file string) string { return b.Front + file }

// XSL implements URLs.
func (URLs) XSL(b seo.Base, _ urlset.Kind) string { return b.Folder() + catalog.XSLPath }
