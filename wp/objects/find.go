package objects

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// An object is found by the names and numbers in an address. Each search uses an index. The caller must check that the
// found object's own address, computed as for a sitemap, is the one that was searched.

// mostNamed is how many objects one search returns at most.
const mostNamed = 300

const (
	sqlPostsNamed = `SELECT ID FROM wp_posts FORCE INDEX (post_name) WHERE post_name IN (?)
AND post_type NOT IN ('revision', 'nav_menu_item', 'customize_changeset', 'oembed_cache') LIMIT ?`
	sqlNameless   = `SELECT ID FROM wp_posts WHERE (post_name = '' OR post_name IS NULL) AND post_status = 'publish' AND post_type IN (?) LIMIT ?`
	sqlTermsNamed = `SELECT tt.taxonomy, t.term_id FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id WHERE t.slug IN (?) LIMIT ?`
	sqlTermsByID  = `SELECT taxonomy, term_id FROM wp_term_taxonomy WHERE term_id IN (?) LIMIT ?`
	sqlUsersNamed = `SELECT ID FROM wp_users WHERE user_nicename IN (?) LIMIT ?`
	// These two use an index and return few rows for each name. Without the hint, MariaDB 11 and later may read a
	// small table of posts as a whole.
	sqlAllPostsNamed = `SELECT ID FROM wp_posts FORCE INDEX (post_name) WHERE post_name IN (?)`
	sqlAllTermsNamed = `SELECT term_id FROM wp_terms WHERE slug IN (?)`
	sqlCountPosts    = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_posts WHERE post_type IN (?) AND post_status IN ('publish', 'inherit') LIMIT ?) p`
	sqlCountTerms    = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_term_taxonomy LIMIT ?) t`
	// These two read a part of an index on names.
	sqlPostNamesLike = `SELECT post_name FROM wp_posts FORCE INDEX (post_name) WHERE post_name LIKE ? ESCAPE '!' LIMIT ?`
	sqlTermNamesLike = `SELECT slug FROM wp_terms FORCE INDEX (slug) WHERE slug LIKE ? ESCAPE '!' LIMIT ?`
)

// TermKey identifies a term. In old databases, terms of several taxonomies may share one id.
type TermKey struct {
	Taxonomy string
	ID       int64
}

// Search is a query that finds objects by their names. The field what names these objects in messages.
type Search struct{ query, what string }

// These are the searches. The names are slugs unless the comment says what they are.
var (
	PostsNamed       = Search{sqlPostsNamed, "posts by slug"}      // posts of any type and status
	PostsWithoutSlug = Search{sqlNameless, "posts without a slug"} // published posts; the names are post types
	UsersNamed       = Search{sqlUsersNamed, "users by slug"}
)

// Find returns the ids of the objects that a search finds by names.
func Find(ctx context.Context, blog *wp.Blog, by Search, names []string) ([]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return blog.IDs(ctx, "looking for "+by.what, by.query, names, mostNamed)
}

// mostNamesLike is how many names of posts, and how many of terms, are compared with a mistyped name.
const mostNamesLike = 5000

// NamesLike returns slugs of posts and terms with the same first two bytes as slug, at most mostNamesLike of each. If slug
// begins with an escaped character, such as %c3%a9, it compares the first six bytes.
func NamesLike(ctx context.Context, blog *wp.Blog, slug string) (names []string, err error) {
	n := 2
	if strings.HasPrefix(slug, "%") {
		n = 6 // an escaped character that is not ASCII
	}
	beginning := strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(slug[:min(n, len(slug))]) + "%"
	add := db.Rows1(func(name string) { names = append(names, name) })
	if err = blog.Query(ctx, sqlPostNamesLike, []any{beginning, mostNamesLike}, add); err == nil {
		err = blog.Query(ctx, sqlTermNamesLike, []any{beginning, mostNamesLike}, add)
	}
	return names, blog.Wrap("looking for similar names", err)
}

// namesBatch is how many names an IN list has.
const namesBatch = 1000

// ObjectsNamed returns the ids of all posts and terms with one of the slugs.
func ObjectsNamed(ctx context.Context, blog *wp.Blog, slugs []string) (posts, terms []int64, err error) {
	for batch := range slices.Chunk(slugs, namesBatch) {
		named, err := blog.IDs(ctx, "looking for posts by slug", sqlAllPostsNamed, batch)
		if err != nil {
			return nil, nil, err
		}
		terming, err := blog.IDs(ctx, "looking for terms by slug", sqlAllTermsNamed, batch)
		if err != nil {
			return nil, nil, err
		}
		posts, terms = append(posts, named...), append(terms, terming...)
	}
	return posts, terms, nil
}

// CountObjects returns the number of published posts of some types plus the number of terms. Each of the two numbers
// is counted only up to most.
func CountObjects(ctx context.Context, blog *wp.Blog, postTypes []string, most int) (int, error) {
	count := 0
	add := db.Rows1(func(n int) { count += n })
	err := blog.Query(ctx, sqlCountPosts, []any{postTypes, most}, add)
	if err == nil {
		err = blog.Query(ctx, sqlCountTerms, []any{most}, add)
	}
	return count, blog.Wrap("counting posts and terms", err)
}

// TermsNamed returns the terms of any taxonomy that have one of the slugs.
func TermsNamed(ctx context.Context, blog *wp.Blog, slugs []string) ([]TermKey, error) {
	if len(slugs) == 0 {
		return nil, nil
	}
	return termKeys(ctx, blog, sqlTermsNamed, slugs)
}

// TermKeys returns the keys of all terms with a term_id, whatever their taxonomy.
func TermKeys(ctx context.Context, blog *wp.Blog, id int64) ([]TermKey, error) {
	return termKeys(ctx, blog, sqlTermsByID, []int64{id})
}

func termKeys(ctx context.Context, blog *wp.Blog, query string, of any) (keys []TermKey, err error) {
	err = blog.Query(ctx, query, []any{of, mostNamed}, db.Rows2(func(taxonomy string, id int64) {
		keys = append(keys, TermKey{taxonomy, id})
	}))
	return keys, blog.Wrap("looking for terms", err)
}

// sqlPageNames uses the index post_name.
const sqlPageNames = `SELECT ID, post_name, post_parent FROM wp_posts WHERE post_name IN (?) AND post_type IN ('page', 'attachment')`

// PageAt reports whether a page or an attachment of any status is at a path.
func PageAt(ctx context.Context, blog *wp.Blog, path string) (bool, error) {
	names := strings.Split(strings.Trim(path, "/"), "/")
	if len(names) == 0 || len(names) > wp.MaxGenerations || names[0] == "" {
		return false, nil
	}
	tree := wp.Tree{}
	err := blog.Query(ctx, sqlPageNames, []any{names}, db.Rows3(func(id int64, name string, parent int64) {
		tree[id] = wp.Node{Slug: name, Parent: parent}
	}))
	if err != nil {
		return false, blog.Wrap("looking for a page at "+path, err)
	}
	var at func(id int64, names []string) bool
	at = func(id int64, names []string) bool {
		last := len(names) - 1
		if last < 0 || id == 0 {
			return last < 0 && id == 0
		}
		row, ok := tree[id]
		return ok && row.Slug == names[last] && at(row.Parent, names[:last])
	}
	for id := range tree {
		if at(id, names) {
			return true, nil
		}
	}
	return false, nil
}
