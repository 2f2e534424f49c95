package objects

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// A page may have the same address as a term, an archive or another post. Both then have the same slug.

// mostPages is how many pages are compared with other objects at most.
const mostPages = 5000

const (
	sqlPages = `SELECT ID, post_name, post_parent FROM wp_posts WHERE post_type = 'page' AND post_status = 'publish' LIMIT ?`
	// WordPress looks for pages and attachments along the path of a page, whatever their status is.
	sqlAbovePages = `SELECT ID, post_parent FROM wp_posts WHERE ID IN (?) AND post_type IN ('page', 'attachment')`
	// This uses the index post_name.
	sqlPostNamesakes = `SELECT ID, post_name FROM wp_posts FORCE INDEX (post_name)
WHERE post_name IN (?) AND post_status = 'publish' AND post_type IN (?)`
	sqlTermNamesakes = `SELECT tt.taxonomy, t.term_id, t.slug FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id WHERE t.slug IN (?)`
)

// Namesakes are published pages that share their slug with other objects, and these objects.
type Namesakes struct {
	Pages, Posts []int64 // Posts are posts of other types
	Terms        []TermKey
	Lost         []int64 // published pages that WordPress does not find, because something above them is missing or is no page
}

// ReadNamesakes finds published pages that share their slug with a term, a post of one of the types, or an archive. It
// also finds lost pages. It finds nothing if there are too many pages.
func ReadNamesakes(ctx context.Context, blog *wp.Blog, types, archives []string) (n Namesakes, err error) {
	pages, parents := map[string][]int64{}, map[int64]int64{}
	var id, parent int64
	var slug string
	err = blog.Query(ctx, sqlPages, []any{mostPages + 1}, db.Row(func() {
		pages[slug] = append(pages[slug], id)
		parents[id] = parent
	}, &id, &slug, &parent))
	if err != nil || len(parents) > mostPages {
		return n, blog.Wrap("reading the slugs of pages", err)
	}
	if n.Lost, err = lost(ctx, blog, parents); err != nil {
		return n, err
	}
	slugs, shared := make([]string, 0, len(pages)), slices.Clone(archives)
	for slug := range pages {
		slugs = append(slugs, slug)
	}
	var key TermKey
	for batch := range slices.Chunk(slugs, namesBatch) {
		err = blog.Query(ctx, sqlTermNamesakes, []any{batch}, db.Row(func() {
			n.Terms, shared = append(n.Terms, key), append(shared, slug)
		}, &key.Taxonomy, &key.ID, &slug))
		if err == nil && len(types) > 0 {
			err = blog.Query(ctx, sqlPostNamesakes, []any{batch, types}, db.Rows2(func(id int64, slug string) {
				n.Posts, shared = append(n.Posts, id), append(shared, slug)
			}))
		}
		if err != nil {
			return n, blog.Wrap("looking for what has the slug of a page", err)
		}
	}
	for _, slug := range shared {
		n.Pages = append(n.Pages, pages[slug]...)
	}
	n.Pages = wp.Distinct(n.Pages)
	return n, nil
}

// lost returns the pages that WordPress does not find at their links. above has the parent of each published page; lost
// adds the parents of what is above these pages.
func lost(ctx context.Context, blog *wp.Blog, above map[int64]int64) ([]int64, error) {
	const missing = -1
	pages := slices.Collect(maps.Keys(above))
	for range wp.MaxGenerations {
		var unknown []int64
		for _, parent := range above {
			if _, known := above[parent]; parent > 0 && !known {
				unknown = append(unknown, parent)
			}
		}
		if len(unknown) == 0 {
			break
		}
		for _, id := range unknown {
			above[id] = missing
		}
		err := blog.ByID(ctx, "reading what is above pages", sqlAbovePages, wp.Distinct(unknown), db.Rows2(func(id, parent int64) { above[id] = parent }))
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(pages, func(id int64) bool {
		for range wp.MaxGenerations {
			if id = above[id]; id <= 0 {
				break
			}
		}
		return id == 0 // else something is missing, or the parents are a cycle
	}), nil
}
