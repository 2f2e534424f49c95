// Package jetpack makes the sitemaps of Jetpack's module at level spec. Jetpack keeps finished files, of which the numbered ones
// hold all types; here each type has files of its own, and the numbered ones redirect to the index.
package jetpack

import (
	"regexp"
	"slices"
	"strconv"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Plugin is Jetpack.
var Plugin = seo.Plugin{
	Name: "Jetpack",
	URLs: catalog.Files{
		Query: "jetpack-sitemap", Bare: "sitemap.xml", Index: regexp.MustCompile(`^sitemap\.xml$`),
		Gone: regexp.MustCompile(`^(?:image-|video-)?sitemap-(?:index-)?[1-9][0-9]*\.xml$`),
	},
	ContentType: "text/xml; charset=UTF-8",
	IndexFile:   "sitemap.xml",
	OtherIndex:  "wp-sitemap.xml", // it is not there
}

const (
	optionModules  = "jetpack_active_modules"
	optionTypes    = "jetpack_sitemap_post_types"
	optionLocation = "jetpack_sitemap_location"
	metaNoindex    = "jetpack_seo_noindex" // means something while the module of SEO tools is on
)

// Inputs lists what Jetpack has in the database.
var Inputs = []wp.Inputs{{
	Name:     Plugin.Name,
	Plugins:  []string{"jetpack/jetpack.php"},
	Options:  []string{optionModules, optionTypes, optionLocation},
	PostMeta: []string{metaNoindex},
	Decisive: []string{metaNoindex},
	Decode:   decode,
}}

// options are what Jetpack stores.
type options struct {
	folder                string // where it is active, "" where not
	module, public, tools bool   // its sitemaps are on, the site lets search engines in, the SEO tools are on
	types                 []string
	location              string // folder of its sitemaps below home
}

func decode(s *wp.Stored) wp.Decoded {
	modules := s.Array(optionModules).Strings()
	o := &options{
		folder: s.Folder, module: slices.Contains(modules, "sitemaps"), tools: slices.Contains(modules, "seo-tools"), public: s.Public(),
		types: []string{"page", "post"},
	}
	if stored := s.Array(optionTypes); stored.Kind == php.Array {
		o.types = stored.Strings()
	}
	o.location, _ = s.Text(optionLocation)
	return wp.Decoded{
		Value: o, Settings: *o, ReplacesCore: s.Active() && o.module && o.public,
		Types: registry.Noted{Source: "option " + optionTypes, PostTypes: o.types},
	}
}

func of(blog *wp.Blog) *options { return seo.Decoded[options](blog, Plugin.Name) }

// Presence is what Jetpack is on a blog.
func Presence(blog *wp.Blog, _ seo.Level) seo.Presence {
	o := of(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), Plugin.IndexFile)}
	switch {
	case !o.module:
		is.Off = seo.OffBy(blog, Plugin.Name, optionModules, "without sitemaps")
	case !o.public:
		is.Off = seo.OffBy(blog, Plugin.Name, "blog_public", `"0"`)
	case o.location != "":
		is.Note = "Jetpack has its sitemaps in the folder " + strconv.Quote(o.location) + " (option " + optionLocation + "); here they are at " +
			is.Index + ": tell search engines, or redirect the old addresses"
	}
	return is
}

// settings holds the settings of Jetpack.
type settings struct {
	seo.PostMeta
	*options
}

// NewSettings returns those of a blog.
func NewSettings(blog *wp.Blog, _ seo.Level) seo.PluginSettings {
	s := &settings{options: of(blog), PostMeta: seo.PostMeta{Plugin: Plugin.Name}}
	s.Meta = seo.Meta{Blog: blog, Keys: []string{metaNoindex}, Means: func(_ seo.ObjectKind, value func(string) string) seo.Flags {
		return seo.Flags{Noindex: s.tools && php.NewString(value(metaNoindex)).Truthy()}
	}}
	return s
}

func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	if slices.Contains(s.types, t.Name) && t.Name != "attachment" {
		return nil
	}
	return seo.Because(seo.RuleTypeHidden, "This type is not among those that Jetpack has in its sitemaps.", "",
		seo.OptionOf(s.Blog, optionTypes, "without "+t.Name))
}

// Spec are the decisions of level spec on a site with Jetpack, which looks at no canonical address.
var Spec = seo.SpecDecisions(seo.Own{
	Noindex: seo.NoindexCheck(Plugin.Name, "In the box Jetpack, SEO, untick “Hide page from search engines”.", seo.StoredAs(metaNoindex)),
})
