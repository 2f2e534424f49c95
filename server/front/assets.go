package front

import (
	_ "embed"
	"net/http"
	"slices"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/route"
)

// The stylesheets that a sitemap can name in its prolog. The XSL is the same for every site. The CSS is longer for sites whose
// sitemaps have HTML views.
var (
	//go:embed assets/wpsitemapd.css
	cssText []byte
	//go:embed assets/sitemap.xsl
	xslText []byte

	//go:embed assets/html.css
	htmlCSSText []byte

	cssPage = pages.NewPage(cssText)
	// htmlCSSPage is for sites whose sitemaps have HTML views.
	htmlCSSPage = pages.NewPage(slices.Concat(cssText, htmlCSSText))
	xslPage     = pages.NewPage(xslText)
)

func serveCSS(w http.ResponseWriter, r *http.Request, to *route.Target) {
	page := cssPage
	if to.Scheme().HasHTML() {
		page = htmlCSSPage
	}
	header := http.Header{}
	header.Set("Content-Type", "text/css; charset=utf-8")
	header.Set("X-Robots-Tag", noindex)
	header.Set("Cache-Control", "max-age=86400") // its address contains no version
	sendPage(w, r, page, header)
}

func serveXSL(w http.ResponseWriter, r *http.Request, to *route.Target) {
	header := http.Header{}
	setXMLType(header, to.Blog)
	if cache := to.Blog.Address.Plugin.StylesheetCache; cache != "" {
		header.Set("Cache-Control", cache)
	}
	sendPage(w, r, xslPage, header)
}

// serveKeyFile answers with the IndexNow key.
func serveKeyFile(w http.ResponseWriter, r *http.Request, key string) {
	if !isRead(w, r) {
		return
	}
	h := http.Header{}
	h.Set("Content-Type", textType)
	h.Set("X-Robots-Tag", noindex)
	h.Set("Cache-Control", "max-age=300")
	sendPage(w, r, pages.NewPage([]byte(key)), h)
}
