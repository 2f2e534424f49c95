package provider

import (
	"context"

	"wpsitemapd/sitemap/rows"
)

// ReadAll reads the rows of the catalog and, where every page is going to be rendered, what they would each ask for.
func (b *Build) ReadAll(ctx context.Context, before *rows.Kept) error {
	if b.Options.AllPages {
		if err := b.Renderer.readShared(ctx); err != nil {
			return err
		}
	}
	return b.Rows.Read(ctx, before)
}

// readShared reads the featured images, and the media library unless it is much larger than
// what shows it.
func (b *Renderer) readShared(ctx context.Context) (err error) {
	const few, most, perThumbnail = 1000, 1_000_000, 3
	if b.Thumbnails, err = b.Blog.Thumbnails(ctx); err != nil {
		return err
	}
	b.Library, err = b.Blog.Library(ctx, min(few+perThumbnail*len(b.Thumbnails), most))
	return err
}
