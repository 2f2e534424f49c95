package rows

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// The rules of redirect managers match addresses, but a row has no address. A rule for a single address
// can match only objects with certain slugs or ids, so only their links are made. A regular expression can
// match any address, so the links of all objects are made.
const (
	mostLinked = 200_000    // maximum number of objects whose links are made because of regular expressions
	mostTries  = 20_000_000 // maximum number of objects times the number of regular expressions
)

// FindRedirected finds the objects that a redirect rule can match, so that a full scan must make their links. If there are
// too many objects, it drops the rules with regular expressions and logs a warning.
func (b *Reader) FindRedirected(ctx context.Context) error {
	b.redirected = nil
	if b.Rules.Redirects == nil {
		return nil
	}
	if n := b.Rules.Redirects.Patterns(); n > 0 {
		objects, err := objects.CountObjects(ctx, b.Rules.Blog, b.typesRead(), mostLinked+1)
		if err != nil {
			return err
		}
		if objects > mostLinked || objects*n > mostTries {
			b.Rules.Options.Log.Warn("redirects by regular expression are ignored, because the site has too many URLs to try them",
				"hint", "sitemaps may list URLs that redirect: write these redirects without expressions, or exclude the URLs",
				"home", b.Rules.Blog.Home(), "expressions", n, "most_addresses", min(mostLinked, mostTries/n))
			b.Rules.Redirects = b.Rules.Redirects.WithoutPatterns()
		}
	}
	means := b.Rules.Redirects.Means(b.Rules.Links)
	posts, terms, err := objects.ObjectsNamed(ctx, b.Rules.Blog, slices.Collect(maps.Keys(means.Slugs)))
	if err != nil {
		return err
	}
	for _, id := range posts {
		means.Posts[id] = true
	}
	for _, id := range terms {
		means.Terms[id] = true
	}
	means.Slugs, b.redirected = nil, means
	return nil
}

func (b *Reader) typesRead() []string {
	var types []string
	for _, t := range b.Rules.PostTypes() {
		if b.Rules.Reads(t) {
			types = append(types, t.Name)
		}
	}
	return types
}

// RedirectsPost reports whether a redirect rule may match a post. Only the link of the post then tells whether the rule does.
func (b *Reader) RedirectsPost(t *registry.PostType, id int64) bool {
	return b.Rules.Redirects != nil && (b.redirected == nil || b.Rules.Redirects.Patterns() > 0 || b.redirected.Posts[id] || !b.named(t))
}

// RedirectsTerm reports whether a redirect rule may match a term. Only the link of the term then tells
// whether the rule does.
func (b *Reader) RedirectsTerm(id int64) bool {
	return b.Rules.Redirects != nil && (b.redirected == nil || b.Rules.Redirects.Patterns() > 0 || b.redirected.Terms[id])
}

// named reports whether the links of a post type contain the slug or the id of the post.
func (b *Reader) named(t *registry.PostType) bool {
	return t.Name != "post" || !b.Rules.Links.Pretty() || b.Rules.Links.NamesPosts()
}
