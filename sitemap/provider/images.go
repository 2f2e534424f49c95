package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
)

// MaxImages is the limit that the sitemap protocol sets for the images of one URL.
const MaxImages = 1000

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

// maxHeld is the maximum memory in bytes for the images and galleries in the contents of one page.
// Images of further posts are left out. A page of 1,000 ordinary posts takes less than 2 MB.
const maxHeld = 64 << 20

// bytesOfMention is the memory of an image or a gallery, without its texts and ids.
const bytesOfMention = 64

// warnOnce logs once that a page has too many images.
func (f *imageFinder) warnOnce(post int64) {
	if !f.warned && f.c.Rules.Options.Log != nil {
		f.c.Rules.Options.Log.Warn("too many images on one page: those of this post and of later ones are left out",
			"home", f.c.Rules.Blog.Home(), "post", post, "hint", "look at the content of this post; a smaller page_size has fewer posts on a page")
	}
	f.warned = true
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

// Images returns the images of a post.
func (f *imageFinder) Images(p *address.Post) []urlset.Image {
	own := int64(0)
	if a := f.attachments[p.ID]; a != nil && f.c.ownImage(p) && strings.HasPrefix(a.MIME, "image/") {
		own = p.ID
	}
	return f.compose(part{p.ID, 1}, p.Thumbnail, own)
}

// compose returns the images of one part of an object in this order: featured image, img elements, galleries, the attachment's
// own file, further images.
func (f *imageFinder) compose(at part, thumbnail, own int64) []urlset.Image {
	m, more, files := f.mentions[at], f.rules.Sources[at.id], f.rules.Files[at.id]
	if at.n > 1 || f.rules.None {
		more, files = nil, nil
	}
	if f.rules.None || thumbnail == 0 && own == 0 && len(m.images)+len(m.galleries)+len(more)+len(files) == 0 {
		return nil
	}
	all := make([]urlset.Image, 0, len(m.images)+len(more)+len(files)+1)
	spec, limited := f.spec(), f.c.Policy.LimitsImages()
	add := func(src string, a *objects.Attachment) {
		if spec {
			src = f.c.Rules.Options.Images.Replaced(src)
		}
		if limited && (len(all) == MaxImages || slices.ContainsFunc(all, func(img urlset.Image) bool { return img.Loc == src })) {
			return
		}
		img := urlset.Image{Loc: src}
		if a != nil {
			img.Title = f.c.Policy.ImageTitle(a)
		}
		all = append(all, img)
	}
	addFile := func(id int64) { // the file may be on any host
		if src := f.home.Absolute(f.fileURL(id)); src != "" {
			add(src, f.attachments[id])
		}
	}
	if thumbnail > 0 && (f.rules.Featured == nil || f.rules.Featured(thumbnail)) {
		addFile(thumbnail)
	}
	for _, img := range m.images {
		a := f.attachments[img.AttachmentID]
		if src := f.contentURL(img, a); src != "" {
			add(src, a)
		}
	}
	for _, a := range f.galleryImages(m.galleries, at.id) {
		addFile(a.ID)
	}
	if own > 0 {
		addFile(own)
	}
	for _, src := range more {
		add(src, nil)
	}
	for _, id := range files {
		if a := f.attachments[id]; a != nil && a.IsImage() {
			addFile(id)
		}
	}
	return all
}

// contentURL returns the address of an image in a content, or "" if the image is not listed. a is its attachment, or nil. The
// plugins list images of the site's own hosts only.
func (f *imageFinder) contentURL(img content.Image, a *objects.Attachment) string {
	src := img.Src
	moved := f.spec() && a != nil && a.InBucket() // at level plugin, it counts as foreign
	if a != nil && !img.Full || moved {
		src = f.fileURL(a.ID)
		if !f.rules.NoQuery {
			src = content.WithQuery(src, img.Src)
		}
	}
	src = f.home.Absolute(src)
	switch {
	case src == "" || !moved && !f.home.Own(src) || !formatting.ValidAttribute(src) || f.rules.Takes != nil && !f.rules.Takes(src):
		return ""
	case f.spec() && !moved:
		return f.c.Rules.Blog.Secured(src)
	}
	return src
}

func (f *imageFinder) spec() bool { return f.c.Rules.Options.Compat == seo.SpecLevel }

// galleryImages returns the images in an object's galleries, each image once. Within a gallery the newest image is first,
// whatever the order of ids in the gallery is.
func (f *imageFinder) galleryImages(galleries []content.Gallery, id int64) []*objects.Attachment {
	var all []*objects.Attachment
	seen := map[int64]bool{}
	for _, g := range galleries {
		var shown []*objects.Attachment
		if len(g.Include) > 0 {
			for _, id := range g.Include {
				if a := f.attachments[id]; a != nil && a.IsImage() {
					shown = append(shown, a)
				}
			}
		} else {
			for _, a := range f.byParent[f.galleryParent(g, id)] {
				if !slices.Contains(g.Exclude, a.ID) {
					shown = append(shown, a)
				}
			}
		}
		slices.SortFunc(shown, func(x, y *objects.Attachment) int {
			return cmp.Or(strings.Compare(y.Date, x.Date), cmp.Compare(x.ID, y.ID))
		})
		for _, a := range shown {
			if !seen[a.ID] {
				seen[a.ID] = true
				all = append(all, a)
			}
		}
	}
	return all
}

// fileURL returns the address of an attachment's file. It is made from the upload settings, as the plugins do.
func (f *imageFinder) fileURL(id int64) string {
	src := f.c.Rules.Blog.Settings().Uploads.FileURL(f.files[id])
	if a := f.attachments[id]; a != nil {
		src = objects.UploadedURL(f.c.Rules.Blog, a)
	}
	if f.spec() {
		src = f.c.Rules.Blog.Secured(src)
	}
	return src
}
