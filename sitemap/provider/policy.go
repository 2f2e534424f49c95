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

// A Policy is how lists are ordered, paged and dated: a plugin's own, or that of level spec, which is one for all plugins.
// Each function answers one question, so that no other code asks which policy is in force.
type Policy struct {
	Posts   PostPolicy
	Terms   TermPolicy
	Authors AuthorPolicy
	First   FirstLinkPolicy
	Images  ImagePolicy

	Local    bool            // dates are written in the site's zone, else in UTC
	Past     catalog.PastEnd // of lists without a rule of their own
	Encoding urlset.Encoding
	// IndexHome is what the index's addresses begin with, with a slash; nil: home.
	IndexHome func(*seo.Rules) string
	// parts cuts a text at <!--nextpage-->; nil: a post has one address.
	parts func(text string) []string
	// Asked returns catalog.List.Asked of a list of posts; nil: it answers to the query variable as always.
	Asked func(b *Build, l *catalog.List) func(*catalog.List) *catalog.List
}

type PostPolicy struct {
	Past catalog.PastEnd
	// TakesPlace reports whether an object with a verdict takes a place on the pages.
	TakesPlace func(*seo.Rules, seo.Verdict) bool
	// Order sorts indexes of rows; nil: they stay by id.
	Order func(rows []rows.PostRow, indexes []int32)
	// Indexed reports whether the index names a list.
	Indexed func(b *Build, t *registry.PostType, l *catalog.List) bool
	// Render returns what renders the lists; nil: Renderer.PostURLs.
	Render func(c *Renderer) catalog.Renderer
	// Dates returns the dates of the pages in the index.
	Dates func(b *Build, l *catalog.List) []int64
	// Newest is the date of a post type's archive.
	Newest func(b *Build, l *catalog.List) int64
}

type TermPolicy struct {
	TakesPlace func(*seo.Rules, seo.Verdict) bool
	// Order sorts the entries; nil: they stay by name, as read.
	Order func(b *Build, t *registry.Taxonomy, entries []catalog.Entry)
	// Indexed reports whether the index names a list; nil: where it has entries, and the taxonomy post types.
	Indexed func(b *Build, t *registry.Taxonomy, l *catalog.List) bool
	// Bare reports whether entries are an address alone, without date and images.
	Bare  bool
	Dates func(b *Build, t *registry.Taxonomy, l *catalog.List, terms *rows.TermRows) []int64
	// Loc is the address of a term in the sitemap; nil: its link.
	Loc func(r *Renderer, t *registry.Taxonomy, term *wp.Term) string
}

type AuthorPolicy struct {
	TakesPlace func(*seo.Rules, seo.Verdict) bool
	// Order sorts users; nil: they stay by id.
	Order func(ctx context.Context, b *Build, ids []int64) error
	// Indexed reports whether the index names the list; nil: where it has entries.
	Indexed func(b *Build, l *catalog.List) bool
	// Size is how many are on a page; 0: as many as of anything else.
	Size int
	// Bare reports whether entries are an address alone.
	Bare  bool
	Dates func(b *Build, l *catalog.List) []int64
	// IndexDates takes the place of Dates where the index counts other users than the pages list; nil: it does not.
	IndexDates func(ctx context.Context, b *Build, l *catalog.List) ([]int64, error)
	// Of is the date of a post as it counts for its author; nil: its lastmod.
	Of func(*rows.PostRow) int64
	// Read reads dates of users that are not those of their posts; nil: there are none.
	Read func(ctx context.Context, b *Build, ids []int64) (map[int64]int64, error)
	// Lastmod is the date of a user; dates has what Read has read, else the newest of the posts by author.
	Lastmod func(b *Build, id int64, dates map[int64]int64) int64
}

// FirstLinkPolicy is about the addresses before the objects of a list: home, front page, posts page, archive.
type FirstLinkPolicy struct {
	// Links returns the first links of a post type.
	Links func(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error)
	// Languages adds those of other languages; nil: there are none.
	Languages func(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) error
	// Home is the address of the home page.
	Home func(b *Build) string
	// once: first links take places on the pages (catalog.List.Places), and home is not listed with the pages and with the posts.
	once bool
}

type ImagePolicy struct {
	// Title returns the title of an attachment; nil: there are none.
	Title func(a *wp.Attachment) string
	// Limited: an address has each image once, and MaxImages at most.
	Limited bool
	// Own: an attachment lists its own file.
	Own bool
	// Read reads what else decides about images, of posts or, nil, of terms; nil: nothing else does.
	Read func(ctx context.Context, r *Renderer, posts []*wp.Post) (*ImageRules, error)
}

func (p *ImagePolicy) own(of *wp.Post) bool { return p.Own && of.Type == "attachment" }

// ImageRules is what is stored that decides about the images of a page.
type ImageRules struct {
	None     bool                   // there are none at all
	NoQuery  bool                   // an image of a text that is an attachment is listed without the query of its URL
	Featured func(image int64) bool // whether a featured image is listed; nil: all are
	Takes    func(src string) bool  // whether an image of a text is listed by its address; nil: all are
	Sources  map[int64][]string     // more images, after the others: their addresses, by post
	Files    map[int64][]int64      // and attachments after those, by post: the images among them
}

func onlyListed(_ *seo.Rules, v seo.Verdict) bool { return v == seo.Listed }

// cut returns the function that cuts a post into the parts that are listed; nil: a post has one address.
func (c *Renderer) cut() func(text string) []string {
	if c.WithoutParts != nil && c.WithoutParts(c.Rules) {
		return nil
	}
	return c.Policy.parts
}

// Spec is level spec: true dates, and full pages in an order that an edit does not change.
var Spec = Policy{
	Posts: PostPolicy{
		Past: catalog.PastHidden, TakesPlace: onlyListed, Dates: pageDates, Newest: func(_ *Build, l *catalog.List) int64 { return l.NewestListed() },
		Indexed: func(b *Build, t *registry.PostType, l *catalog.List) bool {
			return len(l.Entries) > 0 || len(l.First) > 0 && (t.BuiltIn || b.Options.Exclude.Types[t.Name].Singles)
		},
	},
	Terms: TermPolicy{
		TakesPlace: onlyListed, Order: ByID,
		Dates: func(b *Build, _ *registry.Taxonomy, l *catalog.List, _ *rows.TermRows) []int64 { return l.PageDates() },
	},
	Authors: AuthorPolicy{TakesPlace: onlyListed, Dates: pageDates, Lastmod: newestOfAuthor},
	First: FirstLinkPolicy{
		Links:     ownFirstLinks,
		Languages: ownLanguageLinks,
		Home:      (*Build).homeOfDefaultLanguage,
		once:      true, // a multilingual site has several
	},
	Images: ImagePolicy{
		Title: func(a *wp.Attachment) string {
			return cmp.Or(formatting.PlainText(a.Caption), formatting.PlainText(a.Title))
		},
		Limited: true, Own: true,
	},
	Past: catalog.PastHidden, Encoding: urlset.Strict,
	parts: content.Parts,
}

// pageDates dates every page of a list by its newest entry.
func pageDates(_ *Build, l *catalog.List) []int64 { return l.PageDates() }

// ByID is TermPolicy.Order by id.
func ByID(_ *Build, _ *registry.Taxonomy, entries []catalog.Entry) {
	slices.SortFunc(entries, func(x, y catalog.Entry) int { return cmp.Compare(x.ID, y.ID) })
}
