package registry

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest/expect"
)

// A status that the operator adds to a type counts as published. Letter case does not count.
func TestStatuses(t *testing.T) {
	o := &Overrides{PostTypes: map[string]PostTypeOverride{"Job": {Statuses: []string{"Open", "filled"}}}}
	for _, tt := range []struct{ postType, stored, want string }{
		{"job", "open", "publish"}, {"JOB", "FILLED", "publish"}, {"job", "draft", "draft"}, {"job", "publish", "publish"}, {"post", "open", "open"},
	} {
		expect.Equal(t, o.Status(tt.postType, tt.stored), tt.want, tt.postType, tt.stored)
	}
	expect.List(t, o.StoredAs("Job", "publish"), []string{"publish", "Open", "filled"})
	expect.List(t, o.StoredAs("Job", "draft"), []string{"draft"})
	expect.List(t, o.StoredAs("post", "publish"), []string{"publish"})
}

// The keys of the configuration change what follows from them, and nothing else.
func TestApplyToPostType(t *testing.T) {
	book := PostType{Name: "book", Public: true, Viewable: true, Rewrite: true, Slug: "book", WithFront: true, QueryVar: "book", HasArchive: true,
		ArchiveSlug: "book"}
	with := func(change func(*PostType)) PostType { p := book; change(&p); return p }
	fixed := func(p *PostType) { p.Sources = Sources{keyViewable: sourceRules} }
	for _, tt := range []struct {
		rule string
		from PostType
		o    PostTypeOverride
		want PostType
	}{
		{"an archive at the slug follows the slug", book, PostTypeOverride{Slug: ptr("b")}, with(func(p *PostType) { p.Slug, p.ArchiveSlug = "b", "b" })},
		{"an archive at a page does not", with(func(p *PostType) { p.ArchivePage = 7 }), PostTypeOverride{Slug: ptr("b")},
			with(func(p *PostType) { p.Slug, p.ArchivePage = "b", 7 })},
		{"an archive at another slug does not", with(func(p *PostType) { p.ArchiveSlug = "all" }), PostTypeOverride{Slug: ptr("b")},
			with(func(p *PostType) { p.Slug, p.ArchiveSlug = "b", "all" })},
		{"no archive follows", with(func(p *PostType) { p.HasArchive, p.ArchiveSlug = false, "" }), PostTypeOverride{Slug: ptr("b")},
			with(func(p *PostType) { p.Slug, p.HasArchive, p.ArchiveSlug = "b", false, "" })},
		{"a slug switches rewriting on, with the front", with(func(p *PostType) { p.Rewrite, p.Slug, p.WithFront, p.ArchiveSlug = false, "", false, "" }),
			PostTypeOverride{Slug: ptr("b")}, with(func(p *PostType) { p.Slug, p.ArchiveSlug = "b", "b" })},
		{"a slug keeps a front that is off", with(func(p *PostType) { p.WithFront = false }), PostTypeOverride{Slug: ptr("b")},
			with(func(p *PostType) { p.Slug, p.WithFront, p.ArchiveSlug = "b", false, "b" })},
		{"the archive's slug is at no page", with(func(p *PostType) { p.ArchivePage = 7 }), PostTypeOverride{ArchiveSlug: ptr("all")},
			with(func(p *PostType) { p.ArchiveSlug = "all" })},
		{"the archive's slug switches the archive on", with(func(p *PostType) { p.HasArchive, p.ArchiveSlug = false, "" }),
			PostTypeOverride{ArchiveSlug: ptr("all")},
			with(func(p *PostType) { p.ArchiveSlug = "all" })},
		{"an archive begins at the slug", with(func(p *PostType) { p.HasArchive, p.ArchiveSlug = false, "" }), PostTypeOverride{Archive: ptr(true)}, book},
		{"no archive is at no page", with(func(p *PostType) { p.ArchivePage = 7 }), PostTypeOverride{Archive: ptr(false)},
			with(func(p *PostType) { p.HasArchive, p.ArchiveSlug = false, "" })},
		{"an archive without rewriting has no slug", with(func(p *PostType) { p.Rewrite, p.Slug = false, "" }), PostTypeOverride{ArchiveSlug: ptr("all")},
			with(func(p *PostType) { p.Rewrite, p.Slug, p.ArchiveSlug = false, "", "" })},
		{"who may see it follows from public", book, PostTypeOverride{Public: ptr(false)}, with(func(p *PostType) { p.Public, p.Viewable = false, false })},
		{"who may see it is said otherwise", with(func(p *PostType) { fixed(p); p.Public = false }), PostTypeOverride{Public: ptr(true)},
			with(func(*PostType) {})},
		{"it was viewable although not public", with(func(p *PostType) { fixed(p); p.Viewable = false }), PostTypeOverride{Public: ptr(false)},
			with(func(p *PostType) { p.Public, p.Viewable = false, false })},
		{"it stays invisible", with(func(p *PostType) { fixed(p); p.Viewable = false }), PostTypeOverride{Public: ptr(true)},
			with(func(p *PostType) { p.Viewable = false })},
		{"exclude = false", with(func(p *PostType) { p.LeftOutOf = []string{"core"} }), PostTypeOverride{Exclude: ptr(false)}, book},
		{"exclude = true", with(func(p *PostType) { p.LeftOutOf = []string{"core"} }), PostTypeOverride{Exclude: ptr(true)},
			with(func(p *PostType) { p.LeftOutOf = []string{"core"} })},
		{"the URL of a front end", book, PostTypeOverride{URL: ptr("x/{slug}")}, with(func(p *PostType) { p.URL = "x/{slug}" })},
	} {
		got := tt.from
		if got.Sources == nil {
			got.Sources = Sources{keyExclude: sourceDefault, keyViewable: sourceDefault}
		}
		tt.o.apply(&got)
		_, excluded := got.Sources[keyExclude]
		if tt.rule == "exclude = false" || tt.rule == "exclude = true" {
			expect.Equal(t, excluded, tt.rule == "exclude = true", tt.rule, "has a source")
		}
		got.Sources, tt.want.Sources = nil, nil
		expect.Same(t, tt.want, got, tt.rule)
	}
}

func TestApplyToTaxonomy(t *testing.T) {
	genre := Taxonomy{Name: "genre", Public: true, Hierarchical: true, Rewrite: true, RewriteHierarchical: true, Slug: "genre", WithFront: true,
		QueryVar: "genre"}
	with := func(change func(*Taxonomy)) Taxonomy { x := genre; change(&x); return x }
	for _, tt := range []struct {
		rule string
		from Taxonomy
		o    TaxonomyOverride
		want Taxonomy
	}{
		{"a flat taxonomy has flat addresses", genre, TaxonomyOverride{Hierarchical: ptr(false)},
			with(func(x *Taxonomy) { x.Hierarchical, x.RewriteHierarchical = false, false })},
		{"a tree keeps its addresses", genre, TaxonomyOverride{Hierarchical: ptr(true)}, genre},
		{"a tree may have flat addresses", with(func(x *Taxonomy) { x.RewriteHierarchical = false }), TaxonomyOverride{Hierarchical: ptr(true)},
			with(func(x *Taxonomy) { x.RewriteHierarchical = false })},
		{"no rewriting", genre, TaxonomyOverride{Slug: ptr("")}, with(func(x *Taxonomy) { x.Rewrite, x.RewriteHierarchical, x.Slug = false, false, "" })},
		{"another slug", genre, TaxonomyOverride{Slug: ptr("g")}, with(func(x *Taxonomy) { x.Slug = "g" })},
		{"the URL of a front end", genre, TaxonomyOverride{URL: ptr("x/{slug}")}, with(func(x *Taxonomy) { x.URL = "x/{slug}" })},
	} {
		got := tt.from
		got.Sources = Sources{}
		tt.o.apply(&got)
		got.Sources = nil
		expect.Same(t, tt.want, got, tt.rule)
	}
}

// WordPress accepts names of types up to a length.
func TestValidNames(t *testing.T) {
	for _, tt := range []struct {
		k      kind
		length int
		want   bool
	}{{postTypes, 0, false}, {postTypes, 1, true}, {postTypes, 20, true}, {postTypes, 21, false}, {taxonomies, 0, false}, {taxonomies, 32, true},
		{taxonomies, 33, false}} {
		expect.Equal(t, tt.k.valid(strings.Repeat("a", tt.length)), tt.want, tt.k, tt.length)
	}
}

// Names and query variables are changed as the register functions change them.
func TestSanitizedNames(t *testing.T) {
	for name, want := range map[string]string{"AZaz09_-": "azaz09_-", "a b": "ab", "a[b]{c}/:`@": "abc", "é": ""} {
		expect.Equal(t, sanitizeKey(name), want, name)
	}
	for name, want := range map[string]string{" My Book ": "my-book", "a  b": "a-b", "a - b": "a-b", "-a-": "a", "a---b": "a-b"} {
		expect.Equal(t, dashed(name), want, name)
	}
}

// Names of types are in keys of wpseo_titles that begin with noindex- or title-.
func TestReadTitles(t *testing.T) {
	got := readTitles(titles("noindex-book", "title-film", "title-book", "noindex-tax-genre", "title-tax-mood", "noindex-ptarchive-book",
		"title-home-wpseo", "metadesc-poem",
		"separator", "noindex-author-wpseo", "disable-song"))
	expect.Same(t, map[kind][]string{postTypes: {"book", "film"}, taxonomies: {"genre", "mood"}}, got)
}

// A plugin whose settings name all public types tells that others are not public.
func TestWholeLists(t *testing.T) {
	decide := func(n Noted) *Registry {
		return Decide(site(func(e *Evidence) {
			e.RewriteRules = rules(append(terms("mood", "mood"), flat("poem", "poem"))...)
			e.PostTypes, e.Taxonomies = []Rows{{Name: "poem", Used: 1}}, []Rows{{Name: "mood", Used: 1}}
			n.Source = "option x"
			e.Plugins.Noted = []Noted{n}
		}))
	}
	for _, tt := range []struct {
		rule                     string
		noted                    Noted
		ofPostTypes, ofTaxonomys string
	}{
		{"all post types", Noted{WholeTypes: true, PostTypes: []string{"song"}}, "private", "private, unknown"},
		{"all taxonomies", Noted{WholeTaxonomies: true, Taxonomies: []string{"genre"}}, "private, unknown", "private"},
		{"all of nothing", Noted{WholeTypes: true, WholeTaxonomies: true}, "private, unknown", "private, unknown"},
		{"some of both", Noted{PostTypes: []string{"song"}, Taxonomies: []string{"genre"}}, "private, unknown", "private, unknown"},
		{"seen in a table", Noted{SeenIn: "table x", Seen: []string{"poem", "mood"}}, "public from table x", "public from table x"},
	} {
		r := decide(tt.noted)
		expect.Equal(t, state(r, postTypes, "poem"), tt.ofPostTypes, tt.rule)
		expect.Equal(t, state(r, taxonomies, "mood"), tt.ofTaxonomys, tt.rule)
	}
	// A name that was seen is a post type's if there are posts of it, and no internal type's.
	r := Decide(site(func(e *Evidence) {
		e.RewriteRules = rules(append(terms("poems", "poem"), flat("poem", "poem"), flat("popup", "popup"))...)
		e.PostTypes, e.Taxonomies = []Rows{{Name: "poem", Used: 1}, {Name: "popup", Used: 1}}, []Rows{{Name: "poem", Used: 1}}
		e.Plugins.Noted = []Noted{{SeenIn: "table x", Seen: []string{"poem", "popup"}}}
	}))
	expect.Equal(t, state(r, postTypes, "poem"), "public from table x")
	expect.Equal(t, state(r, taxonomies, "poem"), "private, unknown")
	expect.Equal(t, strings.Contains(state(r, postTypes, "popup"), "public"), false, "an internal type")
}

// Without a list of Yoast SEO, its index tells which types are public, if it is complete and has any rows.
func TestCompleteIndex(t *testing.T) {
	for _, tt := range []struct {
		rule    string
		rows    []Indexable
		partial bool
		used    int
		want    string
	}{
		{"a complete index without the type", []Indexable{post("post")}, false, 1, "private"},
		{"a partial index without it", []Indexable{post("post")}, true, 1, "private, unknown"},
		{"no index", nil, false, 1, "private, unknown"},
		{"a type that is not in use", []Indexable{post("post")}, false, 0, "private"},
		{"a partial index, and a type that is not in use", []Indexable{post("post")}, true, 0, "private"},
	} {
		r := Decide(site(func(e *Evidence) {
			e.RewriteRules = rules(flat("song", "song"))
			e.Yoast.Indexables, e.Yoast.Partial = tt.rows, tt.partial
			if tt.used > 0 {
				e.PostTypes = []Rows{{Name: "song", Used: tt.used}}
			}
		}))
		expect.Equal(t, state(r, postTypes, "song"), tt.want, tt.rule)
	}
}

// A type that only rewrite rules name is undecided, unless Yoast SEO would name it if it were public.
func TestOnlyRouted(t *testing.T) {
	for _, tt := range []struct {
		rule      string
		change    func(*Evidence)
		undecided bool
	}{
		{"nothing else is known", func(*Evidence) {}, true},
		{"a list of Yoast SEO", func(e *Evidence) { e.Yoast.PostTypes = []string{"post"} }, false},
		{"a complete index", func(e *Evidence) { e.Yoast.Indexables = []Indexable{post("post")} }, false},
		{"a partial index", func(e *Evidence) { e.Yoast.Indexables, e.Yoast.Partial = []Indexable{post("post")}, true }, true},
	} {
		r := Decide(site(func(e *Evidence) { e.RewriteRules = rules(flat("song", "song"), flat("popup", "popup")); tt.change(e) }))
		song, popup := r.PostType("song"), r.PostType("popup")
		if song == nil || song.Public || song.Undecided != tt.undecided {
			t.Errorf("%s: %+v, want undecided %t", tt.rule, song, tt.undecided)
		}
		if popup == nil || popup.Public || popup.Undecided {
			t.Errorf("%s: %+v, want an internal type that is decided", tt.rule, popup)
		}
	}
}

// Where the facts about WooCommerce's types come from.
func TestFactsOfWooCommerce(t *testing.T) {
	for _, tt := range []struct {
		rule   string
		change func(*Evidence)
		kind   kind
		name   string
		want   string
	}{
		{"the stored base, and the shop page", func(*Evidence) {}, postTypes, "product",
			"slug /store/%product_cat% (option woocommerce_permalinks), without front (WooCommerce), archive trading/shop-floor (option woocommerce_shop_page_id)"},
		{"the theme supports it, and there is no shop page", func(e *Evidence) { e.Plugins.Woo.ShopPageID, e.Plugins.Woo.ShopPagePath = 0, "x" },
			postTypes, "product",
			"archive shop (option current_theme_supports_woocommerce)"},
		{"the theme does not support it", func(e *Evidence) { e.Plugins.Woo.ThemeSupport = "no" }, postTypes, "product",
			"no archive (option current_theme_supports_woocommerce)"},
		{"support was never noted, and the index has the archive", func(e *Evidence) {
			e.Plugins.Woo.ThemeSupport, e.Plugins.Woo.ShopPageID = "", 0
			e.Yoast.Indexables = []Indexable{archiveRow("product", "/shop/")}
		}, postTypes, "product", "archive shop (table yoast_indexable)"},
		{"support was never noted, and a rule is for the archive", func(e *Evidence) {
			e.Plugins.Woo.ThemeSupport, e.Plugins.Woo.ShopPageID, e.RewriteRules = "", 0, append(e.RewriteRules, list("shop", "product"))
		}, postTypes, "product", "archive shop (option rewrite_rules)"},
		{"no base is stored", func(e *Evidence) { e.Plugins.Woo.Permalinks, e.RewriteRules = php.Value{}, nil }, taxonomies, "product_tag",
			"slug product-tag (default)"},
		{"a rule shows the base", func(e *Evidence) {
			e.Plugins.Woo.Permalinks, e.RewriteRules = php.Value{}, rules(terms("schlagwort", "product_tag")...)
		}, taxonomies, "product_tag", "slug schlagwort (option rewrite_rules)"},
		{"brands", func(e *Evidence) { e.Plugins.Woo.BrandPermalink = "maker" }, taxonomies, "product_brand",
			"slug maker (option woocommerce_brand_permalink)"},
		{"an attribute", func(e *Evidence) { e.Plugins.Woo.Attributes = []WooAttribute{{"colour", true}} }, taxonomies, "pa_colour",
			"public (table woocommerce_attribute_taxonomies), flat (table woocommerce_attribute_taxonomies), slug spec/colour (option woocommerce_permalinks)"},
	} {
		expect.Contains(t, words(named(Decide(shop(tt.change)).of(tt.kind), tt.name)), tt.want, tt.rule)
	}
	r := Decide(shop(func(e *Evidence) {
		e.Plugins.Woo.Attributes = []WooAttribute{{strings.Repeat("a", 30), true}, {strings.Repeat("b", 29), true}, {"", true}}
	}))
	expect.Equal(t, r.Taxonomy("pa_"+strings.Repeat("a", 30)) == nil, true, "an attribute whose name is too long")
	expect.Equal(t, r.Taxonomy("pa_"+strings.Repeat("b", 29)) != nil, true, "an attribute with the longest name")
	expect.Equal(t, r.Taxonomy("pa_") == nil, true, "an attribute without a name")
}

// Brands are below the shop page only if there is one.
func TestBrandsBelowTheShop(t *testing.T) {
	for _, tt := range []struct {
		page int64
		path string
		want string
	}{{24, "trading", "trading/brand"}, {0, "trading", "shop/brand"}, {24, "", "shop/brand"}} {
		r := Decide(shop(func(e *Evidence) {
			e.Plugins.Woo.PrependShop, e.Plugins.Woo.ShopPageID, e.Plugins.Woo.ShopPagePath, e.RewriteRules = true, tt.page, tt.path, nil
		}))
		expect.Equal(t, r.Taxonomy("product_brand").Slug, tt.want, tt.page, tt.path)
	}
}

// Events Manager has a page for its archive, whatever the rewrite rules say.
func TestArchiveAtAPage(t *testing.T) {
	for _, tt := range []struct {
		rule  string
		page  string
		rules bool
		want  string
	}{
		{"a page", "7", false, "true 7 option dbem_events_page"}, {"no page", "", false, "true 0 known plugin events-manager/events-manager.php"},
		{"a page, with rules", "7", true, "true 7 option dbem_events_page"}, {"no page, with rules", "", true, "true 0 option rewrite_rules"},
	} {
		r := Decide(site(func(e *Evidence) {
			e.Plugins.Active = map[string]bool{"events-manager/events-manager.php": true}
			e.Plugins.Options = map[string]php.Value{"dbem_events_page": php.NewString(tt.page)}
			e.PostTypes = []Rows{{Name: "event", Used: 1}}
			if e.RewriteRules = nil; tt.rules {
				e.RewriteRules = rules(list("events", "event"), flat("events", "event"))
			}
		}))
		x := r.PostType("event")
		expect.Equal(t, fmt.Sprint(x.HasArchive, " ", x.ArchivePage, " ", x.Sources[keyArchive]), tt.want, tt.rule)
		expect.Equal(t, x.ArchiveSlug, "events", tt.rule)
	}
}

// A type is in use if it has published posts, or terms in use.
func TestUsed(t *testing.T) {
	r := Decide(site(func(e *Evidence) {
		e.PostTypes, e.Taxonomies = []Rows{{Name: "post", Used: 1}, {Name: "page"}}, []Rows{{Name: "category", Used: 2}, {Name: "post_tag"}}
	}))
	for _, of := range r.Types() {
		expect.Equal(t, r.Used(of), of.Name == "post" || of.Name == "category", of)
	}
}
