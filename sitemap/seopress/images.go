package seopress

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
)

// metaGallery holds the ids of the pictures of a product.
const metaGallery = "_product_image_gallery"

// renderPosts renders posts as the plugin does: with their decoded addresses, and the images of their contents, of the
// galleries of products, and the featured one, in this order and each as often as it comes.
func renderPosts(c *provider.Renderer) catalog.Renderer {
	return func(ctx context.Context, entries []catalog.Entry) (catalog.Rendered, error) {
		p := pictures{c: c, inText: map[int64][]string{}}
		if !c.Settings.(*settings).images {
			p.inText = nil
		}
		posts, err := c.Blog.TranslatedPosts(ctx, catalog.EntryIDs(entries), p.scan(), nil, c.Thumbnails)
		if err != nil {
			return catalog.Rendered{}, err
		}
		if err := p.read(ctx, posts); err != nil {
			return catalog.Rendered{}, err
		}
		return c.AsListed(posts, entries, func(to []urlset.URL, post *wp.Post, modified int64) []urlset.URL {
			return append(to, urlset.URL{Object: post.ID, Loc: php.URLDecode(post.Link), LastMod: modified, Images: p.of(post)})
		}), nil
	}
}

// pictures returns the pictures of posts.
type pictures struct {
	c         *provider.Renderer
	inText    map[int64][]string // addresses in contents; nil: no images are listed
	galleries map[int64][]int64  // of products
	files     map[int64]*wp.Attachment
}

// scan returns what takes the images of a content while its row streams by; nil where no content is read.
func (p *pictures) scan() func(*wp.Post, string) {
	if p.inText == nil {
		return nil
	}
	return func(post *wp.Post, text string) {
		for _, img := range content.AppendImages(nil, text) {
			if src := p.address(strings.Clone(img.Src)); src != "" {
				p.inText[post.ID] = append(p.inText[post.ID], src)
			}
		}
	}
}

// read reads the files of galleries and featured images.
func (p *pictures) read(ctx context.Context, posts []*wp.Post) error {
	if p.inText == nil {
		return nil
	}
	var products, ids []int64
	for _, post := range posts {
		if post.Type == "product" && p.c.Blog.Settings().Woo.Active {
			products = append(products, post.ID)
		}
		if post.Thumbnail > 0 {
			ids = append(ids, post.Thumbnail)
		}
	}
	p.galleries = map[int64][]int64{}
	if len(products) > 0 {
		values, err := p.c.Blog.MetaOf(ctx, products, metaGallery)
		if err != nil {
			return err
		}
		for id, value := range values[metaGallery] {
			for text := range strings.SplitSeq(value, ",") {
				if n := php.NewString(strings.TrimSpace(text)).Int(); n > 0 {
					p.galleries[id] = append(p.galleries[id], n)
				}
			}
			ids = append(ids, p.galleries[id]...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	var err error
	p.files, _, err = p.c.Blog.Attachments(ctx, slices.Compact(ids), nil, p.c.Library)
	return err
}

// of returns the images of a post.
func (p *pictures) of(post *wp.Post) []urlset.Image {
	var images []urlset.Image
	for _, src := range p.inText[post.ID] {
		images = append(images, urlset.Image{Loc: src})
	}
	for _, id := range append(slices.Clone(p.galleries[post.ID]), post.Thumbnail) {
		if a := p.files[id]; a != nil && a.File != "" {
			images = append(images, urlset.Image{Loc: p.c.Blog.FileURL(a)})
		}
	}
	return images
}

// absoluteForm matches an address that the plugin takes for a whole one: a scheme, behind it a user, an IPv4 address or a
// host with a dot and two letters at least, and no white space anywhere.
var absoluteForm = regexp.MustCompile(`(?i)^(?:https?|ftp)://(?:\S+@|(?:\d+\.){3}\d|[\pL\d][\pL\d-]*(?:\.[\pL\d-]+)*\.\pL{2})\S*$`)

var tagForm = regexp.MustCompile(`<[^>]*>`)

// address is what the plugin prints of the address of an image in a content, "" for none.
func (p *pictures) address(src string) string {
	if src == "" || strings.HasPrefix(src, "data:image/") {
		return ""
	}
	if !absoluteForm.MatchString(src) {
		src = p.c.Blog.Home() + "/" + src
	}
	src = escaped(php.URLDecode(formatting.SpecialChars(tagForm.ReplaceAllString(src, ""), true)))
	if u, ok := php.ParseURL(src); ok && u.Scheme != "" && u.Host != "" && u.Path != "" {
		src = u.Scheme + "://" + u.Host + u.Path
	}
	return src
}

var escaping = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#039;")

// escaped is PHP's htmlspecialchars().
func escaped(s string) string { return escaping.Replace(s) }
