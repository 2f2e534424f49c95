package aioseo

import (
	"context"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
)

// posts returns a function that renders posts. It lists the images that the plugin stored when it scanned
// the site in the background.
func (s *settings) posts(c *provider.Renderer) catalog.Render {
	return func(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
		ids := places.IDs()
		found, err := c.Rules.Book.TranslatedPosts(ctx, ids, nil, nil, objects.Thumbnails{})
		if err != nil {
			return catalog.Rendered{}, err
		}
		images, err := s.imagesOf(ctx, ids)
		if err != nil {
			return catalog.Rendered{}, err
		}
		return c.AsListed(found, places, func(to []urlset.URL, p *address.Post, modified int64) []urlset.URL {
			url := urlset.URL{Object: p.ID, Loc: p.Link, LastMod: modified}
			if c.Rules.Links.IsFrontPage(p.ID) && cut(c.Rules.Blog.Settings().Permalinks.Structure) {
				url.Loc = strings.TrimSuffix(url.Loc, "/")
			}
			if modified == wp.NoTime {
				url.LastMod = urlset.ZeroDate
			}
			if of := images[p.ID]; len(of) > 0 {
				url.Images, images[p.ID] = of[0], of[1:]
			}
			return append(to, url)
		}), nil
	}
}

// cut reports whether the links of a permalink structure end without a slash.
func cut(structure string) bool { return structure != "" && !strings.HasSuffix(structure, "/") }

// imagesOf reads the stored images of posts, by post id. A post has one list of images for each of its
// rows. If the table cannot be read, imagesOf returns no images.
func (s *settings) imagesOf(ctx context.Context, ids []int64) (map[int64][][]urlset.Image, error) {
	found := map[int64][][]urlset.Image{}
	if !s.images() {
		return found, nil
	}
	err := s.blog.ByID(ctx, "reading the images of posts", sqlImages, ids,
		db.Rows2(func(id int64, stored string) { found[id] = append(found[id], s.decodeImages(stored)) }))
	if err == nil || db.Unreadable(err) { // read has logged a warning
		return found, nil
	}
	return nil, err
}

// decodeImages decodes a stored list of images. An image is stored as an address or as a path without
// a host.
func (s *settings) decodeImages(stored string) (images []urlset.Image) {
	list, err := php.DecodeJSON(stored)
	if err != nil {
		return nil
	}
	for _, p := range list.Pairs() {
		loc := p.Value.Get("image:loc").Str()
		if loc != "" && !strings.Contains(loc, "//") && !s.before("4.8.3.1") {
			loc = strings.TrimRight(s.blog.Settings().SiteURL, "/") + "/" + strings.TrimLeft(loc, "/")
		}
		if loc != "" && len(images) < provider.MaxImages {
			images = append(images, urlset.Image{Loc: loc})
		}
	}
	return images
}

// terms adds an image to the URL of each term for which WooCommerce or another plugin has stored one. Other
// terms have no image.
func (s *settings) terms(of catalog.Own) catalog.Own {
	return catalog.Overridden{Own: of, By: func(ctx context.Context, terms catalog.Places) (catalog.Rendered, error) {
		r, err := of.Locate(ctx, terms)
		if err != nil || !s.images() {
			return r, err
		}
		images, err := s.termImages(ctx, terms)
		for i := range r.URLs {
			if src := images[r.URLs[i].Object]; src != "" {
				r.URLs[i].Images = []urlset.Image{{Loc: src}}
			}
		}
		return r, err
	}}
}

// termImages returns the addresses of the images of terms, by term id.
func (s *settings) termImages(ctx context.Context, places catalog.Places) (map[int64]string, error) {
	stored, err := s.blog.TermMeta(ctx, termImage)
	if db.Unreadable(err) { // a warning was logged already
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	image := func(term int64) int64 { return php.NewString(stored[termImage][term]).Int() }
	var ids []int64
	for _, p := range places {
		if id := image(p.ID); id > 0 {
			ids = append(ids, id)
		}
	}
	pictures, _, err := objects.Attachments(ctx, s.blog, ids, nil, nil)
	images := map[int64]string{}
	for _, p := range places {
		if a := pictures[image(p.ID)]; a != nil && a.File != "" {
			images[p.ID] = objects.FileURL(s.blog, a)
		}
	}
	return images, err
}
