package registry

import "wpsitemapd/wp/php"

// PluginsACF are the names under which ACF runs: free, PRO, and the fork Secure Custom Fields.
var PluginsACF = []string{
	"advanced-custom-fields/acf.php",
	"advanced-custom-fields-pro/acf.php",
	"secure-custom-fields/secure-custom-fields.php",
}

const (
	sourceACFPostType = FactSource("ACF post type")
	sourceACFTaxonomy = FactSource("ACF taxonomy")
)

// acf registers the definitions of Advanced Custom Fields (yoast-discovery 8). It skips keys
// that are registered already. Of the fields only the row's status decides whether one is active.
func (d *decider) acf() {
	active := false
	for _, p := range PluginsACF {
		active = active || d.e.ActivePlugins[p]
	}
	if !active {
		return
	}
	for _, def := range d.e.ACF {
		v, k := def.Settings, either(def.Taxonomy, taxonomies, postTypes)
		if def.Status != "publish" || v.Kind != php.Array {
			continue
		}
		name := textOr(v.Get(pick(k, "post_type", "taxonomy")), "")
		if k == postTypes {
			name = sanitizeKey(name)
		}
		if !d.registered(k, name) {
			d.define(k, acfType(k, name, v), pick(k, v.Get("taxonomies").Strings(), nil))
		}
	}
}

func acfType(k kind, name string, v php.Value) *Type {
	t := &Type{
		Name:         name,
		Public:       boolOr(v, "public", true),
		Hierarchical: boolOr(v, "hierarchical", false),
		QueryVar:     acfQueryVar(v, name),
		Sources:      k.allFrom(pick(k, sourceACFPostType, sourceACFTaxonomy)),
	}
	queryable := boolOr(v, "publicly_queryable", true)
	if k == taxonomies {
		t.queryable(queryable)
		t.Rewrite, t.Slug, t.WithFront = acfRewrite(v, dashed(name))
		t.RewriteHierarchical = t.Rewrite && boolOr(v.Get("rewrite"), "rewrite_hierarchical", false)
		t.ObjectTypes = textOrList(v.Get("object_type"))
		return t
	}
	t.Viewable = queryable
	t.Rewrite, t.Slug, t.WithFront = acfRewrite(v, name)
	if t.HasArchive = boolOr(v, "has_archive", false); t.HasArchive && t.Rewrite {
		t.ArchiveSlug = textOr(v.Get("has_archive_slug"), t.Slug)
	}
	return t
}

// acfRewrite reads the settings under rewrite. A slug counts only with custom_permalink; it
// may still be stored with the other choices.
func acfRewrite(v php.Value, name string) (rewrite bool, slug string, withFront bool) {
	r := v.Get("rewrite")
	mode := r.Get("permalink_rewrite").Str()
	if mode == "no_permalink" {
		return false, "", false
	}
	slug = name
	if mode == "custom_permalink" {
		slug = textOr(r.Get("slug"), name)
	}
	return true, slug, boolOr(r, "with_front", true)
}

func acfQueryVar(v php.Value, name string) string {
	switch v.Get("query_var").Str() {
	case "none":
		return ""
	case "custom_query_var":
		if own := textOr(v.Get("query_var_name"), ""); own != "" {
			return dashed(own)
		}
	}
	return name
}

// boolOr is the truth of an element, or the default where it is missing or null.
func boolOr(v php.Value, key string, otherwise bool) bool {
	e, ok := v.Lookup(key)
	if !ok || e.IsNull() {
		return otherwise
	}
	return e.Truthy()
}
