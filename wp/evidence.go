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
	// This skips the types of which every site has thousands of rows. The rest is a few ranges of the index
	// type_status_date.
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
	// This names the columns that other statements need. Every version of Yoast SEO with this table has them.
	sqlIndexableForm = `SELECT id, object_id, object_type, object_sub_type, permalink, permalink_hash, blog_id, post_status, is_robots_noindex,
breadcrumb_title FROM wp_yoast_indexable WHERE id = 0`
	sqlIndexableTypes = `SELECT object_type, object_sub_type, COUNT(*) FROM wp_yoast_indexable
WHERE object_type IN ('post', 'term', 'post-type-archive') GROUP BY object_type, object_sub_type`
	// This selects a few rows that have a permalink.
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
	mostDefined      = 50_000 // most rows that are read of the definitions of a plugin
	sqlWooAttributes = `SELECT attribute_name, attribute_public FROM wp_woocommerce_attribute_taxonomies ORDER BY attribute_name`
)

// evidence collects what the database shows about registered types.
func (s *Blog) evidence(ctx context.Context, o options) (registry.Evidence, error) {
	wpseo, titles := o.serialized("wpseo", s.Notice), o.serialized("wpseo_titles", s.Notice)
	e := registry.Evidence{
		Home:               s.set.Home,
		PermalinkStructure: o["permalink_structure"],
		CategoryBase:       o["category_base"],
		TagBase:            o["tag_base"],
		ActivePlugins:      s.set.ActivePlugins,
		Template:           o["template"],
		Stylesheet:         o["stylesheet"],
		Locale:             s.set.Locale,
		Options:            o.known(),
		// Permalink Manager switches the setting on
		DynamicPermalinks: wpseo.Get("dynamic_permalinks").Truthy() || s.set.ActivePlugins[PluginPermalinkManager],
		Titles:            titles,
		Noted:             s.noted(),
		Overrides:         s.network.source.Overrides,
	}
	for _, r := range o.serialized("rewrite_rules", s.Notice).Pairs() {
		e.RewriteRules = append(e.RewriteRules, routes.Rule{Regex: r.Key.String(), Query: r.Value.Str()})
	}
	e.RowsOfAll = release.Valid(wpseo.Get("version").Str()).Before("19.11")
	s.readRouted(&e)
	e.IndexablesPartial = !wpseo.Get("indexables_indexing_completed").Truthy()
	e.LastKnownPostTypes = wpseo.Get("last_known_public_post_types").Strings()
	e.LastKnownTaxonomies = wpseo.Get("last_known_public_taxonomies").Strings()
	if known := wpseo.Get("permalink_structure").Str(); known != "" && known != e.PermalinkStructure {
		e.IndexableStale = true
	}
	if known := strings.TrimRight(wpseo.Get("home_url").Str(), "/"); known != "" && known != s.set.Home {
		e.IndexableStale = true
	}
	for _, read := range []func(context.Context, *registry.Evidence) error{
		s.readPostTypes, s.readTaxonomies, s.readNoted, s.readIndexables, s.readACF, s.readDefinitions,
		func(ctx context.Context, e *registry.Evidence) error { return s.readWooCommerce(ctx, o, e) }, s.readStructures, s.readOrphans,
	} {
		if err := read(ctx, &e); err != nil {
			return e, err
		}
	}
	for _, taxonomy := range []bool{true, false} { // Custom Post Type UI registers taxonomies first
		option := "cptui_post_types"
		if taxonomy {
			option = "cptui_taxonomies"
		}
		for _, p := range o.serialized(option, s.Notice).Pairs() {
			e.Definitions = append(e.Definitions, registry.Definition{Taxonomy: taxonomy, Name: p.Key.Str, Plugin: registry.PluginCPTUI, Settings: p.Value})
		}
	}
	return e, nil
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
func (s *Blog) readRouted(e *registry.Evidence) {
	before := registry.Routed{}
	if len(e.RewriteRules) > 0 || e.PermalinkStructure == "" || json.Unmarshal([]byte(s.RoutedBefore()), &before) != nil {
		return
	}
	e.Before = &before
	s.Notice("option rewrite_rules is empty until WordPress answers a request: types and their addresses are as they were before")
}

// RoutedBefore returns what the last reading found about the blog's types and addresses, see Network.RouteAs. It returns "" if that
// is not known.
func (s *Blog) RoutedBefore() string {
	if s.network.routedBefore == nil {
		return ""
	}
	return s.network.routedBefore(s.row.ID)
}

// RouteAs sets the function that returns what the last reading found about the types and addresses of a blog. It must be called
// before a blog is read.
func (n *Network) RouteAs(before func(blog int64) string) { n.routedBefore = before }

func (s *Blog) readPostTypes(ctx context.Context, e *registry.Evidence) error {
	err := s.Query(ctx, sqlPostTypeRows, nil, db.Rows2(func(name string, published int) {
		e.PostTypes = append(e.PostTypes, registry.Rows{Name: name, Used: published})
	}))
	if err != nil || len(e.RewriteRules) > 0 || len(e.Noted) == 0 {
		return s.Wrap("counting posts by type", err)
	}
	for i := range e.PostTypes { // without rewrite rules, nothing else shows whether posts have parents
		t := &e.PostTypes[i]
		err := s.Query(ctx, sqlTypeParents, []any{t.Name}, db.Rows1(func(parents bool) { t.Parents = parents }))
		if err != nil {
			return s.Wrap("looking for parents of "+t.Name, err)
		}
	}
	return nil
}

func (s *Blog) readTaxonomies(ctx context.Context, e *registry.Evidence) error {
	err := s.Query(ctx, sqlTaxonomyRows, nil, db.Rows3(func(name string, inUse int, parents bool) {
		if name != "" {
			e.Taxonomies = append(e.Taxonomies, registry.Rows{Name: name, Used: inUse, Parents: parents})
		}
	}))
	if err != nil {
		return s.Wrap("counting terms by taxonomy", err)
	}
	for i := range e.Taxonomies {
		t := &e.Taxonomies[i]
		if t.Used == 0 || slices.Contains(coreTaxonomies, t.Name) {
			continue
		}
		ids, err := s.IDs(ctx, "reading terms of "+t.Name, sqlTaxonomyTerms, t.Name)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			continue
		}
		err = s.Query(ctx, sqlTermObjectTypes, []any{ids}, db.Rows1(func(name string) {
			if name != "" {
				t.ObjectTypes = append(t.ObjectTypes, name)
			}
		}))
		if err != nil {
			return s.Wrap("reading objects of "+t.Name, err)
		}
	}
	for _, p := range e.PostTypes {
		if err := s.readTypeTaxonomies(ctx, e, p.Name); err != nil {
			return err
		}
	}
	return nil
}

// readTypeTaxonomies adds a post type to the object types of each taxonomy whose terms its posts have.
func (s *Blog) readTypeTaxonomies(ctx context.Context, e *registry.Evidence, postType string) error {
	err := s.Query(ctx, sqlTypeTaxonomies, []any{postType}, db.Rows1(func(name string) {
		for i := range e.Taxonomies {
			if t := &e.Taxonomies[i]; t.Name == name && !slices.Contains(t.ObjectTypes, postType) {
				t.ObjectTypes = append(t.ObjectTypes, postType)
			}
		}
	}))
	return s.Wrap("reading the taxonomies of "+postType, err)
}

// coreTaxonomies are the taxonomies whose object types are known without a query.
var coreTaxonomies = []string{
	"category", "post_tag", "post_format", "nav_menu", "link_category", "wp_theme", "wp_template_part_area", "wp_pattern_category",
}

func (s *Blog) readIndexables(ctx context.Context, e *registry.Evidence) error {
	err := s.readIndexed(ctx, e)
	if db.MissingTable(err) || db.Denied(err) && !s.set.ActivePlugins[PluginYoast] {
		return nil
	}
	if e.HasIndexables, err = s.readable("yoast_indexable", "types known only from there are not found", err); !e.HasIndexables {
		e.Indexables = nil
	}
	return err
}

// readIndexed reads which types have rows in yoast_indexable, and some rows of each type.
func (s *Blog) readIndexed(ctx context.Context, e *registry.Evidence) error {
	if err := s.Query(ctx, sqlIndexableForm, nil, func(*sql.Rows) error { return nil }); err != nil {
		return s.Wrap("looking into the table yoast_indexable", err)
	}
	err := s.Query(ctx, sqlIndexableTypes, nil, db.Rows3(func(objectType, sub string, rows int) {
		e.Indexables = append(e.Indexables, registry.Indexable{ObjectType: objectType, SubType: sub, Rows: rows})
	}))
	if err != nil {
		return s.Wrap("counting the rows of yoast_indexable", err)
	}
	for i := range e.Indexables {
		r := &e.Indexables[i]
		if r.ObjectType == "post" && (r.SubType == "post" || r.SubType == "page" || r.SubType == "attachment") {
			continue // WordPress registers these types, and their links are computed
		}
		if err := s.readSamples(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// readSamples reads a few stored permalinks of one type, with the slugs of their objects.
func (s *Blog) readSamples(ctx context.Context, r *registry.Indexable) error {
	query, args := sqlSamplePosts, []any{r.ObjectType, r.SubType}
	switch r.ObjectType {
	case IndexedTerm: // joined by an argument, not by object_sub_type: the collations of the tables may differ
		query, args = sqlSampleTerms, slices.Insert(args, 0, any(r.SubType))
	case IndexedArchives:
		query = sqlSampleArchives
	}
	var sample registry.Sample
	err := s.Query(ctx, query, args, db.Row(func() { r.Samples = append(r.Samples, sample) },
		&sample.Permalink, &sample.Slug, &sample.Parent, &sample.Status))
	return s.Wrap("reading permalinks of "+r.SubType, err)
}

// readACF reads the definitions of ACF in the order in which ACF registers them.
func (s *Blog) readACF(ctx context.Context, e *registry.Evidence) error {
	type row struct {
		registry.Definition
		id, order   int64
		title, kind string
	}
	var rows []row
	r := row{Definition: registry.Definition{Plugin: registry.PluginACF}}
	var stored string
	err := s.Query(ctx, sqlACF, nil, db.Row(func() {
		v, err := php.MaybeUnserialize(stored)
		if err != nil {
			s.Notice(fmt.Sprintf("the ACF definition with post ID %d is corrupted and left out: %v", r.id, err))
			return
		}
		r.Taxonomy, r.Settings = r.kind == "acf-taxonomy", v
		rows = append(rows, r)
	}, &r.id, &r.kind, &stored, &r.order, &r.title))
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.title, b.title), cmp.Compare(a.id, b.id))
	})
	for _, r := range rows {
		e.Definitions = append(e.Definitions, r.Definition)
	}
	return s.Wrap("reading ACF definitions", err)
}

// readDefinitions reads the types that Meta Box defines in the content of posts, Pods in post meta, and JetEngine in
// its tables.
func (s *Blog) readDefinitions(ctx context.Context, e *registry.Evidence) error {
	active, most := s.set.ActivePlugins, []any{mostDefined}
	define := func(plugin string, taxonomy bool, name string, v php.Value) {
		e.Definitions = append(e.Definitions, registry.Definition{Taxonomy: taxonomy, Name: name, Plugin: plugin, Settings: v})
	}
	if active[registry.PluginMetaBox] {
		err := s.Query(ctx, sqlMetaBox, most, db.Rows2(func(kind, content string) {
			if v, err := php.DecodeJSON(content); err == nil {
				define(registry.PluginMetaBox, kind == "mb-taxonomy", v.Get("slug").Str(), v)
			}
		}))
		if err != nil {
			return s.Wrap("reading Meta Box definitions", err)
		}
	}
	if active[registry.PluginJetEngine] {
		jet := func(taxonomy bool) func(*sql.Rows) error {
			return db.Rows3(func(name, args, of string) {
				v, err := php.MaybeUnserialize(args)
				types, wrong := php.MaybeUnserialize(of)
				if err == nil && wrong == nil {
					define(registry.PluginJetEngine, taxonomy, name, php.NewArray(append(v.Pairs(), php.Element("object_type", types))...))
				}
			})
		}
		err := s.Query(ctx, sqlJetTypes, most, jet(false))
		if err == nil {
			err = s.Query(ctx, sqlJetTaxonomies, most, jet(true))
		}
		if !db.MissingTable(err) && !db.Denied(err) { // if the tables are missing or denied, JetEngine defines no types
			if _, err = s.readable("jet_post_types or jet_taxonomies", "types that JetEngine registers are not found", err); err != nil {
				return err
			}
		}
	}
	if !active[registry.PluginPods] {
		return nil
	}
	var names []string
	meta := map[string][]php.Pair{}
	err := s.Query(ctx, sqlPods, most, db.Rows3(func(name, key, value string) {
		if meta[name] == nil {
			names = append(names, name)
		}
		meta[name] = append(meta[name], php.Element(key, php.NewString(value)))
	}))
	for _, name := range names {
		v := php.NewArray(meta[name]...)
		kind := v.Get("type").Str()
		// a pod with an object extends a type that something else registers
		if (kind == "post_type" || kind == "taxonomy") && v.Get("object").Str() == "" {
			define(registry.PluginPods, kind == "taxonomy", name, v)
		}
	}
	return s.Wrap("reading Pods", err)
}

func (s *Blog) readWooCommerce(ctx context.Context, o options, e *registry.Evidence) error {
	if !s.set.Woo.Active {
		e.WooGone = slices.ContainsFunc(wooTraces, func(option string) bool { _, stored := o[option]; return stored })
		return nil
	}
	w := &registry.WooCommerce{
		Permalinks:     o.serialized("woocommerce_permalinks", s.Notice),
		ShopPageID:     o.integer("woocommerce_shop_page_id"),
		ThemeSupport:   o["current_theme_supports_woocommerce"],
		Version:        o["woocommerce_version"],
		PrependShop:    o["woocommerce_prepend_shop_page_to_urls"] == "yes",
		BrandPermalink: o["woocommerce_brand_permalink"],
	}
	if w.ShopPageID > 0 {
		tree := Tree{}
		if err := s.ReadAncestors(ctx, tree, []int64{w.ShopPageID}); err != nil {
			return err
		}
		w.ShopPagePath = tree.Path(w.ShopPageID)
		_, exists := tree[w.ShopPageID]
		w.ShopPathEmpty = exists && w.ShopPagePath == ""
	}
	err := s.Query(ctx, sqlWooAttributes, nil, db.Rows2(func(name string, public sql.NullString) {
		w.Attributes = append(w.Attributes, registry.WooAttribute{Name: name, Public: attributePublic(public)})
	}))
	w.AttributesRead, err = s.readable("woocommerce_attribute_taxonomies", "attributes have no sitemap", err)
	e.Woo = w
	return err
}

// attributePublic reports whether an attribute of WooCommerce is public: absint() of the column is 1, or the column is
// NULL.
func attributePublic(stored sql.NullString) bool {
	n := php.NewString(stored.String).Int()
	return !stored.Valid || n == 1 || n == -1
}

// Wrap adds to an error the site, what was done, and what the operator can do if that is known. It returns nil for
// nil.
func (s *Blog) Wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("site %s, blog %d: %s: %w%s", s.network.source.Name, s.row.ID, what, err, hint(err))
	}
	return nil
}
