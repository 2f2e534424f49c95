package wp

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// mostFields is how many fields of ACF are looked at, and mostHeld how many attachments one field may hold.
const (
	mostFields = 2000
	mostHeld   = 1000
)

// sqlImageFields has fields of field groups; those inside other fields have other keys of meta.
const sqlImageFields = `SELECT f.post_name, f.post_excerpt, f.post_content FROM wp_posts f JOIN wp_posts g ON g.ID = f.post_parent
WHERE f.post_type = 'acf-field' AND f.post_status = 'publish' AND g.post_type = 'acf-field-group' LIMIT ?`

// readImageFields finds the fields of ACF that hold images: the key of a post's meta, and the field that has to stand with it.
func (s *Blog) readImageFields(ctx context.Context, _ options) error {
	if !slices.ContainsFunc(registry.PluginsACF, func(p string) bool { return s.set.ActivePlugins[p] }) {
		return nil
	}
	s.imageFields = map[string][]string{}
	err := s.Query(ctx, sqlImageFields, []any{mostFields}, db.Rows3(func(field, name, settings string) {
		v, err := php.MaybeUnserialize(settings)
		if kind := v.Get("type").Str(); err == nil && name != "" && (kind == "image" || kind == "gallery") {
			s.imageFields[name] = append(s.imageFields[name], field)
		}
	}))
	return s.Wrap("reading fields of ACF", err)
}

// HeldAttachments returns the attachments that posts hold in some keys of their meta, and in the image fields of ACF, in the order of the
// keys. It is one query, and none where there are no such keys.
func (s *Blog) HeldAttachments(ctx context.Context, ids []int64, keys []string) (map[int64][]int64, error) {
	all := slices.Clone(keys)
	for name := range s.imageFields {
		all = append(all, name, "_"+name)
	}
	if len(all) == 0 {
		return nil, nil
	}
	values, err := s.MetaOf(ctx, ids, all...)
	if err != nil {
		return nil, err
	}
	slices.Sort(all[len(keys):])
	held := map[int64][]int64{}
	for _, id := range ids {
		for i, key := range all {
			if i < len(keys) || slices.Contains(s.imageFields[key], values["_"+key][id]) {
				held[id] = append(held[id], attachmentIDs(values[key][id])...)
			}
		}
		if len(held[id]) == 0 {
			delete(held, id)
		}
	}
	return held, nil
}

// attachmentIDs reads an id, ids between commas, or an array of ids.
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
