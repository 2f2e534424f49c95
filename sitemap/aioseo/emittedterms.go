package aioseo

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Terms makes one list for each listed taxonomy.
type Terms struct{ provider.Lister }

func (Terms) Names(r *seo.Rules) map[string]bool {
	if r.Blog.Languages().None() {
		return nil
	}
	return map[string]bool{languageTaxonomy: true}
}

func (Terms) Lists(ctx context.Context, b *provider.Build) error {
	own := b.Rules.Settings.(*settings)
	for _, t := range b.Rules.Taxonomies() {
		if !b.Rules.ListsType(t) {
			continue
		}
		all, err := b.TermsOf(ctx, t)
		if err != nil {
			return err
		}
		addTerms(b, own, t, all, own.decodedLocs(own.terms(b.Renderer.Terms(t))))
	}
	return languageTerms(ctx, b, own)
}

// addTerms adds the list of a taxonomy. A term is listed if the term itself or a term directly below it has posts. The
// term has the newest date of the posts of the terms directly below it, or 1970 if these have no posts.
//
// Before 4.7.5 a term is listed only if the term itself has posts. Before 4.6.9.1 the date comes from the
// posts of another term: the one whose term_taxonomy_id equals the term_id of the listed term.
func addTerms(b *provider.Build, own *settings, t *registry.Taxonomy, all *rows.Terms, content catalog.Own) {
	inUse, newest, byTaxonomyID := map[int64]bool{}, map[int64]int64{}, map[int64]*rows.TermDates{}
	for i := range all.All {
		row, dates := &all.All[i].Row, &all.All[i].Dates
		byTaxonomyID[row.TaxonomyID] = dates
		if row.Count > 0 {
			inUse[row.ID] = true
			inUse[row.Parent] = inUse[row.Parent] || !own.before("4.7.5")
		}
		newest[row.Parent] = max(newest[row.Parent], dates[rows.DatePublished].At)
	}
	mistaken := func(term int64, of int) int64 { // the plugin uses a term_id as if it were a term_taxonomy_id
		if dates := byTaxonomyID[term]; dates != nil {
			return dates[of].At
		}
		return wp.NoTime
	}
	l := b.List(catalog.List{
		Name: t.Name, Kind: seo.KindTerm, Of: t.Name, Content: content,
		Hints: cmpHints(b.Rules.Options.Hints.Taxonomies[t.Name], own.hints("taxonomies", t.Name)),
	})
	for i := range all.All {
		term, id := &all.All[i], all.All[i].Row.ID
		v := term.Verdict
		if !term.Used {
			v = b.Rules.JudgeTerm(t.Name, id, "", "")
		}
		switch {
		case !inUse[id]:
		case v != seo.Listed:
			b.Leave(v, seo.Left{Kind: seo.KindTerm, Of: t.Name, ID: id})
		default:
			date := max(newest[id], 0)
			switch {
			case own.before("4.4.4"):
				date = mistaken(id, rows.DateAny)
			case own.before("4.6.9.1"):
				date = mistaken(id, rows.DatePublished)
			}
			l.Places = append(l.Places, catalog.NewPlace(id, date, seo.Listed))
		}
	}
	l.Places.ByID()
	for page := range slices.Chunk(l.Places, l.Size) {
		date := wp.NoTime
		for _, p := range page {
			date = max(date, mistaken(p.ID, rows.DateAny))
		}
		l.Dates = append(l.Dates, date)
	}
	if l.Indexed = len(l.Places) > 0; l.Indexed {
		l.Past = catalog.PastEvery
	}
	b.Add(l)
}

// languageTaxonomy is Polylang's taxonomy, whose terms are languages.
const languageTaxonomy = "language"

// languageTerms adds a list of Polylang's languages. These are public terms whose addresses are the
// home pages of the languages.
func languageTerms(ctx context.Context, b *provider.Build, own *settings) error {
	t := &registry.Taxonomy{Name: languageTaxonomy, Taxonomy: true}
	if _, off := own.noindexOf("taxonomies", t.Name); b.Rules.Blog.Languages().None() || off || !own.includes("taxonomies", t.Name) {
		return nil
	}
	all, err := b.Rows.ReadTerms(ctx, t)
	if err != nil || len(all.All) == 0 {
		return err
	}
	book, blog := b.Rules.Book, b.Rules.Blog
	addTerms(b, own, t, all, own.decodedLocs(catalog.Located(func(ctx context.Context, ids []int64) (map[int64]string, error) {
		terms, err := book.TermsByID(ctx, t, ids)
		locs := map[int64]string{}
		for _, term := range terms {
			if _, ok := blog.Languages().ByCode(term.Slug); ok {
				locs[term.ID] = blog.Languages().Links.Home(term.Slug)
			}
		}
		return locs, err
	}, blog.TermNames)))
	return nil
}
