package rows

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// Date is the newest change among some posts, with the post that changed.
type Date struct {
	At, GMT int64 // At is the date that is compared, GMT the same change in UTC
	post    int64
}

var noDate = Date{At: wp.NoTime, GMT: wp.NoTime}

// These constants name sets of posts, for the dates in TermDates.
const (
	DateOpen      = iota // published or inherited posts of any type without a password
	DateLocal            // published posts that countsForLocal accepts, with or without a password, compared by the site's clock
	DatePublished        // published posts of any type, with or without a password
	DateAny              // objects of any status
	dateSets
)

// TermDates are the newest changes of a term's posts, one for each set of posts.
type TermDates [dateSets]Date

// NoDates are the dates of a term without posts.
var NoDates = TermDates{noDate, noDate, noDate, noDate}

// Term is one term, whether it is listed or not.
type Term struct {
	Row     objects.TermRow
	Dates   TermDates
	dated   bool // Dates are set
	Used    bool // Decisions.TermInUse is true; a term that is not in use gets no verdict
	judged  bool
	Verdict seo.Verdict
}

// Terms are the terms of a taxonomy in the order of names.
type Terms struct {
	All  []Term
	Tree objects.Tree
}

// newTerms returns terms without verdicts and dates.
func newTerms(rows []objects.TermRow, tree objects.Tree) *Terms {
	terms := &Terms{All: make([]Term, len(rows)), Tree: tree}
	for i, row := range rows {
		terms.All[i].Row = row
	}
	return terms
}

// findUsed sets Used on the terms that are in use by the plugin's rule.
func (b *Reader) findUsed(t *registry.Taxonomy, terms *Terms) {
	for i := range terms.All {
		term := &terms.All[i]
		term.Used = b.Rules.Decisions.TermInUse(b.Rules, t.Name, term.Row.InUse, term.Row.Count)
	}
}

// ReadTerms reads and dates the terms of a taxonomy, and judges those in use.
func (b *Reader) ReadTerms(ctx context.Context, t *registry.Taxonomy) (*Terms, error) {
	rows, tree, err := objects.ReadTerms(ctx, b.Rules.Blog, t)
	if err != nil {
		return nil, err
	}
	terms := newTerms(rows, tree)
	b.findUsed(t, terms)
	all := make([]*Term, len(terms.All))
	for i := range all {
		all[i] = &terms.All[i]
	}
	if err := b.dateTerms(ctx, t, all); err != nil {
		return nil, err
	}
	return terms, b.judgeTerms(ctx, t, all)
}

// judgeTerms judges the terms in use that have no verdict yet. It adds those that are listed for other languages only to
// Translated.Terms.
func (b *Reader) judgeTerms(ctx context.Context, t *registry.Taxonomy, terms []*Term) error {
	terms = slices.DeleteFunc(slices.Clone(terms), func(term *Term) bool { return !term.Used || term.judged })
	if len(terms) == 0 {
		return nil
	}
	rows := make([]objects.TermRow, len(terms))
	for i, term := range terms {
		rows[i] = term.Row
	}
	links, err := b.termLinks(ctx, t, rows)
	if err != nil {
		return err
	}
	speaks, err := b.termLanguages(ctx, t, rows)
	if err != nil {
		return err
	}
	for _, term := range terms {
		id := term.Row.ID
		language, byLanguage := speaks(id)
		verdict := b.Rules.JudgeTerm(t.Name, id, links[id], language)
		if link, asked := links[id]; asked && link == "" && verdict == seo.Listed {
			verdict = seo.AddressUnknown
		}
		if byLanguage != seo.Listed {
			if byLanguage == seo.OtherLanguage && verdict == seo.Listed && b.Translated.Alternates {
				b.Translated.Terms[t.Name] = append(b.Translated.Terms[t.Name], id)
			}
			verdict = byLanguage
		}
		term.Verdict, term.judged = verdict, true
	}
	return nil
}

// termLinks returns the links of the terms whose verdict depends on the link.
func (b *Reader) termLinks(ctx context.Context, t *registry.Taxonomy, rows []objects.TermRow) (map[int64]string, error) {
	var ids []int64
	stored := b.Rules.Book.Addressing(t).From == address.AsStored
	for _, term := range rows {
		if stored || len(b.Rules.Options.Exclude.URLs) > 0 || b.RedirectsTerm(term.ID) || b.Rules.Settings.Term(t.Name, term.ID).Canonical != "" {
			ids = append(ids, term.ID)
		}
	}
	links := map[int64]string{}
	terms, err := b.Rules.Book.TermsByID(ctx, t, ids)
	for _, term := range terms {
		links[term.ID] = term.Link
	}
	return links, err
}

// dateTerms sets the dates of terms. Posts that were already read are not read again; other objects are
// read by id.
func (b *Reader) dateTerms(ctx context.Context, t *registry.Taxonomy, terms []*Term) error {
	termOf := make(map[int64]*Term, len(terms))
	taxonomyIDs := make([]int64, 0, len(terms))
	for _, term := range terms {
		term.Dates, term.dated = NoDates, true
		termOf[term.Row.TaxonomyID] = term
		taxonomyIDs = append(taxonomyIDs, term.Row.TaxonomyID)
	}
	if b.Rules.Decisions.UndatedTerms() {
		return nil
	}
	slices.Sort(taxonomyIDs)
	elsewhere := map[int64][]*Term{} // by object
	err := objects.Relations(ctx, b.Rules.Blog, taxonomyIDs, func(taxonomyID, object int64) {
		term := termOf[taxonomyID]
		if term == nil {
			return
		}
		if postType, r, ok := b.findRow(t, object); ok {
			term.Dates.include(r, b.countsForLocal(t, postType, r))
			return
		}
		elsewhere[object] = append(elsewhere[object], term)
	})
	if err != nil || len(elsewhere) == 0 {
		return err
	}
	return objects.PostRows(ctx, b.Rules.Blog, slices.Sorted(maps.Keys(elsewhere)), func(p objects.PostRow) {
		r := b.narrow(&p)
		for _, term := range elsewhere[p.ID] {
			term.Dates.include(&r, b.countsForLocal(t, p.Type, &r))
		}
	})
}

// countsForLocal reports whether a published post counts for DateLocal of its terms, the date that the index shows. The post must be of
// a type of the taxonomy, and the plugin's query must find it in the current language.
func (b *Reader) countsForLocal(t *registry.Taxonomy, postType string, r *Post) bool {
	return slices.Contains(t.ObjectTypes, postType) && b.queried(t, *r)
}

// findRow finds an object among the posts already read. It looks at the types of the taxonomy first.
func (b *Reader) findRow(t *registry.Taxonomy, object int64) (string, *Post, bool) {
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

// include updates the dates of a term with one of its posts. ofTaxonomy says whether the post counts for
// DateLocal.
func (d *TermDates) include(r *Post, ofTaxonomy bool) {
	gmt, published := r.ModifiedGMT.Unix(), r.Status == Published
	d[DateOpen].take(r, gmt, r.Status != otherwise && !r.protected)
	d[DateLocal].take(r, r.Modified.Unix(), published && ofTaxonomy)
	d[DatePublished].take(r, gmt, published)
	d[DateAny].take(r, gmt, true)
}

func (d *Date) take(r *Post, at int64, counts bool) {
	if counts && at > d.At {
		*d = Date{at, r.ModifiedGMT.Unix(), r.ID}
	}
}
