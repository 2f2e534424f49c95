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
	return beside(ctx, b.Renderer.readShared, func(ctx context.Context) error { return b.Rows.Read(ctx, before) })
}

// beside runs two functions at the same time. A site has two connections to its database.
func beside(ctx context.Context, one, other func(context.Context) error) error {
	group, both := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		defer func() { // a panic in this goroutine would end the process
			if v := recover(); v != nil {
				err = fmt.Errorf("internal error: %v\n%s", v, debug.Stack())
			}
		}()
		return one(both)
	})
	err := other(both)
	return cmp.Or(group.Wait(), err)
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
