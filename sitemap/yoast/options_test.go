package yoast

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
)

func blogOf(t *testing.T, dsn string) *wp.Blog {
	t.Helper()
	n, err := wp.Open(t.Context(), wp.Source{Name: "test", DSN: dsn, Declared: wp.Declare(Inputs...)})
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	sites, err := n.ReadBlogs(t.Context())
	wptest.Must(t, err)
	return sites[0]
}

func TestNetworkSwitchesSitemapsOff(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	wptest.Exec(t, dsn, `UPDATE wp_sitemeta SET meta_value = 'a:1:{s:24:"allow_enable_xml_sitemap";b:0;}' WHERE meta_key = 'wpseo_ms'`)
	if OptionsOf(blogOf(t, dsn)).Sitemaps {
		t.Error("sitemaps are on, though the network forbids them")
	}
}

// How strictly Yoast compares each switch (yoast-sitemaps 4, 5, 6.2, 8).
func TestYoastSwitches(t *testing.T) {
	stored := map[string]string{"true": "b:1", "false": "b:0", "on": `s:2:"on"`, "1": "i:1", "0": `s:1:"0"`, "empty": `s:0:""`, "null": "N"}
	postType := func(name string) func(*settings) bool {
		return func(s *settings) bool { return s.PostType(&registry.PostType{Name: name}) != nil }
	}
	taxonomy := func(name string, plainly bool) func(*settings) bool {
		return func(s *settings) bool {
			s.plainly = plainly
			return s.Taxonomy(&registry.Taxonomy{Name: name}) != nil
		}
	}
	authors := func(s *settings) bool { return s.Authors() != nil }
	for level, plainly := range map[seo.Level]bool{seo.SpecLevel: true, seo.PluginLevel: false} {
		if s := NewSettings(new(wp.Blog), level).(*settings); s.plainly != plainly {
			t.Errorf("%s: taken plainly: %t", level, s.plainly)
		}
	}
	for _, tt := range []struct {
		name string
		key  string
		get  func(*settings) bool
		on   string // what switches it on, "unsaved" among them
	}{
		{"disable-TYPE is any truth", "disable-book", postType("book"), "1 on true"},
		{"attachments are disabled unless saved otherwise", "disable-attachment", postType("attachment"), "1 on true unsaved"},
		{"noindex-TYPE is all but false", "noindex-book", postType("book"), "0 1 empty on true"},
		{"noindex-ptarchive-TYPE is any truth", "noindex-ptarchive-book", func(s *settings) bool { return s.Archive("book") != nil }, "1 on true"},
		{"noindex-tax-TAXONOMY is true only", "noindex-tax-mood", taxonomy("mood", false), "true"},
		{"noindex-tax-TAXONOMY is any truth where it is taken plainly", "noindex-tax-mood", taxonomy("mood", true), "1 on true"},
		{"post formats are noindexed unless saved otherwise", "noindex-tax-post_format", taxonomy("post_format", false), "true unsaved"},
		{"disable-post_format is any truth", "disable-post_format", func(s *settings) bool {
			return s.Taxonomy(&registry.Taxonomy{Name: "post_format"}).Rule == seo.RuleTypeHidden
		}, "1 on true"},
		{"disable-author is any truth", "disable-author", authors, "1 on true"},
		{"noindex-author-wpseo is any truth", "noindex-author-wpseo", authors, "1 on true"},
		{"authors need posts unless saved otherwise", "noindex-author-noposts-wpseo", func(s *settings) bool { return s.AuthorTypes() != nil },
			"1 null on true unsaved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var on []string
			with := func(titles php.Value) *settings {
				return &settings{Meta: seo.Meta{Blog: new(wp.Blog)}, Options: &Options{titles: titles}}
			}
			if tt.get(with(php.Value{})) {
				on = append(on, "unsaved")
			}
			for name, value := range stored {
				titles, err := php.MaybeUnserialize(fmt.Sprintf(`a:1:{s:%d:"%s";%s;}`, len(tt.key), tt.key, value))
				wptest.Must(t, err)
				if tt.get(with(titles)) {
					on = append(on, name)
				}
			}
			slices.Sort(on)
			if got := strings.Join(on, " "); got != tt.on {
				t.Errorf("it is switched on by %q, want %q", got, tt.on)
			}
		})
	}
}

func TestTermMeta(t *testing.T) {
	meta, err := php.MaybeUnserialize(`a:1:{s:8:"category";a:3:{i:8;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}i:9;` +
		`a:2:{s:13:"wpseo_noindex";s:5:"index";s:15:"wpseo_canonical";s:15:"https://y.test/";}i:10;s:4:"text";}}`)
	wptest.Must(t, err)
	y := &Options{taxonomyMeta: meta}
	for id, want := range map[int64]bool{8: true, 9: false, 10: false, 11: false} {
		if got := y.TermNoindex("category", id); got != want {
			t.Errorf("noindex of %d: %t", id, got)
		}
	}
	if y.TermNoindex("post_tag", 8) {
		t.Error("noindex of a term of another taxonomy")
	}
	if got := y.TermCanonical("category", 9); got != "https://y.test/" {
		t.Errorf("canonical of 9: %q", got)
	}
	if got := y.TermCanonical("category", 8) + y.TermCanonical("category", 10); got != "" {
		t.Errorf("canonical of 8 and 10: %q", got)
	}
}
