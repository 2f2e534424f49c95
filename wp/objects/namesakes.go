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
	sqlAbovePages = `SELECT ID, post_name, post_parent FROM wp_posts WHERE ID IN (?) AND post_type IN ('page', 'attachment')`
	// This uses the index post_name.
	sqlPostNamesakes = `SELECT ID, post_name FROM wp_posts FORCE INDEX (post_name)
WHERE post_name IN (?) AND post_status = 'publish' AND post_type IN (?)`
	sqlTermNamesakes = `SELECT tt.taxonomy, t.term_id, t.slug FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id WHERE t.slug IN (?)`
)

// Namesakes are published pages that share their slug with other objects, and these objects.
type Namesakes struct {
	Pages, Posts []int64 // Posts are posts of other types
	Terms        []TermKey
	Below        []int64 // published pages whose topmost page has one of the slugs that were asked for
	Lost         []int64 // published pages that WordPress does not find, because something above them is missing or is no page
}

// ReadNamesakes finds published pages that share their slug with a term, a post of one of the types, or an archive. It
// also finds lost pages, and pages below a page for whose slug top is true. It finds nothing if there are too many pages.
func ReadNamesakes(ctx context.Context, blog *wp.Blog, types, archives []string, top func(slug string) bool) (n Namesakes, err error) {
	pages, parents, tops := map[string][]int64{}, map[int64]int64{}, map[int64]bool{}
	var id, parent int64
	var slug string
	err = blog.Query(ctx, sqlPages, []any{mostPages + 1}, db.Row(func() {
		pages[slug] = append(pages[slug], id)
		parents[id], tops[id] = parent, parent == 0 && top(slug)
	}, &id, &slug, &parent))
	if err != nil || len(parents) > mostPages {
		return n, blog.Wrap("reading the slugs of pages", err)
	}
	published := slices.Collect(maps.Keys(parents))
	err = readAbove(ctx, blog, parents, func(id int64, slug string) { tops[id] = top(slug) })
	if err != nil {
		return n, err
	}
	for _, id := range published {
		switch at, found := topmost(parents, id); {
		case !found:
			n.Lost = append(n.Lost, id)
		case at != id && tops[at]:
			n.Below = append(n.Below, id)
		}
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

// missing is what readAbove notes as the parent of an object that is missing, or is neither a page nor an attachment.
const missing = -1

// readAbove adds what is above the pages to parents, which has the parent of each published page. It calls fn for each object that
// it adds.
func readAbove(ctx context.Context, blog *wp.Blog, parents map[int64]int64, fn func(id int64, slug string)) error {
	for range wp.MaxGenerations {
		var unknown []int64
		for _, parent := range parents {
			if _, known := parents[parent]; parent > 0 && !known {
				unknown = append(unknown, parent)
			}
		}
		if len(unknown) == 0 {
			break
		}
		for _, id := range unknown {
			parents[id] = missing
		}
		var id, parent int64
		var slug string
		err := blog.ByID(ctx, "reading what is above pages", sqlAbovePages, wp.Distinct(unknown), db.Row(func() {
			parents[id] = parent
			fn(id, slug)
		}, &id, &slug, &parent))
		if err != nil {
			return err
		}
	}
	return nil
}

// topmost returns the page at the top of the tree that a page is in. It returns false if something above the page is missing, or
// if the parents are a cycle.
func topmost(parents map[int64]int64, id int64) (int64, bool) {
	for range wp.MaxGenerations {
		switch parent := parents[id]; {
		case parent == 0:
			return id, true
		case parent < 0:
			return 0, false
		default:
			id = parent
		}
	}
	return 0, false
}
