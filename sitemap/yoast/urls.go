package yoast

import (
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// scheme is the address scheme of Yoast SEO: sitemap_index.xml, post-sitemap.xml, post-sitemap2.xml.
type scheme struct{ catalog.TypeNames }

func (u scheme) Named(string) seo.URLs { return u }

func (scheme) File(name string, page, _ int) string {
	if name == seo.IndexName {
		return catalog.RuleIndex
	}
	return catalog.PageFile(name, page)
}

// URL implements seo.URLs: files are below home, or below index.php/ with index permalinks.
func (scheme) URL(b seo.Base, file string) string           { return b.Front + file }
func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string { return b.Folder() + catalog.XSLPath }

// varXSL is the query variable of a stylesheet.
const varXSL = "yoast-sitemap-xsl"

var rules = catalog.IndexRules(varXSL)

// Parse implements seo.URLs. On a blog without permalinks WordPress has no rewrite rules, but the index names
// the same sitemaps as on any other blog. WordPress redirects each of their addresses to the address with a
// slash at its end, and shows the front page there. Parse accepts the address with the slash, so that the links
// of the index lead to a sitemap.
func (scheme) Parse(r seo.Request) seo.Resource {
	asked, _, _ := strings.Cut(r.URI, "?")
	path := r.BelowIndex()
	switch {
	case r.Plain && !strings.HasSuffix(asked, "/"):
		path = ""
	case r.Plain && path == "sitemap.xml":
		path = catalog.RuleIndex
	}
	vars, byQuery := rules.Vars(&r, path)
	if xsl := vars[varXSL]; php.NewString(xsl).Truthy() {
		switch xsl {
		case "main", "news", "video":
			return seo.Resource{Kind: seo.Stylesheet, Name: xsl}
		}
		return seo.Resource{}
	}
	if name := vars["sitemap"]; catalog.IsOtherFormat(name) {
		return seo.Resource{} // these formats have addresses of their own
	} else if php.NewString(name).Truthy() {
		number := vars["sitemap_n"]
		if number == "0" || number == "1" {
			return seo.Resource{Kind: seo.Redirect, Name: name, Location: "/" + name + "-sitemap.xml"}
		}
		return seo.Resource{Kind: seo.Sitemap, Name: name, Page: catalog.PageOf(number), ByQuery: byQuery, Unowned: catalog.FromCore(&r)}
	}
	return catalog.Alias(&r)
}
