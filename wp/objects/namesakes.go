package objects

import (
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// A page may have the same address as a term, an archive or another post. WordPress then answers with one of them. Two
// objects with one address have one slug. So objects with the slug of a page are read first, because an index on slugs
// finds them. Only their addresses are compared (sitemap/rows/unreachable.go).

// The queries on posts use the index post_name.
const (
	sqlPostNamesakes = `SELECT ID, post_name FROM wp_posts FORCE INDEX (post_name)
WHERE post_name IN (?) AND post_status = 'publish' AND post_type IN (?)`
	sqlPageNamed = `SELECT ID FROM wp_posts FORCE INDEX (post_name)
WHERE post_name IN (?) AND post_type = 'page' AND post_status = 'publish' LIMIT 1`
	sqlTermNamesakes = `SELECT tt.taxonomy, t.term_id, t.slug FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id WHERE t.slug IN (?)`
)

// Namesakes are published pages that share their slug with another object, and these other objects.
type Namesakes struct {
	Pages []int64 // each once
	Posts []int64
	Terms []TermKey // of any taxonomy
}

// ReadNamesakes returns each of the pages whose slug another object has too, and these other objects: published posts of
// postTypes, and terms. A page whose slug is in archives, the slugs of archives, is returned too. postTypes does not contain
// page.
func ReadNamesakes(ctx context.Context, blog *wp.Blog, pages *PostTree, postTypes, archives []string) (Namesakes, error) {
	var same Namesakes
	bySlug := pages.bySlug()
	slugs := slices.Collect(maps.Keys(bySlug))
	shared := slices.Clone(archives) // slugs of objects other than pages
	var key TermKey
	var slug string
	for batch := range slices.Chunk(slugs, namesBatch) {
		err := blog.Query(ctx, sqlTermNamesakes, []any{batch}, db.Row(func() {
			same.Terms, shared = append(same.Terms, key), append(shared, slug)
		}, &key.Taxonomy, &key.ID, &slug))
		if err == nil && len(postTypes) > 0 { // SQL has no empty IN list
			err = blog.Query(ctx, sqlPostNamesakes, []any{batch, postTypes}, db.Rows2(func(id int64, slug string) {
				same.Posts, shared = append(same.Posts, id), append(shared, slug)
			}))
		}
		if err != nil {
			return same, blog.Wrap("looking for what has the slug of a page", err)
		}
	}
	for _, slug := range shared {
		same.Pages = append(same.Pages, bySlug[slug]...)
	}
	same.Pages = wp.Distinct(same.Pages)
	return same, nil
}

// HasPageNamed reports whether a published page has one of the slugs.
func HasPageNamed(ctx context.Context, blog *wp.Blog, slugs []string) (found bool, err error) {
	for batch := range slices.Chunk(slugs, namesBatch) {
		err = blog.Query(ctx, sqlPageNamed, []any{batch}, db.Rows1(func(int64) { found = true }))
		if err != nil || found {
			break
		}
	}
	return found, blog.Wrap("looking for pages with the slugs of posts", err)
}

// WordPress may look for the archive of a year at the address of a post with a slug such as 2025.

// sqlPostsOfYears reads the part of the index post_name that begins with digits.
const sqlPostsOfYears = `SELECT ID, post_name FROM wp_posts FORCE INDEX (post_name)
WHERE post_name >= '0' AND post_name < 'a' AND LENGTH(post_name) = 4 AND post_type = 'post' AND post_status = 'publish'`

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
