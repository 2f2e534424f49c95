package objects

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// An object is found by the names and numbers in an address, each by an index. It is only believed if its own address,
// computed as for a sitemap, is that one.

// mostNamed bounds how many objects with one of a few names are checked.
const mostNamed = 300

const (
	sqlPostsNamed = `SELECT ID FROM wp_posts FORCE INDEX (post_name) WHERE post_name IN (?)
AND post_type NOT IN ('revision', 'nav_menu_item', 'customize_changeset', 'oembed_cache') LIMIT ?`
	sqlNameless   = `SELECT ID FROM wp_posts WHERE (post_name = '' OR post_name IS NULL) AND post_status = 'publish' AND post_type IN (?) LIMIT ?`
	sqlTermsNamed = `SELECT tt.taxonomy, t.term_id FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id WHERE t.slug IN (?) LIMIT ?`
	sqlTermsByID  = `SELECT taxonomy, term_id FROM wp_term_taxonomy WHERE term_id IN (?) LIMIT ?`
	sqlUsersNamed = `SELECT ID FROM wp_users WHERE user_nicename IN (?) LIMIT ?`
	// Each goes by an index, and returns few rows of one name. MariaDB from 11 would sooner read a small table of posts whole than
	// look for hundreds of names in an index.
	sqlAllPostsNamed = `SELECT ID FROM wp_posts FORCE INDEX (post_name) WHERE post_name IN (?)`
	sqlAllTermsNamed = `SELECT term_id FROM wp_terms WHERE slug IN (?)`
	sqlCountPosts    = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_posts WHERE post_type IN (?) AND post_status IN ('publish', 'inherit') LIMIT ?) p`
	sqlCountTerms    = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_term_taxonomy LIMIT ?) t`
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
)

// Find returns the ids of what a search finds by some names.
func Find(ctx context.Context, blog *wp.Blog, by Search, names []string) ([]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return blog.IDs(ctx, "looking for "+by.what, by.query, names, mostNamed)
}

// mostNamesLike is how many names of posts, and of terms, are compared with one that was mistyped.
const mostNamesLike = 5000

// NamesLike returns slugs of posts and terms that begin with the same two signs as a slug, at most mostNamesLike of each.
func NamesLike(ctx context.Context, blog *wp.Blog, slug string) (names []string, err error) {
	n := 2
	if strings.HasPrefix(slug, "%") {
		n = 6 // a sign that is not ASCII
	}
	beginning := strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(slug[:min(n, len(slug))]) + "%"
	add := db.Rows1(func(name string) { names = append(names, name) })
	if err = blog.Query(ctx, sqlPostNamesLike, []any{beginning, mostNamesLike}, add); err == nil {
		err = blog.Query(ctx, sqlTermNamesLike, []any{beginning, mostNamesLike}, add)
	}
	return names, blog.Wrap("looking for similar names", err)
}

// namesBatch is how many names one IN list has.
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

// CountObjects counts published posts of types, and terms; each no further than most.
func CountObjects(ctx context.Context, blog *wp.Blog, postTypes []string, most int) (int, error) {
	count := 0
	add := db.Rows1(func(n int) { count += n })
	err := blog.Query(ctx, sqlCountPosts, []any{postTypes, most}, add)
	if err == nil {
		err = blog.Query(ctx, sqlCountTerms, []any{most}, add)
	}
	return count, blog.Wrap("counting posts and terms", err)
}

// TermsNamed returns the terms of all taxonomies with one of the slugs.
func TermsNamed(ctx context.Context, blog *wp.Blog, slugs []string) ([]TermKey, error) {
	if len(slugs) == 0 {
		return nil, nil
	}
	return termKeys(ctx, blog, sqlTermsNamed, slugs)
}

// TermKeys returns the terms of an id, in whatever taxonomies.
func TermKeys(ctx context.Context, blog *wp.Blog, id int64) ([]TermKey, error) {
	return termKeys(ctx, blog, sqlTermsByID, []int64{id})
}

func termKeys(ctx context.Context, blog *wp.Blog, query string, of any) (keys []TermKey, err error) {
	err = blog.Query(ctx, query, []any{of, mostNamed}, db.Rows2(func(taxonomy string, id int64) {
		keys = append(keys, TermKey{taxonomy, id})
	}))
	return keys, blog.Wrap("looking for terms", err)
}

var (
	quotedToken = regexp.MustCompile(`\\\{[^{}]+\\\}`) // by regexp.QuoteMeta
)

// atURLs returns the posts and terms that paths below home may be by the forms.
func atURLs(ctx context.Context, blog *wp.Blog, paths []string) (posts, terms []int64, err error) {
	var slugs []string
	for _, t := range slices.Concat(blog.Registry().PostTypes, blog.Registry().Taxonomies) {
		is := regexp.MustCompile("^" + quotedToken.ReplaceAllString(regexp.QuoteMeta(strings.Trim(t.URL, "/")), "(.+)") + "$")
		for _, path := range paths {
			for i, value := range is.FindStringSubmatch(path) {
				if i == 0 { // all of it
					continue
				}
				if id, err := strconv.ParseInt(value, 10, 64); err == nil {
					posts, terms = append(posts, id), append(terms, id)
				}
				slugs = append(slugs, value[strings.LastIndexByte(value, '/')+1:])
			}
		}
	}
	if len(slugs) > 0 {
		var named, terming []int64
		named, terming, err = ObjectsNamed(ctx, blog, slugs)
		posts, terms = append(posts, named...), append(terms, terming...)
	}
	return posts, terms, err
}

const sqlPostsAtPath = `SELECT post_id FROM wp_postmeta WHERE meta_key = 'custom_permalink' AND meta_value IN (?) LIMIT ?`

// AtPaths returns the posts and the terms that may be at one of the paths below home, given without a slash at the end, as editors or
// the operator have set addresses.
func AtPaths(ctx context.Context, blog *wp.Blog, paths []string) (posts, terms []int64, err error) {
	h := &blog.Settings().HandSet
	search := func(in map[int64]string) (ids []int64) {
		for id, path := range in {
			if slices.Contains(paths, strings.Trim(path, "/")) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	if h.Custom {
		for _, path := range paths {
			paths = append(paths, path+"/")
		}
		posts, err = blog.IDs(ctx, "looking for posts by custom permalink", sqlPostsAtPath, paths, mostNamed)
		terms = search(h.CustomTerms)
	}
	if h.Manager != nil {
		posts, terms = append(posts, search(h.Manager.Posts)...), append(terms, search(h.Manager.Terms)...)
	}
	if err == nil {
		var more, moreTerms []int64
		more, moreTerms, err = atURLs(ctx, blog, paths)
		posts, terms = append(posts, more...), append(terms, moreTerms...)
	}
	return posts, terms, err
}
