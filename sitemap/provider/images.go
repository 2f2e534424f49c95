package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/formatting"
)

// MaxImages is the protocol's limit of images at one address.
const MaxImages = 1000

// imageFinder collects what the contents of one page's objects say of images while their
// rows stream by, keeping no content, and then turns it into addresses with a fixed number
// of queries for all of them.
type imageFinder struct {
	c           *Renderer
	ofPosts     bool                  // the objects are posts, not terms
	cut         func(string) []string // see Renderer.cut
	home        content.Home
	mentions    map[part]mention
	parts       map[int64]int // of posts that have more than one
	attachments map[int64]*wp.Attachment
	files       map[int64]string // of attachments without a row
	byParent    map[int64][]*wp.Attachment
	rules       ImageRules
}

// part is one part of an object's content, from 1; most have no other.
type part struct {
	id int64
	n  int
}

// mention holds the images and galleries of one part.
type mention struct {
	images    []content.Image
	galleries []content.Gallery
}

func NewImageFinder(c *Renderer, objects int) *imageFinder {
	return &imageFinder{c: c, home: content.NewHome(c.Blog.Home()), mentions: make(map[part]mention, objects), parts: map[int64]int{}}
}

// Scan takes the images and galleries of a post's content; it fits wp.Blog.Posts.
func (f *imageFinder) Scan(p *wp.Post, text string) {
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
	images := content.AppendImages(nil, text)
	for i := range images { // content does not outlive the call
		images[i].Src = strings.Clone(images[i].Src)
	}
	f.add(at, images, content.Galleries(text))
}

func (f *imageFinder) add(at part, images []content.Image, galleries []content.Gallery) {
	if len(images) > 0 || len(galleries) > 0 {
		f.mentions[at] = mention{images, galleries}
	}
}

// Resolve reads the attachments that were mentioned, and the featured images of posts.
func (f *imageFinder) Resolve(ctx context.Context, posts []*wp.Post) error {
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
	pictures := true // and nobody asks what the attachments are
	var ids, parents []int64
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
	if len(ids) == 0 && len(parents) == 0 {
		return nil
	}
	var err error
	if pictures {
		f.attachments, f.files, err = f.c.Blog.Attachments(ctx, ids, nil, f.c.Library)
		return err
	}
	if f.attachments, f.files, err = f.c.Blog.Attachments(ctx, ids, parents, nil); err != nil {
		return err
	}
	f.byParent = map[int64][]*wp.Attachment{}
	for _, a := range f.attachments {
		if a.IsImage() && a.Parent > 0 { // a gallery of no post shows nothing, not what hangs on none
			f.byParent[a.Parent] = append(f.byParent[a.Parent], a)
		}
	}
	return nil
}

// readFields reads the attachments that fields of posts hold: those that the operator names, and ACF's of images. Level spec lists
// them behind other images.
func (f *imageFinder) readFields(ctx context.Context, posts []*wp.Post) error {
	if f.c.Options.Compat != seo.SpecLevel || len(posts) == 0 {
		return nil
	}
	ids := make([]int64, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	held, err := f.c.Blog.HeldAttachments(ctx, ids, f.c.Options.Images.Meta)
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

// galleryParent is the object whose attachments a gallery without ids shows: its own id
// attribute, else the post it is in. Terms have no attachments.
func (f *imageFinder) galleryParent(g content.Gallery, id int64) int64 {
	switch {
	case g.Parent != 0: // negative: an id that can be no post's
		return g.Parent
	case f.ofPosts:
		return id
	}
	return 0
}

// Images returns the images of a post.
func (f *imageFinder) Images(p *wp.Post) []urlset.Image {
	own := int64(0)
	if a := f.attachments[p.ID]; a != nil && f.c.ownImage(p) && strings.HasPrefix(a.MIME, "image/") {
		own = p.ID
	}
	return f.compose(part{p.ID, 1}, p.Thumbnail, own)
}

// compose puts the images of one object in order: the featured image, img elements,
// galleries, an attachment's own file, and what else there is.
func (f *imageFinder) compose(at part, thumbnail, own int64) []urlset.Image {
	m, more, files := f.mentions[at], f.rules.Sources[at.id], f.rules.Files[at.id]
	if at.n > 1 || f.rules.None {
		more, files = nil, nil
	}
	if f.rules.None || thumbnail == 0 && own == 0 && len(m.images)+len(m.galleries)+len(more)+len(files) == 0 {
		return nil
	}
	var all []urlset.Image
	spec, limited := f.c.Options.Compat == seo.SpecLevel, f.c.Policy.LimitsImages()
	add := func(src string, a *wp.Attachment) {
		if spec {
			src = f.c.Options.Images.Replaced(src)
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
	addFile := func(id int64) { // its host is not looked at
		if src := f.home.Absolute(f.fileURL(id)); src != "" {
			add(src, f.attachments[id])
		}
	}
	if thumbnail > 0 && (f.rules.Featured == nil || f.rules.Featured(thumbnail)) {
		addFile(thumbnail)
	}
	for _, img := range m.images {
		src, a := img.Src, f.attachments[img.AttachmentID]
		moved := spec && a != nil && a.InBucket() // by level plugin it is foreign
		if a != nil && !img.Full || moved {
			src = f.fileURL(a.ID)
			if !f.rules.NoQuery {
				src = content.WithQuery(src, img.Src)
			}
		}
		src = f.home.Absolute(src)
		if src == "" || !moved && !f.home.Own(src) || !formatting.ValidAttribute(src) || f.rules.Takes != nil && !f.rules.Takes(src) {
			continue
		}
		if spec && !moved {
			src = f.c.Blog.Secured(src)
		}
		add(src, a)
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

// galleryImages returns the attachments of an object's galleries, newest first within one
// gallery whatever the order of its ids, and each once in all of them.
func (f *imageFinder) galleryImages(galleries []content.Gallery, id int64) []*wp.Attachment {
	var all []*wp.Attachment
	seen := map[int64]bool{}
	for _, g := range galleries {
		var shown []*wp.Attachment
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
		slices.SortFunc(shown, func(x, y *wp.Attachment) int {
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

// fileURL is the address of a file. The plugins that are followed here build it from the settings of uploads by themselves.
func (f *imageFinder) fileURL(id int64) string {
	src := f.c.Blog.Settings().Uploads.FileURL(f.files[id])
	if a := f.attachments[id]; a != nil {
		src = f.c.Blog.UploadedURL(a)
	}
	if f.c.Options.Compat == seo.SpecLevel {
		src = f.c.Blog.Secured(src)
	}
	return src
}
