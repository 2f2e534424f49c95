package registry

import (
	"cmp"
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
)

// Plugins whose definitions are posts, beside ACF.
const (
	PluginPods    = "pods/init.php"
	PluginMetaBox = "mb-custom-post-type/mb-custom-post-type.php"

	sourcePods    = FactSource("Pods")
	sourceMetaBox = FactSource("MB Custom Post Types")
)

// Definition is a post in which one of these plugins stores what it registers.
type Definition struct {
	Taxonomy bool
	Name     string
	Plugin   string
	Settings php.Value // of Pods its meta, of Meta Box its content
}

// storedDefinitions registers what Pods and Meta Box define. They skip names that are registered already.
func (d *decider) storedDefinitions() {
	for _, def := range d.e.Definitions {
		switch {
		case !d.e.ActivePlugins[def.Plugin], def.Settings.Kind != php.Array:
		case def.Taxonomy && validTaxonomy(def.Name) && d.reg.Taxonomy(def.Name) == nil:
			t := def.taxonomy()
			t.Name, t.Sources = def.Name, allTaxonomySources(def.source())
			if t.Unqueryable { // core takes the query variable of others away
				t.QueryVar = ""
			}
			d.addTaxonomy(t)
		case !def.Taxonomy && validPostType(def.Name) && d.reg.PostType(def.Name) == nil:
			t, attached := def.postType()
			t.Name, t.Sources = def.Name, allPostTypeSources(def.source())
			if t.HasArchive && t.Rewrite {
				t.ArchiveSlug = cmp.Or(t.ArchiveSlug, t.Slug)
			}
			d.addPostType(t)
			for _, taxonomy := range attached {
				d.attach(taxonomy, def.Name)
			}
		}
	}
}

func (def *Definition) source() FactSource {
	if def.Plugin == PluginPods {
		return sourcePods
	}
	return sourceMetaBox
}

// podsSlug is what Pods replaces in slugs.
var podsSlug = regexp.MustCompile(`[^a-zA-Z0-9%\-_/]`)

func (def *Definition) postType() (t *PostType, taxonomies []string) {
	v := def.Settings
	if def.Plugin == PluginPods {
		t = &PostType{
			Public: boolOr(v, "public", true), Hierarchical: boolOr(v, "hierarchical", false), Rewrite: boolOr(v, "rewrite", true),
			HasArchive: boolOr(v, "has_archive", false), QueryVar: podsQueryVar(v, def.Name),
		}
		t.Viewable = boolOr(v, "publicly_queryable", t.Public)
		if t.Rewrite {
			t.Slug, t.WithFront = def.podsSlug(), boolOr(v, "rewrite_with_front", true)
			t.ArchiveSlug = podsSlug.ReplaceAllString(textOr(v.Get("has_archive_slug"), ""), "-")
		}
		return t, def.podsAttached("built_in_taxonomies_")
	}
	t = &PostType{Public: boolOr(v, "public", false), Hierarchical: boolOr(v, "hierarchical", false), HasArchive: boolOr(v, "has_archive", false)}
	t.Viewable = boolOr(v, "publicly_queryable", t.Public)
	t.QueryVar = argQueryVar(v, def.Name)
	t.Rewrite, t.Slug, t.WithFront = argRewrite(v, def.Name)
	if t.Rewrite && t.HasArchive {
		t.ArchiveSlug = textOr(v.Get("archive_slug"), "")
	}
	return t, v.Get("taxonomies").Strings()
}

func (def *Definition) taxonomy() *Taxonomy {
	v := def.Settings
	t := &Taxonomy{Public: boolOr(v, "public", true), Hierarchical: boolOr(v, "hierarchical", false)}
	t.Unqueryable = t.Public && !boolOr(v, "publicly_queryable", t.Public)
	if def.Plugin == PluginPods {
		t.ObjectTypes, t.QueryVar = def.podsAttached("built_in_post_types_"), podsQueryVar(v, def.Name)
		if t.Rewrite = boolOr(v, "rewrite", true); t.Rewrite {
			t.Slug, t.WithFront = def.podsSlug(), boolOr(v, "rewrite_with_front", true)
			t.RewriteHierarchical = boolOr(v, "rewrite_hierarchical", t.Hierarchical)
		}
		return t
	}
	t.ObjectTypes, t.QueryVar = v.Get("types").Strings(), argQueryVar(v, def.Name)
	t.Rewrite, t.Slug, t.WithFront = argRewrite(v, dashed(def.Name))
	t.RewriteHierarchical = t.Rewrite && boolOr(v.Get("rewrite"), "hierarchical", false)
	return t
}

func (def *Definition) podsSlug() string {
	return podsSlug.ReplaceAllString(textOr(def.Settings.Get("rewrite_custom_slug"), strings.ReplaceAll(def.Name, "_", "-")), "-")
}

func podsQueryVar(v php.Value, name string) string {
	if !boolOr(v, "query_var", true) {
		return ""
	}
	return dashed(textOr(v.Get("query_var_string"), name))
}

// podsAttached are the names for which a switch of that name is on.
func (def *Definition) podsAttached(prefix string) (names []string) {
	for _, p := range def.Settings.Pairs() {
		if name, ok := strings.CutPrefix(p.Key.String(), prefix); ok && p.Value.Truthy() {
			names = append(names, name)
		}
	}
	return names
}

// argRewrite reads the argument rewrite of the register functions: true, false, or an array with slug and with_front.
func argRewrite(v php.Value, name string) (rewrite bool, slug string, withFront bool) {
	r, stored := v.Lookup("rewrite")
	if stored && r.Kind != php.Array && !r.Truthy() {
		return false, "", false
	}
	return true, textOr(r.Get("slug"), name), boolOr(r, "with_front", true)
}

// argQueryVar reads the argument query_var of the register functions: true, false, or a name.
func argQueryVar(v php.Value, name string) string {
	q, stored := v.Lookup("query_var")
	switch {
	case !stored, q.IsTrue():
		return name
	case !q.Truthy():
		return ""
	}
	return dashed(q.Str())
}
