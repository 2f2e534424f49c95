package seopress

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// metaGallery is the meta key for the image ids of a product's gallery.
const metaGallery = "_product_image_gallery"

// Posts implements provider.Policy. Addresses are decoded, as the plugin prints them. Images come from
// the content, then from the product gallery, then from the featured image. An image may occur twice.
func (PluginLevel) Posts(c *provider.Renderer, _ *registry.PostType) catalog.Own {
	return catalog.Overridden{Own: c.Posts(), By: func(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
		images := map[int64][]urlset.Image{}
		var scan func(*address.Post, string)
		if c.Rules.Settings.(*settings).images {
			scan = func(post *address.Post, text string) {
				for _, img := range content.AppendImages(nil, text) {
					if src := printedImage(c.Rules.Blog.Home(), strings.Clone(img.Src)); src != "" {
						images[post.ID] = append(images[post.ID], urlset.Image{Loc: src})
					}
				}
			}
		}
		posts, err := c.Rules.Book.TranslatedPosts(ctx, places.IDs(), scan, nil, c.Thumbnails)
		if err == nil && scan != nil {
			err = addFiles(ctx, c, posts, images)
		}
		if err != nil {
			return catalog.Rendered{}, err
		}
		return c.AsListed(posts, places, func(to []urlset.URL, post *address.Post, modified int64) []urlset.URL {
			return append(to, urlset.URL{Object: post.ID, Loc: php.URLDecode(post.Link), LastMod: modified, Images: images[post.ID]})
		}), nil
	}}
}

// addFiles adds the images of product galleries, then the featured images.
func addFiles(ctx context.Context, c *provider.Renderer, posts []*address.Post, images map[int64][]urlset.Image) error {
	var products, all []int64
	for _, post := range posts {
		if post.Type == "product" && c.Rules.Blog.Settings().Woo.Active {
			products = append(products, post.ID)
		}
	}
	galleries, err := c.Rules.Blog.MetaOf(ctx, products, metaGallery)
	if err != nil {
		return err
	}
	of := map[int64][]int64{}
	for _, post := range posts {
		for text := range strings.SplitSeq(galleries[metaGallery][post.ID], ",") {
			of[post.ID] = append(of[post.ID], php.NewString(strings.TrimSpace(text)).Int())
		}
		of[post.ID] = slices.DeleteFunc(append(of[post.ID], post.Thumbnail), func(id int64) bool { return id <= 0 })
		all = append(all, of[post.ID]...)
	}
	files, _, err := objects.Attachments(ctx, c.Rules.Blog, all, nil, c.Library)
	for post, ids := range of {
		for _, id := range ids {
			if a := files[id]; a != nil && a.File != "" {
				images[post] = append(images[post], urlset.Image{Loc: objects.FileURL(c.Rules.Blog, a)})
			}
		}
	}
	return err
}

// absoluteForm matches an address that the plugin treats as absolute. The address has a scheme and no
// white space. After the scheme comes a user, an IPv4 address, or a host whose last label begins with two
// letters.
var absoluteForm = regexp.MustCompile(`(?i)^(?:https?|ftp)://(?:\S+@|(?:\d+\.){3}\d|[\pL\d][\pL\d-]*(?:\.[\pL\d-]+)*\.\pL{2})\S*$`)

var tagForm = regexp.MustCompile(`<[^>]*>`)

// printedImage returns the address of an image in a content as the plugin prints it. It returns "" for an
// image without an address, and for an image that is embedded as data.
func printedImage(home, src string) string {
	if src == "" || strings.HasPrefix(src, "data:image/") {
		return ""
	}
	if !absoluteForm.MatchString(src) {
		src = home + "/" + src
	}
	src = escaped(php.URLDecode(formatting.SpecialChars(tagForm.ReplaceAllString(src, ""), true)))
	if u, ok := php.ParseURL(src); ok && u.Scheme != "" && u.Host != "" && u.Path != "" {
		src = u.Scheme + "://" + u.Host + u.Path
	}
	return src
}

var escaping = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#039;")

// escaped does what PHP's htmlspecialchars() does.
func escaped(s string) string { return escaping.Replace(s) }
