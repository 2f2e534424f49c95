package rankmath

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
)

// settings holds the settings of Rank Math on a blog.
type settings struct {
	seo.Meta // of posts and terms
	*options
	excluded map[string][]int64 // ids of exclude_posts, exclude_terms, exclude_users
}

func newSettings(blog *wp.Blog) seo.PluginSettings {
	s := &settings{
		Meta:    seo.Meta{Blog: blog, Keys: []string{metaRobots, metaCanonical}, Means: means},
		options: of(blog), excluded: map[string][]int64{},
	}
	for _, key := range []string{"exclude_posts", "exclude_terms", "exclude_users"} {
		s.excluded[key] = s.ids(key)
	}
	return s
}

// before reports whether the installed version is known to be older than v, so that a rule that ended
// with v still applies.
func (s *settings) before(v release.Version) bool { return s.Blog.Version(Plugin.Name).Before(v) }

// means returns the flags of a post, a term or a user, from its stored robots and canonical address. Noindex is set
// if the text of the robots contains "noindex" anywhere, as in Rank Math's query. Index is set if the list
// that PHP reads from the text contains "index", which overrides noindex of the type.
//
// WordPress unserializes a stored canonical address. An unreadable value, 0 and other empty values do not count. A value that
// is no text, such as an array, stays serialized in the flags, see isText.
func means(_ seo.ObjectKind, value func(key string) string) seo.Flags {
	robots := value(metaRobots)
	list, _ := php.MaybeUnserialize(robots) // an unreadable value is ignored, as in WordPress
	f := seo.Flags{
		Noindex: strings.Contains(strings.ToLower(robots), "noindex"),
		Index:   slices.Contains(list.Strings(), "index"),
		Broken:  robots != "" && list.Kind != php.Array,
	}
	stored := value(metaCanonical)
	switch canonical, _ := php.MaybeUnserialize(stored); {
	case canonical.Kind == php.String && canonical.Truthy():
		f.Canonical = canonical.Str()
	case canonical.Truthy():
		f.Canonical = stored
	}
	return f
}

// isText reports whether the canonical address of an object is a text. If it is not, Rank Math leaves the object out of its sitemap,
// but the page names its own address as canonical.
func isText(o *seo.Object) bool { return !php.IsSerialized(o.Flags.Canonical) }

// reason returns the reason why a type is left out. A key of an option is the evidence.
func (s *settings) reason(rule, sentence, option, key, do string) *seo.Reason {
	return seo.Because(rule, sentence, do, s.option(option, key))
}

// These texts tell an editor how to change a setting of Rank Math, in the words of Rank Math's own
// pages.
const (
	doType    = "In Rank Math, Sitemap Settings, switch “Include in Sitemap” on for this type."
	doAuthors = "In Rank Math, switch author archives on in Titles & Meta, without No Index, and “Include in Sitemap” in Sitemap Settings, Authors."
)

func (s *settings) option(option, key string) seo.Evidence {
	array := map[string]php.Value{optionSitemap: s.sitemap, optionTitles: s.titles, optionGeneral: s.general}[option]
	return seo.OptionOf(s.Blog, option+"["+key+"]", seo.ValueText(array.Get(key)))
}

func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	key, listed := s.lists("pt_", t.Name)
	switch media, saved := s.general.Lookup("attachment_redirect_urls"); {
	case t.Name == "elementor_library":
		return seo.Never(Plugin.Name, "post type "+t.Name)
	case !listed:
		return s.reason(seo.RuleTypeHidden, "This type has no sitemap by the settings of Rank Math.", optionSitemap, key, doType)
	case t.Name == "attachment" && (!saved || on(media)):
		return s.reason(seo.RuleTypeHidden, "Rank Math redirects the pages of attachments.", optionGeneral, "attachment_redirect_urls",
			"In Rank Math, General Settings, Links, switch “Redirect Attachments” off.")
	}
	return nil
}

// neverTaxonomies are taxonomies that never have a sitemap, even if they are public.
var neverTaxonomies = []string{"wp_pattern_category", "link_category", "nav_menu", "post_format", "product_shipping_class"}

func (s *settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	key, listed := s.lists("tax_", t.Name)
	switch {
	case slices.Contains(neverTaxonomies, t.Name):
		return seo.Never(Plugin.Name, "taxonomy "+t.Name)
	case t.Unqueryable:
		return seo.Unqueryable(t)
	case !listed:
		return s.reason(seo.RuleTypeHidden, "This type has no sitemap by the settings of Rank Math.", optionSitemap, key, doType)
	}
	// Since 1.0.238 the taxonomy has a sitemap, with the terms whose own robots are index.
	if key, noindex := s.typeNoindex("tax_", t.Name); noindex && key != globalRobots && s.before("1.0.238") {
		return s.reason(seo.RuleTypeNoindex, typeCheck.Sentence, optionTitles, key, typeCheck.Do)
	}
	return nil
}

// Archive implements seo.PluginSettings. The robots of the type decide about its archive. If home shows
// the latest posts, the robots of the homepage decide about home. The plugin's own sitemaps ignore both.
func (s *settings) Archive(postType string) *seo.Reason {
	key, noindex := s.typeNoindex("pt_", postType)
	switch {
	case postType != "post":
	case s.Blog.Settings().ShowOnFront == "page":
		return nil // the posts page has robots of its own
	case on(s.titles.Get("homepage_custom_robots")):
		key, noindex = "homepage_robots", noindexed(s.titles.Get("homepage_robots"))
	default:
		key, noindex = globalRobots, noindexed(s.titles.Get(globalRobots))
	}
	if !noindex {
		return nil
	}
	return s.reason(seo.ArchiveNoindex.String(), "The archive is set to noindex in Rank Math.", optionTitles, key,
		"In Rank Math, Titles & Meta, set the robots of the post type, or of the homepage, to Index.")
}

// Posts implements seo.PluginSettings. Excluded posts have no meta, so they are added.
func (s *settings) Posts(ctx context.Context, ids []int64) (map[int64]seo.Flags, error) {
	flags, err := s.Meta.Posts(ctx, ids)
	for _, id := range s.excluded["exclude_posts"] {
		if ids == nil || slices.Contains(ids, id) {
			f := flags[id]
			f.Against = seo.ExcludedInPlugin
			flags[id] = f
		}
	}
	return flags, err
}

// against returns ExcludedInPlugin if the list under key contains the id, or Listed.
func (s *settings) against(key string, id int64) seo.Verdict {
	if slices.Contains(s.excluded[key], id) {
		return seo.ExcludedInPlugin
	}
	return seo.Listed
}

func (s *settings) Post(p *address.Post) seo.Flags {
	f := s.Meta.Post(p)
	f.Against = s.against("exclude_posts", p.ID)
	return f
}

func (s *settings) Term(taxonomy string, id int64) seo.Flags {
	f := s.Meta.Term(taxonomy, id)
	f.Against = s.against("exclude_terms", id)
	return f
}

// typeNoindexed reports whether the type of an object is noindex, and returns the key of optionTitles that decides it.
func (s *settings) typeNoindexed(k seo.ObjectKind, of string) (key string, noindex bool) {
	switch k {
	case seo.KindPost, seo.KindFrontPage, seo.KindPostsPage:
		return s.typeNoindex("pt_", of)
	case seo.KindTerm:
		return s.typeNoindex("tax_", of)
	case seo.KindUser: // if author archives have robots of their own, noindex leaves out the whole sitemap
		return globalRobots, !on(s.titles.Get("author_custom_robots")) && noindexed(s.titles.Get(globalRobots))
	}
	return "", false
}
