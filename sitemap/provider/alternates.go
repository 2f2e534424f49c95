package provider

import (
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// A page of a multilingual site links to its translations (hreflang), and so does its entry in the sitemap. A link leads only to
// what a sitemap lists, here or at the domain of another language.

// translations returns a function that reports whether the translation with an id is in a sitemap of this domain, or of
// the domain of another language. The id belongs to a term of taxonomy, or to a post if taxonomy is "". If the sitemaps
// contain no links to translations (hreflang), the function is nil.
func (c *Renderer) translations(taxonomy string) func(id int64) bool {
	if !c.elsewhere.Alternates || c.bare {
		return nil
	}
	kind, elsewhere := seo.KindPost, c.elsewhere.Posts
	if taxonomy != "" {
		kind, elsewhere = seo.KindTerm, c.elsewhere.Terms[taxonomy]
	}
	return func(id int64) bool {
		_, ok := slices.BinarySearch(elsewhere, id)
		return ok || slices.ContainsFunc(c.catalog.Lists, func(l *catalog.List) bool {
			return l.Kind == kind && (taxonomy == "" || l.Of == taxonomy) && l.Lists(id)
		})
	}
}

// alternateLinks converts alternates to links of a page. It returns nil if there are fewer than two.
func (c *Renderer) alternateLinks(alternates []wp.Alternate) []urlset.Alternate {
	if len(alternates) < 2 || !c.elsewhere.Alternates {
		return nil
	}
	var links []urlset.Alternate
	for _, a := range c.Rules.Blog.Languages().Plugin.Hreflang(alternates) {
		links = append(links, urlset.Alternate{Language: a.Language, Href: a.Link})
	}
	return links
}
