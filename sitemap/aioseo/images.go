package aioseo

import (
	"context"
	"fmt"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// renderer makes the pages of posts and terms. Images are those that the plugin has stored: it scans the pages of the
// site in the background.
type renderer struct {
	*provider.Renderer
	settings *settings
}

// posts renders entries of any post type.
func (r *renderer) posts(ctx context.Context, entries []catalog.Entry) (catalog.Rendered, error) {
	ids := catalog.EntryIDs(entries)
	found, err := r.Blog.TranslatedPosts(ctx, ids, nil, nil, wp.Thumbnails{})
	if err != nil {
		return catalog.Rendered{}, err
	}
	images, err := r.images(ctx, ids)
	if err != nil {
		return catalog.Rendered{}, err
	}
	return r.AsListed(found, entries, func(to []urlset.URL, p *wp.Post, modified int64) []urlset.URL {
		url := urlset.URL{Object: p.ID, Loc: p.Link, LastMod: modified}
		if r.Links.IsFrontPage(p.ID) && cut(r.Blog.Settings().Permalinks.Structure) {
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

// cut reports whether links of a structure end without a slash.
func cut(structure string) bool { return structure != "" && !strings.HasSuffix(structure, "/") }

// images reads the stored images of posts, a list for each row. What cannot be read is left out.
func (r *renderer) images(ctx context.Context, ids []int64) (map[int64][][]urlset.Image, error) {
	found := map[int64][][]urlset.Image{}
	if !r.settings.images() {
		return found, nil
	}
	err := r.Blog.ByID(ctx, sqlImages, ids, db.Rows2(func(id int64, stored string) { found[id] = append(found[id], r.decodeImages(stored)) }))
	if err == nil || db.Unreadable(err) { // check says so
		return found, nil
	}
	return nil, fmt.Errorf("reading the images of posts: %w", err)
}

// decodeImages reads a list of images: paths without a host, and addresses.
func (r *renderer) decodeImages(stored string) (images []urlset.Image) {
	list, err := php.DecodeJSON(stored)
	if err != nil {
		return nil
	}
	for _, p := range list.Pairs() {
		loc := p.Value.Get("image:loc").Str()
		switch {
		case loc == "":
			continue
		case !strings.Contains(loc, "//") && !r.Blog.Version(pluginName).Before("4.8.3.1"):
			loc = strings.TrimRight(r.Blog.Settings().SiteURL, "/") + "/" + strings.TrimLeft(loc, "/")
		}
		if images = append(images, urlset.Image{Loc: loc}); len(images) == provider.MaxImages {
			break
		}
	}
	return images
}

// terms returns what renders entries of a taxonomy. A term has the image that a shop has given it.
func (r *renderer) terms(t *registry.Taxonomy) catalog.Renderer {
	return catalog.Undated(func(ctx context.Context, entries []catalog.Entry) ([]urlset.URL, error) {
		found, err := r.Blog.TermsByID(ctx, t, catalog.EntryIDs(entries))
		if err != nil {
			return nil, err
		}
		images := map[int64]string{}
		if t.Name == "product_cat" && r.settings.images() {
			if images, err = r.termImages(ctx, entries); err != nil {
				return nil, err
			}
		}
		dates := catalog.Lastmods(entries)
		urls := make([]urlset.URL, len(found))
		for i, term := range found {
			urls[i] = urlset.URL{Object: term.ID, Loc: term.Link, LastMod: dates[term.ID]}
			if src := images[term.ID]; src != "" {
				urls[i].Images = []urlset.Image{{Loc: src}}
			}
		}
		return urls, nil
	})
}

// termImages are the addresses of the images of terms.
func (r *renderer) termImages(ctx context.Context, entries []catalog.Entry) (map[int64]string, error) {
	stored, err := r.Blog.TermMeta(ctx, termImage)
	if err != nil {
		return nil, err
	}
	image := func(term int64) int64 { return php.NewString(stored[termImage][term]).Int() }
	var ids []int64
	for _, e := range entries {
		if id := image(e.ID); id > 0 {
			ids = append(ids, id)
		}
	}
	pictures, _, err := r.Blog.Attachments(ctx, ids, nil, nil)
	images := map[int64]string{}
	for _, e := range entries {
		if a := pictures[image(e.ID)]; a != nil && a.File != "" {
			images[e.ID] = r.Blog.FileURL(a)
		}
	}
	return images, err
}
