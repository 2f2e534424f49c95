package server

import (
	_ "embed"
	"slices"
	"time"
)

// The stylesheets a sitemap can name in its prolog, the same for every site.
var (
	//go:embed assets/wpsitemapd.css
	cssText []byte
	//go:embed assets/sitemap.xsl
	xslText []byte

	//go:embed assets/html.css
	htmlCSSText []byte

	cssCopy = newCopy(cssText, time.Time{}, 0, time.Time{}, nil)
	// for sites whose sitemaps have twins
	twinCSSCopy = newCopy(slices.Concat(cssText, htmlCSSText), time.Time{}, 0, time.Time{}, nil)
	xslCopy     = newCopy(xslText, time.Time{}, 0, time.Time{}, nil)
)

// css is the stylesheet of a blog.
func (a address) css() *pageCopy {
	if a.hasTwins() {
		return twinCSSCopy
	}
	return cssCopy
}
