package sitemap

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// yoastActive makes Yoast SEO the only active plugin.
const yoastActive = `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}')`

var levels = []seo.Level{seo.SpecLevel, seo.PluginLevel}

// What has to hold for every site, whatever is in it: each seed is read from both engines at
// both levels with pages of many sizes, on MariaDB by an account with no rights but those
// the README asks for.
func TestPropertiesOfEverySeed(t *testing.T) {
	for name, stack := range seeds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var bodies [2]map[string]string // at level spec, by page size and address
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, stack...)
				if name == "hostile" { // its list of plugins is broken, too: nothing would be served
					wptest.Exec(t, dsn, yoastActive)
				}
				bodies[e] = map[string]string{}
				for _, site := range openSites(t, wp.Source{DSN: wptest.ReadOnlyDSN(t, dsn)}) {
					for _, w := range site.Warnings() {
						if strings.Contains(w, "read") && name != "noyoast" { // which has no index table
							t.Errorf("the account of the README does not suffice: %s", w)
						}
					}
					for _, level := range levels {
						excluded := findExclusions(t, dsn, site, level)
						if WhoseOf(site, Auto, seo.SpecLevel).Plugin() == &wpcore.Plugin {
							excluded = findCoreExclusions(t, dsn, site)
						}
						if len(excluded) < 3 && !strings.HasPrefix(name, "small") && site.BlogID() == 1 {
							t.Errorf("only %d addresses are excluded: the property says nothing", len(excluded))
						}
						sizes := []int{2, 1000, 1, 3, 7}
						if e == wptest.SQLite || WhoseOf(site, Auto, seo.SpecLevel).Plugin() == &wpcore.Plugin || strings.HasPrefix(name, "small") {
							sizes = sizes[:2] // the same code, and slow below the race detector
						}
						for _, size := range sizes {
							c := mustBuild(t, site, seo.Options{Compat: level, PageSize: size})
							p := propertyTest{t, c, fmt.Sprintf("blog %d, level %s, pages of %d: ", site.BlogID(), string(level), size), excluded}
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
				if diff := cmp.Diff(bodies[wptest.MariaDB], bodies[wptest.SQLite]); diff != "" {
					t.Errorf("mariadb (-) and sqlite (+) give different sitemaps:\n%.3000s", diff)
				}
			}
		})
	}
}

type propertyTest struct {
	t        *testing.T
	c        *Catalog
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
	spec := string(c.Options.Compat) == "spec" && c.Whose.plugin != &corePlugin // whose rules are the same at both levels
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
		got := parse(t, doc.Body)
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
			if newest := got.newest(); newest != written(doc.LastMod) || newest != written(f.LastMod) {
				p.errorf("index: newest date %s, document says %s, catalog says %s", newest, written(doc.LastMod), written(f.LastMod))
			}
			continue
		}
		at, listed := index[f.URL]
		if !listed {
			p.errorf("%s is not in the index", f.URL)
		}
		count := perType[f.Name]
		perType[f.Name] = catalog.Count{Name: f.Name, Pages: count.Pages + 1, URLs: count.URLs + objects}

		most := c.Options.PageSize
		if !spec {
			most += 1 + len(c.Blog.Languages()) // the plugin's first link comes on top, and those of other languages
		}
		if objects > most {
			p.errorf("%s: %d objects on a page of %d", f.Filename, objects, most)
		}
		if spec {
			if len(got.Entries) == 0 {
				p.errorf("%s is empty", f.Filename)
			}
			if newest := got.newest(); at != newest {
				p.errorf("%s: the index says %q, its newest entry is of %q", f.Filename, at, newest)
			}
		}
		for _, e := range got.Entries {
			listed := urls
			if r := c.Blog.Registry(); r.PostType(f.Name) == nil && r.Taxonomy(f.Name) == nil && f.Name != "author" && c.Whose.plugin != &corePlugin {
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
	if spec && !c.Blog.Settings().BlogPublic && (len(files) > 1 || len(urls) > 0) {
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

// laterParts counts the entries that are part 2 and on of the one before them; they ride
// along with it, count for nothing and have its date.
func (p propertyTest) laterParts(got parsed) int {
	p.t.Helper()
	count, n := 0, 2
	var object parsedEntry
	for _, e := range got.Entries {
		if e.Loc != p.c.Links.Part(object.Loc, n, false, "publish") && e.Loc != p.c.Links.Part(object.Loc, n, true, "publish") {
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
func (p propertyTest) entry(f catalog.File, e parsedEntry) {
	p.t.Helper()
	home := p.c.Blog.Home()
	if e.Loc != home && !strings.HasPrefix(e.Loc, home+"/") {
		p.errorf("%s lists the foreign address %s", f.Filename, e.Loc)
	}
	if string(p.c.Options.Compat) != "spec" || p.c.Whose.plugin == &corePlugin {
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

// valid checks documents against their schemas. Schemas know no sitemap without entries;
// an index has to be one on a site that is not public, and the plugin has empty pages.
func (p propertyTest) valid(docs map[string][]byte) {
	p.t.Helper()
	var fresh [][]byte
	for _, body := range docs {
		if _, done := validated.LoadOrStore(string(body), true); done || len(parse(p.t, body).Entries) == 0 {
			continue
		}
		if p.c.Options.Compat != seo.SpecLevel && strings.Contains(string(body), "<video:video>") {
			continue // elements in the order of the stored record, and what else is in it
		}
		if p.c.Options.Compat != seo.SpecLevel {
			body = withoutZeroDates(body)
		}
		fresh = append(fresh, body)
	}
	if len(fresh) > 0 {
		schematest.Validate(p.t, fresh...)
	}
}

// Statements that find what must not be listed, written from the rules and not from the
// code. {P} is the prefix of a blog's tables.
const (
	excludedPosts = `SELECT p.ID FROM {P}posts p LEFT JOIN {P}posts parent ON parent.ID = p.post_parent
WHERE p.ID < 9223372036854775807 AND (
	p.post_type <> 'attachment' AND p.post_status <> 'publish'
	OR p.post_type = 'attachment' AND (parent.ID IS NULL OR parent.post_status <> 'publish' OR parent.post_password <> '')
	OR p.post_password <> '' OR p.post_date = '0000-00-00 00:00:00'
	OR p.post_type IN ('revision', 'nav_menu_item', 'acf-post-type', 'acf-taxonomy',
		'secret', 'memo', 'flyer', 'loan', 'removed', 'product_variation', 'shop_order', 'shop_coupon', '../etc/passwd')
	OR EXISTS (SELECT 1 FROM {P}postmeta m WHERE m.post_id = p.ID AND m.meta_id = (SELECT MIN(f.meta_id) FROM {P}postmeta f
			WHERE f.post_id = p.ID AND f.meta_key = '_yoast_wpseo_meta-robots-noindex')
		AND m.meta_value = '1')
	OR EXISTS (SELECT 1 FROM {P}postmeta m WHERE m.post_id = p.ID AND m.meta_id = (SELECT MIN(f.meta_id) FROM {P}postmeta f
			WHERE f.post_id = p.ID AND f.meta_key = '_yoast_wpseo_canonical')
		AND m.meta_value <> '' AND m.meta_value NOT LIKE 'https://example.test/%'))`
	trashedPosts  = `SELECT ID FROM {P}posts WHERE post_type = 'attachment' AND post_status NOT IN ('inherit', 'publish')`
	excludedTerms = `SELECT tt.term_id FROM {P}term_taxonomy tt WHERE tt.count <= 0
	AND NOT EXISTS (SELECT 1 FROM {P}term_taxonomy child WHERE child.parent = tt.term_id AND child.taxonomy = tt.taxonomy)`
	excludedUsers = `SELECT u.ID FROM wp_users u
WHERE NOT EXISTS (SELECT 1 FROM {P}posts p WHERE p.post_author = u.ID AND p.post_type = 'post' AND p.post_status = 'publish')
	OR EXISTS (SELECT 1 FROM wp_usermeta m WHERE m.user_id = u.ID AND m.meta_key = 'wpseo_noindex_author' AND m.meta_value = 'on')`
)

// findExclusions returns the addresses that must not be listed on a site at a level, each
// with what it is.
func findExclusions(t *testing.T, dsn string, site *wp.Site, level seo.Level) map[string]string {
	t.Helper()
	prefix := "wp_"
	if site.BlogID() > 1 {
		prefix = fmt.Sprintf("wp_%d_", site.BlogID())
	}
	db, _ := wptest.DB(t, dsn)
	ids := func(query string) (ids []int64) {
		t.Helper()
		rows, err := db.Query(strings.ReplaceAll(query, "{P}", prefix))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	x := map[string]string{}
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	hidden := ids(excludedPosts)
	if level == seo.SpecLevel {
		hidden = append(hidden, ids(trashedPosts)...)
	}
	posts, err := site.Posts(t.Context(), hidden, nil)
	fail(err)
	for _, p := range posts {
		if set := site.Settings(); level != seo.SpecLevel && (p.ID == set.PageOnFront || p.ID == set.PageForPosts) {
			continue
		}
		x[p.Link] = fmt.Sprintf("%s %d", p.Type, p.ID)
	}
	empty := ids(excludedTerms)
	if text := optionText(t, dsn, prefix, "wpseo_taxonomy_meta"); strings.Contains(text, `i:8;a:1:{s:13:"wpseo_noindex"`) {
		empty = append(empty, 8, 9)
	}
	for _, taxonomy := range site.Registry().Taxonomies {
		terms, err := site.TermsByID(t.Context(), taxonomy, empty)
		fail(err)
		for _, term := range terms {
			x[term.Link] = fmt.Sprintf("%s %d", taxonomy.Name, term.ID)
		}
	}
	users, err := site.Authors(t.Context(), ids(excludedUsers))
	fail(err)
	for _, u := range users {
		x[u.Link] = fmt.Sprintf("user %d", u.ID)
	}
	delete(x, site.Home()+"/") // where posts without a slug lead
	return x
}

// optionText is an option as it is stored, "" without one.
func optionText(t *testing.T, dsn, prefix, name string) (text string) {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	err := db.QueryRow("SELECT option_value FROM " + prefix + "options WHERE option_name = '" + name + "'").Scan(&text)
	if err != nil && err != sql.ErrNoRows {
		t.Fatal(err)
	}
	return text
}
