package yoast

import (
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// scheme is the address scheme of Yoast SEO: sitemap_index.xml, post-sitemap.xml, post-sitemap2.xml.
type scheme struct{ catalog.TypeNames }

func (scheme) File(name string, page, _ int) string {
	switch {
	case name == seo.IndexName:
		return catalog.RuleIndex
	case page == 1:
		return name + "-sitemap.xml"
	}
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// URL implements URLs: below home and, with index permalinks, below index.php/.
func (scheme) URL(b seo.Base, file string) string           { return b.Front + file }
func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string { return b.Folder() + catalog.XSLPath }

// varXSL is the query variable of a stylesheet.
const varXSL = "yoast-sitemap-xsl"

func (scheme) Parse(r seo.Request) seo.Resource {
	path, _, _ := strings.Cut(r.URI, "?")
	vars := pathVars(&r, strings.HasSuffix(path, "/"))
	byQuery := catalog.AskedVars(&r, vars, "sitemap", "sitemap_n", varXSL)
	if xsl := vars[varXSL]; php.NewString(xsl).Truthy() {
		switch xsl {
		case "main", "news", "video":
			return seo.Resource{Kind: seo.Stylesheet, Name: xsl}
		}
		return seo.Resource{}
	}
	if name := vars["sitemap"]; catalog.IsOtherFormat(name) {
		return seo.Resource{} // those have addresses of their own
	} else if php.NewString(name).Truthy() {
		number := vars["sitemap_n"]
		if number == "0" || number == "1" {
			return seo.Resource{Kind: seo.Redirect, Name: name, Location: "/" + name + "-sitemap.xml"}
		}
		return seo.Resource{Kind: seo.Sitemap, Name: name, Page: max(1, int(php.NewString(number).Int())), ByQuery: byQuery, Unowned: catalog.FromCore(&r)}
	}
	if catalog.AsksPlainIndex(&r) {
		return seo.Resource{Kind: seo.Redirect, Location: "/" + catalog.RuleIndex}
	}
	if location := catalog.FromCore(&r); location != "" {
		return seo.Resource{Kind: seo.Redirect, Location: location}
	}
	return seo.Resource{}
}

// pathVars are the query variables Yoast's rewrite rules make of a path. Without a permalink structure there are no such rules, and
// yet the index lists these addresses: WordPress redirects each to itself with a slash, and shows its front page there. With the
// slash they are ours, so that what the index lists leads to a sitemap after all.
func pathVars(r *seo.Request, slash bool) map[string]string {
	switch {
	case r.Plain && !slash:
		return map[string]string{}
	case r.Plain && r.Rest == "sitemap.xml":
		return map[string]string{"sitemap": seo.IndexName}
	}
	return catalog.RuleVars(r.Rest, varXSL)
}
