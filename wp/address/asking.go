package address

import (
	"context"
	"maps"
	"slices"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// Between two readings of a blog, the daemon asks its site the questions that are due.

const (
	sqlNewestPosts = `SELECT ID FROM wp_posts WHERE post_type = ? AND post_status = 'publish' ORDER BY post_date DESC LIMIT ?`
	sqlNewestTerms = `SELECT term_id FROM wp_term_taxonomy WHERE taxonomy = ? AND count > 0 ORDER BY term_taxonomy_id DESC LIMIT ?`

	mostPairs  = 3  // objects of a type that are requested
	mostHidden = 30 // newest topics or replies that are read; more than mostPairs, because those in private forums are left out
	mostLost   = 10 // newest posts of a tree that are read; more than mostPairs, because those that WordPress does not find are left out

	inquiryRest = time.Minute // shortest time between two inquiries of a blog
)

// Inquires reports whether a question is due.
func (b *Book) Inquires(now time.Time) bool { return len(b.inquiry.due(now)) > 0 }

// Inquire asks the site the questions that are due. It requests one page after the other, with a pause between two. It
// returns the answers and whether they change addresses, or change which types are left to the site.
func (b *Book) Inquire(ctx context.Context, now time.Time, pause time.Duration) (Answers, bool, error) {
	v := &visitor{book: b, pause: pause}
	answers := Answers{}
	var gone []string // the types whose pages are all missing
	anyThere := false // an object of some type is at its computed address
	due := b.inquiry.due(now)
	for _, key := range slices.Sorted(maps.Keys(due)) {
		a, missing, err := b.ask(ctx, v, due[key])
		if err != nil {
			return nil, false, err
		}
		if v.err != nil { // the remaining questions stay open
			break
		}
		a.At = now.Unix()
		if missing && a.Of == nil {
			gone = append(gone, key)
		}
		anyThere = anyThere || a.Right == rightComputed
		if last := b.inquiry.last(key); a.Right == "" && (a.Of == nil || last.Of != nil && *last.Of == *a.Of) {
			a.Right, a.Shown = last.Right, last.Shown
		}
		answers[key] = a
	}
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if !anyThere { // a site where every page is missing has no permalinks at all, which proves nothing about a type
		for _, key := range gone {
			a, last := answers[key], b.inquiry.last(key)
			a.Right, a.Shown = last.Right, last.Shown
			answers[key] = a
		}
	}
	changed := false
	for key, a := range answers {
		changed = changed || b.changes(key, a)
	}
	b.inquiry.keep(answers, now.Add(inquiryRest))
	return answers, changed, nil
}

// ask asks the site one question. missing reports whether all requested pages are missing.
func (b *Book) ask(ctx context.Context, v *visitor, q question) (a answer, missing bool, err error) {
	a.Question = q.hash
	v.asked = 0
	var f finding
	if q.pairs != nil {
		f = v.compare(ctx, q.pairs)
	} else {
		objects, err := b.newest(ctx, q.about)
		if err != nil && !db.Unreadable(err) {
			return a, false, err
		}
		f = v.find(ctx, objects)
	}
	a.Right, a.Shown = f.right, f.shown
	if q.about == nil {
		a.Of = &q.pairs[0]
	}
	a.Asked = v.asked
	return a, f.missing, nil
}

// changes reports whether an answer changes where the addresses of an object or a type come from, or whether the type is
// left to the site. The answer rightComputed changes nothing for a type whose addresses are computed already.
func (b *Book) changes(key string, a answer) bool {
	last := b.inquiry.last(key)
	if a.Of != nil { // the computed address of an object holds unless the stored one is right
		return (a.Right == rightStored) != (last.Right == rightStored)
	}
	confirmed := a.Right == rightComputed && b.addressing[typeKey(key)].From == asComputed
	return a.Right != last.Right && !confirmed
}

// newest reads the newest objects of a type that visitors may see.
func (b *Book) newest(ctx context.Context, t *registry.Type) ([]object, error) {
	query, limit, inForums, inTree := sqlNewestPosts, mostPairs, slices.Contains(objects.TypesOfForums, t.Name), !t.Taxonomy && t.Hierarchical
	switch {
	case t.Taxonomy:
		query = sqlNewestTerms
	case inForums:
		limit = mostHidden
	case inTree:
		limit = mostLost
	}
	ids, err := b.Blog.IDs(ctx, "choosing objects of "+t.Name, query, t.Name, limit)
	if err != nil {
		return nil, err
	}
	if inForums {
		hidden, err := objects.InHiddenForums(ctx, b.Blog)
		if err != nil {
			return nil, err
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool {
			_, found := slices.BinarySearch(hidden, id)
			return found
		})
	}
	if inTree {
		if ids, err = objects.WithoutLost(ctx, b.Blog, t.Name, ids); err != nil {
			return nil, err
		}
	}
	return b.objects(ctx, t, ids[max(0, len(ids)-mostPairs):])
}
