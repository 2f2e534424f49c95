package rankmath

import (
	"strconv"

	"wpsitemapd/sitemap/seo"
)

// These checks use the stored settings of Rank Math.
var (
	noindexCheck = seo.NoindexCheck(Plugin.Name, "In Rank Math's Advanced tab, set Robots Meta to Index.", seo.StoredAs(metaRobots))
	typeCheck    = seo.Check{
		Verdict:  seo.TypeNoindex,
		Sentence: "Its type is set to noindex in Rank Math, and it is not set to index itself.",
		Do:       "In Rank Math's Advanced tab, set Robots Meta to Index, or for the whole type in Titles & Meta.",
		Applies: func(c *seo.Rules, o *seo.Object) bool {
			_, noindex := c.Settings.(*settings).typeNoindexed(o.Kind, o.Type)
			return noindex && !o.Flags.Index
		},
		Evidence: func(s *seo.Subject) []seo.Evidence {
			set := s.Rules.Settings.(*settings)
			key, _ := set.typeNoindexed(s.Kind())
			return []seo.Evidence{set.option(optionTitles, key)}
		},
	}
	excludedCheck = seo.AgainstCheck(seo.ExcludedInPlugin, "The settings of Rank Math exclude it by its id.",
		"In Rank Math, Sitemap Settings, take its id out of the lists of what is excluded.", func(s *seo.Subject) []seo.Evidence {
			k, _ := s.Kind()
			key := map[seo.ObjectKind]string{seo.KindPost: "exclude_posts", seo.KindTerm: "exclude_terms", seo.KindUser: "exclude_users"}[k]
			return []seo.Evidence{s.Rules.Settings.(*settings).option(optionSitemap, key)}
		})
	roleCheck = seo.AgainstCheck(seo.ExcludedByRole, "The settings of Rank Math exclude the users of its role.",
		"In Rank Math, Sitemap Settings, Authors, untick the role below “Exclude User Roles”.", func(s *seo.Subject) []seo.Evidence {
			set, stored := s.Rules.Settings.(*settings), "none"
			if role := set.excludedRole(s.Author); role != "" {
				stored = strconv.Quote(role)
			}
			return []seo.Evidence{set.option(optionSitemap, "exclude_roles"), s.Meta("capabilities of this site", stored)}
		})
	canonicalCheck = seo.CanonicalCheck("Rank Math's", seo.StoredAs(metaCanonical))
)
