package sitemap

import (
	"strconv"
	"strings"

	"wpsitemapd/sitemap/urlset"
)

const (
	// CoreIndexFile is the file name of the index of WordPress' own sitemaps.
	CoreIndexFile = "wp-sitemap.xml"
	// CoreUsers is the name of their list of users. Those of a post type or taxonomy are
	// CorePosts or CoreTaxonomies before its name.
	CoreUsers      = "users"
	CorePosts      = "posts-"
	CoreTaxonomies = "taxonomies-"
)

// coreURLs is the address scheme of WordPress' own sitemaps: wp-sitemap.xml, wp-sitemap-posts-page-1.xml.
type coreURLs struct{}

// Name implements URLs.
func (coreURLs) Name(k Kind, of string) string {
	switch k {
	case KindUser:
		return CoreUsers
	case KindTerm:
		return CoreTaxonomies + of
	}
	return CorePosts + of
}

// File implements URLs.
func (coreURLs) File(name string, page int) string {
	if name == IndexName {
		return CoreIndexFile
	}
	return "wp-sitemap-" + name + "-" + strconv.Itoa(page) + ".xml"
}

// URL implements URLs: always directly below home, and a query string on sites without a permalink structure.
func (coreURLs) URL(b Base, file string) string {
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
func (coreURLs) XSL(b Base, kind urlset.Kind) string {
	switch {
	case !b.Pretty && kind == urlset.Index:
		return b.folder() + "/?sitemap-stylesheet=index"
	case !b.Pretty:
		return b.folder() + "/?sitemap-stylesheet=sitemap"
	case kind == urlset.Index:
		return b.folder() + "/wp-sitemap-index.xsl"
	}
	return b.folder() + "/wp-sitemap.xsl"
}
