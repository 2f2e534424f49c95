package wp

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The rules are those of Custom Permalinks 3 and Permalink Manager 2.5.
func TestAddressesSetByHand(t *testing.T) {
	active := func(plugin string) string { return setOption("active_plugins", phpList(plugin)) }
	meta := func(post int, value string) string {
		return fmt.Sprintf("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (%d, 'custom_permalink', '%s')", post, value)
	}
	seed := []string{
		setOption("permalink_structure", "/%postname%/"), setOption("home", "https://a.test/in"), setOption("show_on_front", "page"), setOption("page_on_front", "3"),
		"DELETE FROM wp_posts", "DELETE FROM wp_postmeta", "DELETE FROM wp_terms", "DELETE FROM wp_term_taxonomy",
		addPost(1, "post", "publish", "one", 0), addPost(2, "page", "publish", "two", 0), addPost(3, "page", "publish", "front", 0),
		addPost(4, "attachment", "inherit", "photo", 1), addPost(5, "post", "publish", "five", 0),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'Seven', 'seven'), (8, 'Eight', 'eight')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count) VALUES (7, 7, 'category', '', 1), (8, 8, 'post_tag', '', 1)",
		meta(1, "guides//own-path/"), meta(2, "some%20where.html"), meta(3, "start/"), meta(4, "picture/"), meta(5, "0"), meta(5, "later/"),
		setOption("custom_permalink_table", "a:2:{"+phpText("topics/seven/")+`a:1:{s:2:"id";i:7;}`+phpText("no/")+`a:1:{s:2:"id";s:1:"8";}}`),
		setOption("permalink-manager-uris", "a:5:{i:1;"+phpText("Große straße/a+b")+"i:2;"+phpText("page.html")+"i:3;"+phpText("start")+"i:5;"+phpText("left")+phpText("tax-7")+phpText("themes/seven")+"}"),
		setOption("permalink-manager", `a:1:{s:7:"general";a:1:{s:16:"exclude_post_ids";`+phpText("4, 5-6")+"}}"),
	}
	plain := map[string]string{"1": "one/", "2": "two/", "3": "", "4": "one/photo/", "5": "five/", "7": "category/seven/", "8": "tag/eight/"}
	with := func(changes ...string) map[string]string {
		all := map[string]string{}
		for k, v := range plain {
			all[k] = v
		}
		for i := 0; i < len(changes); i += 2 {
			all[changes[i]] = changes[i+1]
		}
		return all
	}
	managed := []string{"1", "Gro%C3%9Fe+stra%C3%9Fe/a+b/", "2", "page.html", "4", "Große straße/a+b/attachment/photo/"}
	for _, c := range []struct {
		plugin string
		want   map[string]string
	}{
		{"", plain},
		{"custom-permalinks/custom-permalinks.php", with("1", "guides/own-path/", "2", "some%20where.html", "4", "guides/own-path/photo/", "7", "topics/seven/")},
		{"permalink-manager/permalink-manager.php", with(managed...)},
		{"permalink-manager-pro/permalink-manager.php", with(append(managed, "7", "themes/seven/")...)},
	} {
		t.Run(c.plugin, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, append(seed, active(c.plugin))...)
			blog := openSite(t, Source{DSN: dsn})
			e, err := blog.evidence(t.Context(), options{})
			if manager := strings.HasPrefix(c.plugin, "permalink-manager"); err != nil || e.DynamicPermalinks != manager {
				t.Errorf("it switches Yoast's dynamic permalinks on: %t, %v", e.DynamicPermalinks, err)
			}
			posts, err := blog.Posts(t.Context(), []int64{1, 2, 3, 4, 5}, func(*Post, string) {})
			wptest.Must(t, err)
			got := map[string]string{}
			for _, p := range posts {
				got[fmt.Sprint(p.ID)] = strings.TrimPrefix(p.Link, "https://a.test/in/")
			}
			for _, name := range []string{"category", "post_tag"} {
				terms, err := blog.TermsByID(t.Context(), blog.Registry().Taxonomy(name), []int64{7, 8})
				wptest.Must(t, err)
				for _, term := range terms {
					got[fmt.Sprint(term.ID)] = strings.TrimPrefix(term.Link, "https://a.test/in/")
				}
			}
			expect.Same(t, c.want, got)
		})
	}
}

func TestPermalinkManagerEndsPaths(t *testing.T) {
	for _, c := range []struct {
		mode                  int64
		structure, path, want string
	}{
		{0, "/%postname%/", "a/b", "a/b/"},
		{0, "/%postname%", "a/b/", "a/b"},
		{1, "/%postname%", "a/b", "a/b/"},
		{2, "/%postname%/", "a//b/", "a/b"},
		{1, "/%postname%/", "a/b.html", "a/b.html"},
		{1, "/%postname%/", "v1.2", "v1.2/"},
		{1, "/%postname%/", "a?b=c", "a/?b=c"},
	} {
		b := permalink.New(permalink.Settings{Home: "https://a.test", Structure: c.structure})
		expect.Equal(t, (&ManagedPaths{Slashes: c.mode}).slashed(b, c.path), c.want, c.mode, c.structure, c.path)
	}
}

// The plugin ends the addresses of posts, too, that have none of their own there.
func TestPermalinkManagerEndsAllPosts(t *testing.T) {
	b := permalink.New(permalink.Settings{Home: "https://a.test", Structure: "/%postname%/"})
	s := &Blog{home: "https://a.test", registry: &registry.Registry{PostTypes: []*registry.PostType{{Name: "page", Viewable: true}}}}
	s.set.HandSet.Manager = &ManagedPaths{Slashes: 2, PostRanges: []idRange{{5, 6}}}
	for _, c := range []struct {
		id         int64
		path, want string
	}{{1, "about/", "about"}, {5, "left/", "left/"}, {2, "", ""}} {
		p := &Post{ID: c.id, Type: "page", Status: "publish"}
		expect.Equal(t, s.managed(b, p, "https://a.test/"+c.path), "https://a.test/"+c.want, c.path)
	}
}

func TestPathsThatCannotBeSet(t *testing.T) {
	for _, path := range []string{strings.Repeat("a", 64<<10), "a\nb", "a\x7f"} {
		s := &Blog{}
		if got := s.pathByHand(path); got != "" || len(s.Warnings()) != 1 {
			t.Errorf("%.20q: %q, %q", path, got, s.Warnings())
		}
	}
}
