// Package aioseo makes the sitemaps of All in One SEO. options.go reads its options, tables.go its rows about posts, and
// latertypes.go what else names types. settings.go and checks.go decide by them. lists.go and emitted.go make its lists, and
// urls.go holds its addresses.
package aioseo

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
)

var Plugin = seo.Plugin{
	Name:     pluginName,
	URLs:     scheme{},
	Compared: [2]release.Version{"4.2.8", "4.9.9"},
	Past: []seo.PastRule{
		{Differs: "lastmod", Of: dateName, Until: "4.9.7.1", Text: "All in One SEO before 4.9.7.1 dates a month by any of its posts"},
		{Differs: "sitemap not in ours", Of: "attachment", Until: "4.4.0.3", Text: "All in One SEO before 4.4.0.3 names attachments without pages"},
		{Differs: "date in the index", Until: "4.4.0.3", Text: "All in One SEO before 4.4.0.3 dates a sitemap by any of its posts"},
	},
	ScanOrder:   true,
	ByTermID:    true,
	ContentType: "text/xml; charset=UTF-8",
	RobotsTag:   "noindex, follow",
	Missing:     `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>` + "\n",
	IndexFile:   "sitemap.xml",
	OtherIndex:  "wp-sitemap.xml", // the plugin redirects it to the index, or it does not exist
}

// presence says whether All in One SEO is active on a blog and answers for its sitemaps.
func presence(blog *wp.Blog) seo.Presence {
	o := optionsOf(blog)
	p := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: blog.Home() + "/" + schemeOf(blog).index()}
	switch {
	case o.folder == "":
	case !o.enabled():
		p.Off = seo.OffBy(blog, Plugin.Name, optionMain+".sitemap.general.enable", "false")
	case !o.says("sitemap.general.indexes", true):
		option := optionMain + ".sitemap.general.indexes"
		p.ByPHP = seo.Because(seo.RuleOff, "it has one sitemap without an index ("+option+")", "", seo.OptionOf(blog, option, "false"))
	case strings.HasSuffix(o.folder, "-pro"):
		p.Note = "All in One SEO Pro is active. wpsitemapd does not read its settings of news, videos and terms. For sitemaps of " +
			"news and videos set [site.news] and [site.video]. To leave terms out, set term_ids in [site.exclude]"
	}
	return p
}

// settings holds the settings of All in One SEO on a blog.
type settings struct {
	*options
	blog *wp.Blog
	spec bool // at level spec, settings are taken literally

	excludedPosts []int64
	excludedTerms map[int64]bool // by term_id
	related       []int64        // the term_taxonomy_id of each excluded term; posts with such a term are left out
	pages         sync.Map       // seo.Flags of the front page and the posts page, by id, as Posts has read them
}

func newSettings(blog *wp.Blog, level seo.Level) seo.PluginSettings {
	o := optionsOf(blog)
	s := &settings{options: o, blog: blog, spec: level == seo.SpecLevel}
	s.excludedPosts = s.excluded("excludePosts")
	return s
}

// before reports whether the installed All in One SEO is older than v. It returns false if the version is not known.
func (s *settings) before(v release.Version) bool { return s.blog.Version(pluginName).Before(v) }

func pageSize(blog *wp.Blog, wanted int) int {
	return cmp.Or(max(wanted, 0), optionsOf(blog).count("sitemap.general.linksPerIndex", 1000))
}

// ownRSS returns the number of posts in the plugin's own RSS sitemap, or 0 if that sitemap is off.
func ownRSS(blog *wp.Blog) int {
	o := optionsOf(blog)
	if !o.says("sitemap.rss.enable", true) {
		return 0
	}
	return o.count("sitemap.rss.linksPerIndex", 50)
}

// typeNoindex reports whether a post type is noindex, and returns the option that decides. Since 4.9.5
// the plugin ignores the global setting.
func (s *settings) typeNoindex(name string) (string, bool) {
	option, off := s.options.noindexOf("postTypes", name)
	if off && option == globalNoindex && !s.spec && !s.before("4.9.5") {
		return "", false
	}
	return option, off
}

// excluded returns the ids in a list of excluded posts (excludePosts) or terms (excludeTerms). Before
// 4.4.4 the lists applied only if the advanced settings were on. The plugin ignores ids that are
// stored as text in an object; level spec does not.
func (s *settings) excluded(list string) (ids []int64) {
	if s.before("4.4.4") && !s.advanced() {
		return nil
	}
	for _, p := range at(s.main, "sitemap.general.advancedSettings."+list).Pairs() {
		id := p.Value.Int()
		if v, err := php.DecodeJSON(p.Value.Str()); p.Value.Kind == php.String && err == nil && v.Kind == php.Array {
			if v = v.Get("value"); v.Kind == php.Int || s.spec {
				id = v.Int()
			}
		}
		if id > 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Load implements seo.PluginSettings. It reads the excluded terms. At level plugin each stored id counts both
// as a term_id and as a term_taxonomy_id, as in the plugin itself. An id whose term has no posts leaves out nothing.
func (s *settings) Load(ctx context.Context) error {
	ids := s.excluded("excludeTerms")
	s.excludedTerms = map[int64]bool{}
	if s.spec {
		for _, id := range ids {
			s.excludedTerms[id] = true
		}
		s.related = nil
		return s.blog.ByID(ctx, "reading excluded terms", sqlTaxonomyIDs, ids,
			db.Rows2(func(_, taxonomy int64) { s.related = append(s.related, taxonomy) }))
	}
	s.related = ids
	return objects.Relations(ctx, s.blog, ids, func(id, _ int64) { s.excludedTerms[id] = true })
}

// evidence returns an option as evidence. name is the option's name followed by the path in the
// option.
func (s *settings) evidence(name string) seo.Evidence {
	option, path, _ := strings.Cut(name, ".")
	in := s.main
	if option == optionDynamic {
		in = s.dynamic
	}
	return seo.OptionOf(s.blog, name, seo.ValueText(at(in, path)))
}

func (s *settings) reason(rule, sentence, option, of, do string) *seo.Reason {
	e := s.evidence(option)
	e.Of = of
	return seo.Because(rule, sentence, do, e)
}

// These texts tell an editor how to change a setting of All in One SEO, in the words of its own pages.
const (
	doIncluded = "In All in One SEO, Sitemaps, General Sitemap, tick this type."
	doMedia    = "In All in One SEO, Search Appearance, Media, set “Redirect Attachment URLs” to Disabled."
	doTaxonomy = "In All in One SEO, Search Appearance, Taxonomies, set “Show in Search Results” to Yes."
	doAuthors  = "In All in One SEO, switch “Author Sitemap” on in Sitemaps, and author archives in Search Appearance, Archives."
	doArchive  = "In All in One SEO, Search Appearance, Archives, set “Show in Search Results” to Yes."
)

// PostType implements seo.PluginSettings. A noindexed type still has a sitemap, because single posts
// may be set to index.
func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	of := "post type " + t.Name
	switch {
	case t.Name == "attachment" && !s.attachments():
		return s.reason(seo.RuleTypeHidden, "All in One SEO redirects the pages of attachments.",
			optionDynamic+".searchAppearance.postTypes.attachment.redirectAttachmentUrls", of, doMedia)
	case !s.includes("postTypes", t.Name):
		return s.reason(seo.RuleTypeHidden, "This type is not among those that All in One SEO has in its sitemaps.",
			optionMain+".sitemap.general.postTypes.included", of, doIncluded)
	}
	return nil
}

var neverTaxonomies = []string{"product_shipping_class", "post_format", "link_category", "nav_menu", "wp_pattern_category"}

// isAttribute reports whether a taxonomy is an attribute of WooCommerce's products. Since 4.7.8 all
// attributes share one sitemap.
func isAttribute(blog *wp.Blog, name string) bool {
	return blog.Settings().Woo.Active && strings.HasPrefix(name, "pa_") && !blog.Version(pluginName).Before("4.7.8")
}

func (s *settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	of := "taxonomy " + t.Name
	switch option, noindex := s.noindexOf("taxonomies", t.Name); {
	case isAttribute(s.blog, t.Name):
		if off := s.attributesOff(of); off != nil {
			return off
		}
		return seo.Because(seo.RuleNever, "The attributes of products are in the sitemap "+attributesName+".", "",
			seo.Evidence{Source: Plugin.Name, Value: "one sitemap for all attributes", Of: of})
	case t.Unqueryable:
		return seo.Unqueryable(t)
	case slices.Contains(neverTaxonomies, t.Name):
		return seo.Never(Plugin.Name, of)
	case !s.includes("taxonomies", t.Name):
		return s.reason(seo.RuleTypeHidden, "This taxonomy is not among those that All in One SEO has in its sitemaps.",
			optionMain+".sitemap.general.taxonomies.included", of, doIncluded)
	case noindex:
		return s.reason(seo.RuleTypeNoindex, "This taxonomy is set to noindex in All in One SEO.", option, of, doTaxonomy)
	}
	return nil
}

// attributesOff returns why product attributes have no sitemap, or nil if they have one. The plugin lists
// attributes if the chosen taxonomies contain one of them or the name product_attributes. Only in the second
// case does it check for noindex.
func (s *settings) attributesOff(of string) *seo.Reason {
	option, noindex := s.noindexOf("taxonomies", attributesName)
	named := slices.Contains(s.list("taxonomies"), attributesName)
	switch {
	case noindex && (named || s.spec):
		return s.reason(seo.RuleTypeNoindex, "The attributes of products are set to noindex in All in One SEO.", option, of, doTaxonomy)
	case !named && !slices.ContainsFunc(s.blog.Registry().Taxonomies, func(t *registry.Taxonomy) bool {
		return isAttribute(s.blog, t.Name) && s.includes("taxonomies", t.Name)
	}):
		return s.reason(seo.RuleTypeHidden, "The attributes of products are not among what All in One SEO has in its sitemaps.",
			optionMain+".sitemap.general.taxonomies.included", of, doIncluded)
	}
	return nil
}

func (s *settings) Authors() *seo.Reason {
	if option := s.archivesOff("author"); option != "" {
		return s.reason(seo.RuleAuthorsOff, "Author archives are not in the sitemaps of All in One SEO, or set to noindex.", option, "", doAuthors)
	}
	return nil
}

func (s *settings) AuthorTypes() []string {
	types := []string{"post"}
	if s.spec || s.before("4.3.9") || !s.before("4.4.4") {
		return types
	}
	for _, t := range s.blog.Registry().PostTypes { // these versions use all types that have a sitemap
		if t.Name != "post" && t.Public && s.PostType(t) == nil {
			types = append(types, t.Name)
		}
	}
	return types
}

func (s *settings) Archive(postType string) *seo.Reason {
	option, off := s.noindexOf("archives", postType)
	if !s.spec { // the plugin checks only the archive's own robots settings
		option, off = ownNoindex(optionDynamic, s.dynamic, "searchAppearance.archives."+storedName(postType))
	}
	if off {
		return s.reason(seo.ArchiveNoindex.String(), "The archive is set to noindex in All in One SEO.", option, "archive of "+postType, doArchive)
	}
	return nil
}

func (s *settings) Posts(ctx context.Context, ids []int64) (map[int64]seo.Flags, error) {
	flags := map[int64]seo.Flags{}
	if err := s.readRows(ctx, ids, flags); err != nil {
		return nil, err
	}
	against := func(id int64, v seo.Verdict) {
		f := flags[id]
		f.Against = v
		flags[id] = f
	}
	hidden, err := s.hidden(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range hidden {
		against(id, seo.HiddenProduct)
	}
	switch {
	case len(s.related) == 0:
	case ids == nil:
		err = objects.Relations(ctx, s.blog, s.related, func(_, post int64) { against(post, seo.ExcludedByTerm) })
	default:
		err = objects.RelationsOf(ctx, s.blog, ids, func(post, term int64) {
			if slices.Contains(s.related, term) {
				against(post, seo.ExcludedByTerm)
			}
		})
	}
	for _, id := range s.excludedPosts {
		against(id, seo.ExcludedPost)
	}
	set := s.blog.Settings()
	for _, id := range []int64{set.PageOnFront, set.PageForPosts} {
		if ids == nil || slices.Contains(ids, id) {
			s.pages.Store(id, flags[id])
		}
	}
	return flags, err
}

// hidden returns the products that WooCommerce hides from both its catalog and its search. Before 4.9.7.1, it returns
// all products that are hidden from the catalog.
func (s *settings) hidden(ctx context.Context, ids []int64) ([]int64, error) {
	hidden, err := objects.MarkedProducts(ctx, s.blog, seo.CatalogHidden, ids)
	if err != nil || s.before("4.9.7.1") {
		return hidden, err
	}
	unsearched, err := objects.MarkedProducts(ctx, s.blog, "exclude-from-search", ids)
	slices.Sort(unsearched)
	return slices.DeleteFunc(hidden, func(id int64) bool { _, both := slices.BinarySearch(unsearched, id); return !both }), err
}

// Post implements seo.PluginSettings for the front page and the posts page only.
func (s *settings) Post(p *address.Post) seo.Flags { return s.pageFlags(p.ID) }

// pageFlags returns the stored settings of the front page or the posts page.
func (s *settings) pageFlags(id int64) seo.Flags {
	stored, _ := s.pages.Load(id)
	flags, _ := stored.(seo.Flags)
	return flags
}

func (s *settings) PostEvidence(p *address.Post) []seo.Evidence {
	if option, off := s.typeNoindex(p.Type); off { // the type is noindex, but the post is listed
		return append(s.ownRow(p.Type, p.ID, "0"), s.evidence(option))
	}
	return nil
}

// ownRow returns the evidence that the row of a post overrides the robots of its type. noindex is the value
// of the column robots_noindex.
func (s *settings) ownRow(postType string, id int64, noindex string) []seo.Evidence {
	subject := &seo.Subject{Rules: &seo.Rules{Blog: s.blog}, Of: postType + " " + strconv.FormatInt(id, 10)}
	return []seo.Evidence{subject.Column(table, "robots_noindex", noindex), subject.Column(table, "robots_default", "0")}
}

func (s *settings) Term(_ string, id int64) seo.Flags {
	if s.excludedTerms[id] {
		return seo.Flags{Against: seo.ExcludedTerm}
	}
	return seo.Flags{}
}

func (s *settings) TermEvidence(string, int64) []seo.Evidence { return nil }
func (s *settings) Author(*address.Author) seo.Flags          { return seo.Flags{} }
