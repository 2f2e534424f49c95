package provider

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/wp/objects"
)

// ReadAll reads the rows of the catalog and retires before, the rows of the earlier catalog; before may be
// nil. If every page will be rendered, ReadAll at the same time reads the images that pages share, on the
// site's second connection.
func (b *Build) ReadAll(ctx context.Context, before *rows.Kept) error {
	if !b.Rules.Options.AllPages {
		return b.Rows.Read(ctx, before)
	}
	beside, both := errgroup.WithContext(ctx)
	beside.Go(func() (err error) {
		defer func() { // a panic in this goroutine would end the process
			if v := recover(); v != nil {
				err = fmt.Errorf("internal error: %v\n%s", v, debug.Stack())
			}
		}()
		return b.Renderer.readShared(both)
	})
	err := b.Rows.Read(both, before)
	return cmp.Or(beside.Wait(), err)
}

// readShared reads the featured images. It also reads the media library, unless that is much larger than the number of featured
// images.
func (b *Renderer) readShared(ctx context.Context) (err error) {
	const few, most, perThumbnail = 1000, 1_000_000, 3
	if b.Thumbnails, err = objects.ReadThumbnails(ctx, b.Rules.Blog); err != nil {
		return err
	}
	b.Library, err = objects.ReadLibrary(ctx, b.Rules.Blog, min(few+perThumbnail*len(b.Thumbnails), most))
	return err
}
