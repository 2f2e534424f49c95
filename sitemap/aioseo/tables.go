package aioseo

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// This file reads what the plugin stores of single posts. Its table has a row for each post that was saved in its editor or
// scanned for images. If all rows are needed, they are read by the primary key; if only some posts are, by the index on
// post_id.
const (
	table     = "aioseo_posts"
	tableRows = 10_000 // maximum number of rows that one statement reads

	sqlRows = `SELECT id, post_id, COALESCE(robots_default, -1), COALESCE(robots_noindex, -1), COALESCE(priority, -1), canonical_url
FROM wp_aioseo_posts WHERE id > ? ORDER BY id LIMIT ?`

	sqlRowsOfPosts = `SELECT id, post_id, COALESCE(robots_default, -1), COALESCE(robots_noindex, -1), COALESCE(priority, -1), canonical_url
FROM wp_aioseo_posts WHERE post_id IN (?)`

	sqlImages = `SELECT post_id, images FROM wp_aioseo_posts WHERE post_id IN (?)`

	sqlTaxonomyIDs = `SELECT term_id, term_taxonomy_id FROM wp_term_taxonomy WHERE term_id IN (?)`
)

// storedRow is a row of the plugin's table. -1 means NULL.
type storedRow struct {
	id, post         int64
	follows, noindex int64 // the columns robots_default and robots_noindex
	priority         float64
	canonical        string
}

// flags returns the settings in a row. If robots_default is 1, the post follows its type; if 0, its
// robots_noindex decides. Canonical addresses count at level spec only.
func (s *settings) flags(r *storedRow) seo.Flags {
	f := seo.Flags{Noindex: r.noindex > 0 && r.follows != 1, Index: r.follows == 0 && r.noindex == 0}
	if r.canonical != "" && s.spec {
		f.Canonical = absolute(s.blog.Settings().SiteURL, r.canonical)
	}
	if r.priority >= 0 {
		f.Priority = uint8(1 + math.Round(200*min(r.priority, 1)))
	}
	if seo.NamesPage(s.blog.Settings(), r.post) {
		f.Stamp = 1 // the page has a row
	}
	return f
}

// absolute returns a canonical address as the plugin prints it. A path is put below the site's
// address. A bare host gets the site's scheme.
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

// readRows reads the rows of posts into flags. If ids is nil, it reads the rows of all posts. If the
// table cannot be read, flags stays empty and the error is nil.
func (s *settings) readRows(ctx context.Context, ids []int64, flags map[int64]seo.Flags) error {
	var r storedRow
	var err error
	n, after := tableRows, int64(0)
	scan := db.Row(func() {
		n, after = n+1, max(after, r.id)
		own, before := s.flags(&r), flags[r.post]
		switch _, again := flags[r.post]; {
		case again: // a post is listed if one of its rows allows it
			own.Stamp, own.Canonical = letIn(before)+letIn(own), cmp.Or(before.Canonical, own.Canonical)
			own.Noindex, own.Index, own.Priority = before.Noindex && own.Noindex, before.Index || own.Index, max(before.Priority, own.Priority)
		case own == (seo.Flags{}) && len(flags) > seo.MostCompared:
			return
		}
		flags[r.post] = own
	}, &r.id, &r.post, &r.follows, &r.noindex, &r.priority, &r.canonical)
	if ids != nil {
		err = s.blog.ByID(ctx, "reading rows of posts", sqlRowsOfPosts, ids, scan)
	}
	for ids == nil && err == nil && n == tableRows {
		n = 0
		err = s.blog.Query(ctx, sqlRows, []any{after, tableRows}, scan)
	}
	if err == nil || db.Unreadable(err) { // read has logged a warning
		return nil
	}
	return fmt.Errorf("reading the table %s: %w", table, err)
}

// letIn returns how many rows of the table allow the post. If a post has several rows, f combines them, and f.Stamp is that number.
// For a single row f.Stamp is 0.
func letIn(f seo.Flags) int64 {
	if f.Noindex {
		return 0
	}
	return max(f.Stamp, 1)
}

func (s *settings) Faults() seo.Faults { return seo.Faults{Posts: s.denied} }

// read decodes the options and, if the plugin is active, tests which columns of its table can be read. A missing table has no
// settings. If the table may not be read, or has other columns than version 4, any post may be noindex.
func read(ctx context.Context, blog *wp.Blog, stored *wp.Stored) (wp.Decoded, error) {
	decoded := decode(stored)
	if !stored.Active() {
		return decoded, nil
	}
	name := blog.Table(table)
	look := func(query string) error { // reads no row
		return blog.Query(ctx, query, []any{[]int64{-1}}, func(*sql.Rows) error { return nil })
	}
	switch err := look(sqlRowsOfPosts); {
	case db.MissingTable(err):
		stored.Warn(fmt.Sprintf("table %s cannot be read, so the settings of %s for posts are not known: %v", name, Plugin.Name, err))
		return decoded, nil
	case db.Unreadable(err):
		decoded.Value.(*options).denied = fmt.Errorf("what %s stores of posts may not be read: %w", Plugin.Name, err)
		stored.Warn(fmt.Sprintf("the account may not read table %s, so sitemaps of posts are answered with 503. wpsitemapd grants "+
			"prints the statement that it needs (%v)", name, err))
		return decoded, nil
	case err != nil:
		return decoded, fmt.Errorf("looking into the table %s: %w", table, err)
	}
	err := look(sqlImages)
	if db.Unreadable(err) {
		stored.Warn(fmt.Sprintf("table %s cannot be read, so the images of posts are not known: %v", name, err))
		err = nil
	}
	return decoded, err
}
