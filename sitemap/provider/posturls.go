package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
)

// A page of posts is rendered from their rows of now. The catalog has only their ids and dates.

// Posts returns the content of a list of posts.
func (c *Renderer) Posts() catalog.Own { return posts{c} }

// posts renders the URLs of a list of posts, and reads their titles.
type posts struct{ c *Renderer }

func (p posts) Render(ctx context.Context, posts catalog.Places) (catalog.Rendered, error) {
	return p.c.postURLs(ctx, posts)
}

func (p posts) Locate(ctx context.Context, posts catalog.Places) (catalog.Rendered, error) {
	return p.c.addresses().postURLs(ctx, posts)
}

func (p posts) Titles(ctx context.Context, ids []int64) (map[int64]string, error) {
	return p.c.Rules.Blog.PostTitles(ctx, ids)
}

// postURLs renders posts of any type.
func (c *Renderer) postURLs(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
	found := NewImageFinder(c, len(places))
	found.cut = c.cut()
	scan := found.Scan
	if c.bare && found.cut == nil { // the contents are not needed
		scan = nil
	}
	posts, err := c.readPosts(ctx, places.IDs(), scan)
	if err != nil {
		return catalog.Rendered{}, err
	}
	if err := found.Resolve(ctx, posts); err != nil {
		return catalog.Rendered{}, err
	}
	var flags map[int64]seo.Flags // of posts with parts: they decide about the parts
	if len(found.parts) > 0 {
		if flags, err = c.Rules.Settings.Posts(ctx, slices.Sorted(maps.Keys(found.parts))); err != nil {
			return catalog.Rendered{}, err
		}
	}
	room := urlset.MaxEntries - c.Rules.Options.PageSize // room for later parts, because page_size counts posts alone
	return c.AsListed(posts, places, func(to []urlset.URL, p *address.Post, modified int64) []urlset.URL {
		to = append(to, urlset.URL{Object: p.ID, Loc: p.Link, LastMod: modified, Images: found.Images(p), Alternates: c.alternateLinks(p.Alternates)})
		for n := 2; n <= found.parts[p.ID] && room > 0; n++ {
			loc := c.Rules.Links.Part(p.Link, n, c.Rules.Links.IsFrontPage(p.ID), p.Status)
			if c.Rules.JudgePart(p, flags[p.ID], loc) == seo.Listed {
				room--
				to = append(to, urlset.URL{Object: p.ID, Loc: loc, LastMod: modified, Images: found.compose(part{p.ID, n}, 0, 0)})
			}
		}
		return to
	}), nil
}

// readPosts reads the posts of a page with their featured images. It reads both at the same time, unless all featured images are
// read already.
func (c *Renderer) readPosts(ctx context.Context, ids []int64, scan func(*address.Post, string)) (posts []*address.Post, err error) {
	known := c.Thumbnails
	if c.bare { // they are not needed
		known = objects.Thumbnails{}
	}
	if known != nil {
		return c.Rules.Book.TranslatedPosts(ctx, ids, scan, c.translations(""), known)
	}
	var images map[int64]int64
	err = beside(ctx, c.Rules.Options.Log, func(ctx context.Context) (err error) {
		images, err = objects.ThumbnailsOf(ctx, c.Rules.Blog, ids)
		return err
	}, func(ctx context.Context) (err error) {
		posts, err = c.Rules.Book.TranslatedPosts(ctx, ids, scan, c.translations(""), objects.Thumbnails{})
		return err
	})
	for _, p := range posts {
		p.Thumbnail = cmp.Or(p.Thumbnail, images[p.ID]) // that of a form is set
	}
	return posts, err
}

// AsListed renders posts and leaves out posts that must no longer be listed. For each other post it calls add, which
// appends the URLs of the post to a slice. modified is the date of the post in the sitemap.
func (c *Renderer) AsListed(posts []*address.Post, places catalog.Places,
	add func(to []urlset.URL, p *address.Post, modified int64) []urlset.URL) catalog.Rendered {
	lastmod := places.Dates()
	r := catalog.Rendered{URLs: make([]urlset.URL, 0, len(posts))}
	for _, p := range posts {
		modified := rows.Pack(c.Rules.PostDate(p.Dates)).Unix()
		hidden, behind := c.Rules.MovedSinceListing(p, modified, lastmod[p.ID])
		r.Behind = r.Behind || behind
		if !hidden {
			r.URLs = add(r.URLs, p, modified)
		}
	}
	return r
}
