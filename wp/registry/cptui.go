package registry

import (
	"cmp"
	"strings"

	"wpsitemapd/wp/php"
)

const (
	pluginCPTUI           = "custom-post-type-ui/custom-post-type-ui.php"
	sourceCPTUIPostTypes  = FactSource("option cptui_post_types")
	sourceCPTUITaxonomies = FactSource("option cptui_taxonomies")
)

// cptui registers the definitions of Custom Post Type UI (yoast-discovery 7). It runs late
// on init: a key that was registered before takes its arguments, but keeps its place.
func (d *decider) cptui() {
	if !d.e.ActivePlugins[pluginCPTUI] {
		return
	}
	for _, p := range d.e.CPTUITaxonomies.Pairs() {
		if p.Value.Kind == php.Array {
			d.define(taxonomies, cptuiType(taxonomies, definedName(p), p.Value), nil)
		}
	}
	for _, p := range d.e.CPTUIPostTypes.Pairs() {
		if p.Value.Kind == php.Array {
			d.define(postTypes, cptuiType(postTypes, sanitizeKey(definedName(p)), p.Value), p.Value.Get("taxonomies").Strings())
		}
	}
}

func cptuiType(k kind, name string, v php.Value) *Type {
	public := v.Get("public")
	t := &Type{
		Name:         name,
		Public:       wordBool(public) || k == taxonomies && !public.Truthy(),
		Hierarchical: wordBool(v.Get("hierarchical")),
		Rewrite:      wordBool(v.Get("rewrite")),
		QueryVar:     cptuiQueryVar(v, name, k == postTypes),
		Sources:      k.allFrom(pick(k, sourceCPTUIPostTypes, sourceCPTUITaxonomies)),
	}
	queryable := t.Public
	if q := v.Get("publicly_queryable"); q.Truthy() {
		queryable = wordBool(q)
	}
	if t.Rewrite {
		t.Slug = textOr(v.Get("rewrite_slug"), name)
		front, stored := v.Lookup("rewrite_withfront")
		t.WithFront = !stored || wordBool(front)
	}
	if k == taxonomies {
		t.queryable(queryable)
		t.RewriteHierarchical = t.Rewrite && wordBool(v.Get("rewrite_hierarchical"))
		t.ObjectTypes = v.Get("object_types").Strings()
		return t
	}
	t.Viewable = queryable
	archive := textOr(v.Get("has_archive_string"), "") // alone it switches the archive on
	if t.HasArchive = archive != "" || wordBool(v.Get("has_archive")); t.HasArchive && t.Rewrite {
		t.ArchiveSlug = cmp.Or(archive, t.Slug)
	}
	return t
}

// queryable sets the argument publicly_queryable of a taxonomy. Core takes the query variable of others away.
func (t *Taxonomy) queryable(yes bool) {
	t.Unqueryable = t.Public && !yes
	if !yes {
		t.QueryVar = ""
	}
}

// cptuiQueryVar reads query_var and query_var_slug. For a post type the slug wins in any
// case, for a taxonomy only over "true".
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

// definedName is the name of a definition: its own field, else the key it is stored under.
func definedName(p php.Pair) string { return textOr(p.Value.Get("name"), p.Key.Str) }

// wordBool reads the plugin's booleans, stored as the words true and false or as 1 and 0.
func wordBool(v php.Value) bool {
	return v.Truthy() && v.Str() != "false"
}

// textOr is v as text, or the default where PHP calls it empty; arrays and objects are no text.
func textOr(v php.Value, otherwise string) string {
	switch v.Kind {
	case php.String, php.Int, php.Float:
		if v.Truthy() {
			return v.Str()
		}
	}
	return otherwise
}

// sanitizeKey is what register_post_type() does to a name.
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

// dashed is what the register functions do to a query variable: lower case, spaces as
// dashes, nothing but letters, digits, dashes and underscores.
func dashed(s string) string {
	s = sanitizeKey(strings.ReplaceAll(strings.TrimSpace(s), " ", "-"))
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return strings.Trim(s, "-")
}

// textOrList is a text as a list of it alone, or the texts of a list.
func textOrList(v php.Value) []string {
	if s := textOr(v, ""); s != "" {
		return []string{s}
	}
	return v.Strings()
}
