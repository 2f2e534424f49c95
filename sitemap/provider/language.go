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
	if !b.Rules.HasDomains() && !b.Rules.Blog.Languages().HidesDefault() {
		if l, ok := b.Rules.Blog.Languages().ByCode(b.Rules.Blog.Languages().Default()); ok { // home only redirects to it
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
// language with posts. The links name each other as alternates.
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
	var links []catalog.FirstLink
	var alternates []wp.Alternate
	for i, lang := range b.Rules.Blog.Languages().All {
		of := b.Rows.Languages[t.Name][i]
		if !lang.Active || !home && !of.Listed {
			continue
		}
		loc := lang.Home
		switch {
		case !home:
			var err error
			if loc, err = b.Rules.Book.ArchiveLinkIn(ctx, t, lang.Code); err != nil {
				return err
			}
		case lang.Code == b.Rules.Blog.Languages().OfDomain(), !b.Rules.HasDomains() && lang.Code == b.Rules.Blog.Languages().Default():
			loc = l.First[0].Loc
		}
		if slices.ContainsFunc(alternates, func(a wp.Alternate) bool { return a.Link == loc }) { // links of this form are equal in every language
			continue
		}
		alternates = append(alternates, wp.Alternate{Language: lang.Code, Link: loc})
		if !b.Rules.HasDomains() || lang.Code == b.Rules.Blog.Languages().OfDomain() {
			links = append(links, catalog.FirstLink{Loc: loc, LastMod: of.Newest})
		}
	}
	named := b.Renderer.alternateLinks(alternates)
	for i := range links {
		links[i].Alternates = named
	}
	l.First = links
	return nil
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
