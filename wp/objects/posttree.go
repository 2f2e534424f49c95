package objects

import (
	"context"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

const (
	sqlTree = `SELECT ID, post_name, post_parent FROM wp_posts WHERE post_type = ? AND post_status = 'publish' LIMIT ?`
	// WordPress looks for posts of the type and for attachments along the path of a post, whatever their status is.
	sqlAboveTree = `SELECT ID, post_name, post_parent FROM wp_posts WHERE ID IN (?) AND post_type IN (?, 'attachment')`
)

// A PostTree has the published posts of a hierarchical type, and the posts above them. WordPress needs both to find a
// post by its path.
type PostTree struct {
	published []int64
	nodes     wp.Tree
}

// ReadPostTree reads the tree of a post type. If the type has more than most published posts, the tree is empty.
func ReadPostTree(ctx context.Context, blog *wp.Blog, postType string, most int) (*PostTree, error) {
	t, above := &PostTree{nodes: wp.Tree{}}, []int64{}
	err := blog.Query(ctx, sqlTree, []any{postType, most + 1}, db.Rows3(func(id int64, slug string, parent int64) {
		t.nodes[id] = wp.Node{Slug: slug, Parent: parent}
		t.published, above = append(t.published, id), append(above, parent)
	}))
	if err != nil {
		return nil, blog.Wrap("reading posts of type "+postType+" as a tree", err)
	}
	if len(t.published) > most {
		return &PostTree{}, nil
	}
	return t, blog.ReadTree(ctx, t.nodes, above, sqlAboveTree, postType)
}

// Lost returns the published posts that WordPress does not find. WordPress finds no post if a post above it is
// missing, has no slug or is of another type, or if its parents form a ring.
func (t *PostTree) Lost() (ids []int64) {
	for _, id := range t.published {
		if t.top(id) == 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// WithoutLost returns the ids whose posts WordPress finds at their addresses. postType is hierarchical.
func WithoutLost(ctx context.Context, blog *wp.Blog, postType string, ids []int64) ([]int64, error) {
	t := &PostTree{nodes: wp.Tree{}}
	err := blog.ReadTree(ctx, t.nodes, ids, sqlAboveTree, postType)
	return slices.DeleteFunc(ids, func(id int64) bool { return t.top(id) == 0 }), err
}

// Len returns the number of published posts.
func (t *PostTree) Len() int { return len(t.published) }

// BelowTops returns the published posts below those topmost posts whose slugs the function accepts.
func (t *PostTree) BelowTops(accepts func(slug string) bool) (ids []int64) {
	for _, id := range t.published {
		if top := t.top(id); top != id && top > 0 && accepts(t.nodes[top].Slug) {
			ids = append(ids, id)
		}
	}
	return ids
}

// bySlug returns the published posts by slug.
func (t *PostTree) bySlug() map[string][]int64 {
	ids := map[string][]int64{}
	for _, id := range t.published {
		slug := t.nodes[id].Slug
		ids[slug] = append(ids[slug], id)
	}
	return ids
}

// top returns the topmost post above a post, or the post itself. It returns 0 if WordPress does not find the post.
func (t *PostTree) top(id int64) int64 {
	for range wp.MaxGenerations {
		switch n, ok := t.nodes[id]; {
		case !ok || n.Slug == "":
			return 0
		case n.Parent == 0:
			return id
		default:
			id = n.Parent
		}
	}
	return 0
}
