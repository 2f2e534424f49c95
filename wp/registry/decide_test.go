package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry/routes"
	"wpsitemapd/wp/wptest/expect"
)

const home = "https://x.test"

func ptr[T any](v T) *T { return &v }

// rule is a rewrite rule.
func rule(regex, query string) routes.Rule { return routes.Rule{Regex: regex, Query: query} }

// core rules that every site with permalinks has; rules() puts others before them.
func rules(more ...routes.Rule) []routes.Rule {
	return append(more,
		rule(`category/(.+?)/?$`, `index.php?category_name=$matches[1]`),
		rule(`tag/([^/]+)/?$`, `index.php?tag=$matches[1]`),
		rule(`type/([^/]+)/?$`, `index.php?post_format=$matches[1]`),
		rule(`author/([^/]+)/?$`, `index.php?author_name=$matches[1]`),
		rule(`(.?.+?)(?:/([0-9]+))?/?$`, `index.php?pagename=$matches[1]&page=$matches[2]`),
	)
}

func flat(base, name string) routes.Rule {
	return rule(base+`/([^/]+)(?:/([0-9]+))?/?$`, `index.php?`+name+`=$matches[1]&page=$matches[2]`)
}

func nested(base, name string) routes.Rule {
	return rule(base+`/(.+?)(?:/([0-9]+))?/?$`, `index.php?`+name+`=$matches[1]&page=$matches[2]`)
}

func list(base, name string) routes.Rule { return rule(base+`/?$`, `index.php?post_type=`+name) }

func terms(base, queryVar string) []routes.Rule {
	return []routes.Rule{
		rule(base+`/([^/]+)/embed/?$`, `index.php?`+queryVar+`=$matches[1]&embed=true`),
		rule(base+`/([^/]+)/?$`, `index.php?`+queryVar+`=$matches[1]`),
	}
}

// post is the index row of a published post.
func post(subType string, samples ...Sample) Indexable {
	for i := range samples {
		samples[i].Status = "publish"
	}
	return Indexable{ObjectType: "post", SubType: subType, Rows: max(1, len(samples)), Samples: samples}
}

func at(path, slug string) Sample    { return Sample{Permalink: home + path, Slug: slug} }
func child(path, slug string) Sample { return Sample{Permalink: home + path, Slug: slug, Parent: true} }

func archiveRow(subType, path string) Indexable {
	return Indexable{ObjectType: "post-type-archive", SubType: subType, Rows: 1, Samples: []Sample{{Permalink: home + path}}}
}

func titles(keys ...string) php.Value {
	var pairs []php.Pair
	for _, k := range keys {
		pairs = append(pairs, php.Element(k, php.NewBool(false)))
	}
	return php.NewArray(pairs...)
}

// site is evidence of a site with permalinks and nothing else.
func site(change func(*Evidence)) Evidence {
	e := Evidence{Home: home, PermalinkStructure: "/%postname%/", RewriteRules: rules(), Plugins: PluginTraces{Active: map[string]bool{}}}
	change(&e)
	return e
}

// state says in a word what Decide made of a name.
func state(r *Registry, k kind, name string) string {
	var words []string
	if t := named(r.of(k), name); t != nil && t.Public {
		words = append(words, "public from "+string(t.Sources[keyPublic]))
	} else if t != nil {
		words = append(words, "private")
	}
	for _, u := range r.Unknown {
		if u.Kind == k.String() && u.Name == name {
			words = append(words, "unknown")
		}
	}
	return strings.Join(words, ", ")
}

func TestPublic(t *testing.T) {
	const (
		byList    = "public from option wpseo[last_known_public_post_types]"
		byTaxList = "public from option wpseo[last_known_public_taxonomies]"
		byIndex   = "public from table yoast_indexable"
		byTitles  = "public from option wpseo_titles"
		byOper    = "public from configuration"
	)
	songs := []Rows{{Name: "song", Used: 12}}
	moods := []Rows{{Name: "mood", Used: 3}}
	song := post("song", at("/song/one/", "one"))
	mood := Indexable{ObjectType: "term", SubType: "mood", Rows: 3, Samples: []Sample{at("/mood/calm/", "calm")}}

	for _, tt := range []struct {
		name   string
		kind   kind
		change func(*Evidence)
		want   string
	}{
		{"a name in Yoast's list is public", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.RewriteRules = []string{"post", "song"}, rules(flat("song", "song"))
		}, byList},
		{"a name in Yoast's list is public without rows and rules: rewrite is false", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes = []string{"post", "song"}
		}, byList},
		{"a name missing in Yoast's list is private though the index has rows", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.RewriteRules = []string{"post"}, rules(flat("song", "song"))
			e.Yoast.Indexables, e.PostTypes, e.Yoast.Titles = []Indexable{song}, songs, titles("noindex-song")
		}, "private"},
		{"a name missing in Yoast's list and in the rules is gone", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.Yoast.Indexables, e.PostTypes = []string{"post"}, []Indexable{song}, songs
		}, ""},
		{"a listed name with pretty links that no rule knows is gone, and reported", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.Yoast.Indexables, e.PostTypes = []string{"post", "song"}, []Indexable{song}, songs
		}, "unknown"},
		{"… and left to PHP while the rules wait to be rebuilt", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.Yoast.Indexables, e.PostTypes, e.RewriteRules = []string{"post", "song"}, []Indexable{song}, songs, nil
		}, "private, unknown"},
		{"… nor when a rule of its address has another query variable", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.Yoast.Indexables, e.PostTypes = []string{"post", "song"}, []Indexable{song}, songs
			e.RewriteRules = rules(flat("song", "tune"))
		}, byList},
		{"… unless that is the name of another listed type", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.Yoast.Indexables, e.PostTypes = []string{"post", "song", "tune"}, []Indexable{song}, songs
			e.RewriteRules = rules(flat("song", "tune"))
		}, "unknown"},
		{"the lists of types and taxonomies are apart", taxonomies, func(e *Evidence) {
			e.Yoast.PostTypes, e.Yoast.Taxonomies = []string{"post"}, []string{"category", "mood"}
			e.RewriteRules = rules(terms("mood", "mood")...)
		}, byTaxList},

		{"without a list, index rows prove public", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.RewriteRules = []Indexable{song}, rules(flat("song", "song"))
		}, byIndex},
		{"without a list, an archive's index row proves public", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.RewriteRules = []Indexable{archiveRow("song", "/song/")}, rules(list("song", "song"), flat("song", "song"))
		}, byIndex},
		{"index rows with pretty links that no rule knows are left over", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.PostTypes = []Indexable{song}, songs
		}, "unknown"},
		{"index rows without links that no rule knows are left over", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.PostTypes = []Indexable{post("song")}, songs
		}, "unknown"},
		{"index rows with links by query need no rule", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.PostTypes = []Indexable{post("song", at("/?song=one", "one"))}, songs
		}, byIndex},
		{"with plain permalinks nothing needs a rule", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.PostTypes, e.RewriteRules, e.PermalinkStructure = []Indexable{song}, songs, nil, ""
		}, byIndex},
		{"published posts that the finished index lacks are private", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.PostTypes, e.RewriteRules = []Indexable{post("page")}, songs, rules(flat("song", "song"))
			e.Yoast.Titles = titles("noindex-song")
		}, "private"},
		{"… and of no interest where no rule knows them", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.PostTypes = []Indexable{post("page")}, songs
		}, ""},
		{"an unfinished index proves nothing", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.PostTypes, e.RewriteRules, e.Yoast.Partial = []Indexable{post("page")}, songs, rules(flat("song", "song")), true
			e.Yoast.Titles = titles("noindex-song")
		}, byTitles},
		{"a type without posts has no index rows: settings and rules prove it public", postTypes, func(e *Evidence) {
			e.Yoast.Indexables, e.RewriteRules, e.Yoast.Titles = []Indexable{post("page")}, rules(flat("song", "song")), titles("noindex-song")
		}, byTitles},
		{"term rows of the index prove a taxonomy public", taxonomies, func(e *Evidence) {
			e.Yoast.Indexables, e.RewriteRules = []Indexable{mood}, rules(terms("mood", "mood")...)
		}, byIndex},
		{"a post type's rows prove nothing of a taxonomy of that name", taxonomies, func(e *Evidence) {
			e.Yoast.Indexables, e.RewriteRules = []Indexable{post("mood", at("/mood/a/", "a"))}, rules(flat("mood", "mood"))
		}, ""},

		{"without index, settings and rules together prove public", postTypes, func(e *Evidence) {
			e.RewriteRules, e.Yoast.Titles, e.PostTypes = rules(flat("song", "song")), titles("noindex-song"), songs
		}, byTitles},
		{"without index, settings and rules prove a taxonomy public", taxonomies, func(e *Evidence) {
			e.RewriteRules, e.Yoast.Titles, e.Taxonomies = rules(terms("mood", "mood")...), titles("noindex-tax-mood"), moods
		}, byTitles},
		{"without index, settings alone are not enough", postTypes, func(e *Evidence) {
			e.Yoast.Titles, e.PostTypes = titles("noindex-song"), songs
		}, "unknown"},
		{"without index, an archive's setting says nothing", postTypes, func(e *Evidence) {
			e.RewriteRules, e.Yoast.Titles, e.PostTypes = rules(flat("song", "song")), titles("noindex-ptarchive-song"), songs
		}, "private, unknown"},
		{"without index, rules alone are not enough", postTypes, func(e *Evidence) {
			e.RewriteRules, e.PostTypes = rules(flat("song", "song")), songs
		}, "private, unknown"},
		{"what rules showed before they were emptied holds", postTypes, func(e *Evidence) {
			e.RewriteRules, e.PostTypes, e.Before = nil, songs, &Routed{Structure: "/%postname%/", PostTypes: []*PostType{{Name: "song", Public: true}}}
		}, "public from option rewrite_rules, before it was emptied"},
		{"Custom Post Type Permalinks writes rules of public types", postTypes, func(e *Evidence) {
			e.PostTypes, e.Plugins.Active[PluginStructures] = songs, true
			e.RewriteRules = rules(rule(`(songs)/([^/]+)(?:/([0-9]+))?/?$`, `index.php?post_type=song&slug=$matches[1]&song=$matches[2]&page=$matches[3]`))
		}, "public from Custom Post Type Permalinks"},
		{"rows alone are reported", postTypes, func(e *Evidence) { e.PostTypes = songs }, "unknown"},
		{"terms alone are reported", taxonomies, func(e *Evidence) { e.Taxonomies = moods }, "unknown"},
		{"terms not in use are not reported", taxonomies, func(e *Evidence) { e.Taxonomies = []Rows{{Name: "mood"}} }, ""},
		{"a type that only rules know is private", postTypes, func(e *Evidence) { e.RewriteRules = rules(flat("song", "song")) }, "private"},
		{"a taxonomy that only rules know is private", taxonomies, func(e *Evidence) { e.RewriteRules = rules(terms("mood", "mood")...) }, "private"},
		{"a lone rule that looks like a taxonomy's is a plugin's", taxonomies, func(e *Evidence) { e.RewriteRules = rules(terms("mood", "mood")[1]) }, ""},

		{"a type in the configuration alone is public", postTypes, func(e *Evidence) {
			e.Overrides.PostTypes = map[string]PostTypeOverride{"song": {}}
		}, byOper},
		{"a taxonomy in the configuration alone is public", taxonomies, func(e *Evidence) {
			e.Overrides.Taxonomies = map[string]TaxonomyOverride{"mood": {}}
		}, byOper},
		{"the configuration settles what is unknown", postTypes, func(e *Evidence) {
			e.RewriteRules, e.PostTypes = rules(flat("song", "song")), songs
			e.Overrides.PostTypes = map[string]PostTypeOverride{"song": {}}
		}, byOper},
		{"public = false wins over every proof, and nothing is reported", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.Yoast.Indexables, e.PostTypes = []string{"post", "song"}, []Indexable{song}, songs
			e.Overrides.PostTypes = map[string]PostTypeOverride{"song": {Public: ptr(false)}}
		}, "private"},
		{"another key leaves a proven private type private", postTypes, func(e *Evidence) {
			e.Yoast.PostTypes, e.RewriteRules = []string{"post"}, rules(flat("song", "song"))
			e.Overrides.PostTypes = map[string]PostTypeOverride{"song": {Slug: ptr("songs")}}
		}, "private"},
	} {
		expect.Equal(t, state(Decide(site(tt.change)), tt.kind, pick(tt.kind, "song", "mood")), tt.want, tt.name)
	}
}

func TestInternalTypesAreNeverReported(t *testing.T) {
	e := site(func(e *Evidence) {
		for _, n := range []string{"revision", "nav_menu_item", "wp_navigation", "wp_anything", "acf-post-type", "oembed_cache",
			"shop_order", "product_variation", "elementor_library", "wpcf7_contact_form"} {
			e.PostTypes = append(e.PostTypes, Rows{Name: n, Used: 5})
		}
		for _, n := range []string{"nav_menu", "wp_theme", "language", "post_translations", "product_type"} {
			e.Taxonomies = append(e.Taxonomies, Rows{Name: n, Used: 5})
		}
	})
	r := Decide(e)
	if len(r.Unknown) > 0 || len(r.PostTypes) != 3 || len(r.Taxonomies) != 3 {
		t.Errorf("got %d types, %d taxonomies, unknown %v; want core's own only", len(r.PostTypes), len(r.Taxonomies), r.Unknown)
	}
}

// Rows of the index are written of every type by Yoast before 19.11, and some are left over where it is newer.
func TestRowsProveNoInternalType(t *testing.T) {
	for _, old := range []bool{true, false} {
		e := site(func(e *Evidence) {
			e.Yoast.RowsOfAll, e.Yoast.Titles = old, titles("noindex-post", "noindex-page", "title-song", "noindex-tax-mood")
			add := func(name string) {
				e.PostTypes = append(e.PostTypes, Rows{Name: name, Used: 1})
				e.Yoast.Indexables = append(e.Yoast.Indexables, post(name, at("/?"+name+"=one", "one")))
			}
			for name := range internal[postTypes] {
				add(name)
			}
			for _, prefix := range internalPrefixes {
				add(prefix + "thing")
			}
			for name := range internal[taxonomies] {
				e.Taxonomies = append(e.Taxonomies, Rows{Name: name, Used: 1})
				e.Yoast.Indexables = append(e.Yoast.Indexables, Indexable{ObjectType: "term", SubType: name, Rows: 1})
			}
			add("song")
			add("poem")
			e.Taxonomies = append(e.Taxonomies, Rows{Name: "mood", Used: 1}, Rows{Name: "era", Used: 1})
			for _, name := range []string{"mood", "era"} {
				e.Yoast.Indexables = append(e.Yoast.Indexables, Indexable{ObjectType: "term", SubType: name, Rows: 1, Samples: []Sample{at("/?"+name+"=x", "x")}})
			}
		})
		r := Decide(e)
		want := "public from table yoast_indexable"
		if old {
			want = "unknown"
		}
		for _, x := range []struct {
			k    kind
			name string
			want string
		}{
			{postTypes, "song", "public from table yoast_indexable"}, {postTypes, "poem", want},
			{taxonomies, "mood", "public from table yoast_indexable"}, {taxonomies, "era", want},
		} {
			expect.Equal(t, state(r, x.k, x.name), x.want, "rows of every type", old, x.name)
		}
		for _, k := range kinds {
			for _, x := range r.of(k) {
				if isInternal(k, x.Name) && x.Public {
					t.Errorf("rows of every type %t: %s %s is public", old, k, x.Name)
				}
			}
		}
		for _, u := range r.Unknown {
			if u.Name != "poem" && u.Name != "era" {
				t.Errorf("rows of every type %t: %s", old, u.Why)
			}
		}
	}
}

func TestUnqueryableTypes(t *testing.T) {
	for plugin, want := range map[string]bool{"popup-maker/popup-maker.php": false, "popups/popups.php": true} {
		r := Decide(site(func(e *Evidence) { e.Yoast.PostTypes, e.Plugins.Active[plugin] = []string{"post", "popup"}, true }))
		if x := r.PostType("popup"); x == nil || !x.Public || x.Viewable != want {
			t.Errorf("with %s: %+v, want viewable %t", plugin, x, want)
		}
	}
}

// Without rewrite rules nothing is invented: what nothing proves is left to the site.
func TestEmptiedRules(t *testing.T) {
	for _, structure := range []string{"/%postname%/", ""} {
		r := Decide(site(func(e *Evidence) {
			e.PermalinkStructure, e.RewriteRules = structure, nil
			e.PostTypes = []Rows{{Name: "song", Used: 12}, {Name: "shop_coupon", Used: 3}}
			e.Taxonomies = []Rows{{Name: "mood", Used: 2}, {Name: "era"}}
		}))
		if x := r.PostType("song"); x == nil || x.Public || !x.Undecided {
			t.Errorf("structure %q: %+v, want it undecided", structure, x)
		}
		if x := r.Taxonomy("mood"); x == nil || x.Public || !x.Undecided {
			t.Errorf("structure %q: %+v, want it undecided", structure, x)
		}
		if r.PostType("shop_coupon") != nil || r.Taxonomy("era") != nil || len(r.Unknown) != 2 {
			t.Errorf("structure %q: %+v", structure, r)
		}
	}
}

// Without rewrite rules, the slug of an unknown type is proposed as WordPress or a known plugin makes it.
func TestUnknownSlugs(t *testing.T) {
	r := Decide(site(func(e *Evidence) {
		e.PermalinkStructure, e.RewriteRules = "/%postname%/", nil
		e.PostTypes = []Rows{{Name: "song", Used: 12}}
	}))
	if len(r.Unknown) != 1 || r.Unknown[0].Slug != "song" {
		t.Errorf("%+v", r.Unknown)
	}
}

func TestUnknownWords(t *testing.T) {
	r := Decide(site(func(e *Evidence) {
		e.PostTypes = []Rows{{Name: "song", Used: 12}}
		e.Taxonomies = []Rows{{Name: "цвет", Used: 1, ObjectTypes: []string{"song", "poem"}}}
	}))
	want := []Unknown{
		{
			Kind: "post type", Name: "song", Rows: 12,
			Why: "post type `song` has 12 published posts, but nothing tells whether it is public: add [site.post_type.song] to the configuration",
		},
		{
			Kind: "taxonomy", Name: "цвет", Rows: 1, ObjectTypes: []string{"song", "poem"},
			Why: "taxonomy `цвет` has 1 term in use, but nothing tells whether it is public: add [site.taxonomy.\"цвет\"] to the configuration",
		},
	}
	expect.Same(t, want, r.Unknown)
}

// addressCase is evidence of a type that Yoast's list knows, and what is then other than by default.
type addressCase struct {
	name      string
	structure string
	rules     []routes.Rule
	index     []Indexable
	change    func(*Evidence)
	want      func(*Type)
}

func testAddresses(t *testing.T, k kind, base Type, structure string, cases []addressCase) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			r := Decide(site(func(e *Evidence) {
				e.PermalinkStructure = strings.TrimSuffix(either(tt.structure == "", structure, tt.structure), "(plain)")
				e.RewriteRules, e.Yoast.Indexables = tt.rules, tt.index
				e.Yoast.PostTypes, e.Yoast.Taxonomies = []string{"post", "page", "book"}, []string{"category", "genre"}
				if tt.change != nil {
					tt.change(e)
				}
			}))
			want := base
			if tt.want != nil {
				tt.want(&want)
			}
			compare(t, r, k, want)
			for key := range k.allFrom("") {
				if named(r.of(k), base.Name).Sources[key] == "" {
					t.Errorf("%s has no source", key)
				}
			}
			if r.Taxonomy("g") != nil {
				t.Error("the query variable became a taxonomy of its own")
			}
		})
	}
}

// compare fails where a type is not registered as wanted, whatever the sources.
func compare(t *testing.T, r *Registry, k kind, want Type) {
	t.Helper()
	got := named(r.of(k), want.Name)
	want.Taxonomy = k == taxonomies
	if got == nil {
		t.Fatalf("%s is not registered; unknown: %v", want.Name, r.Unknown)
	}
	if diff := cmp.Diff(want, *got, cmpopts.IgnoreFields(Type{}, "Sources"), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestPostTypeAddress(t *testing.T) {
	// Every case is a type "book" that Yoast's list knows.
	base := Type{Name: "book", Public: true, Viewable: true, Rewrite: true, Slug: "book", WithFront: true, QueryVar: "book"}
	unaddressed := func(p *Type) { p.Public, p.Undecided = false, true }
	testAddresses(t, postTypes, base, "/%postname%/", []addressCase{
		{name: "slug from the rules", rules: rules(flat("books", "book")),
			want: func(p *Type) { p.Slug = "books" }},
		{name: "a front at the start of the base proves with_front", structure: "/blog/%postname%/", rules: rules(flat("blog/books", "book")),
			want: func(p *Type) { p.Slug = "books" }},
		{name: "no front at the start of the base proves with_front false", structure: "/blog/%postname%/", rules: rules(flat("books", "book")),
			want: func(p *Type) { p.Slug, p.WithFront = "books", false }},
		{name: "a base that is the front's own word lacks the front", structure: "/blog/%postname%/", rules: rules(flat("blog", "book")),
			want: func(p *Type) { p.Slug, p.WithFront = "blog", false }},
		{name: "a front need not end at a slash", structure: "/a-%postname%/", rules: rules(flat("a-books", "book")),
			want: func(p *Type) { p.Slug = "books" }},
		{name: "index.php is the root, not a front", structure: "/index.php/%postname%/", rules: rules(flat("index.php/books", "book")),
			want: func(p *Type) { p.Slug = "books" }},
		{name: "index.php before a front", structure: "/index.php/blog/%postname%/", rules: rules(flat("index.php/blog/books", "book")),
			want: func(p *Type) { p.Slug = "books" }},
		{name: "index.php without the front", structure: "/index.php/blog/%postname%/", rules: rules(flat("index.php/books", "book")),
			want: func(p *Type) { p.Slug, p.WithFront = "books", false }},
		{name: "hierarchical", rules: rules(nested("book", "book")), want: func(p *Type) { p.Hierarchical = true }},
		{name: "no query variable", rules: rules(rule(`book/([^/]+)(?:/([0-9]+))?/?$`, `index.php?post_type=book&name=$matches[1]&page=$matches[2]`)),
			want: func(p *Type) { p.QueryVar = "" }},
		{name: "own query variable, found by the default address", rules: rules(flat("book", "bk")),
			want: func(p *Type) { p.QueryVar = "bk" }},
		{name: "own query variable, found by the archive's address", rules: rules(list("library", "book"), flat("library", "bk")),
			want: func(p *Type) { p.Slug, p.QueryVar, p.HasArchive, p.ArchiveSlug = "library", "bk", true, "library" }},
		{name: "own query variable, found by the links", rules: rules(flat("library", "bk")), index: []Indexable{post("book", at("/library/one/", "one"))},
			want: func(p *Type) { p.Slug, p.QueryVar = "library", "bk" }},
		{name: "taxonomy token in the slug",
			rules: rules(rule(`lib/([^/]+)/([^/]+)(?:/([0-9]+))?/?$`, `index.php?genre=$matches[1]&book=$matches[2]&page=$matches[3]`)),
			want:  func(p *Type) { p.Slug = "lib/%genre%" }},
		{name: "at the root of the site", rules: rules(rule(`([^/]+)(?:/([0-9]+))?/?$`, `index.php?book=$matches[1]&page=$matches[2]`)),
			want: func(p *Type) { p.Slug = "/" }},
		{name: "at the root of the site behind index.php", structure: "/index.php/%postname%/",
			rules: rules(rule(`index.php/([^/]+)(?:/([0-9]+))?/?$`, `index.php?book=$matches[1]&page=$matches[2]`)),
			want:  func(p *Type) { p.Slug, p.WithFront = "/", false }},
		{name: "archive at the slug", structure: "/blog/%postname%/", rules: rules(list("blog/book", "book"), flat("blog/book", "book")),
			want: func(p *Type) { p.HasArchive, p.ArchiveSlug = true, "book" }},
		{name: "archive with a slug of its own", structure: "/blog/%postname%/", rules: rules(list("blog/shop", "book"), flat("blog/book", "book")),
			want: func(p *Type) { p.HasArchive, p.ArchiveSlug = true, "shop" }},
		{name: "archive without the front: the slug only begins like it", structure: "/blog/%postname%/",
			rules: rules(list("shop", "book"), flat("blog/book", "book")),
			want:  func(p *Type) { p.WithFront, p.Slug, p.HasArchive, p.ArchiveSlug = false, "blog/book", true, "shop" }},
		{name: "an archive in the index alone was switched off, where rules know the type",
			rules: rules(flat("book", "book")), index: []Indexable{archiveRow("book", "/all-books/")}},
		{name: "a plugin has its own rule of the archive",
			rules: rules(flat("book", "book"), rule("(?:all-books)/?$", "index.php?post_type=book&display=list")),
			index: []Indexable{archiveRow("book", "/all-books/")},
			want:  func(p *Type) { p.HasArchive, p.ArchiveSlug = true, "all-books" }},
		{name: "an archive's setting alone is no archive", rules: rules(flat("book", "book")),
			change: func(e *Evidence) { e.Yoast.Titles = titles("noindex-book", "noindex-ptarchive-book") }},
		{name: "without permalinks it is one", change: func(e *Evidence) {
			e.PermalinkStructure, e.RewriteRules, e.Yoast.Titles = "", nil, titles("noindex-book", "noindex-ptarchive-book")
		},
			want: func(p *Type) { p.HasArchive, p.ArchiveSlug = true, "book" }},
		{name: "rules win over links", rules: rules(flat("books", "book")), index: []Indexable{post("book", at("/old/one/", "one"))},
			want: func(p *Type) { p.Slug = "books" }},

		{name: "links tell no address while there are no rules", index: []Indexable{post("book", at("/lib/one/", "one"))}, want: unaddressed},
		{name: "links by query prove nothing while there are no rules", index: []Indexable{post("book", at("/?book=one", "one"))}, want: unaddressed},
		{name: "archive from the index without rules", structure: "/blog/%postname%/", index: []Indexable{archiveRow("book", "/blog/all/")},
			want: func(p *Type) { unaddressed(p); p.HasArchive, p.ArchiveSlug = true, "all" }},
		{name: "nothing known while there are no rules", want: unaddressed},

		{name: "links by query prove rewrite false", rules: rules(), index: []Indexable{post("book", at("/?bk=one", "one"))},
			want: func(p *Type) { p.Rewrite, p.Slug, p.WithFront, p.QueryVar = false, "", false, "bk" }},
		{name: "links by query with a parent prove hierarchical", rules: rules(), index: []Indexable{post("book", child("/?book=one/two", "two"))},
			want: func(p *Type) { p.Rewrite, p.Slug, p.WithFront, p.Hierarchical = false, "", false, true }},
		{name: "links by type and ID alone prove that visitors cannot see it", rules: rules(),
			index: []Indexable{post("book", at("/?post_type=book&p=3", "one"))},
			want: func(p *Type) {
				p.Rewrite, p.Slug, p.WithFront, p.QueryVar, p.Viewable = false, "", false, "", false
			}},
		{name: "links by type and ID of before there was a rule prove nothing", rules: rules(flat("books", "book")),
			index: []Indexable{post("book", at("/?post_type=book&p=3", "one"))}, want: func(p *Type) { p.Slug = "books" }},
		{name: "links by type and ID beside others prove nothing", rules: rules(),
			index: []Indexable{post("book", at("/?post_type=book&p=3", "one"), at("/?book=two", "two"))},
			want:  func(p *Type) { p.Rewrite, p.Slug, p.WithFront = false, "", false }},
		{name: "links by type and ID without permalinks", structure: "(plain)", index: []Indexable{post("book", at("/?post_type=book&p=3", "one"))},
			want: func(p *Type) { p.Viewable = false }},
		{name: "rewrite false with an archive", rules: rules(),
			index: []Indexable{post("book", at("/?book=one", "one")), archiveRow("book", "/?post_type=book")},
			want:  func(p *Type) { p.Rewrite, p.Slug, p.WithFront, p.HasArchive = false, "", false, true }},
		{name: "no rule and no link: rewrite false", rules: rules(),
			want: func(p *Type) { p.Rewrite, p.Slug, p.WithFront = false, "", false }},
		{name: "plain permalinks keep the defaults", structure: "(plain)", index: []Indexable{post("book", at("/?book=one", "one"))}},
	})
}

// Links by which a rule would be found that names a query variable alone.
func TestLinksThatTellNoBase(t *testing.T) {
	for name, change := range map[string]func(*Evidence){
		"of drafts":                  func(e *Evidence) { e.Yoast.Indexables[0].Samples[0].Status = "draft" },
		"varying ones":               func(e *Evidence) { e.Yoast.Indexables[0].Samples[1].Permalink = home + "/rock/two/" },
		"of a moved site":            func(e *Evidence) { e.Home = "https://moved.test" },
		"of a home that begins so":   func(e *Evidence) { e.Home = home + "t" },
		"stale ones":                 func(e *Evidence) { e.Yoast.Stale = true },
		"Yoast's dynamic permalinks": func(e *Evidence) { e.Yoast.Stale = true },
		"Polylang's":                 func(e *Evidence) { e.Plugins.Active["polylang/polylang.php"] = true },
		"":                           func(*Evidence) {},
	} {
		r := Decide(site(func(e *Evidence) {
			e.RewriteRules, e.Yoast.PostTypes = rules(flat("lib", "bk")), []string{"book"}
			e.Yoast.Indexables = []Indexable{post("book", at("/lib/one/", "one"), at("/lib/two/", "two"))}
			change(e)
			if name == "of drafts" {
				e.Yoast.Indexables[0].Samples = e.Yoast.Indexables[0].Samples[:1]
			}
		}))
		if x := r.PostType("book"); (x != nil && x.Public && x.QueryVar == "bk") != (name == "") {
			t.Errorf("links %s: %+v", name, x)
		}
	}
}

func TestTaxonomyAddress(t *testing.T) {
	base := Type{Name: "genre", Public: true, Rewrite: true, Slug: "genre", WithFront: true, QueryVar: "genre"}
	row := func(samples ...Sample) []Indexable {
		return []Indexable{{ObjectType: "term", SubType: "genre", Rows: 1, Samples: samples}}
	}
	testAddresses(t, taxonomies, base, "/blog/%postname%/", []addressCase{
		{name: "slug and front from the rules", rules: rules(terms("blog/music", "genre")...), want: func(x *Type) { x.Slug = "music" }},
		{name: "without the front", rules: rules(terms("music", "genre")...), want: func(x *Type) { x.Slug, x.WithFront = "music", false }},
		{name: "(.+?) proves a tree and hierarchical links", rules: rules(rule(`blog/genre/(.+?)/?$`, `index.php?genre=$matches[1]`)),
			want: func(x *Type) { x.Hierarchical, x.RewriteHierarchical = true, true }},
		{name: "no query variable", rules: rules(rule(`blog/genre/([^/]+)/?$`, `index.php?taxonomy=genre&term=$matches[1]`)),
			want: func(x *Type) { x.QueryVar = "" }},
		{name: "own query variable, found by the default address", rules: rules(terms("blog/genre",
			"g")...), want: func(x *Type) { x.QueryVar = "g" }},
		{name: "own query variable, found by the links", rules: rules(terms("music", "g")...), index: row(at("/music/jazz/", "jazz")),
			want: func(x *Type) { x.Slug, x.WithFront, x.QueryVar = "music", false, "g" }},
		{name: "a tree by a term with a parent", rules: rules(terms("blog/genre", "genre")...),
			change: func(e *Evidence) {
				e.Taxonomies = []Rows{{
					Name: "genre", Used: 1, Parents: true,
				}}
			}, want: func(x *Type) { x.Hierarchical = true }},
		{name: "not the walked directory of a post type's slug", rules: rules(append([]routes.Rule{
			rule(`shop/([^/]+)/([^/]+)(?:/([0-9]+))?/?$`, `index.php?genre=$matches[1]&book=$matches[2]&page=$matches[3]`),
			rule(`shop/([^/]+)/?$`, `index.php?genre=$matches[1]`)}, terms("blog/genre", "genre")...)...)},

		{name: "links tell no address while there are no rules", index: row(at("/music/jazz/", "jazz")), want: func(x *Type) { x.Public = false }},
		{name: "links by query prove rewrite false", rules: rules(), index: row(at("/?genre=jazz", "jazz")),
			want: func(x *Type) { x.Rewrite, x.Slug, x.WithFront = false, "", false }},
		{name: "links by taxonomy and term prove that there is no query variable", rules: rules(), index: row(at("/?taxonomy=genre&term=jazz", "jazz")),
			want: func(x *Type) { x.Rewrite, x.Slug, x.WithFront, x.QueryVar = false, "", false, "" }},
		{name: "no rule and no link: rewrite false", rules: rules(), want: func(x *Type) { x.Rewrite, x.Slug, x.WithFront = false, "", false }},
		{name: "nothing known while there are no rules", want: func(x *Type) { x.Public = false }},
		{name: "nothing known of terms in use while there are no rules",
			change: func(e *Evidence) { e.Taxonomies = []Rows{{Name: "genre", Used: 1}} },
			want:   func(x *Type) { x.Public, x.Undecided = false, true }},
	})
}

func TestCore(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		structure, category, tags string
		rules                     []routes.Rule
		want                      string
	}{
		{"defaults", "/blog/%postname%/", "", "", nil, "category true, tag true, type true"},
		{"own bases stand without the front", "/blog/%postname%/", "/topics/all", "labels/", nil, "topics/all false, labels false, type true"},
		{"own bases stand with the front behind index.php", "/index.php/%postname%/", "/index.php/topics", "", nil, "topics true, tag true, type true"},
		{
			"the base of post formats is a filter's", "/blog/%postname%/", "", "",
			[]routes.Rule{rule(`blog/format/([^/]+)/?$`, `index.php?post_format=$matches[1]`)}, "category true, tag true, format true",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Decide(Evidence{PermalinkStructure: tt.structure, CategoryBase: tt.category, TagBase: tt.tags, RewriteRules: tt.rules})
			var got []string
			for _, x := range r.Taxonomies {
				if !x.Public || !x.Rewrite || !x.BuiltIn {
					t.Errorf("%+v", x)
				}
				got = append(got, fmt.Sprint(x.Slug, " ", x.WithFront))
			}
			expect.Equal(t, strings.Join(got, ", "), tt.want)
		})
	}
	r := Decide(Evidence{Yoast: YoastTraces{PostTypes: []string{"book"}, Taxonomies: []string{"genre"}}})
	for _, name := range []string{"post", "page", "attachment"} {
		if p := r.PostType(name); p == nil || !p.Public || !p.Viewable || !p.BuiltIn || p.Hierarchical != (name == "page") {
			t.Errorf("%s = %+v; Yoast's list decides nothing about core's types", name, p)
		}
	}
}

func TestOverrides(t *testing.T) {
	evidence := func(e *Evidence) {
		e.PermalinkStructure = "/blog/%postname%/"
		e.RewriteRules = rules(append([]routes.Rule{list("blog/shelf", "book"), flat("blog/book", "book")}, terms("blog/genre", "genre")...)...)
		e.Yoast.PostTypes, e.Yoast.Taxonomies = []string{"book", "flyer"}, []string{"genre"}
		e.Taxonomies = []Rows{{Name: "genre", Used: 1, ObjectTypes: []string{"book"}}}
	}
	base := Type{Name: "book", Public: true, Viewable: true, Rewrite: true, Slug: "book", WithFront: true, QueryVar: "book", HasArchive: true,
		ArchiveSlug: "shelf"}
	for _, tt := range []struct {
		name string
		o    PostTypeOverride
		want func(*PostType)
		keys string
	}{
		{"nothing said", PostTypeOverride{}, func(p *PostType) {}, ""},
		{"exclude is not for here", PostTypeOverride{Exclude: ptr(true)}, func(p *PostType) {}, ""},
		{"public", PostTypeOverride{Public: ptr(false)}, func(p *PostType) { p.Public, p.Viewable = false, false }, "public"},
		{"viewable", PostTypeOverride{Viewable: ptr(false)}, func(p *PostType) { p.Viewable = false }, "viewable"},
		{"hierarchical", PostTypeOverride{Hierarchical: ptr(true)}, func(p *PostType) { p.Hierarchical = true }, "hierarchical"},
		{"slug leaves an archive of its own", PostTypeOverride{Slug: ptr("books")}, func(p *PostType) { p.Slug = "books" }, "slug"},
		{"empty slug is rewrite false", PostTypeOverride{Slug: ptr("")}, func(p *PostType) { p.Rewrite, p.Slug, p.ArchiveSlug = false, "", "" }, "slug"},
		{"with_front", PostTypeOverride{WithFront: ptr(false)}, func(p *PostType) { p.WithFront = false }, "with_front"},
		{"archive = false", PostTypeOverride{Archive: ptr(false)}, func(p *PostType) { p.HasArchive, p.ArchiveSlug = false, "" }, "archive"},
		{"archive = true keeps a known slug", PostTypeOverride{Archive: ptr(true)}, func(p *PostType) {}, "archive"},
		{"archive = slug", PostTypeOverride{ArchiveSlug: ptr("all")}, func(p *PostType) { p.ArchiveSlug = "all" }, "archive"},
		{"no query_var", PostTypeOverride{QueryVar: ptr("")}, func(p *PostType) { p.QueryVar = "" }, "query_var"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Decide(site(func(e *Evidence) {
				evidence(e)
				e.Overrides.PostTypes = map[string]PostTypeOverride{"book": tt.o}
			}))
			want := base
			tt.want(&want)
			compare(t, r, postTypes, want)
			if tt.keys == "" {
				expect.Equal(t, r.PostType("book").Sources[keySlug], sourceRules)
			}
			for key, source := range r.PostType("book").Sources {
				expect.Equal(t, source == sourceConfiguration, key == tt.keys, key, "is from", source)
			}
		})
	}

	t.Run("slug and archive for a type without rules", func(t *testing.T) {
		r := Decide(site(func(e *Evidence) {
			evidence(e)
			e.Overrides.PostTypes = map[string]PostTypeOverride{"flyer": {Slug: ptr("leaflets"), Archive: ptr(true)}}
		}))
		compare(t, r, postTypes, Type{Name: "flyer", Public: true, Viewable: true, Rewrite: true, Slug: "leaflets", WithFront: true, QueryVar: "flyer",
			HasArchive: true, ArchiveSlug: "leaflets"})
	})
	t.Run("taxonomy, every key", func(t *testing.T) {
		r := Decide(site(func(e *Evidence) {
			evidence(e)
			e.Overrides.Taxonomies = map[string]TaxonomyOverride{"genre": {Public: ptr(false), Hierarchical: ptr(true), Slug: ptr("music"),
				WithFront: ptr(false), ObjectTypes: []string{"post"}, QueryVar: ptr("g")}}
		}))
		want := Taxonomy{Name: "genre", Taxonomy: true, Hierarchical: true, Rewrite: true, Slug: "music", QueryVar: "g", ObjectTypes: []string{"post"},
			Sources: taxonomies.allFrom(sourceConfiguration)}
		expect.Same(t, want, *r.Taxonomy("genre"))
	})
	t.Run("core's types too", func(t *testing.T) {
		r := Decide(site(func(e *Evidence) {
			e.Overrides.PostTypes = map[string]PostTypeOverride{"attachment": {Public: ptr(false)}}
		}))
		if r.PostType("attachment").Public {
			t.Error("attachment is public")
		}
	})
}

func TestObjectTypes(t *testing.T) {
	r := Decide(site(func(e *Evidence) {
		e.Yoast.PostTypes, e.Yoast.Taxonomies = []string{"post", "book"}, []string{"category", "genre", "mood"}
		e.Taxonomies = []Rows{
			{Name: "category", Used: 1, ObjectTypes: []string{"book", "gone", "post"}},
			{Name: "genre", Used: 1, ObjectTypes: []string{"gone", "book"}},
			{Name: "mood", Used: 1, ObjectTypes: []string{"gone"}},
		}
	}))
	for name, want := range map[string]string{
		"category": "[post book]", // core's own, and the living types that carry terms
		"genre":    "[book]",      // a type that is gone does not count
		"mood":     "[gone]",      // unless there is nothing else
		"post_tag": "[post]",
	} {
		expect.Equal(t, fmt.Sprint(r.Taxonomy(name).ObjectTypes), want, name, "is for")
	}
	expect.Equal(t, r.Taxonomy("genre").Sources[keyObjectTypes], sourceRelationships)
}

func TestOrder(t *testing.T) {
	names := func(r *Registry) string {
		var out []string
		for _, p := range r.PostTypes {
			out = append(out, p.Name)
		}
		return strings.Join(out, " ")
	}
	both := rules(flat("b", "b"), flat("a", "a"))
	for _, tt := range []struct {
		name   string
		change func(*Evidence)
		want   string
	}{
		{"Yoast's list is in order of registration", func(e *Evidence) {
			e.Yoast.PostTypes, e.RewriteRules = []string{"post", "page", "z", "a", "b"}, both
		}, "post page attachment z a b"},
		{"then the keys of wpseo_titles", func(e *Evidence) {
			e.Yoast.Titles, e.RewriteRules = titles("noindex-a", "noindex-b"), both
		}, "post page attachment a b"},
		{"then the rewrite rules", func(e *Evidence) {
			e.Yoast.Indexables = []Indexable{post("a", at("/a/1/", "1")), post("b", at("/b/1/", "1"))}
			e.RewriteRules = both
		}, "post page attachment b a"},
		{"then the alphabet", func(e *Evidence) {
			e.Yoast.Indexables = []Indexable{post("y", at("/?y=1", "1")), post("x", at("/?x=1", "1")), post("b", at("/b/1/", "1"))}
			e.RewriteRules = both
		}, "post page attachment b a x y"},
		{"definitions before what only the rules tell", func(e *Evidence) {
			e.RewriteRules = both
			e.Plugins.Active[PluginCPTUI] = true
			e.Plugins.Definitions = []Definition{definition(false, "q", nil), definition(false, "p", nil)}
		}, "post page attachment q p b a"},
	} {
		expect.Equal(t, names(Decide(site(tt.change))), tt.want, tt.name)
	}
}

func TestAnyValueIsSurvived(t *testing.T) {
	odd := []php.Value{
		{}, php.NewBool(true), php.NewInt(-1), php.NewFloat(0.5), php.NewString(""), php.NewString("text"), php.NewArray(),
		php.NewList(php.NewString("a"), php.NewInt(3), php.NewArray()),
		{Kind: php.Object}, {Kind: php.Kind(200)},
	}
	var more []php.Value
	for _, v := range odd {
		more = append(more, v, php.NewArray(php.Element("x", v)), php.NewArray(php.Element("x", php.NewArray(
			php.Element("name", v), php.Element("public", v), php.Element("rewrite", v), php.Element("rewrite_slug", v), php.Element("query_var", v),
			php.Element("has_archive_string", v), php.Element("object_types", v), php.Element("taxonomies", v)))))
	}
	for _, v := range more {
		e := site(func(e *Evidence) {
			e.Yoast.Titles = v
			e.Plugins.Active = map[string]bool{PluginCPTUI: true, PluginACF: true, PluginPods: true, PluginMetaBox: true, pluginWooCommerce: true}
			e.Plugins.Woo = &WooCommerce{Permalinks: v, Version: "text", Attributes: []WooAttribute{{}}}
			for _, taxonomy := range []bool{true, false} {
				of := php.NewArray(php.Element("post_type", php.NewString("x")), php.Element("taxonomy", php.NewString("x")), php.Element("rewrite", v),
					php.Element("query_var", v), php.Element("has_archive", v), php.Element("object_type", v), php.Element("taxonomies", v))
				for _, plugin := range []string{PluginACF, PluginPods, PluginMetaBox, PluginCPTUI} {
					e.Plugins.Definitions = append(e.Plugins.Definitions, Definition{taxonomy, "x", plugin, v}, Definition{taxonomy, "y", plugin, of})
				}
				for _, p := range v.Pairs() {
					e.Plugins.Definitions = append(e.Plugins.Definitions, Definition{taxonomy, p.Key.Str, PluginCPTUI, p.Value})
				}
			}
		})
		for _, p := range Decide(e).PostTypes {
			if p.Name == "" || p.Rewrite && p.Slug == "" && !p.BuiltIn {
				t.Errorf("%+v from %+v", p, v)
			}
		}
	}
	Decide(Evidence{})
}

func TestAuthorBase(t *testing.T) {
	const query = `index.php?author_name=$matches[1]`
	base := func(text string) []routes.Rule {
		return []routes.Rule{rule(text+`/([^/]+)/embed/?$`, query+`&embed=true`), rule(text+`/([^/]+)/?$`, query)}
	}
	for _, c := range []struct {
		name, structure string
		rules           []routes.Rule
		want            string
	}{
		{"no rules", "/%postname%/", nil, "author"},
		{"core's own", "/%postname%/", base("author"), "author"},
		{"set in code", "/%postname%/", base("team"), "team"},
		{"of several parts", "/%postname%/", base("about/team"), "about/team"},
		{"behind the front", "/blog/%postname%/", base("blog/team"), "team"},
		{"behind index.php", "/index.php/%postname%/", base("index.php/team"), "team"},
		{"behind a front of the past", "/blog/%postname%/", base("team"), "author"},
		{"a rule written by hand", "/%postname%/", []routes.Rule{rule(`team/([^/]+)/?$`, query)}, "author"},
		{"of a structure with %author%", "/blog/%author%/%postname%/", base("blog"), "author"},
		{"beside that of a slug with %author%", "/%postname%/", append(base("by"), base("author")...), "author"},
		{"two, of which nothing tells the right one", "/%postname%/", append(base("by"), base("team")...), "author"},
		{"with a group", "/%postname%/", base("(team|crew)"), "author"},
	} {
		expect.Equal(t, Decide(Evidence{PermalinkStructure: c.structure, RewriteRules: c.rules}).AuthorBase, c.want, c.name)
	}
}

// What an active plugin has in its settings is public as long as it is registered.
func TestNotedTypes(t *testing.T) {
	const source = FactSource("option some-plugin")
	noted := Noted{Source: source, PostTypes: []string{"song", "post"}, Taxonomies: []string{"mood"}, Archives: []string{"song"}}
	songs := []Rows{{Name: "song", Used: 12}, {Name: "poem", Used: 1}}
	for _, c := range []struct {
		rule    string
		e       Evidence
		want    string
		archive bool
	}{
		{"routed", site(func(e *Evidence) { e.RewriteRules = rules(flat("song", "song")) }), "public from option some-plugin", false},
		{"an older list of Yoast's", site(func(e *Evidence) {
			e.RewriteRules, e.Yoast.PostTypes = rules(flat("song", "song")), []string{"post"}
		}), "public from option some-plugin", false},
		{"not routed", site(func(e *Evidence) {}), "unknown", false},
		{"without permalinks", site(func(e *Evidence) { e.PermalinkStructure, e.RewriteRules = "", nil }), "public from option some-plugin", true},
		{"rules to be rebuilt", site(func(e *Evidence) { e.RewriteRules = nil }), "private, unknown", true},
	} {
		c.e.Plugins.Noted, c.e.PostTypes = []Noted{noted}, songs
		r := Decide(c.e)
		expect.Equal(t, state(r, postTypes, "song"), c.want, c.rule)
		if song := r.PostType("song"); song != nil && song.HasArchive != c.archive {
			t.Errorf("%s: archive %t", c.rule, song.HasArchive)
		}
		if got := state(r, postTypes, "poem"); strings.Contains(got, "public") {
			t.Errorf("%s: what is not noted is %s", c.rule, got)
		}
		c.e.Plugins.Noted[0].WholeTypes = true
		if r := Decide(c.e); slices.ContainsFunc(r.Unknown, func(u Unknown) bool { return u.Name == "poem" }) {
			t.Errorf("%s: what a whole list does not name is unknown", c.rule)
		}
	}
}
