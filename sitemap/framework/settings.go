package framework

import (
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// settings holds the settings of The SEO Framework.
type settings struct {
	seo.PostMeta
	*options
}

// NewSettings returns those of a blog.
func NewSettings(blog *wp.Blog, _ seo.Level) seo.PluginSettings {
	return &settings{
		PostMeta: seo.PostMeta{
			Meta:   seo.Meta{Blog: blog, Keys: []string{metaNoindex, metaRedirect}, Means: means},
			Plugin: Plugin.Name,
		},
		options: of(blog),
	}
}

// means says what is stored of a post.
func means(_ seo.ObjectKind, value func(key string) string) seo.Flags {
	says := php.NewString(value(metaNoindex)).Int()
	f := seo.Flags{Noindex: says > 0, Index: says < 0}
	if php.NewString(value(metaRedirect)).Truthy() {
		f.Against = seo.RedirectInPlugin
	}
	return f
}

func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	switch {
	case t.Name == "attachment":
		return seo.Never(Plugin.Name, "post type "+t.Name)
	case s.names(keyDisabled, t.Name):
		return seo.Because(seo.RuleTypeHidden, "This type is disabled in The SEO Framework.",
			"Under SEO, General Settings, Exclusions, untick the type.", s.evidence(keyDisabled, t.Name))
	}
	return nil
}

// evidence is what a key of the option says, of a post type where one is named.
func (s *settings) evidence(key, postType string) seo.Evidence {
	value, name := s.set.Get(key), option+"["+key+"]"
	if postType != "" {
		value, name = value.Get(postType), name+"["+postType+"]"
	}
	return seo.OptionOf(s.Blog, name, seo.ValueText(value))
}

// noindexed is what keeps that which says nothing of itself from search engines: all of the site, the front page, a type; none where
// nothing does. An archive that gets here is home.
func (s *settings) noindexed(k seo.ObjectKind, postType string) []seo.Evidence {
	front := k == seo.KindFrontPage || k == seo.KindArchive
	switch {
	case s.on(keySite, false):
		return []seo.Evidence{s.evidence(keySite, "")}
	case front && s.on(keyHome, false):
		return []seo.Evidence{s.evidence(keyHome, "")}
	case k != seo.KindArchive && s.names(keyTypes, postType):
		return []seo.Evidence{s.evidence(keyTypes, postType)}
	}
	return nil
}

// kindOf is what a subject is to these checks.
func (s *settings) kindOf(of *seo.Subject) (k seo.ObjectKind, postType string) {
	k, postType = of.Kind()
	if of.Post != nil && of.Post.ID == s.Blog.Settings().PageOnFront {
		k = seo.KindFrontPage
	}
	return k, postType
}

var (
	typeCheck = seo.Check{
		Verdict:  seo.TypeNoindex,
		Sentence: "The SEO Framework sets the site, its home or this type to noindex, and it is not set to be indexed itself.",
		Do:       "In the box SEO Settings, Visibility, set Indexing to Index, or change it for the site, its home or the type under SEO, Robots.",
		Applies: func(r *seo.Rules, o *seo.Object) bool {
			switch o.Kind {
			case seo.KindPost, seo.KindFrontPage, seo.KindPostsPage, seo.KindArchive:
				return !o.Index && r.Settings.(*settings).noindexed(o.Kind, o.Type) != nil
			}
			return false
		},
		Evidence: func(s *seo.Subject) []seo.Evidence {
			set := s.Settings.(*settings)
			return set.noindexed(set.kindOf(s))
		},
	}
	redirectCheck = seo.Check{
		Verdict:  seo.RedirectInPlugin,
		Sentence: "The SEO Framework sends its visitors elsewhere.",
		Do:       "In the box SEO Settings, Visibility, empty 301 Redirect URL, if this page is to be found.",
		Applies: func(r *seo.Rules, o *seo.Object) bool {
			front := o.Kind == seo.KindFrontPage || o.Kind == seo.KindArchive
			return o.Against == seo.RedirectInPlugin || front && r.Settings.(*settings).on(keyHomeRedirect, false)
		},
		Evidence: func(s *seo.Subject) []seo.Evidence {
			set := s.Settings.(*settings)
			if k, _ := set.kindOf(s); k != seo.KindPost && set.on(keyHomeRedirect, false) {
				return []seo.Evidence{set.evidence(keyHomeRedirect, "")}
			}
			return set.Stored(s, metaRedirect)
		},
	}
)

// Spec are the decisions of level spec on a site with The SEO Framework, which looks at no canonical address.
var Spec = seo.SpecDecisions(seo.Own{
	Noindex:        seo.NoindexCheck(Plugin.Name, "In the box SEO Settings, Visibility, set Indexing to Default or Index.", seo.StoredAs(metaNoindex)),
	ArchiveNoindex: seo.ArchiveCheck("The sitemaps of The SEO Framework hold no archives.", ""),
	More:           []seo.Check{typeCheck, redirectCheck},
})
