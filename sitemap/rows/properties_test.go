package rows_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Properties that hold for every site. Each seed is read from both engines at both levels with pages of many sizes. The account
// on MariaDB has only the rights that the README asks for.
func TestPropertiesOfEverySeed(t *testing.T) {
	for name, stack := range sitemaptest.EverySeed(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var bodies [2]map[string]string // at level spec, by page size and address
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, stack...)
				if name == "hostile" { // its list of plugins is broken, too: nothing would be served
					wptest.Exec(t, dsn, sitemaptest.YoastActive)
				}
				bodies[e] = map[string]string{}
				for _, blog := range sitemaptest.Open(t, wp.Source{DSN: wptest.ReadOnlyDSN(t, dsn)}) {
					for _, w := range blog.Blog.Warnings() {
						if strings.Contains(w, "read") && name != "noyoast" { // which has no index table
							t.Errorf("the account of the README does not suffice: %s", w)
						}
					}
					for _, level := range sitemaptest.Levels {
						excluded := sitemaptest.FindExclusions(t, dsn, blog, level)
						if len(excluded) < 3 && !strings.HasPrefix(name, "small") && blog.Blog.BlogID() == 1 {
							t.Errorf("only %d addresses are excluded: the property says nothing", len(excluded))
						}
						sizes := []int{2, 1000, 1, 3, 7}
						if e == wptest.SQLite || sitemap.WhoseOf(blog.Blog, sitemap.Auto, seo.SpecLevel).Plugin() == &wpcore.Plugin || !slices.Contains(ownRows, name) {
							sizes = sizes[:2] // the same code, and slow below the race detector
						}
						for _, size := range sizes {
							c := sitemaptest.Build(t, blog, seo.Options{Compat: level, PageSize: size})
							p := propertyTest{t, c, fmt.Sprintf("blog %d, level %s, pages of %d: ", blog.Blog.BlogID(), string(level), size), excluded}
							docs := p.run()
							if string(level) == "spec" && (size == 2 || size == 1000) {
								for file, body := range docs {
									if strings.Contains(file, "wp-sitemap-users") { // in another order: the account may not read logins
										continue
									}
									bodies[e][fmt.Sprint(size, file)] = string(body)
								}
							}
						}
					}
				}
			})
			if name != "hostile" && bodies[0] != nil && bodies[1] != nil { // hostile holds rows only one of them can
				expect.Same(t, bodies[wptest.MariaDB], bodies[wptest.SQLite], "mariadb (-) and sqlite (+) give different sitemaps")
			}
		})
	}
}

// ownRows are the seeds on basic that have other rows than options.
var ownRows = []string{"attachments", "basic", "hostile", "network", "types", "woo"}

type propertyTest struct {
	t        *testing.T
	c        *sitemap.Catalog
	where    string
	excluded map[string]string // addresses that must not be listed, and what they are
}

func (p propertyTest) errorf(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(p.where+format, args...)
}

// run renders everything and returns it by address.
func (p propertyTest) run() map[string][]byte {
	t, c := p.t, p.c
	t.Helper()
	spec := string(c.Rules.Options.Compat) == "spec" && c.Whose.Plugin() != &wpcore.Plugin // whose rules are the same at both levels
	files := c.Files()
	docs := map[string][]byte{}
	index := map[string]string{}
	urls := map[string]string{}   // address → the sitemap that lists it
	second := map[string]string{} // the same of news and videos, which tell more of posts listed elsewhere
	perType := map[string]catalog.Count{}
	for i, f := range files {
		doc, err := c.Render(t.Context(), f.Name, f.Page)
		if err != nil {
			p.errorf("%s: %v", f.Filename, err)
			continue
		}
		docs[f.URL] = doc.Body
		if doc.Behind {
			p.errorf("%s: rows are said to have changed since the catalog was made", f.Filename)
		}
		got := sitemaptest.Parse(t, doc.Body)
		objects := len(got.Entries) - p.laterParts(got)
		if len(got.Entries) != doc.Entries || objects != f.Entries {
			p.errorf("%s: %d entries in the XML, %d in the document; %d objects, %d in the catalog",
				f.Filename, len(got.Entries), doc.Entries, objects, f.Entries)
		}
		if f.Name == seo.IndexName {
			if i != 0 {
				p.errorf("the index is file %d, want the first", i)
			}
			for _, e := range got.Entries {
				index[e.Loc] = e.LastMod
			}
			if newest := got.Newest(); newest != sitemaptest.Written(doc.LastMod) || newest != sitemaptest.Written(f.LastMod) {
				p.errorf("index: newest date %s, document says %s, catalog says %s", newest, sitemaptest.Written(doc.LastMod), sitemaptest.Written(f.LastMod))
			}
			continue
		}
		at, listed := index[f.URL]
		if !listed {
			p.errorf("%s is not in the index", f.URL)
		}
		count := perType[f.Name]
		perType[f.Name] = catalog.Count{Name: f.Name, Pages: count.Pages + 1, URLs: count.URLs + objects}

		most := c.Rules.Options.PageSize
		if !spec {
			most += 1 + len(c.Rules.Blog.Languages().All) // the plugin's first link comes on top, and those of other languages
		}
		if objects > most {
			p.errorf("%s: %d objects on a page of %d", f.Filename, objects, most)
		}
		if spec {
			if len(got.Entries) == 0 {
				p.errorf("%s is empty", f.Filename)
			}
			if newest := got.Newest(); at != newest {
				p.errorf("%s: the index says %q, its newest entry is of %q", f.Filename, at, newest)
			}
		}
		for _, e := range got.Entries {
			listed := urls
			r := c.Rules.Blog.Registry()
			if r.PostType(f.Name) == nil && r.Taxonomy(f.Name) == nil && f.Name != "author" && c.Whose.Plugin() != &wpcore.Plugin {
				listed = second
			}
			if other, twice := listed[e.Loc]; twice && spec {
				p.errorf("%s is in %s and in %s", e.Loc, other, f.Filename)
			}
			listed[e.Loc] = f.Filename
			p.entry(f, e)
		}
	}
	for _, n := range c.Types() {
		if perType[n.Name] != n {
			p.errorf("the catalog counts %+v, rendered are %+v", n, perType[n.Name])
		}
		if _, err := c.Render(t.Context(), n.Name, n.Pages+1); spec && !errors.Is(err, catalog.ErrNotFound) {
			p.errorf("%s: the page after the last: %v, want ErrNotFound", n.Name, err)
		}
	}
	for _, page := range []int{0, -1, 1 << 40} {
		if _, err := c.Render(t.Context(), "post", page); !errors.Is(err, catalog.ErrNotFound) {
			p.errorf("post page %d: %v, want ErrNotFound", page, err)
		}
	}
	if spec && !c.Rules.Blog.Settings().BlogPublic && (len(files) > 1 || len(urls) > 0) {
		p.errorf("%d addresses of a site that is not public", len(urls))
	}
	for _, listed := range []map[string]string{urls, second} {
		for loc, file := range listed {
			if object, found := p.excluded[loc]; found {
				p.errorf("%s lists %s, which is %s and excluded", file, loc, object)
			}
		}
	}
	p.valid(docs)
	return docs
}

// laterParts counts the entries that are later parts of the entry before them. Later parts have the
// date of that entry and do not count as entries.
func (p propertyTest) laterParts(got sitemaptest.Parsed) int {
	p.t.Helper()
	count, n := 0, 2
	var object sitemaptest.ParsedEntry
	for _, e := range got.Entries {
		if e.Loc != p.c.Rules.Links.Part(object.Loc, n, false, "publish") && e.Loc != p.c.Rules.Links.Part(object.Loc, n, true, "publish") {
			object, n = e, 2
			continue
		}
		if e.LastMod != object.LastMod {
			p.errorf("%s is of %s, its post of %s", e.Loc, e.LastMod, object.LastMod)
		}
		count++
		n++
	}
	return count
}

// entry checks one address.
func (p propertyTest) entry(f catalog.File, e sitemaptest.ParsedEntry) {
	p.t.Helper()
	home := p.c.Rules.Blog.Home()
	if e.Loc != home && !strings.HasPrefix(e.Loc, home+"/") {
		p.errorf("%s lists the foreign address %s", f.Filename, e.Loc)
	}
	if string(p.c.Rules.Options.Compat) != "spec" || p.c.Whose.Plugin() == &wpcore.Plugin {
		return
	}
	if len(e.Images) > provider.MaxImages {
		p.errorf("%s: %d images", e.Loc, len(e.Images))
	}
	seen := map[string]bool{}
	for _, i := range e.Images {
		if seen[i.Loc] {
			p.errorf("%s: image %s twice", e.Loc, i.Loc)
		}
		seen[i.Loc] = true
		if !strings.HasPrefix(i.Loc, "http") {
			p.errorf("%s: image %q is no address", e.Loc, i.Loc)
		}
	}
}

// validated remembers documents by their text: engines and page sizes repeat many.
var validated sync.Map

// valid checks documents against their schemas. The schemas require an entry. But the index of a
// private site is empty, and the plugin has empty pages.
func (p propertyTest) valid(docs map[string][]byte) {
	p.t.Helper()
	var fresh [][]byte
	for _, body := range docs {
		if _, done := validated.LoadOrStore(string(body), true); done || len(sitemaptest.Parse(p.t, body).Entries) == 0 {
			continue
		}
		if p.c.Rules.Options.Compat != seo.SpecLevel && strings.Contains(string(body), "<video:video>") {
			continue // elements in the order of the stored record, and what else is in it
		}
		if p.c.Rules.Options.Compat != seo.SpecLevel {
			body = sitemaptest.WithoutZeroDates(body)
		}
		fresh = append(fresh, body)
	}
	if len(fresh) > 0 {
		schematest.Validate(p.t, fresh...)
	}
}
