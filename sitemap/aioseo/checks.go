package aioseo

import (
	"strconv"

	"wpsitemapd/sitemap/seo"
)

// list returns a function for Check.Evidence. The evidence is the option name in advancedSettings with this value.
func list(name, value string) func(*seo.Subject) []seo.Evidence {
	return func(s *seo.Subject) []seo.Evidence {
		e := s.Rules.Option(optionMain+".sitemap.general.advancedSettings."+name, value)
		e.Of = s.Of
		return []seo.Evidence{e}
	}
}

const doExcluded = "In All in One SEO, Sitemaps, Advanced Settings, take it out of “Exclude Posts / Pages” or “Exclude Terms”."

var (
	noindex = seo.NoindexCheck(pluginName, "In All in One SEO's Advanced tab, switch “Use Default Settings” on, or untick “No Index”.",
		func(s *seo.Subject) []seo.Evidence {
			return s.Rules.Settings.(*settings).ownRow(s.Post.Type, s.Post.ID, "1")
		})
	typeNoindex = seo.Check{
		Verdict:  seo.TypeNoindex,
		Sentence: "Its type is set to noindex in All in One SEO, and it is not set to be indexed itself.",
		Do:       "In All in One SEO, Search Appearance, Content Types, set “Show in Search Results” to Yes.",
		Applies: func(c *seo.Rules, o *seo.Object) bool {
			if o.Flags.Index || o.Type == "" || o.Kind != seo.KindPost && o.Kind != seo.KindFrontPage && o.Kind != seo.KindPostsPage {
				return false
			}
			_, off := c.Settings.(*settings).typeNoindex(o.Type)
			return off
		},
		Evidence: func(s *seo.Subject) []seo.Evidence {
			own := s.Rules.Settings.(*settings)
			option, _ := own.typeNoindex(s.Post.Type)
			return []seo.Evidence{own.evidence(option)}
		},
	}
	excludedPost = seo.AgainstCheck(seo.ExcludedPost, "It is among the posts that All in One SEO excludes.", doExcluded, list("excludePosts", "with it"))
	excludedTerm = seo.AgainstCheck(seo.ExcludedTerm, "It is among the terms that All in One SEO excludes.", doExcluded, list("excludeTerms", "with it"))
	byTerm       = seo.AgainstCheck(seo.ExcludedByTerm, "It has a term that All in One SEO excludes with its posts.", doExcluded,
		list("excludeTerms", "with a term of it"))
	hidden = seo.HiddenProductCheck.When(func(_ *seo.Rules, o *seo.Object) bool {
		return o.Flags.Against == seo.HiddenProduct && o.Type == "product"
	})
	canonical = seo.CanonicalCheck("All in One SEO's", func(s *seo.Subject) []seo.Evidence {
		return []seo.Evidence{s.Column(table, "canonical_url", strconv.Quote(s.Canonical))}
	})
	archiveNoindex = seo.ArchiveCheck.When(func(_ *seo.Rules, o *seo.Object) bool {
		return o.Kind == seo.KindArchive && o.ArchiveNoindex
	})
)
