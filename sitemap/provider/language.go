package provider

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// homeOfDefaultLanguage returns the home address of the default language. If the URLs of that language
// contain its code, home itself only redirects.
func (b *Build) homeOfDefaultLanguage() string {
	languages := b.Rules.Blog.Languages()
	if !b.Rules.HasDomains() && !languages.HidesDefault() {
		if l, ok := languages.ByCode(languages.Default()); ok {
			return l.Home
		}
	}
	return b.Rules.Links.HomeURL()
}

// ArchiveIsPage reports whether a page has the same address as a post type's archive.
func (b *Build) ArchiveIsPage(ctx context.Context, t *registry.PostType) (bool, error) {
	if t.ArchivePage > 0 {
		return true, nil
	}
	return objects.PageAt(ctx, b.Rules.Blog, cmp.Or(t.ArchiveSlug, t.Slug, t.Name))
}

// ownLanguageLinks replaces the archive or home of a translated post type by one first link for each
// language with posts. The links name each other as alternates. If the first link is a page, translateFirstLinks gives it
// its alternates.
func ownLanguageLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) error {
	home := t.Name == "post" && b.Rules.Blog.Settings().ShowOnFront == "posts"
	if len(l.First) != 1 || l.First[0].Object != 0 || t.Name == "page" || t.Name == "post" && !home {
		return nil
	}
	if !home {
		if own, err := b.ArchiveIsPage(ctx, t); err != nil || own {
			return err
		}
	}
	languages := b.Rules.Blog.Languages()
	var links []catalog.FirstLink
	var alternates []wp.Alternate
	for i, lang := range languages.All {
		posts := b.Rows.Languages[t.Name][i]
		if !lang.Active || !home && !posts.Listed { // WordPress answers home, but no archive, if a language has no posts
			continue
		}
		loc, err := b.firstLinkIn(ctx, t, &lang, l.First[0].Loc)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(alternates, func(a wp.Alternate) bool { return a.Link == loc }) { // links of this form are equal in every language
			continue
		}
		if !b.Rules.Excludes(seo.Object{Kind: seo.KindArchive, Link: loc}) {
			alternates = append(alternates, wp.Alternate{Language: lang.Code, Link: loc})
		}
		if !b.Rules.HasDomains() || lang.Code == languages.OfDomain() { // each domain lists its own link
			links = append(links, catalog.FirstLink{Loc: loc, LastMod: posts.Newest})
		}
	}
	named := b.Renderer.alternateLinks(alternates)
	for i := range links {
		links[i].Alternates = named
	}
	l.First = links
	return nil
}

// firstLinkIn returns the address of the archive of a post type in a language, or that of home for posts. In the language of this
// site it is loc, because only the policy knows whether home ends in a slash.
func (b *Build) firstLinkIn(ctx context.Context, t *registry.PostType, lang *wp.Language, loc string) (string, error) {
	if t.Name != "post" {
		return b.Rules.Book.ArchiveLinkIn(ctx, t, lang.Code)
	}
	languages, own := b.Rules.Blog.Languages(), lang.Code
	if own == languages.OfDomain() || !b.Rules.HasDomains() && own == languages.Default() {
		return loc, nil
	}
	return lang.Home, nil
}

// translateFirstLinks adds the alternates of the front page and of the posts page.
func (b *Build) translateFirstLinks(ctx context.Context) error {
	if !b.Rows.Translated.Alternates {
		return nil
	}
	for _, l := range b.Catalog.Lists {
		for i := range l.First {
			f := &l.First[i]
			id := cmp.Or(f.PostID, f.Object)
			if id == 0 {
				continue
			}
			posts, err := b.Rules.Book.TranslatedPosts(ctx, []int64{id}, nil, b.Renderer.translations(""), nil)
			if err != nil {
				return err
			}
			if len(posts) == 1 {
				f.Alternates = b.Renderer.alternateLinks(posts[0].Alternates)
			}
		}
	}
	return nil
}

// A page of a multilingual site links to its translations (hreflang), and so does its entry in the sitemap. A link leads only to
// what a sitemap lists, here or at the domain of another language.

// translations returns a function that reports whether the translation with an id is in a sitemap of this domain, or of
// the domain of another language. The id belongs to a term of taxonomy, or to a post if taxonomy is "". If the sitemaps
// contain no links to translations (hreflang), the function is nil.
func (c *Renderer) translations(taxonomy string) func(id int64) bool {
	if !c.elsewhere.Alternates || c.bare {
		return nil
	}
	kind, elsewhere := seo.KindPost, c.elsewhere.Posts
	if taxonomy != "" {
		kind, elsewhere = seo.KindTerm, c.elsewhere.Terms[taxonomy]
	}
	return func(id int64) bool {
		_, ok := slices.BinarySearch(elsewhere, id)
		return ok || slices.ContainsFunc(c.catalog.Lists, func(l *catalog.List) bool {
			return l.Kind == kind && (taxonomy == "" || l.Of == taxonomy) && l.Lists(id)
		})
	}
}

// alternateLinks converts alternates to links of a page. It returns nil if there are fewer than two.
func (c *Renderer) alternateLinks(alternates []wp.Alternate) []urlset.Alternate {
	if len(alternates) < 2 || !c.elsewhere.Alternates {
		return nil
	}
	var links []urlset.Alternate
	for _, a := range c.Rules.Blog.Languages().Plugin.Hreflang(alternates) {
		links = append(links, urlset.Alternate{Language: a.Language, Href: a.Link})
	}
	return links
}
