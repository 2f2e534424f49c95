package sitemap

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/registry"
)

// neverTaxonomies are public by registration and yet have no sitemap.
var neverTaxonomies = []string{"link_category", "nav_menu", "wp_pattern_category"}

// listsTaxonomy reports whether a taxonomy has a sitemap: public, and not noindexed in Yoast's
// settings. Whether it can be queried is not asked.
func (c *Catalog) listsTaxonomy(t *registry.Taxonomy) bool {
	y := &c.site.Settings().Yoast
	if t.Name == "post_format" && y.FormatsDisabled() {
		return false
	}
	return t.Public && !c.site.TaxonomyExcluded(t.Name) && !c.policy.taxonomyNoindex(y, t.Name) && !slices.Contains(neverTaxonomies, t.Name)
}

// termDates are the dates of the posts of one term, each with the post it is from.
type termDates struct {
	own      int64 // newest change of an open post of any type, attachments included
	local    int64 // newest local change of a published post of the taxonomy's types …
	localGMT int64 // … and the UTC change of that same post
	ownPost  int64
	post     int64 // of local
}

var noDates = termDates{own: wp.NoTime, local: wp.NoTime, localGMT: wp.NoTime}

// termRow is one term, whether it is listed or not.
type termRow struct {
	wp.TermRow
	termDates
	dated  bool
	rule   Rule
	judged bool
	listed bool // get_terms() lists it
}

// termRows are the terms of a taxonomy, by name.
type termRows struct {
	rows     []termRow
	children map[int64][]int64 // see wp.Terms
}

// list finds out which terms get_terms() lists.
func (r *termRows) list() {
	terms := wp.Terms{All: make([]wp.TermRow, len(r.rows)), Children: r.children}
	for i := range r.rows {
		terms.All[i] = r.rows[i].TermRow
	}
	for i, listed := range terms.InUse() {
		r.rows[i].listed = listed
	}
}

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
	c := b.Catalog // what is kept must not hold on to the build
	l := &list{
		name: t.Name, past: c.policy.past, piecewise: true, locate: c.termLocations(t), titles: c.site.TermNames, hints: c.opt.Hints.Taxonomies[t.Name],
		render: undated(func(ctx context.Context, entries []entry) ([]urlset.URL, error) {
			return c.termURLs(ctx, t, entries)
		}),
	}
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

// readTerms reads the terms of a taxonomy, dates them and decides about those that are listed.
func (b *build) readTerms(ctx context.Context, t *registry.Taxonomy) (*termRows, error) {
	terms, err := b.site.Terms(ctx, t)
	if err != nil {
		return nil, err
	}
	r := &termRows{rows: make([]termRow, len(terms.All)), children: terms.Children}
	all := make([]int, len(terms.All))
	for i, row := range terms.All {
		r.rows[i].TermRow = row
		all[i] = i
	}
	r.list()
	if err := b.dateTerms(ctx, t, r, all); err != nil {
		return nil, err
	}
	return r, b.judgeTerms(ctx, t, r)
}

// judgeTerms decides about the listed terms that were not decided about.
func (b *build) judgeTerms(ctx context.Context, t *registry.Taxonomy, r *termRows) error {
	var listed []wp.TermRow
	for i := range r.rows {
		if row := &r.rows[i]; row.listed && !row.judged {
			listed = append(listed, row.TermRow)
		}
	}
	if len(listed) == 0 {
		return nil
	}
	links, err := b.termLinks(ctx, t, listed)
	if err != nil {
		return err
	}
	speaks, err := b.termLanguages(ctx, t, listed)
	if err != nil {
		return err
	}
	y := &b.site.Settings().Yoast
	for i := range r.rows {
		row := &r.rows[i]
		if !row.listed || row.judged {
			continue
		}
		language, elsewhere := speaks(row.ID)
		rule := b.judge(Object{
			Kind: KindTerm, ID: row.ID, Noindex: y.TermNoindex(t.Name, row.ID),
			Canonical: y.TermCanonical(t.Name, row.ID), Link: links[row.ID], Language: language,
		})
		if elsewhere != Listed {
			if elsewhere == OtherLanguage && rule == Listed && b.translated.alternates {
				b.translated.terms[t.Name] = append(b.translated.terms[t.Name], row.ID)
			}
			rule = elsewhere
		}
		row.rule, row.judged = rule, true
	}
	return nil
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

// dateTerms dates some of the terms. It joins them with the posts already read; rows of other
// types are read by id.
func (b *build) dateTerms(ctx context.Context, t *registry.Taxonomy, r *termRows, which []int) error {
	termOf := make(map[int64]*termRow, len(which))
	taxonomyIDs := make([]int64, 0, len(which))
	for _, i := range which {
		row := &r.rows[i]
		row.termDates, row.dated = noDates, true
		termOf[row.TaxonomyID] = row
		taxonomyIDs = append(taxonomyIDs, row.TaxonomyID)
	}
	slices.Sort(taxonomyIDs)
	elsewhere := map[int64][]*termRow{} // by object
	err := b.site.Relations(ctx, taxonomyIDs, func(taxonomyID, object int64) {
		term := termOf[taxonomyID]
		if term == nil {
			return
		}
		if postType, r, ok := b.findRow(t, object); ok {
			term.see(r, b.dates(t, postType, r))
			return
		}
		elsewhere[object] = append(elsewhere[object], term)
	})
	if err != nil || len(elsewhere) == 0 {
		return err
	}
	ids := make([]int64, 0, len(elsewhere))
	for id := range elsewhere {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return b.site.PostDates(ctx, ids, func(p wp.PostDates) {
		r := &postRow{id: p.ID, modified: at(p.Modified), modifiedGMT: b.changed(p.ModifiedGMT), status: statusOf(p.Status), protected: b.protected(p.Protected, p.NullPassword)}
		for _, term := range elsewhere[p.ID] {
			term.see(r, b.dates(t, p.Type, r))
		}
	})
}

// dates reports whether a post's change counts for the index date of its terms.
func (b *build) dates(t *registry.Taxonomy, postType string, r *postRow) bool {
	return slices.Contains(t.ObjectTypes, postType) && b.queried(t, *r)
}

// findRow looks an object up among the posts already read, its taxonomy's own types first.
func (b *build) findRow(t *registry.Taxonomy, object int64) (string, *postRow, bool) {
	for _, name := range t.ObjectTypes {
		if i, ok := findPost(b.posts[name], object); ok {
			return name, &b.posts[name][i], true
		}
	}
	for name, rows := range b.posts {
		if i, ok := findPost(rows, object); ok {
			return name, &rows[i], true
		}
	}
	return "", nil, false
}

// see takes a post of the term into account.
func (d *termDates) see(r *postRow, ofTaxonomy bool) {
	if gmt := r.modifiedGMT.unix(); r.status != otherwise && !r.protected && gmt > d.own {
		d.own, d.ownPost = gmt, r.id
	}
	if local := r.modified.unix(); r.status == published && ofTaxonomy && local > d.local {
		d.local, d.localGMT, d.post = local, r.modifiedGMT.unix(), r.id
	}
}

// taxonomyDates are the plugin's index dates: the post changed last, by local time, among
// those of the page's terms and of all terms below them; without one, the newest change of
// any post of the taxonomy's types.
func (b *build) taxonomyDates(t *registry.Taxonomy, l *list, terms *termRows) []int64 {
	pages := make([]int64, b.pages(l))
	dates := make(map[int64]termDates, len(terms.rows))
	for i := range terms.rows {
		dates[terms.rows[i].ID] = terms.rows[i].termDates
	}
	tree := wp.Terms{Children: terms.children}
	for i := range pages {
		_, entries, _ := b.slice(l, i+1)
		newest := noDates
		seen := map[int64]bool{}
		later := func(d termDates) {
			if d.local > newest.local {
				newest = d
			}
		}
		for _, e := range entries {
			later(dates[e.id])
			for _, below := range tree.Below(e.id, seen) {
				later(dates[below])
			}
		}
		pages[i] = newest.localGMT
		if newest.local == wp.NoTime {
			for _, name := range t.ObjectTypes {
				pages[i] = max(pages[i], b.newestRow(&list{name: name}))
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
