package wp

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
)

// An object is found by the names and numbers in an address, each by an index, and is only believed when its own
// address, computed as for a sitemap, is that one.

// mostNamed bounds how many objects with one of a few names are checked.
const mostNamed = 300

const (
	sqlPostsNamed = `SELECT ID FROM wp_posts FORCE INDEX (post_name) WHERE post_name IN (?)
AND post_type NOT IN ('revision', 'nav_menu_item', 'customize_changeset', 'oembed_cache') LIMIT ?`
	sqlNameless   = `SELECT ID FROM wp_posts WHERE (post_name = '' OR post_name IS NULL) AND post_status = 'publish' AND post_type IN (?) LIMIT ?`
	sqlTermsNamed = `SELECT tt.taxonomy, t.term_id FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id WHERE t.slug IN (?) LIMIT ?`
	sqlTermsByID  = `SELECT taxonomy, term_id FROM wp_term_taxonomy WHERE term_id IN (?) LIMIT ?`
	sqlUsersNamed = `SELECT ID FROM wp_users WHERE user_nicename IN (?) LIMIT ?`
	sqlPostsOf    = `SELECT ID FROM wp_posts WHERE post_author = ? AND post_type = ? AND post_status IN (?) LIMIT 1`

	// Each goes by an index, and returns few rows of one name. MariaDB from 11 would sooner read a small table of posts whole than
	// look for hundreds of names in an index.
	sqlAllPostsNamed = `SELECT ID FROM wp_posts FORCE INDEX (post_name) WHERE post_name IN (?)`
	sqlAllTermsNamed = `SELECT term_id FROM wp_terms WHERE slug IN (?)`
	sqlCountPosts    = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_posts WHERE post_type IN (?) AND post_status IN ('publish', 'inherit') LIMIT ?) p`
	sqlCountTerms    = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_term_taxonomy LIMIT ?) t`

	metaOldSlug = "_wp_old_slug"

	// Each reads a part of an index on names.
	sqlPostNamesLike = `SELECT post_name FROM wp_posts FORCE INDEX (post_name) WHERE post_name LIKE ? ESCAPE '!' LIMIT ?`
	sqlTermNamesLike = `SELECT slug FROM wp_terms FORCE INDEX (slug) WHERE slug LIKE ? ESCAPE '!' LIMIT ?`
)

// TermKey names a term; terms of several taxonomies can share one id in old databases.
type TermKey struct {
	Taxonomy string
	ID       int64
}

// Search is how objects are found by names.
type Search struct{ query, what string }

// The searches: by slugs, unless it says otherwise.
var (
	PostsNamed       = Search{sqlPostsNamed, "posts by slug"}      // of any type and status
	PostsWithoutSlug = Search{sqlNameless, "posts without a slug"} // published ones, by types
	UsersNamed       = Search{sqlUsersNamed, "users by slug"}
	postsAtPath      = Search{sqlPostsAtPath, "posts by custom permalink"} // by paths
)

// Find returns the ids of what a search finds by some names.
func (s *Blog) Find(ctx context.Context, by Search, names []string) ([]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return s.ids(ctx, "looking for "+by.what, by.query, names, mostNamed)
}

// mostNamesLike is how many names of posts, and of terms, are compared with one that was mistyped.
const mostNamesLike = 5000

// NamesLike returns slugs of posts and terms that begin with the same two signs as a slug, at most mostNamesLike of each.
func (s *Blog) NamesLike(ctx context.Context, slug string) (names []string, err error) {
	n := 2
	if strings.HasPrefix(slug, "%") {
		n = 6 // a sign that is not ASCII
	}
	beginning := strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(slug[:min(n, len(slug))]) + "%"
	add := db.Rows1(func(name string) { names = append(names, name) })
	if err = s.Query(ctx, sqlPostNamesLike, []any{beginning, mostNamesLike}, add); err == nil {
		err = s.Query(ctx, sqlTermNamesLike, []any{beginning, mostNamesLike}, add)
	}
	return names, s.Wrap("looking for similar names", err)
}

// namesBatch is how many names one IN list has.
const namesBatch = 1000

// ObjectsNamed returns the ids of all posts and terms with one of the slugs.
func (s *Blog) ObjectsNamed(ctx context.Context, slugs []string) (posts, terms []int64, err error) {
	for batch := range slices.Chunk(slugs, namesBatch) {
		if err == nil {
			err = s.Query(ctx, sqlAllPostsNamed, []any{batch}, scanIDs(&posts))
		}
		if err == nil {
			err = s.Query(ctx, sqlAllTermsNamed, []any{batch}, scanIDs(&terms))
		}
	}
	return posts, terms, s.Wrap("looking for posts and terms by slug", err)
}

// CountObjects counts published posts of types, and terms; each no further than most.
func (s *Blog) CountObjects(ctx context.Context, postTypes []string, most int) (int, error) {
	count := 0
	add := db.Rows1(func(n int) { count += n })
	err := s.Query(ctx, sqlCountPosts, []any{postTypes, most}, add)
	if err == nil {
		err = s.Query(ctx, sqlCountTerms, []any{most}, add)
	}
	return count, s.Wrap("counting posts and terms", err)
}

// TermsNamed returns the terms of all taxonomies with one of the slugs.
func (s *Blog) TermsNamed(ctx context.Context, slugs []string) ([]TermKey, error) {
	if len(slugs) == 0 {
		return nil, nil
	}
	return s.termKeys(ctx, sqlTermsNamed, slugs)
}

// TermKeys returns the terms of an id, in whatever taxonomies.
func (s *Blog) TermKeys(ctx context.Context, id int64) ([]TermKey, error) {
	return s.termKeys(ctx, sqlTermsByID, []int64{id})
}

func (s *Blog) termKeys(ctx context.Context, query string, of any) (keys []TermKey, err error) {
	err = s.Query(ctx, query, []any{of, mostNamed}, db.Rows2(func(taxonomy string, id int64) {
		keys = append(keys, TermKey{taxonomy, id})
	}))
	return keys, s.Wrap("looking for terms", err)
}

// HasPosts reports whether a user is the author of a published post of one of the types.
func (s *Blog) HasPosts(ctx context.Context, user int64, postTypes []string) (bool, error) {
	for _, postType := range postTypes {
		ids, err := s.ids(ctx, "looking for posts of a user", sqlPostsOf, user, postType, s.storedAs(postType, "publish"))
		if err != nil || len(ids) > 0 {
			return len(ids) > 0, err
		}
	}
	return false, nil
}

// Table returns the full name of one of the site's tables, given without prefix: posts, users …
func (s *Blog) Table(name string) string { return strings.TrimSpace(s.tables.Bind("wp_" + name + " ")) }

const (
	sqlPostTitles = `SELECT ID, post_title FROM wp_posts WHERE ID IN (?)`
	sqlTermNames  = `SELECT term_id, name FROM wp_terms WHERE term_id IN (?)`
	sqlUserNames  = `SELECT ID, display_name FROM wp_users WHERE ID IN (?)`
)

// PostTitles returns post_title of posts, HTML.
func (s *Blog) PostTitles(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.texts(ctx, "reading titles", sqlPostTitles, ids)
}

// TermNames returns the names of terms, HTML.
func (s *Blog) TermNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.texts(ctx, "reading names of terms", sqlTermNames, ids)
}

// UserNames returns display_name of users, HTML.
func (s *Blog) UserNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.texts(ctx, "reading names of users", sqlUserNames, ids)
}
