package sitemap

import (
	"context"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

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
	rule   Verdict
	judged bool
	listed bool // get_terms() lists it
}

// termRows are the terms of a taxonomy, by name.
type termRows struct {
	rows     []termRow
	children map[int64][]int64 // see wp.Terms
}

// newTermRows are the terms of a taxonomy, not judged and without dates.
func newTermRows(terms *wp.Terms) *termRows {
	r := &termRows{rows: make([]termRow, len(terms.All)), children: terms.Children}
	for i, row := range terms.All {
		r.rows[i].TermRow = row
	}
	r.list()
	return r
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

// readTerms reads the terms of a taxonomy, dates them and decides about those that are listed.
func (b *Reader) readTerms(ctx context.Context, t *registry.Taxonomy) (*termRows, error) {
	terms, err := b.site.Terms(ctx, t)
	if err != nil {
		return nil, err
	}
	r := newTermRows(terms)
	all := make([]int, len(r.rows))
	for i := range all {
		all[i] = i
	}
	if err := b.dateTerms(ctx, t, r, all); err != nil {
		return nil, err
	}
	return r, b.judgeTerms(ctx, t, r)
}

// judgeTerms decides about the listed terms that were not decided about.
func (b *Reader) judgeTerms(ctx context.Context, t *registry.Taxonomy, r *termRows) error {
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
	for i := range r.rows {
		row := &r.rows[i]
		if !row.listed || row.judged {
			continue
		}
		language, elsewhere := speaks(row.ID)
		rule := b.judgeTerm(t.Name, row.ID, links[row.ID], language)
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
func (b *Reader) termLinks(ctx context.Context, t *registry.Taxonomy, listed []wp.TermRow) (map[int64]string, error) {
	var ids []int64
	for _, term := range listed {
		if len(b.opt.Exclude.URLs) > 0 || b.settings.Term(t.Name, term.ID).Canonical != "" {
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
func (b *Reader) dateTerms(ctx context.Context, t *registry.Taxonomy, r *termRows, which []int) error {
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
			term.include(r, b.dates(t, postType, r))
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
		r := &postRow{id: p.ID, modified: at(p.Modified), modifiedGMT: b.changed(p.ModifiedGMT), status: statusOf(p.Status), protected: b.Protected(p.Protected, p.NullPassword)}
		for _, term := range elsewhere[p.ID] {
			term.include(r, b.dates(t, p.Type, r))
		}
	})
}

// dates reports whether a post's change counts for the index date of its terms.
func (b *Reader) dates(t *registry.Taxonomy, postType string, r *postRow) bool {
	return slices.Contains(t.ObjectTypes, postType) && b.queried(t, *r)
}

// findRow looks an object up among the posts already read, its taxonomy's own types first.
func (b *Reader) findRow(t *registry.Taxonomy, object int64) (string, *postRow, bool) {
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

// include takes a post of the term into account.
func (d *termDates) include(r *postRow, ofTaxonomy bool) {
	if gmt := r.modifiedGMT.unix(); r.status != otherwise && !r.protected && gmt > d.own {
		d.own, d.ownPost = gmt, r.id
	}
	if local := r.modified.unix(); r.status == published && ofTaxonomy && local > d.local {
		d.local, d.localGMT, d.post = local, r.modifiedGMT.unix(), r.id
	}
}
