package provider

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/registry"
)

// Plugin is how a plugin makes its sitemaps at one level: what it lists, and how it lays the lists out.
type Plugin interface {
	seo.Decisions
	Policy
}

// Policy is how a plugin orders, pages and dates its lists at one level. SpecPolicy is the base: a plugin's type embeds it, or
// PluginPolicy, and has a method of its own only for what that plugin does differently.
type Policy interface {
	// TakesPlace reports whether an object of a kind takes a place on the pages although it has that verdict.
	TakesPlace(r *seo.Rules, k seo.ObjectKind, v seo.Verdict) bool
	// Past is the answer for pages without objects, PostsPast that of post types.
	Past() catalog.PastEnd
	PostsPast() catalog.PastEnd
	// Bare reports whether entries of a kind are an address alone, without date and images.
	Bare(k seo.ObjectKind) bool
	// Local reports whether dates are written in the site's zone instead of UTC.
	Local() bool
	Encoding() urlset.Encoding
	// PageSize is how many objects go on a page; wanted is the operator's number, 0 for none.
	PageSize(blog *wp.Blog, wanted int) int
	// AuthorsAPage is PageSize of the list of authors, 0 for the same.
	AuthorsAPage() int
	// IndexHome is what the addresses of the index begin with, with a slash; "" for home.
	IndexHome(r *seo.Rules) string

	// OrderPosts sorts indexes of rows, which are in the order of ids.
	OrderPosts(all []rows.PostRow, indexes []int32)
	// OrderTerms sorts the entries of a taxonomy, which are in the order of names.
	OrderTerms(b *Build, t *registry.Taxonomy, entries []catalog.Entry)
	// OrderAuthors sorts users, which are in the order of ids.
	OrderAuthors(ctx context.Context, b *Build, ids []int64) error

	// IndexesPosts, IndexesTerms and IndexesAuthors report whether the index names a list. They may complete the list.
	IndexesPosts(b *Build, t *registry.PostType, l *catalog.List) bool
	IndexesTerms(b *Build, t *registry.Taxonomy, l *catalog.List) bool
	IndexesAuthors(b *Build, l *catalog.List) bool

	// PostDates, TermDates and AuthorDates are the dates of the pages in the index.
	PostDates(b *Build, l *catalog.List) []int64
	TermDates(b *Build, t *registry.Taxonomy, l *catalog.List, terms *rows.TermRows) []int64
	AuthorDates(ctx context.Context, b *Build, l *catalog.List) ([]int64, error)
	// Newest is the date of a post type's archive.
	Newest(b *Build, l *catalog.List) int64
	// DateForAuthor is the date of a post as it counts for its author.
	DateForAuthor(row *rows.PostRow) int64
	// DatesOfAuthors reads the dates of users. It gets those of their newest posts.
	DatesOfAuthors(ctx context.Context, b *Build, ids []int64, newest map[int64]int64) (map[int64]int64, error)

	// RenderPosts returns the renderer of the lists of posts.
	RenderPosts(c *Renderer) catalog.Renderer
	// Asked returns the list that answers to the query variable, by the list as it is then; nil: the list itself answers.
	Asked(b *Build, l *catalog.List) func(*catalog.List) *catalog.List
	// TermLoc is the address of a term in its sitemap.
	TermLoc(r *Renderer, t *registry.Taxonomy, term *wp.Term) string
	// Parts reports whether later parts of posts (<!--nextpage-->) are listed.
	Parts() bool

	// FirstLinks returns the addresses before the posts of a type: home, front page, posts page, archive.
	FirstLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error)
	// LanguageLinks adds those of other languages to a list.
	LanguageLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) error
	// HomeURL is the address of the home page.
	HomeURL(b *Build) string
	// FirstOnce reports whether first links take places on the pages, and home is not listed with the pages and with the posts.
	FirstOnce() bool

	// ImageTitle is the title of an image, "" for none.
	ImageTitle(a *wp.Attachment) string
	// LimitsImages reports whether an address has each image once, and MaxImages at most.
	LimitsImages() bool
	// OwnImage reports whether an attachment lists its own file.
	OwnImage() bool
	// ImageRules reads what else decides about images of posts or, nil, of terms; nil: nothing else does.
	ImageRules(ctx context.Context, r *Renderer, posts []*wp.Post) (*ImageRules, error)
}

// ImageRules is what is stored that decides about the images of a page.
type ImageRules struct {
	None     bool                   // there are none at all
	NoQuery  bool                   // an image of a text that is an attachment is listed without the query of its URL
	Featured func(image int64) bool // whether a featured image is listed; nil: all are
	Takes    func(src string) bool  // whether an image of a text is listed by its address; nil: all are
	Sources  map[int64][]string     // more images, after the others: their addresses, by post
	Files    map[int64][]int64      // and attachments after those, by post: the images among them
}

// SpecPolicy is level spec: true dates, and full pages in an order that an edit does not change.
type SpecPolicy struct{}

func (SpecPolicy) TakesPlace(_ *seo.Rules, _ seo.ObjectKind, v seo.Verdict) bool {
	return v == seo.Listed
}

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

func (SpecPolicy) OrderPosts([]rows.PostRow, []int32) {}

func (SpecPolicy) OrderTerms(_ *Build, _ *registry.Taxonomy, entries []catalog.Entry) { ByID(entries) }

func (SpecPolicy) OrderAuthors(context.Context, *Build, []int64) error { return nil }

func (SpecPolicy) IndexesPosts(b *Build, t *registry.PostType, l *catalog.List) bool {
	return len(l.Entries) > 0 || len(l.First) > 0 && (t.BuiltIn || b.Options.Exclude.Types[t.Name].Singles)
}

// IndexesTerms implements Policy: a list with entries, of a taxonomy that has post types.
func (SpecPolicy) IndexesTerms(_ *Build, t *registry.Taxonomy, l *catalog.List) bool {
	return len(l.Dates) > 0 && len(t.ObjectTypes) > 0
}

func (SpecPolicy) IndexesAuthors(_ *Build, l *catalog.List) bool { return len(l.Dates) > 0 }

func (SpecPolicy) PostDates(_ *Build, l *catalog.List) []int64 { return l.PageDates() }

func (SpecPolicy) TermDates(_ *Build, _ *registry.Taxonomy, l *catalog.List, _ *rows.TermRows) []int64 {
	return l.PageDates()
}

func (SpecPolicy) AuthorDates(_ context.Context, _ *Build, l *catalog.List) ([]int64, error) {
	return l.PageDates(), nil
}

func (SpecPolicy) Newest(_ *Build, l *catalog.List) int64 { return l.NewestListed() }

func (SpecPolicy) DateForAuthor(row *rows.PostRow) int64 { return row.LastMod.Unix() }

func (SpecPolicy) DatesOfAuthors(_ context.Context, _ *Build, _ []int64, newest map[int64]int64) (map[int64]int64, error) {
	return newest, nil
}

func (SpecPolicy) RenderPosts(c *Renderer) catalog.Renderer { return c.PostURLs }

func (SpecPolicy) Asked(*Build, *catalog.List) func(*catalog.List) *catalog.List { return nil }

func (SpecPolicy) TermLoc(_ *Renderer, _ *registry.Taxonomy, term *wp.Term) string { return term.Link }

func (SpecPolicy) Parts() bool { return true }

// FirstLinks implements Policy: the front page before the pages, the posts page or home before the posts, before any other type
// its archive if that has posts and is no page itself.
func (SpecPolicy) FirstLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	return ownFirstLinks(ctx, b, t, l)
}

func (SpecPolicy) LanguageLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) error {
	return ownLanguageLinks(ctx, b, t, l)
}

// HomeURL implements Policy: home of the default language.
func (SpecPolicy) HomeURL(b *Build) string { return b.homeOfDefaultLanguage() }

// FirstOnce implements Policy. A multilingual site has several first links.
func (SpecPolicy) FirstOnce() bool { return true }

// ImageTitle implements Policy: the caption of the attachment, else its title, as plain text.
func (SpecPolicy) ImageTitle(a *wp.Attachment) string {
	return cmp.Or(formatting.PlainText(a.Caption), formatting.PlainText(a.Title))
}

func (SpecPolicy) LimitsImages() bool { return true }
func (SpecPolicy) OwnImage() bool     { return true }

func (SpecPolicy) ImageRules(context.Context, *Renderer, []*wp.Post) (*ImageRules, error) {
	return nil, nil
}

// PluginPolicy is what the plugins have in common at level plugin.
type PluginPolicy struct{ SpecPolicy }

func (PluginPolicy) Past() catalog.PastEnd      { return catalog.PastMissing }
func (PluginPolicy) PostsPast() catalog.PastEnd { return catalog.PastMissing }
func (PluginPolicy) Encoding() urlset.Encoding  { return urlset.Plugin }

func (PluginPolicy) OrderTerms(*Build, *registry.Taxonomy, []catalog.Entry) {}

func (PluginPolicy) LanguageLinks(context.Context, *Build, *registry.PostType, *catalog.List) error {
	return nil
}

func (PluginPolicy) HomeURL(b *Build) string          { return b.Links.HomeURL() }
func (PluginPolicy) FirstOnce() bool                  { return false }
func (PluginPolicy) Parts() bool                      { return false }
func (PluginPolicy) ImageTitle(*wp.Attachment) string { return "" }
func (PluginPolicy) LimitsImages() bool               { return false }
func (PluginPolicy) OwnImage() bool                   { return false }

// cut returns the function that cuts a post into the parts that are listed; nil: a post has one address.
func (c *Renderer) cut() func(text string) []string {
	if !c.Policy.Parts() || c.Decisions.WithoutParts(c.Rules) {
		return nil
	}
	return content.Parts
}

// ownImage reports whether a post is an attachment that lists its own file.
func (c *Renderer) ownImage(p *wp.Post) bool { return p.Type == "attachment" && c.Policy.OwnImage() }

// ByID sorts entries by id.
func ByID(entries []catalog.Entry) {
	slices.SortFunc(entries, func(x, y catalog.Entry) int { return cmp.Compare(x.ID, y.ID) })
}
