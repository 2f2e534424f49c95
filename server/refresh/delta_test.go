package refresh

import (
	"testing"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest/expect"
	"wpsitemapd/wp/writes"
)

func wrote(table string) *writes.Set {
	return &writes.Set{Tables: map[string]bool{table: true}, Settled: time.Now().Add(time.Second)}
}

// TestTablesOf checks what a change set says about the tables of a blog.
func TestTablesOf(t *testing.T) {
	r, _ := newTestRefresher(t)
	b := r.site.Snapshot().Blogs[0]
	for _, tt := range []struct {
		name    string
		written *writes.Set
		want    []string
	}{
		{"tables of others do not count", &writes.Set{Tables: map[string]bool{"wp_postmeta": true, "other_posts": true}}, []string{"postmeta"}},
		{"it is not known what", &writes.Set{}, nil},
		{"nothing was written", nil, nil},
	} {
		expect.List(t, tablesOf(tt.written, b), tt.want, tt.name)
	}
	expect.Equal(t, concerns(&writes.Set{}, b, pageTables()), true, "anything may have been written")
	expect.Equal(t, len(tablesOf(wrote("wp_posts"), &site.Blog{})), 0, "tables of a blog that is not in memory")
}

// If only settings were written, no objects are read.
func TestSettingsAlone(t *testing.T) {
	r, _ := newTestRefresher(t)
	for _, tt := range []struct {
		tables []string
		want   bool
	}{
		{[]string{"wp_posts"}, false}, {[]string{"wp_options"}, true}, {[]string{"wp_options", "wp_redirection_items"}, true},
		{[]string{"wp_posts", "wp_options"}, false}, {nil, false},
	} {
		set := &writes.Set{Tables: map[string]bool{}}
		for _, name := range tt.tables {
			set.Tables[name] = true
		}
		expect.Equal(t, r.settingsAlone(set), tt.want, tt.tables)
	}
}
