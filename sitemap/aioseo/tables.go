package aioseo

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// The plugin has a row for each post that was saved in its editor or looked at by its scan for images. All of them are
// read by the primary key, those of some posts by the index of post_id.
const (
	table     = "aioseo_posts"
	tableRows = 10_000 // that a statement reads

	sqlRows = `SELECT id, post_id, COALESCE(robots_default, -1), COALESCE(robots_noindex, -1), COALESCE(priority, -1), canonical_url
FROM wp_aioseo_posts WHERE id > ? ORDER BY id LIMIT ?`

	sqlRowsOfPosts = `SELECT id, post_id, COALESCE(robots_default, -1), COALESCE(robots_noindex, -1), COALESCE(priority, -1), canonical_url
FROM wp_aioseo_posts WHERE post_id IN (?)`

	sqlImages = `SELECT post_id, images FROM wp_aioseo_posts WHERE post_id IN (?)`

	sqlTaxonomyIDs = `SELECT term_id, term_taxonomy_id FROM wp_term_taxonomy WHERE term_id IN (?)`
)

// storedRow is a row of the table; -1 stands for NULL.
type storedRow struct {
	id, post         int64
	follows, noindex int64 // robots_default, robots_noindex
	priority         float64
	canonical        string
}

// flags are what a row says. At level plugin a canonical address says nothing, but from 4.9.5 to 4.9.6. A post with robots_default = 1
// follows its type; 0 has it follow robots_noindex.
func (s *settings) flags(r *storedRow) seo.Flags {
	f := seo.Flags{Noindex: r.noindex > 0 && r.follows != 1, Index: r.follows == 0 && r.noindex == 0}
	if r.canonical != "" && (s.spec || s.before("4.9.7.1") && !s.before("4.9.5")) {
		f.Canonical = absolute(s.blog.Settings().SiteURL, r.canonical)
	}
	if r.priority >= 0 {
		f.Priority = uint8(1 + math.Round(200*min(r.priority, 1)))
	}
	if seo.NamesPage(s.blog.Settings(), r.post) {
		f.Stamp = 1 // there is a row
	}
	return f
}

// absolute is a canonical address as the plugin prints it: a path is below the site's address, a host has its scheme.
func absolute(site, address string) string {
	scheme, _, _ := strings.Cut(site, ":")
	host, _, _ := strings.Cut(address, "/")
	switch address = strings.TrimSpace(address); {
	case strings.HasPrefix(address, "http"):
		return address
	case strings.HasPrefix(address, "//"):
		return scheme + ":" + address
	case strings.Contains(host, "."):
		return scheme + "://" + address
	}
	return strings.TrimRight(site, "/") + "/" + strings.TrimLeft(address, "/")
}

// readRows reads what the table has of posts, or of all (nil). It says nothing of posts where the table cannot be read.
func (s *settings) readRows(ctx context.Context, ids []int64, flags map[int64]seo.Flags) error {
	var r storedRow
	var err error
	n, after := tableRows, int64(0)
	scan := db.Row(func() {
		n, after = n+1, max(after, r.id)
		own, before := s.flags(&r), flags[r.post]
		switch _, again := flags[r.post]; {
		case again: // a post that one of its rows lets in is in
			own.Stamp, own.Canonical = letIn(before)+letIn(own), cmp.Or(before.Canonical, own.Canonical)
			own.Noindex, own.Index, own.Priority = before.Noindex && own.Noindex, before.Index || own.Index, max(before.Priority, own.Priority)
		case own == (seo.Flags{}) && len(flags) > seo.MostCompared:
			return
		}
		flags[r.post] = own
	}, &r.id, &r.post, &r.follows, &r.noindex, &r.priority, &r.canonical)
	if ids != nil {
		err = s.blog.ByID(ctx, sqlRowsOfPosts, ids, scan)
	}
	for ids == nil && err == nil && n == tableRows {
		n = 0
		err = s.blog.Query(ctx, sqlRows, []any{after, tableRows}, scan)
	}
	if err == nil || db.Unreadable(err) { // check says so
		return nil
	}
	return fmt.Errorf("reading the table %s: %w", table, err)
}

// letIn is how many rows that the flags are of do not keep the post out.
func letIn(f seo.Flags) int64 {
	if f.Noindex {
		return 0
	}
	return max(f.Stamp, 1)
}

func (s *settings) Faults() seo.Faults { return seo.Faults{Posts: s.denied} }

// read looks what of the table can be read, where the plugin is active. A table that is not there says nothing. One that may
// not be read, or that has other columns than All in One SEO has since version 4, may say noindex of any post.
func read(ctx context.Context, blog *wp.Blog, stored *wp.Stored) (wp.Decoded, error) {
	decoded := decode(stored)
	if !stored.Active() {
		return decoded, nil
	}
	name := blog.Table(table)
	look := func(query string) error { // at no post
		return blog.Query(ctx, query, []any{[]int64{-1}}, func(*sql.Rows) error { return nil })
	}
	switch err := look(sqlRowsOfPosts); {
	case db.MissingTable(err):
		stored.Warn(fmt.Sprintf("table %s cannot be read, so that what %s stores of posts is not known: %v", name, Plugin.Name, err))
		return decoded, nil
	case db.Unreadable(err):
		decoded.Value.(*options).denied = fmt.Errorf("what %s stores of posts may not be read: %w", Plugin.Name, err)
		stored.Warn(fmt.Sprintf("table %s may not be read, so that sitemaps of posts are answered with 503: "+
			"wpsitemapd grants prints what the account needs: %v", name, err))
		return decoded, nil
	case err != nil:
		return decoded, fmt.Errorf("looking into the table %s: %w", table, err)
	}
	err := look(sqlImages)
	if db.Unreadable(err) {
		stored.Warn(fmt.Sprintf("table %s cannot be read, so that the images of posts are not known: %v", name, err))
		err = nil
	}
	return decoded, err
}

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
