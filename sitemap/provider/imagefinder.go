package provider

import (
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/address"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/objects"
)

// imageFinder finds the images of the objects on one page. While objects are read, Scan collects the images
// in their contents, but keeps no content. Then Resolve reads the attachments, with a fixed number of
// queries.
type imageFinder struct {
	c           *Renderer
	ofPosts     bool                  // the objects are posts, not terms
	cut         func(string) []string // splits a post into its listed parts; nil if only the first part is listed
	home        content.Home
	mentions    map[part]mention
	parts       map[int64]int // number of parts by post id, for posts with more than one
	attachments map[int64]*objects.Attachment
	files       map[int64]string // file names of attachments without a row, by id
	byParent    map[int64][]*objects.Attachment
	rules       ImageRules
	held        int  // memory in bytes that mentions take; limited by maxHeld
	warned      bool // a warning was logged because held exceeds maxHeld
}

// part is one part of an object's content, counted from 1. Most objects have one part.
type part struct {
	id int64
	n  int
}

// mention holds the images and galleries in one part of an object's content.
type mention struct {
	images    []content.Image
	galleries []content.Gallery
}

func NewImageFinder(c *Renderer, objects int) *imageFinder {
	return &imageFinder{c: c, home: content.NewHome(c.Rules.Blog.Home()), mentions: make(map[part]mention, objects), parts: map[int64]int{}}
}

// maxHeld is the maximum memory in bytes for the images and galleries in the contents of one page.
// Images of further posts are left out. A page of 1,000 ordinary posts takes less than 2 MB.
const maxHeld = 64 << 20

// bytesOfMention is the memory of an image or a gallery, without its texts and ids.
const bytesOfMention = 64

// Scan collects the images and galleries in text, the content of a post. address.Book.Posts can call it for each post.
func (f *imageFinder) Scan(p *address.Post, text string) {
	if f.cut == nil {
		f.scanPart(part{p.ID, 1}, text)
		return
	}
	parts := f.cut(text)
	if len(parts) > 1 {
		f.parts[p.ID] = len(parts)
	}
	for i, text := range parts {
		f.scanPart(part{p.ID, i + 1}, text)
	}
}

func (f *imageFinder) scanPart(at part, text string) {
	if f.c.bare {
		return
	}
	images, galleries := content.AppendImages(nil, text), content.Galleries(text)
	for i := range images {
		f.held += bytesOfMention + len(images[i].Src)
	}
	for _, g := range galleries {
		f.held += bytesOfMention + 8*(len(g.Include)+len(g.Exclude))
	}
	if f.held > maxHeld {
		f.warnOnce(at.id)
		return
	}
	for i := range images { // the buffer of the content is used again after this call
		images[i].Src = strings.Clone(images[i].Src)
	}
	f.add(at, images, galleries)
}

func (f *imageFinder) add(at part, images []content.Image, galleries []content.Gallery) {
	if len(images) > 0 || len(galleries) > 0 {
		f.mentions[at] = mention{images, galleries}
	}
}

// warnOnce logs once that a page has too many images.
func (f *imageFinder) warnOnce(post int64) {
	if !f.warned && f.c.Rules.Options.Log != nil {
		f.c.Rules.Options.Log.Warn("one page has too many images: the images of this post and of later posts are left out",
			"home", f.c.Rules.Blog.Home(), "post", post, "hint", "check the content of this post, or lower page_size")
	}
	f.warned = true
}

// Resolve reads the attachments that the contents mention and the featured images of posts. If the objects are terms, posts is
// nil.
func (f *imageFinder) Resolve(ctx context.Context, posts []*address.Post) error {
	f.ofPosts = posts != nil
	if f.rules.None = f.c.bare; f.rules.None {
		return nil
	}
	if rules, err := f.c.Policy.ImageRules(ctx, f.c, posts); err != nil {
		return err
	} else if rules != nil {
		f.rules = *rules
	}
	if f.rules.None {
		return nil
	}
	if err := f.readFields(ctx, posts); err != nil {
		return err
	}
	ids, parents, pictures := f.wanted(posts)
	if len(ids) == 0 && len(parents) == 0 {
		return nil
	}
	var err error
	if pictures {
		f.attachments, f.files, err = objects.Attachments(ctx, f.c.Rules.Blog, ids, nil, f.c.Library)
		return err
	}
	if f.attachments, f.files, err = objects.Attachments(ctx, f.c.Rules.Blog, ids, parents, nil); err != nil {
		return err
	}
	f.byParent = map[int64][]*objects.Attachment{}
	for _, a := range f.attachments {
		if a.IsImage() && a.Parent > 0 { // a gallery outside a post shows nothing, not the attachments without a parent
			f.byParent[a.Parent] = append(f.byParent[a.Parent], a)
		}
	}
	return nil
}

// wanted returns the ids of the attachments that the page needs, and of the posts whose attachments it needs, for galleries.
// pictures reports whether all attachments are pictures, so that their types do not matter.
func (f *imageFinder) wanted(posts []*address.Post) (ids, parents []int64, pictures bool) {
	pictures = true
	for _, p := range posts {
		if files := f.rules.Files[p.ID]; len(files) > 0 {
			ids, pictures = append(ids, files...), false
		}
		if p.Thumbnail > 0 {
			ids = append(ids, p.Thumbnail)
		}
		if f.c.ownImage(p) {
			ids = append(ids, p.ID)
			pictures = false
		}
	}
	for at, m := range f.mentions {
		for _, img := range m.images {
			if img.AttachmentID > 0 {
				ids = append(ids, img.AttachmentID)
			}
		}
		for _, g := range m.galleries {
			pictures = false
			ids = append(ids, g.Include...)
			if parent := f.galleryParent(g, at.id); len(g.Include) == 0 && parent != 0 {
				parents = append(parents, parent)
			}
		}
	}
	return ids, parents, pictures
}

// readFields adds the attachments in meta fields of posts: the fields that the operator names, and ACF's image fields. Level
// spec lists them after other images.
func (f *imageFinder) readFields(ctx context.Context, posts []*address.Post) error {
	if !f.spec() || len(posts) == 0 {
		return nil
	}
	ids := make([]int64, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	held, err := objects.HeldAttachments(ctx, f.c.Rules.Blog, ids, f.c.Rules.Options.Images.Meta)
	if err != nil || len(held) == 0 {
		return err
	}
	files := maps.Clone(f.rules.Files)
	if files == nil {
		files = map[int64][]int64{}
	}
	for id, images := range held {
		files[id] = slices.Concat(files[id], images)
	}
	f.rules.Files = files
	return nil
}

// galleryParent returns the object whose attachments a gallery without ids shows. That is the object
// in the gallery's id attribute, or the gallery's own post. It returns 0 for terms, which have no
// attachments.
func (f *imageFinder) galleryParent(g content.Gallery, id int64) int64 {
	switch {
	case g.Parent != 0: // if negative, no post has this id
		return g.Parent
	case f.ofPosts:
		return id
	}
	return 0
}
