package aioseo

import (
	"context"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
)

// Attributes adds the list of terms of WooCommerce's product attributes.
func Attributes(ctx context.Context, b *provider.Build) error {
	own := b.Rules.Settings.(*settings)
	if own.attributesOff("") != nil {
		return nil
	}
	l := b.List(catalog.List{
		Name: attributesName, Kind: seo.KindTerm, Size: urlset.MaxEntries, Past: b.Renderer.Policy.Past(),
	})
	of, err := addAttributes(ctx, b, l)
	if err != nil {
		return err
	}
	l.Places.ByID()
	l.Places = l.Places[:min(len(l.Places), l.Size)]
	content := catalog.Located(linksOf(b.Rules.Book, of), b.Rules.Blog.TermNames)
	if l.Content = content; !own.spec {
		l.Content = own.decodedLocs(content)
		l.Hints = own.hints("taxonomies", "")
	}
	l.Indexed = len(l.Places) > 0
	l.Dates = l.PageDates()
	setIndexDate(b, l)
	b.Add(l)
	return nil
}

// addAttributes adds the terms of all attributes to the list. It returns the taxonomy of each term in the list. In old databases,
// terms of several taxonomies may share one id; the first one is listed.
func addAttributes(ctx context.Context, b *provider.Build, l *catalog.List) (map[int64]*registry.Taxonomy, error) {
	dated := rows.DatePublished
	if b.Rules.Settings.(*settings).spec {
		dated = rows.DateOpen
	}
	of := map[int64]*registry.Taxonomy{}
	for _, t := range b.Rules.Blog.Registry().Taxonomies {
		if !t.Public || !isAttribute(b.Rules.Blog, t.Name) || b.Rules.Blog.Excludes(t) {
			continue
		}
		l.TermsOf = append(l.TermsOf, t.Name)
		terms, err := b.TermsOf(ctx, t)
		if err != nil {
			return nil, err
		}
		for i := range terms.All {
			term, id := &terms.All[i], terms.All[i].Row.ID
			switch {
			case term.Row.Count < 1 || of[id] != nil:
			case term.Verdict != seo.Listed:
				b.Leave(term.Verdict, seo.Left{Kind: seo.KindTerm, Of: t.Name, ID: id})
			default:
				of[id] = t
				l.Places = append(l.Places, catalog.NewPlace(id, term.Dates[dated].At, seo.Listed))
			}
		}
	}
	return of, nil
}

// linksOf returns a function that reads the addresses of terms, by id. of has their taxonomies. The function outlives the build, so
// it holds only the book.
func linksOf(book *address.Book, of map[int64]*registry.Taxonomy) func(context.Context, []int64) (map[int64]string, error) {
	return func(ctx context.Context, ids []int64) (map[int64]string, error) {
		byTaxonomy, links := map[*registry.Taxonomy][]int64{}, map[int64]string{}
		for _, id := range ids {
			if t := of[id]; t != nil {
				byTaxonomy[t] = append(byTaxonomy[t], id)
			}
		}
		terms, err := book.NamedTerms(ctx, byTaxonomy)
		for _, term := range terms {
			links[term.ID] = term.Link
		}
		return links, err
	}
}
