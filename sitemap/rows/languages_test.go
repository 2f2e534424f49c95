package rows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// strays are posts and terms of small-polylang and small-wpml that have no language, two languages or a hidden one.
var strays = []string{
	sitemaptest.Insert(sitemaptest.Row{ID: 1101, Name: "spanish"}, sitemaptest.Row{ID: 1102, Name: "two"},
		sitemaptest.Row{ID: 1103, Type: "page", Name: "stray"}),
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (1201, 'Tag', 'tag'), (1202, 'Etiquette', 'etiquette'), (1203, 'Libro', 'libro')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (2201, 1201, 'post_tag', '', 0, 1),
		(2202, 1202, 'post_tag', '', 0, 1), (2203, 1203, 'category', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 2201), (1002, 2202), (1101, 2203)`,
}

// polylangSite returns the statements that set Polylang's option: the place of the language, and a domain for each language.
func polylangSite(force int, domains ...any) []string {
	return append(slices.Clip(strays), sitemaptest.SetOption("polylang", sitemaptest.Array("hide_default", true, "rewrite", true, "force_lang", force,
		"domains", sitemaptest.Array(domains...), "post_types", "a:0:{}", "taxonomies", "a:0:{}", "default_lang", "en")),
		`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1102, 2033), (1102, 2032), (1202, 2035)`)
}

// wpmlSite returns the statements that set WPML's option. Posts and categories are translated, pages and tags are not.
func wpmlSite(negotiation int, more ...any) []string {
	return append(slices.Clip(strays), sitemaptest.SetOption("icl_sitepress_settings", sitemaptest.Array(append([]any{"default_language", "en",
		"language_negotiation_type", negotiation, "urls", sitemaptest.Array("directory_for_default_language", 0),
		"custom_posts_sync_option", sitemaptest.Array("post", 1, "page", 0, "attachment", 0),
		"taxonomies_sync_option", sitemaptest.Array("category", 1, "post_tag", 0)}, more...)...)),
		`INSERT INTO wp_icl_translations (translation_id, element_type, element_id, trid, language_code, source_language_code) VALUES
			(51, 'post_post', 1101, 51, 'es', NULL), (52, 'tax_post_tag', 2202, 52, 'fr', NULL), (53, 'tax_category', 2203, 53, 'es', NULL)`)
}

// Which objects of a translated site are listed, by blog and by level: each domain lists its language only. Objects without a
// language are listed by WPML as those of the default language. With Polylang, terms without one are listed unless a language is hidden.
func TestObjectsOfLanguages(t *testing.T) {
	t.Parallel()
	domains := []any{"en", "https://small.test", "fr", "https://petit.test", "de", "https://klein.test"}
	hideGerman := `UPDATE wp_term_taxonomy SET description = 'a:2:{s:6:"locale";s:5:"de_DE";s:6:"active";b:0;}' WHERE term_taxonomy_id = 2033`
	for _, tt := range []struct {
		name, seed string
		level      seo.Level
		sql        []string
		want       []string // a home, each list with its ids, and what is left out
	}{
		{"Polylang", "small-polylang", seo.SpecLevel, polylangSite(1), []string{
			"https://small.test post 1001 1002 1003 1004 1007 1102, page 1011 1012, category 1021 1022 1023 1203, post_tag 1201 1202, author 1001; " +
				"excluded: 3 no language, 1 noindex"}},
		{"Polylang, at level plugin", "small-polylang", seo.PluginLevel, polylangSite(1), []string{
			"https://small.test post 1001 1002 1003 1004 1007 1102, page 1011 1012, category 1021 1022 1023 1203, post_tag 1201 1202; " +
				"excluded: 3 no language, 1 no profile stamp, 1 noindex"}},
		{"Polylang with a hidden language", "small-polylang", seo.SpecLevel, append(polylangSite(1), hideGerman), []string{
			"https://small.test post 1001 1002 1004 1007 1102, page 1011 1012, category 1021 1022, post_tag 1202, author 1001; " +
				"excluded: 7 no language, 1 noindex"}},
		{"Polylang with domains", "small-polylang", seo.SpecLevel, polylangSite(3, domains...), []string{
			"https://small.test post 1001 1004 1007, page 1011, category 1021, author 1001; excluded: 6 no language, 7 other language",
			"https://petit.test post 1002 1102, page 1012, category 1022, post_tag 1202, author 1001; excluded: 6 no language, 1 noindex, 6 other language",
			"https://klein.test post 1003, author 1001; excluded: 6 no language, 11 other language"}},
		{"WPML", "small-wpml", seo.SpecLevel, wpmlSite(1), []string{
			"https://small.test post 1001 1002 1003 1004 1005 1007 1101 1102, page 1011 1012 1103, category 1021 1022 1023 1203, post_tag 1201 1202, " +
				"author 1001; excluded: 1 noindex"}},
		{"WPML with a hidden language", "small-wpml", seo.SpecLevel, wpmlSite(1, "hidden_languages", sitemaptest.Array(0, "fr")), []string{
			"https://small.test post 1001 1003 1004 1005 1007 1101 1102, page 1011 1012 1103, category 1021 1023 1203, post_tag 1201 1202, " +
				"author 1001; excluded: 3 no language"}},
		{"WPML with domains", "small-wpml", seo.SpecLevel, wpmlSite(2, "language_domains",
			sitemaptest.Array("fr", "petit.test", "de", "https://klein.test")), []string{
			"https://small.test post 1001 1004 1005 1007 1101 1102, page 1011 1012 1103, category 1021 1023 1203, post_tag 1201 1202, author 1001; " +
				"excluded: 4 other language",
			"https://klein.test post 1003, author 1001; excluded: 5 external link, 2 no language, 10 other language",
			"https://petit.test post 1002, category 1022, author 1001; excluded: 5 external link, 2 no language, 1 noindex, 8 other language"}},
		{"WPML with domains, at level plugin", "small-wpml", seo.PluginLevel,
			wpmlSite(2, "language_domains", sitemaptest.Array("fr", "petit.test", "de", "https://klein.test")), []string{
				"https://small.test post 1001 1004 1005 1007 1101 1102, page 1011 1012 1103, category 1021 1023 1203, post_tag 1201 1202; " +
					"excluded: 1 no profile stamp, 4 other language",
				"https://klein.test post 1003, post_tag 1201 1202; excluded: 3 external link, 2 no language, 1 no profile stamp, 10 other language",
				"https://petit.test post 1002, category 1022, post_tag 1201 1202; " +
					"excluded: 3 external link, 2 no language, 1 no profile stamp, 1 noindex, 8 other language"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "small", tt.seed)
			wptest.Exec(t, dsn, tt.sql...)
			var got []string
			for _, book := range sitemaptest.Open(t, wp.Source{DSN: dsn}) {
				c := sitemaptest.Build(t, book, seo.Options{Compat: tt.level, Hreflang: true})
				var lists []string
				for _, l := range c.Lists {
					var ids []string
					for p := range l.Places.Listed() {
						ids = append(ids, fmt.Sprint(p.ID))
					}
					if len(ids) > 0 {
						slices.Sort(ids)
						lists = append(lists, l.Name+" "+strings.Join(ids, " "))
					}
				}
				got = append(got, book.Blog.Home()+" "+strings.Join(lists, ", ")+"; "+catalog.LeftOut(c.LeftOut))
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			expect.List(t, got, tt.want)
		})
	}
}

// DecideOne and DecideTerm judge an object as a full scan does.
func TestDecideAsAFullScan(t *testing.T) {
	t.Parallel()
	redirects := []string{sitemaptest.PlainRedirects("/sticky-news/", "/about/crew/", "/category/harbour/")}
	for _, tt := range []struct {
		name, seeds string
		level       seo.Level
		sql         []string
	}{
		{"basic", "basic", seo.SpecLevel, nil},
		{"basic at level plugin", "basic", seo.PluginLevel, nil},
		{"redirects", "basic", seo.SpecLevel, redirects},
		{"types", "basic types", seo.SpecLevel, nil},
		{"attachments", "basic attachments", seo.SpecLevel, nil},
		{"WordPress alone", "small small-core", seo.SpecLevel, nil},
		{"Polylang", "small small-polylang", seo.SpecLevel, polylangSite(1)},
		{"Polylang with domains", "small small-polylang", seo.SpecLevel, polylangSite(3, "en", "https://small.test", "fr", "https://petit.test")},
		{"WPML with domains", "small small-wpml", seo.SpecLevel,
			wpmlSite(2, "language_domains", sitemaptest.Array("fr", "petit.test", "de", "klein.test"))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, strings.Fields(tt.seeds)...)
			wptest.Exec(t, dsn, tt.sql...)
			for _, book := range sitemaptest.Open(t, wp.Source{DSN: dsn}) {
				decides(t, sitemaptest.Build(t, book, seo.Options{Compat: tt.level}).Rules)
			}
		})
	}
}

func decides(t *testing.T, rules *seo.Rules) {
	t.Helper()
	full := rows.NewReader(rules, nil)
	wptest.Must(t, full.Read(t.Context(), nil))
	for name, posts := range full.Posts {
		pt := rules.Blog.Registry().PostType(name)
		for _, want := range posts {
			var row *objects.PostRow
			wptest.Must(t, objects.PostRows(t.Context(), rules.Blog, []int64{want.ID}, func(r objects.PostRow) { row = &r }))
			found, err := rules.Book.Posts(t.Context(), []int64{want.ID}, nil)
			wptest.Must(t, err)
			got, err := rows.NewReader(rules, nil).DecideOne(t.Context(), pt, row, found[0].Language)
			wptest.Must(t, err)
			expect.Equal(t, got, want.Verdict, rules.Blog.Home(), name, want.ID)
		}
	}
	for _, tax := range rules.Taxonomies() {
		terms, err := full.ReadTerms(t.Context(), tax)
		wptest.Must(t, err)
		for _, want := range terms.All {
			got, err := rows.NewReader(rules, nil).DecideTerm(t.Context(), tax, want.Row.ID)
			wptest.Must(t, err)
			expect.Equal(t, fmt.Sprint(got.Used, got.Verdict), fmt.Sprint(want.Used, want.Verdict), rules.Blog.Home(), tax.Name, want.Row.ID)
		}
		none, err := rows.NewReader(rules, nil).DecideTerm(t.Context(), tax, 987654)
		wptest.Must(t, err)
		expect.Equal(t, none == nil, true, "a term that does not exist")
	}
}

// Who may have an archive: authors of the posts that count, or every user who may be an author if posts do not count.
func TestIsEligible(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sql  []string
		want string // the users 1 to 9 of the seed
	}{
		{"with posts", nil, "1 2 3 6 7 8"},
		{"also without posts", []string{sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("noindex-author-noposts-wpseo", false))},
			"1 2 3 5 6 8 9"},
	} {
		c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.SpecLevel}, tt.sql...)
		var got []string
		for id := range int64(9) {
			ok, err := rows.NewReader(c.Rules, nil).IsEligible(t.Context(), id+1)
			wptest.Must(t, err)
			if ok {
				got = append(got, fmt.Sprint(id+1))
			}
		}
		expect.Equal(t, strings.Join(got, " "), tt.want, tt.name)
		full := rows.NewReader(c.Rules, nil)
		wptest.Must(t, full.Read(t.Context(), nil))
		all, err := full.EligibleAuthors(t.Context(), full.AuthorDates(func(*rows.Post) int64 { return 0 }))
		wptest.Must(t, err)
		slices.Sort(all)
		all = slices.DeleteFunc(all, func(id int64) bool { return id > 9 }) // the author of a post was deleted
		expect.Equal(t, strings.Trim(fmt.Sprint(all), "[]"), tt.want, tt.name)
	}
}

// A rule for one address concerns the objects with its slug or id. An expression concerns all, up to a limit.
func TestWhatRedirectsConcern(t *testing.T) {
	t.Parallel()
	plain := sitemaptest.PlainRedirects("/sticky-news/", "/category/harbour/")
	for _, tt := range []struct {
		name               string
		sql                []string
		sticky, boat       bool // posts 101 and 100
		harbour, elsewhere bool // categories 2 and 9
	}{
		{"none", nil, false, false, false, false},
		{"two addresses", []string{plain}, true, false, true, false},
		{"addresses of dates alone", []string{plain, sitemaptest.SetOption("permalink_structure", "/%year%/%monthnum%/%day%/%hour%/")}, true, true,
			true, false},
		{"an expression", []string{sitemaptest.With(true, "wordpress-seo-premium/wp-seo-premium.php"), sitemaptest.SetOption("wpseo_redirect",
			sitemaptest.Array("disable_php_redirect", "off")), sitemaptest.SetOption("wpseo-premium-redirects-export-regex",
			sitemaptest.Array("old-.*", sitemaptest.Array("url", "/new/", "type", 301)))}, true, true, true, true},
	} {
		c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.SpecLevel}, tt.sql...)
		b := rows.NewReader(c.Rules, nil)
		wptest.Must(t, b.FindRedirected(t.Context()))
		posts := c.Rules.Blog.Registry().PostType("post")
		expect.List(t, []bool{b.RedirectsPost(posts, 101), b.RedirectsPost(posts, 100), b.RedirectsTerm(2), b.RedirectsTerm(9)},
			[]bool{tt.sticky, tt.boat, tt.harbour, tt.elsewhere}, tt.name)
	}
}
