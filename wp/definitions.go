package wp

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Some plugins let people define post types and taxonomies in the admin. Each of them stores its definitions in another way.

const (
	sqlACF = `SELECT ID, post_type, post_content, menu_order, post_title FROM wp_posts
WHERE post_type IN ('acf-post-type', 'acf-taxonomy') AND post_status = 'publish'`
	sqlMetaBox = `SELECT post_type, post_content FROM wp_posts
WHERE post_type IN ('mb-post-type', 'mb-taxonomy') AND post_status = 'publish' ORDER BY ID LIMIT ?`
	sqlPods = `SELECT p.post_name, m.meta_key, m.meta_value FROM wp_posts p JOIN wp_postmeta m ON m.post_id = p.ID
WHERE p.post_type = '_pods_pod' AND p.post_status = 'publish' ORDER BY p.ID, m.meta_id LIMIT ?`
	sqlJetTypes      = `SELECT slug, args, '' FROM wp_jet_post_types WHERE status = 'publish' ORDER BY id LIMIT ?`
	sqlJetTaxonomies = `SELECT slug, args, object_type FROM wp_jet_taxonomies WHERE status = 'publish' ORDER BY id LIMIT ?`
	mostDefined      = 50_000 // most rows that are read of one plugin's definitions
)

// readACF reads the definitions of ACF in the order in which ACF registers them.
func (r *reading) readACF(ctx context.Context) error {
	type row struct {
		registry.Definition
		id, order   int64
		title, kind string
	}
	var rows []row
	def := row{Definition: registry.Definition{Plugin: registry.PluginACF}}
	var stored string
	err := r.query(ctx, "reading ACF definitions", sqlACF, nil, db.Row(func() {
		v, err := php.MaybeUnserialize(stored)
		if err != nil {
			r.blog.Notice(fmt.Sprintf("the ACF definition with post ID %d is corrupted and left out: %v", def.id, err))
			return
		}
		def.Taxonomy, def.Settings = def.kind == "acf-taxonomy", v
		rows = append(rows, def)
	}, &def.id, &def.kind, &stored, &def.order, &def.title))
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.title, b.title), cmp.Compare(a.id, b.id))
	})
	for _, def := range rows {
		r.evidence.Plugins.Definitions = append(r.evidence.Plugins.Definitions, def.Definition)
	}
	return err
}

// readDefinitions reads the types that active plugins define in the database.
func (r *reading) readDefinitions(ctx context.Context) error {
	for _, of := range []struct {
		plugin string
		read   func(context.Context) error
	}{{registry.PluginMetaBox, r.readMetaBox}, {registry.PluginJetEngine, r.readJetEngine}, {registry.PluginPods, r.readPods}} {
		if !r.blog.set.ActivePlugins[of.plugin] {
			continue
		}
		if err := of.read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// define adds a type that a plugin defines.
func (r *reading) define(plugin string, taxonomy bool, name string, v php.Value) {
	r.evidence.Plugins.Definitions = append(r.evidence.Plugins.Definitions,
		registry.Definition{Taxonomy: taxonomy, Name: name, Plugin: plugin, Settings: v})
}

// readMetaBox reads the types that Meta Box defines in the content of posts.
func (r *reading) readMetaBox(ctx context.Context) error {
	return r.query(ctx, "reading Meta Box definitions", sqlMetaBox, []any{mostDefined}, db.Rows2(func(kind, content string) {
		if v, err := php.DecodeJSON(content); err == nil {
			r.define(registry.PluginMetaBox, kind == "mb-taxonomy", v.Get("slug").Str(), v)
		}
	}))
}

// readJetEngine reads the types that JetEngine defines in its tables. If the tables are missing or denied, JetEngine defines no
// types.
func (r *reading) readJetEngine(ctx context.Context) error {
	read := func(taxonomy bool) func(*sql.Rows) error {
		return db.Rows3(func(name, args, of string) {
			v, err := php.MaybeUnserialize(args)
			types, wrong := php.MaybeUnserialize(of)
			if err == nil && wrong == nil {
				r.define(registry.PluginJetEngine, taxonomy, name, php.NewArray(append(v.Pairs(), php.Element("object_type", types))...))
			}
		})
	}
	err := r.blog.Query(ctx, sqlJetTypes, []any{mostDefined}, read(false))
	if err == nil {
		err = r.blog.Query(ctx, sqlJetTaxonomies, []any{mostDefined}, read(true))
	}
	if db.MissingTable(err) || db.Denied(err) {
		return nil
	}
	_, err = r.readable("jet_post_types or jet_taxonomies", "types that JetEngine registers are not found", err)
	return err
}

// readPods reads the types that Pods defines in post meta. A pod with an object extends a type that something else registers.
func (r *reading) readPods(ctx context.Context) error {
	var names []string
	meta := map[string][]php.Pair{}
	err := r.query(ctx, "reading Pods", sqlPods, []any{mostDefined}, db.Rows3(func(name, key, value string) {
		if meta[name] == nil {
			names = append(names, name)
		}
		meta[name] = append(meta[name], php.Element(key, php.NewString(value)))
	}))
	for _, name := range names {
		v := php.NewArray(meta[name]...)
		kind := v.Get("type").Str()
		if (kind == "post_type" || kind == "taxonomy") && v.Get("object").Str() == "" {
			r.define(registry.PluginPods, kind == "taxonomy", name, v)
		}
	}
	return err
}
