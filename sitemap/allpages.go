package sitemap

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// readAll reads the rows of the catalog. Where every page is going to be rendered, what they would
// each ask for is read at once, on the site's second connection.
func (b *build) readAll(ctx context.Context, before *Kept) error {
	if !b.opt.AllPages {
		return b.read(ctx, before)
	}
	beside, ctx := errgroup.WithContext(ctx)
	beside.Go(guarded(func() error { return b.readShared(ctx) }))
	err := b.read(ctx, before) // here, where a panic finds who guards against it
	return cmp.Or(beside.Wait(), err)
}

// guarded turns a panic into an error. In a goroutine of its own it would end the process.
func guarded(f func() error) func() error {
	return func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("internal error: %v\n%s", v, debug.Stack())
			}
		}()
		return f()
	}
}

// readShared reads the featured images, and the media library unless it is much larger than
// what shows it.
func (b *Renderer) readShared(ctx context.Context) (err error) {
	const few, most, perThumbnail = 1000, 1_000_000, 3
	if b.thumbnails, err = b.site.Thumbnails(ctx); err != nil {
		return err
	}
	b.library, err = b.site.Library(ctx, min(few+perThumbnail*b.thumbnails.Len(), most))
	return err
}

// readTaxonomies reads the terms of the taxonomies on both connections. Without AllPages, and
// where languages have to be told apart, each list reads its own.
func (b *build) readTaxonomies(ctx context.Context) error {
	if !b.opt.AllPages || b.site.Languages() != nil {
		return nil
	}
	var mu sync.Mutex
	both, ctx := errgroup.WithContext(ctx)
	both.SetLimit(2)
	for _, t := range b.site.Registry().Taxonomies {
		if !b.listsTaxonomy(t) {
			continue
		}
		both.Go(guarded(func() error {
			terms, err := b.readTerms(ctx, t)
			mu.Lock()
			defer mu.Unlock()
			b.terms[t.Name] = terms
			return err
		}))
	}
	return both.Wait()
}
