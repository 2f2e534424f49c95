package provider

import (
	"cmp"
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
