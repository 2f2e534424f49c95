package sitemap

import (
	"strings"

	"wpsitemapd/sitemap/urlset"
)

// CSSPath and XSLPath are the addresses, below home, of what the prolog can name.
const (
	CSSPath = "/wpsitemapd.css"
	XSLPath = "/main-sitemap.xsl"
)

// stylesheet returns the instruction for the prolog; xsl is where that one stands. It is relative to the host, because
// browsers accept a stylesheet only from the origin of the document.
func (c *Catalog) stylesheet(xsl string) urlset.Stylesheet {
	path := ""
	if _, rest, ok := strings.Cut(c.site.Home(), "://"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			path = rest[i:]
		}
	}
	switch c.opt.Stylesheet {
	case "css":
		return urlset.Stylesheet{Type: "text/css", Href: path + CSSPath}
	case "xsl":
		return urlset.Stylesheet{Type: "text/xsl", Href: path + xsl}
	}
	return urlset.Stylesheet{}
}
