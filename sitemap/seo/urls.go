package seo

import (
	"strings"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/permalink"
)

// IndexName is the name of the index in requests and in Render.
const IndexName = "1"

// IndexFiles are the usual file names of an index.
var IndexFiles = []string{"sitemap_index.xml", "sitemap.xml", "sitemaps.xml", "wp-sitemap.xml"}

// URLs is a plugin's address scheme. It needs no database, so it also works for sites that are known
// only from stored notes.
type URLs interface {
	// Name returns the name of the sitemap of a post type (KindPost), a taxonomy (KindTerm) or the users (KindUser).
	Name(k ObjectKind, of string) string
	// File returns the file name of a page of a sitemap; the index has the name IndexName. pages is the sitemap's number of
	// pages, 0 if unknown.
	File(name string, page, pages int) string
	// URL returns the public address of a file.
	URL(b Base, file string) string
	// Parse returns the plugin's resource that a request names.
	Parse(Request) Resource
	// Named returns the scheme of a blog by the name of its index file, which settings may change.
	Named(index string) URLs
	// Renumber handles a page number that the request spells differently from links. It returns the
	// location to redirect to; leads reports whether to redirect. objects is the number of objects in
	// the sitemap, size the number on a page.
	Renumber(asked Resource, objects, size int) (location string, leads bool)
	// XSL returns the address of the stylesheet for a kind of document, relative to the host.
	XSL(b Base, kind urlset.DocumentKind) string
}

// Base is the common beginning of the addresses of a blog's sitemaps.
type Base struct {
	Home   string // public address, without trailing slash
	Front  string // precedes file names: home/, or home/index.php/ with index permalinks
	Pretty bool   // the blog has a permalink structure
}

func BaseOf(blog *wp.Blog) Base {
	links := permalink.New(blog.Settings().Permalinks)
	return Base{Home: blog.Home(), Front: strings.TrimSuffix(links.Sitemap("x"), "x"), Pretty: links.Pretty()}
}

// Folder returns the path of home, without trailing slash.
func (b Base) Folder() string {
	if _, rest, ok := strings.Cut(b.Home, "://"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return rest[i:]
		}
	}
	return ""
}
