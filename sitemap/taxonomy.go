package sitemap

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/registry"
)

// Taxonomies lists the taxonomies.
var Taxonomies = Provider{Lists: func(ctx context.Context, b *build) error {
	for _, t := range b.site.Registry().Taxonomies {
		if !b.listsTaxonomy(t) {
			continue
		}
		l, err := b.taxonomyList(ctx, t)
		if err != nil {
			return err
		}
		b.add(l)
	}
	return nil
}}

// taxonomyList makes the list of a taxonomy.
func (b *build) taxonomyList(ctx context.Context, t *registry.Taxonomy) (*list, error) {
	terms := b.terms[t.Name]
	if terms == nil {
		var err error
		if terms, err = b.readTerms(ctx, t); err != nil {
			return nil, err
		}
		if b.opt.Keep {
			b.terms[t.Name] = terms
		}
	}
	c := b.Renderer // what is kept must not hold on to the build
	l := b.list(list{
		name: b.urls.Name(KindTerm, t.Name), kind: KindTerm, of: t.Name, past: c.policy.past, piecewise: true,
		locate: c.termLocations(t), titles: c.site.TermNames, hints: c.opt.Hints.Taxonomies[t.Name],
		render: undated(func(ctx context.Context, entries []entry) ([]urlset.URL, error) {
			return c.termURLs(ctx, t, entries)
		}),
	})
	for i := range terms.rows {
		term := &terms.rows[i]
		if !term.listed {
			continue
		}
		if term.rule != Listed {
			b.skipped[term.rule]++
			if !b.policy.terms.takesPlace(term.rule) {
				continue
			}
		}
		l.entries = append(l.entries, newEntry(term.ID, term.own, term.rule))
	}
	if b.policy.terms.order != nil {
		b.policy.terms.order(l.entries)
	}
	slices.Sort(b.translated.terms[t.Name])
	if b.translated.alternates && b.site.TranslatesTaxonomy(t.Name) {
		l.extensions = urlset.Images | urlset.Alternates
	}
	l.indexed = len(l.entries) > 0 && len(t.ObjectTypes) > 0
	l.dates = b.policy.terms.dates(b, t, l, terms)
	return l, nil
}

// termURLs renders entries of a taxonomy. Their images are those of the description.
func (c *Renderer) termURLs(ctx context.Context, t *registry.Taxonomy, entries []entry) ([]urlset.URL, error) {
	ids := make([]int64, len(entries))
	lastmod := make(map[int64]int64, len(entries))
	for i, e := range entries {
		ids[i], lastmod[e.id] = e.id, e.lastmod()
	}
	terms, err := c.site.TranslatedTerms(ctx, t, ids, c.translations(t.Name))
	if err != nil {
		return nil, err
	}
	found := newImageFinder(c, 0)
	for _, term := range terms {
		found.add(part{term.ID, 1}, content.AppendImages(nil, term.Description), content.Galleries(term.Description))
	}
	if err := found.resolve(ctx, nil); err != nil {
		return nil, err
	}
	urls := make([]urlset.URL, len(terms))
	for i, term := range terms {
		urls[i] = urlset.URL{Object: term.ID, Loc: term.Link, LastMod: lastmod[term.ID], Images: found.compose(part{term.ID, 1}, 0, 0), Alternates: c.alternateLinks(term.Alternates)}
	}
	return urls, nil
}

// termLocations returns what reads the addresses of a taxonomy's terms.
func (c *Renderer) termLocations(t *registry.Taxonomy) func(ctx context.Context, entries []entry) ([]located, error) {
	return func(ctx context.Context, entries []entry) ([]located, error) {
		terms, err := c.site.TermsByID(ctx, t, entryIDs(entries))
		found := make([]located, 0, len(terms))
		for _, term := range terms {
			found = append(found, located{term.ID, term.Link})
		}
		return found, err
	}
}
