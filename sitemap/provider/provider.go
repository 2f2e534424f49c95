package provider

import (
	"context"

	"wpsitemapd/sitemap/seo"
)

// A Provider adds one sort of lists to a catalog, such as post types, taxonomies, authors or news. A
// plugin names its providers in index order. Lister is the base.
type Provider interface {
	// Lists adds the lists to a build.
	Lists(ctx context.Context, b *Build) error
	// Names returns the names of sitemaps that the provider adds beside the sitemaps of types and authors. The value is
	// true if the daemon answers for the sitemap, and false if the site itself does.
	Names(r *seo.Rules) map[string]bool
	// Watched returns the post types whose recent posts the provider needs in rows.Rows.Recent.
	Watched(r *seo.Rules) []string
	// Deltas reports whether a delta can update the lists.
	Deltas(r *seo.Rules) bool
	// Checks returns checks that apply only to the lists of this provider. They run after the checks of the
	// plugin.
	Checks() []seo.Check
	// Absent returns why the sitemaps that the provider makes on other blogs do not exist on this one, by name
	// of the sitemap.
	Absent(r *seo.Rules) map[string]*seo.Reason
}

// Lister is a Provider that only adds lists.
type Lister func(ctx context.Context, b *Build) error

func (l Lister) Lists(ctx context.Context, b *Build) error { return l(ctx, b) }
func (Lister) Names(*seo.Rules) map[string]bool            { return nil }
func (Lister) Watched(*seo.Rules) []string                 { return nil }
func (Lister) Deltas(*seo.Rules) bool                      { return true }
func (Lister) Checks() []seo.Check                         { return nil }
func (Lister) Absent(*seo.Rules) map[string]*seo.Reason    { return nil }
