package wp

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/registry/routes"
	"wpsitemapd/wp/release"
)

// Files of plugins, as active_plugins names them.
const (
	PluginYoast            = "wordpress-seo/wp-seo.php"
	PluginPermalinkManager = "permalink-manager/permalink-manager.php"
)

// Values of object_type in yoast_indexable.
const (
	IndexedPost     = "post"
	IndexedTerm     = "term"
	IndexedArchives = "post-type-archive"
)

const (
	// The built-in types are left out, because a site has thousands of their rows. For the other types the server reads
	// a few ranges of the index type_status_date.
	sqlPostTypeRows = `SELECT post_type, COUNT(*) FROM wp_posts
WHERE post_status = 'publish' AND post_type NOT IN ('post', 'page', 'attachment', 'revision', 'nav_menu_item') GROUP BY post_type`
	// The newest posts of a type are enough to see whether its posts have parents.
	sqlTypeParents = `SELECT COALESCE(MAX(p.post_parent > 0), 0) FROM (SELECT post_parent FROM wp_posts
WHERE post_type = ? AND post_status = 'publish' ORDER BY post_date DESC LIMIT 500) p`
	sqlTaxonomyRows = `SELECT taxonomy, SUM(count > 0), MAX(parent > 0) FROM wp_term_taxonomy GROUP BY taxonomy`
	// A few terms of a taxonomy and some of their objects are enough to see which types use the taxonomy.
	sqlTaxonomyTerms   = `SELECT term_taxonomy_id FROM wp_term_taxonomy WHERE taxonomy = ? AND count > 0 ORDER BY term_taxonomy_id LIMIT 20`
	sqlTermObjectTypes = `SELECT DISTINCT p.post_type FROM (SELECT object_id FROM wp_term_relationships
WHERE term_taxonomy_id IN (?) LIMIT 2000) r JOIN wp_posts p ON p.ID = r.object_id`
	// The newest posts of a type are enough to see which taxonomies the type uses.
	sqlTypeTaxonomies = `SELECT DISTINCT tt.taxonomy FROM (SELECT ID FROM wp_posts WHERE post_type = ? AND post_status = 'publish'
ORDER BY post_date DESC LIMIT 500) p JOIN wp_term_relationships tr ON tr.object_id = p.ID
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id`
	// This statement reads no row. It fails if a column is missing that another statement needs. Every version of Yoast
	// SEO with this table has these columns.
	sqlIndexableForm = `SELECT id, object_id, object_type, object_sub_type, permalink, permalink_hash, blog_id, post_status, is_robots_noindex,
breadcrumb_title FROM wp_yoast_indexable WHERE id = 0`
	sqlIndexableTypes = `SELECT object_type, object_sub_type, COUNT(*) FROM wp_yoast_indexable
WHERE object_type IN ('post', 'term', 'post-type-archive') GROUP BY object_type, object_sub_type`
	// A few rows that have a permalink are enough to see the form of the permalinks.
	sqlSampleWhere = ` WHERE i.object_type = ? AND i.object_sub_type = ? AND i.permalink IS NOT NULL AND i.permalink <> '' ORDER BY i.id LIMIT 20`
	sqlSamplePosts = `SELECT i.permalink, p.post_name, p.post_parent > 0, p.post_status FROM wp_yoast_indexable i
LEFT JOIN wp_posts p ON p.ID = i.object_id` + sqlSampleWhere
	sqlSampleTerms = `SELECT i.permalink, t.slug, tt.parent > 0, '' FROM wp_yoast_indexable i LEFT JOIN wp_terms t ON t.term_id = i.object_id
LEFT JOIN wp_term_taxonomy tt ON tt.term_id = i.object_id AND tt.taxonomy = ?` + sqlSampleWhere
	sqlSampleArchives = `SELECT i.permalink, '', 0, '' FROM wp_yoast_indexable i` + sqlSampleWhere
	sqlACF            = `SELECT ID, post_type, post_content, menu_order, post_title FROM wp_posts
WHERE post_type IN ('acf-post-type', 'acf-taxonomy') AND post_status = 'publish'`
	sqlMetaBox = `SELECT post_type, post_content FROM wp_posts
WHERE post_type IN ('mb-post-type', 'mb-taxonomy') AND post_status = 'publish' ORDER BY ID LIMIT ?`
	sqlPods = `SELECT p.post_name, m.meta_key, m.meta_value FROM wp_posts p JOIN wp_postmeta m ON m.post_id = p.ID
WHERE p.post_type = '_pods_pod' AND p.post_status = 'publish' ORDER BY p.ID, m.meta_id LIMIT ?`
	sqlJetTypes      = `SELECT slug, args, '' FROM wp_jet_post_types WHERE status = 'publish' ORDER BY id LIMIT ?`
	sqlJetTaxonomies = `SELECT slug, args, object_type FROM wp_jet_taxonomies WHERE status = 'publish' ORDER BY id LIMIT ?`
	mostDefined      = 50_000 // most rows that are read of one plugin's definitions
	sqlWooAttributes = `SELECT attribute_name, attribute_public FROM wp_woocommerce_attribute_taxonomies ORDER BY attribute_name`
)

// readEvidence collects what the database shows about registered types.
func (r *reading) readEvidence(ctx context.Context) error {
	wpseo, set := r.array("wpseo"), &r.blog.set
	r.evidence = registry.Evidence{
		Overrides:          r.blog.network.source.Overrides,
		Home:               set.Home,
		Locale:             set.Locale,
		Template:           r.options["template"],
		Stylesheet:         r.options["stylesheet"],
		PermalinkStructure: r.options["permalink_structure"],
		CategoryBase:       r.options["category_base"],
		TagBase:            r.options["tag_base"],
		Plugins:            registry.PluginTraces{Active: set.ActivePlugins, Options: r.options.known(), Noted: r.noted()},
		Yoast: registry.YoastTraces{
			PostTypes:  wpseo.Get("last_known_public_post_types").Strings(),
			Taxonomies: wpseo.Get("last_known_public_taxonomies").Strings(),
			Titles:     r.array("wpseo_titles"),
			RowsOfAll:  release.Valid(wpseo.Get("version").Str()).Before("19.11"),
			Partial:    !wpseo.Get("indexables_indexing_completed").Truthy(),
		},
	}
	e := &r.evidence
	structure, home := wpseo.Get("permalink_structure").Str(), strings.TrimRight(wpseo.Get("home_url").Str(), "/")
	e.Yoast.Stale = structure != "" && structure != e.PermalinkStructure || home != "" && home != set.Home ||
		wpseo.Get("dynamic_permalinks").Truthy() || set.ActivePlugins[PluginPermalinkManager] // the plugin switches the setting on
	for _, rule := range r.array("rewrite_rules").Pairs() {
		e.RewriteRules = append(e.RewriteRules, routes.Rule{Regex: rule.Key.String(), Query: rule.Value.Str()})
	}
	r.readRouted()
	err := r.each(ctx, r.readPostTypes, r.readTaxonomies, r.readNoted, r.readIndexables, r.readACF, r.readDefinitions, r.readWooCommerce,
		r.readStructures, r.readOrphans)
	if err != nil {
		return err
	}
	for _, taxonomy := range []bool{true, false} { // Custom Post Type UI registers taxonomies first
		option := "cptui_post_types"
		if taxonomy {
			option = "cptui_taxonomies"
		}
		for _, p := range r.array(option).Pairs() {
			r.define(registry.PluginCPTUI, taxonomy, p.Key.Str, p.Value)
		}
	}
	return nil
}

// known returns the decoded options that the table of known plugins needs. It leaves out an option that cannot be
// decoded.
func (o options) known() map[string]php.Value {
	values := map[string]php.Value{}
	for _, name := range registry.KnownOptions() {
		text, ok := o[name]
		if !ok {
			continue
		}
		if v, err := php.MaybeUnserialize(text); err == nil {
			values[name] = v
		}
		if v, err := php.DecodeJSON(text); err == nil && v.Kind == php.Array { // WP Job Manager stores JSON
			values[name] = v
		}
	}
	return values
}

// readRouted takes over what the last reading of the blog found about types if the rewrite rules are empty now.
func (r *reading) readRouted() {
	before := registry.Routed{}
	if len(r.evidence.RewriteRules) > 0 || r.evidence.PermalinkStructure == "" || json.Unmarshal([]byte(r.blog.RoutedBefore()), &before) != nil {
		return
	}
	r.evidence.Before = &before
	r.blog.Notice("option rewrite_rules is empty until WordPress answers a request: types and their addresses are as they were before")
}

func (r *reading) readPostTypes(ctx context.Context) error {
	e := &r.evidence
	err := r.query(ctx, "counting posts by type", sqlPostTypeRows, nil, db.Rows2(func(name string, published int) {
		e.PostTypes = append(e.PostTypes, registry.Rows{Name: name, Used: published})
	}))
	if err != nil || len(e.RewriteRules) > 0 || len(e.Plugins.Noted) == 0 {
		return err
	}
	for i := range e.PostTypes { // without rewrite rules, nothing else shows whether posts have parents
		t := &e.PostTypes[i]
		err := r.query(ctx, "looking for parents of "+t.Name, sqlTypeParents, []any{t.Name}, db.Rows1(func(parents bool) { t.Parents = parents }))
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) readTaxonomies(ctx context.Context) error {
	e := &r.evidence
	err := r.query(ctx, "counting terms by taxonomy", sqlTaxonomyRows, nil, db.Rows3(func(name string, inUse int, parents bool) {
		if name != "" {
			e.Taxonomies = append(e.Taxonomies, registry.Rows{Name: name, Used: inUse, Parents: parents})
		}
	}))
	if err != nil {
		return err
	}
	for i := range e.Taxonomies {
		t := &e.Taxonomies[i]
		if t.Used == 0 || slices.Contains(coreTaxonomies, t.Name) {
			continue
		}
		ids, err := r.blog.IDs(ctx, "reading terms of "+t.Name, sqlTaxonomyTerms, t.Name)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			continue
		}
		err = r.query(ctx, "reading objects of "+t.Name, sqlTermObjectTypes, []any{ids}, db.Rows1(func(name string) {
			if name != "" {
				t.ObjectTypes = append(t.ObjectTypes, name)
			}
		}))
		if err != nil {
			return err
		}
	}
	for _, p := range e.PostTypes {
		if err := r.readTypeTaxonomies(ctx, p.Name); err != nil {
			return err
		}
	}
	return nil
}

// readTypeTaxonomies adds a post type to the object types of each taxonomy whose terms its posts have.
func (r *reading) readTypeTaxonomies(ctx context.Context, postType string) error {
	return r.query(ctx, "reading the taxonomies of "+postType, sqlTypeTaxonomies, []any{postType}, db.Rows1(func(name string) {
		for i := range r.evidence.Taxonomies {
			if t := &r.evidence.Taxonomies[i]; t.Name == name && !slices.Contains(t.ObjectTypes, postType) {
				t.ObjectTypes = append(t.ObjectTypes, postType)
			}
		}
	}))
}

// coreTaxonomies are the taxonomies whose object types are known without a query.
var coreTaxonomies = []string{
	"category", "post_tag", "post_format", "nav_menu", "link_category", "wp_theme", "wp_template_part_area", "wp_pattern_category",
}

func (r *reading) readIndexables(ctx context.Context) error {
	err := r.readIndexed(ctx)
	if db.MissingTable(err) || db.Denied(err) && !r.blog.set.ActivePlugins[PluginYoast] {
		return nil
	}
	if r.evidence.Yoast.HasIndexables, err = r.readable("yoast_indexable",
		"types known only from there are not found", err); !r.evidence.Yoast.HasIndexables {
		r.evidence.Yoast.Indexables = nil
	}
	return err
}

// readIndexed reads which types have rows in yoast_indexable, and some rows of each type.
func (r *reading) readIndexed(ctx context.Context) error {
	if err := r.query(ctx, "looking into the table yoast_indexable", sqlIndexableForm, nil, func(*sql.Rows) error { return nil }); err != nil {
		return err
	}
	err := r.query(ctx, "counting the rows of yoast_indexable", sqlIndexableTypes, nil, db.Rows3(func(objectType, sub string, rows int) {
		r.evidence.Yoast.Indexables = append(r.evidence.Yoast.Indexables, registry.Indexable{ObjectType: objectType, SubType: sub, Rows: rows})
	}))
	if err != nil {
		return err
	}
	for i := range r.evidence.Yoast.Indexables {
		of := &r.evidence.Yoast.Indexables[i]
		if of.ObjectType == IndexedPost && (of.SubType == "post" || of.SubType == "page" || of.SubType == "attachment") {
			continue // WordPress registers these types, and their links are computed
		}
		if err := r.readSamples(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

// readSamples reads a few stored permalinks of one type, with the slugs of their objects.
func (r *reading) readSamples(ctx context.Context, of *registry.Indexable) error {
	query, args := sqlSamplePosts, []any{of.ObjectType, of.SubType}
	switch of.ObjectType {
	case IndexedTerm: // joined by an argument, not by object_sub_type: the collations of the tables may differ
		query, args = sqlSampleTerms, slices.Insert(args, 0, any(of.SubType))
	case IndexedArchives:
		query = sqlSampleArchives
	}
	var sample registry.Sample
	return r.query(ctx, "reading permalinks of "+of.SubType, query, args, db.Row(func() { of.Samples = append(of.Samples, sample) },
		&sample.Permalink, &sample.Slug, &sample.Parent, &sample.Status))
}

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

func (r *reading) readWooCommerce(ctx context.Context) error {
	if !r.blog.set.Woo.Active {
		r.evidence.Plugins.WooGone = slices.ContainsFunc(wooTraces, func(option string) bool { _, stored := r.options[option]; return stored })
		return nil
	}
	w := &registry.WooCommerce{
		Permalinks:     r.array("woocommerce_permalinks"),
		ShopPageID:     r.options.integer("woocommerce_shop_page_id"),
		ThemeSupport:   r.options["current_theme_supports_woocommerce"],
		Version:        r.options["woocommerce_version"],
		PrependShop:    r.options["woocommerce_prepend_shop_page_to_urls"] == "yes",
		BrandPermalink: r.options["woocommerce_brand_permalink"],
	}
	if w.ShopPageID > 0 {
		tree := Tree{}
		if err := r.blog.ReadAncestors(ctx, tree, []int64{w.ShopPageID}); err != nil {
			return err
		}
		w.ShopPagePath = tree.Path(w.ShopPageID)
		_, exists := tree[w.ShopPageID]
		w.ShopPathEmpty = exists && w.ShopPagePath == ""
	}
	err := r.blog.Query(ctx, sqlWooAttributes, nil, db.Rows2(func(name string, public sql.NullString) {
		w.Attributes = append(w.Attributes, registry.WooAttribute{Name: name, Public: attributePublic(public)})
	}))
	w.AttributesRead, err = r.readable("woocommerce_attribute_taxonomies", "attributes have no sitemap", err)
	r.evidence.Plugins.Woo = w
	return err
}

// attributePublic reports whether an attribute of WooCommerce is public: absint() of the column is 1, or the column is
// NULL.
func attributePublic(stored sql.NullString) bool {
	n := php.NewString(stored.String).Int()
	return !stored.Valid || n == 1 || n == -1
}
