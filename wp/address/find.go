package address

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/objects"
)

var quotedToken = regexp.MustCompile(`\\\{[^{}]+\\\}`) // a token such as {slug}, as regexp.QuoteMeta writes it

// atURLs returns the posts and terms that may be at one of the paths below home, if the operator has configured URL
// forms for their types.
func (b *Book) atURLs(ctx context.Context, paths []string) (posts, terms []int64, err error) {
	var slugs []string
	for _, t := range slices.Concat(b.Blog.Registry().PostTypes, b.Blog.Registry().Taxonomies) {
		form := regexp.MustCompile("^" + quotedToken.ReplaceAllString(regexp.QuoteMeta(strings.Trim(t.URL, "/")), "(.+)") + "$")
		for _, path := range paths {
			for i, value := range form.FindStringSubmatch(path) {
				if i == 0 { // the whole path
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
		named, terming, err = objects.ObjectsNamed(ctx, b.Blog, slugs)
		posts, terms = append(posts, named...), append(terms, terming...)
	}
	return posts, terms, err
}

// mostAtPath is how many posts sqlPostsAtPath returns at most.
const mostAtPath = 300

const sqlPostsAtPath = `SELECT post_id FROM wp_postmeta WHERE meta_key = 'custom_permalink' AND meta_value IN (?) LIMIT ?`

// AtPaths returns the posts and terms that may be at one of the paths below home, because editors or the operator have
// set their addresses. The paths have no slash at the end.
func (b *Book) AtPaths(ctx context.Context, paths []string) (posts, terms []int64, err error) {
	h := &b.hand
	search := func(in map[int64]string) (ids []int64) {
		for id, path := range in {
			if slices.Contains(paths, strings.Trim(path, "/")) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	if h.custom {
		for _, path := range paths {
			paths = append(paths, path+"/")
		}
		posts, err = b.Blog.IDs(ctx, "looking for posts by custom permalink", sqlPostsAtPath, paths, mostAtPath)
		terms = search(h.customTerms)
	}
	if h.manager != nil {
		posts, terms = append(posts, search(h.manager.posts)...), append(terms, search(h.manager.terms)...)
	}
	if err == nil {
		var more, moreTerms []int64
		more, moreTerms, err = b.atURLs(ctx, paths)
		posts, terms = append(posts, more...), append(terms, moreTerms...)
	}
	return posts, terms, err
}
