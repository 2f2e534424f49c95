package wp

import (
	"context"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// mostFields is how many fields of ACF are read at most.
const mostFields = 2000

// sqlImageFields reads the top fields of field groups. Fields inside other fields use other meta keys.
const sqlImageFields = `SELECT f.post_name, f.post_excerpt, f.post_content FROM wp_posts f JOIN wp_posts g ON g.ID = f.post_parent
WHERE f.post_type = 'acf-field' AND f.post_status = 'publish' AND g.post_type = 'acf-field-group' LIMIT ?`

// readImageFields finds the ACF fields that hold images. It stores them in Blog.imageFields by their post meta key,
// which several fields may use.
func (r *reading) readImageFields(ctx context.Context) error {
	if !slices.ContainsFunc(registry.PluginsACF, func(p string) bool { return r.blog.set.ActivePlugins[p] }) {
		return nil
	}
	r.blog.imageFields = map[string][]string{}
	return r.query(ctx, "reading fields of ACF", sqlImageFields, []any{mostFields}, db.Rows3(func(field, name, settings string) {
		v, err := php.MaybeUnserialize(settings)
		if kind := v.Get("type").Str(); err == nil && name != "" && (kind == "image" || kind == "gallery") {
			r.blog.imageFields[name] = append(r.blog.imageFields[name], field)
		}
	}))
}
