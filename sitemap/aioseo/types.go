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

// The settings name the types that were registered when they were saved. Of those registered later two tables tell: what the
// plugin's stylesheet shows of the index as PHP made it last, and which posts were searched for images, as those of every
// type are that visitors can see, and no others.
const (
	cacheTable = "aioseo_cache"

	sqlCachedIndex = `SELECT value FROM wp_aioseo_cache WHERE name = ?`

	// The oldest posts of a type are enough.
	sqlScanned = `SELECT COUNT(*) FROM (SELECT ID FROM wp_posts WHERE post_type = ? AND post_status = 'publish'
ORDER BY post_date LIMIT 100) p JOIN wp_aioseo_posts ap ON ap.post_id = p.ID WHERE ap.image_scan_date IS NOT NULL`
)

// laterTypes adds types that were registered later.
func laterTypes(ctx context.Context, blog *wp.Blog, rows *registry.Evidence, types *registry.Noted) error {
	if !optionsOf(blog).enabled() { // neither is written then: what was saved is all there is
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
	scanned := func(postType string) bool {
		found := 0
		if err == nil {
			err = blog.Query(ctx, sqlScanned, []any{postType}, db.Rows1(func(n int) { found = n }))
		}
		return found > 0
	}
	if types.WholeTypes = scanned("post") || scanned("page"); types.WholeTypes && rows.PermalinkStructure != "" {
		types.SeenIn = "table " + table
		for _, t := range rows.PostTypes {
			if !slices.Contains(types.PostTypes, t.Name) && scanned(t.Name) {
				types.Seen = append(types.Seen, t.Name)
			}
		}
	}
	if err == nil || db.Unreadable(err) { // read says so, or it is of an older version, which shows nothing
		return nil
	}
	return fmt.Errorf("looking which types were searched for images: %w", err)
}

// cachedIndex are the names in the index as PHP made it last; none where it was not asked for a month.
func cachedIndex(ctx context.Context, blog *wp.Blog) ([]string, error) {
	urls := NewURLs(blog).(scheme)
	var stored string
	err := blog.Query(ctx, sqlCachedIndex, []any{"aioseo_sitemap_" + urls.File(seo.IndexName, 1, 1)}, db.Rows1(func(value string) { stored = value }))
	if db.Unreadable(err) { // or the table has the form of before version 4.9.7
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the table %s: %w", cacheTable, err)
	}
	index, err := php.DecodeJSON(stored)
	if err != nil {
		return nil, nil // there is none
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
