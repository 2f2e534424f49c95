package registry

import (
	"cmp"
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
)

// Plugins that store what they register, beside Custom Post Type UI and ACF.
const (
	PluginPods      = "pods/init.php"
	PluginMetaBox   = "mb-custom-post-type/mb-custom-post-type.php"
	PluginJetEngine = "jet-engine/jet-engine.php"
	PluginToolset   = "types/wpcf.php"
	pluginGeo       = "geodirectory/geodirectory.php"

	optionToolsetTypes      = "wpcf-custom-types"
	optionToolsetTaxonomies = "wpcf-custom-taxonomies"
	optionGeo               = "geodir_settings"
)

// definedBy are the sources of definitions.
var definedBy = map[string]FactSource{
	PluginPods: "Pods", PluginMetaBox: "MB Custom Post Types", PluginJetEngine: "JetEngine", PluginToolset: "Toolset Types",
	pluginGeo: "option " + optionGeo,
}

// Definition is what one of these plugins stores of a type.
type Definition struct {
	Taxonomy bool
	Name     string
	Plugin   string
	Settings php.Value // of Pods its meta; of the others arguments of the register functions, in Meta Box' or JetEngine's words
}

// optionDefinitions returns the definitions that Toolset and GeoDirectory store in options.
func (d *decider) optionDefinitions() (all []Definition) {
	for _, taxonomy := range []bool{false, true} {
		for _, p := range d.e.Options[either(taxonomy, optionToolsetTaxonomies, optionToolsetTypes)].Pairs() {
			if !p.Value.Get("disabled").Truthy() {
				all = append(all, Definition{taxonomy, p.Key.String(), PluginToolset, toolsetArguments(p.Value, taxonomy)})
			}
		}
	}
	geo := d.e.Options[optionGeo]
	if !strings.Contains(geo.Get("permalink_structure").Str(), "%postname%") { // others are known to PHP alone
		for _, p := range geo.Get("post_types").Pairs() {
			all = append(all, Definition{false, p.Key.String(), pluginGeo, p.Value})
		}
	}
	for _, p := range geo.Get("taxonomies").Pairs() {
		all = append(all, Definition{true, p.Key.String(), pluginGeo, geoTaxonomy(geo, p)})
	}
	return all
}

// toolsetArguments are the arguments that Toolset Types makes of what it stores.
func toolsetArguments(v php.Value, taxonomy bool) php.Value {
	on := func(v php.Value) php.Value {
		return php.NewBool(v.Truthy() && v.Str() != "hidden" && v.Str() != "flat")
	}
	orStored := func(on php.Value, key string) php.Value {
		if own := v.Get(key); on.Truthy() && own.Truthy() {
			return own
		}
		return on
	}
	r, rewrite := v.Get("rewrite"), php.NewBool(false)
	if r.Get("enabled").Truthy() {
		slug := r.Get("slug")
		if !slug.Truthy() || !taxonomy && textOr(r.Get("custom"), "custom") != "custom" {
			slug = v.Get("slug")
		}
		rewrite = php.NewArray(php.Element("slug", slug), php.Element("with_front", on(r.Get("with_front"))),
			php.Element("hierarchical", on(r.Get("hierarchical"))))
	}
	names := func(key string) php.Value { // they are keys there
		var list []php.Value
		for _, p := range v.Get(key).Pairs() {
			list = append(list, php.NewString(p.Key.String()))
		}
		return php.NewList(list...)
	}
	arguments := []php.Pair{
		php.Element("public", on(v.Get("public"))), php.Element("hierarchical", on(v.Get("hierarchical"))), php.Element("rewrite", rewrite),
		php.Element("query_var", orStored(on(v.Get("query_var_enabled")), "query_var")),
	}
	if taxonomy {
		return php.NewArray(append(arguments, php.Element("types", names("supports")))...)
	}
	return php.NewArray(append(arguments, php.Element("publicly_queryable", on(v.Get("publicly_queryable"))),
		php.Element("has_archive", orStored(on(v.Get("has_archive")), "has_archive_slug")), php.Element("taxonomies", names("taxonomies")))...)
}

// geoTaxonomy has the slug of a taxonomy of GeoDirectory below that of its post type. A filter takes ancestors out of addresses.
func geoTaxonomy(geo php.Value, p php.Pair) php.Value {
	of, args := p.Value.Get("object_type"), p.Value.Get("args")
	if names := of.Strings(); len(names) > 0 {
		of = php.NewString(names[0])
	}
	key, word := "permalink_category_base", "category"
	if strings.HasSuffix(p.Key.String(), "_tags") {
		key, word = "permalink_tag_base", "tags"
	}
	if base, stored := geo.Lookup(key); stored {
		word = base.Str()
	}
	slug := textOr(geo.Get("post_types").Get(of.Str()).Get("rewrite").Get("slug"), "places")
	rewrite := php.NewArray(php.Element("slug", php.NewString(strings.TrimSuffix(slug+"/"+word, "/"))),
		php.Element("with_front", args.Get("rewrite").Get("with_front")))
	return php.NewArray(append(args.Pairs(), php.Element("rewrite", rewrite), php.Element("object_type", of))...)
}

// storedDefinitions registers them. They skip names that are registered already.
func (d *decider) storedDefinitions() {
	for _, def := range append(d.optionDefinitions(), d.e.Definitions...) {
		k := either(def.Taxonomy, taxonomies, postTypes)
		if d.e.ActivePlugins[def.Plugin] && def.Settings.Kind == php.Array && !d.registered(k, def.Name) {
			t, attached := def.read(k)
			d.define(k, t, attached)
		}
	}
}

// read returns the type, with the taxonomies that a post type's definition names.
func (def *Definition) read(k kind) (t *Type, attached []string) {
	v := def.Settings
	t = &Type{
		Name: def.Name, Public: boolOr(v, "public", k == taxonomies || def.Plugin == PluginPods),
		Hierarchical: boolOr(v, "hierarchical", false), Sources: k.allFrom(definedBy[def.Plugin]),
	}
	if def.Plugin == PluginPods {
		attached = def.pods(k, t)
	} else {
		attached = def.arguments(k, t)
	}
	queryable := boolOr(v, "publicly_queryable", t.Public)
	if k == taxonomies {
		t.queryable(queryable || !t.Public)
		t.ObjectTypes = attached
		return t, nil
	}
	t.Viewable = queryable
	if t.HasArchive = boolOr(v, "has_archive", false); t.HasArchive && t.Rewrite {
		t.ArchiveSlug = cmp.Or(t.ArchiveSlug, t.Slug)
	} else {
		t.ArchiveSlug = ""
	}
	return t, attached
}

// podsSlug is what Pods replaces in slugs.
var podsSlug = regexp.MustCompile(`[^a-zA-Z0-9%\-_/]`)

// pods sets what Pods has in words of its own, and returns what the type is attached to: names for which a switch is on.
func (def *Definition) pods(k kind, t *Type) (attached []string) {
	v := def.Settings
	if boolOr(v, "query_var", true) {
		t.QueryVar = dashed(textOr(v.Get("query_var_string"), def.Name))
	}
	if t.Rewrite = boolOr(v, "rewrite", true); t.Rewrite {
		t.Slug = podsSlug.ReplaceAllString(textOr(v.Get("rewrite_custom_slug"), strings.ReplaceAll(def.Name, "_", "-")), "-")
		t.WithFront = boolOr(v, "rewrite_with_front", true)
		t.RewriteHierarchical = k == taxonomies && boolOr(v, "rewrite_hierarchical", t.Hierarchical)
		t.ArchiveSlug = podsSlug.ReplaceAllString(textOr(v.Get("has_archive_slug"), ""), "-")
	}
	for _, p := range v.Pairs() {
		if name, ok := strings.CutPrefix(p.Key.String(), pick(k, "built_in_taxonomies_", "built_in_post_types_")); ok && p.Value.Truthy() {
			attached = append(attached, name)
		}
	}
	return attached
}

// arguments sets what the other plugins have in the words of the register functions, and returns what the type is attached to.
func (def *Definition) arguments(k kind, t *Type) (attached []string) {
	v := def.Settings
	t.QueryVar = argQueryVar(v, def.Name)
	t.Rewrite, t.Slug, t.WithFront = argRewrite(v, pick(k, def.Name, dashed(def.Name)))
	if k == taxonomies {
		t.RewriteHierarchical = t.Rewrite && boolOr(v.Get("rewrite"), "hierarchical", boolOr(v, "rewrite_hierarchical", false))
		return append(v.Get("types").Strings(), textOrList(v.Get("object_type"))...)
	}
	t.ArchiveSlug = textOr(v.Get("archive_slug"), "")
	if archive := v.Get("has_archive"); archive.Kind == php.String && archive.Str() != "1" {
		t.ArchiveSlug = archive.Str()
	}
	return v.Get("taxonomies").Strings()
}

// argRewrite reads the argument rewrite of the register functions: true, false, or an array with slug and with_front, which JetEngine
// has beside it.
func argRewrite(v php.Value, name string) (rewrite bool, slug string, withFront bool) {
	r, stored := v.Lookup("rewrite")
	if stored && r.Kind != php.Array && !r.Truthy() {
		return false, "", false
	}
	return true, textOr(r.Get("slug"), textOr(v.Get("rewrite_slug"), name)), boolOr(r, "with_front", boolOr(v, "with_front", true))
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
