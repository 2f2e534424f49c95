package rows

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// Date is the newest change among some posts, with the post that changed.
type Date struct {
	At, GMT int64 // At is the date that is compared, GMT the same change in UTC
	post    int64
}

var noDate = Date{At: wp.NoTime, GMT: wp.NoTime}

// TermDates are the newest changes of a term's posts, one for each set of posts below.
type TermDates [4]Date

// These constants name the sets of posts whose dates TermDates holds.
const (
	DateOpen      = iota // published or inherited posts of any type without a password
	DateLocal            // published posts of the taxonomy's types, compared by the site's clock
	DatePublished        // published posts of any type, with or without a password
	DateAny              // objects of any status
)

// NoDates are the dates of a term without posts.
var NoDates = TermDates{noDate, noDate, noDate, noDate}

// termRow is one term, whether it is listed or not.
type termRow struct {
	objects.TermRow
	TermDates
	dated   bool
	Verdict seo.Verdict
	judged  bool
	InUse   bool // get_terms() lists it
	Listed  bool // the plugin lists it, by Decisions.TermInUse
}

// TermRows are the terms of a taxonomy in the order of names.
type TermRows struct {
	Rows     []termRow
	Children map[int64][]int64 // as objects.Terms.Children
}

// newTermRows returns the terms of a taxonomy without verdicts and dates.
func (b *Reader) newTermRows(t *registry.Taxonomy, terms *objects.Terms) *TermRows {
	r := &TermRows{Rows: make([]termRow, len(terms.All)), Children: terms.Children}
	for i, row := range terms.All {
		r.Rows[i].TermRow = row
	}
	b.findInUse(t, r)
	return r
}

// findInUse marks the terms that get_terms() lists, and those that the plugin lists.
func (b *Reader) findInUse(t *registry.Taxonomy, r *TermRows) {
	terms := objects.Terms{All: make([]objects.TermRow, len(r.Rows)), Children: r.Children}
	for i := range r.Rows {
		terms.All[i] = r.Rows[i].TermRow
	}
	for i, inUse := range terms.InUse() {
		row := &r.Rows[i]
		row.InUse, row.Listed = inUse, b.Decisions.TermInUse(b.Rules, t.Name, inUse, row.Count)
	}
}

// ReadTerms reads and dates the terms of a taxonomy, and judges the listed ones.
func (b *Reader) ReadTerms(ctx context.Context, t *registry.Taxonomy) (*TermRows, error) {
	terms, err := objects.ReadTerms(ctx, b.Blog, t)
	if err != nil {
		return nil, err
	}
	r := b.newTermRows(t, terms)
	all := make([]int, len(r.Rows))
	for i := range all {
		all[i] = i
	}
	if err := b.dateTerms(ctx, t, r, all); err != nil {
		return nil, err
	}
	return r, b.judgeTerms(ctx, t, r)
}

// judgeTerms judges the listed terms that have no verdict yet.
func (b *Reader) judgeTerms(ctx context.Context, t *registry.Taxonomy, r *TermRows) error {
	var listed []objects.TermRow
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Listed && !row.judged {
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
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.Listed || row.judged {
			continue
		}
		language, elsewhere := speaks(row.ID)
		rule := b.JudgeTerm(t.Name, row.ID, links[row.ID], language)
		if link, asked := links[row.ID]; asked && link == "" && rule == seo.Listed {
			rule = seo.AddressUnknown
		}
		if elsewhere != seo.Listed {
			if elsewhere == seo.OtherLanguage && rule == seo.Listed && b.Translated.Alternates {
				b.Translated.Terms[t.Name] = append(b.Translated.Terms[t.Name], row.ID)
			}
			rule = elsewhere
		}
		row.Verdict, row.judged = rule, true
	}
	return nil
}

// termLinks returns the links of the terms whose verdict depends on the link.
func (b *Reader) termLinks(ctx context.Context, t *registry.Taxonomy, listed []objects.TermRow) (map[int64]string, error) {
	var ids []int64
	stored := b.Blog.Addressing(t).From == wp.AsStored
	for _, term := range listed {
		if stored || len(b.Options.Exclude.URLs) > 0 || b.RedirectsTerm(term.ID) || b.Settings.Term(t.Name, term.ID).Canonical != "" {
			ids = append(ids, term.ID)
		}
	}
	links := map[int64]string{}
	terms, err := b.Blog.TermsByID(ctx, t, ids)
	for _, term := range terms {
		links[term.ID] = term.Link
	}
	return links, err
}

// dateTerms sets the dates of the terms with the indexes in which. It uses rows that were already
// read. Rows of other types are read by id.
func (b *Reader) dateTerms(ctx context.Context, t *registry.Taxonomy, r *TermRows, which []int) error {
	termOf := make(map[int64]*termRow, len(which))
	taxonomyIDs := make([]int64, 0, len(which))
	for _, i := range which {
		row := &r.Rows[i]
		row.TermDates, row.dated = NoDates, true
		termOf[row.TaxonomyID] = row
		taxonomyIDs = append(taxonomyIDs, row.TaxonomyID)
	}
	if b.Decisions.UndatedTerms() {
		return nil
	}
	slices.Sort(taxonomyIDs)
	elsewhere := map[int64][]*termRow{} // by object
	err := objects.Relations(ctx, b.Blog, taxonomyIDs, func(taxonomyID, object int64) {
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
	return objects.PostRows(ctx, b.Blog, slices.Sorted(maps.Keys(elsewhere)), func(p objects.TouchedPost) {
		r := b.dated(&p)
		for _, term := range elsewhere[p.ID] {
			term.include(r, b.dates(t, p.Type, r))
		}
	})
}

// dated returns a row for a post that is not among the rows that were read. The row has only the data
// that dates terms.
func (b *Reader) dated(p *objects.TouchedPost) *PostRow {
	return &PostRow{
		ID: p.ID, Modified: Pack(p.Modified), ModifiedGMT: b.changed(p.ModifiedGMT),
		Status: statusOf(p.Status), protected: b.Decisions.Protected(p.Protected, p.NullPassword),
	}
}

// dates reports whether a post's change counts for the date that its terms have in the index.
func (b *Reader) dates(t *registry.Taxonomy, postType string, r *PostRow) bool {
	return slices.Contains(t.ObjectTypes, postType) && b.queried(t, *r)
}

// findRow finds an object among the posts already read. It looks at the types of the taxonomy first.
func (b *Reader) findRow(t *registry.Taxonomy, object int64) (string, *PostRow, bool) {
	for _, name := range t.ObjectTypes {
		if i, ok := FindPost(b.Posts[name], object); ok {
			return name, &b.Posts[name][i], true
		}
	}
	for name, rows := range b.Posts {
		if i, ok := FindPost(rows, object); ok {
			return name, &rows[i], true
		}
	}
	return "", nil, false
}

// include updates the dates of a term with one of its posts.
func (d *TermDates) include(r *PostRow, ofTaxonomy bool) {
	gmt, published := r.ModifiedGMT.Unix(), r.Status == Published
	d[DateOpen].take(r, gmt, r.Status != otherwise && !r.protected)
	d[DateLocal].take(r, r.Modified.Unix(), published && ofTaxonomy)
	d[DatePublished].take(r, gmt, published)
	d[DateAny].take(r, gmt, true)
}

func (d *Date) take(r *PostRow, at int64, counts bool) {
	if counts && at > d.At {
		*d = Date{at, r.ModifiedGMT.Unix(), r.ID}
	}
}
