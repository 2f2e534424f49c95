package catalog

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// A List is one sitemap with all its pages. Its entries are the addresses in First, the listed objects in Places and Tail, and the
// addresses in After, in this order. An object in Places that is left out takes a place on a page, but is no entry. Use
// Entries or Places.Listed to find what is listed.
type List struct {
	Name    string
	Kind    seo.ObjectKind // kind of the objects; KindOther if they have several kinds or are also on other lists
	Of      string         // the post type or taxonomy; "author" for users, "" for other lists
	TermsOf []string       // taxonomies, if the list has terms of several; beside posts, the ID of a term is negative

	// The following fields describe the list in the index.
	Indexed   bool    // the index names it
	Dependent bool    // the index names the list only if it also names another list
	Dates     []int64 // lastmod of each page in the index, in Unix seconds
	Elsewhere string  // the setting that makes the site itself answer; "" if the daemon renders the list
	Address   string  // URL of a sitemap that another program makes, with one page; "" for the plugin's own URL

	// The following fields hold the contents of the list.
	First   []FirstLink // before the objects
	Places  Places      // the objects, listed or left out; empty for Timed content, except in the result of Current
	After   []FirstLink // addresses after the objects of the first page
	Tail    Places      // listed objects that every page has at its end
	Content Content     // nil if the list has no objects

	// The following fields divide the list into pages.
	Size        int     // maximum number of places on a page
	FirstPlaced bool    // first links take places on the pages
	Past        PastEnd // the answer for a page without objects

	// The following fields say how the list is written.
	Encoding   *urlset.Encoding  // nil for the encoding of the plugin
	Extensions urlset.Extensions // 0 for images only
	Hints      urlset.Hints
	Parts      bool // each post is followed by the URLs of its later parts, see <!--nextpage-->

	Changes  uint32 // how many times addresses have changed while Places stayed the same
	Withheld error  // why objects can be neither rendered nor located; nil if they can

	Explained Explained

	prints []uint64 // fingerprints of the pages
	whole  uint64   // fingerprint of the whole list
}

// Explained is what the check and explain commands say about a list.
type Explained struct {
	Why      []seo.Evidence      // the evidence that requires the list, apart from the plugin
	LeftOut  map[seo.Verdict]int // number of objects that each rule leaves out
	Holds    string              // for people: which objects the list contains now; "" if the clock does not matter
	Dateless bool                // the sitemap shows no dates
}

// PastEnd says how the daemon answers a request for a page without objects.
type PastEnd uint8

const (
	PastMissing   PastEnd = iota // the page does not exist
	PastPostTypes                // the first page exists although empty; so does the page after a full page
	PastFirst                    // every page shows the first page
	PastEvery                    // every page exists
	PastHidden                   // the page does not exist; if the index does not name the list, no page exists
	PastUnlisted                 // the page does not exist; nor does a page on which every object is left out
)

// Entries yields the entries of all pages in page order. It yields Tail only once.
func (l *List) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		links := func(links []FirstLink) bool {
			for i := range links {
				if !yield(Entry{List: l, Link: &links[i], LastMod: links[i].LastMod}) {
					return false
				}
			}
			return true
		}
		objects := func(objects Places) bool {
			for p := range objects.Listed() {
				if !yield(Entry{List: l, ID: p.ID, LastMod: p.Date.Unix()}) {
					return false
				}
			}
			return true
		}
		if links(l.First) && objects(l.Places) && objects(l.Tail) {
			links(l.After)
		}
	}
}

// Listed returns the number of addresses in the list, without later parts of posts.
func (l *List) Listed() int {
	return len(l.First) + l.Places.countListed() + len(l.After) + len(l.Tail)*len(l.Dates)
}

// Lists reports whether an object is listed. The places must be sorted by id.
func (l *List) Lists(id int64) bool {
	for _, f := range l.First {
		if f.PostID == id || f.Object == id {
			return true
		}
	}
	i, ok := slices.BinarySearchFunc(l.Places, id, func(p Place, id int64) int { return cmp.Compare(p.ID, id) })
	return ok && l.Places[i].Verdict == seo.Listed
}

// NewestListed returns the newest lastmod of the listed objects. It returns wp.NoTime if none has a
// date.
func (l *List) NewestListed() int64 {
	newest := wp.NoTime
	for p := range l.Places.Listed() {
		newest = max(newest, p.Date.Unix())
	}
	return newest
}

// Pages returns the number of pages that first links and objects fill.
func (l *List) Pages() int { return (len(l.Places) + l.FirstPlaces() + l.Size - 1) / l.Size }

// FirstPlaces returns the number of places that first links take.
func (l *List) FirstPlaces() int {
	if l.FirstPlaced {
		return len(l.First)
	}
	return 0
}

// Slice returns the first links and places of a page, and reports whether the page exists.
func (l *List) Slice(page int) ([]FirstLink, Places, bool) {
	if l.Past == PastFirst && page > 1 {
		page = 1
	}
	if page < 1 || page > 1+(len(l.First)+len(l.Places))/l.Size {
		return nil, nil, page > 0 && l.Past == PastEvery
	}
	first := l.First
	start, end := (page-1)*l.Size, page*l.Size
	if before := l.FirstPlaces(); before > 0 {
		first = first[min(start, before):min(end, before)]
		start, end = start-before, end-before
	} else if page > 1 {
		first = nil
	}
	start, end = min(max(start, 0), len(l.Places)), min(max(end, 0), len(l.Places))
	places := l.Places[start:end]
	exists := len(places) > 0 || len(first) > 0
	if l.isTimed() && page == 1 || l.Past == PastEvery {
		return first, places, true
	}
	switch l.Past {
	case PastHidden:
		exists = exists && l.Indexed
	case PastUnlisted:
		exists = len(first) > 0 || places.countListed() > 0
	case PastPostTypes:
		exists = len(l.Places) >= (page-1)*l.Size
	}
	return first, places, exists
}

// page returns a page as a List with the page's contents only, and reports whether the page exists.
func (l *List) page(page int) (*List, bool) {
	first, places, exists := l.Slice(page)
	on := &List{First: first, Places: places, Tail: l.Tail}
	if page == 1 {
		on.After = l.After
	}
	return on, exists
}

// pageListed returns the number of addresses on a page, without later parts of posts.
func (l *List) pageListed(page int) int {
	n := 0
	on, _ := l.page(page)
	for range on.Entries() {
		n++
	}
	return n
}

// PageDates returns, for every page, the newest lastmod of its listed entries.
func (l *List) PageDates() []int64 {
	dates := make([]int64, l.Pages())
	for i := range dates {
		on, _ := l.page(i + 1)
		dates[i] = wp.NoTime
		for e := range on.Entries() {
			dates[i] = max(dates[i], e.LastMod)
		}
	}
	return dates
}

// Repeats reports whether other lists have the same objects. This holds for news and videos.
func (l *List) Repeats() bool {
	_, ok := l.Content.(Repeated)
	return ok
}

// Locate returns the addresses of objects. Repeats must report false for the list.
func (l *List) Locate(ctx context.Context, objects Places) (Rendered, error) {
	switch {
	case len(objects) == 0:
		return Rendered{}, nil
	case l.Withheld != nil:
		return Rendered{}, l.Withheld
	}
	return l.Content.(Own).Locate(ctx, objects)
}

func (l *List) render(ctx context.Context, objects Places) (Rendered, error) {
	switch {
	case len(objects) == 0:
		return Rendered{}, nil
	case l.Withheld != nil:
		return Rendered{}, l.Withheld
	}
	return l.Content.Render(ctx, objects)
}
