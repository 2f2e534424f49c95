package yoast

import "wpsitemapd/sitemap/seo"

// own are the checks on the settings of Yoast SEO for single objects, at level spec.
var own = seo.Own{
	Noindex: seo.Check{
		Verdict:  seo.MetaNoindex,
		Sentence: "It is set to noindex in Yoast SEO.",
		DoOf: func(s *seo.Subject) string {
			if s.Author != nil {
				return doUser
			}
			return doNoindex
		},
		Applies: func(_ *seo.Rules, o *seo.Object) bool { return o.Flags.Noindex },
		Evidence: func(s *seo.Subject) []seo.Evidence {
			switch {
			case s.Author != nil:
				return []seo.Evidence{s.Meta(metaNoindexAuthor, `"on"`)}
			case s.Term != nil:
				return []seo.Evidence{s.Rules.Settings.(*settings).term(s.Taxonomy.Name, s.Term.ID, "wpseo_noindex")}
			}
			return s.Rules.Settings.(*settings).Stored(s, metaNoindex)
		},
	},
	More: []seo.Check{levelCheck, seo.PostsPageCheck},
	Canonical: seo.CanonicalCheck("Yoast SEO's", func(s *seo.Subject) []seo.Evidence {
		if s.Term != nil {
			return []seo.Evidence{s.Rules.Settings.(*settings).term(s.Taxonomy.Name, s.Term.ID, "wpseo_canonical")}
		}
		return s.Rules.Settings.(*settings).Stored(s, metaCanonical)
	}),
}

var levelCheck = seo.AgainstCheck(seo.NoUserLevel,
	"The installed Yoast SEO is older than 27.8, and lists no users below contributor.",
	"Update Yoast SEO, or give the user a role from contributor up.",
	func(s *seo.Subject) []seo.Evidence {
		return []seo.Evidence{s.Meta("user_level of this site", "none, or 0")}
	})
