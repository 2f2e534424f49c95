package sitemap

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/registry"
)

// A Policy is how lists are laid out and dated: as a plugin does it, or by level spec, which is one for all plugins. It
// is made of functions, each named for the question that it answers, so that nobody asks which policy is in force.
type Policy struct {
	posts   postPolicy
	terms   termPolicy
	authors authorPolicy
	first   firstLinkPolicy
	images  imagePolicy

	past     pastEnd // of lists without a rule of their own
	encoding urlset.Encoding
	// parts cuts a text at <!--nextpage-->; nil: a post has one address.
	parts func(text string) []string
	// asked returns what makes a list of posts as it answers to the query variable, see list.asked; nil for as always.
	asked func(b *build, l *list) func(*list) *list
}

type postPolicy struct {
	past pastEnd
	// takesPlace reports whether an object with a verdict takes a place on the pages.
	takesPlace func(Verdict) bool
	// order sorts indexes of rows; nil: they stay by id.
	order func(rows []postRow, indexes []int32)
	// indexed reports whether the index names a list.
	indexed func(t *registry.PostType, l *list) bool
	// dates are those of the pages in the index.
	dates func(b *build, l *list) []int64
	// newest is the date of a post type's archive.
	newest func(b *build, l *list) int64
}

type termPolicy struct {
	takesPlace func(Verdict) bool
	// order sorts the entries; nil: they stay by name, as read.
	order func([]entry)
	dates func(b *build, t *registry.Taxonomy, l *list, terms *termRows) []int64
}

type authorPolicy struct {
	takesPlace func(Verdict) bool
	// order sorts users; nil: they stay by id.
	order func(b *build, ids []int64)
	dates func(b *build, l *list) []int64
	// lastmod is the date of a user; newest has those of posts by author.
	lastmod func(b *build, id int64, newest map[int64]int64) int64
}

// firstLinkPolicy is about the addresses before the objects of a list: home, front page, posts page, archive.
type firstLinkPolicy struct {
	// links are those of a post type.
	links func(ctx context.Context, b *build, t *registry.PostType, l *list) ([]firstLink, error)
	// languages adds those of other languages.
	languages func(ctx context.Context, b *build, t *registry.PostType, l *list) error
	// home is the address of the home page.
	home func(b *build) string
	// once takes home out of the pages where the posts have it, too.
	once func(b *build, pages *list)
	// places reports whether they take places on the pages.
	places bool
}

type imagePolicy struct {
	// title is that of an attachment.
	title func(a *wp.Attachment) string
	// room reports whether an image may be added.
	room func(l *imageList, src string) bool
	// own reports whether a post lists its own file.
	own func(p *wp.Post) bool
}

func onlyListed(v Verdict) bool { return v == Listed }

// SpecPolicy is level spec: true dates, and full pages in an order that an edit does not change.
var SpecPolicy = Policy{
	posts: postPolicy{
		past: pastHidden, takesPlace: onlyListed, dates: pageDates, newest: func(_ *build, l *list) int64 { return l.newestListed() },
		indexed: func(t *registry.PostType, l *list) bool { return len(l.entries) > 0 || len(l.first) > 0 && t.BuiltIn },
	},
	terms: termPolicy{
		takesPlace: onlyListed, order: sortByID,
		dates: func(b *build, _ *registry.Taxonomy, l *list, _ *termRows) []int64 { return l.pageDates() },
	},
	authors: authorPolicy{takesPlace: onlyListed, dates: pageDates, lastmod: newestOfAuthor},
	first: firstLinkPolicy{
		links:     ownFirstLinks,
		languages: ownLanguageLinks,
		home:      (*build).homeOfDefaultLanguage,
		once:      (*build).homeOnce,
		places:    true, // a multilingual site has several
	},
	images: imagePolicy{
		title: func(a *wp.Attachment) string {
			return cmp.Or(formatting.PlainText(a.Caption), formatting.PlainText(a.Title))
		},
		room: func(l *imageList, src string) bool { return len(l.images) < maxImages && !l.has(src) },
		own:  func(p *wp.Post) bool { return p.Type == "attachment" },
	},
	past: pastHidden, encoding: urlset.Strict,
	parts: content.Parts,
}

// pageDates dates every page of a list by its newest entry.
func pageDates(_ *build, l *list) []int64 { return l.pageDates() }

func sortByID(entries []entry) {
	slices.SortFunc(entries, func(x, y entry) int { return cmp.Compare(x.id, y.id) })
}
