// Package framework makes the sitemaps of The SEO Framework at level spec. Its one file becomes an index, since it holds 250 entries
// of a kind and no more.
package framework

import (
	"regexp"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Plugin is The SEO Framework.
var Plugin = seo.Plugin{
	Name:        "The SEO Framework",
	URLs:        catalog.Files{Query: "tsf-sitemap", Bare: "base", Also: "index", Index: regexp.MustCompile(`(?i)^sitemap(?:_index)?\.xml$`)},
	ContentType: "text/xml; charset=utf-8",
	RobotsTag:   "noindex",
	IndexFile:   "sitemap.xml",
	OtherIndex:  "wp-sitemap.xml", // it is not there
}

// Presence is what The SEO Framework is on a blog.
func Presence(blog *wp.Blog, _ seo.Level) seo.Presence {
	o := of(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), Plugin.IndexFile)}
	if !o.on(keyOutput, true) {
		is.Off = seo.OffBy(blog, Plugin.Name, option+"."+keyOutput, seo.ValueText(o.set.Get(keyOutput)))
	}
	return is
}

// option is The SEO Framework's option; the other constants are keys in it.
const (
	option          = "autodescription-site-settings"
	keyOutput       = "sitemaps_output"
	keySite         = "site_noindex"
	keyHome         = "homepage_noindex"
	keyHomeRedirect = "homepage_redirect"
	keyTypes        = "noindex_post_types"
	keyDisabled     = "disabled_post_types"
)

// Meta keys of posts.
const (
	metaNoindex    = "_genesis_noindex" // above 0: noindex, below 0: index, else as its type
	metaRedirect   = "redirect"
	metaPrimary    = "_primary_term_category"
	metaPrimaryCat = "_primary_term_product_cat"
)

// Inputs lists what The SEO Framework has in the database.
var Inputs = []wp.Inputs{{
	Name:     Plugin.Name,
	Plugins:  []string{"autodescription/autodescription.php"},
	Options:  []string{option},
	PostMeta: []string{metaNoindex, metaRedirect, metaPrimary, metaPrimaryCat},
	Decisive: []string{metaNoindex, metaRedirect},
	Decode:   decode,
}}

// options are what its option says. What is not stored has the plugin's defaults.
type options struct {
	folder string // where it is active, "" where not
	set    php.Value
}

func of(blog *wp.Blog) *options { return seo.Decoded[options](blog, Plugin.Name) }

// decode says that WordPress' own sitemaps are never as WordPress has them: switched off, the plugin leaves them less what it
// excludes.
func decode(s *wp.Stored) wp.Decoded {
	o := &options{folder: s.Folder, set: s.Array(option)}
	d := wp.Decoded{Value: o, Settings: *o, ReplacesCore: s.Active()}
	if s.Active() {
		d.Links = wp.LinkRules{PrimaryCategory: metaPrimary, PrimaryProductCategory: metaPrimaryCat}
	}
	return d
}

// on reports whether a setting is, or what it is by default where it is not stored.
func (o *options) on(key string, unsaved bool) bool {
	if v, saved := o.set.Lookup(key); saved {
		return v.Truthy()
	}
	return unsaved
}

// names reports whether a setting names a post type.
func (o *options) names(key, postType string) bool { return o.set.Get(key).Get(postType).Truthy() }

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
	Noindex: seo.NoindexCheck(Plugin.Name, "In the box SEO Settings, Visibility, set Indexing to Default or Index.", seo.StoredAs(metaNoindex)),
	More:    []seo.Check{typeCheck, redirectCheck},
})
