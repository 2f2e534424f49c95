package catalog

import "wpsitemapd/sitemap/urlset"

// CSSPath and XSLPath are the paths of the stylesheets below home.
const (
	CSSPath = "/wpsitemapd.css"
	XSLPath = "/main-sitemap.xsl"
)

// stylesheet returns the stylesheet instruction for a document. The address has no host, because
// browsers accept a stylesheet only from the document's own origin.
func (c *Catalog) stylesheet(kind urlset.DocumentKind) urlset.Stylesheet {
	switch c.Rules.Options.Stylesheet {
	case "css":
		return urlset.Stylesheet{Type: "text/css", Href: c.base.Folder() + CSSPath}
	case "xsl":
		return urlset.Stylesheet{Type: "text/xsl", Href: c.Scheme.XSL(c.base, kind)}
	}
	return urlset.Stylesheet{}
}
