// Package rankmath makes the sitemaps of Rank Math. options.go reads its options, settings.go decides by them, urls.go holds
// its addresses, and policy.go orders and dates its lists.
package rankmath

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
)

// Plugin is Rank Math.
var Plugin = seo.Plugin{
	Name:            "Rank Math",
	URLs:            scheme{},
	Compared:        [2]release.Version{"1.0.201", "1.0.273"},
	ContentType:     "text/xml; charset=UTF-8",
	RobotsTag:       "noindex",
	StylesheetCache: "max-age=31536000",
	IndexFile:       catalog.RuleIndex,
	OtherIndex:      "wp-sitemap.xml", // the plugin redirects it to the index, or it does not exist
	Copies: "Rank Math answers from files in uploads/rank-math, which stay as they are when something is changed past WordPress' admin: " +
		"save its sitemap settings, which deletes them, and compare again",
}

// settings holds the settings of Rank Math.
type settings struct {
	seo.Meta
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

// means returns the flags of a post or a term, from its stored robots and canonical address. Noindex is set
// if the text of the robots contains "noindex" anywhere, as in Rank Math's query. Index is set if the list
// that PHP reads from the text contains "index", which overrides noindex of the type.
func means(_ seo.ObjectKind, value func(key string) string) seo.Flags {
	robots := value(metaRobots)
	list, _ := php.MaybeUnserialize(robots) // an unreadable value is ignored, as in WordPress
	f := seo.Flags{
		Noindex: strings.Contains(strings.ToLower(robots), "noindex"),
		Index:   slices.Contains(list.Strings(), "index"),
		Broken:  robots != "" && list.Kind != php.Array,
	}
	if canonical := value(metaCanonical); canonical != "0" && !php.IsSerialized(canonical) {
		f.Canonical = canonical
	}
	return f
}

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

// option returns evidence from a key of an option.
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
	if robots, is := s.typeNoindex("tax_", t.Name); is && robots != globalRobots && s.before("1.0.238") { // since 1.0.238, terms with index are listed
		return s.reason(seo.RuleTypeNoindex, typeCheck.Sentence, optionTitles, robots, typeCheck.Do)
	}
	return nil
}

func (s *settings) Authors() *seo.Reason {
	if option, key, off := s.authorsOff(); off {
		return s.reason(seo.RuleAuthorsOff, "Authors have no sitemap by the settings of Rank Math.", option, key, doAuthors)
	}
	return nil
}

func (s *settings) AuthorTypes() []string {
	if on(s.sitemap.Get("include_authors_without_posts")) && !s.before("1.0.237") {
		return nil
	}
	types := []string{}
	for _, t := range s.Blog.Registry().PostTypes {
		if t.Public && t.Name != "attachment" {
			types = append(types, t.Name)
		}
	}
	return types
}

// Archive implements seo.PluginSettings. The robots of the type decide about its archive. If home shows
// the latest posts, the robots of the homepage decide about home. The plugin's own sitemaps ignore both.
func (s *settings) Archive(postType string) *seo.Reason {
	key, is := s.typeNoindex("pt_", postType)
	if postType == "post" {
		if s.Blog.Settings().ShowOnFront == "page" {
			return nil // the posts page has robots of its own
		}
		if key, is = globalRobots, noindexed(s.titles.Get(globalRobots)); on(s.titles.Get("homepage_custom_robots")) {
			key, is = "homepage_robots", noindexed(s.titles.Get("homepage_robots"))
		}
	}
	if !is {
		return nil
	}
	return s.reason(seo.ArchiveNoindex.String(), "The archive is set to noindex in Rank Math.", optionTitles, key,
		"In Rank Math, Titles & Meta, set the robots of the post type, or of the homepage, to Index.")
}

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

func (s *settings) Author(a *address.Author) seo.Flags {
	f := seo.Flags{Against: s.against("exclude_users", a.ID), Stamp: noStamp}
	// If roles are excluded, a user without stored roles is excluded, too.
	if _, is := s.roleOf(a); f.Against == seo.Listed && (is || !a.Roles && len(s.roles()) > 0) {
		f.Against = seo.ExcludedByRole
	}
	if values := a.Meta(metaLastUpdate); len(values) > 0 && values[0].Valid {
		f.Stamp = php.NewString(values[0].String).Int()
	}
	// Rank Math's query finds users with a row that does not contain noindex, and users without a row.
	says := a.Meta(metaRobots)
	if len(says) > 0 {
		f.Index = means(seo.KindUser, func(string) string { return says[0].String }).Index
	}
	if canonical := a.Meta(metaCanonical); len(canonical) > 0 && canonical[0].String != "0" {
		f.Canonical = canonical[0].String
	}
	open := func(v sql.NullString) bool { return v.Valid && !strings.Contains(strings.ToLower(v.String), "noindex") }
	f.Noindex = len(says) > 0 && !slices.ContainsFunc(says, open)
	return f
}

// noStamp is the Stamp of a user without metaLastUpdate.
const noStamp = -1

// roleOf returns the first excluded role that a user has. It returns false if the user has no excluded
// role.
func (s *settings) roleOf(a *address.Author) (string, bool) {
	i := slices.IndexFunc(s.roles(), func(role string) bool { return a.NamesRole(`"` + role + `"`) })
	if i < 0 {
		return "", false
	}
	return s.roles()[i], true
}

// inIndex reports whether a user counts in the index. The plugin's query searches the stored
// capabilities for the names of excluded roles as plain text.
func (s *settings) inIndex(a *address.Author) bool {
	if roles := s.roles(); len(roles) > 0 && (!a.Roles || slices.ContainsFunc(roles, a.NamesRole)) {
		return false
	}
	if s.AuthorTypes() != nil && slices.Contains(s.excluded["exclude_users"], a.ID) {
		return false
	}
	return !s.Author(a).Noindex
}

// typeNoindexed reports whether the type of an object is noindex, and returns the key of optionTitles that decides it.
func (s *settings) typeNoindexed(k seo.ObjectKind, of string) (key string, is bool) {
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

// These checks use the stored settings of Rank Math.
var (
	noindexCheck = seo.NoindexCheck(Plugin.Name, "In Rank Math's Advanced tab, set Robots Meta to Index.", seo.StoredAs(metaRobots))
	typeCheck    = seo.Check{
		Verdict:  seo.TypeNoindex,
		Sentence: "Its type is set to noindex in Rank Math, and it has no index of its own.",
		Do:       "In Rank Math's Advanced tab, set Robots Meta to Index, or for the whole type in Titles & Meta.",
		Applies: func(c *seo.Rules, o *seo.Object) bool {
			if o.Flags.Index {
				return false
			}
			_, is := c.Settings.(*settings).typeNoindexed(o.Kind, o.Type)
			return is
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
			says := "none"
			if role, is := s.Rules.Settings.(*settings).roleOf(s.Author); is {
				says = strconv.Quote(role)
			}
			return []seo.Evidence{s.Rules.Settings.(*settings).option(optionSitemap, "exclude_roles"), s.Meta("capabilities of this site", says)}
		})
	canonicalCheck = seo.CanonicalCheck("Rank Math's", seo.StoredAs(metaCanonical))
)

// presence says whether Rank Math is active on a blog and answers for its sitemaps.
func presence(blog *wp.Blog, level seo.Level) seo.Presence {
	o := of(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), Plugin.IndexFile)}
	switch {
	case o.folder == "":
	case o.answers():
		var notes []string
		if blog.Settings().ActivePlugins[paid] {
			notes = append(notes, "Rank Math PRO is active. Its sitemaps of news, videos and places are not read: "+
				"[site.news] and [site.video] make such sitemaps here")
		}
		if level == seo.PluginLevel && o.images() {
			notes = append(notes, "Rank Math looks for images in posts as they are displayed. Images of dynamic blocks and page builders, and changes by "+
				"filters in code (rank_math/sitemap/…), are not in the database; wpsitemapd diff shows what differs")
		}
		is.Note = strings.Join(notes, "; ")
	case !o.setUp:
		is.Off = seo.OffBy(blog, Plugin.Name, optionSkipped, "not done")
		is.Off.Sentence = "The set-up of Rank Math is not done (" + optionSkipped + ", " + optionConnect + "), so it makes no sitemaps."
	default:
		is.Off = seo.OffBy(blog, Plugin.Name, optionModules, "without sitemap")
	}
	return is
}

func pageSize(blog *wp.Blog, wanted int) int { return cmp.Or(max(wanted, 0), of(blog).perPage()) }
