package sitemap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/registry"
)

// A policy is how the lists of a catalog are laid out and dated. Yoast SEO has its own and so has WordPress; spec is
// one for all. It is made of functions, each named for the question that it answers, so that nobody asks which policy
// is in force.
type policy struct {
	checks []check // in the order in which they are tried

	posts   postPolicy
	terms   termPolicy
	authors authorPolicy
	first   firstLinkPolicy
	images  imagePolicy
	news    newsPolicy
	videos  videoPolicy
	words   dateWords

	past     pastEnd // of lists without a rule of their own
	encoding urlset.Encoding

	// switchedOn reports whether the plugin's switch for sitemaps is on.
	switchedOn func(*wp.Yoast) bool
	// taxonomyNoindex reports whether the plugin's settings keep a taxonomy out.
	taxonomyNoindex func(y *wp.Yoast, taxonomy string) bool
	// hides reports whether the site's own wish keeps everything out.
	hides func(*wp.Settings) bool
	// emptyIndex reports whether an index that names nothing is served.
	emptyIndex func() bool
	// internal reports whether a link stays below home, or below that of a language.
	internal func(c *Catalog, link, language string) bool
	// protected reports whether a post is not open to all, by its post_password: set, or NULL.
	protected func(set, null bool) bool
	// parts cuts a text at <!--nextpage-->; nil: a post has one address.
	parts func(text string) []string
	// foreign reports whether what has no language has no place in a catalog.
	foreign func(*Catalog) bool
	// untranslatedTerm decides about the terms of a taxonomy without languages where that is foreign.
	untranslatedTerm Rule
	// alternates reports whether translations are named where the operator wants them to be.
	alternates func() bool
	// queryName is Catalog.QueryName.
	queryName func(c *Catalog, name string) string
}

// has reports whether a rule is among the checks.
func (p *policy) has(rule Rule) bool {
	return slices.ContainsFunc(p.checks, func(c check) bool { return c.rule == rule })
}

type postPolicy struct {
	past pastEnd
	// takesPlace reports whether an object that a rule decided about takes a place on the pages.
	takesPlace func(Rule) bool
	// order sorts indexes of rows; nil: they stay by id.
	order func(rows []postRow, indexes []int32)
	// indexed reports whether the index names a list.
	indexed func(t *registry.PostType, l *list) bool
	// dates are those of the pages in the index.
	dates func(b *build, l *list) []int64
	// newest is the date of a post type's archive.
	newest func(b *build, l *list) int64
	// changed is post_modified_gmt as the dates of others are made of it.
	changed func(gmt int64) int64
	// open reports whether an attachment of that status may be listed.
	open func(status) bool
	// datesTerms reports whether the rows of attachments are read for the dates of their terms.
	datesTerms func(c *Catalog, t *registry.PostType) bool
}

type termPolicy struct {
	takesPlace func(Rule) bool
	// order sorts the entries; nil: they stay by name, as read.
	order func([]entry)
	dates func(b *build, t *registry.Taxonomy, l *list, terms *termRows) []int64
}

type authorPolicy struct {
	takesPlace func(Rule) bool
	// order sorts users; nil: they stay by id.
	order func(b *build, ids []int64)
	dates func(b *build, l *list) []int64
	// lastmod is the date of a user; newest has those of posts by author.
	lastmod func(b *build, id int64, newest map[int64]int64) int64
}

// firstLinkPolicy is about the addresses before the objects of a list: home, front page, posts page, archive.
type firstLinkPolicy struct {
	// is reports whether a page is listed as the front page or the posts page.
	is func(set *wp.Settings, id int64) bool
	// links are those of a post type.
	links func(b *build, ctx context.Context, t *registry.PostType, l *list) ([]firstLink, error)
	// languages adds those of other languages.
	languages func(b *build, ctx context.Context, t *registry.PostType, l *list) error
	// home is the address of the home page.
	home func(b *build) string
	// once takes home out of the pages where the posts have it, too.
	once func(b *build, pages *list)
	// places counts how many places they take on the pages.
	places func(l *list) int
}

type imagePolicy struct {
	// title is that of an attachment.
	title func(a *wp.Attachment) string
	// room reports whether an image may be added.
	room func(l *imageList, src string) bool
	// own reports whether a post lists its own file.
	own func(p *wp.Post) bool
}

type newsPolicy struct {
	// lists reports whether posts of a type are news where the plugin's settings say so.
	lists func(c *Catalog, postType string) bool
	// list makes the list.
	list func(b *build, ctx context.Context, name string) (*list, error)
	// watched are the types whose rows are looked at while they are read; nil: the list is not made of them.
	watched func(c *Catalog) []string
	// date is the one that counts for the window, and its column.
	date func(p *wp.Post) (int64, string)
	// absent says why a post that nothing excludes is not in the news; "" for nothing to say.
	absent func(e *explainer) string
}

type videoPolicy struct {
	// lists reports whether videos of posts of a type are listed where the plugin's settings say so.
	lists func(c *Catalog, postType string) bool
	// fill makes the entries of the list.
	fill func(b *build, ctx context.Context, l *list) error
	// object is a post as the rules on videos see it; false where it has none to speak of.
	object func(e *explainer, t *thing) (Object, bool, error)
}

// dateWords say where dates are from.
type dateWords struct {
	index   string // of a page in the index
	archive func(e *explainer, l *list) string
	author  func(e *explainer, t *thing) string
}

func never() bool  { return false }
func always() bool { return true }

func onlyListed(r Rule) bool { return r == Listed }

// specPolicy is level spec: true dates, and full pages in an order that an edit does not change.
var specPolicy = policy{
	checks: specChecks,
	posts: postPolicy{
		past: pastHidden, takesPlace: onlyListed, dates: (*build).pageDates, newest: (*build).newestListed,
		indexed:    func(t *registry.PostType, l *list) bool { return len(l.entries) > 0 || len(l.first) > 0 && t.BuiltIn },
		changed:    func(gmt int64) int64 { return gmt },
		open:       func(s status) bool { return s != otherwise },
		datesTerms: func(*Catalog, *registry.PostType) bool { return false },
	},
	terms: termPolicy{
		takesPlace: onlyListed, order: sortByID,
		dates: func(b *build, _ *registry.Taxonomy, l *list, _ *termRows) []int64 { return b.pageDates(l) },
	},
	authors: authorPolicy{takesPlace: onlyListed, dates: (*build).pageDates, lastmod: newestOfAuthor},
	first: firstLinkPolicy{
		is:        func(set *wp.Settings, id int64) bool { return set.ShowOnFront == "page" && namesPage(set, id) },
		links:     (*build).ownFirstLinks,
		languages: (*build).ownLanguageLinks,
		home:      (*build).homeOfDefaultLanguage,
		once:      (*build).homeOnce,
		places:    func(l *list) int { return len(l.first) }, // a multilingual site has several
	},
	images: imagePolicy{
		title: func(a *wp.Attachment) string { return cmp.Or(plainText(a.Caption), plainText(a.Title)) },
		room:  func(l *imageList, src string) bool { return len(l.images) < maxImages && !l.has(src) },
		own:   func(p *wp.Post) bool { return p.Type == "attachment" },
	},
	news: newsPolicy{
		lists: (*Catalog).listsTypeNamed, list: (*build).newsOfPosts, watched: (*Catalog).newsTypes,
		date: func(p *wp.Post) (int64, string) {
			if p.ModifiedGMT > p.DateGMT {
				return p.ModifiedGMT, "post_modified_gmt"
			}
			return p.DateGMT, "post_date_gmt"
		},
		absent: func(e *explainer) string {
			if !e.x.In {
				return ""
			}
			return "it has changed since the sitemaps were read"
		},
	},
	videos: videoPolicy{lists: (*Catalog).listsTypeNamed, fill: (*build).everyVideo, object: (*explainer).everyVideoOf},
	words: dateWords{
		index:   "the newest lastmod on the page",
		archive: func(_ *explainer, l *list) string { return "the newest lastmod in the sitemap " + l.name },
		author:  func(*explainer, *thing) string { return "the newest published post of the author" },
	},
	past: pastHidden, encoding: urlset.Strict,
	// Values that the plugin never writes mean what they say: a NULL password is none, a switch that is 1 is on.
	switchedOn:       func(y *wp.Yoast) bool { return y.Sitemaps || y.Wanted },
	taxonomyNoindex:  func(y *wp.Yoast, taxonomy string) bool { return y.TaxonomyNoindex(taxonomy, true) },
	hides:            func(set *wp.Settings) bool { return !set.BlogPublic },
	emptyIndex:       always,
	internal:         (*Catalog).belowHome,
	protected:        func(set, _ bool) bool { return set },
	parts:            content.Parts,
	foreign:          func(c *Catalog) bool { return c.hasDomains() && c.site.Language() != c.site.DefaultLanguage() },
	untranslatedTerm: ExternalLink,
	alternates:       always,
	queryName:        func(_ *Catalog, name string) string { return name },
}

// yoastPolicy is level plugin: exactly what Yoast SEO 28, News SEO 13 and Video SEO 14 emit.
var yoastPolicy = policy{
	checks: yoastChecks,
	posts: postPolicy{
		past: pastPostTypes, takesPlace: Rule.counted, dates: (*build).yoastPostDates, newest: (*build).newestRow,
		order: func(rows []postRow, indexes []int32) {
			slices.SortStableFunc(indexes, func(x, y int32) int { return cmp.Compare(rows[x].modified.unix(), rows[y].modified.unix()) })
		},
		indexed: func(_ *registry.PostType, l *list) bool { return len(l.entries) > 0 },
		// A zero date is no lack of a date: the plugin asks MySQL for the newest and prints what PHP makes of that.
		changed: func(gmt int64) int64 {
			if gmt == wp.NoTime {
				return wp.ZeroTime
			}
			return gmt
		},
		open: func(status) bool { return true }, // only the status of the parent counts
		datesTerms: func(c *Catalog, t *registry.PostType) bool {
			return slices.ContainsFunc(c.site.Registry().Taxonomies, func(o *registry.Taxonomy) bool { return slices.Contains(o.ObjectTypes, t.Name) })
		},
	},
	terms: termPolicy{takesPlace: Rule.counted, dates: (*build).taxonomyDates},
	authors: authorPolicy{
		takesPlace: func(r Rule) bool { return r == Listed || r == OperatorExcluded },
		order: func(b *build, ids []int64) { // latest profile first
			slices.SortStableFunc(ids, func(x, y int64) int { return cmp.Compare(b.authors[y].stamp, b.authors[x].stamp) })
		},
		dates: (*build).firstOfPage, lastmod: profileStamp,
	},
	first: firstLinkPolicy{
		is:        namesPage, // show_on_front is not looked at, so that stale settings take pages out
		links:     (*build).yoastFirstLinks,
		languages: (*build).yoastLanguageLinks,
		home:      func(b *build) string { return b.links.HomeURL() },
		once:      func(*build, *list) {},
		places:    func(*list) int { return 0 },
	},
	images: imagePolicy{
		title: func(*wp.Attachment) string { return "" },
		room:  func(*imageList, string) bool { return true },
		own:   func(*wp.Post) bool { return false },
	},
	news: newsPolicy{
		lists: (*Catalog).keepsType, list: (*build).newsOfIndexables,
		date: func(p *wp.Post) (int64, string) { return p.DateGMT, "post_date_gmt" },
		absent: func(e *explainer) string {
			return fmt.Sprintf("Yoast's table %s has no such row, or says noindex", e.site.Table("yoast_indexable"))
		},
	},
	videos: videoPolicy{lists: (*Catalog).keepsType, fill: (*build).storedVideos, object: (*explainer).storedVideoOf},
	words: dateWords{
		index: "Yoast's rules for the index, which count what is left out",
		archive: func(e *explainer, l *list) string {
			return fmt.Sprintf("the newest %s.post_modified_gmt of type %s, those left out included", e.site.Table("posts"), l.name)
		},
		author: func(e *explainer, t *thing) string {
			return fmt.Sprintf("%s._yoast_wpseo_profile_updated (%s)", e.site.Table("usermeta"), t)
		},
	},
	past: pastMissing, encoding: urlset.Plugin,
	// Of values that the plugin never writes its comparisons decide.
	switchedOn:      func(y *wp.Yoast) bool { return y.Sitemaps },
	taxonomyNoindex: func(y *wp.Yoast, taxonomy string) bool { return y.TaxonomyNoindex(taxonomy, false) },
	hides:           func(*wp.Settings) bool { return false },
	emptyIndex:      never,
	// WooCommerce puts its checkout to https, which the plugin lets pass.
	internal: func(c *Catalog, link, language string) bool {
		if rest, ok := strings.CutPrefix(link, "https:"); ok && strings.HasPrefix(c.homeOf(language), "http:") {
			link = "http:" + rest
		}
		return c.belowHome(link, language)
	},
	protected:        func(set, null bool) bool { return set || null },
	foreign:          func(c *Catalog) bool { return c.site.AtHome() != c.site },
	untranslatedTerm: Listed, // they are listed on every domain
	alternates:       never,
	queryName: func(c *Catalog, name string) string {
		if c.site.AtHome() == c.site || c.site.Registry().PostType(name) == nil {
			return name
		}
		return asked + name
	},
}

// corePolicy is that of WordPress' own sitemaps, at both levels.
var corePolicy = func() policy {
	p := yoastPolicy
	p.checks = coreChecks
	p.encoding = urlset.Core
	p.emptyIndex = always
	return p
}()

// policyOf returns the policy of a level.
func policyOf(level Compat) *policy {
	if level == Spec {
		return &specPolicy
	}
	return &yoastPolicy
}

func sortByID(entries []entry) {
	slices.SortFunc(entries, func(x, y entry) int { return cmp.Compare(x.id, y.id) })
}

// namesPage reports whether the settings name a page as front page or posts page.
func namesPage(set *wp.Settings, id int64) bool {
	return id > 0 && (id == set.PageOnFront || id == set.PageForPosts)
}

// listsTypeNamed reports whether a post type is registered and has a sitemap.
func (c *Catalog) listsTypeNamed(name string) bool {
	t := c.site.Registry().PostType(name)
	return t != nil && c.listsPostType(t)
}

// keepsType reports whether the operator leaves a post type in.
func (c *Catalog) keepsType(name string) bool { return !c.site.TypeExcluded(name) }
