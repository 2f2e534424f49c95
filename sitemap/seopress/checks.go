package seopress

import (
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
)

// own holds the checks of level spec on SEOPress' settings for single objects.
var own = seo.Own{
	Noindex: seo.NoindexCheck(Plugin.Name,
		"In SEOPress' Advanced tab, untick “Do not display this page in search engine results (noindex)”.", seo.StoredAs(metaNoindex)),
	More:      []seo.Check{siteCheck, typeCheck},
	Canonical: seo.CanonicalCheck("SEOPress'", seo.StoredAs(metaCanonical)),
}

// These checks apply noindex of the whole site and of types. The plugin's own sitemaps ignore both.
var (
	siteCheck = seo.Check{
		Verdict:  seo.SiteNoindex,
		Sentence: "SEOPress keeps search engines from the whole site.",
		Do:       "In SEO, Titles & Metas, Advanced, untick noindex.",
		Applies:  func(c *seo.Rules, _ *seo.Object) bool { return c.Settings.(*settings).siteNoindexed() != nil },
		Evidence: func(s *seo.Subject) []seo.Evidence { return s.Rules.Settings.(*settings).siteNoindexed() },
	}
	typeCheck = seo.Check{
		Verdict:  seo.TypeNoindex,
		Sentence: "Its type is set to noindex in SEOPress.",
		Do:       "In SEO, Titles & Metas, untick noindex of the post type, the taxonomy or the author archives.",
		Applies: func(c *seo.Rules, o *seo.Object) bool {
			return c.Settings.(*settings).typeNoindexed(o.Kind, o.Type) != nil
		},
		Evidence: func(s *seo.Subject) []seo.Evidence { return s.Rules.Settings.(*settings).typeNoindexed(s.Kind()) },
	}
)

// siteNoindexed returns the evidence that the whole site is noindex, or nil if it is not.
func (s *settings) siteNoindexed() []seo.Evidence { return s.noindexed("seopress_titles_noindex") }

// typeNoindexed returns the evidence that the type of an object is noindex, or nil if it is not. Authors count as one type.
func (s *settings) typeNoindexed(k seo.ObjectKind, of string) []seo.Evidence {
	switch k {
	case seo.KindPost, seo.KindFrontPage, seo.KindPart:
		return s.noindexed("seopress_titles_single_titles", of, "noindex")
	case seo.KindTerm:
		return s.noindexed("seopress_titles_tax_titles", of, "noindex")
	case seo.KindUser:
		return s.noindexed("seopress_titles_archives_author_noindex")
	}
	return nil
}

// noindexed returns a title setting as evidence if it makes pages noindex. keys is the path to the
// setting. It returns nil if the setting is off, or if the module of titles is off.
func (s *settings) noindexed(keys ...string) []seo.Evidence {
	v, name := s.titles, optionTitles
	for _, key := range keys {
		v, name = v.Get(key), name+"["+key+"]"
	}
	if !s.speaks || !v.Truthy() {
		return nil
	}
	return []seo.Evidence{s.option(name, seo.ValueText(v))}
}

// printed returns the address of an object in the form that SEOPress compares with the canonical URL. Since
// 9.4, the address of a term is the result of WordPress' esc_url. All other addresses are decoded, then
// escaped for HTML.
func (s *settings) printed(o *seo.Object) string {
	if o.Kind == seo.KindTerm && !s.before("9.4") {
		return formatting.DisplayURL(o.Link)
	}
	return escaped(php.URLDecode(o.Link))
}
