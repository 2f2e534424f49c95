package sitemap_test

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"

	"github.com/google/go-cmp/cmp"
)

// editor changes a site at random, as WordPress and its plugins do.
type editor struct {
	t    *testing.T
	db   *sql.DB
	dsn  string
	rand *rand.Rand
	now  time.Time
	// wrote are the tables that were written since tables was called, without prefix.
	wrote map[string]bool
}

var written = regexp.MustCompile(`^\s*(?:INSERT INTO|UPDATE|DELETE FROM) wp_(\w+)`)

func (e *editor) exec(statement string, args ...any) {
	e.t.Helper()
	if e.wrote == nil {
		e.wrote = map[string]bool{}
	}
	e.wrote[written.FindStringSubmatch(statement)[1]] = true
	if _, err := e.db.Exec(statement, args...); err != nil {
		e.t.Fatalf("%v\nin %s", err, statement)
	}
}

// tables returns the tables that were written since its last call, without prefix.
func (e *editor) tables() []string {
	names := slices.Sorted(maps.Keys(e.wrote))
	e.wrote = nil
	return names
}

// pick returns one of the ids that a query finds, or 0.
func (e *editor) pick(query string, args ...any) int64 {
	e.t.Helper()
	rows, err := e.db.Query(query, args...)
	if err != nil {
		e.t.Fatalf("%v\nin %s", err, query)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		wptest.Must(e.t, rows.Scan(&id))
		ids = append(ids, id)
	}
	wptest.Must(e.t, rows.Err())
	if len(ids) == 0 {
		return 0
	}
	return ids[e.rand.IntN(len(ids))]
}

func (e *editor) date() string {
	e.now = e.now.Add(time.Second)
	return e.now.UTC().Format(time.DateTime)
}

func (e *editor) published() int64 {
	return e.pick("SELECT ID FROM wp_posts WHERE post_type IN ('post', 'page') AND post_status = 'publish' ORDER BY ID")
}

func (e *editor) post() int64 {
	return e.pick("SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' ORDER BY ID")
}

func (e *editor) page() int64 {
	return e.pick("SELECT ID FROM wp_posts WHERE post_type = 'page' AND post_status = 'publish' ORDER BY ID")
}

// insert adds a row of wp_posts and returns its id.
func (e *editor) insert(kind, status, name, date string, parent, author int64) int64 {
	e.exec(`INSERT INTO wp_posts (post_type, post_status, post_name, post_date, post_date_gmt, post_modified, post_modified_gmt,
post_parent, post_author, post_title, post_excerpt, post_content, post_mime_type, post_password, to_ping, pinged,
post_content_filtered, guid, ping_status, comment_status)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'T', '', ?, '', '', '', '', '', '', '', '')`,
		kind, status, name, date, date, date, date, parent, author, "<p>"+name+"</p>")
	return e.pick("SELECT MAX(ID) FROM wp_posts")
}

func (e *editor) revise(id int64) {
	e.insert("revision", "inherit", fmt.Sprintf("%d-revision-v1", id), e.date(), id, 1)
}

// count updates the counts of terms, as WordPress does after every change of a post or its terms.
func (e *editor) count() {
	e.exec(`UPDATE wp_term_taxonomy SET count = (SELECT COUNT(*) FROM wp_term_relationships tr JOIN wp_posts p ON p.ID = tr.object_id
		WHERE tr.term_taxonomy_id = wp_term_taxonomy.term_taxonomy_id AND p.post_status = 'publish') WHERE taxonomy IN ('category', 'post_tag')`)
}

func (e *editor) modify(id int64, set string, args ...any) {
	date := e.date()
	e.exec("UPDATE wp_posts SET post_modified = ?, post_modified_gmt = ?"+set+" WHERE ID = ?", append(append([]any{date, date}, args...), id)...)
}

// edit changes a post and adds a revision, as an editor's change does.
func (e *editor) edit(id int64, set string, args ...any) {
	e.modify(id, set, args...)
	e.revise(id)
}

func (e *editor) meta(id int64, key string, value any) {
	e.exec("DELETE FROM wp_postmeta WHERE post_id = ? AND meta_key = ?", id, key)
	e.exec("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (?, ?, ?)", id, key, value)
}

func (e *editor) relate(id int64, taxonomy string) {
	if term := e.pick("SELECT term_taxonomy_id FROM wp_term_taxonomy WHERE taxonomy = ? ORDER BY term_taxonomy_id", taxonomy); term > 0 {
		e.exec("DELETE FROM wp_term_relationships WHERE object_id = ? AND term_taxonomy_id = ?", id, term)
		e.exec("INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (?, ?, 0)", id, term)
	}
}

// edit is one change that people or plugins make.
type edit struct {
	name  string
	blind bool // it leaves no trace a delta looks at
	moves bool // entries after it stand on other pages then
	do    func(e *editor)
}

var edits = []edit{
	{"edit", false, false, func(e *editor) {
		e.edit(e.published(), ", post_content = ?", e.date()+` <img src="/x.jpg">`)
	}},
	{"edit of the slug", false, false, func(e *editor) {
		e.edit(e.published(), ", post_name = ?", fmt.Sprint("slug-", e.rand.IntN(1e9)))
	}},
	{"edit without a revision", true, false, func(e *editor) { e.modify(e.published(), ", post_title = 'new'") }},
	{"edit that leaves the date", false, false, func(e *editor) {
		id := e.published()
		e.exec("UPDATE wp_posts SET post_content = ? WHERE ID = ?", "<img src='/"+fmt.Sprint(e.rand.IntN(1e9))+".png'>", id)
		e.revise(id)
	}},
	{"publish", false, false, func(e *editor) {
		id := e.insert("post", "publish", fmt.Sprint("new-", e.rand.IntN(1e9)), e.date(), 0, e.pick("SELECT ID FROM wp_users ORDER BY ID"))
		e.relate(id, "category")
		e.relate(id, "post_tag")
		e.count()
	}},
	{"publish a draft", false, true, func(e *editor) {
		id := e.pick("SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'draft' ORDER BY ID")
		date := e.date()
		e.modify(id, ", post_status = 'publish', post_date = ?, post_date_gmt = ?", date, date)
		e.count()
	}},
	{"publish with a new tag", false, false, func(e *editor) {
		id := e.insert("post", "publish", fmt.Sprint("tagged-", e.rand.IntN(1e9)), e.date(), 0, 1)
		for _, taxonomy := range []string{"post_tag", "category"} {
			slug := fmt.Sprint("term-", e.rand.IntN(1e9))
			e.exec("INSERT INTO wp_terms (name, slug, term_group) VALUES (?, ?, 0)", slug, slug)
			e.exec("INSERT INTO wp_term_taxonomy (term_id, taxonomy, description, parent, count) VALUES ((SELECT MAX(term_id) FROM "+
				"wp_terms), ?, '', 0, 0)", taxonomy)
			e.exec("INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (?, (SELECT MAX(term_taxonomy_id) "+
				"FROM wp_term_taxonomy), 0)", id)
		}
		e.count()
	}},
	{"schedule", true, false, func(e *editor) {
		e.insert("post", "future", fmt.Sprint("future-", e.rand.IntN(1e9)), e.now.Add(time.Hour).Format(time.DateTime), 0, 1)
	}},
	{"a scheduled post comes due", false, true, func(e *editor) {
		id := e.pick("SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'future' ORDER BY ID")
		e.exec("UPDATE wp_posts SET post_status = 'publish' WHERE ID = ?", id)
		e.relate(id, "category")
		e.count()
	}},
	{"trash", false, true, func(e *editor) {
		id := e.published()
		e.modify(id, ", post_status = 'trash'")
		e.meta(id, "_wp_trash_meta_status", "publish")
		e.count()
	}},
	{"restore", false, true, func(e *editor) {
		id := e.pick("SELECT ID FROM wp_posts WHERE post_type IN ('post', 'page') AND post_status = 'trash' ORDER BY ID")
		e.modify(id, ", post_status = 'publish'")
		e.count()
	}},
	{"delete", false, true, func(e *editor) {
		id := e.published()
		e.exec("DELETE FROM wp_term_relationships WHERE object_id = ?", id)
		e.exec("DELETE FROM wp_postmeta WHERE post_id = ?", id)
		e.exec("UPDATE wp_posts SET post_parent = 0 WHERE post_parent = ? AND post_type <> 'revision'", id)
		e.exec("DELETE FROM wp_posts WHERE ID = ? OR post_parent = ?", id, id)
		e.count()
	}},
	{"move to other terms", false, false, func(e *editor) {
		id := e.post()
		e.exec("DELETE FROM wp_term_relationships WHERE object_id = ?", id)
		e.relate(id, "category")
		e.relate(id, "post_tag")
		e.edit(id, "")
		e.count()
	}},
	{"add a term", false, false, func(e *editor) {
		id := e.post()
		e.relate(id, "post_tag")
		e.edit(id, "")
		e.count()
	}},
	{"change the author", false, false, func(e *editor) {
		e.edit(e.post(), ", post_author = ?", e.pick("SELECT ID FROM wp_users ORDER BY ID"))
	}},
	{"set a password", false, true, func(e *editor) {
		e.edit(e.published(), ", post_password = 'x'")
	}},
	{"noindex", false, true, func(e *editor) {
		e.meta(e.published(), "_yoast_wpseo_meta-robots-noindex", "1")
	}},
	{"index again", false, true, func(e *editor) {
		id := e.pick("SELECT post_id FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_meta-robots-noindex' AND meta_value = '1' ORDER BY meta_id")
		e.exec("DELETE FROM wp_postmeta WHERE post_id = ? AND meta_key = '_yoast_wpseo_meta-robots-noindex'", id)
	}},
	{"canonical elsewhere", false, true, func(e *editor) {
		e.meta(e.published(), "_yoast_wpseo_canonical", fmt.Sprint("https://elsewhere.test/", e.rand.IntN(1e9)))
	}},
	{"canonical here", false, true, func(e *editor) {
		id := e.pick("SELECT post_id FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_canonical' AND meta_value <> '' ORDER BY meta_id")
		e.exec("UPDATE wp_postmeta SET meta_value = '' WHERE post_id = ? AND meta_key = '_yoast_wpseo_canonical'", id)
	}},
	{"upload", false, false, func(e *editor) {
		parent := e.published()
		id := e.insert("attachment", "inherit", fmt.Sprint("image-", e.rand.IntN(1e9)), e.date(), parent, 1)
		e.exec("UPDATE wp_posts SET post_mime_type = 'image/jpeg' WHERE ID = ?", id)
		e.meta(id, "_wp_attached_file", fmt.Sprintf("2026/01/%d.jpg", id))
		e.meta(parent, "_thumbnail_id", id)
	}},
	{"a page gets a parent", false, true, func(e *editor) {
		e.edit(e.page(), ", post_parent = ?", e.page())
	}},
	{"a post gets the slug of a page", false, true, func(e *editor) {
		e.edit(e.post(), ", post_name = (SELECT slug FROM (SELECT post_name AS slug FROM wp_posts WHERE ID = ?) AS page)", e.page())
	}},
	{"a page becomes a draft", false, true, func(e *editor) {
		e.modify(e.page(), ", post_status = 'draft'")
	}},
	{"delete an attachment", true, false, func(e *editor) {
		id := e.pick("SELECT ID FROM wp_posts WHERE post_type = 'attachment' ORDER BY ID")
		e.exec("DELETE FROM wp_postmeta WHERE post_id = ?", id)
		e.exec("DELETE FROM wp_posts WHERE ID = ?", id)
	}},
	{"change the date", false, false, func(e *editor) {
		date := e.now.Add(-time.Duration(e.rand.IntN(5000)) * time.Hour).Format(time.DateTime)
		e.modify(e.published(), ", post_date = ?, post_date_gmt = ?", date, date)
	}},
}

// A catalog after a delta equals a new build, whatever changed. So does a catalog that takes over
// unchanged pages. A page keeps its fingerprint only if its bytes stay the same.
func TestDeltaIsWhatABuildMakes(t *testing.T) {
	t.Parallel()
	mariadb, sqlite := []wptest.Engine{wptest.MariaDB}, []wptest.Engine{wptest.SQLite} // one is enough where statements are those of others
	for _, tt := range []struct {
		name    string
		on      []wptest.Engine
		seed    []string
		options string
	}{
		{"basic", []wptest.Engine{wptest.MariaDB, wptest.SQLite}, []string{"basic"}, ""},
		{
			"attachments listed", mariadb, []string{"basic"},
			`REPLACE INTO wp_options (option_name, option_value) VALUES ('wpseo_titles', 'a:1:{s:18:"disable-attachment";b:0;}')`,
		},
		{"news and dated links", mariadb, []string{"basic", "dated", "small-news"}, ""},
		{"redirects", sqlite, []string{"basic"}, sitemaptest.PlainRedirects("/sticky-news/", "/about/crew/", "/about/crew/cook/", "/category/harbour/", "/new/", "/of-cleo/")},
		{"WordPress' own", mariadb, []string{"basic"}, sitemaptest.Activate("akismet/akismet.php")},
		{"WordPress' own before 6.1", sqlite, []string{"basic"}, "REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:0:{}'), ('db_version', '51917')"},
		{"generated", mariadb, nil, ""},
	} {
		for _, engine := range tt.on {
			t.Run(fmt.Sprint(tt.name, " ", engine), func(t *testing.T) {
				t.Parallel()
				dsn := wptest.Load(t, engine, tt.seed...)
				db, _ := wptest.DB(t, dsn)
				if tt.seed == nil {
					wptest.Must(t, wptest.Bulk(t.Context(), db, wptest.Size{Posts: 60, Authors: 5}))
					wptest.Exec(t, dsn, sitemaptest.YoastActive)
				}
				wptest.Exec(t, dsn, tt.options)
				seed := rand.Uint64()
				t.Logf("seed %d", seed)
				e := &editor{t: t, db: db, dsn: dsn, rand: rand.New(rand.NewPCG(seed, 1)), now: time.Now().UTC().Add(-time.Hour)}
				e.count()
				walk(t, e, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), tt.name)
			})
		}
	}
}

// rounds is how often a walk makes every edit. A walk is random, so that each run of the tests tries others.
func rounds(t *testing.T) int {
	text, ok := os.LookupEnv("WPSITEMAPD_TEST_ROUNDS")
	if !ok {
		return 1
	}
	n, err := strconv.Atoi(text)
	wptest.Must(t, err)
	return n
}

func walk(t *testing.T, e *editor, blog *address.Book, name string) {
	var had []*sitemap.Catalog
	clock := time.Now() // stands still, or the news would change by themselves
	now := func() time.Time { return clock }
	for _, level := range sitemaptest.Levels {
		had = append(had, sitemaptest.Build(t, blog, seo.Options{Compat: level, PageSize: 5, Keep: true, Now: now}))
	}
	declined := 0
	var last [2]map[string]rendered
	for step := range rounds(t) * len(edits) {
		var done []string
		blind := false
		for range 1 + e.rand.IntN(2) {
			edit := edits[(step+len(done)*7)%len(edits)]
			edit.do(e)
			done = append(done, edit.name)
			blind = blind || edit.blind
		}
		tables := e.tables()
		if step%3 == 0 {
			tables = nil // it is not known which tables were written
		}
		for i, level := range sitemaptest.Levels {
			where := fmt.Sprintf("%s, step %d, %s: after %s", string(level), step, name, strings.Join(done, " and "))
			delta, _, err := had[i].Delta(t.Context(), tables)
			opt := seo.Options{Compat: level, PageSize: 5, Keep: true, Now: now}
			switch {
			case errors.Is(err, rows.ErrDeclined):
				if had[i].Kept().Start() != nil && had[i].Rules.Blog.Registry().PostType("attachment") != nil &&
					!had[i].Rules.ListsType(had[i].Rules.Blog.Registry().PostType("attachment")) {
					declined++
				}
			case err != nil:
				t.Fatalf("%s: %v", where, err)
			case blind: // a build follows
			default:
				built := sitemaptest.Build(t, blog, opt)
				want, got := renderAll(t, built), renderAll(t, delta)
				if diff := cmp.Diff(bodies(want), bodies(got)); diff != "" {
					t.Fatalf("%s: build (-) and delta (+) differ:\n%.3000s", where, diff)
				}
				if diff := cmp.Diff(built.LeftOut, delta.LeftOut); diff != "" {
					t.Fatalf("%s: left out: build (-) and delta (+) differ:\n%s", where, diff)
				}
				for page, now := range got {
					if before, ok := last[i][page]; ok && before.print == now.print && before.body != now.body {
						t.Fatalf("%s: %s keeps its fingerprint:\n%s", where, page, cmp.Diff(before.body, now.body))
					}
				}
				last[i], had[i] = got, delta
				continue
			}
			rebuilt, err := sitemap.Rebuild(t.Context(), blog, opt, had[i])
			wptest.Must(t, err)
			had[i] = rebuilt
			last[i] = renderAll(t, had[i])
		}
	}
	if declined > 2 {
		t.Errorf("%d deltas declined", declined)
	}
}

// The addresses of Tutor's lessons contain those of their courses, although post_parent does not show
// it.
func TestDeltaOfARenamedCourse(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	db, _ := wptest.DB(t, dsn)
	wptest.Exec(t, dsn, sitemaptest.Activate("wordpress-seo/wp-seo.php", "tutor/tutor.php"),
		"DELETE FROM wp_options WHERE option_name IN ('rewrite_rules', 'wpseo')")
	e := &editor{t: t, db: db, dsn: dsn, now: time.Now().UTC().Add(-time.Hour), rand: rand.New(rand.NewPCG(1, 1))}
	course := e.insert("courses", "publish", "great", e.date(), 0, 1)
	e.insert("lesson", "publish", "one", e.date(), e.insert("topics", "publish", "topic", e.date(), course, 1), 1)
	before := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Keep: true})
	e.edit(course, ", post_name = 'greater'")
	delta, _, err := before.Delta(t.Context(), nil)
	wptest.Must(t, err)
	body := string(sitemaptest.Render(t, delta, "lesson", 1).Body)
	if !strings.Contains(body, "/courses/greater/lessons/one/") || before.Fingerprint("lesson", 1) == delta.Fingerprint("lesson", 1) {
		t.Errorf("the page keeps its fingerprint, or is\n%s", body)
	}
}

type rendered struct {
	body  string
	print uint64
}

// renderAll renders every page of a catalog.
func renderAll(t *testing.T, c *sitemap.Catalog) map[string]rendered {
	t.Helper()
	all := map[string]rendered{}
	for _, f := range c.Files() {
		if !f.Elsewhere {
			all[f.Filename] = rendered{string(sitemaptest.Render(t, c, f.Name, f.Page).Body), c.Fingerprint(f.Name, f.Page)}
		}
	}
	return all
}

func bodies(all map[string]rendered) map[string]string {
	b := map[string]string{}
	for name, r := range all {
		b[name] = r.body
	}
	return b
}
