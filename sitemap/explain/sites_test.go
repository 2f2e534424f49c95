package explain_test

import (
	gocmp "cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"

	"github.com/google/go-cmp/cmp"
)

// For every site at both levels, explanations agree with what is rendered. A listed address is
// explained with its files and dates. An excluded one is explained as out, with evidence. An object is
// in by its number only if its address is rendered.
func TestExplainAgreesWithWhatIsRendered(t *testing.T) {
	for name, stack := range sitemaptest.EverySeed(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				if e == wptest.MariaDB && !slices.Contains(mostStatements, name) {
					t.Skip("the statements of others")
				}
				dsn := wptest.Load(t, e, stack...)
				if name == "hostile" {
					wptest.Exec(t, dsn, sitemaptest.YoastActive)
				}
				for _, blog := range sitemaptest.Open(t, wp.Source{DSN: wptest.ReadOnlyDSN(t, dsn)}) {
					for _, level := range sitemaptest.Levels {
						c := sitemaptest.Build(t, blog, seo.Options{Compat: level, PageSize: 3})
						a := agreement{
							t:       t,
							c:       c,
							hostile: name == "hostile",
							where:   fmt.Sprintf("blog %d, level %s: ", blog.Blog.BlogID(), string(level)),
							listed:  map[string]map[string]string{},
						}
						a.render()
						a.explainListed()
						if e == wptest.SQLite { // the same code
							a.explainObjects(dsn)
						}
						a.explainExcluded(sitemaptest.FindExclusions(t, dsn, blog, level))
					}
				}
			})
		})
	}
}

// The explanations of these seeds run every statement that those of all seeds run. They include the
// seed with the strangest rows.
var mostStatements = []string{
	"basic", "hostile", "network", "plain", "types", "woo", "small-core", "small-news", "small-polylang", "small-video", "small-wpml",
}

// agreement compares explanations with rendered sitemaps.
type agreement struct {
	t      *testing.T
	c      *sitemap.Catalog
	where  string
	listed map[string]map[string]string // address → file → lastmod

	// Some rows of this seed have addresses from which the row cannot be found. Links in deep trees
	// depend on the rows that are read together.
	hostile bool
}

func (a *agreement) errorf(x *explain.Explanation, format string, args ...any) {
	a.t.Helper()
	a.t.Errorf("%s%s: %s\n%+v", a.where, x.URL, fmt.Sprintf(format, args...), *x)
}

func (a *agreement) render() {
	for _, f := range a.c.Files() {
		doc, err := a.c.Render(a.t.Context(), f.Name, f.Page)
		wptest.Must(a.t, err)
		if f.Name == seo.IndexName {
			continue
		}
		for _, entry := range sitemaptest.Parse(a.t, doc.Body).Entries {
			if a.listed[entry.Loc] == nil {
				a.listed[entry.Loc] = map[string]string{}
			}
			if _, again := a.listed[entry.Loc][f.URL]; !again {
				a.listed[entry.Loc][f.URL] = entry.LastMod
			}
		}
	}
}

func (a *agreement) explainListed() {
	for loc := range a.listed {
		x := sitemaptest.Explain(a.t, a.c, loc)
		if a.hostile && !x.In {
			continue
		}
		if !x.In || x.Rule != "listed" || x.Object == "" || x.Address != loc {
			a.errorf(x, "is listed")
			continue
		}
		if first := x.Places[0]; x.Sitemap != first.Sitemap || x.Page != first.Page ||
			x.File != first.File || x.LastMod != first.LastMod {
			a.errorf(x, "does not tell its first place")
		}
		got := map[string]string{}
		for _, p := range x.Places {
			if _, again := got[p.File]; !again {
				got[p.File] = p.LastMod
			}
		}
		want := a.listed[loc]
		if slices.ContainsFunc(x.Notes, func(n string) bool { return strings.Contains(n, "every page") }) {
			continue // of a term with a video at level plugin only the first is told
		}
		if diff := cmp.Diff(want, got); diff != "" {
			a.errorf(x, "rendered (-) and explained (+) differ:\n%s", diff)
		}
	}
}

// explainObjects explains posts and users by number.
func (a *agreement) explainObjects(dsn string) {
	db, _ := wptest.DB(a.t, dsn)
	defer db.Close()
	home := a.c.Rules.Blog.Home()
	for query, form := range map[string]string{
		"SELECT ID FROM " + a.c.Rules.Blog.Table("posts") +
			" WHERE ID > 0 AND ID < 9000000000 AND post_type NOT IN ('revision', 'nav_menu_item') ORDER BY ID": "/?p=%d",
		"SELECT ID FROM " + a.c.Rules.Blog.Table("users") + " WHERE ID > 0 ORDER BY ID": "/?author=%d",
	} {
		rows, err := db.Query(query)
		wptest.Must(a.t, err)
		var ids []int64
		for rows.Next() {
			var id int64
			wptest.Must(a.t, rows.Scan(&id))
			ids = append(ids, id)
		}
		wptest.Must(a.t, rows.Err())
		for _, id := range ids {
			x := sitemaptest.Explain(a.t, a.c, home+fmt.Sprintf(form, id))
			if !strings.HasSuffix(x.Object, fmt.Sprint(" ", id)) {
				a.errorf(x, "is not %d", id)
			}
			if !a.hostile && x.In != (len(a.listed[x.Address]) > 0) && !a.shared(x) {
				a.errorf(x, "rendered in %d files", len(a.listed[x.Address]))
			}
			a.reasoned(x)
		}
	}
}

// shared reports whether another listed object has the address.
func (a *agreement) shared(x *explain.Explanation) bool {
	other := sitemaptest.Explain(a.t, a.c, x.Address)
	return other.In && (other.Object != x.Object || len(other.Notes) > 0)
}

func (a *agreement) reasoned(x *explain.Explanation) {
	if !x.In && (x.Rule == "" || x.Because == "" || len(x.Evidence) == 0 || x.Sitemap != "" ||
		x.Page != 0 || x.LastMod != "" || len(x.Places) > 0 || x.Rule == "not settled") {
		a.errorf(x, "is out without a reason, or with a place")
	}
}

func (a *agreement) explainExcluded(excluded map[string]string) {
	for address, what := range excluded {
		if len(a.listed[address]) > 0 {
			continue
		}
		x := sitemaptest.Explain(a.t, a.c, address)
		if x.In {
			a.errorf(x, "is excluded: %s", what)
		}
		if x.Object != "" {
			a.reasoned(x)
		}
	}
}

// TestExplain covers the kinds of addresses of one site, at both levels.
func TestExplain(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_content = 'one<!--nextpage-->two', post_name = 'journal' WHERE ID = 3")
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	home := blog.Blog.Home()
	db, _ := wptest.DB(t, dsn)
	find := func(query string) (id int64, slug string) {
		t.Helper()
		if err := db.QueryRow(query).Scan(&id, &slug); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return id, slug
	}
	id, slug := find(`SELECT ID, post_name FROM wp_posts p
WHERE post_type = 'post' AND post_status = 'publish' AND post_password = '' AND post_name GLOB '[a-z]*'
AND post_content NOT LIKE '%nextpage%'
		AND NOT EXISTS (SELECT 1 FROM wp_postmeta m WHERE m.post_id = p.ID AND meta_key LIKE '_yoast_wpseo%') ORDER BY ID LIMIT 1`)
	object := fmt.Sprintf("post %d", id)
	partsID, partsSlug := find(`SELECT ID, post_name FROM wp_posts
WHERE post_type = 'post' AND post_status = 'publish' AND post_content LIKE '%<!--nextpage-->%' ORDER BY ID LIMIT 1`)
	draftID, _ := find(`SELECT ID, post_name FROM wp_posts WHERE post_type IN ('post', 'page') AND post_status = 'draft' ORDER BY ID LIMIT 1`)
	trashID, trashSlug := find(`SELECT ID, REPLACE(post_name, '__trashed', '') FROM wp_posts
WHERE post_type IN ('post', 'page') AND post_status = 'trash' AND post_name LIKE '%__trashed' ORDER BY ID LIMIT 1`)
	_, foreign := find(`SELECT ID, post_name FROM wp_posts
WHERE post_type = 'post' AND post_status = 'publish' AND post_name LIKE '%^%%' ESCAPE '^' ORDER BY ID LIMIT 1`)
	tagID, tag := find(`SELECT t.term_id, t.slug FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id
WHERE tt.taxonomy = 'post_tag' AND tt.count > 0 AND t.slug GLOB '[a-z][a-z][a-z][a-z][a-z]*' ORDER BY t.term_id LIMIT 1`)

	excludedID, _ := find(fmt.Sprintf(`SELECT ID, post_name FROM wp_posts
WHERE post_type = 'post' AND post_status = 'publish' AND ID <> %d AND ID <> %d ORDER BY ID LIMIT 1`, id, partsID))
	c := map[string]*sitemap.Catalog{}
	for _, level := range sitemaptest.Levels {
		c[string(level)] = sitemaptest.Build(t, blog,
			seo.Options{Compat: level, Exclude: seo.Exclude{PostIDs: []int64{excludedID}, URLs: []*regexp.Regexp{regexp.MustCompile(`/tag/`)}}})
	}

	mistyped := slug[:3] + slug[4:5] + slug[3:4] + slug[5:] // two letters in the wrong order

	const both = "spec plugin"
	for _, tt := range []struct {
		rule, levels, address string
		object, decided       string
		in                    bool
		note                  string // a part of one; "" for any
	}{
		{"a post", both, home + "/" + slug + "/", object, "listed", true, ""},
		{"without the slash", both, home + "/" + slug, object, "listed", true, ""},
		{"by another scheme", both, strings.Replace(home, "https", "http", 1) + "/" + slug + "/", object, "listed", true, ""},
		{"in other letter case", both, home + "/" + strings.ToUpper(slug) + "/", object, "listed", true, ""},
		{"percent-encoded without need", both, home + fmt.Sprintf("/%%%02x%s/", slug[0], slug[1:]), object, "listed", true, ""},
		{"with an advertiser's query", both, home + "/" + slug + "/?utm_source=x", object, "listed", true, ""},
		{"by number", both, home + fmt.Sprintf("/?p=%d", id), object, "listed", true, ""},
		{"by number of another kind", both, home + fmt.Sprintf("/?page_id=%d", id), object, "listed", true, ""},
		{"by a query with its name", both, home + "/?name=" + slug, "", "nothing at this URL", false, object + " has this name"},
		{"the same slug elsewhere", both, home + "/else/where/" + slug + "/", "", "nothing at this URL", false, object +
			" has this name; its URL is " + home + "/" + slug + "/"},
		{"mistyped", both, home + "/" + mistyped + "/", "", "nothing at this URL", false, object +
			" has a similar name; its URL is " + home + "/" + slug + "/"},
		{"a tag, mistyped", both, home + "/tag/" + tag[:2] + "x" + tag[2:] + "/", "", "nothing at this URL", false,
			fmt.Sprintf("post_tag %d has a similar name", tagID)},
		{"in another script, mistyped", both, home + "/" + php.RawURLDecode(foreign) + "x/", "", "nothing at this URL", false, " has a similar name"},
		{"too far from any name", both, home + "/" + slug + "xyz/", "", "nothing at this URL", false, ""},
		{"in another script", both, home + "/" + foreign + "/", "", "listed", true, ""},
		{"in another script, upper case", both, home + "/" + strings.ToUpper(foreign) + "/", "", "listed", true, ""},
		{"in another script, as people read it", both, home + "/" + php.RawURLDecode(foreign) + "/", "", "listed", true, ""},
		{"excluded by number", both, home + fmt.Sprintf("/?p=%d", excludedID), "", "excluded by configuration", false, ""},
		{"a later part", "spec", home + "/" + partsSlug + "/2/", fmt.Sprintf("post %d, part 2", partsID), "listed", true, "follow their post"},
		{"a later part", "plugin", home + "/" + partsSlug + "/2/", fmt.Sprintf("post %d, part 2", partsID), "part of a post", false, "itself is listed"},
		{"a part it does not have", both, home + "/" + slug + "/2/", "", "nothing at this URL", false, object + " has 1 part"},
		{"a part of the posts page", both, home + "/journal/2/", "", "nothing at this URL", false, "page 3 has 1 part"},
		{"a feed of a post", both, home + "/" + slug + "/feed/", "feed of " + object, "feed", false, "itself is listed"},
		{"a page of comments", both, home + "/" + slug + "/comment-page-2/", "page of comments of " + object, "page of comments", false, ""},
		{"an embed", both, home + "/" + slug + "/embed/", "embed of " + object, "embed", false, ""},
		{"a draft", both, home + fmt.Sprintf("/?p=%d", draftID), "", "not published", false, ""},
		{"trash by its old address", both, home + "/" + trashSlug + "/", fmt.Sprint(" ", trashID), "not published", false, ""},
		{"a tag, excluded by its address", both, home + "/tag/" + tag + "/", fmt.Sprintf("post_tag %d", tagID), "excluded by configuration", false, ""},
		{"a page of a tag", both, home + "/tag/" + tag +
			"/page/2/", fmt.Sprintf("pagination of post_tag %d", tagID), "pagination", false, "itself is not listed"},
		{"home", both, home + "/", "page ", "listed", true, ""},
		{"home without a slash", both, home, "page ", "listed", true, ""},
		{"home's feed", both, home + "/feed/", "feed of page", "feed", false, ""},
		{"a year", both, home + "/2025/", "date archive", "date archive", false, ""},
		{"a month by query", both, home + "/?m=202505", "date archive", "date archive", false, ""},
		{"a later page of a month", both, home + "/2025/05/page/3/", "date archive", "date archive", false, ""},
		{"a search", both, home + "/?s=" + slug, "search results", "search", false, ""},
		{"a pretty search", both, home + "/search/boat/", "search results", "search", false, ""},
		{"a script", both, home + "/wp-login.php", "file", "file", false, ""},
		{"a plugin's file", both, home + "/wp-content/plugins/x/y.js", "file", "file", false, ""},
		{"nonsense", both, home + "/no/such/thing/", "", "nothing at this URL", false, ""},
		{"nonsense, malformed", both, home + "/%zz%/%ff/?%=%&&=", "", "nothing at this URL", false, ""},
		{"no such number", both, home + "/?p=987654", "", "nothing at this URL", false, ""},
		{"another host", both, "https://other.example/" + slug + "/", "", "another host", false, ""},
		{"a host that only begins alike", both, home + ".example/" + slug + "/", "", "another host", false, ""},
		{"a file of the media library", both, home +
			"/wp-content/uploads/2099/01/none.jpg", "file wp-content/uploads/2099/01/none.jpg", "not shown by a listed post", false, ""},
	} {
		for level := range strings.FieldsSeq(tt.levels) {
			t.Run(tt.rule+", "+level, func(t *testing.T) {
				x := sitemaptest.Explain(t, c[level], tt.address)
				if x.URL != tt.address || x.In != tt.in || x.Rule != tt.decided || !strings.Contains(x.Object, tt.object) ||
					tt.object == "" && tt.decided == "nothing at this URL" && x.Object != "" || x.Because == "" {
					t.Errorf("%s: want %q in %v, rule %q; got\n%+v", tt.address, tt.object, tt.in, tt.decided, *x)
				}
				if tt.rule == "nonsense" && !strings.Contains(x.Do, "[[site.extra]]") || tt.rule == "mistyped" && x.Do != "" {
					t.Errorf("what to do: %q", x.Do)
				}
				if tt.note != "" && !slices.ContainsFunc(x.Notes, func(n string) bool { return strings.Contains(n, tt.note) }) {
					t.Errorf("no note with %q: %q", tt.note, x.Notes)
				}
			})
		}
	}
	for _, bad := range []string{"hello", "/hello/", "ftp://a.test/", "https://", "https:///x", "javascript:alert(1)"} {
		if x, err := c["spec"].Explain(t.Context(), bad); !errors.Is(err, explain.ErrAddress) {
			t.Errorf("%q: %+v, %v; want ErrAddress", bad, x, err)
		}
	}
}

// Data in a row, an option or the configuration is returned as evidence.
func TestExplainTellsWhatDecided(t *testing.T) {
	row := func(status, kind string) string {
		return sitemaptest.Insert(sitemaptest.Row{ID: 9001, Name: "planted", Type: kind, Status: status})
	}
	post, meta := row("publish", "post"), func(key, value string) string { return sitemaptest.MetaRow(9001, key, value) }
	term := func(taxonomy, slug string, count int) string {
		return fmt.Sprintf(`INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (9001, 'X', '%s', 0);
			INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (9001, 9001, '%s', '', 0, %d)`, slug, taxonomy, count)
	}
	private := sitemaptest.SetOption("blog_public", "0")
	for _, tt := range []struct {
		rule      string
		change    []string
		exclude   seo.Exclude
		path      string // "": /planted/
		decided   string
		evidence  string // source: value (of)
		onlyLevel string
	}{
		{"noindex", []string{post, meta("_yoast_wpseo_meta-robots-noindex", "1")}, seo.Exclude{}, "",
			"noindex", `wp_postmeta._yoast_wpseo_meta-robots-noindex: "1" (post 9001)`, ""},
		{"noindex that is none", []string{post, meta("_yoast_wpseo_meta-robots-noindex", "2")}, seo.Exclude{}, "",
			"listed", `wp_postmeta._yoast_wpseo_meta-robots-noindex: "2" (post 9001)`, ""},
		{"canonical", []string{row("publish", "page"), meta("_yoast_wpseo_canonical", "https://other.test/")}, seo.Exclude{}, "",
			"canonical elsewhere", `wp_postmeta._yoast_wpseo_canonical: "https://other.test/" (page 9001)`, ""},
		{"password", []string{post, `UPDATE wp_posts SET post_password = 'hunter2' WHERE ID = 9001`}, seo.Exclude{}, "",
			"password protected", "wp_posts.post_password: set (post 9001)", ""},
		{"scheduled", []string{row("future", "post")}, seo.Exclude{}, "", "not published", `wp_posts.post_status: "future" (post 9001)`, ""},
		{"zero date", []string{post, `UPDATE wp_posts SET post_date = '0000-00-00 00:00:00' WHERE ID = 9001`}, seo.Exclude{}, "",
			"zero date", `wp_posts.post_date: "0000-00-00 00:00:00" (post 9001)`, ""},
		{"excluded by number", []string{post}, seo.Exclude{PostIDs: []int64{9001}}, "",
			"excluded by configuration", "[site.exclude] post_ids: 9001 (post 9001)", ""},
		{"excluded by pattern", []string{post}, seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile("plan")}}, "",
			"excluded by configuration", `[site.exclude] urls: "plan" (post 9001)`, ""},
		{"type nobody knows", []string{row("publish", "song")}, seo.Exclude{}, "/?p=9001", "type not known to be public", `wp_posts.post_type: "song"`, ""},
		{"private site", []string{post, private}, seo.Exclude{}, "", "private site", `wp_options.blog_public: "0"`, "spec"},
		{"private site at level plugin", []string{post, private}, seo.Exclude{}, "", "listed", `wp_posts.post_status: "publish" (post 9001)`, "plugin"},
		{"attachments are off", []string{row("inherit", "attachment")}, seo.Exclude{}, "",
			seo.RuleTypeHidden, "wp_options.wpseo_titles[disable-attachment]: ", ""},
		{"an author without posts",
			[]string{`INSERT INTO wp_users (ID, user_login, user_nicename, user_pass, user_email, user_url, user_registered,
user_activation_key, user_status, display_name) VALUES (9001, 'x', 'planted', '', '', '', '2025-01-01 00:00:00', '', 0, 'X')`},
			seo.Exclude{}, "/author/planted/", "no published posts", "wp_posts.post_author: no published post of type post (author 9001)", ""},
		{"an empty term", []string{term("post_tag", "planted", 0)}, seo.Exclude{}, "/tag/planted/",
			"empty term", "wp_term_taxonomy.count: 0 (post_tag 9001)", ""},
		{"an excluded term", []string{term("post_tag", "planted", 1)}, seo.Exclude{TermIDs: []int64{9001}}, "/tag/planted/",
			"excluded by configuration", "[site.exclude] term_ids: 9001 (post_tag 9001)", ""},
		{"post formats are noindexed unless saved otherwise",
			[]string{`DELETE FROM wp_options WHERE option_name = 'wpseo_titles'`, term("post_format", "post-format-aside", 1)}, seo.Exclude{}, "/type/aside/",
			seo.RuleTypeNoindex, "wp_options.wpseo_titles[noindex-tax-post_format]: never saved", ""},
		{"sitemaps are off", []string{post, sitemaptest.SetOption("active_plugins", "a:0:{}"), private}, seo.Exclude{}, "",
			"no sitemaps", "wp_options.active_plugins: without one", ""},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "basic")
			wptest.Exec(t, dsn, tt.change...)
			blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
			for _, level := range sitemaptest.Levels {
				if tt.onlyLevel != "" && tt.onlyLevel != string(level) {
					continue
				}
				x := sitemaptest.Explain(t, sitemaptest.Build(t, blog, seo.Options{Compat: level, Exclude: tt.exclude}), blog.Blog.Home()+gocmp.Or(tt.path, "/planted/"))
				var got []string
				for _, e := range x.Evidence {
					text := e.Source + ": " + e.Value
					if e.Of != "" {
						text += " (" + e.Of + ")"
					}
					got = append(got, text)
				}
				if x.Rule != tt.decided || x.In != (tt.decided == "listed") ||
					!slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, tt.evidence) }) {
					t.Errorf("level %s: rule %q, evidence %q; want %q, %q", string(level), x.Rule, got, tt.decided, tt.evidence)
				}
				if strings.Contains(fmt.Sprint(*x), "hunter2") {
					t.Error("the password of the post is told")
				}
			}
		})
	}
}

// An article is in the news for 48 hours. After that, explain says since when it is not.
func TestExplainNews(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "small", "small-news")
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	for _, level := range sitemaptest.Levels {
		fresh := ""
		now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
		db, _ := wptest.DB(t, dsn)
		var date string
		wptest.Must(t, db.QueryRow(`SELECT MAX(post_date_gmt) FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish'`).Scan(&date))
		if at := wp.ParseDate(date); at != wp.NoTime {
			now = time.Unix(at+3600, 0)
		}
		c := sitemaptest.Build(t, blog, seo.Options{Compat: level, Now: func() time.Time { return now }})
		for _, f := range c.Files() {
			if f.Name != "news" {
				continue
			}
			doc, err := c.Render(t.Context(), f.Name, f.Page)
			wptest.Must(t, err)
			for _, entry := range sitemaptest.Parse(t, doc.Body).Entries {
				if entry.Loc == "" { // as the plugin's table has it
					continue
				}
				x := sitemaptest.Explain(t, c, entry.Loc)
				if !slices.ContainsFunc(x.Places, func(p explain.Place) bool { return p.Sitemap == "news" && p.File == f.URL }) {
					t.Errorf("level %s: %s is news: %+v", string(level), entry.Loc, *x)
				}
				if x.Sitemap == "post" {
					fresh = entry.Loc
				}
			}
		}
		if fresh == "" {
			t.Fatalf("level %s: no news", string(level))
		}
		later := now.Add(72 * time.Hour)
		x := sitemaptest.Explain(t, sitemaptest.Build(t, blog, seo.Options{Compat: level, Now: func() time.Time { return later }}), fresh)
		if !x.In || slices.ContainsFunc(x.Places, func(p explain.Place) bool { return p.Sitemap == "news" }) ||
			!slices.ContainsFunc(x.Notes, func(n string) bool { return strings.Contains(n, "Not in news: it is older than 48 hours") }) {
			t.Errorf("level %s: three days later: %+v", string(level), *x)
		}
	}
}

func TestExplainImages(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Build(t, blog, seo.Options{Compat: level})
		found := 0
		for _, f := range c.Files()[1:] {
			doc, err := c.Render(t.Context(), f.Name, f.Page)
			wptest.Must(t, err)
			for _, entry := range sitemaptest.Parse(t, doc.Body).Entries {
				for _, image := range entry.Images {
					x := sitemaptest.Explain(t, c, image.Loc)
					found++
					if !x.In || x.Sitemap == "" || len(x.Evidence) == 0 || !strings.HasPrefix(x.Object, "file ") {
						t.Errorf("level %s: %s is listed with %s: %+v", string(level), image.Loc, entry.Loc, *x)
					}
				}
			}
		}
		if found < 3 {
			t.Errorf("level %s: %d images are found", string(level), found)
		}
	}
}

func TestExplainSitemap(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Build(t, blog, seo.Options{Compat: level, PageSize: 5})
		for _, f := range c.Files() {
			x := c.ExplainSitemap(f.Name, f.Page)
			if !x.In || x.File != f.URL || x.Rule != "listed" || x.Page != f.Page || (x.LastMod == "") != f.LastMod.IsZero() {
				t.Errorf("level %s: %s: %+v", string(level), f.Filename, *x)
			}
		}
		for _, tt := range []struct {
			name string
			page int
			rule string
		}{
			{"post", 999, "behind the last page"}, {"attachment", 1, seo.RuleTypeHidden},
			{"post_format", 1, seo.RuleTypeNoindex}, {"nosuch", 1, "type not known to be public"},
		} {
			if x := c.ExplainSitemap(tt.name, tt.page); x.In || x.Rule != tt.rule || len(x.Evidence) == 0 || x.Sitemap != "" || x.Because == "" {
				t.Errorf("level %s: %s %d: %+v", string(level), tt.name, tt.page, *x)
			}
		}
	}
}

// If the daemon does not make the sitemaps, explain says who makes them, and where. This is more
// frequent at level plugin.
func TestExplainNamesWhoMakesSitemaps(t *testing.T) {
	t.Parallel()
	const elsewhere, off = "another plugin's sitemaps", "sitemaps switched off"
	yoastOff := sitemaptest.SetOption("wpseo", `a:1:{s:18:"enable_xml_sitemap";b:0;}`)
	slim := []string{sitemaptest.Activate("slim-seo/slim-seo.php"), sitemaptest.SetOption("slim_seo", `a:1:{s:8:"features";a:1:{i:0;s:8:"sitemaps";}}`)}
	slimOff := append(slices.Clone(slim), sitemaptest.SetOption("slim_seo", `a:1:{s:8:"features";a:1:{i:0;s:9:"meta_tags";}}`))
	for _, tt := range []struct {
		path       string
		statements []string
		rule, says string
	}{
		{"/sitemap.xml", slim, elsewhere,
			"(slim-seo is active), so the site itself serves them at https://small.test/sitemap.xml, unless the configuration chooses other rules by sitemaps = \"…\"."},
		{"/", slim, elsewhere, "Slim SEO makes the sitemaps of this site"},
		{"/wp-content/uploads/a.jpg", slim, elsewhere, "Slim SEO makes the sitemaps of this site"},
		{"/nothing/", slim, "nothing at this URL", "Slim SEO makes the sitemaps of this site"},
		{"/sitemap.xml", slimOff, off, "The sitemaps of Slim SEO are switched off (slim_seo.features); the index of WordPress' own " +
			"sitemaps is https://small.test/wp-sitemap.xml."},
		{"/?tsf-sitemap=base", []string{sitemaptest.Activate("autodescription/autodescription.php"), sitemaptest.SetOption("permalink_structure", "")},
			elsewhere, "so the site itself serves them at https://small.test/?tsf-sitemap=base, unless"},
		{"/sitemap.xml", []string{sitemaptest.Activate("jetpack/jetpack.php"), sitemaptest.SetOption("jetpack_active_modules", `a:1:{i:0;s:8:"sitemaps";}`)},
			elsewhere, "Jetpack makes the sitemaps of this site (jetpack is active), so the site itself serves them at https://small.test/sitemap.xml, unless"},
		{"/sitemap.xml", []string{sitemaptest.Activate("jetpack/jetpack.php")}, off, "The sitemaps of Jetpack are switched off (jetpack_active_modules)"},
		{"/sitemap.xml", []string{sitemaptest.Activate("autodescription/autodescription.php"),
			sitemaptest.SetOption("autodescription-site-settings", `a:1:{s:15:"sitemaps_output";i:0;}`)},
			off, "The sitemaps of The SEO Framework are switched off (autodescription-site-settings.sitemaps_output); " +
				"the site itself decides whether WordPress' own sitemaps answer at https://small.test/wp-sitemap.xml."},
		{"/sitemap_index.xml", []string{sitemaptest.Activate("seo-by-rank-math/rank-math.php"), sitemaptest.SetOption("rank_math_modules", `a:1:{i:0;s:7:"sitemap";}`)},
			off, "The set-up of Rank Math is not done (rank_math_registration_skip, rank_math_connect_data)"},
		{"/sitemap.xml", []string{sitemaptest.Activate("google-sitemap-generator/sitemap.php")}, elsewhere, "Google XML Sitemaps makes"},
		{"/post-sitemap.xml", []string{yoastOff}, off, "The sitemaps of Yoast SEO are switched off (wpseo.enable_xml_sitemap); the " +
			"index of WordPress' own sitemaps is"},
		{"/sitemap_index.xml", []string{yoastOff, sitemaptest.SetOption("blog_public", "0")}, off, "(blog_public)"},
		{"/wp-json/wp/v2/posts", nil, "REST API", "This is WordPress' REST API, not a page or post."},
		{"/?rest_route=/wp/v2/posts", nil, "REST API", "This is WordPress' REST API, not a page or post."},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, tt.statements...)
		x := sitemaptest.Explain(t, sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel}), "https://small.test"+tt.path)
		if x.In || x.Unknown || x.Rule != tt.rule || !strings.Contains(x.Because+strings.Join(x.Notes, " "), tt.says) {
			t.Errorf("%s: want %q with %q\n%+v", tt.path, tt.rule, tt.says, x)
		}
	}
}

// The objects that the sitemaps leave out, by rule, add up to those that the whole site leaves out.
func TestSitemapsLeaveOutWhatTheSiteDoes(t *testing.T) {
	t.Parallel()
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "basic")})
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Build(t, blog, seo.Options{Compat: level})
		sum := map[seo.Verdict]int{}
		for _, l := range c.Lists {
			for rule, n := range l.Explained.LeftOut {
				sum[rule] += n
			}
			if x := c.ExplainSitemap(l.Name, 1); l.Indexed && !strings.HasSuffix(x.Evidence[0].Value, "; "+catalog.LeftOut(l.Explained.LeftOut)) {
				t.Errorf("level %s: %+v", string(level), x.Evidence)
			}
		}
		if diff := cmp.Diff(c.LeftOut, sum); diff != "" || len(sum) < 3 {
			t.Errorf("level %s: the site (-), its sitemaps (+):\n%s", string(level), diff)
		}
	}
}

// One question costs a few statements, whatever the size of the site.
// TestStatementsAsTheServerSeesThem checks how the server executes them.
func TestExplainCostsAFewStatements(t *testing.T) {
	t.Parallel()
	dsn := sitemaptest.Bulk(t, wptest.MariaDB, 1200)
	var count sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: count.Observe})
	c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel})
	var addresses []string
	for _, f := range c.Files()[1:] {
		doc, err := c.Render(t.Context(), f.Name, f.Page)
		wptest.Must(t, err)
		addresses = append(addresses, sitemaptest.Parse(t, doc.Body).Entries[0].Loc)
	}
	addresses = append(addresses, blog.Blog.Home()+"/no/such/thing/", blog.Blog.Home()+"/?p=17", blog.Blog.Home()+"/2025/")
	for _, address := range addresses {
		count.Take()
		sitemaptest.Explain(t, c, address)
		if got := count.Take(); len(got) > 14 {
			t.Errorf("%s: %d statements:\n%s", address, len(got), strings.Join(got, "\n"))
		}
	}
}

// If a post is listed, but not among the videos, explain says why.
func TestExplainVideos(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "small", "small-video")
	db, _ := wptest.DB(t, dsn)
	var id int64
	if err := db.QueryRow(`SELECT m.post_id FROM wp_postmeta m JOIN wp_posts p ON p.ID = m.post_id
WHERE m.meta_key = '_yoast_wpseo_videositemap-disable' AND m.meta_value = 'on' AND p.post_type = 'post'
AND p.post_status = 'publish' ORDER BY p.ID`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	x := sitemaptest.Explain(t, sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel}), fmt.Sprintf("%s/?p=%d", blog.Blog.Home(), id))
	if !x.In || x.Sitemap != "post" || !slices.ContainsFunc(x.Notes, func(n string) bool {
		return strings.Contains(n, "Not in video") && strings.Contains(n, "videositemap-disable")
	}) {
		t.Errorf("%+v", *x)
	}
}

// Titles knows the titles of posts, terms and authors by their URLs, also if the URL has an id or an ending.
func TestTitles(t *testing.T) {
	t.Parallel()
	for structure, urls := range map[string][]string{
		"/%postname%/":                       {"noindex-2/", "category/canonical-elsewhere/", "author/cleo/"},
		"/%year%/%monthnum%/%postname%.html": {"2024/06/noindex-2.html", "category/canonical-elsewhere", "author/cleo"},
		"/archives/%post_id%":                {"archives/121", "archives/category/canonical-elsewhere", "archives/author/cleo"},
	} {
		c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.SpecLevel}, sitemaptest.SetOption("permalink_structure", structure))
		for i := range urls {
			urls[i] = "https://example.test/" + urls[i]
		}
		titles, err := explain.Titles(t.Context(), c.Catalog, append(urls, "nonsense", "https://example.test/nobody/"))
		wptest.Must(t, err)
		expect.List(t, []string{titles[urls[0]], titles[urls[1]], titles[urls[2]], titles["https://example.test/"], titles["https://example.test/nobody/"]},
			[]string{"Noindex 2", "Canonical elsewhere", "Cleo", "Welcome", ""})
	}
}

// A name is read only for the taxonomy to which its term belongs.
func TestTitlesOfOneTaxonomy(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.SpecLevel})
	statements := func(path string) int {
		ctx, queries := db.CountQueries(t.Context())
		_, err := explain.Titles(ctx, c.Catalog, []string{"https://example.test/" + path})
		wptest.Must(t, err)
		return int(queries.Load())
	}
	public := 0
	for _, tax := range c.Rules.Blog.Registry().Taxonomies {
		if tax.Public {
			public++
		}
	}
	expect.Equal(t, statements("category/canonical-elsewhere/")-statements("nobody/"), public+1)
}

// EachLeftOut reports types and objects that are left out, with what to do. With a rule, it reports
// only what that rule leaves out.
func TestEachLeftOut(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	told := func(rule string) (all map[string]string) {
		all = map[string]string{}
		wptest.Must(t, sitemap.EachLeftOut(t.Context(), blog, seo.Options{Compat: seo.SpecLevel}, rule, func(l explain.LeftOut) error {
			if l.Because == "" || all[l.Object] != "" {
				t.Errorf("twice, or without a reason: %+v", l)
			}
			all[l.Object] = l.Rule + " | " + l.Title + " | " + l.Address
			return nil
		}))
		return all
	}
	all := told("")
	for object, want := range map[string]string{
		"post 120": "noindex | Noindex 1 | https://example.test/noindex-1/", "author 3": "noindex | Cleo | https://example.test/author/cleo/",
		"category 9": "canonical elsewhere | Canonical elsewhere | https://example.test/category/canonical-elsewhere/",
		"post 149":   "no URL of its own | No slug | https://example.test/", "post 100": "",
		"page 11":              "no URL of its own | Orphan | https://example.test/orphan/", // its parent is missing
		"post type attachment": "type disabled |  | ", "taxonomy post_format": "",           // no post has a format
	} {
		expect.Equal(t, all[object], want, object)
	}
	expect.Equal(t, len(all), 16)
	expect.Equal(t, len(told("noindex")), 4)
	stop := errors.New("enough")
	err := sitemap.EachLeftOut(t.Context(), blog, seo.Options{Compat: seo.SpecLevel}, "noindex", func(explain.LeftOut) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("the error of who is told is %v", err)
	}
}

// The form of permalinks does not match the address of a post without an author. explain finds the
// post by the number in the address.
func TestExplainPostWithoutAuthor(t *testing.T) {
	c := sitemaptest.Of(t, "small", seo.Options{}, sitemaptest.Posts(0, "1001 post orphan"),
		sitemaptest.SetOption("permalink_structure", "/%author%/%post_id%/"))
	listed := sitemaptest.Listed(t, c, "post")
	if x := sitemaptest.Explain(t, c, c.Rules.Blog.Home()+listed[len(listed)-1]); !x.In || x.Object != "post 1001" {
		t.Errorf("%v: %+v", listed, x)
	}
}
