package wp

import (
	"context"
	"encoding/json"
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
	r.blog.Notice("option rewrite_rules is empty until WordPress answers a request. Until then, wpsitemapd uses the types and " +
		"addresses that it knew before")
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

// Custom Post Type Permalinks gives each post type its own permalink structure. Package address replaces the tokens in
// a structure.

// readStructures reads the options of the plugin.
func (r *reading) readStructures(ctx context.Context) error {
	if !r.evidence.Plugins.Active[registry.PluginStructures] {
		return nil
	}
	names := []string{registry.NoTermStructures}
	for _, t := range r.evidence.PostTypes {
		names = append(names, t.Name+registry.EndOfStructure)
	}
	o, err := readOptions(ctx, r.blog.network.db, r.blog.tables, names, r.blog.Notice)
	r.evidence.Plugins.Structures = o
	return r.blog.Wrap("reading the structures of post types", err)
}
