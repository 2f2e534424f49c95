package refresh

import (
	"context"
	"strings"
	"testing"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/rows"
)

// What a word says of the rows of posts.
func TestWrittenTo(t *testing.T) {
	b := &site.Blog{Settings: site.Settings{Written: func(tables []string) (names []string) {
		for _, name := range tables {
			if short, ok := strings.CutPrefix(name, "wp_"); ok {
				names = append(names, short)
			}
		}
		return names
	}}}
	for _, tt := range []struct {
		name string
		word *changes.Set
		want bool
	}{
		{"meta was written, and no posts", &changes.Set{Tables: map[string]bool{"wp_postmeta": true, "other_posts": true}}, true},
		{"posts, too", &changes.Set{Tables: map[string]bool{"wp_postmeta": true, "wp_posts": true}}, false},
		{"it is not known what", &changes.Set{}, false},
		{"no word of a write", nil, false},
		{"others' tables", &changes.Set{Tables: map[string]bool{"other_postmeta": true}}, false},
	} {
		if got := writtenTo(tt.word, b).NoPosts; got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A write to posts of which deltas find nothing is not explained by those they have found before.
func TestUnexplained(t *testing.T) {
	r, c := newTestRefresher(t)
	wrote := func(table string) *changes.Set { return &changes.Set{Tables: map[string]bool{table: true}} }
	posts, again := wrote("wp_posts"), wrote("wp_posts")
	again.MaybeRepeat = true
	for _, tt := range []struct {
		name    string
		words   []*changes.Set
		touched []int // what the delta of each has found
		want    bool
	}{
		{"an edit", []*changes.Set{posts}, []int{1}, false},
		{"an edit that is told twice", []*changes.Set{posts, again}, []int{1, 0}, false},
		{"a change in place", []*changes.Set{posts}, []int{0}, true},
		{"a change in place after an edit", []*changes.Set{posts, posts}, []int{1, 0}, true},
		{"a change in place before an edit", []*changes.Set{posts, posts}, []int{0, 1}, true},
		{"meta after an edit", []*changes.Set{posts, wrote("wp_postmeta")}, []int{1, 0}, false},
	} {
		b := *r.site.Snapshot().Blogs[0]
		b.Readings = []site.Reading{{Kind: site.AuditReading}}
		b.Written = func(tables []string) []string { return []string{strings.TrimPrefix(tables[0], "wp_")} }
		now := &b
		for i, word := range tt.words {
			now.Delta = func(context.Context, site.Catalog, rows.ChangeSet) (site.Catalog, int, error) {
				return c, tt.touched[i], nil
			}
			next, err := r.deltaOf(t.Context(), now, word)
			if err != nil {
				t.Fatal(err)
			}
			now = next
		}
		audited := *now
		audited.Readings = now.Noted(site.Reading{Kind: site.AuditReading})
		if got := unexplained(posts, &audited, now); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
