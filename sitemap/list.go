package sitemap

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// entry is one object in the catalog.
type entry struct {
	id   int64
	date when // lastmod
	rule Verdict
}

func newEntry(id, lastmod int64, rule Verdict) entry { return entry{id, at(lastmod), rule} }

// lastmod is in Unix seconds; wp.NoTime: none.
func (e *entry) lastmod() int64 { return e.date.unix() }

// firstLink is an address that stands before the objects of a list: the front page, the
// posts page or a post type archive.
type firstLink struct {
	postID  int64  // front page with content of its own; 0: just loc
	loc     string // unless postID
	lastmod int64

	object     int64 // the page that stands at loc, 0 for none
	alternates []urlset.Alternate
}

// list is one paged sitemap: a post type, a taxonomy, the authors or the news.
type list struct {
	name    string
	kind    Kind     // of what it lists: KindPost, KindTerm, KindUser; KindOther where other lists have it, too
	termsOf []string // taxonomies of whose terms it has entries, by negative ids
	of      string   // the post type or taxonomy; "author" for users, "" for others

	indexed   bool        // the index names it
	dependent bool        // only beside others
	first     []firstLink // before the objects
	after     []firstLink // behind the objects of the first page
	entries   []entry     // in the order of the pages
	tail      []entry     // behind the objects of every page
	dates     []int64     // lastmod of each page in the index
	size      int         // objects on a page
	places    bool        // first links take places on the pages
	past      pastEnd     // what a page behind the last one is
	stays     bool        // the first page exists even when nothing stands on it
	elsewhere bool        // the index names it, and the site itself answers for it
	dateless  bool        // its entries have no date of their own in the sitemap
	timed     *timed      // not nil: indexed, entries and dates follow the clock, see at

	extensions urlset.Extensions // 0: images
	hints      urlset.Hints
	parts      bool            // later parts of posts follow them
	piecewise  bool            // render tells the addresses of one object from those of the next
	changes    uint32          // a count of what changed beside the entries
	left       map[Verdict]int // objects of it that are left out

	render listRenderer
	locate func(ctx context.Context, entries []entry) ([]located, error)               // the addresses alone; nil where other lists have them all
	titles func(ctx context.Context, ids []int64) (map[int64]string, error)            // HTML
	rows   *storedRows                                                                 // not nil: its entries are rows of a plugin's table
	asked  func(*list) *list                                                           // as it answers to the query variable; nil: as always
	absent func(ctx context.Context, p *wp.Post, listed bool) (note string, err error) // why a published post is not on it; nil: nothing to say

	stamp  uint64   // of what all its pieces are made of
	prints []uint64 // fingerprints of the pages …
	whole  uint64   // … and of all together
}

// listRenderer turns entries into addresses with all that stands beside them.
type listRenderer func(ctx context.Context, entries []entry) (renderedRows, error)

// storedRows are the rows of a plugin's table that the entries of a list are, with ids of their own.
type storedRows struct {
	column, note string // where the address stands, and what to say of one that no post has
	ofPost       func(ctx context.Context, post int64) ([]int64, error)
	addresses    func(ctx context.Context, entries []entry) ([]located, error)
}

// renderedRows are entries as their rows are now.
type renderedRows struct {
	urls   []urlset.URL
	behind bool // see Document.Behind
}

// undated makes a list's render of a function that takes all dates from the catalog.
func undated(urls func(ctx context.Context, entries []entry) ([]urlset.URL, error)) listRenderer {
	return func(ctx context.Context, entries []entry) (renderedRows, error) {
		found, err := urls(ctx, entries)
		return renderedRows{urls: found}, err
	}
}

// pastEnd is what is answered for pages without objects.
type pastEnd uint8

const (
	pastMissing   pastEnd = iota // no such sitemap
	pastPostTypes                // the first page, and one just behind a full one, exist and are empty
	pastFirst                    // every page is the first one
	pastEvery                    // every page exists
	pastHidden                   // no such sitemap, nor where the index does not name the list
)

// timed makes the entries of a list depend on the clock: it keeps every object that can stand in it without a change in
// the database, and is asked anew whenever something is served.
type timed struct {
	articles []article // in the order of the list
	stored   bool      // the entries are rows of a plugin's table, and come with one date for the index
	date     int64     // that date
}

// at returns the list as it is at a time, in Unix seconds.
func (l *list) at(now int64) *list {
	if l.timed == nil {
		return l
	}
	current := *l
	current.entries = nil
	for i := range l.timed.articles {
		if a := &l.timed.articles[i]; a.isNews(now) {
			current.entries = append(current.entries, newEntry(a.id, a.lastmod, Listed))
		}
	}
	current.indexed = len(current.entries) > 0
	switch {
	case !l.timed.stored:
		current.dates = current.pageDates()
	case current.indexed:
		current.dates = []int64{l.timed.date}
	}
	return &current
}

// slice returns what stands on a page, and whether the page exists.
func (l *list) slice(page int) ([]firstLink, []entry, bool) {
	if l.past == pastFirst && page > 1 {
		page = 1
	}
	if page < 1 || page > 1+(len(l.first)+len(l.entries))/l.size {
		return nil, nil, page > 0 && l.past == pastEvery
	}
	first := l.first
	start, end := (page-1)*l.size, page*l.size
	if places := l.firstPlaces(); places > 0 {
		first = first[min(start, places):min(end, places)]
		start, end = start-places, end-places
	} else if page > 1 {
		first = nil
	}
	start, end = min(max(start, 0), len(l.entries)), min(max(end, 0), len(l.entries))
	entries := l.entries[start:end]
	exists := len(entries) > 0 || len(first) > 0
	if l.stays && page == 1 || l.past == pastEvery {
		return first, entries, true
	}
	switch l.past {
	case pastHidden:
		exists = exists && l.indexed
	case pastPostTypes:
		exists = len(l.entries) >= (page-1)*l.size
	}
	return first, entries, exists
}

// firstPlaces counts the places that first links take on the pages.
func (l *list) firstPlaces() int {
	if l.places {
		return len(l.first)
	}
	return 0
}

// pages counts the pages the index names.
func (l *list) pages() int { return (len(l.entries) + l.firstPlaces() + l.size - 1) / l.size }

// pageListed counts the addresses on a page.
func (l *list) pageListed(page int) int {
	first, entries, _ := l.slice(page)
	n := len(first) + len(l.tail)
	if page == 1 {
		n += len(l.after)
	}
	for _, e := range entries {
		if e.rule == Listed {
			n++
		}
	}
	return n
}

// listed counts the addresses of a list.
func (l *list) listed() int {
	n := len(l.first) + len(l.after) + len(l.tail)*len(l.dates)
	for _, e := range l.entries {
		if e.rule == Listed {
			n++
		}
	}
	return n
}

func listedEntries(entries []entry) []entry {
	kept := make([]entry, 0, len(entries))
	for _, e := range entries {
		if e.rule == Listed {
			kept = append(kept, e)
		}
	}
	return kept
}

// pageDates returns the newest lastmod of every page.
func (l *list) pageDates() []int64 {
	dates := make([]int64, l.pages())
	for i := range dates {
		first, entries, _ := l.slice(i + 1)
		newest := wp.NoTime
		for _, f := range first {
			newest = max(newest, f.lastmod)
		}
		for _, e := range entries {
			if e.rule == Listed {
				newest = max(newest, e.lastmod())
			}
		}
		dates[i] = newest
	}
	return dates
}

// newestListed is the newest lastmod that a list has.
func (l *list) newestListed() int64 {
	newest := wp.NoTime
	for _, e := range l.entries {
		if e.rule == Listed {
			newest = max(newest, e.lastmod())
		}
	}
	return newest
}

// lists reports whether an object is on a list that is ordered by id.
func (l *list) lists(id int64) bool {
	for _, f := range l.first {
		if f.postID == id || f.object == id {
			return true
		}
	}
	i, ok := slices.BinarySearchFunc(l.entries, id, func(e entry, id int64) int { return cmp.Compare(e.id, id) })
	return ok && l.entries[i].rule == Listed
}

func entryIDs(entries []entry) []int64 {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	return ids
}

// lastmods returns the dates of entries by id.
func lastmods(entries []entry) map[int64]int64 {
	dates := make(map[int64]int64, len(entries))
	for _, e := range entries {
		dates[e.id] = e.lastmod()
	}
	return dates
}

// located is an address of an object; its later parts follow the object itself.
type located struct {
	id  int64
	loc string
}

// object is an address that a list holds: an entry or, with loc, one that is no entry of its own.
type object struct {
	entry
	loc string
}

// lastmod is the date of an object; a zero one, which only the plugin's XML knows, is none.
func (o object) lastmod() int64 { return known(o.entry.lastmod()) }

// objects yields what a list holds on all its pages.
func (l *list) objects() iter.Seq[object] {
	return func(yield func(object) bool) {
		links := func(links []firstLink) bool {
			for _, f := range links {
				o := object{newEntry(f.postID, f.lastmod, Listed), f.loc}
				if f.postID != 0 {
					o.loc = ""
				}
				if !yield(o) {
					return false
				}
			}
			return true
		}
		if !links(l.first) {
			return
		}
		for _, e := range l.entries {
			if e.rule == Listed && !yield(object{entry: e}) {
				return
			}
		}
		links(l.after)
	}
}

// locations reads the addresses of objects.
func (l *list) locations(ctx context.Context, objects []object) (map[int64][]string, error) {
	var entries []entry
	for _, o := range objects {
		if o.loc == "" {
			entries = append(entries, o.entry)
		}
	}
	if len(entries) == 0 {
		return nil, nil
	}
	found, err := l.locate(ctx, entries)
	if err != nil {
		return nil, err
	}
	of := make(map[int64][]string, len(found))
	for _, f := range found {
		of[f.id] = append(of[f.id], f.loc)
	}
	return of, nil
}
