package wp

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"

	"wpsitemapd/wp/db"
)

// sqlTermMeta reads the term meta of plugins. It is read with the settings, because an edit of a term's SEO settings
// changes nothing but rows of term meta.
const sqlTermMeta = `SELECT term_id, meta_id, meta_key, meta_value FROM wp_termmeta WHERE meta_key IN (?)`

// MetaTermPicture is the term meta in which WooCommerce stores the picture of a category or a brand. Its value is the
// id of an attachment.
const MetaTermPicture = "thumbnail_id"

// TermMeta returns the first value that each term has for each of the keys, by key and term. The result may also hold
// other keys. The values of active plugins were read with the settings. If one of the keys belongs to another plugin,
// TermMeta reads the values of all keys from the database.
func (b *Blog) TermMeta(ctx context.Context, keys ...string) (map[string]map[int64]string, error) {
	if !slices.ContainsFunc(keys, func(key string) bool { return b.termMeta[key] == nil }) {
		return b.termMeta, nil
	}
	values, set := newValues(keys)
	err := b.Query(ctx, sqlTermMeta, []any{keys}, b.firstOf(keys, set))
	return values, b.Wrap("reading term meta", err)
}

// readTermMeta reads the term meta of active plugins.
func (r *reading) readTermMeta(ctx context.Context) error {
	keys := r.blog.ofActive(func(in Inputs) []string { return in.TermMeta })
	if len(keys) == 0 {
		return nil
	}
	values, set := newValues(keys)
	err := r.blog.Query(ctx, sqlTermMeta, []any{keys}, r.blog.firstOf(keys, set))
	if r.blog.termMeta = values; db.Unreadable(err) {
		r.blog.termMeta = nil // a later call of TermMeta then returns the error too
		r.blog.Notice(fmt.Sprintf("%s cannot be read, so noindex, canonical addresses and pictures of terms are not known: %v",
			r.blog.Table("termmeta"), err))
		return nil
	}
	return r.blog.Wrap("reading term meta", err)
}

// hashTermMeta writes the term meta to a fingerprint.
func (b *Blog) hashTermMeta(h io.Writer) {
	for _, key := range slices.Sorted(maps.Keys(b.termMeta)) {
		sum := uint64(0) // a sum does not depend on the order
		for id, value := range b.termMeta[key] {
			one := fnv.New64a()
			fmt.Fprintf(one, "%d %s", id, value)
			sum += one.Sum64()
		}
		fmt.Fprintf(h, "%s %d %d\n", key, len(b.termMeta[key]), sum)
	}
}
