package yoast_test

import (
	"errors"
	"strings"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

const zeroDate = "-0001-11-30T00:00:00+00:00"

// Rows written past WordPress may have zero dates of change. Where Yoast asks MySQL for the newest
// of several it prints what PHP makes of that, in the index, at the archive and at terms; a post of itself
// has none then. Level spec knows no such date.
func TestZeroDatesOfChange(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_modified_gmt = '0000-00-00 00:00:00' WHERE post_type = 'post'")
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Build(t, blog, seo.Options{Compat: level})
			index, posts, tags := sitemaptest.Render(t, c, seo.IndexName, 1), sitemaptest.Render(t, c, "post", 1), sitemaptest.Render(t, c, "post_tag", 1)
			want := map[string]bool{
				"post": string(level) == string(seo.PluginLevel), "category": string(level) == string(seo.PluginLevel),
				"post_tag": string(level) == string(seo.PluginLevel), "page": false,
			}
			for name, zero := range want {
				if got := sitemaptest.IndexDate(t, index.Body, c.URL(name, 1)); (got == zeroDate) != zero {
					t.Errorf("%s: index date of %s: %q", string(level), name, got)
				}
			}
			if !index.LastMod.IsZero() && index.LastMod.Year() < 1970 {
				t.Errorf("%s: the index changed at %v", string(level), index.LastMod)
			}
			if !tags.LastMod.IsZero() {
				t.Errorf("%s: the sitemap of tags changed at %v", string(level), tags.LastMod)
			}
			for name, doc := range map[string]*catalog.Document{"tags": tags, "posts": posts} {
				entries, zero := sitemaptest.Parse(t, doc.Body).Entries, 0 // the first of posts is the posts page
				for _, entry := range entries {
					if entry.LastMod == zeroDate {
						zero++
					}
				}
				if (zero > 0) != (string(level) == string(seo.PluginLevel)) || name == "posts" && zero > 1 || zero > 0 && entries[0].LastMod != zeroDate {
					t.Errorf("%s: %d of the %s have a zero date", string(level), zero, name)
				}
			}
			schematest.Validate(t, sitemaptest.WithoutZeroDates(index.Body), sitemaptest.WithoutZeroDates(posts.Body), sitemaptest.WithoutZeroDates(tags.Body))
		}
	})
}

// The other formats have no such date: a text sitemap did not change in the year -1, and a feed of nothing but zero dates
// is no feed.
func TestZeroDatesInOtherFormats(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_modified_gmt = '0000-00-00 00:00:00', post_date_gmt = '0000-00-00 00:00:00'",
		"DELETE FROM wp_usermeta WHERE meta_key = '_yoast_wpseo_profile_updated'")
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel, Text: true, Atom: true})
	if !strings.Contains(string(sitemaptest.Render(t, c, seo.IndexName, 1).Body), zeroDate) {
		t.Fatal("the index has no zero date: this says nothing")
	}
	for _, f := range c.OtherFiles() {
		if f.Name == catalog.AtomName || !f.LastMod.IsZero() {
			t.Errorf("%s is there, changed at %v", f.Filename, f.LastMod)
		}
	}
	if doc := sitemaptest.Render(t, c, catalog.TextName, 1); !doc.LastMod.IsZero() || doc.Entries == 0 {
		t.Errorf("the text sitemap has %d addresses and changed at %v", doc.Entries, doc.LastMod)
	}
	if _, err := c.Render(t.Context(), catalog.AtomName, 1); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("the feed: %v", err)
	}
}
