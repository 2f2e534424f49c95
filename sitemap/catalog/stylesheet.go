package catalog

import "wpsitemapd/sitemap/urlset"

// CSSPath and XSLPath are the addresses, below home, of what the prolog can name.
const (
	CSSPath = "/wpsitemapd.css"
	XSLPath = "/main-sitemap.xsl"
)

// stylesheet returns the instruction for the prolog of a kind of document. It is relative to the host, because
// browsers accept a stylesheet only from the origin of the document.
func (c *Catalog) stylesheet(kind urlset.DocumentKind) urlset.Stylesheet {
	switch c.Options.Stylesheet {
	case "css":
		return urlset.Stylesheet{Type: "text/css", Href: c.base.Folder() + CSSPath}
	case "xsl":
		return urlset.Stylesheet{Type: "text/xsl", Href: c.Scheme.XSL(c.base, kind)}
	}
	return urlset.Stylesheet{}
}
