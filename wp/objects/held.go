package objects

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

const mostHeld = 1000

// HeldAttachments returns the attachments that posts name under some meta keys and in ACF's image fields. The result is
// by post, in the order of the keys. It runs one query, or none if there are no keys.
func HeldAttachments(ctx context.Context, blog *wp.Blog, ids []int64, keys []string) (map[int64][]int64, error) {
	all := slices.Clone(keys)
	for name := range blog.ImageFields() {
		all = append(all, name, "_"+name)
	}
	if len(all) == 0 {
		return nil, nil
	}
	values, err := blog.MetaOf(ctx, ids, all...)
	if err != nil {
		return nil, err
	}
	slices.Sort(all[len(keys):])
	held := map[int64][]int64{}
	for _, id := range ids {
		for i, key := range all {
			if i < len(keys) || slices.Contains(blog.ImageFields()[key], values["_"+key][id]) {
				held[id] = append(held[id], attachmentIDs(values[key][id])...)
			}
		}
		if len(held[id]) == 0 {
			delete(held, id)
		}
	}
	return held, nil
}

// attachmentIDs parses an id, a comma-separated list of ids, or a PHP array of ids. It reads at most mostHeld of them.
func attachmentIDs(value string) (ids []int64) {
	texts := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	if v, err := php.MaybeUnserialize(value); err == nil && v.Kind == php.Array {
		texts = v.Strings()
	}
	for _, text := range texts[:min(len(texts), mostHeld)] {
		if id := php.NewString(text).Int(); id > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}
