package provider

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"wpsitemapd/sitemap/rows"

	"golang.org/x/sync/errgroup"
)

// ReadAll reads the rows of the catalog. Where every page is going to be rendered, what they would each ask for is read at once, on
// the site's second connection, and so are the terms, unless languages have to be told apart.
func (b *Build) ReadAll(ctx context.Context, before *rows.Kept) error {
	if !b.Options.AllPages {
		return b.Rows.Read(ctx, before)
	}
	beside, both := errgroup.WithContext(ctx)
	beside.Go(guarded(func() error { return b.Renderer.readShared(both) }))
	err := b.Rows.Read(both, before) // here, where a panic finds who guards against it
	if err = cmp.Or(beside.Wait(), err); err != nil || b.Blog.Languages() != nil {
		return err
	}
	return b.readTaxonomies(ctx)
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
	if b.Thumbnails, err = b.Blog.Thumbnails(ctx); err != nil {
		return err
	}
	b.Library, err = b.Blog.Library(ctx, min(few+perThumbnail*len(b.Thumbnails), most))
	return err
}

// readTaxonomies reads the terms of the taxonomies on both connections.
func (b *Build) readTaxonomies(ctx context.Context) error {
	var mu sync.Mutex
	both, ctx := errgroup.WithContext(ctx)
	both.SetLimit(2)
	for _, t := range b.Taxonomies() {
		if !b.ListsType(t) {
			continue
		}
		both.Go(guarded(func() error {
			terms, err := b.Rows.ReadTerms(ctx, t)
			mu.Lock()
			defer mu.Unlock()
			b.Rows.Terms[t.Name] = terms
			return err
		}))
	}
	return both.Wait()
}
