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

// Place is one object with a place on the pages of a list. Only an object whose verdict is seo.Listed is an Entry of the list.
type Place struct {
	ID      int64
	Date    rows.PackedTime // lastmod
	Verdict seo.Verdict
}

// NewPlace returns a place; lastmod is in Unix seconds.
func NewPlace(id, lastmod int64, rule seo.Verdict) Place { return Place{id, rows.Pack(lastmod), rule} }

// Places are the objects of a list or of a page, in their order.
type Places []Place

// Listed yields those that are listed, as entries without a list.
func (p Places) Listed() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range p {
			if p[i].Verdict == seo.Listed && !yield(Entry{ID: p[i].ID, LastMod: p[i].Date.Unix()}) {
				return
			}
		}
	}
}

// CountListed counts those that are listed.
func (p Places) CountListed() (n int) {
	for range p.Listed() {
		n++
	}
	return n
}

// ByID sorts places by the ids of objects.
func (p Places) ByID() { slices.SortFunc(p, func(x, y Place) int { return cmp.Compare(x.ID, y.ID) }) }

// FirstLink is an address before the objects of a list: the front page, the posts page, an archive, a URL added by hand.
type FirstLink struct {
	PostID  int64  // the front page if it has content of its own: rendered as a post; 0: Loc alone
	Loc     string // unless PostID
	LastMod int64
	Hints   urlset.Hints // of this address alone

	Object     int64  // the page at Loc, 0 for none
	Archive    string // the post type whose archive it is, if the list is not of that type
	Alternates []urlset.Alternate
}

// List is one paged sitemap.
type List struct {
	Name    string
	Kind    seo.ObjectKind // of its objects; KindOther if they are of several kinds or on other lists, too
	Of      string         // the post type or taxonomy; "author" for users, "" for others
	TermsOf []string       // taxonomies of which it has terms, if there are several; beside posts, under the negated id

	// Its place in the index.
	Indexed   bool    // the index names it
	Dependent bool    // but only if it names another one
	Dates     []int64 // lastmod of each page in the index
	Elsewhere string  // the setting by which the site itself answers for it; "": it is rendered here
	Address   string  // of the only page of another program's sitemap; "": by the plugin's scheme

	// What is on it.
	First   []FirstLink // before the objects
	Places  Places      // the objects, listed or left out; of a Timed content those of the moment
	After   []FirstLink // behind the objects of the first page
	Tail    []Entry     // behind the objects of every page
	Content Content     // nil: it has no objects

	// Its pages.
	Size        int     // places on a page
	FirstPlaced bool    // first links take places
	Past        PastEnd // the answer for pages without objects

	// How it is written.
	Encoding   *urlset.Encoding  // nil: the plugin's
	Extensions urlset.Extensions // 0: images
	Hints      urlset.Hints
	Parts      bool // posts are followed by their later parts

	Changes  uint32 // a count of changes that places do not show
	Withheld error  // why no object can be rendered or located; nil: they can

	Explained Explained

	prints []uint64 // fingerprints of the pages …
	whole  uint64   // … and of all together
}

// Explained is what check and explain say of a list.
type Explained struct {
	Why      []seo.Evidence      // what asks for it, beside the plugin
	LeftOut  map[seo.Verdict]int // objects of it that are left out
	Holds    string              // which of the objects it could have are on it by the clock; "" for all
	Dateless bool                // its sitemap does not show the dates of entries
}

// Repeats reports whether other lists have all objects of a list, too, such as those of news and videos.
func (l *List) Repeats() bool {
	_, ok := l.Content.(Repeated)
	return ok
}

// Locate returns the addresses of objects of a list that repeats no others.
func (l *List) Locate(ctx context.Context, objects []Entry) (Rendered, error) {
	switch {
	case len(objects) == 0:
		return Rendered{}, nil
	case l.Withheld != nil:
		return Rendered{}, l.Withheld
	}
	return l.Content.(Own).Locate(ctx, objects)
}

func (l *List) render(ctx context.Context, objects []Entry) (Rendered, error) {
	switch {
	case len(objects) == 0:
		return Rendered{}, nil
	case l.Withheld != nil:
		return Rendered{}, l.Withheld
	}
	return l.Content.Render(ctx, objects)
}

// PastEnd says what is answered for a page without objects.
type PastEnd uint8

const (
	PastMissing   PastEnd = iota // no such sitemap
	PastPostTypes                // the first page, and one just behind a full one, exist and are empty
	PastFirst                    // every page is the first one
	PastEvery                    // every page exists
	PastHidden                   // no such sitemap, nor where the index does not name the list
	PastUnlisted                 // no such sitemap, nor where all that has a place on the page is left out
)

// Older counts the articles of now that were published before the window of news, and all.
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

// Leaves returns when an object goes by the clock alone; zero if it does not.
func (l *List) Leaves(id, now int64) int64 {
	articles := l.articles()
	i := slices.IndexFunc(articles, func(a rows.Article) bool { return a.ID == id })
	if i >= 0 && articles[i].IsNews(now) {
		return articles[i].Changes(now)
	}
	return 0
}

// at returns the list as it is at a time, in Unix seconds.
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

// Slice returns what is on a page, and whether the page exists.
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
		exists = len(first) > 0 || places.CountListed() > 0
	case PastPostTypes:
		exists = len(l.Places) >= (page-1)*l.Size
	}
	return first, places, exists
}

// FirstPlaces counts the places that first links take on the pages.
func (l *List) FirstPlaces() int {
	if l.FirstPlaced {
		return len(l.First)
	}
	return 0
}

// Pages counts the pages that objects and first links take.
func (l *List) Pages() int { return (len(l.Places) + l.FirstPlaces() + l.Size - 1) / l.Size }

// PageListed counts the addresses on a page, without later parts of posts.
func (l *List) PageListed(page int) int {
	n := 0
	on, _ := l.page(page)
	for range on.Entries() {
		n++
	}
	return n
}

// page returns what is on a page as a list of its own, and whether the page exists.
func (l *List) page(page int) (*List, bool) {
	first, places, exists := l.Slice(page)
	on := &List{First: first, Places: places, Tail: l.Tail}
	if page == 1 {
		on.After = l.After
	}
	return on, exists
}

// Listed counts the addresses of the list, without later parts of posts.
func (l *List) Listed() int {
	return len(l.First) + l.Places.CountListed() + len(l.After) + len(l.Tail)*len(l.Dates)
}

// PageDates returns the newest lastmod of every page, of what is listed on it.
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

// NewestListed returns the newest lastmod of the listed objects; wp.NoTime if they have none.
func (l *List) NewestListed() int64 {
	newest := wp.NoTime
	for e := range l.Places.Listed() {
		newest = max(newest, e.LastMod)
	}
	return newest
}

// Lists reports whether an object is on the list, whose places must be ordered by id.
func (l *List) Lists(id int64) bool {
	for _, f := range l.First {
		if f.PostID == id || f.Object == id {
			return true
		}
	}
	i, ok := slices.BinarySearchFunc(l.Places, id, func(p Place, id int64) int { return cmp.Compare(p.ID, id) })
	return ok && l.Places[i].Verdict == seo.Listed
}

// Entries yields what a list lists on all its pages, in their order; its Tail once.
func (l *List) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range l.First {
			if !yield(Entry{List: l, Link: &l.First[i], LastMod: l.First[i].LastMod}) {
				return
			}
		}
		for e := range l.Places.Listed() {
			if e.List = l; !yield(e) {
				return
			}
		}
		for _, e := range l.Tail {
			if e.List = l; !yield(e) {
				return
			}
		}
		for i := range l.After {
			if !yield(Entry{List: l, Link: &l.After[i], LastMod: l.After[i].LastMod}) {
				return
			}
		}
	}
}
