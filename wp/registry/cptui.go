package registry

import (
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
		if t, ok := d.cptuiTaxonomy(definedName(p, "name"), p.Value); ok {
			d.addTaxonomy(t)
		}
	}
	for _, p := range d.e.CPTUIPostTypes.Pairs() {
		if t, ok := d.cptuiPostType(sanitizeKey(definedName(p, "name")), p.Value); ok {
			d.addPostType(t)
			for _, tax := range p.Value.Get("taxonomies").Strings() {
				d.attach(tax, t.Name)
			}
		}
	}
}

func (d *decider) cptuiPostType(name string, v php.Value) (*PostType, bool) {
	if !validPostType(name) || v.Kind != php.Array {
		return nil, false
	}
	t := &PostType{
		Name:         name,
		Public:       wordBool(v.Get("public")),
		Hierarchical: wordBool(v.Get("hierarchical")),
		Rewrite:      wordBool(v.Get("rewrite")),
		QueryVar:     cptuiQueryVar(v, name, true),
		HasArchive:   wordBool(v.Get("has_archive")),
		Sources:      allPostTypeSources(sourceCPTUIPostTypes),
	}
	t.Viewable = t.Public
	if q := v.Get("publicly_queryable"); q.Truthy() {
		t.Viewable = wordBool(q)
	}
	if t.Rewrite {
		t.Slug = textOr(v.Get("rewrite_slug"), name)
		front, stored := v.Lookup("rewrite_withfront")
		t.WithFront = !stored || wordBool(front)
	}
	// A text alone switches the archive on.
	text := textOr(v.Get("has_archive_string"), "")
	t.HasArchive = t.HasArchive || text != ""
	if t.HasArchive && t.Rewrite {
		t.ArchiveSlug = t.Slug
		if text != "" {
			t.ArchiveSlug = text
		}
	}
	return t, true
}

func (d *decider) cptuiTaxonomy(name string, v php.Value) (*Taxonomy, bool) {
	if !validTaxonomy(name) || v.Kind != php.Array {
		return nil, false
	}
	public := v.Get("public")
	t := &Taxonomy{
		Name:         name,
		Public:       !public.Truthy() || wordBool(public),
		Hierarchical: wordBool(v.Get("hierarchical")),
		Rewrite:      wordBool(v.Get("rewrite")),
		ObjectTypes:  v.Get("object_types").Strings(),
		Sources:      allTaxonomySources(sourceCPTUITaxonomies),
	}
	queryable := t.Public
	if q := v.Get("publicly_queryable"); q.Truthy() {
		queryable = wordBool(q)
	}
	t.Unqueryable = t.Public && !queryable
	if queryable { // core takes the query variable of others away
		t.QueryVar = cptuiQueryVar(v, name, false)
	}
	if t.Rewrite {
		t.Slug = textOr(v.Get("rewrite_slug"), name)
		front, stored := v.Lookup("rewrite_withfront")
		t.WithFront = !stored || wordBool(front)
		t.RewriteHierarchical = wordBool(v.Get("rewrite_hierarchical"))
	}
	return t, true
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

// definedName is the key of a definition: its own field, else the key it is stored under.
func definedName(p php.Pair, field string) string {
	if name := textOr(p.Value.Get(field), ""); name != "" {
		return name
	}
	if p.Key.IsString {
		return p.Key.Str
	}
	return ""
}

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

// Core refuses to register longer names.
func validPostType(name string) bool { return name != "" && len(name) <= 20 }
func validTaxonomy(name string) bool { return name != "" && len(name) <= 32 }
