package registry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wpsitemapd/wp/php"
)

// The rules are those of Pods 3.3 and MB Custom Post Types 2.11.
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
		if err != nil {
			t.Fatal(err)
		}
		return Definition{taxonomy, name, PluginMetaBox, v}
	}
	for _, c := range []struct {
		name     string
		def      Definition
		postType *PostType
		taxonomy *Taxonomy
	}{
		{
			name:     "Pods' defaults",
			def:      pods(false, "my_book"),
			postType: &PostType{Public: true, Viewable: true, Rewrite: true, Slug: "my-book", WithFront: true, QueryVar: "my_book"},
		},
		{
			name: "Pods",
			def: pods(false, "book", "hierarchical", "1", "has_archive", "1", "has_archive_slug", "all books", "rewrite_custom_slug", "our/books",
				"rewrite_with_front", "0", "publicly_queryable", "0", "query_var", "0"),
			postType: &PostType{Public: true, Rewrite: true, Slug: "our/books", Hierarchical: true, HasArchive: true, ArchiveSlug: "all-books"},
		},
		{name: "Pods without rewriting", def: pods(false, "book", "rewrite", "0", "public", "0"), postType: &PostType{QueryVar: "book"}},
		{
			name: "a taxonomy of Pods",
			def:  pods(true, "era", "hierarchical", "1", "built_in_post_types_post", "1", "built_in_post_types_page", "0"),
			taxonomy: &Taxonomy{Public: true, Hierarchical: true, RewriteHierarchical: true, Rewrite: true, Slug: "era", WithFront: true,
				QueryVar: "era", ObjectTypes: []string{"post"}},
		},
		{
			name:     "Meta Box",
			def:      box(false, "book", `{"slug":"book","public":true,"has_archive":true,"archive_slug":"shelf","rewrite":{"slug":"","with_front":false}}`),
			postType: &PostType{Public: true, Viewable: true, Rewrite: true, Slug: "book", QueryVar: "book", HasArchive: true, ArchiveSlug: "shelf"},
		},
		{name: "WordPress' defaults", def: box(false, "book", `{"slug":"book"}`), postType: &PostType{Rewrite: true, Slug: "book", WithFront: true, QueryVar: "book"}},
		{
			name:     "a taxonomy of Meta Box",
			def:      box(true, "era", `{"slug":"era","types":["book"],"rewrite":{"slug":"eras","hierarchical":true},"hierarchical":true,"publicly_queryable":false}`),
			taxonomy: &Taxonomy{Public: true, Unqueryable: true, Hierarchical: true, RewriteHierarchical: true, Rewrite: true, Slug: "eras", WithFront: true, ObjectTypes: []string{"book"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			decide := func(active bool) *Registry {
				return Decide(site(func(e *Evidence) {
					e.ActivePlugins = map[string]bool{c.def.Plugin: active}
					e.Definitions = []Definition{c.def}
				}))
			}
			r := decide(true)
			ignored := cmpopts.IgnoreFields
			if c.postType != nil {
				c.postType.Name = c.def.Name
				if diff := cmp.Diff(c.postType, r.PostType(c.def.Name), ignored(PostType{}, "Sources")); diff != "" {
					t.Error(diff)
				}
			} else {
				c.taxonomy.Name = c.def.Name
				if diff := cmp.Diff(c.taxonomy, r.Taxonomy(c.def.Name), ignored(Taxonomy{}, "Sources")); diff != "" {
					t.Error(diff)
				}
			}
			if r := decide(false); r.PostType(c.def.Name) != nil || r.Taxonomy(c.def.Name) != nil {
				t.Error("a definition counts while its plugin is not active")
			}
		})
	}
}
