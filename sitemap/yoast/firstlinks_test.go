package yoast_test

import (
	"fmt"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
)

// What comes first among pages and posts where the options of the front page name what is not, or no longer, the front page. Of a
// deleted one the plugin writes an entry without an address, which no level repeats.
func TestFirstLinksOfStaleOptions(t *testing.T) {
	const gone = "DELETE FROM wp_posts WHERE ID = 3"
	row := func(id int, kind, status, name string, parent int) string {
		return sitemaptest.Insert(sitemaptest.Row{ID: id, Type: kind, Status: status, Name: name, Parent: parent, MIME: "image/jpeg"})
	}
	front := func(id int) []string { // of a site with one other page
		return []string{
			`DELETE FROM wp_posts WHERE post_type = 'page' AND post_name <> 'about'`, row(9001, "attachment", "inherit", "picture", 0),
			row(9002, "attachment", "inherit", "below", 100), row(9003, "page", "trash", "gone", 0),
			sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", fmt.Sprint(id)), sitemaptest.SetOption("page_for_posts", "0"),
		}
	}
	for _, tt := range []struct {
		name, list   string
		change       []string
		spec, plugin string // the first entry, without the host
	}{
		{"a draft that was the front page", "page",
			[]string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 2", sitemaptest.SetOption("show_on_front", "posts")},
			"/journal/", "/?page_id=2"}, // home is among the posts
		{"show_on_front is unknown: the latest posts are on the front page", "post",
			[]string{"DELETE FROM wp_options WHERE option_name = 'show_on_front'"}, "/", ""},
		{"show_on_front is unknown and the posts page is gone", "post", []string{sitemaptest.SetOption("show_on_front", "other"), gone}, "/", ""},
		{"the posts page is gone", "post", []string{gone}, "/the-pier-at-dawn/", "/no-modified-date/"},
		{"the front page is deleted", "page", front(99999), "/about/", "/about/"},
		{"the front page is an attachment", "page", front(9001), "/about/", "/picture/"},
		{"the front page is an attachment of a post", "page", front(9002), "/about/", "/the-pier-at-dawn/below/"},
		{"the front page is in the trash", "page", front(9003), "/about/", "/"},
		{"the front page is a post", "page", front(100), "/about/", "/the-pier-at-dawn/"},
		{"the front page is a page", "page", append(front(9004), row(9004, "page", "publish", "start", 0)), "/", "/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for level, want := range map[seo.Level]string{seo.SpecLevel: tt.spec, seo.PluginLevel: tt.plugin} {
				c := sitemaptest.Of(t, "basic", seo.Options{Compat: level}, tt.change...)
				if got := sitemaptest.Listed(t, c, tt.list)[0]; got != want {
					t.Errorf("%s: %s, want %s", level, got, want)
				}
			}
		})
	}
}
