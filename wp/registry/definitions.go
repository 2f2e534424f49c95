package registry

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
)

// Plugins that store definitions of types.
const (
	PluginCPTUI     = "custom-post-type-ui/custom-post-type-ui.php"
	PluginACF       = "advanced-custom-fields/acf.php" // stands for all of PluginsACF
	PluginPods      = "pods/init.php"
	PluginMetaBox   = "mb-custom-post-type/mb-custom-post-type.php"
	PluginJetEngine = "jet-engine/jet-engine.php"
	PluginToolset   = "types/wpcf.php"
	pluginGeo       = "geodirectory/geodirectory.php"

	optionToolsetTypes      = "wpcf-custom-types"
	optionToolsetTaxonomies = "wpcf-custom-taxonomies"
	optionGeo               = "geodir_settings"
)

// PluginsACF are the plugins that contain ACF: the free version, PRO, and the fork Secure Custom Fields.
var PluginsACF = []string{PluginACF, "advanced-custom-fields-pro/acf.php", "secure-custom-fields/secure-custom-fields.php"}

// definedBy maps each plugin to the sources of its post types and of its taxonomies.
var definedBy = map[string][2]FactSource{
	PluginCPTUI: {"option cptui_post_types", "option cptui_taxonomies"}, PluginACF: {"ACF post type", "ACF taxonomy"},
	PluginPods: {"Pods", "Pods"}, PluginMetaBox: {"MB Custom Post Types", "MB Custom Post Types"}, PluginJetEngine: {"JetEngine", "JetEngine"},
	PluginToolset: {"Toolset Types", "Toolset Types"}, pluginGeo: {"option " + optionGeo, "option " + optionGeo},
}

// Definition is what a plugin such as ACF has stored about a type that it registers.
type Definition struct {
	Taxonomy bool
	Name     string // the stored key; ACF stores the name in the settings
	Plugin   string
	Settings php.Value // in the plugin's own words, or arguments of the register functions
}

// optionDefinitions returns the definitions that Toolset and GeoDirectory store in options.
func (d *decider) optionDefinitions() (all []Definition) {
	for _, taxonomy := range []bool{false, true} {
		for _, p := range d.e.Plugins.Options[either(taxonomy, optionToolsetTaxonomies, optionToolsetTypes)].Pairs() {
			if !p.Value.Get("disabled").Truthy() {
				all = append(all, Definition{taxonomy, p.Key.String(), PluginToolset, toolsetArguments(p.Value, taxonomy)})
			}
		}
	}
	geo := d.e.Plugins.Options[optionGeo]
	// with any other structure, only PHP knows the addresses
	if !strings.Contains(geo.Get("permalink_structure").Str(), "%postname%") {
		for _, p := range geo.Get("post_types").Pairs() {
			all = append(all, Definition{false, p.Key.String(), pluginGeo, p.Value})
		}
	}
	for _, p := range geo.Get("taxonomies").Pairs() {
		all = append(all, Definition{true, p.Key.String(), pluginGeo, geoTaxonomy(geo, p)})
	}
	return all
}

// toolsetArguments returns the arguments of the register functions that Toolset Types makes of its settings.
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
	names := func(key string) php.Value { // Toolset stores names as keys
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

// geoTaxonomy returns the arguments of a taxonomy of GeoDirectory. The slug of the taxonomy begins with the slug of
// its post type. Addresses of its terms contain no ancestors, because the plugin removes them.
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

// definitions registers the types that active plugins define. Plugins skip a name that is registered already. Custom
// Post Type UI is an exception, because it runs late on init: its arguments replace the arguments of the registered
// type. The type keeps its place in the order.
func (d *decider) definitions() {
	active := func(plugin string) bool { return d.e.Plugins.Active[plugin] }
	for _, def := range append(d.optionDefinitions(), d.e.Plugins.Definitions...) {
		k := either(def.Taxonomy, taxonomies, postTypes)
		def.Name = def.name(k)
		switch {
		case !active(def.Plugin) && (def.Plugin != PluginACF || !slices.ContainsFunc(PluginsACF, active)),
			def.Settings.Kind != php.Array, !k.valid(def.Name),
			def.Plugin != PluginCPTUI && d.registered(k, def.Name):
			continue
		}
		t, attached := def.read(k)
		d.add(k, t)
		for _, taxonomy := range attached {
			d.attached[taxonomy] = append(d.attached[taxonomy], t.Name)
		}
	}
}

// name returns the name by which the plugin registers the type.
func (def *Definition) name(k kind) string {
	name := def.Name
	switch def.Plugin {
	case PluginCPTUI:
		name = textOr(def.Settings.Get("name"), name)
	case PluginACF:
		name = textOr(def.Settings.Get(pick(k, "post_type", "taxonomy")), "")
	}
	return either(k == postTypes, sanitizeKey(name), name)
}

// read returns the type and, for a post type, the taxonomies that the definition names.
func (def *Definition) read(k kind) (t *Type, attached []string) {
	read := def.arguments
	switch def.Plugin {
	case PluginCPTUI:
		read = def.cptui
	case PluginACF:
		read = def.acf
	case PluginPods:
		read = def.pods
	}
	t = &Type{Name: def.Name, Sources: k.allFrom(pick(k, definedBy[def.Plugin][0], definedBy[def.Plugin][1]))}
	queryable, attached := read(k, t)
	if k == taxonomies {
		t.queryable(queryable)
		t.HasArchive, t.ArchiveSlug, t.ObjectTypes = false, "", attached
		return t, nil
	}
	t.Viewable, t.RewriteHierarchical = queryable, false
	t.ArchiveSlug = either(t.HasArchive && t.Rewrite, cmp.Or(t.ArchiveSlug, t.Slug), "")
	return t, attached
}

// queryable sets the argument publicly_queryable of a taxonomy. If it is false, WordPress removes the query variable.
func (t *Taxonomy) queryable(yes bool) {
	t.Unqueryable = t.Public && !yes
	if !yes {
		t.QueryVar = ""
	}
}

// Each of the following functions reads the settings of a plugin. It returns whether visitors can see the type, and
// the names it is attached to. It also sets fields that only one kind of types has.

// cptui reads a definition of Custom Post Type UI.
func (def *Definition) cptui(k kind, t *Type) (queryable bool, attached []string) {
	v := def.Settings
	public := v.Get("public")
	t.Public = wordBool(public) || k == taxonomies && !public.Truthy()
	t.Hierarchical = wordBool(v.Get("hierarchical"))
	t.QueryVar = cptuiQueryVar(v, def.Name, k == postTypes)
	if t.Rewrite = wordBool(v.Get("rewrite")); t.Rewrite {
		t.Slug = textOr(v.Get("rewrite_slug"), def.Name)
		front, stored := v.Lookup("rewrite_withfront")
		t.WithFront = !stored || wordBool(front)
		t.RewriteHierarchical = wordBool(v.Get("rewrite_hierarchical"))
	}
	t.ArchiveSlug = textOr(v.Get("has_archive_string"), "") // has_archive_string alone also switches the archive on
	t.HasArchive = t.ArchiveSlug != "" || wordBool(v.Get("has_archive"))
	queryable = t.Public
	if q := v.Get("publicly_queryable"); q.Truthy() {
		queryable = wordBool(q)
	}
	return queryable, v.Get(pick(k, "taxonomies", "object_types")).Strings()
}

// acf reads a definition of Advanced Custom Fields. The stored slug counts only if the definition chooses
// custom_permalink. ACF may keep a slug in the database after people have made another choice.
func (def *Definition) acf(k kind, t *Type) (queryable bool, attached []string) {
	v := def.Settings
	t.Public, t.Hierarchical = boolOr(v, "public", true), boolOr(v, "hierarchical", false)
	switch v.Get("query_var").Str() {
	case "none":
	case "custom_query_var":
		t.QueryVar = cmp.Or(dashed(textOr(v.Get("query_var_name"), "")), def.Name)
	default:
		t.QueryVar = def.Name
	}
	r := v.Get("rewrite")
	if mode := r.Get("permalink_rewrite").Str(); mode != "no_permalink" {
		t.Rewrite, t.Slug, t.WithFront = true, pick(k, def.Name, dashed(def.Name)), boolOr(r, "with_front", true)
		if mode == "custom_permalink" {
			t.Slug = textOr(r.Get("slug"), t.Slug)
		}
		t.RewriteHierarchical = boolOr(r, "rewrite_hierarchical", false)
	}
	t.HasArchive, t.ArchiveSlug = boolOr(v, "has_archive", false), textOr(v.Get("has_archive_slug"), "")
	return boolOr(v, "publicly_queryable", true), pick(k, v.Get("taxonomies").Strings(), textOrList(v.Get("object_type")))
}

// podsSlug matches the characters that Pods replaces in slugs.
var podsSlug = regexp.MustCompile(`[^a-zA-Z0-9%\-_/]`)

// pods reads a definition of Pods. The type is attached to each name whose switch is on.
func (def *Definition) pods(k kind, t *Type) (queryable bool, attached []string) {
	v := def.Settings
	queryable = def.shared(k, t, true)
	if boolOr(v, "query_var", true) {
		t.QueryVar = dashed(textOr(v.Get("query_var_string"), def.Name))
	}
	if t.Rewrite = boolOr(v, "rewrite", true); t.Rewrite {
		t.Slug = podsSlug.ReplaceAllString(textOr(v.Get("rewrite_custom_slug"), strings.ReplaceAll(def.Name, "_", "-")), "-")
		t.WithFront = boolOr(v, "rewrite_with_front", true)
		t.RewriteHierarchical = boolOr(v, "rewrite_hierarchical", t.Hierarchical)
		t.ArchiveSlug = podsSlug.ReplaceAllString(textOr(v.Get("has_archive_slug"), ""), "-")
	}
	for _, p := range v.Pairs() {
		if name, ok := strings.CutPrefix(p.Key.String(), pick(k, "built_in_taxonomies_", "built_in_post_types_")); ok && p.Value.Truthy() {
			attached = append(attached, name)
		}
	}
	return queryable, attached
}

// shared sets the arguments that Pods stores under the same names as the register functions: public, hierarchical and has_archive.
// The parameter public is the value of the argument public if that is not stored. queryable is the argument publicly_queryable, by
// default as public. For a taxonomy that is not public, it is always true.
func (def *Definition) shared(k kind, t *Type, public bool) (queryable bool) {
	v := def.Settings
	t.Public = boolOr(v, "public", public)
	t.Hierarchical, t.HasArchive = boolOr(v, "hierarchical", false), boolOr(v, "has_archive", false)
	return boolOr(v, "publicly_queryable", t.Public) || k == taxonomies && !t.Public
}

// arguments reads the definition of a plugin whose settings have the names of the arguments of the register
// functions.
func (def *Definition) arguments(k kind, t *Type) (queryable bool, attached []string) {
	v := def.Settings
	queryable = def.shared(k, t, k == taxonomies)
	t.QueryVar = argQueryVar(v, def.Name)
	t.Rewrite, t.Slug, t.WithFront = argRewrite(v, pick(k, def.Name, dashed(def.Name)))
	if k == taxonomies {
		t.RewriteHierarchical = t.Rewrite && boolOr(v.Get("rewrite"), "hierarchical", boolOr(v, "rewrite_hierarchical", false))
		return queryable, append(v.Get("types").Strings(), textOrList(v.Get("object_type"))...)
	}
	t.ArchiveSlug = textOr(v.Get("archive_slug"), "")
	if archive := v.Get("has_archive"); archive.Kind == php.String && archive.Str() != "1" {
		t.ArchiveSlug = archive.Str()
	}
	return queryable, v.Get("taxonomies").Strings()
}

// argRewrite reads the argument rewrite of the register functions: true, false, or an array with slug and with_front.
// JetEngine stores slug and with_front beside the argument rewrite.
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

// cptuiQueryVar reads query_var and query_var_slug. A query_var_slug always counts for a post type. For a taxonomy, it
// counts only if query_var is true.
func cptuiQueryVar(v php.Value, name string, slugAlwaysWins bool) string {
	q := v.Get("query_var")
	on := q.IsTrue() || q.Str() == "true" || q.Str() == "1"
	if own := textOr(v.Get("query_var_slug"), ""); own != "" && (on || slugAlwaysWins) {
		return dashed(own)
	}
	switch {
	case on:
		return name
	case !wordBool(q), q.Kind == php.Array:
		return ""
	}
	return dashed(q.Str())
}

// wordBool reads a boolean of Custom Post Type UI, stored as the words true and false or as 1 and 0.
func wordBool(v php.Value) bool {
	return v.Truthy() && v.Str() != "false"
}

// textOr returns v as text. If PHP calls v empty, or v is an array or an object, it returns the default.
func textOr(v php.Value, otherwise string) string {
	switch v.Kind {
	case php.String, php.Int, php.Float:
		if v.Truthy() {
			return v.Str()
		}
	}
	return otherwise
}

// sanitizeKey returns a name as register_post_type() changes it.
func sanitizeKey(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return -1
	}, s)
}

// dashed returns a query variable as the register functions change it: in lower case, with dashes instead of spaces,
// and only letters, digits, dashes and underscores.
func dashed(s string) string {
	s = sanitizeKey(strings.ReplaceAll(strings.TrimSpace(s), " ", "-"))
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return strings.Trim(s, "-")
}

// textOrList returns the texts of a list. A single text counts as a list of one.
func textOrList(v php.Value) []string {
	if s := textOr(v, ""); s != "" {
		return []string{s}
	}
	return v.Strings()
}

// boolOr reports whether an element of an array is true. If the element is missing or null, it returns the default.
func boolOr(v php.Value, key string, otherwise bool) bool {
	e, ok := v.Lookup(key)
	if !ok || e.IsNull() {
		return otherwise
	}
	return e.Truthy()
}
