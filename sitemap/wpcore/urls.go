package wpcore

import (
	"strconv"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

const (
	// CoreIndexFile is the file name of the index of WordPress' own sitemaps.
	IndexFile = "wp-sitemap.xml"
	// CoreUsers is the name of their list of users. Those of a post type or taxonomy are
	// CorePosts or CoreTaxonomies before its name.
	Users      = "users"
	Posts      = "posts-"
	Taxonomies = "taxonomies-"
)

// coreURLs is the address scheme of WordPress' own sitemaps: wp-sitemap.xml, wp-sitemap-posts-page-1.xml.
type URLs struct{}

// Name implements URLs.
func (URLs) Name(k seo.Kind, of string) string {
	switch k {
	case seo.KindUser:
		return Users
	case seo.KindTerm:
		return Taxonomies + of
	}
	return Posts + of
}

// File implements URLs.
func (URLs) File(name string, page int) string {
	if name == seo.IndexName {
		return IndexFile
	}
	return "wp-sitemap-" + name + "-" + strconv.Itoa(page) + ".xml"
}

// URL implements URLs: always directly below home, and a query string on sites without a permalink structure.
func (URLs) URL(b seo.Base, file string) string {
	rest, sitemap := strings.CutPrefix(strings.TrimSuffix(file, ".xml"), "wp-sitemap")
	switch {
	case b.Pretty || !sitemap:
		return b.Home + "/" + file
	case rest == "":
		return b.Home + "/?sitemap=index"
	}
	rest = strings.TrimPrefix(rest, "-")
	last := strings.LastIndexByte(rest, '-')
	provider, subtype, typed := strings.Cut(rest[:max(last, 0)], "-")
	query := "/?sitemap=" + provider
	if typed {
		query += "&sitemap-subtype=" + subtype
	}
	return b.Home + query + "&paged=" + rest[last+1:]
}

// XSL implements URLs.
func (URLs) XSL(b seo.Base, kind urlset.Kind) string {
	switch {
	case !b.Pretty && kind == urlset.Index:
		return b.Folder() + "/?sitemap-stylesheet=index"
	case !b.Pretty:
		return b.Folder() + "/?sitemap-stylesheet=sitemap"
	case kind == urlset.Index:
		return b.Folder() + "/wp-sitemap-index.xsl"
	}
	return b.Folder() + "/wp-sitemap.xsl"
}
