// Package sitemaptest opens seeds of testdata as sites. It builds their sitemaps and reads them for tests.
package sitemaptest

import (
	"cmp"
	"database/sql"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"

	gocmp "github.com/google/go-cmp/cmp"
)

// Quiet discards log messages.
var Quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// Open opens a loaded site or all blogs of a network. The connection is closed at the end of the test.
func Open(t testing.TB, src wp.Source) []*address.Book {
	t.Helper()
	if src.Name == "" {
		src.Name = "test"
	}
	src.Declared = sitemap.Declared
	n, err := wp.Open(t.Context(), src)
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	sites, err := address.ReadAll(t.Context(), n)
	wptest.Must(t, err)
	return sites
}

// OpenSite is Open for a single site.
func OpenSite(t testing.TB, src wp.Source) *address.Book {
	t.Helper()
	sites := Open(t, src)
	if len(sites) != 1 {
		t.Fatalf("%d sites, want 1", len(sites))
	}
	return sites[0]
}

func Build(t testing.TB, book *address.Book, opt seo.Options) *sitemap.Catalog {
	t.Helper()
	if opt.Log == nil {
		opt.Log = Quiet
	}
	c, err := sitemap.Build(t.Context(), book, opt)
	wptest.Must(t, err)
	return c
}

func Render(t testing.TB, c *sitemap.Catalog, name string, page int) *catalog.Document {
	t.Helper()
	doc, err := c.Render(t.Context(), name, page)
	if err != nil {
		t.Fatalf("rendering %s page %d: %v", name, page, err)
	}
	return doc
}

// Parsed is a sitemap or an index as a crawler reads it.
type Parsed struct {
	Entries []ParsedEntry
}

type ParsedEntry struct {
	Loc     string        `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
	LastMod string        `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 lastmod"`
	Images  []ParsedImage `xml:"http://www.google.com/schemas/sitemap-image/1.1 image"`
}

type ParsedImage struct {
	Loc   string `xml:"http://www.google.com/schemas/sitemap-image/1.1 loc"`
	Title string `xml:"http://www.google.com/schemas/sitemap-image/1.1 title"`
}

// Parse reads a document with the standard library, independently of the code that wrote it.
func Parse(t testing.TB, body []byte) Parsed {
	t.Helper()
	var doc struct {
		URLs     []ParsedEntry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
		Sitemaps []ParsedEntry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemap"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		t.Fatalf("not well-formed: %v\n%.2000s", err, body)
	}
	return Parsed{append(doc.URLs, doc.Sitemaps...)}
}

// Newest returns the newest lastmod of a document, or "" if it has none. All dates are in UTC, so they sort as text.
func (p Parsed) Newest() string {
	newest := ""
	for _, e := range p.Entries {
		newest = max(newest, e.LastMod)
	}
	return newest
}

// String returns one line for each entry and each image, for comparison.
func (p Parsed) String() string {
	var b strings.Builder
	for _, e := range p.Entries {
		b.WriteString(e.Loc + " " + e.LastMod + "\n")
		for _, i := range e.Images {
			b.WriteString("\t" + i.Loc)
			if i.Title != "" {
				b.WriteString(" | " + i.Title)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Written returns a date as sitemaps write it, or "" for the zero time.
func Written(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return strings.TrimSuffix(at.UTC().Format(time.RFC3339), "Z") + "+00:00"
}

// Seeds returns every seed of testdata/seed, by name, with the seeds that must be loaded with it.
func Seeds(t testing.TB) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(wptest.Testdata, "seed", "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no seeds (%v)", err)
	}
	all := map[string][]string{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		all[name] = slices.Compact([]string{"basic", name})
		if strings.HasPrefix(name, "small-") {
			all[name] = []string{"small", name}
		}
	}
	return all
}

// EverySeed returns what Seeds returns, for tests that walk through all of them. With -short, it returns only a site, a network, and
// a site with hostile rows.
func EverySeed(t testing.TB) map[string][]string {
	t.Helper()
	all := Seeds(t)
	if testing.Short() {
		maps.DeleteFunc(all, func(name string, _ []string) bool {
			return !slices.Contains([]string{"basic", "network", "hostile"}, name)
		})
	}
	return all
}

func ReadFile(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{wptest.Testdata}, parts...)...))
	wptest.Must(t, err)
	return b
}

// RecordedSites is the folder with the recorded sites of other plugins. It is beside the repository; the path is relative to a
// plugin's package.
const RecordedSites = "../../../shared/golden-others"

// Unanswered are parts of recorded addresses for which WordPress itself shows no page, so that level spec leaves them out: a
// child of a draft, and attachments of sites without attachment pages (wp_attachment_pages_enabled).
var Unanswered = []string{"/child-of-draft/", "/attachment/", "/clip-mp4/", "/pic-", "/sheet-pdf/", "/rader/", "attachment_id="}

// RecordedAddresses returns the addresses in the recorded sitemaps of a folder and in more files, without the Unanswered ones.
func RecordedAddresses(t *testing.T, folder string, more ...string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(filepath.Join(folder, "expected"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.Contains(d.Name(), "-sitemap") {
			more = append(more, path)
		}
		return err
	})
	wptest.Must(t, err)
	for _, path := range more {
		text, err := os.ReadFile(path)
		wptest.Must(t, err)
		for _, e := range Parse(t, text).Entries {
			all = append(all, strings.TrimSpace(e.Loc))
		}
	}
	return slices.DeleteFunc(AddressSet(all), Has(Unanswered))
}

// AddressSet returns the addresses without percent-encoding, sorted, each once. It changes locs.
func AddressSet(locs []string) []string {
	for i, loc := range locs {
		locs[i] = php.RawURLDecode(loc)
	}
	slices.Sort(locs)
	return slices.Compact(locs)
}

// Posts returns the statement that adds posts of an author. Each post is written as id, type, name and, if it has one, password:
// "1001 post plain". A post is published in January 2024 and changed in February, on the day of its id's last two digits.
func Posts(author int, posts ...string) string {
	var rows []string
	for _, post := range posts {
		var id int
		var kind, name, password string
		fmt.Sscan(post, &id, &kind, &name, &password)
		rows = append(rows, fmt.Sprintf("(%d, %d, '2024-01-%02[3]d 11:00:00', '2024-01-%02[3]d 10:00:00', '2024-02-%02[3]d 11:00:00', "+
			"'2024-02-%02[3]d 10:00:00', 'publish', '%[4]s', '%[5]s', '', 0, '%[6]s', '')", id, author, id%100, kind, name, password))
	}
	return "INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, " +
		"post_name, post_title, post_parent, post_password, post_content) VALUES " + strings.Join(rows, ", ")
}

// Row is a row of wp_posts for Insert. Empty fields get the values of an ordinary published post of January 2024 without text.
type Row struct {
	ID, Author, Parent                              int
	Type, Status, Name, Password, MIME, Text, Title string
	Excerpt                                         string
	Date                                            string // of publication and change, as local time and as UTC
}

// Insert returns the statement that adds rows to wp_posts.
func Insert(rows ...Row) string {
	var values []string
	for _, r := range rows {
		for _, text := range []*string{&r.Name, &r.Text, &r.Title, &r.Excerpt} {
			*text = strings.ReplaceAll(*text, "'", "''")
		}
		values = append(values, fmt.Sprintf("(%d, %d, '%[3]s', '%[3]s', '%[3]s', '%[3]s', '%s', '%s', '%s', '%s', '%s', %d, '%s', '%s', '%s', '', '', '')",
			r.ID, cmp.Or(r.Author, 1), cmp.Or(r.Date, "2024-01-01 10:00:00"), cmp.Or(r.Status, "publish"), cmp.Or(r.Type, "post"), r.Name, r.Title,
			r.Excerpt, r.Parent, r.Password, r.MIME, r.Text))
	}
	return "INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, " +
		"post_title, post_excerpt, post_parent, post_password, post_mime_type, post_content, to_ping, pinged, post_content_filtered) VALUES " +
		strings.Join(values, ", ")
}

// Picture returns the statements that add an attachment with a file.
func Picture(id int, file string) string {
	return Insert(Row{ID: id, Type: "attachment", Status: "inherit", Name: fmt.Sprint("file-", id), MIME: "image/jpeg"}) + "; " +
		MetaRow(id, "_wp_attached_file", file)
}

// AioseoSite makes a site of All in One SEO of the seed small. The names of the posts say which rule each one tests.
var AioseoSite = []string{
	`REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
		('active_plugins', 'a:1:{i:0;s:43:"all-in-one-seo-pack/all_in_one_seo_pack.php";}', 'on'),
		('aioseo_options', '{"sitemap":{"general":{"advancedSettings":{"excludePosts":["{\"value\":2003}"],"excludeTerms":[2011]}}}}', 'on'),
		('aioseo_options_dynamic', '{"searchAppearance":{"postTypes":{"page":{"advanced":{"robotsMeta":{"default":false,"noindex":true}}}}}}', 'on')`,
	`DELETE FROM wp_posts`,
	Posts(1, "2001 post plain", "2002 post noindex", "2003 post excluded", "2004 post by-term", "2005 post default", "2006 post nulls",
		"2007 page of-the-type", "2008 page indexed"),
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (2011, 'Out', 'out')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (2011, 2011, 'category', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (2004, 2011)`,
}

// AioseoTable makes the table of All in One SEO, with one row for each rule.
var AioseoTable = []string{
	`CREATE TABLE wp_aioseo_posts (id INTEGER PRIMARY KEY, post_id INTEGER, robots_default INTEGER, robots_noindex INTEGER, priority REAL, images TEXT,
		canonical_url TEXT, image_scan_date TEXT)`,
	`INSERT INTO wp_aioseo_posts (id, post_id, robots_default, robots_noindex, priority, images) VALUES (1, 2002, 0, 1, NULL, NULL),
		(2, 2005, 1, 1, 0.5, '[{"image:loc":"/a.jpg"}]'), (3, 2006, NULL, NULL, NULL, '[{"image'), (4, 2008, 0, 0, NULL, NULL)`,
}

// Statements that find the objects that WordPress' own sitemaps must not list. They were written from the rules, not from the
// code.
const (
	CoreHiddenPosts = `SELECT ID FROM {P}posts WHERE post_status <> 'publish' OR post_type IN ('attachment', 'revision', 'nav_menu_item')`
	CoreHiddenTerms = `SELECT term_id FROM {P}term_taxonomy WHERE count <= 0`
	CoreHiddenUsers = `SELECT u.ID FROM wp_users u WHERE NOT EXISTS (SELECT 1 FROM {P}posts p
	WHERE p.post_author = u.ID AND p.post_type NOT IN ('page', 'attachment') AND p.post_status = 'publish')`
)

// RecordedSpec opens a recorded site. It returns the folder, the catalogs of a plugin at level spec and the addresses that these
// list.
func RecordedSpec(t *testing.T, name, plugin string) (folder string, catalogs []*sitemap.Catalog, listed []string) {
	t.Helper()
	folder = filepath.Join(RecordedSites, name)
	prefix := "wp_"
	if strings.HasSuffix(name, "-net") {
		prefix = "vn_"
	}
	src := wp.Source{DSN: wptest.Dump(t, filepath.Join(folder, "dump.sql.gz")), TablePrefix: prefix, WPConfig: filepath.Join(folder, "wp-config.php")}
	for _, blog := range Open(t, src) {
		c := Build(t, blog, seo.Options{Compat: seo.SpecLevel})
		if c.Plugin() != plugin || !c.Active() {
			continue
		}
		catalogs = append(catalogs, c)
		for _, f := range c.Files()[1:] {
			for _, e := range Parse(t, Render(t, c, f.Name, f.Page).Body).Entries {
				listed = append(listed, e.Loc)
			}
		}
	}
	return folder, catalogs, listed
}

// Differs says which addresses differ between our list at level spec and a plugin's list.
type Differs struct {
	Without, With []string // parts of addresses that only the plugin lists, and that only we list
	More          []string // patterns of further recorded files to read
}

// SameAddresses compares the addresses that recorded sites have at level spec with those that their plugin lists. If mend is not
// nil, it changes both lists before they are compared.
func SameAddresses(t *testing.T, plugin string, sites map[string]Differs, mend func(all []*sitemap.Catalog, want, got []string) (w, g []string)) {
	t.Helper()
	for name, differs := range sites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, catalogs, got := RecordedSpec(t, name, plugin)
			var more []string
			for _, pattern := range differs.More {
				found, err := filepath.Glob(filepath.Join(folder, pattern))
				wptest.Must(t, err)
				more = append(more, found...)
			}
			want, got := RecordedAddresses(t, folder, more...), AddressSet(got)
			if mend != nil {
				want, got = mend(catalogs, want, got)
			}
			want = slices.DeleteFunc(want, Has(differs.Without))
			got = slices.DeleteFunc(got, func(loc string) bool { return Has(differs.With)(loc) && !slices.Contains(want, loc) })
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("recorded (-), ours (+):\n%s", diff)
			}
		})
	}
}

// Revision returns the statement that adds the row WordPress adds when somebody saves a post.
func Revision(post int64) string {
	return fmt.Sprintf("INSERT INTO wp_posts (post_type, post_status, post_name, post_parent, post_date, post_content) "+
		"VALUES ('revision', 'inherit', '%[1]d-revision-v1', %[1]d, '2026-01-01 10:00:00', '')", post)
}

// With returns the statement that makes plugins the active ones, together with Yoast SEO if yoast is set.
func With(yoast bool, plugins ...string) string {
	if yoast {
		plugins = append(plugins, "wordpress-seo/wp-seo.php")
	}
	return Activate(plugins...)
}

func MetaRow(id int, key, value string) string {
	return fmt.Sprintf("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (%d, '%s', '%s')", id, key, value)
}

func Explain(t testing.TB, c *sitemap.Catalog, address string) *explain.Explanation {
	t.Helper()
	x, err := c.Explain(t.Context(), address)
	wptest.Must(t, err)
	return x
}

// NewsTime is the moment for which the seed small-news is written. Its news covers two days on which summer time begins
// somewhere. The time zone is neither the site's nor UTC.
var NewsTime = time.Date(2024, 4, 1, 21, 0, 0, 0, time.FixedZone("", 9*3600))

func ClockAt(at time.Time) func() time.Time { return func() time.Time { return at } }

func NewsOverrides() registry.Overrides {
	yes, slug := true, "report"
	return registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"report": {Public: &yes, Slug: &slug}}}
}

// ParsedNews is an entry of a news sitemap as a crawler reads it.
type ParsedNews struct {
	Loc     string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
	LastMod string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 lastmod"`
	News    []struct {
		Name     string `xml:"http://www.google.com/schemas/sitemap-news/0.9 publication>name"`
		Language string `xml:"http://www.google.com/schemas/sitemap-news/0.9 publication>language"`
		Date     string `xml:"http://www.google.com/schemas/sitemap-news/0.9 publication_date"`
		Title    string `xml:"http://www.google.com/schemas/sitemap-news/0.9 title"`
		Tickers  string `xml:"http://www.google.com/schemas/sitemap-news/0.9 stock_tickers"`
	} `xml:"http://www.google.com/schemas/sitemap-news/0.9 news"`
}

func ParseNews(t *testing.T, body []byte) []ParsedNews {
	t.Helper()
	var doc struct {
		URLs []ParsedNews `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		t.Fatalf("not well-formed: %v\n%.2000s", err, body)
	}
	return doc.URLs
}

// Slugs returns the last parts of the addresses of a news sitemap, with blanks between them. An empty part is written as "-".
func Slugs(t *testing.T, doc *catalog.Document) string {
	t.Helper()
	var all []string
	for _, u := range ParseNews(t, doc.Body) {
		parts := strings.Split(strings.TrimSuffix(u.Loc, "/"), "/")
		all = append(all, cmp.Or(parts[len(parts)-1], "-"))
	}
	return strings.Join(all, " ")
}

// YoastActive makes Yoast SEO the only active plugin.
const YoastActive = `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}')`

var Levels = []seo.Level{seo.SpecLevel, seo.PluginLevel}

// Statements that find the objects that must not be listed. They were written from the rules, not from the code. {P} is the
// prefix of a blog's tables.
const (
	ExcludedPosts = `SELECT p.ID FROM {P}posts p LEFT JOIN {P}posts parent ON parent.ID = p.post_parent
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
	TrashedPosts  = `SELECT ID FROM {P}posts WHERE post_type = 'attachment' AND post_status NOT IN ('inherit', 'publish')`
	ExcludedTerms = `SELECT tt.term_id FROM {P}term_taxonomy tt WHERE tt.count <= 0
	AND NOT EXISTS (SELECT 1 FROM {P}term_taxonomy child WHERE child.parent = tt.term_id AND child.taxonomy = tt.taxonomy)`
	ExcludedUsers = `SELECT u.ID FROM wp_users u
WHERE NOT EXISTS (SELECT 1 FROM {P}posts p WHERE p.post_author = u.ID AND p.post_type = 'post' AND p.post_status = 'publish')
	OR EXISTS (SELECT 1 FROM wp_usermeta m WHERE m.user_id = u.ID AND m.meta_key = 'wpseo_noindex_author' AND m.meta_value = 'on')`
)

// FindExclusions returns the addresses that a site must not list at a level, each with the type and id of its object.
func FindExclusions(t *testing.T, dsn string, book *address.Book, level seo.Level) map[string]string {
	t.Helper()
	blog := book.Blog
	if sitemap.WhoseOf(blog, sitemap.Auto, seo.SpecLevel).Plugin() == &wpcore.Plugin {
		return hiddenObjects(t, dsn, book, []string{CoreHiddenPosts, CoreHiddenTerms, CoreHiddenUsers}, nil)
	}
	queries := []string{ExcludedPosts, ExcludedTerms, ExcludedUsers}
	if strings.Contains(OptionText(t, dsn, prefixOf(blog), "wpseo_taxonomy_meta"), `i:8;a:1:{s:13:"wpseo_noindex"`) {
		queries[1] += " OR tt.term_id IN (8, 9)"
	}
	if level == seo.SpecLevel {
		queries[0] += " UNION " + TrashedPosts
		return hiddenObjects(t, dsn, book, queries, nil)
	}
	set := blog.Settings()
	return hiddenObjects(t, dsn, book, queries, []int64{set.PageOnFront, set.PageForPosts})
}

func prefixOf(blog *wp.Blog) string {
	if blog.BlogID() > 1 {
		return fmt.Sprintf("wp_%d_", blog.BlogID())
	}
	return "wp_"
}

// hiddenObjects returns the addresses of the posts, terms and users whose ids the queries find, without the posts in but.
func hiddenObjects(t *testing.T, dsn string, book *address.Book, queries []string, but []int64) map[string]string {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	var ids [3][]int64
	for i, query := range queries {
		rows, err := db.Query(strings.ReplaceAll(query, "{P}", prefixOf(book.Blog)))
		wptest.Must(t, err)
		defer rows.Close()
		for rows.Next() {
			var id int64
			wptest.Must(t, rows.Scan(&id))
			ids[i] = append(ids[i], id)
		}
		wptest.Must(t, rows.Err())
	}
	x := map[string]string{}
	posts, err := book.Posts(t.Context(), slices.DeleteFunc(ids[0], func(id int64) bool { return slices.Contains(but, id) }), nil)
	wptest.Must(t, err)
	for _, p := range posts {
		x[p.Link] = fmt.Sprintf("%s %d", p.Type, p.ID)
	}
	for _, taxonomy := range book.Blog.Registry().Taxonomies {
		terms, err := book.TermsByID(t.Context(), taxonomy, ids[1])
		wptest.Must(t, err)
		for _, term := range terms {
			x[term.Link] = fmt.Sprintf("%s %d", taxonomy.Name, term.ID)
		}
	}
	users, err := book.Authors(t.Context(), ids[2])
	wptest.Must(t, err)
	for _, u := range users {
		x[u.Link] = fmt.Sprintf("user %d", u.ID)
	}
	delete(x, book.Blog.Home()+"/") // posts without a slug have this address
	return x
}

// OptionText returns an option as it is stored, or "" if it is not.
func OptionText(t *testing.T, dsn, prefix, name string) (text string) {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	err := db.QueryRow("SELECT option_value FROM " + prefix + "options WHERE option_name = '" + name + "'").Scan(&text)
	if err != nil && err != sql.ErrNoRows {
		t.Fatal(err)
	}
	return text
}

// Counter records the statements that wp.Source.Observe reports.
type Counter struct {
	mu         sync.Mutex
	statements []string
}

func (c *Counter) Observe(query string, _ int, _ time.Duration, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.statements = append(c.statements, query)
}

// Take returns the statements since the last call.
func (c *Counter) Take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.statements
	c.statements = nil
	return taken
}

// Bulk loads a site with this many posts.
func Bulk(t testing.TB, e wptest.Engine, posts int) string {
	t.Helper()
	dsn := wptest.Load(t, e)
	db, _ := wptest.DB(t, dsn)
	wptest.Must(t, wptest.Bulk(t.Context(), db, wptest.Size{Posts: posts, Content: 600}))
	wptest.Exec(t, dsn, YoastActive)
	return dsn
}

var Offset = regexp.MustCompile(`(?i)\bOFFSET\b`)

// RankMathSite makes a site of Rank Math of the seed small. Its posts, terms and users hold settings in every form that the
// plugin or a person may have stored. The names say which rule each one tests.
var RankMathSite = []string{
	`REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
		('active_plugins', 'a:1:{i:0;s:30:"seo-by-rank-math/rank-math.php";}', 'on'),
		('rank_math_modules', 'a:1:{i:0;s:7:"sitemap";}', 'on'),
		('rank_math_registration_skip', '1', 'on'),
		('rank-math-options-sitemap', 'a:8:{s:14:"items_per_page";s:3:"200";s:15:"authors_sitemap";s:2:"on";s:15:"pt_post_sitemap";s:2:"on";` +
		`s:15:"pt_page_sitemap";s:2:"on";s:20:"tax_category_sitemap";s:2:"on";s:20:"tax_post_tag_sitemap";s:3:"off";` +
		`s:13:"exclude_posts";s:11:"1009,, 9999";s:13:"exclude_roles";a:1:{i:0;s:10:"subscriber";}}', 'on'),
		('rank-math-options-titles', 'a:2:{s:21:"pt_page_custom_robots";s:2:"on";s:14:"pt_page_robots";a:1:{i:0;s:7:"noindex";}}', 'on')`,
	`INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
		(1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'), (1002, 'bo', '!', 'bo', 'bo@small.test', 'Bo'),
		(1003, 'cy', '!', 'cy', 'cy@small.test', 'Cy')`,
	`INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
		(1001, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'), (1002, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}'),
		(1003, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'), (1003, 'rank_math_robots', 'a:1:{i:0;s:7:"noindex";}')`,
	Posts(1001, "1001 post plain", "1002 post noindex", "1003 post nofollow", "1004 post elsewhere", "1005 post own", "1006 post locked x",
		"1007 post cut-in-half", "1008 post null", "1009 post by-id", "1011 page of-the-type", "1012 page with-index"),
	"UPDATE wp_posts SET post_author = ID WHERE ID IN (1002, 1003)",
	`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
		(1002, 'rank_math_robots', 'a:1:{i:0;s:7:"noindex";}'), (1003, 'rank_math_robots', 'a:1:{i:0;s:8:"nofollow";}'),
		(1004, 'rank_math_canonical_url', 'https://elsewhere.test/'), (1005, 'rank_math_canonical_url', 'https://small.test/own/'),
		(1007, 'rank_math_robots', 'a:2:{i:0;s:5:"index";i:1;s:7:"nof'), (1008, 'rank_math_robots', NULL), (1008, 'rank_math_canonical_url', NULL),
		(1012, 'rank_math_robots', 'a:1:{i:0;s:5:"index";}')`,
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (1021, 'Plain', 'plain-term'),
		(1022, 'Noindex', 'noindex-term'), (1023, 'Elsewhere', 'elsewhere-term')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
		(1021, 1021, 'category', '', 0, 1), (1022, 1022, 'category', '', 0, 1), (1023, 1023, 'category', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 1021), (1001, 1022), (1001, 1023)`,
	`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES
		(1022, 'rank_math_robots', 'a:1:{i:0;s:7:"noindex";}'), (1023, 'rank_math_canonical_url', 'https://elsewhere.test/')`,
}

const (
	PluginRedirection = "redirection/redirection.php"
	PluginSEOPress    = "wp-seopress/seopress.php"

	TableRedirection = `CREATE TABLE wp_redirection_items (id INTEGER PRIMARY KEY, url TEXT NOT NULL, match_url VARCHAR(2000),
match_data TEXT, regex INTEGER NOT NULL DEFAULT 0, position INTEGER NOT NULL DEFAULT 0, last_count INTEGER NOT NULL DEFAULT 0,
status VARCHAR(20) NOT NULL DEFAULT 'enabled', action_type VARCHAR(20) NOT NULL, action_code INTEGER NOT NULL, action_data TEXT,
match_type VARCHAR(20) NOT NULL)`
)

// PlainRedirects returns the statement that activates Yoast SEO Premium with redirects of some addresses.
func PlainRedirects(from ...string) string {
	var list []any
	for _, f := range from {
		list = append(list, strings.Trim(f, "/"), Array("url", "/new/", "type", 301))
	}
	return strings.Join([]string{
		With(true, "wordpress-seo-premium/wp-seo-premium.php"), SetOption("wpseo_redirect", Array("disable_php_redirect", "off")),
		SetOption("wpseo-premium-redirects-export-plain", Array(list...)),
	}, ";\n")
}

// SeopressLists is the option of SEOPress' sitemaps. It lists pages, posts, tags, categories, authors and images.
const SeopressLists = `a:5:{s:35:"seopress_xml_sitemap_general_enable";s:1:"1";` +
	`s:31:"seopress_xml_sitemap_img_enable";s:1:"1";` +
	`s:34:"seopress_xml_sitemap_author_enable";s:1:"1";` +
	`s:36:"seopress_xml_sitemap_post_types_list";a:2:{s:4:"page";a:1:{s:7:"include";s:1:"1";}s:4:"post";a:1:{s:7:"include";s:1:"1";}}` +
	`s:36:"seopress_xml_sitemap_taxonomies_list";a:2:{s:8:"post_tag";a:1:{s:7:"include";s:1:"1";}s:8:"category";a:1:{s:7:"include";s:1:"1";}}}`

// SeopressSite makes a site of SEOPress of the seed small. Its posts and terms hold settings in every form that the plugin or a
// person may have stored. The names of the posts say which rule each one tests.
var SeopressSite = []string{
	`REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
		('active_plugins', 'a:1:{i:0;s:24:"wp-seopress/seopress.php";}', 'on'),
		('seopress_toggle', 'a:2:{s:18:"toggle-xml-sitemap";s:1:"1";s:15:"toggle-advanced";s:1:"1";}', 'on'),
		('seopress_xml_sitemap_option_name', '` + SeopressLists + `', 'on'),
		('seopress_titles_option_name', 'a:1:{s:29:"seopress_titles_single_titles";a:1:{s:4:"page";a:1:{s:7:"noindex";s:1:"1";}}}', 'on')`,
	`INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
		(1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'), (1002, 'bo', '!', 'bo', 'bo@small.test', 'Bo')`,
	Posts(1001, "1001 post plain", "1002 post noindex", "1003 post noindex-of-another-kind", "1004 post canonical-elsewhere", "1005 post canonical-own",
		"1006 post locked x", "1007 post caf%c3%a9", "1008 post canonical-null", "1011 page in-a-noindexed-type"),
	"UPDATE wp_posts SET post_author = 1002 WHERE ID = 1006",
	`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
		(1002, '_seopress_robots_index', 'yes'), (1003, '_seopress_robots_index', '1'),
		(1004, '_seopress_robots_canonical', 'https://elsewhere.test/'), (1005, '_seopress_robots_canonical',
		'https://small.test/canonical-own/'),
		(1007, '_seopress_robots_canonical', 'https://small.test/café/'), (1008, '_seopress_robots_canonical', NULL), (1008,
		'_seopress_robots_index', NULL)`,
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (1021, 'Plain', 'plain-term'), (1022, 'Noindex', 'noindex-term'), (1023,
		'Elsewhere', 'elsewhere-term')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
		(1021, 1021, 'category', '', 0, 1), (1022, 1022, 'category', '', 0, 1), (1023, 1023, 'post_tag', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 1021), (1001, 1022), (1001, 1023)`,
	`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES
		(1022, '_seopress_robots_index', 'anything'), (1023, '_seopress_robots_canonical', 'https://elsewhere.test/'), (1021,
		'_seopress_robots_index', '0')`,
}

// Of loads seeds, named with blanks between them, into SQLite, executes statements and builds the catalog.
func Of(t testing.TB, seeds string, opt seo.Options, statements ...string) *sitemap.Catalog {
	t.Helper()
	dsn := wptest.Load(t, wptest.SQLite, strings.Fields(seeds)...)
	wptest.Exec(t, dsn, statements...)
	return Build(t, OpenSite(t, wp.Source{DSN: dsn}), opt)
}

// Listed returns the paths of the addresses on a sitemap's first page, in the order of the page.
func Listed(t testing.TB, c *sitemap.Catalog, name string) []string {
	t.Helper()
	var paths []string
	for _, e := range Parse(t, Render(t, c, name, 1).Body).Entries {
		paths = append(paths, strings.TrimPrefix(e.Loc, c.Rules.Blog.Home()))
	}
	return paths
}

// PathsIn returns the sorted result of Listed.
func PathsIn(t testing.TB, c *sitemap.Catalog, name string) []string {
	t.Helper()
	return slices.Sorted(slices.Values(Listed(t, c, name)))
}

// Images returns the addresses of the images on a sitemap's first page, of all entries whose address ends in end.
func Images(t testing.TB, c *sitemap.Catalog, name, end string) []string {
	t.Helper()
	var images []string
	for _, e := range Parse(t, Render(t, c, name, 1).Body).Entries {
		for _, i := range e.Images {
			if strings.HasSuffix(e.Loc, end) {
				images = append(images, i.Loc)
			}
		}
	}
	return images
}

// Has returns a function that reports whether an address contains one of the parts.
func Has(parts []string) func(string) bool {
	return func(loc string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(loc, part) })
	}
}

// Array returns a serialized PHP array of alternating keys and values. A text that begins with "a:" is a serialized array itself.
func Array(pairs ...any) string {
	one := func(v any) string {
		switch s := fmt.Sprint(v); v := v.(type) {
		case int:
			return "i:" + s + ";"
		case bool:
			return fmt.Sprintf("b:%d;", map[bool]int{true: 1}[v])
		default:
			if strings.HasPrefix(s, "a:") {
				return s
			}
			return fmt.Sprintf(`s:%d:"%s";`, len(s), s)
		}
	}
	var b strings.Builder
	for _, v := range pairs {
		b.WriteString(one(v))
	}
	return fmt.Sprintf("a:%d:{%s}", len(pairs)/2, b.String())
}

const VideoActive = `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:2:{i:0;` +
	`s:24:"wordpress-seo/wp-seo.php";i:1;s:25:"wpseo-video/video-seo.php";}')`

// WithoutZeroDates returns a document without the ZeroDates, which the schemas do not allow.
func WithoutZeroDates(body []byte) []byte {
	return ZeroDates.ReplaceAll(body, nil)
}

// ZeroDates matches the lastmod that PHP makes of a zero date, in any time zone.
var ZeroDates = regexp.MustCompile(`<lastmod>-0001-11-[^<]*</lastmod>`)

// IndexDate returns the lastmod of an address in an index, or "" if it has none.
func IndexDate(t *testing.T, index []byte, address string) string {
	t.Helper()
	_, rest, found := strings.Cut(string(index), "<loc>"+address+"</loc>")
	if !found {
		t.Fatalf("%s is not in the index:\n%s", address, index)
	}
	item, _, _ := strings.Cut(rest, "</sitemap>")
	_, date, _ := strings.Cut(item, "<lastmod>")
	date, _, _ = strings.Cut(date, "</lastmod>")
	return date
}

// Activate returns the statement that makes plugins the active ones.
func Activate(files ...string) string {
	var list []any
	for i, f := range files {
		list = append(list, i, f)
	}
	return SetOption("active_plugins", Array(list...))
}

// SetOption returns the statement that stores an option.
func SetOption(name, value string) string {
	return "REPLACE INTO wp_options (option_name, option_value, autoload) VALUES ('" + name + "', '" + value + "', 'on')"
}

// TreeRows are a draft without a slug with two pages below it, a post in two parts, and an attachment
// of a post.
var TreeRows = []string{Insert(
	Row{ID: 9001, Author: 1001, Type: "page", Status: "draft"},
	Row{ID: 9002, Author: 1001, Type: "page", Name: "below-a-draft", Parent: 9001},
	Row{ID: 9003, Author: 1001, Type: "page", Name: "further-below", Parent: 9002},
	Row{ID: 9004, Author: 1001, Type: "page", Name: "a-page"},
	Row{ID: 9005, Author: 1001, Name: "two-parts", Text: "One<!--nextpage-->Two"},
	Row{ID: 9006, Author: 1001, Type: "attachment", Status: "inherit", Name: "picture", Parent: 9005, MIME: "image/jpeg"},
)}

// State is a site with unusual stored data, and the sitemaps that result.
type State struct {
	Rule string
	SQL  []string
	Want Listing
}

// Listing maps names of sitemaps to their addresses without home, in order. nil means that the sitemap
// does not exist. For the index, the addresses are files.
type Listing = map[string][]string

// CheckStates builds a site for each state, from the same rows.
func CheckStates(t *testing.T, level seo.Level, of []string, states []State) {
	t.Helper()
	for _, s := range states {
		t.Run(s.Rule, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.MariaDB, "small")
			wptest.Exec(t, dsn, of...)
			wptest.Exec(t, dsn, s.SQL...)
			c := Build(t, OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level})
			got := Listing{}
			for name := range s.Want {
				got[name] = ListedIn(t, c, name)
			}
			if diff := gocmp.Diff(s.Want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// ListedIn returns the addresses of a sitemap's first page, without home, in order. It returns nil if
// the sitemap does not exist.
func ListedIn(t *testing.T, c *sitemap.Catalog, name string) []string {
	t.Helper()
	if _, err := c.Render(t.Context(), name, 1); err != nil {
		return nil
	}
	return append([]string{}, Listed(t, c, name)...)
}

// Text returns the entries of a sitemap's first page as Parsed.String does, without home. It returns "" if the sitemap does not exist.
func Text(t *testing.T, c *sitemap.Catalog, name string) string {
	t.Helper()
	doc, err := c.Render(t.Context(), name, 1)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(Parse(t, doc.Body).String(), c.Rules.Blog.Home(), "")
}

// EachPlugin runs a test for the sitemaps of each plugin at both levels.
func EachPlugin(t *testing.T, dsn string, o registry.Overrides, opt seo.Options, test func(t *testing.T, c *sitemap.Catalog)) {
	for _, choice := range sitemap.Choices()[2:] {
		for _, level := range Levels {
			t.Run(choice+" "+string(level), func(t *testing.T) {
				opt.Sitemaps, opt.Compat = choice, level
				c := Build(t, OpenSite(t, wp.Source{DSN: dsn, Overrides: o}), opt)
				if !c.Active() {
					t.Skip("these are left to the site at this level")
				}
				test(t, c)
			})
		}
	}
}
