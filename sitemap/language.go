package sitemap

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// homeOfDefaultLanguage is the address of home in the language that has no domain or code but home itself.
func (b *build) homeOfDefaultLanguage() string {
	if !b.hasDomains() && !b.site.HidesDefaultLanguage() {
		if l, ok := b.site.LanguageByCode(b.site.DefaultLanguage()); ok { // home only leads on to it
			return l.Home
		}
	}
	return b.links.HomeURL()
}

// archiveIsPage reports whether a page stands where the archive of a post type would.
func (b *build) archiveIsPage(ctx context.Context, t *registry.PostType) (bool, error) {
	if t.ArchivePage > 0 {
		return true, nil
	}
	return b.site.PageAt(ctx, cmp.Or(t.ArchiveSlug, t.Slug, t.Name))
}

// ownLanguageLinks replaces the archive or home of a translated post type by those of every language in which
// it has one, each naming the others.
func ownLanguageLinks(ctx context.Context, b *build, t *registry.PostType, l *list) error {
	home := t.Name == "post" && b.site.Settings().ShowOnFront == "posts"
	if len(l.first) != 1 || l.first[0].object != 0 || t.Name == "page" || t.Name == "post" && !home {
		return nil
	}
	if !home {
		if own, err := b.archiveIsPage(ctx, t); err != nil || own {
			return err
		}
	}
	var links []firstLink
	var alternates []wp.Alternate
	for i, lang := range b.site.Languages() {
		of := b.languages[t.Name][i]
		if !lang.Active || !home && !of.listed {
			continue
		}
		loc := lang.Home
		switch {
		case !home:
			var err error
			if loc, err = b.site.ArchiveLinkIn(ctx, t, lang.Code); err != nil {
				return err
			}
		case lang.Code == b.site.Language(), !b.hasDomains() && lang.Code == b.site.DefaultLanguage():
			loc = l.first[0].loc
		}
		if slices.ContainsFunc(alternates, func(a wp.Alternate) bool { return a.Link == loc }) { // the form of the links tells no language
			continue
		}
		alternates = append(alternates, wp.Alternate{Language: lang.Code, Link: loc})
		if !b.hasDomains() || lang.Code == b.site.Language() {
			links = append(links, firstLink{loc: loc, lastmod: of.newest})
		}
	}
	named := b.alternateLinks(alternates)
	for i := range links {
		links[i].alternates = named
	}
	l.first = links
	return nil
}

// translateFirstLinks names the translations of the front page and of the posts page.
func (b *build) translateFirstLinks(ctx context.Context) error {
	if !b.translated.alternates {
		return nil
	}
	for _, l := range b.lists {
		for i := range l.first {
			f := &l.first[i]
			id := cmp.Or(f.postID, f.object)
			if id == 0 {
				continue
			}
			posts, err := b.site.TranslatedPosts(ctx, []int64{id}, nil, b.listsPost, nil)
			if err != nil {
				return err
			}
			if len(posts) == 1 {
				f.alternates = b.alternateLinks(posts[0].Alternates)
			}
		}
	}
	return nil
}

// translations returns what lets an alternate among the posts, or among the terms of a taxonomy, pass; nil when none are wanted.
func (c *Renderer) translations(taxonomy string) func(id int64) bool {
	if !c.elsewhere.alternates {
		return nil
	}
	if taxonomy == "" {
		return c.listsPost
	}
	return func(id int64) bool {
		if _, ok := slices.BinarySearch(c.elsewhere.terms[taxonomy], id); ok {
			return true
		}
		for _, l := range c.catalog.lists {
			if l.kind == KindTerm && l.of == taxonomy {
				return l.lists(id)
			}
		}
		return false
	}
}

// listsPost reports whether a post stands in a sitemap, here or at another language's domain.
func (c *Renderer) listsPost(id int64) bool {
	if _, ok := slices.BinarySearch(c.elsewhere.posts, id); ok {
		return true
	}
	for _, l := range c.catalog.lists {
		if l.kind == KindPost && l.lists(id) {
			return true
		}
	}
	return false
}

// defaultAlternate is the hreflang of the address for all other languages.
const defaultAlternate = "x-default"

// alternateLinks puts alternates into the terms of hreflang: the default language's, else the first, stands for
// all other languages, too. Fewer than two are none.
func (c *Renderer) alternateLinks(alternates []wp.Alternate) []urlset.Alternate {
	if len(alternates) < 2 || !c.elsewhere.alternates {
		return nil
	}
	links := make([]urlset.Alternate, 0, len(alternates)+1)
	others := alternates[0].Link
	for _, a := range alternates {
		l, _ := c.site.LanguageByCode(a.Language)
		links = append(links, urlset.Alternate{Language: l.Tag, Href: a.Link})
		if a.Language == c.site.DefaultLanguage() {
			others = a.Link
		}
	}
	return append(links, urlset.Alternate{Language: defaultAlternate, Href: others})
}
