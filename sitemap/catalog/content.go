package catalog

import (
	"context"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
)

// Content renders the objects of a list as URLs. A list that has only addresses needs no Content.
// Every Content is either an Own or a Repeated. A Repeated may also be a Timed, and a Timed may also
// be an OfRows.
type Content interface {
	// Render returns the URLs of objects with images and all other details. Later parts of a post
	// follow the post and have the same urlset.URL.Object.
	Render(ctx context.Context, objects Places) (Rendered, error)
}

// Own is the content of a list if no other list contains its objects.
type Own interface {
	Content
	// Locate returns the same addresses as Render, without other details.
	Locate(ctx context.Context, objects Places) (Rendered, error)
	// Titles returns the titles of objects by id, as HTML.
	Titles(ctx context.Context, ids []int64) (map[int64]string, error)
}

// Repeated is the content of a list whose objects are also on the lists of their types: news and
// videos.
type Repeated interface {
	Content
	// Absent returns why a published post, or something in the post, is not on the list. It returns ""
	// if the reason is unknown.
	Absent(ctx context.Context, p *address.Post, standing Standing) (note string, err error)
}

// Timed is a Repeated whose objects enter and leave the list by the clock.
type Timed interface {
	Repeated
	// Articles returns what is on the list now or will be on it later without a further edit, in list
	// order.
	Articles() []rows.Article
}

// OfRows is the content of a news list that a plugin keeps in a table of its own. The ids of the list
// are ids of rows, not of posts.
type OfRows interface {
	Timed
	// RowsOf returns the ids of the rows that belong to a post.
	RowsOf(ctx context.Context, post int64) ([]int64, error)
	// IndexDate returns the date that the index shows for the list, in Unix seconds.
	IndexDate() int64
}

// Render is a function with the contract of Content.Render.
type Render func(ctx context.Context, objects Places) (Rendered, error)

// Overridden is an Own whose Render method is replaced by a plugin's function.
type Overridden struct {
	Own
	By Render
}

// Render implements Content.
func (o Overridden) Render(ctx context.Context, objects Places) (Rendered, error) {
	return o.By(ctx, objects)
}

// Relocated returns a content whose rendered addresses are replaced by the results of loc.
func Relocated(of Own, loc func(string) string) Own {
	return Overridden{Own: of, By: func(ctx context.Context, objects Places) (Rendered, error) {
		r, err := of.Render(ctx, objects)
		for i := range r.URLs {
			r.URLs[i].Loc = loc(r.URLs[i].Loc)
		}
		return r, err
	}}
}

// ByQuery is a content for which a request by query variable gets another list. Asked returns that
// list.
type ByQuery struct {
	Own
	Asked func(l *List) *List
}

// Standing tells Repeated.Absent on which lists a post is.
type Standing uint8

const (
	Unlisted     Standing = iota // on no list
	ListedByType                 // on another list
	ListedHere                   // on the list itself
)

// Rendered holds the URLs of objects, made from their current rows.
type Rendered struct {
	URLs   []urlset.URL
	Behind bool // see Document.Behind
}

// texts is a function that returns one text for each object, by id.
type texts func(ctx context.Context, ids []int64) (map[int64]string, error)

// located is a content whose objects have only an address and a date.
type located struct{ locs, titles texts }

// Located returns a content whose objects have only an address and a date. If locs returns no address
// for an object, the object no longer exists.
func Located(locs, titles texts) Own { return located{locs, titles} }

func (o located) Render(ctx context.Context, objects Places) (Rendered, error) {
	return o.Locate(ctx, objects)
}

func (o located) Locate(ctx context.Context, objects Places) (Rendered, error) {
	locs, err := o.locs(ctx, objects.IDs())
	urls := make([]urlset.URL, 0, len(objects))
	for _, p := range objects {
		if loc, ok := locs[p.ID]; ok {
			urls = append(urls, urlset.URL{Object: p.ID, Loc: loc, LastMod: p.Date.Unix()})
		}
	}
	return Rendered{URLs: urls}, err
}

func (o located) Titles(ctx context.Context, ids []int64) (map[int64]string, error) {
	return o.titles(ctx, ids)
}
