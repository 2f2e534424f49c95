package catalog

import (
	"context"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// Content makes URLs of the objects of a list. A list of addresses alone has none. A content is either Own or Repeated; a
// Repeated may also be Timed, and a Timed may also be OfRows.
type Content interface {
	// Render returns objects as URLs, with all that is beside the addresses. A post is followed by its later parts, as the same
	// urlset.URL.Object.
	Render(ctx context.Context, objects []Entry) (Rendered, error)
}

// Own is the content of a list whose objects are on no other list.
type Own interface {
	Content
	// Locate returns the addresses that Render returns, and nothing beside them.
	Locate(ctx context.Context, objects []Entry) (Rendered, error)
	// Titles returns the titles of objects, HTML.
	Titles(ctx context.Context, ids []int64) (map[int64]string, error)
}

// Repeated is the content of a list whose objects are on the lists of their types, too: news and videos.
type Repeated interface {
	Content
	// Absent says why a published post, or something that belongs to it, is not on the list; "" if that is not known.
	Absent(ctx context.Context, p *wp.Post, is Standing) (note string, err error)
}

// Timed is a Repeated whose objects come and go by the clock.
type Timed interface {
	Repeated
	// Articles returns what is on the list now or will be by the clock alone, in the order of the list.
	Articles() []rows.Article
}

// OfRows is a Timed whose articles are rows of a plugin's table, with ids of their own.
type OfRows interface {
	Timed
	// RowsOf returns the ids of a post's rows.
	RowsOf(ctx context.Context, post int64) ([]int64, error)
	// IndexDate returns the date of the list in the index.
	IndexDate() int64
}

// Render is a function that renders as a Content does.
type Render func(ctx context.Context, objects []Entry) (Rendered, error)

// Overridden is a content that a plugin renders in its own way.
type Overridden struct {
	Own
	By Render
}

// Render implements Content.
func (o Overridden) Render(ctx context.Context, objects []Entry) (Rendered, error) {
	return o.By(ctx, objects)
}

// ByQuery is a content whose list is another one if the query variable asks for it.
type ByQuery struct {
	Own
	Asked func(l *List) *List
}

// Standing says where a post is, for Repeated.Absent.
type Standing uint8

const (
	Unlisted     Standing = iota // on no list
	ListedByType                 // on another list
	ListedHere                   // on the list itself
)

// Rendered are objects as their rows are now.
type Rendered struct {
	URLs   []urlset.URL
	Behind bool // see Document.Behind
}

// texts reads texts of objects by id.
type texts func(ctx context.Context, ids []int64) (map[int64]string, error)

// located is the content of a list whose objects have nothing but an address and a date.
type located struct{ locs, titles texts }

// Located returns the content of a list whose objects have nothing but an address and a date. Objects without an address are
// gone.
func Located(locs, titles texts) Own { return located{locs, titles} }

func (o located) Render(ctx context.Context, objects []Entry) (Rendered, error) {
	return o.Locate(ctx, objects)
}

func (o located) Locate(ctx context.Context, objects []Entry) (Rendered, error) {
	locs, err := o.locs(ctx, IDs(objects))
	urls := make([]urlset.URL, 0, len(objects))
	for _, e := range objects {
		if loc, ok := locs[e.ID]; ok {
			urls = append(urls, urlset.URL{Object: e.ID, Loc: loc, LastMod: e.LastMod})
		}
	}
	return Rendered{URLs: urls}, err
}

func (o located) Titles(ctx context.Context, ids []int64) (map[int64]string, error) {
	return o.titles(ctx, ids)
}

// Entry is what a list lists: an address, or an object.
type Entry struct {
	List    *List
	Link    *FirstLink // the address; nil for an object
	ID      int64      // of the object
	LastMod int64      // in Unix seconds; wp.NoTime for none
}

// Object returns the id of the post, term or user; ok is false for an address alone.
func (e *Entry) Object() (id int64, ok bool) {
	if e.Link != nil {
		return e.Link.PostID, e.Link.PostID != 0
	}
	return e.ID, true
}

// IDs returns the ids of objects.
func IDs(objects []Entry) []int64 {
	ids := make([]int64, len(objects))
	for i, e := range objects {
		ids[i] = e.ID
	}
	return ids
}

// Lastmods returns the dates of objects by id.
func Lastmods(objects []Entry) map[int64]int64 {
	dates := make(map[int64]int64, len(objects))
	for _, e := range objects {
		dates[e.ID] = e.LastMod
	}
	return dates
}

// isTimed reports whether the objects of a list come and go by the clock.
func (l *List) isTimed() bool {
	_, ok := l.Content.(Timed)
	return ok
}

// articles returns the articles of a Timed content; none for any other.
func (l *List) articles() []rows.Article {
	if timed, ok := l.Content.(Timed); ok {
		return timed.Articles()
	}
	return nil
}
