package aioseo

import (
	"strconv"

	"wpsitemapd/sitemap/seo"
)

// list is the evidence of one of the lists of what is excluded.
func list(name, value string) func(*seo.Subject) []seo.Evidence {
	return func(s *seo.Subject) []seo.Evidence {
		e := s.Option(optionMain+".sitemap.general.advancedSettings."+name, value)
		e.Of = s.Of
		return []seo.Evidence{e}
	}
}

const doExcluded = "In All in One SEO, Sitemaps, Advanced Settings, take it out of “Exclude Posts / Pages” or “Exclude Terms”."

var (
	noindex = seo.NoindexCheck(pluginName, "In All in One SEO's Advanced tab, switch “Use Default Settings” on, or untick “No Index”.",
		func(s *seo.Subject) []seo.Evidence {
			if s.Post == nil {
				return nil
			}
			return s.Settings.(*settings).ownRow(s.Post.Type, s.Post.ID, "1")
		})
	typeNoindex = seo.Check{
		Verdict:  seo.TypeNoindex,
		Sentence: "Its type is set to noindex in All in One SEO, and it is not set to be indexed itself.",
		Do:       "In All in One SEO, Search Appearance, Content Types, set “Show in Search Results” to Yes.",
		Applies: func(c *seo.Rules, o *seo.Object) bool {
			if o.Index || o.Type == "" || o.Kind != seo.KindPost && o.Kind != seo.KindFrontPage && o.Kind != seo.KindPostsPage {
				return false
			}
			_, off := c.Settings.(*settings).typeNoindex(o.Type)
			return off
		},
		Evidence: func(s *seo.Subject) []seo.Evidence {
			own := s.Settings.(*settings)
			option, _ := own.typeNoindex(s.Post.Type)
			return []seo.Evidence{own.evidence(option)}
		},
	}
	excludedPost = seo.AgainstCheck(seo.ExcludedPost, "It is among the posts that All in One SEO excludes.", doExcluded, list("excludePosts", "with it"))
	excludedTerm = seo.AgainstCheck(seo.ExcludedTerm, "It is among the terms that All in One SEO excludes.", doExcluded, list("excludeTerms", "with it"))
	byTerm       = seo.AgainstCheck(seo.ExcludedByTerm, "It has a term that All in One SEO excludes with its posts.", doExcluded,
		list("excludeTerms", "with a term of it"))
	hidden = seo.HiddenProductCheck.When(func(_ *seo.Rules, o *seo.Object) bool {
		return o.Against == seo.HiddenProduct && o.Type == "product"
	})
	canonical = seo.CanonicalCheck("All in One SEO's", func(s *seo.Subject) []seo.Evidence {
		return []seo.Evidence{s.Column(table, "canonical_url", strconv.Quote(s.Canonical))}
	})
	archiveNoindex = seo.ArchiveCheck(archiveSentence, doArchive).When(func(_ *seo.Rules, o *seo.Object) bool {
		return o.Kind == seo.KindArchive && o.ArchiveNoindex
	})
)

// Spec are the decisions of level spec on a site with All in One SEO, which never keeps search engines from the front page.
var Spec = func() *seo.Decisions {
	notFront := func(check seo.Check) seo.Check {
		return check.When(func(c *seo.Rules, o *seo.Object) bool { return o.Kind != seo.KindFrontPage && check.Applies(c, o) })
	}
	d := seo.SpecDecisions(seo.Own{Noindex: notFront(noindex), ArchiveNoindex: archiveNoindex, Canonical: canonical}).
		WithAddOns([]seo.Check{notFront(typeNoindex), excludedPost, excludedTerm, byTerm, hidden})
	d.Unattached = true
	d.WithoutParts = func(c *seo.Rules) bool {
		o := optionsOf(c.Blog)
		return o.firstPage || o.says(globalRobots+"default", true) || o.says(globalRobots+"noindexPaginated", true)
	}
	return d
}()
