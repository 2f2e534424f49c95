package aioseo

import (
	"context"
	"fmt"
	"path"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// The settings name only the types that were registered when the settings were saved. Two tables show
// types that were registered later.
//
// One table caches the plugin's last index. The other shows which posts were scanned for images. That
// scan covers exactly the types that visitors can see.
const (
	cacheTable = "aioseo_cache"

	sqlCachedIndex = `SELECT value FROM wp_aioseo_cache WHERE name = ?`

	// The oldest posts of a type suffice.
	sqlScanned = `SELECT COUNT(*) FROM (SELECT ID FROM wp_posts WHERE post_type = ? AND post_status = 'publish'
ORDER BY post_date LIMIT 100) p JOIN wp_aioseo_posts ap ON ap.post_id = p.ID WHERE ap.image_scan_date IS NOT NULL`
)

// laterTypes adds to types the public types that were registered after the settings were saved. It sets WholeTypes and
// WholeTaxonomies if all public types are then known.
func laterTypes(ctx context.Context, blog *wp.Blog, rows *registry.Evidence, types *registry.Noted) error {
	if !optionsOf(blog).enabled() { // neither table is written then, so only the saved types are known
		types.WholeTypes, types.WholeTaxonomies = true, true
		return nil
	}
	listed, err := cachedIndex(ctx, blog)
	if err != nil {
		return err
	}
	if len(listed) > 0 {
		types.Seen, types.SeenIn, types.WholeTypes, types.WholeTaxonomies = listed, "table "+cacheTable, true, true
		return nil
	}
	err = scannedTypes(ctx, blog, rows, types)
	if err == nil || db.Unreadable(err) { // read has logged a warning, or an older version has no such column
		return nil
	}
	return fmt.Errorf("looking which types were searched for images: %w", err)
}

// scannedTypes adds to types those with a post that was scanned for images. If posts or pages were scanned, so was every public
// type. On a site without permalinks, it adds none.
func scannedTypes(ctx context.Context, blog *wp.Blog, rows *registry.Evidence, types *registry.Noted) error {
	scans, err := scanned(ctx, blog, "post")
	if err == nil && !scans {
		scans, err = scanned(ctx, blog, "page")
	}
	if types.WholeTypes = scans; !scans || err != nil || rows.PermalinkStructure == "" {
		return err
	}
	types.SeenIn = "table " + table
	for _, t := range rows.PostTypes {
		if slices.Contains(types.PostTypes, t.Name) {
			continue
		}
		found, err := scanned(ctx, blog, t.Name)
		if err != nil {
			return err
		}
		if found {
			types.Seen = append(types.Seen, t.Name)
		}
	}
	return nil
}

// scanned reports whether one of the oldest posts of a type was scanned for images.
func scanned(ctx context.Context, blog *wp.Blog, postType string) (found bool, err error) {
	err = blog.Query(ctx, sqlScanned, []any{postType}, db.Rows1(func(n int) { found = n > 0 }))
	return found, err
}

// cachedIndex returns the names of the sitemaps in the last index that PHP made, which the plugin caches for a month. It returns none
// if nothing is cached, or if the table cannot be read.
func cachedIndex(ctx context.Context, blog *wp.Blog) ([]string, error) {
	urls := schemeOf(blog)
	var stored string
	err := blog.Query(ctx, sqlCachedIndex, []any{"aioseo_sitemap_" + urls.File(seo.IndexName, 1, 1)}, db.Rows1(func(value string) { stored = value }))
	if db.Unreadable(err) { // the table is missing, may not be read, or has the columns of a version before 4.9.7
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the table %s: %w", cacheTable, err)
	}
	index, err := php.DecodeJSON(stored)
	if err != nil {
		return nil, nil // nothing is cached
	}
	var names []string
	for _, part := range []string{"counts", "datetime"} {
		for _, p := range index.Get(part).Pairs() {
			if f, ok := urls.split(path.Base(p.Key.String())); ok && !f.index {
				names = append(names, f.name)
			}
		}
	}
	return names, nil
}
