package sitemap

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/registry"
)

// neverTaxonomies are public by registration and yet have no sitemap.
var neverTaxonomies = []string{"link_category", "nav_menu", "wp_pattern_category"}

// listsTaxonomy tells whether a taxonomy has a sitemap: public, and not noindexed in Yoast's
// settings. Whether it can be queried is not asked.
func (c *Catalog) listsTaxonomy(t *registry.Taxonomy) bool {
	y := &c.site.Settings().Yoast
	if t.Name == "post_format" && y.FormatsDisabled() {
		return false
	}
	return t.Public && !c.site.TaxonomyExcluded(t.Name) && !y.TaxonomyNoindex(t.Name) && !slices.Contains(neverTaxonomies, t.Name)
}

// termDates are the dates of the posts of one term.
type termDates struct {
	own      int64 // newest change of an open post of any type, attachments included
	local    int64 // newest local change of a published post of the taxonomy's types …
	localGMT int64 // … and the UTC change of that same post
}

// taxonomyList decides about the terms of a taxonomy and dates them.
func (b *build) taxonomyList(ctx context.Context, t *registry.Taxonomy) (*list, error) {
	terms, err := b.site.Terms(ctx, t)
	if err != nil {
		return nil, err
	}
	dates, err := b.termDates(ctx, t, terms)
	if err != nil {
		return nil, err
	}
	c := b.Catalog // what is kept must not hold on to the build
	l := &list{name: t.Name, render: func(ctx context.Context, entries []entry) ([]urlset.URL, error) {
		return c.termURLs(ctx, t, entries)
	}}
	links, err := b.termLinks(ctx, t, terms.Listed)
	if err != nil {
		return nil, err
	}
	speaks, err := b.termLanguages(ctx, t, terms.Listed)
	if err != nil {
		return nil, err
	}
	y := &b.site.Settings().Yoast
	for _, term := range terms.Listed {
		language, elsewhere := speaks(term.ID)
		rule := b.judge(Object{
			Kind: KindTerm, ID: term.ID, Noindex: y.TermNoindex(t.Name, term.ID),
			Canonical: y.TermCanonical(t.Name, term.ID), Link: links[term.ID], Language: language,
		})
		if elsewhere != Listed {
			if elsewhere == OtherLanguage && rule == Listed && b.translated.alternates {
				b.translated.terms[t.Name] = append(b.translated.terms[t.Name], term.ID)
			}
			rule = elsewhere
		}
		if rule != Listed {
			b.skipped[rule]++
			if b.opt.Compat.FullPages || !rule.counted() {
				continue
			}
		}
		l.entries = append(l.entries, entry{term.ID, dates[term.ID].own, rule})
	}
	if b.opt.Compat.ByID {
		slices.SortFunc(l.entries, func(x, y entry) int { return cmp.Compare(x.id, y.id) })
	}
	slices.Sort(b.translated.terms[t.Name])
	if b.translated.alternates && b.site.TranslatesTaxonomy(t.Name) {
		l.extensions = urlset.Images | urlset.Alternates
	}
	l.indexed = len(l.entries) > 0 && len(t.ObjectTypes) > 0
	if b.opt.Compat.PageDates {
		l.dates = b.pageDates(l)
	} else {
		l.dates = b.taxonomyDates(t, l, terms, dates)
	}
	return l, nil
}

// termLinks returns the links of those terms whose decision depends on them.
func (b *build) termLinks(ctx context.Context, t *registry.Taxonomy, listed []wp.TermRow) (map[int64]string, error) {
	var ids []int64
	for _, term := range listed {
		if len(b.opt.Exclude.URLs) > 0 || b.site.Settings().Yoast.TermCanonical(t.Name, term.ID) != "" {
			ids = append(ids, term.ID)
		}
	}
	links := map[int64]string{}
	terms, err := b.site.TermsByID(ctx, t, ids)
	for _, term := range terms {
		links[term.ID] = term.Link
	}
	return links, err
}

// termDates joins the terms with the dates of posts already read; rows of other types are
// read by id.
func (b *build) termDates(ctx context.Context, t *registry.Taxonomy, terms *wp.Terms) (map[int64]termDates, error) {
	termOf := make(map[int64]int64, len(terms.All))
	taxonomyIDs := make([]int64, 0, len(terms.All))
	dates := make(map[int64]termDates, len(terms.All))
	for _, term := range terms.All {
		termOf[term.TaxonomyID] = term.ID
		taxonomyIDs = append(taxonomyIDs, term.TaxonomyID)
		dates[term.ID] = termDates{wp.NoTime, wp.NoTime, wp.NoTime}
	}
	slices.Sort(taxonomyIDs)
	elsewhere := map[int64][]int64{} // object → terms
	err := b.site.Relations(ctx, taxonomyIDs, func(taxonomyID, object int64) {
		term := termOf[taxonomyID]
		if postType, r, ok := b.findRow(t, object); ok {
			dates[term] = dates[term].with(r, slices.Contains(t.ObjectTypes, postType) && b.queried(t, r))
			return
		}
		elsewhere[object] = append(elsewhere[object], term)
	})
	if err != nil || len(elsewhere) == 0 {
		return dates, err
	}
	ids := make([]int64, 0, len(elsewhere))
	for id := range elsewhere {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	err = b.site.PostDates(ctx, ids, func(p wp.PostDates) {
		r := postRow{modified: p.Modified, modifiedGMT: p.ModifiedGMT, status: statusOf(p.Status), protected: p.Protected}
		for _, term := range elsewhere[p.ID] {
			dates[term] = dates[term].with(r, slices.Contains(t.ObjectTypes, p.Type) && b.queried(t, r))
		}
	})
	return dates, err
}

// findRow looks an object up among the posts already read, its taxonomy's own types first.
func (b *build) findRow(t *registry.Taxonomy, object int64) (string, postRow, bool) {
	for _, name := range t.ObjectTypes {
		if i, ok := findPost(b.posts[name], object); ok {
			return name, b.posts[name][i], true
		}
	}
	for name, rows := range b.posts {
		if i, ok := findPost(rows, object); ok {
			return name, rows[i], true
		}
	}
	return "", postRow{}, false
}

func (d termDates) with(r postRow, ofTaxonomy bool) termDates {
	if r.status != otherwise && !r.protected {
		d.own = max(d.own, r.modifiedGMT)
	}
	if r.status == published && ofTaxonomy && r.modified > d.local {
		d.local, d.localGMT = r.modified, r.modifiedGMT
	}
	return d
}

// taxonomyDates are the plugin's index dates: the post changed last, by local time, among
// those of the page's terms and of all terms below them; without one, the newest change of
// any post of the taxonomy's types.
func (b *build) taxonomyDates(t *registry.Taxonomy, l *list, terms *wp.Terms, dates map[int64]termDates) []int64 {
	pages := make([]int64, b.pages(l))
	for i := range pages {
		_, entries, _ := b.slice(l, i+1)
		newest := termDates{local: wp.NoTime, localGMT: wp.NoTime}
		later := func(d termDates) {
			if d.local > newest.local {
				newest = d
			}
		}
		for _, e := range entries {
			later(dates[e.id])
			for _, below := range terms.Below(e.id) {
				later(dates[below])
			}
		}
		pages[i] = newest.localGMT
		if newest.local == wp.NoTime {
			for _, name := range t.ObjectTypes {
				pages[i] = max(pages[i], b.newestOf(&list{name: name}))
			}
		}
	}
	return pages
}

// termURLs renders entries of a taxonomy. Their images are those of the description.
func (c *Catalog) termURLs(ctx context.Context, t *registry.Taxonomy, entries []entry) ([]urlset.URL, error) {
	ids := make([]int64, len(entries))
	lastmod := make(map[int64]int64, len(entries))
	for i, e := range entries {
		ids[i], lastmod[e.id] = e.id, e.lastmod
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
		urls[i] = urlset.URL{Loc: term.Link, LastMod: lastmod[term.ID], Images: found.compose(part{term.ID, 1}, 0, 0), Alternates: c.alternateLinks(term.Alternates)}
	}
	return urls, nil
}
