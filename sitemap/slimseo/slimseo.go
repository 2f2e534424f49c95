// Package slimseo makes the sitemaps of Slim SEO at level spec: what its option says, how it decides, and how they are addressed
// (urls.go).
package slimseo

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Plugin is Slim SEO.
var Plugin = seo.Plugin{
	Name:        "Slim SEO",
	URLs:        scheme{catalog.TypeNames{Posts: "post-type-", Taxonomies: "taxonomy-", Users: "user"}},
	ContentType: "text/xml; charset=utf-8",
	RobotsTag:   "noindex, follow",
	IndexFile:   "sitemap.xml",
	OtherIndex:  "wp-sitemap.xml", // it is not there
}

// stored is the name of its option, and the key under which it keeps all it has of a post or a term.
const stored = "slim_seo"

const outOfStockSetting = "woocommerce_hide_out_of_stock_items"

// Inputs lists what Slim SEO has in the database.
var Inputs = []wp.Inputs{{
	Name:     Plugin.Name,
	Plugins:  []string{"slim-seo/slim-seo.php"},
	Options:  []string{stored, outOfStockSetting},
	PostMeta: []string{stored},
	Decisive: []string{stored},
	TermMeta: []string{stored},
	Tables:   []wp.Table{wp.TermMetaTable},
	Decode:   decode,
}}

// options are what Slim SEO stores.
type options struct {
	folder     string // where it is active, "" where not
	on         bool   // its sitemaps are
	set        php.Value
	outOfStock bool // WooCommerce hides what is out of stock
}

func decode(s *wp.Stored) wp.Decoded {
	o := &options{folder: s.Folder, set: s.Array(stored)}
	features := o.set.Get("features").Strings()
	o.on = len(features) == 0 || slices.Contains(features, "sitemaps")
	hide, _ := s.Text(outOfStockSetting)
	o.outOfStock = hide == "yes"
	d := wp.Decoded{Value: o, Settings: *o, ReplacesCore: s.Active() && o.on}
	if s.Active() {
		strip := slices.Contains(features, "no_category_base")
		d.Links = wp.LinkRules{StripCategoryBase: strip, StripCategoryFront: strip}
	}
	return d
}

func of(blog *wp.Blog) *options { return seo.Decoded[options](blog, Plugin.Name) }

// Presence is what Slim SEO is on a blog.
func Presence(blog *wp.Blog, _ seo.Level) seo.Presence {
	o := of(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), Plugin.IndexFile)}
	if !o.on {
		is.Off = seo.OffBy(blog, Plugin.Name, stored+".features", "without sitemaps")
	}
	return is
}

// settings holds the settings of Slim SEO.
type settings struct {
	seo.Meta
	*options
}

// NewSettings returns those of a blog.
func NewSettings(blog *wp.Blog, _ seo.Level) seo.PluginSettings {
	return &settings{Meta: seo.Meta{Blog: blog, Keys: []string{stored}, Means: means}, options: of(blog)}
}

// means says what is stored of a post or a term. What cannot be read says nothing, as in WordPress.
func means(_ seo.ObjectKind, value func(key string) string) seo.Flags {
	text := value(stored)
	of, _ := php.MaybeUnserialize(text)
	return seo.Flags{Noindex: of.Get("noindex").Truthy(), Broken: text != "" && of.Kind != php.Array}
}

func (s *settings) Posts(ctx context.Context, ids []int64) (map[int64]seo.Flags, error) {
	flags, err := s.Meta.Posts(ctx, ids)
	if err != nil {
		return nil, err
	}
	err = s.MarkProducts(ctx, ids, flags, seo.CatalogHidden)
	if err == nil && s.outOfStock {
		err = s.MarkProducts(ctx, ids, flags, "outofstock")
	}
	return flags, err
}

func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	if t.Name == "attachment" {
		return seo.Never(Plugin.Name, "post type "+t.Name)
	}
	return s.noindexed(t.Name)
}

func (s *settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	switch {
	case t.Name == "post_format": // without a menu of its own
		return seo.Never(Plugin.Name, "taxonomy "+t.Name)
	case t.Unqueryable:
		return seo.Unqueryable(t)
	}
	return s.noindexed(t.Name)
}

// noindexed is why a type is left out.
func (s *settings) noindexed(name string) *seo.Reason {
	v := s.set.Get(name).Get("noindex")
	if !v.Truthy() {
		return nil
	}
	return seo.Because(seo.RuleTypeNoindex, "This type is set to noindex in Slim SEO.",
		"Under Settings, Slim SEO, Meta Tags, untick “Hide from search results” of the type.",
		seo.OptionOf(s.Blog, stored+"["+name+"][noindex]", seo.ValueText(v)))
}

// Authors implements seo.PluginSettings: only a filter in code switches them on.
func (*settings) Authors() *seo.Reason  { return seo.Never(Plugin.Name, "authors") }
func (*settings) AuthorTypes() []string { return []string{} }

// Archive implements seo.PluginSettings: those of types without a sitemap go with it.
func (*settings) Archive(string) *seo.Reason { return nil }

// Spec are the decisions of level spec on a site with Slim SEO, which looks at no canonical address.
var Spec = seo.SpecDecisions(seo.Own{
	Noindex: seo.NoindexCheck(Plugin.Name, "In the box Search Engine Optimization, untick “Hide from search results”.", seo.StoredAs()),
	More:    []seo.Check{seo.PostsPageCheck, seo.HiddenProductCheck},
})
