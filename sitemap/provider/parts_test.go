package provider_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// Level spec lists the later parts of a post (after <!--nextpage-->) after the post, each with its own pictures. The plugin
// lists the post alone, with all pictures.
func TestLaterParts(t *testing.T) {
	const front = `UPDATE wp_posts SET post_content = '<img src="/1.jpg"><!--nextpage--><img src="/2.jpg">' WHERE ID = 2`
	const block = `UPDATE wp_posts SET post_content = 'One <img src="/1.jpg">

<!-- wp:nextpage -->
<!--nextpage-->
<!-- /wp:nextpage -->

Two [gallery ids="60"]' WHERE ID = 106`
	for _, test := range []struct {
		rule, seed, sql, sitemap, after string
		level                           seo.Level
		want                            []string // from the entry on: locs, with their images' files
	}{
		{"below a post with its own images", "", "", "post", "/long-read/", seo.SpecLevel,
			[]string{"/long-read/", "/long-read/2/ second.jpg", "/long-read/3/"}},
		{"by query without a permalink structure", "plain", "", "post", "/?p=106", seo.SpecLevel,
			[]string{"/?p=106", "/?p=106&page=2 second.jpg", "/?p=106&page=3"}},
		{"no slash where links have none", "noslash", "", "post", "/106", seo.SpecLevel,
			[]string{"/106", "/106/2 second.jpg", "/106/3"}},
		{"below page/ on a static front page", "", front, "page", "/", seo.SpecLevel,
			[]string{"/ 1.jpg", "/page/2/ 2.jpg"}},
		{"the block form, a gallery in the part it stands in", "", block, "post", "/long-read/", seo.SpecLevel,
			[]string{"/long-read/ 1.jpg", "/long-read/2/ gallery-c.webp"}},
		{"the plugin lists none", "", "", "post", "/long-read/", seo.PluginLevel,
			[]string{"/long-read/ second.jpg"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				seeds := []string{"basic"}
				if test.seed != "" {
					seeds = append(seeds, test.seed)
				}
				dsn := wptest.Load(t, e, seeds...)
				wptest.Exec(t, dsn, test.sql)
				blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
				c := sitemaptest.Build(t, blog, seo.Options{Compat: test.level})
				var got []string
				for _, entry := range sitemaptest.Parse(t, sitemaptest.Render(t, c, test.sitemap, 1).Body).Entries {
					line := strings.TrimPrefix(entry.Loc, blog.Blog.Home())
					for _, image := range entry.Images {
						line += " " + image.Loc[strings.LastIndexByte(image.Loc, '/')+1:]
					}
					got = append(got, line)
				}
				at := slices.IndexFunc(got, func(line string) bool {
					loc, _, _ := strings.Cut(line, " ")
					return strings.HasSuffix(loc, test.after)
				})
				if at < 0 || at+len(test.want) >= len(got) {
					t.Fatalf("%s is not in %q", test.after, got)
				}
				for i, want := range test.want {
					if !strings.HasSuffix(got[at+i], want) && got[at+i] != want {
						t.Errorf("entry %d behind %s is %q, want %q", i, test.after, got[at+i], want)
					}
				}
				if next := got[at+len(test.want)]; strings.Contains(next, test.want[0]+"2") || strings.Contains(next, "page=") {
					t.Errorf("too many parts: %q", next)
				}
			})
		})
	}
}

// A page counts how many of its entries are later parts.
func TestLaterPartsAreCounted(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, `UPDATE wp_posts SET post_content = 'a<!--nextpage-->b' WHERE ID = 2`) // the front page
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Keep: true})
	for name, parts := range map[string]int{"post": 2, "page": 1} {
		doc := sitemaptest.Render(t, c, name, 1)
		listed := 0
		for _, f := range c.Files() {
			if f.Name == name {
				listed = f.Entries
			}
		}
		if doc.Parts != parts || doc.Entries-doc.Parts != listed {
			t.Errorf("%s: %d parts, want %d; %d entries, %d in the index", name, doc.Parts, parts, doc.Entries, listed)
		}
	}
}

// The shared rows that are read at once equal the rows that each page would read.
func TestAllPagesChangesNothing(t *testing.T) {
	all := sitemaptest.Seeds(t)
	for _, name := range []string{"attachments", "network", "small-images", "small-polylang", "small-video"} {
		seed := all[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				for _, blog := range sitemaptest.Open(t, wp.Source{DSN: wptest.Load(t, e, seed...)}) {
					for _, level := range sitemaptest.Levels {
						one := sitemaptest.Build(t, blog, seo.Options{Compat: level})
						all := sitemaptest.Build(t, blog, seo.Options{Compat: level, AllPages: true})
						for _, f := range one.Files() {
							if f.Elsewhere {
								continue
							}
							want, got := sitemaptest.Render(t, one, f.Name, f.Page), sitemaptest.Render(t, all, f.Name, f.Page)
							if !bytes.Equal(want.Body, got.Body) {
								t.Errorf("level %s, %s differs:\n%s\nwant\n%s", string(level), f.Filename, got.Body, want.Body)
							}
						}
					}
				}
			})
		})
	}
}
