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
		v := def.Settings
		if def.Status != "publish" || v.Kind != php.Array {
			continue
		}
		if def.Taxonomy {
			name := textOr(v.Get("taxonomy"), "")
			if validTaxonomy(name) && d.reg.Taxonomy(name) == nil {
				d.addTaxonomy(acfTaxonomy(name, v))
			}
			continue
		}
		name := sanitizeKey(textOr(v.Get("post_type"), ""))
		if validPostType(name) && d.reg.PostType(name) == nil {
			d.addPostType(acfPostType(name, v))
			for _, tax := range v.Get("taxonomies").Strings() {
				d.attach(tax, name)
			}
		}
	}
}

func acfPostType(name string, v php.Value) *PostType {
	t := &PostType{
		Name:         name,
		Public:       boolOr(v, "public", true),
		Viewable:     boolOr(v, "publicly_queryable", true),
		Hierarchical: boolOr(v, "hierarchical", false),
		QueryVar:     acfQueryVar(v, name),
		HasArchive:   boolOr(v, "has_archive", false),
		Sources:      allPostTypeSources(sourceACFPostType),
	}
	t.Rewrite, t.Slug, t.WithFront = acfRewrite(v, name)
	if t.HasArchive && t.Rewrite {
		t.ArchiveSlug = textOr(v.Get("has_archive_slug"), t.Slug)
	}
	return t
}

func acfTaxonomy(name string, v php.Value) *Taxonomy {
	t := &Taxonomy{
		Name:         name,
		Public:       boolOr(v, "public", true),
		Hierarchical: boolOr(v, "hierarchical", false),
		ObjectTypes:  v.Get("object_type").Strings(),
		Sources:      allTaxonomySources(sourceACFTaxonomy),
	}
	if object := textOr(v.Get("object_type"), ""); object != "" {
		t.ObjectTypes = []string{object}
	}
	queryable := boolOr(v, "publicly_queryable", true)
	t.Unqueryable = t.Public && !queryable
	if queryable { // core takes the query variable of others away
		t.QueryVar = acfQueryVar(v, name)
	}
	t.Rewrite, t.Slug, t.WithFront = acfRewrite(v, dashed(name))
	t.RewriteHierarchical = t.Rewrite && boolOr(v.Get("rewrite"), "rewrite_hierarchical", false)
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
