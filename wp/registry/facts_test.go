package registry

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry/routes"
	"wpsitemapd/wp/wptest/expect"
)

// words are the facts about a type with their sources, as check prints them.
func words(t *Type) string {
	if t == nil {
		return "not registered"
	}
	var all []string
	for _, f := range t.Facts() {
		all = append(all, fmt.Sprintf("%s (%s)", f.Words, f.Source))
	}
	return strings.Join(all, ", ")
}

// Each fact about a type names the source that decided it.
func TestFacts(t *testing.T) {
	const (
		edd = "easy-digital-downloads/easy-digital-downloads.php"
		seo = "option wpseo[last_known_public_post_types]"
	)
	active := func(e *Evidence, plugin string) { e.Plugins.Active = map[string]bool{plugin: true} }
	listed := func(e *Evidence) { e.Yoast.PostTypes, e.Yoast.Taxonomies = []string{"book"}, []string{"genre"} }
	rows := func(e *Evidence, name string) { e.PostTypes = []Rows{{Name: name, Used: 1}} }
	for _, tt := range []struct {
		rule   string
		change func(*Evidence)
		kind   kind
		name   string
		want   string
	}{
		{"rewrite rules", func(e *Evidence) {
			listed(e)
			e.RewriteRules = rules(list("all-books", "book"), nested("books", "book"))
		}, postTypes, "book",
			"public (" + seo + "), viewable (default), a tree (option rewrite_rules), slug books (option rewrite_rules), with front (option rewrite_rules), " +
				"archive all-books (option rewrite_rules), query variable book (option rewrite_rules)"},
		{"links by query", func(e *Evidence) {
			listed(e)
			e.Yoast.Indexables = []Indexable{post("book", child("/?book=one/two", "two"))}
		}, postTypes, "book",
			"public (" + seo + "), viewable (default), a tree (table yoast_indexable), no rewriting (table yoast_indexable), no archive (default), " +
				"query variable book (table yoast_indexable)"},
		{"links by id", func(e *Evidence) {
			listed(e)
			e.Yoast.Indexables = []Indexable{post("book", at("/?post_type=book&p=3", "one"))}
		}, postTypes, "book",
			"public (" + seo + "), not viewable (table yoast_indexable), flat (default), no rewriting (table yoast_indexable), no archive (default), " +
				"no query variable (table yoast_indexable)"},
		{"links of objects with a parent that do not contain it", func(e *Evidence) {
			listed(e)
			e.Yoast.Indexables = []Indexable{post("book", child("/?book=two", "two"))}
		}, postTypes, "book",
			"public (" + seo + "), viewable (default), flat (table yoast_indexable), no rewriting (table yoast_indexable), no archive (default), " +
				"query variable book (table yoast_indexable)"},
		{"no rule and no link", listed, postTypes, "book",
			"public (" + seo + "), viewable (default), flat (default), no rewriting (option rewrite_rules), no archive (default), query variable book (default)"},
		{"an archive of the index", func(e *Evidence) {
			listed(e)
			e.RewriteRules, e.Yoast.Indexables = nil, []Indexable{archiveRow("book", "/all/")}
		}, postTypes, "book",
			"not public (" + seo + "), viewable (default), flat (default), slug book (default), with front (table yoast_indexable), archive all (table yoast_indexable), " +
				"query variable book (default)"},
		{"an archive of the index without an address", func(e *Evidence) {
			listed(e)
			e.Yoast.Indexables = []Indexable{post("book", at("/?book=one", "one")), archiveRow("book", "/?post_type=book")}
		}, postTypes, "book",
			"public (" + seo + "), viewable (default), flat (default), no rewriting (table yoast_indexable), archive (table yoast_indexable), query variable book (table yoast_indexable)"},
		{"an archive of the titles", func(e *Evidence) {
			listed(e)
			e.PermalinkStructure, e.RewriteRules, e.Yoast.Titles = "", nil, titles("noindex-book", "noindex-ptarchive-book")
		}, postTypes, "book",
			"public (" + seo + "), viewable (default), flat (default), slug book (default), with front (default), archive book (option wpseo_titles), query variable book (default)"},
		{"an archive of a plugin's settings", func(e *Evidence) {
			e.PermalinkStructure, e.RewriteRules = "", nil
			e.Plugins.Noted = []Noted{{Source: "option x", PostTypes: []string{"book", "film"}, Archives: []string{"book"}}}
		}, postTypes, "book",
			"public (option x), viewable (default), flat (default), slug book (default), with front (default), archive book (option x), query variable book (default)"},
		{"no archive in a plugin's settings", func(e *Evidence) {
			e.PermalinkStructure, e.RewriteRules = "", nil
			e.Plugins.Noted = []Noted{{Source: "option x", PostTypes: []string{"book", "film"}, Archives: []string{"book"}}}
		}, postTypes, "film",
			"public (option x), viewable (default), flat (default), slug film (default), with front (default), no archive (default), query variable film (default)"},
		{"a known plugin", func(e *Evidence) { active(e, edd); rows(e, "download"); e.RewriteRules = nil }, postTypes, "download",
			"public (known plugin " + edd + "), viewable (default), flat (known plugin " + edd + "), slug downloads (known plugin " + edd + "), " +
				"without front (known plugin " + edd + "), archive downloads (known plugin " + edd + "), query variable download (default)"},
		{"a known tree", func(e *Evidence) {
			active(e, "bbpress/bbpress.php")
			rows(e, "forum")
			e.RewriteRules, e.Locale = nil, "en_US"
		}, postTypes, "forum",
			"public (known plugin bbpress/bbpress.php), viewable (default), a tree (known plugin bbpress/bbpress.php), slug forums/forum (known plugin bbpress/bbpress.php), " +
				"without front (known plugin bbpress/bbpress.php), archive forums (known plugin bbpress/bbpress.php), query variable forum (default)"},
		{"a known type without addresses", func(e *Evidence) { active(e, "buddypress/bp-loader.php"); rows(e, "buddypress") }, postTypes, "buddypress",
			"public (known plugin buddypress/bp-loader.php), not viewable (known plugin buddypress/bp-loader.php), a tree (known plugin buddypress/bp-loader.php), " +
				"no rewriting (known plugin buddypress/bp-loader.php), no archive (default), query variable buddypress (default)"},
		{"a slug in the option of a known plugin", func(e *Evidence) {
			active(e, "download-manager/download-manager.php")
			rows(e, "wpdmpro")
			e.RewriteRules, e.Plugins.Options = nil, map[string]php.Value{"__wpdm_purl_base": php.NewString("files/")}
		}, postTypes, "wpdmpro",
			"public (known plugin download-manager/download-manager.php), viewable (default), flat (known plugin download-manager/download-manager.php), " +
				"slug files (option __wpdm_purl_base), without front (option __wpdm_purl_base), no archive (default), query variable wpdmpro (default)"},
		{"post_parent", func(e *Evidence) {
			e.RewriteRules, e.PermalinkStructure = nil, ""
			listed(e)
			e.PostTypes = []Rows{{Name: "book", Used: 1, Parents: true}}
		}, postTypes, "book",
			"public (" + seo + "), viewable (default), a tree (table posts), slug book (default), with front (default), no archive (default), query variable book (default)"},
		{"a taxonomy by rules", func(e *Evidence) {
			listed(e)
			e.RewriteRules = rules(routes.Rule{Regex: `genres/(.+?)/?$`, Query: `index.php?genre=$matches[1]`})
			e.Taxonomies = []Rows{{Name: "genre", Used: 1, ObjectTypes: []string{"book", "post"}}}
		}, taxonomies, "genre",
			"public (option wpseo[last_known_public_taxonomies]), a tree (option rewrite_rules), slug genres (option rewrite_rules), with front (option rewrite_rules), " +
				"query variable genre (option rewrite_rules), of book, post (table term_relationships)"},
		{"a taxonomy of no type", func(e *Evidence) {
			listed(e)
			e.Taxonomies = []Rows{{Name: "genre", Used: 1, Parents: true}}
		}, taxonomies, "genre",
			"public (option wpseo[last_known_public_taxonomies]), a tree (table term_taxonomy), no rewriting (option rewrite_rules), query variable genre (default), " +
				"of no post type (default)"},
		{"a known taxonomy", func(e *Evidence) {
			active(e, edd)
			e.RewriteRules, e.Taxonomies = nil, []Rows{{Name: "download_category", Used: 1}}
		}, taxonomies, "download_category",
			"public (known plugin " + edd + "), a tree (known plugin " + edd + "), slug downloads/category (known plugin " + edd + "), without front (known plugin " + edd + "), " +
				"query variable download_category (default), of download (known plugin " + edd + ")"},
		{"WordPress' own", func(e *Evidence) { e.CategoryBase = "topics" }, taxonomies, "category",
			"public (core), a tree (core), slug topics (option category_base), without front (option category_base), query variable category_name (core), of post (core)"},
		{"the base of post formats", func(e *Evidence) {
			e.RewriteRules = []routes.Rule{rule(`format/([^/]+)/?$`, `index.php?post_format=$matches[1]`)}
		}, taxonomies, "post_format",
			"public (core), flat (core), slug format (option rewrite_rules), with front (option rewrite_rules), query variable post_format (core), of post (core)"},
		{"the URL of a front end", func(e *Evidence) {
			listed(e)
			e.Overrides.PostTypes = map[string]PostTypeOverride{"book": {URL: ptr("read/{slug}")}}
		}, postTypes, "book",
			"public (" + seo + "), viewable (default), flat (default), no rewriting (option rewrite_rules), no archive (default), query variable book (default), " +
				"URLs read/{slug} (configuration)"},
		{"what an SEO plugin leaves out", func(e *Evidence) {
			active(e, "sensei-lms/sensei-lms.php")
			rows(e, "quiz")
			e.RewriteRules, e.Locale = nil, "en_US"
		}, postTypes, "quiz",
			"public (known plugin sensei-lms/sensei-lms.php), viewable (default), flat (known plugin sensei-lms/sensei-lms.php), slug quiz (known plugin sensei-lms/sensei-lms.php), " +
				"without front (known plugin sensei-lms/sensei-lms.php), no archive (default), query variable quiz (default), " +
				"taken out of the sitemaps of yoast, core (known plugin sensei-lms/sensei-lms.php)"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			got := words(named(Decide(site(tt.change)).of(tt.kind), tt.name))
			expect.Same(t, strings.Split(tt.want, ", "), strings.Split(got, ", "))
		})
	}
}

// Custom Post Type Permalinks gives each public type with addresses a structure, and terms the slug of their first post type.
func TestStructures(t *testing.T) {
	shop := func(change func(*Evidence)) *Registry {
		return Decide(site(func(e *Evidence) {
			e.PermalinkStructure = "/blog/%postname%/"
			e.Plugins.Active[PluginStructures] = true
			e.Plugins.Structures = map[string]string{"book_structure": "/%year%/%book_slug%/%postname%/", "hidden_structure": "/x/"}
			e.RewriteRules = rules(append([]routes.Rule{flat("blog/books", "book"), flat("films", "film")},
				append(terms("blog/genre", "genre"), terms("mood", "mood")...)...)...)
			e.Yoast.PostTypes, e.Yoast.Taxonomies = []string{"book", "film", "plain"}, []string{"genre", "mood", "free", "lone"}
			e.PostTypes = []Rows{{Name: "hidden", Used: 1}}
			e.Taxonomies = []Rows{
				{Name: "genre", Used: 1, ObjectTypes: []string{"book", "film"}}, {Name: "mood", Used: 1, ObjectTypes: []string{"film"}},
				{Name: "free", Used: 1}, {Name: "lone", Used: 1, ObjectTypes: []string{"plain"}},
			}
			change(e)
		}))
	}
	structures := func(r *Registry) string {
		var all []string
		for _, p := range r.PostTypes {
			if p.Structure != "" {
				all = append(all, p.Name+" "+p.Structure)
			}
		}
		for _, x := range r.Taxonomies {
			if !x.BuiltIn {
				all = append(all, fmt.Sprint(x.Name, " ", x.Slug, " ", x.WithFront, " ", x.RewriteHierarchical, " ", x.Sources[keySlug] == sourceStructures))
			}
		}
		return strings.Join(all, ", ")
	}
	const plainTerms = "genre genre true false false, mood mood false false false, free  false false false, lone  false false false"
	const types = "book /%year%/books/%book%/, film /%film%, "
	none := func(value string) func(*Evidence) {
		return func(e *Evidence) { e.Plugins.Structures[NoTermStructures] = value }
	}
	for _, tt := range []struct {
		rule   string
		change func(*Evidence)
		want   string
	}{
		{"terms have no structure by default", func(*Evidence) {}, types + plainTerms},
		{"terms have none", none("1"), types + plainTerms},
		{"terms have one", none("0"),
			types + "genre blog/books/genre false true true, mood films/mood false true true, free  false false false, lone  false false false"},
		{"terms have one, with nothing stored", none(""),
			types + "genre blog/books/genre false true true, mood films/mood false true true, free  false false false, lone  false false false"},
		{"the operator's slug stays", func(e *Evidence) {
			none("0")(e)
			e.Overrides.Taxonomies = map[string]TaxonomyOverride{"genre": {Slug: ptr("own")}}
		}, types + "genre own true false false, mood films/mood false true true, free  false false false, lone  false false false"},
		{"a taxonomy that is not public stays", func(e *Evidence) {
			none("0")(e)
			e.Overrides.Taxonomies = map[string]TaxonomyOverride{"mood": {Public: ptr(false)}}
		}, types + "genre blog/books/genre false true true, mood mood false false false, free  false false false, lone  false false false"},
		{"the plugin is not active", func(e *Evidence) { e.Plugins.Active = nil }, plainTerms},
		{"plain permalinks", func(e *Evidence) { e.PermalinkStructure, e.RewriteRules = "", nil },
			"genre genre true false false, mood mood true false false, free free true false false, lone lone true false false"},
	} {
		expect.Equal(t, structures(shop(tt.change)), tt.want, tt.rule)
	}
	r := shop(func(*Evidence) {})
	expect.Contains(t, words(r.PostType("book")), "structure /%year%/books/%book%/ (Custom Post Type Permalinks)")
}

// A post type that the plugin has structured rules for is public, while the plugin is active.
func TestStructuredTypes(t *testing.T) {
	structured := rule(`(song)/([0-9]+)(?:/([0-9]+))?/?$`, `index.php?post_type=song&slug=$matches[1]&p=$matches[2]&page=$matches[3]`)
	for _, tt := range []struct {
		rule   string
		change func(*Evidence)
		want   string
	}{
		{"structured rules", func(e *Evidence) { e.RewriteRules, e.Plugins.Active[PluginStructures] = rules(structured), true },
			"public from Custom Post Type Permalinks"},
		{"the plugin is not active", func(e *Evidence) { e.RewriteRules = rules(structured) }, "private, unknown"},
		{"other rules", func(e *Evidence) {
			e.RewriteRules, e.Plugins.Active[PluginStructures] = rules(flat("song", "song")), true
		}, "private, unknown"},
		{"no rules of the type", func(e *Evidence) { e.Plugins.Active[PluginStructures] = true }, "unknown"},
	} {
		r := Decide(site(func(e *Evidence) { e.PostTypes = []Rows{{Name: "song", Used: 1}}; tt.change(e) }))
		expect.Equal(t, state(r, postTypes, "song"), tt.want, tt.rule)
	}
	r := Decide(site(func(e *Evidence) {
		e.Taxonomies, e.Plugins.Active[PluginStructures] = []Rows{{Name: "song", Used: 1}}, true
		e.RewriteRules = rules(append(terms("song", "song"), structured)...)
	}))
	expect.Equal(t, state(r, taxonomies, "song"), "private, unknown", "a taxonomy of that name")
}

// What rewrite rules have shown holds while WordPress has emptied them, if the permalink structure is the same.
func TestRoutedBefore(t *testing.T) {
	full := site(func(e *Evidence) {
		e.RewriteRules = rules(append(terms("genre", "genre"), flat("books", "book"),
			rule(`team/([^/]+)/embed/?$`, `index.php?author_name=$matches[1]&embed=true`),
			rule(`team/([^/]+)/?$`, `index.php?author_name=$matches[1]`))...)
		e.RewriteRules = e.RewriteRules[:6]
		e.PostTypes, e.Yoast.PostTypes, e.Yoast.Taxonomies = []Rows{{Name: "book", Used: 1}, {Name: "film", Used: 1}}, []string{"book", "film"},
			[]string{"genre"}
		e.Taxonomies = []Rows{{Name: "genre", Used: 1}}
	})
	before := Decide(full).Routed("/%postname%/")
	names := func(types []*Type) (names []string) {
		for _, t := range types {
			names = append(names, t.Name)
		}
		return names
	}
	expect.List(t, names(before.PostTypes), []string{"book", "film"},
		"post types that the rules decided: the address of one, and that the other has none")
	expect.List(t, names(before.Taxonomies), []string{"genre"}, "taxonomies that the rules decided")
	expect.Equal(t, before.AuthorBase, "team")
	emptied := func(change func(*Evidence)) *Registry {
		e := full
		e.RewriteRules, e.Before = nil, before
		change(&e)
		return Decide(e)
	}
	r := emptied(func(*Evidence) {})
	expect.Equal(t, state(r, postTypes, "book"), "public from option rewrite_rules, before it was emptied")
	expect.Equal(t, state(r, taxonomies, "genre"), "public from option rewrite_rules, before it was emptied")
	expect.Equal(t, r.PostType("book").Slug, "books")
	expect.Equal(t, r.AuthorBase, "team")
	r = emptied(func(e *Evidence) { // nothing else tells whether a type is public
		e.Yoast.PostTypes, e.Yoast.Taxonomies, e.Taxonomies = nil, nil, []Rows{{Name: "genre", Used: 1}, {Name: "book", Used: 1}}
	})
	expect.Equal(t, state(r, postTypes, "book"), "public from option rewrite_rules, before it was emptied", "without Yoast SEO")
	expect.Equal(t, state(r, taxonomies, "genre"), "public from option rewrite_rules, before it was emptied", "without Yoast SEO")
	expect.Equal(t, state(r, taxonomies, "book"), "private, unknown", "a taxonomy of the same name")
	for rule, change := range map[string]func(*Evidence){
		"another permalink structure": func(e *Evidence) { e.PermalinkStructure = "/%year%/%postname%/" },
		"there are rules":             func(e *Evidence) { e.RewriteRules = rules(flat("volumes", "book")) },
		"nothing is remembered":       func(e *Evidence) { e.Before = nil },
	} {
		r := emptied(change)
		expect.Equal(t, r.PostType("book").Slug != "books", true, rule, "the slug of before is not used")
		expect.Equal(t, r.AuthorBase, "author", rule)
	}
}
