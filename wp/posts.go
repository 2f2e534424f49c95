package wp

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
)

const (
	sqlMetaByKeys = `SELECT post_id, meta_id, meta_key, meta_value FROM wp_postmeta WHERE meta_key IN (?)`
	sqlMetaByPost = `SELECT post_id, meta_id, meta_key, meta_value FROM wp_postmeta WHERE post_id IN (?) AND meta_key IN (?)`
)

// newValues returns empty maps for values of meta, by key and object, and a function that sets a value.
func newValues(keys []string) (values map[string]map[int64]string, set func(id int64, key, value string)) {
	values = make(map[string]map[int64]string, len(keys))
	for _, key := range keys {
		values[key] = map[int64]string{}
	}
	return values, func(id int64, key, value string) { values[key][id] = value }
}

// firstOf returns a function that reads a row of an id, a meta_id, a meta key and its value. The function calls set for
// the first row of an id and a key, and again for each later row with a smaller meta_id. So the last value that set
// gets is the one with the smallest meta_id, which WordPress takes for single values. A value that is too long is "".
func (b *Blog) firstOf(keys []string, set func(id int64, key, value string)) func(*sql.Rows) error {
	first := make([]map[int64]int64, len(keys))
	for i := range first {
		first[i] = map[int64]int64{}
	}
	return db.Rows4(func(id, metaID int64, stored sql.RawBytes, value db.Value) {
		i := slices.IndexFunc(keys, func(k string) bool { return strings.EqualFold(k, string(stored)) }) // letter case does not count, as in the collation
		if i < 0 {
			return
		}
		if old, ok := first[i][id]; !ok || metaID <= old {
			first[i][id] = metaID
			set(id, keys[i], value.Text)
			if value.TooLong {
				b.long.add(keys[i], id)
			}
		}
	})
}

// MetaByKeys does what MetaOf does. If ids is nil, it reads the meta of every post that has the keys.
func (b *Blog) MetaByKeys(ctx context.Context, ids []int64, keys ...string) (map[string]map[int64]string, error) {
	if ids != nil {
		return b.MetaOf(ctx, ids, keys...)
	}
	values, set := newValues(keys)
	err := b.Query(ctx, sqlMetaByKeys, []any{keys}, b.firstOf(keys, set))
	if err == nil && b.set.FormMeta {
		err = b.Query(ctx, sqlFormMetaByKeys, []any{keys}, b.firstOf(keys, set))
	}
	return values, b.Wrap("reading post meta", err)
}

// MetaOf returns the first value of each meta key of posts, by key and post.
func (b *Blog) MetaOf(ctx context.Context, ids []int64, keys ...string) (map[string]map[int64]string, error) {
	values, set := newValues(keys)
	err := b.EachMeta(ctx, ids, keys, set)
	if err == nil && b.set.FormMeta {
		err = b.EachFormMeta(ctx, ids, keys, set)
	}
	return values, err
}

// EachMeta calls fn with the first value of every key for every post.
func (b *Blog) EachMeta(ctx context.Context, ids []int64, keys []string, fn func(id int64, key, value string)) error {
	return b.metaFrom(ctx, sqlMetaByPost, ids, keys, fn)
}

// EachFormMeta calls fn with the first value of every key for every form of GiveWP.
func (b *Blog) EachFormMeta(ctx context.Context, ids []int64, keys []string, fn func(id int64, key, value string)) error {
	return b.metaFrom(ctx, sqlFormMeta, ids, keys, fn)
}

func (b *Blog) metaFrom(ctx context.Context, query string, ids []int64, keys []string, fn func(id int64, key, value string)) error {
	if len(keys) == 0 {
		return nil
	}
	return b.ByID(ctx, "reading post meta", query, ids, b.firstOf(keys, fn), keys)
}

// MetaValues returns all values of one meta key, by post.
func (b *Blog) MetaValues(ctx context.Context, ids []int64, key string) (map[int64][]sql.NullString, error) {
	values := map[int64][]sql.NullString{}
	err := b.ByID(ctx, "reading post meta "+key, sqlMetaByPost, ids, db.Rows4(func(id, _ int64, _ string, value sql.NullString) {
		values[id] = append(values[id], value)
	}), []string{key})
	return values, err
}
