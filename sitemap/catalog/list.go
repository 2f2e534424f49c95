package catalog

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
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

// A List is one sitemap with all its pages.
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

// Older counts the articles that are news now. all is their number. older is the number of those that were
// published before the news window and are news only because of a recent change.
func (l *List) Older(now int64) (older, all int) {
	articles := l.articles()
	for i := range articles {
		if a := &articles[i]; a.IsNews(now) {
			all++
			if a.Published < now-rows.NewsWindow {
				older++
			}
		}
	}
	return older, all
}

// Leaves returns when the clock alone removes an object from the list, in Unix seconds. It returns 0
// if the clock does not remove the object.
func (l *List) Leaves(id, now int64) int64 {
	articles := l.articles()
	i := slices.IndexFunc(articles, func(a rows.Article) bool { return a.ID == id })
	if i >= 0 && articles[i].IsNews(now) {
		return articles[i].Changes(now)
	}
	return 0
}

// at returns the list at the time now, in Unix seconds.
func (l *List) at(now int64) *List {
	timed, ok := l.Content.(Timed)
	if !ok {
		return l
	}
	current, articles := *l, timed.Articles()
	for i := range articles {
		if a := &articles[i]; a.IsNews(now) {
			current.Places = append(current.Places, NewPlace(a.ID, a.LastMod, seo.Listed))
		}
	}
	current.Indexed = len(current.Places) > 0
	switch of, ofRows := timed.(OfRows); {
	case !ofRows:
		current.Dates = current.PageDates()
	case current.Indexed:
		current.Dates = []int64{of.IndexDate()}
	}
	return &current
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

// FirstPlaces returns the number of places that first links take.
func (l *List) FirstPlaces() int {
	if l.FirstPlaced {
		return len(l.First)
	}
	return 0
}

// Pages returns the number of pages that first links and objects fill.
func (l *List) Pages() int { return (len(l.Places) + l.FirstPlaces() + l.Size - 1) / l.Size }

// PageListed returns the number of addresses on a page, without later parts of posts.
func (l *List) PageListed(page int) int {
	n := 0
	on, _ := l.page(page)
	for range on.Entries() {
		n++
	}
	return n
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

// Listed returns the number of addresses in the list, without later parts of posts.
func (l *List) Listed() int {
	return len(l.First) + l.Places.countListed() + len(l.After) + len(l.Tail)*len(l.Dates)
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

// NewestListed returns the newest lastmod of the listed objects. It returns wp.NoTime if none has a
// date.
func (l *List) NewestListed() int64 {
	newest := wp.NoTime
	for p := range l.Places.Listed() {
		newest = max(newest, p.Date.Unix())
	}
	return newest
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
