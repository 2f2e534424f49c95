package objects

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// ofAll holds one value of a meta key for every post that has the key, in the order of the posts. Each value takes 16
// bytes.
type ofAll[T any] []ofPost[T]

type ofPost[T any] struct {
	id    int64
	value T
}

func (all ofAll[T]) of(id int64) (value T, ok bool) {
	i, ok := slices.BinarySearchFunc(all, id, func(p ofPost[T], id int64) int { return cmp.Compare(p.id, id) })
	if ok {
		value = all[i].value
	}
	return value, ok
}

var errNotAtOnce = errors.New("the values of a meta key cannot be read at once")

// readAll reads the values of a meta key for all posts with one query. That takes a quarter of the time of many
// queries for a thousand posts each. scan reads a row. If a post has several values, the one with the smallest
// meta_id counts.
//
// readAll returns nil if the caller must query the posts in batches: there are more than most values, scan returns
// errNotAtOnce, or the index that orders rows by meta_id is missing.
func readAll[T any](
	ctx context.Context, blog *wp.Blog, query string, most int, scan func(*sql.Rows) (id, meta int64, value T, err error),
) (ofAll[T], error) {
	all, before := ofAll[T]{}, int64(0)
	err := blog.QueryIndexed(ctx, query, []any{most + 1}, func(rows *sql.Rows) error {
		id, meta, value, err := scan(rows)
		if err == nil && (meta < before || len(all) == most) {
			err = errNotAtOnce
		}
		all, before = append(all, ofPost[T]{id, value}), meta
		return err
	})
	if db.MissingIndex(err) || errors.Is(err, errNotAtOnce) {
		return nil, nil
	}
	slices.SortStableFunc(all, func(x, y ofPost[T]) int { return cmp.Compare(x.id, y.id) })
	return slices.CompactFunc(all, func(x, y ofPost[T]) bool { return x.id == y.id }), err
}
