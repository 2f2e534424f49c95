package site

import (
	"context"
	"time"

	"wpsitemapd/sitemap/catalog"
)

// A Catalog renders the pages of a blog, and says by numbers when they are others. What it lists is its Outline.
type Catalog interface {
	Outline() catalog.Outline
	Fingerprint(name string, page int) uint64
	Expires() time.Time
	Due() (unix int64, ok bool)
	Render(ctx context.Context, name string, page int) (*catalog.Document, error)
}

// remembered is the catalog of a blog whose database has not been read yet. It knows what exists, and renders
// nothing.
type remembered struct{ outline *catalog.Outline }

func (c remembered) Outline() catalog.Outline { return *c.outline }

// Fingerprint is 0, which says nothing about the pages in the store.
func (c remembered) Fingerprint(string, int) uint64 { return 0 }
func (c remembered) Expires() time.Time             { return time.Time{} }
func (c remembered) Due() (int64, bool)             { return 0, false }

func (c remembered) Render(_ context.Context, name string, page int) (*catalog.Document, error) {
	if c.outline.Names(name, page) || c.outline.Unnamed(name) {
		return nil, ErrNotReadYet
	}
	return nil, catalog.ErrNotFound
}
