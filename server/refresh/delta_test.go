package refresh

import (
	"testing"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest/expect"
)

// What a change set says of the rows of posts.
func TestChangeSetOf(t *testing.T) {
	b := &site.Blog{Facts: site.Facts{Reader: &fakeSite{}}}
	for _, tt := range []struct {
		name    string
		written *changes.Set
		want    bool
	}{
		{"meta was written, and no posts", &changes.Set{Tables: map[string]bool{"wp_postmeta": true, "other_posts": true}}, true},
		{"posts, too", &changes.Set{Tables: map[string]bool{"wp_postmeta": true, "wp_posts": true}}, false},
		{"it is not known what", &changes.Set{}, false},
		{"nothing was written", nil, false},
		{"others' tables", &changes.Set{Tables: map[string]bool{"other_postmeta": true}}, false},
	} {
		expect.Equal(t, changeSetOf(tt.written, b).NoPosts, tt.want, tt.name)
	}
}

// What the tables of a change set hold: visits that a plugin counts beside its settings are less than other settings.
func TestWrittenIn(t *testing.T) {
	r, _ := newTestRefresher(t)
	for _, tt := range []struct {
		tables []string
		want   Written
	}{
		{[]string{"wp_posts"}, Objects}, {[]string{"wp_options"}, Options}, {[]string{"wp_redirection_items"}, Counters},
		{[]string{"wp_options", "wp_redirection_items"}, Options}, {[]string{"wp_posts", "wp_options"}, Objects}, {nil, Objects},
	} {
		set := &changes.Set{Tables: map[string]bool{}}
		for _, name := range tt.tables {
			set.Tables[name] = true
		}
		expect.Equal(t, r.writtenIn(set), tt.want, tt.tables)
	}
}
