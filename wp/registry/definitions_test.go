package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest/expect"
)

// fields is a PHP array of the given fields: strings, bools, lists of strings, nested fields.
type fields map[string]any

func (f fields) value() php.Value {
	text, _ := json.Marshal(f)
	v, _ := php.DecodeJSON(string(text))
	return v
}

// definition is a type as Custom Post Type UI stores it, with some fields changed; nil removes one.
func definition(taxonomy bool, name string, change fields) Definition {
	f := fields{
		"name": name, "public": "true", "publicly_queryable": "true", "hierarchical": "false", "has_archive": "false",
		"has_archive_string": "", "rewrite": "true", "rewrite_slug": "", "rewrite_withfront": "true", "query_var": "true",
		"query_var_slug": "",
	}
	for k, v := range change {
		if f[k] = v; v == nil {
			delete(f, k)
		}
	}
	return Definition{taxonomy, name, PluginCPTUI, f.value()}
}

// definitionCase is a definition with some fields, and what is then other than by default.
type definitionCase struct {
	name   string
	fields fields
	want   func(*Type)
}

// testDefinitions has store put each definition into the evidence.
func testDefinitions(t *testing.T, k kind, base Type, store func(*Evidence, fields), cases []definitionCase) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			r := Decide(site(func(e *Evidence) { store(e, tt.fields) }))
			want := base
			tt.want(&want)
			compare(t, r, k, want)
			if want.QueryVar == "from" && r.Taxonomy("from") != nil {
				t.Error("the query variable became a taxonomy of its own")
			}
		})
	}
}

func TestCPTUIPostType(t *testing.T) {
	base := Type{Name: "book", Public: true, Viewable: true, Rewrite: true, Slug: "book", WithFront: true, QueryVar: "book"}
	testDefinitions(t, postTypes, base, func(e *Evidence, f fields) {
		e.Plugins.Active[PluginCPTUI] = true
		e.Plugins.Definitions = []Definition{definition(false, "book", f)}
		// Definitions are always current: an older list and older rules do not matter.
		e.Yoast.PostTypes, e.RewriteRules = []string{"post"}, rules(list("old", "book"), flat("old", "book"))
	}, []definitionCase{
		{"defaults", nil, func(p *Type) {}},
		{"booleans may be 1 and 0", fields{"public": "1", "hierarchical": "1", "rewrite_withfront": "0"},
			func(p *Type) { p.Hierarchical, p.WithFront = true, false }},
		{"booleans may be real", fields{"public": true, "hierarchical": true, "rewrite_withfront": false, "query_var": true},
			func(p *Type) { p.Hierarchical, p.WithFront = true, false }},
		{"not public, yet queryable", fields{"public": "false"}, func(p *Type) { p.Public = false }},
		{"public, not queryable", fields{"publicly_queryable": "false"}, func(p *Type) { p.Viewable = false }},
		{"empty publicly_queryable follows public", fields{"public": "false", "publicly_queryable": ""},
			func(p *Type) { p.Public, p.Viewable = false, false }},
		{"missing publicly_queryable follows public", fields{"publicly_queryable": nil}, func(p *Type) {}},
		{"own slug", fields{"rewrite_slug": "lib/books"}, func(p *Type) { p.Slug = "lib/books" }},
		{"missing rewrite_withfront is true", fields{"rewrite_withfront": nil}, func(p *Type) {}},
		{"rewrite false", fields{"rewrite": "false", "rewrite_slug": "x", "has_archive": "true"},
			func(p *Type) { p.Rewrite, p.Slug, p.WithFront, p.HasArchive = false, "", false, true }},
		{"archive at the slug", fields{"has_archive": "true", "rewrite_slug": "books"},
			func(p *Type) { p.Slug, p.HasArchive, p.ArchiveSlug = "books", true, "books" }},
		{"archive with a slug of its own", fields{"has_archive": "true", "has_archive_string": "all"},
			func(p *Type) { p.HasArchive, p.ArchiveSlug = true, "all" }},
		{"the archive's slug alone switches it on", fields{"has_archive_string": "all"}, func(p *Type) { p.HasArchive, p.ArchiveSlug = true, "all" }},
		{"own query variable", fields{"query_var_slug": "My Book"}, func(p *Type) { p.QueryVar = "my-book" }},
		{"no query variable", fields{"query_var": "false"}, func(p *Type) { p.QueryVar = "" }},
	})
}

func TestCPTUITaxonomy(t *testing.T) {
	base := Type{Name: "genre", Public: true, Rewrite: true, Slug: "genre", WithFront: true, QueryVar: "genre", ObjectTypes: []string{"post", "book"}}
	testDefinitions(t, taxonomies, base, func(e *Evidence, f fields) {
		all := maps.Clone(f)
		if all == nil {
			all = fields{}
		}
		all["object_types"] = []string{"post", "book", "post"}
		e.Plugins.Active[PluginCPTUI] = true
		e.Plugins.Definitions = []Definition{definition(true, "genre", all)}
		e.Taxonomies = []Rows{{Name: "genre", Used: 1, ObjectTypes: []string{"other"}}}
	}, []definitionCase{
		{"defaults", nil, func(x *Type) {}},
		{"empty public is true", fields{"public": ""}, func(x *Type) {}},
		{"not public", fields{"public": "false"}, func(x *Type) { x.Public = false }},
		{"not queryable has no query variable", fields{"publicly_queryable": "false"}, func(x *Type) { x.QueryVar, x.Unqueryable = "", true }},
		{"a tree with flat links", fields{"hierarchical": "true"}, func(x *Type) { x.Hierarchical = true }},
		{"a tree with links of a tree", fields{"hierarchical": "true", "rewrite_hierarchical": "1"},
			func(x *Type) { x.Hierarchical, x.RewriteHierarchical = true, true }},
		{"own slug without front", fields{"rewrite_slug": "music", "rewrite_withfront": "0"}, func(x *Type) { x.Slug, x.WithFront = "music", false }},
		{"rewrite false", fields{"rewrite": "false"}, func(x *Type) { x.Rewrite, x.Slug, x.WithFront = false, "", false }},
		{"own query variable", fields{"query_var_slug": "g"}, func(x *Type) { x.QueryVar = "g" }},
		{"own query variable while switched off", fields{"query_var": "false", "query_var_slug": "g"}, func(x *Type) { x.QueryVar = "" }},
	})
}

// acf is a row of the definition of post type book or taxonomy genre.
func acf(taxonomy bool, change fields) Definition {
	f := fields{"public": true, "publicly_queryable": true, "hierarchical": false}
	if taxonomy {
		f["taxonomy"], f["object_type"] = "genre", []string{"book"}
	} else {
		f["post_type"] = "book"
	}
	for k, v := range change {
		f[k] = v
	}
	return Definition{Taxonomy: taxonomy, Plugin: PluginACF, Settings: f.value()}
}

func TestACFPostType(t *testing.T) {
	base := Type{Name: "book", Public: true, Viewable: true, Rewrite: true, Slug: "book", WithFront: true, QueryVar: "book"}
	testDefinitions(t, postTypes, base, func(e *Evidence, f fields) {
		e.Plugins.Active[PluginsACF[0]] = true
		e.Plugins.Definitions = []Definition{acf(false, f)}
	}, []definitionCase{
		{"defaults", nil, func(p *Type) {}},
		{"public, not queryable", fields{"publicly_queryable": false}, func(p *Type) { p.Viewable = false }},
		{"not public", fields{"public": false}, func(p *Type) { p.Public = false }},
		{"hierarchical", fields{"hierarchical": true}, func(p *Type) { p.Hierarchical = true }},
		{"own slug without front", fields{"rewrite": fields{
			"permalink_rewrite": "custom_permalink", "slug": "lib", "with_front": false,
		}}, func(p *Type) { p.Slug, p.WithFront = "lib", false }},
		{
			"a slug stored with another choice does not count",
			fields{"rewrite": fields{"permalink_rewrite": "post_type_key", "slug": "lib"}}, func(p *Type) {},
		},
		{"the front may be off with the default slug", fields{"rewrite": fields{
			"permalink_rewrite": "post_type_key", "with_front": false,
		}}, func(p *Type) { p.WithFront = false }},
		{"no permalink", fields{"rewrite": fields{"permalink_rewrite": "no_permalink"}, "has_archive": true},
			func(p *Type) { p.Rewrite, p.Slug, p.WithFront, p.HasArchive = false, "", false, true }},
		{"archive at the slug", fields{"has_archive": true}, func(p *Type) { p.HasArchive, p.ArchiveSlug = true, "book" }},
		{"archive with a slug of its own", fields{"has_archive": true, "has_archive_slug": "all"},
			func(p *Type) { p.HasArchive, p.ArchiveSlug = true, "all" }},
		{"the archive's slug alone does nothing", fields{"has_archive": false, "has_archive_slug": "all"}, func(p *Type) {}},
		{"own query variable", fields{"query_var": "custom_query_var", "query_var_name": "bk"}, func(p *Type) { p.QueryVar = "bk" }},
		{"no query variable", fields{"query_var": "none"}, func(p *Type) { p.QueryVar = "" }},
	})
}

func TestACFTaxonomy(t *testing.T) {
	base := Type{Name: "genre", Public: true, Rewrite: true, Slug: "genre", WithFront: true, QueryVar: "genre", ObjectTypes: []string{"book"}}
	testDefinitions(t, taxonomies, base, func(e *Evidence, f fields) {
		e.Plugins.Active[PluginsACF[0]] = true
		e.Plugins.Definitions = []Definition{acf(true, f)}
		e.RewriteRules = rules(terms("genre", "from")...)
	}, []definitionCase{
		{"defaults", nil, func(x *Type) {}},
		{"hierarchical links without front", fields{
			"hierarchical": true,
			"rewrite":      fields{"permalink_rewrite": "custom_permalink", "slug": "music", "with_front": false, "rewrite_hierarchical": true},
		},
			func(x *Type) {
				x.Hierarchical, x.RewriteHierarchical, x.Slug, x.WithFront = true, true, "music", false
			}},
		{"no permalink", fields{"rewrite": fields{
			"permalink_rewrite": "no_permalink", "rewrite_hierarchical": true,
		}}, func(x *Type) { x.Rewrite, x.Slug, x.WithFront = false, "", false }},
		{"own query variable", fields{"query_var": "custom_query_var", "query_var_name": "from"}, func(x *Type) { x.QueryVar = "from" }},
		{"not queryable has no query variable", fields{"publicly_queryable": false}, func(x *Type) { x.QueryVar, x.Unqueryable = "", true }},
	})
}

func TestWhichDefinitionCounts(t *testing.T) {
	cptui := []Definition{definition(false, "book", fields{"rewrite_slug": "cptui", "taxonomies": []string{"category"}})}
	for _, tt := range []struct {
		name   string
		change func(*Evidence)
		want   string // slug of book, and its place among the types
	}{
		{"a definition counts while its plugin is active", func(e *Evidence) { e.Plugins.Definitions, e.Plugins.Active[PluginCPTUI] = cptui, true }, "cptui 3"},
		{"a definition of an inactive plugin does not", func(e *Evidence) { e.Plugins.Definitions = cptui }, ""},
		{"ACF's of an inactive plugin does not", func(e *Evidence) { e.Plugins.Definitions = []Definition{acf(false, nil)} }, ""},
		{"ACF PRO's does", func(e *Evidence) {
			e.Plugins.Definitions, e.Plugins.Active[PluginsACF[1]] = []Definition{acf(false, nil)}, true
		}, "book 3"},
		{"its fork's does", func(e *Evidence) {
			e.Plugins.Definitions, e.Plugins.Active[PluginsACF[2]] = []Definition{acf(false, nil)}, true
		}, "book 3"},
		{"of two definitions CPTUI's wins, at ACF's place", func(e *Evidence) {
			e.Plugins.Active[PluginCPTUI], e.Plugins.Active[PluginsACF[0]] = true, true
			e.Plugins.Definitions = []Definition{acf(false, nil), acf(false, fields{"post_type": "zzz"}), definition(false, "aaa", nil), cptui[0]}
		}, "cptui 3"},
		{"of two definitions of ACF the first wins", func(e *Evidence) {
			e.Plugins.Active[PluginsACF[0]] = true
			e.Plugins.Definitions = []Definition{acf(false, nil), acf(false, fields{"rewrite": fields{"permalink_rewrite": "custom_permalink", "slug": "second"}})}
		}, "book 3"},
		{"a name longer than core takes is not registered", func(e *Evidence) {
			e.Plugins.Active[PluginCPTUI] = true
			e.Plugins.Definitions = []Definition{definition(false, "book_with_a_name_over_20", nil)}
		}, ""},
		{"a definition without a name has that of its key", func(e *Evidence) {
			e.Plugins.Active[PluginCPTUI] = true
			e.Plugins.Definitions = []Definition{definition(false, "book", fields{"name": nil})}
		}, "book 3"},
		{"core's types cannot be redefined", func(e *Evidence) {
			e.Plugins.Active[PluginCPTUI] = true
			e.Plugins.Definitions = []Definition{definition(false, "page", fields{"public": "false"})}
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Decide(site(tt.change))
			got := ""
			for i, p := range r.PostTypes {
				if p.Name == "book" {
					got = fmt.Sprint(p.Slug, " ", i)
				}
			}
			expect.Equal(t, got, tt.want)
			if !r.PostType("page").Public {
				t.Error("page was redefined")
			}
		})
	}
	t.Run("a post type's definition attaches taxonomies", func(t *testing.T) {
		r := Decide(site(func(e *Evidence) { e.Plugins.Definitions, e.Plugins.Active[PluginCPTUI] = cptui, true }))
		expect.Equal(t, fmt.Sprint(r.Taxonomy("category").ObjectTypes), "[post book]", "category is for")
	})
}

// shop is evidence of a site with WooCommerce under a front.
func shop(change func(*Evidence)) Evidence {
	return site(func(e *Evidence) {
		e.PermalinkStructure = "/journal/%postname%/"
		e.Plugins.Active[pluginWooCommerce] = true
		e.Plugins.Woo = &WooCommerce{Version: "9.9.5", ThemeSupport: "yes", ShopPageID: 24, ShopPagePath: "trading/shop-floor",
			Permalinks: fields{"product_base": "/store/%product_cat%", "category_base": "aisle", "tag_base": "label/", "attribute_base": "spec/"}.value()}
		e.RewriteRules = rules(rule(`store/(.+?)/([^/]+)(?:/([0-9]+))?/?$`, `index.php?product_cat=$matches[1]&product=$matches[2]&page=$matches[3]`),
			rule(`house/(.+?)/?$`, `index.php?product_brand=$matches[1]`))
		change(e)
	})
}

func TestWooCommerce(t *testing.T) {
	product := []string{"product"}
	r := Decide(shop(func(e *Evidence) {
		e.Plugins.Woo.BrandPermalink = "house"
		e.Plugins.Woo.Attributes = []WooAttribute{{"colour", true}, {"size", false}, {"", true}, {"цвет", true}}
	}))
	compare(t, r, postTypes, Type{Name: "product", Public: true, Viewable: true, Rewrite: true, Slug: "/store/%product_cat%", QueryVar: "product",
		HasArchive: true, ArchiveSlug: "trading/shop-floor", ArchivePage: 24})
	for name, want := range map[string]Type{
		"product_cat":   {Hierarchical: true, RewriteHierarchical: true, Slug: "aisle"},
		"product_tag":   {Slug: "label"},
		"product_brand": {Hierarchical: true, RewriteHierarchical: true, Slug: "house"},
		"pa_colour":     {RewriteHierarchical: true, Slug: "spec/colour"},
		"pa_цвет":       {RewriteHierarchical: true, Slug: "spec/цвет"},
	} {
		want.Name, want.Public, want.Rewrite, want.QueryVar, want.ObjectTypes = name, true, true, name, product
		compare(t, r, taxonomies, want)
	}
	compare(t, r, taxonomies, Type{Name: "product_shipping_class", Public: true, ObjectTypes: []string{"product", "product_variation"}})
	compare(t, r, taxonomies, Type{Name: "pa_size", ObjectTypes: product})
	for _, name := range []string{"product_variation", "shop_order", "shop_coupon"} {
		if p := r.PostType(name); p == nil || p.Public || p.Viewable {
			t.Errorf("%s = %+v, want private", name, p)
		}
	}
	for _, name := range []string{"product_type", "product_visibility"} {
		if x := r.Taxonomy(name); x == nil || x.Public {
			t.Errorf("%s = %+v, want private", name, x)
		}
	}
	if len(r.Unknown) > 0 {
		t.Error(r.Unknown)
	}
}

func TestWooCommerceSettings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Evidence)
		get    func(*Registry) any
		want   any
	}{
		{
			"not active, nothing is registered", func(e *Evidence) { e.Plugins.Active = nil },
			func(r *Registry) any { return r.Taxonomy("product_shipping_class") == nil }, true,
		},
		{"default bases", func(e *Evidence) { e.Plugins.Woo.Permalinks, e.RewriteRules = php.Value{}, nil }, bases, "product product-category product-tag"},
		{"bases not stored are translated: the rules show them", func(e *Evidence) {
			e.Plugins.Woo.Permalinks = php.Value{}
			e.RewriteRules = rules(flat("produkt", "product"), rule(`produkt-kategorie/(.+?)/?$`, `index.php?product_cat=$matches[1]`))
		}, bases, "produkt produkt-kategorie product-tag"},
		{"empty attribute base", func(e *Evidence) {
			e.Plugins.Woo.Permalinks, e.Plugins.Woo.Attributes = php.Value{}, []WooAttribute{{"colour", true}}
		}, func(r *Registry) any { return r.Taxonomy("pa_colour").Slug }, "/colour"},
		{"theme without support: no archive", func(e *Evidence) { e.Plugins.Woo.ThemeSupport = "no" }, shopArchive, "false  0"},
		{"no shop page: archive at shop", func(e *Evidence) { e.Plugins.Woo.ShopPageID, e.Plugins.Woo.ShopPagePath = -1, "" }, shopArchive, "true shop 0"},
		{"the shop page's path is decoded", func(e *Evidence) { e.Plugins.Woo.ShopPagePath = "%d0%bc" }, shopArchive, "true м 24"},
		{"support never noted: by the rules", func(e *Evidence) {
			e.Plugins.Woo.ThemeSupport, e.RewriteRules = "", append(e.RewriteRules, list("trading/shop-floor", "product"))
		}, shopArchive, "true trading/shop-floor 24"},
		{"support never noted, no archive routed", func(e *Evidence) { e.Plugins.Woo.ThemeSupport = "" }, shopArchive, "false  0"},
		{
			"support never noted, no rules: by the shop page", func(e *Evidence) { e.Plugins.Woo.ThemeSupport, e.RewriteRules = "", nil },
			shopArchive, "true trading/shop-floor 24",
		},
		{"a shop page without a path: no archive", func(e *Evidence) { e.Plugins.Woo.ShopPagePath, e.Plugins.Woo.ShopPathEmpty = "", true }, shopArchive, "false  0"},
		{"brands below a shop page without a path", func(e *Evidence) {
			e.Plugins.Woo.PrependShop, e.Plugins.Woo.ShopPagePath, e.Plugins.Woo.ShopPathEmpty, e.RewriteRules = true, "", true, nil
		}, brandBase, "/brand"},
		{"an attribute that the table does not hold", func(e *Evidence) {
			e.Plugins.Woo.AttributesRead, e.Yoast.Taxonomies = true, []string{"pa_gone", "genre"}
		}, func(r *Registry) any { return r.Taxonomy("pa_gone") == nil && r.Taxonomy("genre") != nil }, true},
		{"a table that could not be read tells of no attribute", func(e *Evidence) {
			e.Yoast.Taxonomies = []string{"pa_gone"}
		}, func(r *Registry) any { return r.Taxonomy("pa_gone") != nil }, true},
		{"brands: the option", func(e *Evidence) { e.Plugins.Woo.BrandPermalink, e.RewriteRules = "maker", nil }, brandBase, "maker"},
		{"brands: the word", func(e *Evidence) { e.RewriteRules = nil }, brandBase, "brand"},
		{"brands: the word is translated", func(e *Evidence) {}, brandBase, "house"},
		{
			"brands: below the shop page", func(e *Evidence) { e.Plugins.Woo.PrependShop, e.Plugins.Woo.BrandPermalink = true, "maker" }, brandBase,
			"trading/shop-floor/brand",
		},
		{"brands: below the shop page, translated", func(e *Evidence) {
			e.Plugins.Woo.PrependShop = true
			e.RewriteRules = rules(rule(`trading/shop-floor/marke/(.+?)/?$`, `index.php?product_brand=$matches[1]`))
		}, brandBase, "trading/shop-floor/marke"},
		{"brands: since 9.6", func(e *Evidence) { e.Plugins.Woo.Version, e.RewriteRules = "9.6", nil }, brandBase, "brand"},
		{"brands: not before", func(e *Evidence) { e.Plugins.Woo.Version, e.RewriteRules = "9.5.2", nil }, brandBase, ""},
		{"brands: 10 is after 9.6", func(e *Evidence) { e.Plugins.Woo.Version, e.RewriteRules = "10.1.0", nil }, brandBase, "brand"},
		{"brands: the plugin of its own", func(e *Evidence) {
			e.Plugins.Woo.Version, e.RewriteRules, e.Plugins.Active[pluginWooBrands] = "8.0.0", nil, true
		}, brandBase, "brand"},
		{"brands: switched off where products are routed and brands are not", func(e *Evidence) {
			e.RewriteRules = rules(flat("product",
				"product"))
		}, brandBase, ""},
	} {
		expect.Equal(t, tt.get(Decide(shop(tt.change))), tt.want, tt.name)
	}
}

// What names WooCommerce's types in the database once it is switched off is of the time before.
func TestWooCommerceGone(t *testing.T) {
	yes := true
	types := []string{"product", "product_cat", "product_tag", "product_brand", "product_shipping_class", "pa_colour"}
	left := func(change func(*Evidence)) Evidence {
		return site(func(e *Evidence) {
			e.Plugins.WooGone = true
			e.Yoast.PostTypes, e.Yoast.Taxonomies = []string{"post", "page", "product", "book"}, append([]string{"category"}, types[1:]...)
			e.Yoast.HasIndexables, e.Yoast.Indexables = true, []Indexable{{ObjectType: "post", SubType: "product", Rows: 3}}
			e.PostTypes, e.Taxonomies = []Rows{{Name: "product", Used: 3}}, []Rows{{Name: "pa_colour", Used: 2}}
			e.RewriteRules = rules(flat("product", "product"), flat("book", "book"), rule(`product-category/(.+?)/?$`, `index.php?product_cat=$matches[1]`))
			change(e)
		})
	}
	for _, tt := range []struct {
		name   string
		change func(*Evidence)
		want   []string // of the types above
	}{
		{"none is registered", func(*Evidence) {}, nil},
		{"by Yoast's index alone neither", func(e *Evidence) { e.Yoast.PostTypes, e.Yoast.Taxonomies = nil, nil }, nil},
		{"where it never was they are another plugin's", func(e *Evidence) { e.Plugins.WooGone = false }, types},
		{"the operator's word", func(e *Evidence) {
			e.Overrides.PostTypes = map[string]PostTypeOverride{"product": {Public: &yes}}
			e.Overrides.Taxonomies = map[string]TaxonomyOverride{"pa_colour": {}}
		}, []string{"product", "pa_colour"}},
		{"definitions of Custom Post Type UI", func(e *Evidence) {
			e.Plugins.Active[PluginCPTUI] = true
			e.Plugins.Definitions = []Definition{definition(true, "product_cat", nil)}
		}, []string{"product_cat"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Decide(left(tt.change))
			var got []string
			for _, name := range types {
				if r.PostType(name) != nil || r.Taxonomy(name) != nil {
					got = append(got, name)
				}
			}
			expect.List(t, got, tt.want, "registered")
			if r.PostType("book") == nil {
				t.Error("a type that is not WooCommerce's is gone, too")
			}
		})
	}
	var asked []string
	for _, u := range Decide(left(func(*Evidence) {})).Unknown {
		asked = append(asked, u.Why)
	}
	want := []string{
		"post type `product` has 3 published posts and belongs to WooCommerce, which is not active: if another plugin registers it, add " +
			"[site.post_type.product] to the configuration",
		"taxonomy `pa_colour` has 2 terms in use and belongs to WooCommerce, which is not active: if another plugin registers it, add " +
			"[site.taxonomy.pa_colour] to the configuration",
	}
	expect.List(t, asked, want, "the operator is told")
}

func bases(r *Registry) any {
	return strings.Join([]string{r.PostType("product").Slug, r.Taxonomy("product_cat").Slug, r.Taxonomy("product_tag").Slug}, " ")
}

func shopArchive(r *Registry) any {
	p := r.PostType("product")
	return fmt.Sprint(p.HasArchive, " ", p.ArchiveSlug, " ", p.ArchivePage)
}

func brandBase(r *Registry) any {
	if x := r.Taxonomy("product_brand"); x != nil {
		return x.Slug
	}
	return ""
}
