package wp

import (
	"context"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
)

const (
	sqlNodes = `SELECT ID, post_name, post_parent FROM wp_posts WHERE ID IN (?)`

	MaxGenerations = 30 // longer chains of parents are cut; WordPress has no limit, but real sites do not nest so deep
)

// Node is a post or a term in a tree: its slug, and the id of its parent.
type Node struct {
	Slug   string
	Parent int64
}

// Tree holds posts or terms of one taxonomy by id.
type Tree map[int64]Node

// Get returns the node with an id, in the form of permalink.Node.
func (t Tree) Get(id int64) (slug string, parent int64, ok bool) {
	n, ok := t[id]
	return n.Slug, n.Parent, ok
}

// Path joins the slugs from the root to id.
func (t Tree) Path(id int64) string { return permalink.Path(id, t.Get) }

// ReadAncestors reads posts and all their ancestors into t. It runs one query for each generation.
func (b *Blog) ReadAncestors(ctx context.Context, t Tree, ids []int64) error {
	return b.ReadTree(ctx, t, ids, sqlNodes)
}

// ReadTree reads objects and all their ancestors into t. The columns of the query are id, slug and parent. Its first argument is
// a list of ids.
func (b *Blog) ReadTree(ctx context.Context, t Tree, ids []int64, query string, args ...any) error {
	for range MaxGenerations {
		var missing []int64
		for _, id := range Distinct(ids) {
			if _, ok := t[id]; !ok && id > 0 {
				missing = append(missing, id)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		ids = ids[:0:0]
		err := b.ByID(ctx, "reading ancestors", query, missing, db.Rows3(func(id int64, slug string, parent int64) {
			t[id] = Node{slug, parent}
			ids = append(ids, parent)
		}), args...)
		if err != nil {
			return err
		}
	}
	return nil
}
