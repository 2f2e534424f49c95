package server

import (
	_ "embed"
	"slices"

	"wpsitemapd/server/route"

	"wpsitemapd/server/pages"
)

// The stylesheets a sitemap can name in its prolog, the same for every site.
var (
	//go:embed assets/wpsitemapd.css
	cssText []byte
	//go:embed assets/sitemap.xsl
	xslText []byte

	//go:embed assets/html.css
	htmlCSSText []byte

	cssCopy = pages.NewPage(cssText)
	// for sites whose sitemaps have twins
	twinCSSCopy = pages.NewPage(slices.Concat(cssText, htmlCSSText))
	xslCopy     = pages.NewPage(xslText)
)

// cssOf is the stylesheet of a blog.
func cssOf(a route.Scheme) *pages.Page {
	if a.HasHTML() {
		return twinCSSCopy
	}
	return cssCopy
}
