package aioseo_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// Every page of a type with entries exists, even past the end. Past the end of dates is the first page, past that of additional pages nothing.
func TestPastTheEndOfAioseo(t *testing.T) {
	t.Parallel()
	const options = `{"sitemap":{"general":{"linksPerIndex":2,"date":true,"additionalPages":{"enable":true,"pages":["{\"url\":\"https://small.test/x/\"}",
		"{\"url\":\"https://small.test/y/\"}","{\"url\":\"https://small.test/caf%C3%A9/\"}"]}}}}`
	for level, want := range map[seo.Level]map[string]string{
		seo.PluginLevel: {"post": "2 2 1 0", "page": "2 0 0 0", "category": "1 0 0 0", "addl": "2 2 x x", "date": "2 2 2 2", "author": "x x x x",
			"product_attributes": "x x x x"},
		seo.SpecLevel: {"post": "2 2 1 x", "page": "2 x x x", "category": "1 x x x", "addl": "2 2 x x", "date": "2 x x x"},
	} {
		c := aioseoWith(t, seo.Options{Compat: level}, options, `{}`)
		for name, counts := range want {
			var got []string
			for page := 1; page <= 4; page++ {
				doc, err := c.Render(t.Context(), name, page)
				if err != nil {
					got = append(got, "x")
					continue
				}
				got = append(got, fmt.Sprint(doc.Entries))
			}
			expect.Equal(t, strings.Join(got, " "), counts, name, level)
		}
	}
	c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, options, `{}`)
	body := string(sitemaptest.Render(t, c, "addl", 2).Body)
	expect.Parts(t, body, "/y/", "/caf\u00e9/")
}

// The plugin reads attachments of hidden posts in its pages and drops them when it prints. Posts that are noindex are not read.
func TestPlacesOfAioseo(t *testing.T) {
	t.Parallel()
	files := append(slices.Clip(sitemaptest.TreeRows), sitemaptest.Insert(
		sitemaptest.Row{ID: 9021, Type: "attachment", Status: "inherit", Name: "of-a-draft", Parent: 9001, Date: "2023-12-31 10:00:00"},
		sitemaptest.Row{ID: 9022, Type: "attachment", Status: "inherit", Name: "alone", Date: "2023-12-30 10:00:00"}))
	c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, `{"sitemap":{"general":{"linksPerIndex":2}}}`,
		`{"searchAppearance":{"postTypes":{"attachment":{"redirectAttachmentUrls":"disabled"}}}}`, files...)
	expect.List(t, sitemaptest.Listed(t, c, "attachment"), []string{"/two-parts/picture/"})
	c = aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, `{"sitemap":{"general":{"linksPerIndex":2}}}`, `{}`,
		"UPDATE wp_aioseo_posts SET priority = 1 WHERE post_id = 2002")
	expect.List(t, sitemaptest.Listed(t, c, "post"), []string{"/default/", "/nulls/"})
}

// What the operator excludes is left out at both levels.
func TestExcludedInAioseo(t *testing.T) {
	t.Parallel()
	above := []string{`INSERT INTO wp_terms (term_id, name, slug) VALUES (2012, 'Up', 'up'), (2013, 'Down', 'down')`,
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
			VALUES (2012, 2012, 'category', '', 0, 0), (2013, 2013, 'category', '', 2012, 1)`,
		`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (2001, 2013)`}
	for _, tt := range []struct {
		rule    string
		exclude seo.Exclude
		plugin  string
		spec    string
	}{
		{"nothing", seo.Exclude{}, "/category/out/ /category/up/ /category/up/down/", "/category/out/ /category/up/ /category/up/down/"},
		{"a term in use by its id", seo.Exclude{TermIDs: []int64{2013}}, "/category/out/ /category/up/", "/category/out/ /category/up/"},
		{"a term that is only above another", seo.Exclude{TermIDs: []int64{2012}}, "/category/out/ /category/up/down/",
			"/category/out/ /category/up/down/"},
		{"a term in use by its address", seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile("/category/out/")}},
			"/category/up/ /category/up/down/",
			"/category/up/ /category/up/down/"},
	} {
		for level, want := range map[seo.Level]string{seo.PluginLevel: tt.plugin, seo.SpecLevel: tt.spec} {
			c := aioseoWith(t, seo.Options{Compat: level, Exclude: tt.exclude}, `{}`, `{}`, above...)
			expect.Equal(t, strings.Join(sitemaptest.Listed(t, c, "category"), " "), want, tt.rule, level)
		}
	}
	archive := aioseoWith(t, seo.Options{Compat: seo.PluginLevel, Exclude: seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile("/2024/$")}}},
		`{"sitemap":{"general":{"date":true}}}`, `{}`)
	expect.List(t, sitemaptest.Listed(t, archive, "date"), []string{"/2024/01/"})
}

// Global robots count only if their default is off.
func TestGlobalRobotsOfAioseo(t *testing.T) {
	t.Parallel()
	for robots, want := range map[string]bool{
		`{"default":false,"noindex":true}`: false, `{"default":true,"noindex":true}`: true, `{"default":false,"noindex":false}`: true,
		`{"default":true}`: true,
		`{"noindex":true}`: true,
	} {
		c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel},
			`{"sitemap":{"general":{"date":true}},"searchAppearance":{"advanced":{"globalRobotsMeta":`+robots+`}}}`, `{}`)
		index := string(sitemaptest.Render(t, c, seo.IndexName, 1).Body)
		expect.Equal(t, strings.Contains(index, "/date-sitemap.xml"), want, robots)
	}
}

// Stored images: addresses and paths, a thousand at most. Whatever else is stored is no image.
func TestStoredImagesOfAioseo(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range provider.MaxImages + 10 {
		many = append(many, fmt.Sprintf(`{"image:loc":"/%d.jpg"}`, i))
	}
	for stored, want := range map[string]string{
		`[{"image:loc":"/a.jpg"},{"image:loc":"b.jpg"},{"image:loc":"https://cdn.test/c.jpg"},{"image:loc":""},{"other":"x"},5]`: "/a.jpg /b.jpg https://cdn.test/c.jpg",
		`{"image:loc":"/a.jpg"}`: "", `broken`: "", ``: "",
	} {
		c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, `{}`, `{}`, "UPDATE wp_aioseo_posts SET images = '"+stored+"' WHERE post_id = 2005")
		got := strings.ReplaceAll(strings.Join(sitemaptest.Images(t, c, "post", "/default/"), " "), "https://small.test", "")
		expect.Equal(t, got, want, stored)
	}
	c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, `{}`, `{}`,
		"UPDATE wp_aioseo_posts SET images = '["+strings.Join(many, ",")+"]' WHERE post_id = 2005")
	expect.Equal(t, len(sitemaptest.Images(t, c, "post", "/default/")), provider.MaxImages)
}
