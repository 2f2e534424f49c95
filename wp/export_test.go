package wp

import (
	"context"
	"errors"
	"slices"
)

// DeclareForTests puts what is read in the place of what is read for WordPress alone.
func DeclareForTests(d *Declared) { ownAlone = d }

// ReadBlogs reads the single site or all live blogs of a network, without their addresses.
func (n *Network) ReadBlogs(ctx context.Context) ([]*Blog, error) {
	w, err := n.Walk(ctx, nil)
	if err != nil {
		return nil, err
	}
	var blogs []*Blog
	var failed []error
	for _, row := range w.Live {
		b, _, err := w.Read(ctx, row)
		if failed = append(failed, err); err == nil {
			blogs = append(blogs, b.PerLanguage()...)
		}
	}
	slices.SortStableFunc(blogs, func(a, b *Blog) int { return int(a.row.ID - b.row.ID) })
	return blogs, errors.Join(failed...)
}
