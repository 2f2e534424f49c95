package address

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/registry/routes"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A stored address may be the present one if it is as new as its object, is no address of an object that is not published, and has the
// object's language.
func TestCurrent(t *testing.T) {
	const site = "https://small.test"
	b := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small", "small-polylang")})
	o := object{name: "post", queryVar: "qv", link: site + "/fr/bonjour/", modified: 100, translated: true}
	plain := o
	plain.translated = false
	for _, tt := range []struct {
		rule string
		w    storedRow
		o    object
		want bool
	}{
		{"the same address", storedRow{name: "post", address: o.link, modified: 100}, o, true},
		{"in another form", storedRow{name: "post", address: strings.Replace(o.link, "b", "%62", 1), modified: 100}, o, true},
		{"another address", storedRow{name: "post", address: site + "/fr/salut/", modified: 101}, o, true},
		{"older than the object", storedRow{name: "post", address: o.link, modified: 99}, o, false},
		{"of another type", storedRow{name: "page", address: o.link, modified: 100}, o, false},
		{"nothing", storedRow{name: "post", modified: 100}, o, false},
		{"of the trash", storedRow{name: "post", address: site + "/fr/bonjour__trashed/", modified: 100}, o, false},
		{"by id", storedRow{name: "post", address: site + "/?p=5", modified: 100}, o, false},
		{"by the query variable of the type", storedRow{name: "post", address: site + "/?qv=x", modified: 100}, o, false},
		{"by another variable", storedRow{name: "post", address: site + "/?x=5", modified: 100}, o, true},
		{"below a path", storedRow{name: "post", address: site + "/a/?p=5", modified: 100}, o, true},
		{"of another language", storedRow{name: "post", address: site + "/de/bonjour/", modified: 100}, o, false},
		{"without the language", storedRow{name: "post", address: site + "/bonjour/", modified: 100}, o, false},
		{"of another language, which does not matter", storedRow{name: "post", address: site + "/de/bonjour/", modified: 100}, plain, true},
	} {
		expect.Equal(t, b.mayHold(tt.w, tt.o), tt.want, tt.rule)
	}
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("permalink_structure", ""))
	b = openSite(t, wp.Source{DSN: dsn})
	expect.Equal(t, b.isPlain(site+"/?p=5", &o), false, "on a site without permalinks every address is plain")
}

// A stored address must be below home, with the scheme and the host of the computed one.
func TestConcerns(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("home", "https://small.test/sub"))
	b := openSite(t, wp.Source{DSN: dsn})
	const link = "https://small.test/sub/a/"
	for address, want := range map[string]bool{
		"https://small.test/sub/b/": true, "https://small.test/sub": true, "https://small.test/sub?p=1": true, "http://small.test/sub/b/": false,
		"https://x.test/sub/b/":      false,
		"https://small.test/subway/": false, "https://small.test/b/": false, "https://me@small.test/sub/b/": false, "https://small.test/sub/%zz": false,
	} {
		expect.Equal(t, b.concerns(storedRow{address: address}, link), want, address)
	}
	expect.Equal(t, b.concerns(storedRow{address: link}, "https://small.test/%zz"), false, "a computed address that cannot be read")
	for address, want := range map[string]string{
		"https://small.test/sub/a%20b/": "/a b/", "https://small.test/sub": "", "https://small.test/other/": "/other/", "https://small.test/%zz": "",
	} {
		expect.Equal(t, b.path(address), want, address)
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"a", "a", true}, {"a%62", "ab", true}, {"%D0", "%d0", true}, {"a", "b", false}, {"a+b", "a b", false}} {
		expect.Equal(t, sameAddress(tt.a, tt.b), tt.want, tt)
	}
}

// A sitemap can list an address that is short enough, valid UTF-8, and without control characters.
func TestPlausible(t *testing.T) {
	for address, want := range map[string]bool{
		"https://a.test/": true, "https://a.test/é": true, "https://a.test/\xff": false, "a\nb": false, "a\x7fb": false, "a b": true,
		strings.Repeat("a", longestAddress): true, strings.Repeat("a", longestAddress+1): false,
	} {
		expect.Equal(t, plausible(address), want, len(address), address[:min(20, len(address))])
	}
}

// Of two rows of an object, the one that was stored last counts. A static front page has no row.
func TestStoredRows(t *testing.T) {
	const site = "https://example.test"
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	wptest.Exec(t, dsn, "INSERT INTO wp_yoast_indexable (object_id, object_type, object_sub_type) VALUES (201, 'post', 'book')")
	wptest.Exec(t, dsn, planted("post", 200, site+"/first/", "1"), planted("post", 201, site+"/second/", "1"),
		"UPDATE wp_yoast_indexable SET updated_at = '2026-01-02 00:00:00' WHERE object_id = 201 AND object_sub_type = 'book' AND id = (SELECT MAX(id) FROM wp_yoast_indexable)",
		"UPDATE wp_yoast_indexable SET object_id = 200 WHERE id = (SELECT MAX(id) FROM wp_yoast_indexable)")
	b := openSite(t, wp.Source{DSN: dsn})
	read := func() map[int64]storedRow {
		t.Helper()
		rows, err := b.storedRows(t.Context(), wp.IndexedPost, []int64{200, 201})
		wptest.Must(t, err)
		return rows
	}
	expect.Equal(t, read()[200].address, site+"/second/")
	expect.Equal(t, read()[200].modified, wp.ParseDate("2024-08-06 10:00:00"))
	b.Blog.Settings().ShowOnFront, b.Blog.Settings().PageOnFront = "page", 200
	_, exists := read()[200]
	expect.Equal(t, exists, false, "the front page has a row")
	b.Blog.Settings().ShowOnFront = "posts"
	_, exists = read()[200]
	expect.Equal(t, exists, true, "a page that is no front page has a row")
	terms, err := b.storedRows(t.Context(), wp.IndexedTerm, []int64{200})
	wptest.Must(t, err)
	expect.Equal(t, len(terms), 0, "terms of that id")
}

// Many ids are compared by their hashes. Rows of other addresses are read, and rows of the ids beside them.
func TestRowsAgainst(t *testing.T) {
	const site = "https://example.test"
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	wptest.Exec(t, dsn, planted("post", 200, site+"/a/", "1"), planted("post", 201, site+"/b/", "1"), planted("post", 202, site+"/c/", "1"),
		planted("post", 207, site+"/d/", "1"))
	b := openSite(t, wp.Source{DSN: dsn})
	for _, tt := range []struct {
		rule     string
		computed map[int64]string
		others   []int64
		want     map[int64]string
	}{
		{"consecutive ids", map[int64]string{200: site + "/a/", 201: site + "/x/", 202: site + "/c/"}, nil, map[int64]string{201: site + "/b/"}},
		{"ids far apart", map[int64]string{200: site + "/x/", 207: site + "/d/"}, nil, map[int64]string{200: site + "/a/"}},
		{"others", nil, []int64{207}, map[int64]string{207: site + "/d/"}},
		{"both", map[int64]string{200: site + "/x/"}, []int64{202}, map[int64]string{200: site + "/a/", 202: site + "/c/"}},
		{"nothing differs", map[int64]string{200: site + "/a/"}, nil, map[int64]string{}},
		{"nothing", nil, nil, map[int64]string{}},
	} {
		rows, err := b.rowsAgainst(t.Context(), wp.IndexedPost, tt.computed, tt.others)
		wptest.Must(t, err)
		got := map[int64]string{}
		for id, w := range rows {
			got[id] = w.address
		}
		expect.Same(t, tt.want, got, tt.rule)
	}
	wptest.Exec(t, dsn, "DROP TABLE wp_yoast_indexable")
	rows, err := b.rowsAgainst(t.Context(), wp.IndexedPost, map[int64]string{200: site + "/x/"}, []int64{201})
	if rows != nil || err != nil {
		t.Errorf("without the table: %v, %v", rows, err)
	}
}

// A rule answers an object if one of its variables names the object in the way of its type.
func TestAnsweredBy(t *testing.T) {
	page, post, book := object{key: "post page", name: "page", slug: "a%20b", id: 7}, object{key: "post post", name: "post", slug: "a", id: 7},
		object{key: "post book", name: "book", queryVar: "bk", slug: "a", id: 7}
	for _, tt := range []struct {
		rule string
		o    object
		vars map[string]string
		want bool
	}{
		{"a page by its path", page, map[string]string{"pagename": "x/a b"}, true}, {"a page by its id", page, map[string]string{"page_id": "7"}, true},
		{"a page as a post", page, map[string]string{"name": "a b"}, false}, {"a post by its name", post, map[string]string{"name": "a"}, true},
		{"a post by its id", post, map[string]string{"p": "7"}, true},
		{"a post of another type", post, map[string]string{"post_type": "book", "name": "a"}, false},
		{"by the name of the type", post, map[string]string{"post_type": "post", "x": "a"}, true},
		{"a page by a post's variable", page, map[string]string{"p": "7"}, false},
		{"by the query variable", book, map[string]string{"bk": "a"}, true}, {"by the name", book, map[string]string{"book": "a"}, true},
		{"as a post", book, map[string]string{"name": "a"}, false}, {"another slug", book, map[string]string{"bk": "b"}, false},
	} {
		expect.Equal(t, tt.o.answeredBy(routes.Match{Vars: tt.vars}), tt.want, tt.rule)
	}
}

// Rows with computed addresses agree. Others differ in a detail if the same rule answers both, or in their form.
func TestTally(t *testing.T) {
	const site = "https://example.test"
	b := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "basic", "types")})
	x := &comparison{book: b, tallies: map[typeKey]*tally{}, rules: routes.NewMatcher([]routes.Rule{
		{Regex: "library/([^/]+)/?$", Query: "index.php?book=$matches[1]"}, {Regex: "shelf/([^/]+)/?$", Query: "index.php?book=$matches[1]"},
		{Regex: "(.?.+?)/?$", Query: "index.php?pagename=$matches[1]"},
	})}
	book := object{key: "post book", name: "book", slug: "a", id: 7, link: site + "/library/a/"}
	for _, stored := range []string{
		site + "/library/a/", site + "/library/%61/", site + "/library/b/", site + "/library/b/?x=1", site + "/shelf/a/", site + "/shelf/b/",
		site + "/nowhere/a/",
	} {
		x.compare(stored, book)
	}
	got := x.tallies["post book"]
	expect.Equal(t, fmt.Sprint(got.agree, got.detail, got.form, got.answered, len(got.pairs)), "2 1 4 1 3", "agree, detail, form, answered, pairs")
	expect.Equal(t, got.pairs[0], pair{book.link, site + "/library/b/?x=1"})
	page := object{key: "post page", name: "page", slug: "a", id: 8, link: site + "/a/"}
	x.compare(site+"/b/", page)
	expect.Equal(t, x.tallies["post page"].detail, 1, "the rule of pages counts for pages")
}

// The operator's form ends the question. Types that visitors cannot open have no addresses to decide about.
func TestWhichTypesAreDecided(t *testing.T) {
	yes, no, url := true, false, "/x/{slug}"
	o := registry.Overrides{
		PostTypes: map[string]registry.PostTypeOverride{
			"book": {Slug: new("library")}, "manual": {Exclude: &yes}, "concert": {URL: &url}, "artist": {Public: &no}, "page": {WithFront: &yes},
			"post": {Hierarchical: &no},
		},
		Taxonomies: map[string]registry.TaxonomyOverride{"genre": {WithFront: &no}, "venue": {Slug: new("venue")}, "mood": {Public: &no},
			"category": {Exclude: &yes}},
	}
	b := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "basic", "types"), Overrides: o})
	for _, tt := range []struct {
		t       *registry.Type
		decided bool
		why     string
	}{
		{b.Blog.Registry().PostType("book"), true, "by the configuration"}, {b.Blog.Registry().PostType("page"), true, "by the configuration"},
		{b.Blog.Registry().PostType("post"), true, ""}, {b.Blog.Registry().PostType("manual"), false, ""},
		{b.Blog.Registry().PostType("concert"), false, ""},
		{b.Blog.Registry().PostType("artist"), false, ""}, {b.Blog.Registry().PostType("attachment"), false, ""},
		{b.Blog.Registry().Taxonomy("genre"), true, "by the configuration"}, {b.Blog.Registry().Taxonomy("venue"), true, "by the configuration"},
		{b.Blog.Registry().Taxonomy("mood"), false, ""}, {b.Blog.Registry().Taxonomy("category"), false, ""},
		{b.Blog.Registry().Taxonomy("post_tag"), true, ""},
	} {
		_, decided := b.addressing[keyOfType(tt.t)]
		expect.Equal(t, decided, tt.decided, tt.t, "is decided")
		expect.Equal(t, b.Addressing(tt.t).Why, tt.why, tt.t)
	}
}

// Posts and pages count as one row, other types as they are counted.
func TestRowsOf(t *testing.T) {
	e := &registry.Evidence{PostTypes: []registry.Rows{{Name: "film", Used: 2}, {Name: "book", Used: 3}},
		Taxonomies: []registry.Rows{{Name: "book", Used: 4}}}
	for _, tt := range []struct {
		t    registry.Type
		want int
	}{
		{registry.Type{Name: "book"}, 3}, {registry.Type{Name: "book", Taxonomy: true}, 4}, {registry.Type{Name: "post"}, 1},
		{registry.Type{Name: "page"}, 1},
		{registry.Type{Name: "post", Taxonomy: true}, 0}, {registry.Type{Name: "other"}, 0},
	} {
		expect.Equal(t, rowsOf(&tt.t, e), tt.want, tt.t.Name, tt.t.Taxonomy)
	}
}

// Everything that addresses depend on is in the fingerprint.
func TestFingerprintOfABook(t *testing.T) {
	b := &Book{}
	before := b.fingerprint(1)
	expect.Equal(t, b.fingerprint(1), before, "the same book")
	confirmed := func(r right, of *pair) found { return found{Answers: Answers{"post post#1": {Of: of, Right: r}}} }
	for rule, other := range map[string]*Book{
		"the word for no category": {noTerm: "ohne"}, "an archive": {archives: map[string]string{"book": "x"}},
		"where addresses come from": {addressing: map[typeKey]Addressing{"post book": {From: AsStored}}},
		"a confirmed address":       {before: confirmed(rightStored, &pair{"a", "b"})},
	} {
		expect.Equal(t, other.fingerprint(1) != before, true, rule, "changes it")
	}
	expect.Equal(t, b.fingerprint(2) != before, true, "the fingerprint of the blog changes it")
	for rule, other := range map[string]*Book{
		"an address that is not confirmed": {before: confirmed(rightComputed, &pair{"a", "b"})},
		"an answer about a type":           {before: confirmed(rightStored, nil)},
		"computed addresses":               {addressing: map[typeKey]Addressing{"post book": {From: asComputed}}},
	} {
		expect.Equal(t, other.fingerprint(1), before, rule, "does not change it")
	}
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList("wp-seopress/seopress.php")))
	one := openSite(t, wp.Source{DSN: dsn})
	wptest.Exec(t, dsn, "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1, '_seopress_robots_index', 'yes')")
	other := openSite(t, wp.Source{DSN: dsn})
	expect.Equal(t, one.Fingerprint() == other.Fingerprint(), true, "the settings of a term change it")
	expect.Equal(t, one.SettingsFingerprint() != other.SettingsFingerprint(), true, "the settings of a term change the fingerprint of all settings")
}

// What Permalink Manager leaves alone, and how its paths end and are printed.
func TestDecodeManager(t *testing.T) {
	decode := func(option string) *managedPaths {
		t.Helper()
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, setOption("active_plugins", phpList(wp.PluginPermalinkManager)))
		if option != "" {
			wptest.Exec(t, dsn, setOption("permalink-manager", option))
		}
		return openSite(t, wp.Source{DSN: dsn}).hand.manager
	}
	leaves := func(m *managedPaths, name string) bool {
		return !m.takes(&Post{Type: name, Status: "publish"}, &registry.PostType{Name: name, Viewable: true})
	}
	m := decode("")
	book := &registry.PostType{Name: "book", Viewable: true}
	for _, tt := range []struct {
		post Post
		of   *registry.PostType
		want bool
	}{
		{Post{Type: "book", Status: "publish"}, book, true}, {Post{Type: "book", Status: "draft"}, book, false},
		{Post{Type: "book", Status: "publish"}, nil, false}, {Post{Type: "book", Status: "draft"}, nil, false},
		{Post{Type: "book", Status: "publish"}, &registry.PostType{Name: "book"}, false}, {Post{Type: "attachment", Status: "inherit"}, nil, true},
	} {
		expect.Equal(t, m.takes(&tt.post, tt.of), tt.want, tt.post.Status, tt.of)
	}
	expect.Equal(t, leaves(m, "tribe_events"), true, "by default it leaves events")
	expect.Equal(t, leaves(m, "elementor_library"), true, "it always leaves templates")
	expect.Equal(t, leaves(m, "book"), false)
	expect.Equal(t, m.slashes, 0)
	expect.Equal(t, m.decoded, false)
	for stored, want := range map[string]int64{"1": 1, "2": 2, "9": 9, "10": 1, "20": 2} {
		general := `s:16:"trailing_slashes";` + phpText(stored) + `s:11:"decode_uris";` + phpText("1") + `s:15:"partial_disable";a:2:{s:10:"post_types";` + phpList("book") +
			`s:10:"taxonomies";` + phpList("genre") + `}s:16:"exclude_term_ids";` + phpText("3")
		m := decode(`a:1:{s:7:"general";a:4:{` + general + `}}`)
		expect.Equal(t, m.slashes, want, stored)
		expect.Equal(t, m.decoded, true)
		expect.Equal(t, leaves(m, "tribe_events"), false, "it leaves what its settings name")
		expect.Equal(t, leaves(m, "book"), true, "it leaves what its settings name")
		expect.Parts(t, strings.Join(m.taxonomies, " "), "genre", "nav_menu")
		expect.Equal(t, within(m.termRanges, 3) && !within(m.termRanges, 4) && !within(m.postRanges, 3), true, "the ids that are left alone")
	}
	links := permalink.New(permalink.Settings{Home: "https://a.test", Structure: "/%postname%/"})
	expect.Equal(t, (&managedPaths{decoded: true}).address(links, "gro%C3%9F"), "groß/", "paths that are printed without escapes")
	expect.Equal(t, (&managedPaths{}).address(links, "groß ~x,y|z+1/2"), "gro%C3%9F+%7Ex,y|z+1/2/", "paths that are escaped")
	for text, want := range map[string]string{"3, 7-9": "[{3 3} {7 9}]", "": "[]", "a": "[]", "12-": "[{12 12}]", "5-a6": "[{5 6}]"} {
		expect.Equal(t, fmt.Sprint(idRanges(text)), want, text)
	}
}

// Why a stored address is not used depends on what the site has said.
func TestWhyAStoredAddressIsNotUsed(t *testing.T) {
	const tide, hand = "https://example.test/library/the-tide-table/", "https://example.test/by-hand/"
	for _, tt := range []struct {
		rule    string
		asks    bool
		answers Answers
		old     bool // the row is older than its object
		want    string
	}{
		{"it cannot be asked", false, nil, false, "cannot ask"}, {"it was not asked", true, nil, false, "was not asked yet"},
		{"it answers the computed one", true, Answers{"post book#200": {Of: &pair{tide, hand}, Right: rightComputed}}, false, "only the computed URL"},
		{"it answers neither", true, Answers{"post book#200": {Of: &pair{tide, hand}, Right: rightElsewhere}}, false, "do not tell which"},
		{"it was asked about other addresses", true, Answers{"post book#200": {Of: &pair{tide, "x"}, Right: rightComputed}}, false, "do not tell which"},
		{"an old row", true, nil, true, "older than the object"},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
		wptest.Exec(t, dsn, planted("post", 200, hand, "1"), planted("post", 201, "https://example.test/library/the-knot-book/", "1"))
		if tt.old {
			wptest.Exec(t, dsn, "UPDATE wp_yoast_indexable SET object_last_modified = '2020-01-01 00:00:00' WHERE object_id = 200")
		}
		src := wp.Source{DSN: dsn}
		if tt.asks {
			src.Ask = func(context.Context, string) (wp.Response, error) { return wp.Response{}, nil }
		}
		b := openSite(t, src)
		posts, err := b.Posts(t.Context(), []int64{200}, nil)
		wptest.Must(t, err)
		b.inquiry.keep(tt.answers, time.Time{})
		d, err := b.DoubtOfPost(t.Context(), posts[0])
		wptest.Must(t, err)
		if d == nil {
			t.Errorf("%s: no doubt", tt.rule)
			continue
		}
		expect.Equal(t, d.Stored, hand, tt.rule)
		expect.Contains(t, d.Why, tt.want, tt.rule)
	}
}

// Meta that decides whether a post is listed is read without the content. Thumbnails that are known are not read again.
func TestWhichMetaIsRead(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList("page-links-to/page-links-to.php")), addPost(1, "post", "publish", "one", 0),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, '_links_to', 'https://x.test/'), (1, '_thumbnail_id', '9')")
	b := openSite(t, wp.Source{DSN: dsn})
	for _, content := range []func(*Post, string){nil, func(*Post, string) {}} {
		posts, err := b.Posts(t.Context(), []int64{1}, content)
		wptest.Must(t, err)
		expect.Equal(t, posts[0].LinksTo() != "", content == nil, "the address to which the post leads is read")
		expect.Equal(t, posts[0].Thumbnail, 9)
		posts, err = b.TranslatedPosts(t.Context(), []int64{1}, content, nil, objects.Thumbnails{})
		wptest.Must(t, err)
		expect.Equal(t, posts[0].Thumbnail, 0, "no thumbnail is known of the post")
	}
}

// What a rule matches first is the base. It is compared without regard to letter case and escapes.
func TestBasesOfASite(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("permalink_structure", "/blog/%postname%/"), setOption("tag_base", "Etiketten%20x"))
	isBase := openSite(t, wp.Source{DSN: dsn}).Bases()
	for segment, want := range map[string]bool{
		"blog": true, "author": true, "search": true, "category": true, "etiketten x": true, "ETIKETTEN%20X": true, "tag": false, "about": false, "": false,
	} {
		expect.Equal(t, isBase(segment), want, segment)
	}
}
