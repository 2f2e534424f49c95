package objects

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// A page may have the same address as a term, an archive or another post. Both then have the same slug.

const (
	// This uses the index post_name.
	sqlPostNamesakes = `SELECT ID, post_name FROM wp_posts FORCE INDEX (post_name)
WHERE post_name IN (?) AND post_status = 'publish' AND post_type IN (?)`
	// This reads the part of the index post_name that begins with digits.
	sqlPostsOfYears = `SELECT ID, post_name FROM wp_posts FORCE INDEX (post_name)
WHERE post_name >= '0' AND post_name < 'a' AND LENGTH(post_name) = 4 AND post_type = 'post' AND post_status = 'publish'`
	sqlPageNamed = `SELECT ID FROM wp_posts FORCE INDEX (post_name)
WHERE post_name IN (?) AND post_type = 'page' AND post_status = 'publish' LIMIT 1`
	sqlTermNamesakes = `SELECT tt.taxonomy, t.term_id, t.slug FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id WHERE t.slug IN (?)`
)

// Namesakes are published pages that share their slug with other objects, and these objects.
type Namesakes struct {
	Pages, Posts []int64 // Posts are posts of other types
	Terms        []TermKey
	Below        []int64 // published pages below a topmost page whose slug the function top accepts
}

// ReadNamesakes finds published pages that share their slug with a term, a post of one of the types, or an archive.
// It also finds the pages below a topmost page for whose slug top is true. If there are more than most pages, it
// finds nothing.
func ReadNamesakes(ctx context.Context, blog *wp.Blog, tree *PostTree, most int, types, archives []string,
	top func(slug string) bool) (n Namesakes, err error) {
	if len(tree.published) > most {
		return n, nil
	}
	pages := map[string][]int64{}
	for _, id := range tree.published {
		slug := tree.nodes[id].Slug
		pages[slug] = append(pages[slug], id)
	}
	n.Below = tree.below(top)
	slugs, shared := make([]string, 0, len(pages)), slices.Clone(archives)
	for slug := range pages {
		slugs = append(slugs, slug)
	}
	var key TermKey
	var slug string
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

// HasPageNamed reports whether a published page has one of the slugs.
func HasPageNamed(ctx context.Context, blog *wp.Blog, slugs []string) (has bool, err error) {
	for batch := range slices.Chunk(slugs, namesBatch) {
		err = blog.Query(ctx, sqlPageNamed, []any{batch}, db.Rows1(func(int64) { has = true }))
		if err != nil || has {
			break
		}
	}
	return has, blog.Wrap("looking for pages with the slugs of posts", err)
}

// NamedAsYears returns the published posts whose slug has the form of a year.
func NamedAsYears(ctx context.Context, blog *wp.Blog) (ids []int64, err error) {
	err = blog.Query(ctx, sqlPostsOfYears, nil, db.Rows2(func(id int64, slug string) {
		if IsYear(slug) {
			ids = append(ids, id)
		}
	}))
	return ids, blog.Wrap("looking for posts with the slug of a year", err)
}

// IsYear reports whether a slug has the form of a year.
func IsYear(slug string) bool { return len(slug) == 4 && strings.Trim(slug, "0123456789") == "" }
