package catalog

import (
	"cmp"
	"iter"
	"slices"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

// A Place is one object that takes a place on the pages of a list. The object is an Entry only if its
// verdict is seo.Listed.
type Place struct {
	ID      int64
	Date    rows.PackedTime // lastmod
	Verdict seo.Verdict
}

// NewPlace returns a Place. lastmod is in Unix seconds.
func NewPlace(id, lastmod int64, rule seo.Verdict) Place { return Place{id, rows.Pack(lastmod), rule} }

// Places are the objects of a list or a page, in page order.
type Places []Place

// Listed yields the listed objects.
func (p Places) Listed() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for i := range p {
			if p[i].Verdict == seo.Listed && !yield(p[i]) {
				return
			}
		}
	}
}

// IDs returns the ids of the objects.
func (p Places) IDs() []int64 {
	ids := make([]int64, len(p))
	for i := range p {
		ids[i] = p[i].ID
	}
	return ids
}

// Dates returns the lastmod of each object by id, in Unix seconds.
func (p Places) Dates() map[int64]int64 {
	dates := make(map[int64]int64, len(p))
	for i := range p {
		dates[p[i].ID] = p[i].Date.Unix()
	}
	return dates
}

// countListed returns the number of listed objects.
func (p Places) countListed() (n int) {
	for range p.Listed() {
		n++
	}
	return n
}

// ByID sorts places by object id.
func (p Places) ByID() { slices.SortFunc(p, func(x, y Place) int { return cmp.Compare(x.ID, y.ID) }) }

// FirstLink is an address that comes before the objects of a list: the front page, the posts page, an
// archive, or a URL that the operator added.
type FirstLink struct {
	PostID  int64  // id of a page or post that is rendered like an object of the list; 0 if only Loc is rendered
	Loc     string // the address, if PostID is 0
	LastMod int64
	Hints   urlset.Hints // hints for this address only

	Object     int64  // id of the page at Loc; 0 if there is none
	Archive    string // the post type whose archive this is, if the list has another type
	Alternates []urlset.Alternate
}

// Entry is one entry of a list: a first link or a listed object.
type Entry struct {
	List    *List
	Link    *FirstLink // the first link; nil if the entry is an object
	ID      int64      // id of the object
	LastMod int64      // in Unix seconds; wp.NoTime if there is no date
}

// Object returns the id of the post, term or user. ok is false if the entry is only an address.
func (e *Entry) Object() (id int64, ok bool) {
	if e.Link != nil {
		return e.Link.PostID, e.Link.PostID != 0
	}
	return e.ID, true
}
