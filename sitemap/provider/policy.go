package provider

import (
	"cmp"
	"context"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// Plugin is a plugin at one level. It decides whether a blog has the plugin's sitemaps, what they
// list, and how their pages are divided.
type Plugin interface {
	seo.Decisions
	Policy
	// Settings returns the plugin's settings on a blog.
	Settings(blog *wp.Blog) seo.PluginSettings
	// Presence says whether the plugin is active and answers for its sitemaps. For WordPress itself it
	// returns the zero Presence.
	Presence(blog *wp.Blog) seo.Presence
	// Possible reports whether a blog has these sitemaps if the operator chooses them.
	Possible(blog *wp.Blog) bool
	// OwnRSS returns the number of entries in the plugin's own RSS sitemap, or 0 if it has none.
	OwnRSS(blog *wp.Blog) int
}

// Policy says how a plugin orders, pages and dates its lists at one level. SpecPolicy is the base. A
// plugin's type embeds SpecPolicy or PluginPolicy and overrides the methods in which the plugin
// differs.
type Policy interface {
	// TakesPlace reports whether an object of kind k with verdict v takes a place on the pages. A place of an object that
	// is not listed stays empty.
	TakesPlace(r *seo.Rules, k seo.ObjectKind, v seo.Verdict) bool
	// Past says how pages past the end of a list are answered. PostsPast says so for lists of posts.
	Past() catalog.PastEnd
	PostsPast() catalog.PastEnd
	// Bare reports whether entries of a kind have only an address, without date and images.
	Bare(k seo.ObjectKind) bool
	// Local reports whether dates are written in the site's zone instead of UTC.
	Local() bool
	Encoding() urlset.Encoding
	// PageSize returns the number of objects on a page. wanted is the operator's number, or 0 if there
	// is none.
	PageSize(blog *wp.Blog, wanted int) int
	// AuthorsAPage returns the page size of the list of authors. 0 means the usual page size.
	AuthorsAPage() int
	// IndexHome returns the prefix of the addresses in the index, with a final slash. "" means home.
	IndexHome(r *seo.Rules) string

	// OrderPosts sorts indexes of rows, which are given in id order.
	OrderPosts(all []rows.Post, indexes []int32)
	// OrderTerms sorts the places of a taxonomy, which are given in name order.
	OrderTerms(b *Build, t *registry.Taxonomy, terms catalog.Places)
	// OrderAuthors sorts the ids of users, which are given in ascending order.
	OrderAuthors(ctx context.Context, b *Build, ids []int64) error

	// IndexesPosts, IndexesTerms and IndexesAuthors report whether the index names a list. They may
	// also change the list.
	IndexesPosts(b *Build, t *registry.PostType, l *catalog.List) bool
	IndexesTerms(b *Build, t *registry.Taxonomy, l *catalog.List) bool
	IndexesAuthors(b *Build, l *catalog.List) bool

	// PostDates, TermDates and AuthorDates return the dates of a list's pages in the index.
	PostDates(b *Build, l *catalog.List) []int64
	TermDates(b *Build, t *registry.Taxonomy, l *catalog.List, terms *rows.Terms) []int64
	AuthorDates(ctx context.Context, b *Build, l *catalog.List) ([]int64, error)
	// Newest returns the date of a post type's archive.
	Newest(b *Build, l *catalog.List) int64
	// DateForAuthor returns the date that a post contributes to the date of its author.
	DateForAuthor(row *rows.Post) int64
	// DatesOfAuthors returns the dates of users by id. newest holds the dates of their newest posts.
	DatesOfAuthors(ctx context.Context, b *Build, ids []int64, newest map[int64]int64) (map[int64]int64, error)

	// Posts returns the content of the list of a post type.
	Posts(c *Renderer, t *registry.PostType) catalog.Own
	// TermLoc returns the address of a term in its sitemap.
	TermLoc(r *Renderer, t *registry.Taxonomy, term *address.Term) string
	// Parts reports whether later parts of posts (after <!--nextpage-->) are listed.
	Parts() bool

	// FirstLinks returns the addresses that are listed before the posts of a type: home, front page, posts page, archive.
	FirstLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error)
	// LanguageLinks adds the first links of other languages to a list.
	LanguageLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) error
	// HomeURL returns the address of the home page.
	HomeURL(b *Build) string
	// FirstOnce reports whether first links take places on pages. If they do, the list of posts or the list of
	// pages contains home, but not both.
	FirstOnce() bool

	// ImageTitle returns the title of an image, or "".
	ImageTitle(a *objects.Attachment) string
	// LimitsImages reports whether a URL lists an image only once, and at most MaxImages images.
	LimitsImages() bool
	// OwnImage reports whether an attachment page lists the attachment's own file.
	OwnImage() bool
	// ImageRules reads the stored rules about the images of posts, or of terms if posts is nil. It
	// returns nil if no rules exist.
	ImageRules(ctx context.Context, r *Renderer, posts []*address.Post) (*ImageRules, error)
}

// ImageRules are stored rules about the images of a page.
type ImageRules struct {
	None     bool                   // the page has no images
	NoQuery  bool                   // the URL of an image in a content loses its query if the image is an attachment
	Featured func(image int64) bool // reports whether a featured image is listed; if nil, all are
	Takes    func(src string) bool  // reports whether an image in a content is listed, by its address; if nil, all are
	Sources  map[int64][]string     // addresses of additional images by post id, listed after all other images
	Files    map[int64][]int64      // ids of attachments by post id, listed after Sources if they are images
}

// SpecPolicy is the policy of level spec. Dates are true and pages are full. An edit does not change the
// order, because objects are sorted by id.
type SpecPolicy struct{}

func (SpecPolicy) TakesPlace(_ *seo.Rules, _ seo.ObjectKind, v seo.Verdict) bool {
	return v == seo.Listed
}

func (SpecPolicy) Presence(*wp.Blog) seo.Presence { return seo.Presence{} }
func (SpecPolicy) Possible(*wp.Blog) bool         { return true }
func (SpecPolicy) OwnRSS(*wp.Blog) int            { return 0 }

func (SpecPolicy) Past() catalog.PastEnd      { return catalog.PastHidden }
func (SpecPolicy) PostsPast() catalog.PastEnd { return catalog.PastHidden }
func (SpecPolicy) Bare(seo.ObjectKind) bool   { return false }
func (SpecPolicy) Local() bool                { return false }
func (SpecPolicy) Encoding() urlset.Encoding  { return urlset.Strict }

func (SpecPolicy) PageSize(_ *wp.Blog, wanted int) int {
	return cmp.Or(max(wanted, 0), seo.DefaultPageSize)
}
func (SpecPolicy) AuthorsAPage() int           { return 0 }
func (SpecPolicy) IndexHome(*seo.Rules) string { return "" }

func (SpecPolicy) OrderPosts([]rows.Post, []int32) {}

func (SpecPolicy) OrderTerms(_ *Build, _ *registry.Taxonomy, terms catalog.Places) { terms.ByID() }

func (SpecPolicy) OrderAuthors(context.Context, *Build, []int64) error { return nil }

func (SpecPolicy) IndexesPosts(_ *Build, _ *registry.PostType, l *catalog.List) bool {
	return len(l.Places)+len(l.First) > 0
}

// IndexesTerms implements Policy: the index names a list with entries if its taxonomy has post types.
func (SpecPolicy) IndexesTerms(_ *Build, t *registry.Taxonomy, l *catalog.List) bool {
	return len(l.Dates) > 0 && len(t.ObjectTypes) > 0
}

func (SpecPolicy) IndexesAuthors(_ *Build, l *catalog.List) bool { return len(l.Dates) > 0 }

func (SpecPolicy) PostDates(_ *Build, l *catalog.List) []int64 { return l.PageDates() }

func (SpecPolicy) TermDates(_ *Build, _ *registry.Taxonomy, l *catalog.List, _ *rows.Terms) []int64 {
	return l.PageDates()
}

func (SpecPolicy) AuthorDates(_ context.Context, _ *Build, l *catalog.List) ([]int64, error) {
	return l.PageDates(), nil
}

func (SpecPolicy) Newest(_ *Build, l *catalog.List) int64 { return l.NewestListed() }

func (SpecPolicy) DateForAuthor(row *rows.Post) int64 { return row.LastMod.Unix() }

func (SpecPolicy) DatesOfAuthors(_ context.Context, _ *Build, _ []int64, newest map[int64]int64) (map[int64]int64, error) {
	return newest, nil
}

func (SpecPolicy) Posts(c *Renderer, _ *registry.PostType) catalog.Own { return c.Posts() }

func (SpecPolicy) TermLoc(_ *Renderer, _ *registry.Taxonomy, term *address.Term) string {
	return term.Link
}

func (SpecPolicy) Parts() bool { return true }

// FirstLinks implements Policy. For pages it returns the front page or home, and for posts the posts page or home. For another
// type it returns the archive, unless the archive is a listed page or has no posts. A post counts for the archive unless it is
// left out for a reason that also concerns the archive.
func (SpecPolicy) FirstLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	return ownFirstLinks(ctx, b, t, l)
}

func (SpecPolicy) LanguageLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) error {
	return ownLanguageLinks(ctx, b, t, l)
}

// HomeURL implements Policy: it returns the home of the default language.
func (SpecPolicy) HomeURL(b *Build) string { return b.homeOfDefaultLanguage() }

// FirstOnce implements Policy. First links take places, because a multilingual site can have many of them.
func (SpecPolicy) FirstOnce() bool { return true }

// ImageTitle implements Policy: it returns the caption of the attachment, or else its title, as plain text.
func (SpecPolicy) ImageTitle(a *objects.Attachment) string {
	return cmp.Or(formatting.PlainText(a.Caption), formatting.PlainText(a.Title))
}

func (SpecPolicy) LimitsImages() bool { return true }
func (SpecPolicy) OwnImage() bool     { return true }

func (SpecPolicy) ImageRules(context.Context, *Renderer, []*address.Post) (*ImageRules, error) {
	return nil, nil
}

// PluginPolicy is the policy that all plugins share at level plugin.
type PluginPolicy struct{ SpecPolicy }

func (PluginPolicy) Past() catalog.PastEnd      { return catalog.PastMissing }
func (PluginPolicy) PostsPast() catalog.PastEnd { return catalog.PastMissing }
func (PluginPolicy) Encoding() urlset.Encoding  { return urlset.Plugin }

func (PluginPolicy) OrderTerms(*Build, *registry.Taxonomy, catalog.Places) {}

func (PluginPolicy) LanguageLinks(context.Context, *Build, *registry.PostType, *catalog.List) error {
	return nil
}

func (PluginPolicy) HomeURL(b *Build) string               { return b.Rules.Links.HomeURL() }
func (PluginPolicy) FirstOnce() bool                       { return false }
func (PluginPolicy) Parts() bool                           { return false }
func (PluginPolicy) ImageTitle(*objects.Attachment) string { return "" }
func (PluginPolicy) LimitsImages() bool                    { return false }
func (PluginPolicy) OwnImage() bool                        { return false }

// cut returns a function that splits a post into its listed parts. It returns nil if only the first
// part is listed.
func (c *Renderer) cut() func(text string) []string {
	if !c.Policy.Parts() || c.Rules.Decisions.WithoutParts(c.Rules) {
		return nil
	}
	return content.Parts
}

// ownImage reports whether a post is an attachment whose own file is listed.
func (c *Renderer) ownImage(p *address.Post) bool {
	return p.Type == "attachment" && c.Policy.OwnImage()
}
