package rows

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// A delta makes a new catalog from an old one and from the rows that changed since. It finds these
// rows by traces that are cheap to read:
//
// New ids of posts, revisions, attachments and meta name the post that they belong to. The index
// type_status_date shows every change of status or date and every deletion. A few meta keys decide
// about posts.
//
// A million entries of the index take the server about half a second. So on a large site, a delta does not read
// the index if other traces explain the write. A later delta reads it, because posts without other traces may have
// been written at the same time, see Rows.DatesUnread.
//
// The delta reads the changed rows by id and judges them like a full scan. It then makes the lists
// again from all rows. Changes without a trace wait for the next full scan: rows changed in place,
// terms, users and settings.

// ErrDeclined reports that a delta cannot follow the changes. A full scan is then necessary.
var ErrDeclined = errors.New("no delta")

// These limits apply to a delta. Beyond them a full scan costs less.
const (
	mostTouched  = 500
	mostOfATerm  = 4000 // posts of the terms that may have lost their newest post
	mostAttached = 2000 // attachments of the touched posts
)

// mostIndexed is a number of posts. If a site has more, a delta after a write to the posts does not read the index type_status_date, if the
// touched posts explain the write.
const mostIndexed = 100_000

// delta is a reader that starts with the rows of an earlier catalog.
type delta struct {
	*Reader
	start   *Rows                     // the rows of the earlier catalog
	written []string                  // the tables that were written, without prefix; empty if they are not known
	touched map[int64]bool            // the posts that changed, by id
	now     map[int64]objects.PostRow // the current rows of touched posts; deleted posts have none
}

// Update returns a reader with the rows of a catalog after all changes, and the number of posts that it read. written are the
// tables that were written, without prefix; empty if they are not known. Update returns ErrDeclined if a full scan is necessary.
func Update(ctx context.Context, r *seo.Rules, kept *Kept, written, watched []string) (*Reader, int, error) {
	start := kept.Start()
	if start == nil {
		return nil, 0, fmt.Errorf("%w: this site takes none", ErrDeclined)
	}
	d := &delta{Reader: NewReader(r, watched), start: start, written: written, touched: map[int64]bool{}, now: map[int64]objects.PostRow{}}
	d.Rows, d.Dirty = start.clone(), map[string]bool{}
	for _, step := range []func(context.Context) error{
		d.findNew, d.findDecisions, d.findMoved, d.findUnreachableNow, d.findAttached, d.judge, d.updateTerms, d.reschedule,
	} {
		if err := step(ctx); err != nil {
			return nil, 0, err
		}
	}
	return d.Reader, len(d.touched), nil
}

// wrote reports whether a table was or may have been written.
func (d *delta) wrote(table string) bool {
	return len(d.written) == 0 || slices.Contains(d.written, table)
}

// findNew finds the posts to which new rows belong.
func (d *delta) findNew(ctx context.Context) error {
	ids, marks, more, err := objects.Touched(ctx, d.Rules.Blog, d.marks, mostTouched)
	if err != nil {
		return err
	}
	if more {
		return fmt.Errorf("%w: more than %d new rows", ErrDeclined, mostTouched)
	}
	d.marks = marks
	return d.touch(ids...)
}

// touch records posts that changed. It returns ErrDeclined if there are too many.
func (d *delta) touch(ids ...int64) error {
	for _, id := range ids {
		d.touched[id] = true
	}
	if len(d.touched) > mostTouched {
		return fmt.Errorf("%w: more than %d posts changed", ErrDeclined, mostTouched)
	}
	return nil
}

// findDecisions finds the posts whose deciding meta differs from the hash in Rows.decided.
func (d *delta) findDecisions(ctx context.Context) error {
	if d.decided == nil {
		return nil // new meta rows were found already; other changes wait for a full scan
	}
	if err := d.readMeta(ctx, nil); err != nil {
		return err
	}
	var ids []int64
	now := d.decisions()
	for id, hash := range now {
		if before, was := d.decided[id]; !was || before != hash {
			ids = append(ids, id)
		}
	}
	for id := range d.decided {
		if _, is := now[id]; !is {
			ids = append(ids, id)
		}
	}
	d.decided = now
	return d.touch(ids...)
}

// findMoved finds the posts that are new, have gone, or have another status or date. On a large site, it leaves this to a later
// delta if the posts that were touched so far explain the write.
func (d *delta) findMoved(ctx context.Context) error {
	if !d.wrote("posts") {
		return nil
	}
	var err error
	if d.DatesUnread, err = d.explained(ctx); d.DatesUnread || err != nil {
		return err
	}
	for _, t := range d.Rules.PostTypes() {
		if d.Rules.Reads(t) {
			if err := d.findMovedOf(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// explained reports whether the site is large and one of its posts was touched. It returns false if the written tables are not
// known, because then a delta reads all traces.
func (d *delta) explained(ctx context.Context) (bool, error) {
	posts := 0
	for _, rows := range d.Posts {
		posts += len(rows)
	}
	if posts <= mostIndexed || len(d.written) == 0 {
		return false, nil
	}
	if err := d.readNow(ctx, slices.Collect(maps.Keys(d.touched))); err != nil {
		return false, err
	}
	for _, p := range d.now {
		t := d.Rules.Blog.Registry().PostType(p.Type)
		if t != nil && d.Rules.Reads(t) { // an order of a shop, for instance, is not read
			return true, nil
		}
	}
	return false, nil
}

// findMovedOf finds the moved posts of one type. It compares the kept rows with the database index type_status_date.
func (d *delta) findMovedOf(ctx context.Context, t *registry.PostType) error {
	statuses, err := d.statuses(ctx, t)
	if err != nil {
		return err
	}
	rows := d.Posts[t.Name]
	if t.Name != "attachment" && !slices.ContainsFunc(rows, func(r Post) bool { return r.Status == Inherited }) {
		statuses = statuses[:1] // a row that becomes inherited is missing among the published rows
	}
	there := make([]uint64, len(rows)/64+1)
	next := 0 // rows often come in the order of ids
	for _, status := range statuses {
		err := objects.EachStamp(ctx, d.Rules.Blog, t.Name, status, func(id int64, stamp uint32) error {
			i, ok := next, next < len(rows) && rows[next].ID == id
			if !ok {
				i, ok = FindPost(rows, id)
			}
			next = i + 1
			if !ok || rows[i].stamp != stamp {
				return d.touch(id)
			}
			there[i/64] |= 1 << (i % 64)
			return nil
		})
		if err != nil {
			return err
		}
	}
	var gone []int64
	for i := range rows {
		if there[i/64]&(1<<(i%64)) == 0 {
			gone = append(gone, rows[i].ID)
		}
	}
	return d.touch(gone...)
}

// findAttached finds the attachments of changed posts, because attachments are judged by their parents.
func (d *delta) findAttached(ctx context.Context) error {
	t := d.Rules.Blog.Registry().PostType("attachment")
	if t == nil || !d.Rules.ListsType(t) || len(d.touched) == 0 {
		return nil
	}
	attached, err := objects.AttachedTo(ctx, d.Rules.Blog, slices.Collect(maps.Keys(d.touched)))
	if err != nil {
		return err
	}
	if len(attached) > mostAttached {
		return fmt.Errorf("%w: %d attachments of changed posts must be judged, more than %d", ErrDeclined, len(attached), mostAttached)
	}
	for _, id := range attached {
		d.touched[id] = true
	}
	return nil
}

// readNow reads the current rows of those ids that it has not read yet.
func (d *delta) readNow(ctx context.Context, ids []int64) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { _, read := d.now[id]; return read })
	return objects.PostRows(ctx, d.Rules.Blog, ids, func(p objects.PostRow) { d.now[p.ID] = p })
}

// judge reads the changed posts, judges them, and replaces their rows.
func (d *delta) judge(ctx context.Context) error {
	ids := slices.Collect(maps.Keys(d.touched))
	if len(ids) == 0 {
		return nil
	}
	if err := d.readNow(ctx, ids); err != nil {
		return err
	}
	if settings, err := d.Rules.Blog.HoldSettings(ctx, ids); err != nil {
		return err
	} else if settings || slices.ContainsFunc(ids, d.Rules.Redirects.HasPost) {
		return fmt.Errorf("%w: posts hold settings", ErrDeclined)
	}
	if d.decided == nil {
		if err := d.readMeta(ctx, ids); err != nil {
			return err
		}
	}
	if t := d.Rules.Blog.Registry().PostType("attachment"); t != nil && d.Rules.ListsType(t) && len(d.now) < len(ids) {
		return fmt.Errorf("%w: a post was deleted, and the attachments below it must be judged again", ErrDeclined)
	}
	for _, t := range d.Rules.PostTypes() {
		if !d.Rules.Reads(t) {
			continue
		}
		statuses := []string{"publish", "inherit"}
		if t.Name == "attachment" {
			statuses = nil // any status
		}
		if err := d.replace(ctx, t, statuses); err != nil {
			return err
		}
	}
	return nil
}

// replace puts the changed posts of a type into a copy of the type's rows, and judges them. A nil statuses means any status.
func (d *delta) replace(ctx context.Context, t *registry.PostType, statuses []string) error {
	old := d.Posts[t.Name]
	has := func(list []string, s string) bool {
		return list == nil || slices.ContainsFunc(list, func(o string) bool { return strings.EqualFold(o, s) })
	}
	var changed []Post
	var linked []int64 // the posts whose verdict depends on the link
	d.Recent[t.Name] = slices.DeleteFunc(d.Recent[t.Name], func(a Article) bool { return d.touched[a.ID] })
	for id := range d.touched {
		_, was := FindPost(old, id)
		p, is := d.now[id]
		is = is && strings.EqualFold(p.Type, t.Name) && has(statuses, p.Status)
		if was || is {
			d.Dirty[t.Name] = true
		}
		if !is {
			continue
		}
		r, byLink := d.judgeRow(t, &p)
		d.Touched[id]++
		changed = append(changed, r)
		if byLink || r.Verdict == seo.Listed && d.Rules.Redirects != nil { // a redirect rule may match the address that it has now
			linked = append(linked, id)
		}
	}
	if !d.Dirty[t.Name] {
		return nil
	}
	slices.SortFunc(changed, func(x, y Post) int { return int(min(max(x.ID-y.ID, -1), 1)) })
	rows := make([]Post, 0, len(old)+len(changed))
	for i := range old {
		for len(changed) > 0 && changed[0].ID < old[i].ID {
			rows, changed = append(rows, changed[0]), changed[1:]
		}
		if !d.touched[old[i].ID] {
			rows = append(rows, old[i])
		}
	}
	d.Posts[t.Name] = append(rows, changed...)
	for _, below := range d.Rules.Book.TypesBelow(t.Name) {
		d.Changes[below]++
	}
	if t.Hierarchical {
		below, err := d.leftBelow(ctx, t)
		if err != nil {
			return err
		}
		if below { // the links of posts below begin with the link of a changed post
			if len(d.Rules.Options.Exclude.URLs) > 0 || d.decided == nil || d.Rules.Redirects.Patterns() > 0 {
				return fmt.Errorf("%w: the links of a tree decide", ErrDeclined)
			}
			d.Changes[t.Name]++
			d.Changes["attachment"]++
			for i := range d.Posts[t.Name] {
				r := &d.Posts[t.Name][i]
				late := r.Verdict == seo.Listed || r.Verdict == seo.CanonicalElsewhere || r.Verdict == seo.Redirected
				if late && !d.touched[r.ID] && (d.Flags[r.ID].Canonical != "" || d.RedirectsPost(t, r.ID)) {
					linked = append(linked, r.ID)
				}
			}
		}
	}
	return d.judgeLinks(ctx, t, linked)
}

// leftBelow reports whether a post of a tree is, or was, below a deleted one. WordPress moves such posts without a trace.
func (d *delta) leftBelow(ctx context.Context, t *registry.PostType) (bool, error) {
	for _, r := range d.start.Posts[t.Name] {
		if _, is := d.now[r.ID]; d.touched[r.ID] && !is {
			return true, nil
		}
	}
	return objects.HasBelow(ctx, d.Rules.Blog, []string{t.Name}, slices.Collect(maps.Keys(d.touched)))
}

// updateTerms updates three sorts of terms: terms of a changed post, terms whose date came from a changed
// post, and terms that may have lost their last post.
func (d *delta) updateTerms(ctx context.Context) error {
	if len(d.touched) == 0 {
		return nil
	}
	with := map[int64][]int64{} // changed posts, by term_taxonomy_id
	err := objects.RelationsOf(ctx, d.Rules.Blog, slices.Collect(maps.Keys(d.touched)), func(object, taxonomyID int64) {
		with[taxonomyID] = append(with[taxonomyID], object)
	})
	if err != nil {
		return err
	}
	ask := slices.Collect(maps.Keys(with))
	for _, t := range d.Rules.Taxonomies() {
		if terms := d.Terms[t.Name]; terms != nil {
			for i := range terms.All {
				if term := &terms.All[i]; d.mayChange(t, term) {
					ask = append(ask, term.Row.TaxonomyID)
				}
			}
		}
	}
	now := map[string]map[int64]objects.TermRow{}
	err = objects.TermRows(ctx, d.Rules.Blog, ask, func(taxonomy string, r objects.TermRow) {
		if now[taxonomy] == nil {
			now[taxonomy] = map[int64]objects.TermRow{}
		}
		now[taxonomy][r.TaxonomyID] = r
	})
	if err != nil {
		return err
	}
	for _, t := range d.Rules.Taxonomies() {
		if terms := d.Terms[t.Name]; terms != nil && len(now[t.Name]) > 0 {
			if d.Terms[t.Name], err = d.changeTerms(ctx, t, terms, now[t.Name], with); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayChange reports whether the touched posts may change a term. That is so in two cases:
//
//   - A date of the term came from a touched post.
//   - The term may have lost its last post: the stored count of the term is not larger than the number of touched posts, and the post
//     that gave DateOpen is gone, is not published, or has another type.
func (d *delta) mayChange(t *registry.Taxonomy, term *Term) bool {
	if slices.ContainsFunc(term.Dates[:], func(at Date) bool { return d.touched[at.post] }) {
		return true
	}
	if term.Row.Count < 1 || term.Row.Count > int64(len(d.touched)) {
		return false
	}
	postType, r, ok := d.findRow(t, term.Dates[DateOpen].post)
	return !ok || r.Status != Published || !slices.Contains(t.ObjectTypes, postType)
}

// changeTerms returns the updated terms of a taxonomy. now holds the rows that were read again. with
// holds the changed posts of each term.
func (d *delta) changeTerms(
	ctx context.Context, t *registry.Taxonomy, old *Terms, now map[int64]objects.TermRow, with map[int64][]int64,
) (*Terms, error) {
	terms := &Terms{All: slices.Clone(old.All), Tree: old.Tree}
	known := 0
	for i := range terms.All {
		if _, ok := now[terms.All[i].Row.TaxonomyID]; ok {
			known++
		}
	}
	if known < len(now) {
		if err := d.addTerms(ctx, t, terms); err != nil {
			return nil, err
		}
	}
	all, rows := make([]*Term, len(terms.All)), make([]*objects.TermRow, len(terms.All))
	var again []*Term // terms whose dates are read again
	posts := int64(0)
	for i := range terms.All {
		term := &terms.All[i]
		all[i], rows[i] = term, &term.Row
		row, ok := now[term.Row.TaxonomyID]
		if !ok {
			continue
		}
		term.Row.Count = row.Count
		fresh := d.datesOf(t, with[row.TaxonomyID])
		if !term.dated || d.loses(&term.Dates, &fresh) {
			again = append(again, term)
			posts += row.Count
			continue
		}
		for k, at := range fresh {
			if at.At > term.Dates[k].At || d.touched[term.Dates[k].post] {
				term.Dates[k] = at
			}
		}
	}
	if posts > mostOfATerm {
		return nil, fmt.Errorf("%w: terms with %d posts lost their newest", ErrDeclined, posts)
	}
	if len(again) > 0 {
		if err := d.dateTerms(ctx, t, again); err != nil {
			return nil, err
		}
	}
	terms.Tree.MarkInUse(rows)
	d.findUsed(t, terms)
	return terms, d.judgeTerms(ctx, t, all)
}

// datesOf returns the dates that changed posts of a term have now.
func (d *delta) datesOf(t *registry.Taxonomy, posts []int64) TermDates {
	dates := NoDates
	for _, object := range posts {
		if postType, r, ok := d.findRow(t, object); ok {
			dates.include(r, d.countsForLocal(t, postType, r))
		} else if p, ok := d.now[object]; ok {
			r := d.narrow(&p)
			dates.include(&r, d.countsForLocal(t, p.Type, &r))
		}
	}
	return dates
}

// loses reports whether a date of a term may be too new: a touched post gave the date, and no changed post of the term is as new
// now. The posts of the term must then be read again. before holds the dates of the term, fresh the dates of its changed posts.
func (d *delta) loses(before, fresh *TermDates) bool {
	for k, at := range before {
		if d.touched[at.post] && fresh[k].At < at.At {
			return true
		}
	}
	return false
}

// addTerms reads all terms of a taxonomy again because some are new. The other terms keep their dates and verdicts.
func (d *delta) addTerms(ctx context.Context, t *registry.Taxonomy, terms *Terms) error {
	rows, tree, err := objects.ReadTerms(ctx, d.Rules.Blog, t)
	if err != nil {
		return err
	}
	known := make(map[int64]Term, len(terms.All))
	for _, term := range terms.All {
		known[term.Row.TaxonomyID] = term
	}
	*terms = *newTerms(rows, tree)
	for i, row := range rows {
		if term, ok := known[row.TaxonomyID]; ok {
			terms.All[i] = term
			terms.All[i].Row = row
		}
	}
	return nil
}
