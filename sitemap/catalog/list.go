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

// Entry is one object of a list, listed or left out.
type Entry struct {
	ID      int64
	Date    rows.PackedTime // lastmod
	Verdict seo.Verdict
}

func NewEntry(id, lastmod int64, rule seo.Verdict) Entry { return Entry{id, rows.Pack(lastmod), rule} }

// LastMod is in Unix seconds; wp.NoTime: none.
func (e *Entry) LastMod() int64 { return e.Date.Unix() }

// FirstLink is an address before the objects of a list: the front page, the posts page, an archive, a URL added by hand.
type FirstLink struct {
	PostID  int64  // the front page where it has content of its own: rendered as a post; 0: Loc alone
	Loc     string // unless PostID
	LastMod int64
	Hints   urlset.Hints // of this address alone

	Object     int64 // the page at Loc, 0 for none
	Alternates []urlset.Alternate
}

// List is one paged sitemap. What is on it is of one kind: objects (Entries), objects that come and go by the clock (Timed), or
// addresses alone (First). For some the site itself answers (Elsewhere).
type List struct {
	Name    string
	Kind    seo.ObjectKind // of its objects; KindOther where they are of several kinds, or other lists have them, too
	Of      string         // the post type or taxonomy; "author" for users, "" for others
	TermsOf []string       // taxonomies of which it has terms, where there are several; beside posts, under the negated id

	// In the index.
	Indexed   bool    // the index names it
	Dependent bool    // but only where it names another one
	Dates     []int64 // lastmod of each page in the index
	Elsewhere string  // the setting by which the site itself answers for it; "": it is rendered here
	Address   string  // of the only page of another program's sitemap; "": by the plugin's scheme

	// What is on it.
	First   []FirstLink // before the objects
	Entries []Entry     // the objects, in the order of the pages
	After   []FirstLink // behind the objects of the first page
	Tail    []Entry     // behind the objects of every page
	Timed   *Timed      // not nil: it has the entries of the moment, and is always there; see at

	// Its pages.
	Size   int     // objects on a page
	Places bool    // first links count as objects
	Past   PastEnd // the answer for pages without objects

	// How it is rendered.
	Render     Renderer                                                         // nil: it has no objects
	Locate     Renderer                                                         // of the addresses alone; nil beside a Render: see Repeats
	Titles     func(ctx context.Context, ids []int64) (map[int64]string, error) // HTML
	Asked      func(*List) *List                                                // the list that answers to the query variable; nil: this one
	Encoding   *urlset.Encoding                                                 // nil: the plugin's
	Extensions urlset.Extensions                                                // 0: images
	Hints      urlset.Hints
	Parts      bool   // posts are followed by their later parts
	Changes    uint32 // a count of changes that entries do not show
	Withheld   error  // why nothing can be rendered, see Withhold; nil: it can

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
	// Absent says why a published post is not on it; nil: that is not known.
	Absent  func(ctx context.Context, p *wp.Post, listed bool) (note string, err error)
	Partial bool // Absent also says what of a post on it is left out
}

// Repeats reports whether other lists have all objects of a list, too, as of the news and the videos.
func (l *List) Repeats() bool { return l.Render != nil && l.Locate == nil }

// Renderer turns entries into addresses with all that is beside them. A post is followed by its later parts, as the same Object.
type Renderer func(ctx context.Context, entries []Entry) (Rendered, error)

// Rendered are entries as their rows are now.
type Rendered struct {
	URLs   []urlset.URL
	Behind bool // see Document.Behind
}

// Undated makes a Renderer of a function that takes all dates from the entries, and so never finds that rows have changed since.
func Undated(urls func(ctx context.Context, entries []Entry) ([]urlset.URL, error)) Renderer {
	return func(ctx context.Context, entries []Entry) (Rendered, error) {
		found, err := urls(ctx, entries)
		return Rendered{URLs: found}, err
	}
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

// Timed is what a list of news has in the place of entries: every article that is on it now, or will be by the clock alone. The
// entries of the moment are made of it for each answer, see at.
type Timed struct {
	Articles []rows.Article // in the order of the list
	Date     int64          // in the index, of a list of rows of a plugin
	// RowsOf returns the rows of a post. Not nil: the articles are rows of a plugin's table, with ids of their own.
	RowsOf func(ctx context.Context, post int64) ([]int64, error)
}

// Older counts the articles of now that were published before the window of news, and all.
func (l *List) Older(now int64) (older, all int) {
	for i := range l.Timed.Articles {
		if a := &l.Timed.Articles[i]; a.IsNews(now) {
			all++
			if a.Published < now-rows.NewsWindow {
				older++
			}
		}
	}
	return older, all
}

// Leaves returns when an object goes by the clock alone; zero: it does not.
func (l *List) Leaves(id, now int64) int64 {
	if l.Timed != nil {
		i := slices.IndexFunc(l.Timed.Articles, func(a rows.Article) bool { return a.ID == id })
		if i >= 0 && l.Timed.Articles[i].IsNews(now) {
			return l.Timed.Articles[i].Changes(now)
		}
	}
	return 0
}

// OfRows reports whether the objects are rows of a plugin's table, see Timed.RowsOf.
func (l *List) OfRows() bool { return l.Timed != nil && l.Timed.RowsOf != nil }

// at returns the list as it is at a time, in Unix seconds.
func (l *List) at(now int64) *List {
	if l.Timed == nil {
		return l
	}
	current := *l
	current.Entries = nil
	for i := range l.Timed.Articles {
		if a := &l.Timed.Articles[i]; a.IsNews(now) {
			current.Entries = append(current.Entries, NewEntry(a.ID, a.LastMod, seo.Listed))
		}
	}
	current.Indexed = len(current.Entries) > 0
	switch {
	case l.Timed.RowsOf == nil:
		current.Dates = current.PageDates()
	case current.Indexed:
		current.Dates = []int64{l.Timed.Date}
	}
	return &current
}

// Slice returns what is on a page, and whether the page exists.
func (l *List) Slice(page int) ([]FirstLink, []Entry, bool) {
	if l.Past == PastFirst && page > 1 {
		page = 1
	}
	if page < 1 || page > 1+(len(l.First)+len(l.Entries))/l.Size {
		return nil, nil, page > 0 && l.Past == PastEvery
	}
	first := l.First
	start, end := (page-1)*l.Size, page*l.Size
	if places := l.FirstPlaces(); places > 0 {
		first = first[min(start, places):min(end, places)]
		start, end = start-places, end-places
	} else if page > 1 {
		first = nil
	}
	start, end = min(max(start, 0), len(l.Entries)), min(max(end, 0), len(l.Entries))
	entries := l.Entries[start:end]
	exists := len(entries) > 0 || len(first) > 0
	if l.Timed != nil && page == 1 || l.Past == PastEvery {
		return first, entries, true
	}
	switch l.Past {
	case PastHidden:
		exists = exists && l.Indexed
	case PastUnlisted:
		exists = len(first) > 0 || slices.ContainsFunc(entries, func(e Entry) bool { return e.Verdict == seo.Listed })
	case PastPostTypes:
		exists = len(l.Entries) >= (page-1)*l.Size
	}
	return first, entries, exists
}

// FirstPlaces counts the places that first links take on the pages.
func (l *List) FirstPlaces() int {
	if l.Places {
		return len(l.First)
	}
	return 0
}

// Pages counts the pages that entries and first links take.
func (l *List) Pages() int { return (len(l.Entries) + l.FirstPlaces() + l.Size - 1) / l.Size }

// PageListed counts the addresses on a page, without later parts of posts.
func (l *List) PageListed(page int) int {
	n := 0
	on, _ := l.page(page)
	for range on.Items() {
		n++
	}
	return n
}

// page returns what is on a page as a list of its own, and whether the page exists.
func (l *List) page(page int) (*List, bool) {
	first, entries, exists := l.Slice(page)
	on := &List{First: first, Entries: append(slices.Clip(entries), l.Tail...)}
	if page == 1 {
		on.After = l.After
	}
	return on, exists
}

// Listed counts the addresses of the list, without later parts of posts.
func (l *List) Listed() int {
	return len(l.First) + len(ListedEntries(l.Entries)) + len(l.After) + len(l.Tail)*len(l.Dates)
}

// ListedEntries returns those that are not left out.
func ListedEntries(entries []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Verdict != seo.Listed })
}

// PageDates returns the newest lastmod of every page, of what is listed on it.
func (l *List) PageDates() []int64 {
	dates := make([]int64, l.Pages())
	for i := range dates {
		on, _ := l.page(i + 1)
		dates[i] = wp.NoTime
		for it := range on.Items() {
			dates[i] = max(dates[i], it.LastMod())
		}
	}
	return dates
}

// NewestListed is the newest lastmod of the listed entries, wp.NoTime where they have none.
func (l *List) NewestListed() int64 {
	newest := wp.NoTime
	for _, e := range l.Entries {
		if e.Verdict == seo.Listed {
			newest = max(newest, e.LastMod())
		}
	}
	return newest
}

// Lists reports whether an object is on the list, whose entries must be ordered by id.
func (l *List) Lists(id int64) bool {
	for _, f := range l.First {
		if f.PostID == id || f.Object == id {
			return true
		}
	}
	i, ok := slices.BinarySearchFunc(l.Entries, id, func(e Entry, id int64) int { return cmp.Compare(e.ID, id) })
	return ok && l.Entries[i].Verdict == seo.Listed
}

// EntryIDs returns the ids of entries.
func EntryIDs(entries []Entry) []int64 {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return ids
}

// EntryURLs returns the addresses of entries, in their order, with their dates. What has gone, and has no address by its id, is
// left out.
func EntryURLs(entries []Entry, locs map[int64]string) []urlset.URL {
	urls := make([]urlset.URL, 0, len(entries))
	for _, e := range entries {
		if loc, ok := locs[e.ID]; ok {
			urls = append(urls, urlset.URL{Object: e.ID, Loc: loc, LastMod: e.LastMod()})
		}
	}
	return urls
}

// Located makes a Renderer of a function that finds the addresses of objects by id, for entries that have nothing but an address
// and a date.
func Located(locate func(ctx context.Context, ids []int64) (map[int64]string, error)) Renderer {
	return Undated(func(ctx context.Context, entries []Entry) ([]urlset.URL, error) {
		locs, err := locate(ctx, EntryIDs(entries))
		return EntryURLs(entries, locs), err
	})
}

// Lastmods returns the dates of entries by id.
func Lastmods(entries []Entry) map[int64]int64 {
	dates := make(map[int64]int64, len(entries))
	for _, e := range entries {
		dates[e.ID] = e.LastMod()
	}
	return dates
}

// Withhold keeps the objects of a list back: whatever would read them fails with that error.
func (l *List) Withhold(why error) {
	l.Withheld = why
	l.Render = func(context.Context, []Entry) (Rendered, error) { return Rendered{}, why }
	if l.Locate != nil {
		l.Locate = l.Render
	}
}

// Item is an address or an object of a list.
type Item struct {
	List  *List
	Link  *FirstLink // nil: Entry
	Entry Entry
}

// LastMod is its date; wp.NoTime: none.
func (i *Item) LastMod() int64 {
	if i.Link != nil {
		return i.Link.LastMod
	}
	return i.Entry.LastMod()
}

// Object is the id of its post, term or user; ok is false for an address alone.
func (i *Item) Object() (id int64, ok bool) {
	if i.Link != nil {
		return i.Link.PostID, i.Link.PostID != 0
	}
	return i.Entry.ID, true
}

// Items yields what a list has on all its pages, in their order, without its Tail.
func (l *List) Items() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for i := range l.First {
			if !yield(Item{List: l, Link: &l.First[i]}) {
				return
			}
		}
		for _, e := range l.Entries {
			if e.Verdict == seo.Listed && !yield(Item{List: l, Entry: e}) {
				return
			}
		}
		for i := range l.After {
			if !yield(Item{List: l, Link: &l.After[i]}) {
				return
			}
		}
	}
}
