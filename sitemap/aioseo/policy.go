package aioseo

import (
	"context"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/wp/registry"
)

// SpecPolicy is level spec, with archives of post types, and home where it is no page, in lists of their own.
var SpecPolicy = func() *provider.Policy {
	p := provider.Spec
	p.First.Links = func(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
		switch {
		case t.Name != "page" && t.Name != "post", homeIsExtra(b):
			return nil, nil
		}
		return provider.Spec.First.Links(ctx, b, t, l)
	}
	return &p
}()
