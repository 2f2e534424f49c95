package site

import (
	"context"
	"slices"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// Catalog is what is served of a *sitemap.Catalog.
type Catalog interface {
	Active() bool
	BaseURL(file string) string
	URL(name string, page int) string
	Owns(name string) bool
	Undecided(name string) bool
	QueryName(name string) string
	Files() []catalog.File
	OtherFiles() []catalog.File
	Outline() catalog.Outline
	Fingerprint(name string, page int) uint64
	Side() uint64
	Common(name string, page int) uint64
	Digest() uint64
	Wider() bool
	Expires() time.Time
	Due() (unix int64, ok bool)
	Rerender(ctx context.Context, name string, page int, earlier catalog.Earlier) (*catalog.Document, error)
}

// remembered stands in for the catalog of a blog whose database has not been read yet. It knows what exists, and renders
// nothing.
type remembered struct {
	listing *catalog.Outline
	urls    seo.URLs
}

func (c remembered) Active() bool                     { return c.listing.Active }
func (c remembered) BaseURL(file string) string       { return c.urls.URL(c.listing.Base, file) }
func (c remembered) URL(name string, page int) string { return c.listing.URL(c.urls, name, page) }
func (c remembered) Owns(name string) bool            { return slices.Contains(c.listing.Owned, name) }
func (c remembered) Undecided(name string) bool       { return slices.Contains(c.listing.Left, name) }
func (c remembered) Files() []catalog.File            { return c.listing.Files }
func (c remembered) OtherFiles() []catalog.File       { return c.listing.Others }
func (c remembered) Outline() catalog.Outline         { return *c.listing }

// Fingerprint is that of the pages in the store.
func (c remembered) Fingerprint(string, int) uint64 { return 0 }
func (c remembered) Side() uint64                   { return 0 }
func (c remembered) Common(string, int) uint64      { return 0 }
func (c remembered) Digest() uint64                 { return 0 }
func (c remembered) Wider() bool                    { return false }
func (c remembered) Expires() time.Time             { return time.Time{} }
func (c remembered) Due() (int64, bool)             { return 0, false }

func (c remembered) QueryName(name string) string {
	if asked, ok := c.listing.Asked[name]; ok {
		return asked
	}
	return name
}

func (c remembered) Rerender(_ context.Context, name string, page int, _ catalog.Earlier) (*catalog.Document, error) {
	if c.listing.Names(name, page) || c.listing.Unnamed(name) {
		return nil, ErrNotReadYet
	}
	return nil, catalog.ErrNotFound
}
