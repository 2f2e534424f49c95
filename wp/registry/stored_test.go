package registry

import (
	"testing"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest"
)

// The rules are those of Pods 3.3, MB Custom Post Types 2.11 and JetEngine's data.php.
func TestStoredDefinitions(t *testing.T) {
	pods := func(taxonomy bool, name string, meta ...string) Definition {
		var pairs []php.Pair
		for i := 0; i < len(meta); i += 2 {
			pairs = append(pairs, php.Element(meta[i], php.NewString(meta[i+1])))
		}
		return Definition{taxonomy, name, PluginPods, php.NewArray(append(pairs, php.Element("type", php.NewString("x")))...)}
	}
	box := func(taxonomy bool, name, settings string) Definition {
		v, err := php.DecodeJSON(settings)
		wptest.Must(t, err)
		return Definition{taxonomy, name, PluginMetaBox, v}
	}
	jet := func(taxonomy bool, name, settings string) Definition {
		def := box(taxonomy, name, settings)
		def.Plugin = PluginJetEngine
		return def
	}
	for _, c := range []struct {
		name string
		def  Definition
		want Type
	}{
		{
			name: "Pods' defaults",
			def:  pods(false, "my_book"),
			want: Type{Public: true, Viewable: true, Rewrite: true, Slug: "my-book", WithFront: true, QueryVar: "my_book"},
		},
		{
			name: "Pods",
			def: pods(false, "book", "hierarchical", "1", "has_archive", "1", "has_archive_slug", "all books", "rewrite_custom_slug", "our/books",
				"rewrite_with_front", "0", "publicly_queryable", "0", "query_var", "0"),
			want: Type{Public: true, Rewrite: true, Slug: "our/books", Hierarchical: true, HasArchive: true, ArchiveSlug: "all-books"},
		},
		{name: "Pods without rewriting", def: pods(false, "book", "rewrite", "0", "public", "0"), want: Type{QueryVar: "book"}},
		{
			name: "a taxonomy of Pods",
			def:  pods(true, "era", "hierarchical", "1", "built_in_post_types_post", "1", "built_in_post_types_page", "0"),
			want: Type{Public: true, Hierarchical: true, RewriteHierarchical: true, Rewrite: true, Slug: "era", WithFront: true,
				QueryVar: "era", ObjectTypes: []string{"post"}},
		},
		{
			name: "Meta Box",
			def:  box(false, "book", `{"slug":"book","public":true,"has_archive":true,"archive_slug":"shelf","rewrite":{"slug":"","with_front":false}}`),
			want: Type{Public: true, Viewable: true, Rewrite: true, Slug: "book", QueryVar: "book", HasArchive: true, ArchiveSlug: "shelf"},
		},
		{name: "WordPress' defaults", def: box(false, "book", `{"slug":"book"}`), want: Type{Rewrite: true, Slug: "book", WithFront: true, QueryVar: "book"}},
		{
			name: "a taxonomy of Meta Box",
			def:  box(true, "era", `{"slug":"era","types":["book"],"rewrite":{"slug":"eras","hierarchical":true},"hierarchical":true,"publicly_queryable":false}`),
			want: Type{Public: true, Unqueryable: true, Hierarchical: true, RewriteHierarchical: true, Rewrite: true, Slug: "eras", WithFront: true, ObjectTypes: []string{"book"}},
		},
		{
			name: "JetEngine",
			def: jet(false, "book", `{"public":true,"publicly_queryable":false,"query_var":true,"rewrite":true,"rewrite_slug":"our/books","with_front":false,
"has_archive":true,"hierarchical":true}`),
			want: Type{Public: true, Hierarchical: true, Rewrite: true, Slug: "our/books", QueryVar: "book", HasArchive: true, ArchiveSlug: "our/books"},
		},
		{
			name: "a taxonomy of JetEngine",
			def: jet(true, "era", `{"public":true,"publicly_queryable":true,"query_var":"","rewrite":true,"rewrite_slug":"eras","with_front":true,
"rewrite_hierarchical":true,"hierarchical":true,"object_type":["book"]}`),
			want: Type{Public: true, Hierarchical: true, RewriteHierarchical: true, Rewrite: true, Slug: "eras", WithFront: true, ObjectTypes: []string{"book"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			decide := func(active bool) *Registry {
				return Decide(site(func(e *Evidence) {
					e.Plugins.Active = map[string]bool{c.def.Plugin: active}
					e.Plugins.Definitions = []Definition{c.def}
				}))
			}
			k := either(c.def.Taxonomy, taxonomies, postTypes)
			c.want.Name = c.def.Name
			compare(t, decide(true), k, c.want)
			if named(decide(false).of(k), c.def.Name) != nil {
				t.Error("a definition counts while its plugin is not active")
			}
		})
	}
}

// What is wanted is how Types 1.7.11 registered them with WordPress 7.0.4, and GeoDirectory 2.8.
func TestDefinitionsInOptions(t *testing.T) {
	text := func(s string) php.Value {
		v, err := php.DecodeJSON(s)
		wptest.Must(t, err)
		return v
	}
	types := `{"boat":{"slug":"boat","public":"public","publicly_queryable":"1","query_var_enabled":1,"query_var":"","has_archive":"1","has_archive_slug":"fleet",
"rewrite":{"enabled":"1","custom":"custom","slug":"our/boats"},"taxonomies":{"deck":"1"}},
"crew":{"slug":"crew","public":"public","publicly_queryable":"1","hierarchical":"1","rewrite":{"enabled":"1","custom":"normal","slug":"ignored","with_front":"1"}},
"cargo":{"slug":"cargo","public":"hidden","rewrite":{}},"old":{"slug":"old","public":"public","disabled":"1"},"post":{"slug":"post","_builtin":true}}`
	decks := `{"deck":{"slug":"deck","public":"public","hierarchical":"hierarchical","query_var_enabled":1,"supports":{"boat":1},
"rewrite":{"enabled":1,"slug":"decks","hierarchical":1}},"rope":{"slug":"rope","public":"public","hierarchical":"flat","rewrite":{"enabled":1,"with_front":1}}}`
	geo := `{"permalink_tag_base":"","post_types":{"gd_shop":{"public":true,"has_archive":"shops","query_var":true,"rewrite":{"slug":"shops","with_front":false}}},
"taxonomies":{"gd_shopcategory":{"object_type":"gd_shop","args":{"public":true,"hierarchical":true,"query_var":true,"rewrite":{"slug":"x","with_front":false,"hierarchical":true}}},
"gd_shop_tags":{"object_type":["gd_shop"],"args":{"public":true,"query_var":true,"rewrite":{"with_front":false}}}}}`
	decide := func(geo string) *Registry {
		return Decide(site(func(e *Evidence) {
			e.Plugins.Active = map[string]bool{PluginToolset: true, pluginGeo: true}
			e.Plugins.Options = map[string]php.Value{optionToolsetTypes: text(types), optionToolsetTaxonomies: text(decks), optionGeo: text(geo)}
		}))
	}
	r := decide(geo)
	for _, want := range []Type{
		{Name: "boat", Public: true, Viewable: true, Rewrite: true, Slug: "our/boats", QueryVar: "boat", HasArchive: true, ArchiveSlug: "fleet"},
		{Name: "crew", Public: true, Viewable: true, Hierarchical: true, Rewrite: true, Slug: "crew", WithFront: true},
		{Name: "cargo"},
		{Name: "gd_shop", Public: true, Viewable: true, Rewrite: true, Slug: "shops", QueryVar: "gd_shop", HasArchive: true, ArchiveSlug: "shops"},
	} {
		compare(t, r, postTypes, want)
	}
	if r.PostType("old") != nil || !r.PostType("post").BuiltIn {
		t.Error("a type that is switched off, or WordPress' own")
	}
	for _, want := range []Type{
		{Name: "deck", Public: true, Hierarchical: true, RewriteHierarchical: true, Rewrite: true, Slug: "decks", QueryVar: "deck", ObjectTypes: []string{"boat"}},
		{Name: "rope", Public: true, Rewrite: true, Slug: "rope", WithFront: true},
		{Name: "gd_shopcategory", Public: true, Hierarchical: true, Rewrite: true, Slug: "shops/category", QueryVar: "gd_shopcategory", ObjectTypes: []string{"gd_shop"}},
		{Name: "gd_shop_tags", Public: true, Rewrite: true, Slug: "shops", QueryVar: "gd_shop_tags", ObjectTypes: []string{"gd_shop"}},
	} {
		compare(t, r, taxonomies, want)
	}
	if r := decide(`{"permalink_structure":"/%city%/%postname%/",` + geo[1:]); r.PostType("gd_shop") != nil || r.Taxonomy("gd_shopcategory") == nil {
		t.Error("posts whose addresses have tokens of GeoDirectory are left to PHP, their terms are not")
	}
}
