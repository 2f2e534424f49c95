package provider_test

import (
	"encoding/xml"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// linked is an entry with its alternates by hreflang.
type linked struct {
	Loc, LastMod string
	Alternates   map[string]string
}

func parseAlternates(t testing.TB, body []byte) []linked {
	t.Helper()
	var doc struct {
		URLs []struct {
			Loc     string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
			LastMod string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 lastmod"`
			Links   []struct {
				Rel      string `xml:"rel,attr"`
				Language string `xml:"hreflang,attr"`
				Href     string `xml:"href,attr"`
			} `xml:"http://www.w3.org/1999/xhtml link"`
		} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		t.Fatalf("not well-formed: %v\n%.2000s", err, body)
	}
	var entries []linked
	for _, u := range doc.URLs {
		e := linked{Loc: u.Loc, LastMod: u.LastMod}
		for _, l := range u.Links {
			if e.Alternates == nil {
				e.Alternates = map[string]string{}
			}
			if _, twice := e.Alternates[l.Language]; twice || l.Rel != "alternate" {
				t.Errorf("%s: %s twice, or rel is %q", u.Loc, l.Language, l.Rel)
			}
			e.Alternates[l.Language] = l.Href
		}
		entries = append(entries, e)
	}
	return entries
}

// readAll renders every sitemap of every site and returns its entries with their alternates, by file name. If there are several
// hosts, the host precedes the file name.
func readAll(t testing.TB, sites []*address.Book, opt seo.Options) map[string][]linked {
	t.Helper()
	all := map[string][]linked{}
	var docs [][]byte
	for _, blog := range sites {
		c := sitemaptest.Build(t, blog, opt)
		for _, f := range c.Files() {
			if f.Name == seo.IndexName {
				continue
			}
			name := f.Filename
			if len(sites) > 1 {
				u, err := url.Parse(blog.Blog.Home())
				wptest.Must(t, err)
				name = u.Host + "/" + name
			}
			doc := sitemaptest.Render(t, c, f.Name, f.Page)
			docs = append(docs, doc.Body)
			all[name] = parseAlternates(t, doc.Body)
		}
	}
	schematest.Validate(t, docs...)
	return all
}

// The expected files are written by hand from the rows of the seeds.
func TestAlternates(t *testing.T) {
	for _, seed := range []string{"small-polylang", "small-wpml"} {
		t.Run(seed, func(t *testing.T) {
			t.Parallel()
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				sites := sitemaptest.Open(t, wp.Source{DSN: wptest.ReadOnlyDSN(t, wptest.Load(t, e, "small", seed))})
				got := readAll(t, sites, seo.Options{Compat: seo.SpecLevel, Hreflang: true})
				want := map[string][]linked{}
				files, _ := filepath.Glob(filepath.Join(wptest.Testdata, "expected", seed, "*.xml"))
				for _, file := range files {
					body, err := os.ReadFile(file)
					wptest.Must(t, err)
					want[filepath.Base(file)] = parseAlternates(t, body)
				}
				expect.Same(t, want, got)
				for _, opt := range []seo.Options{{Compat: seo.SpecLevel}, {Compat: seo.PluginLevel, Hreflang: true}} { // both without alternates
					for name, entries := range readAll(t, sites, opt) {
						if slices.ContainsFunc(entries, func(e linked) bool { return e.Alternates != nil }) {
							t.Errorf("%s has alternates at level %s, %t", name, opt.Compat, opt.Hreflang)
						}
					}
				}
			})
		})
	}
}

var startOfLanguage = regexp.MustCompile(`^https://[a-z.]+/(language/)?([a-z]{2}/)?$`)

// Polylang names home as x-default on front pages alone, if the default language has a code.
func TestFrontPagesNameHome(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{polylangLanguage: "https://small.test/", polylangContent: "", polylangDomains: ""} {
		dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
		wptest.Exec(t, dsn, sitemaptest.SetOption("polylang", value))
		fronts := 0
		for _, entries := range readAll(t, sitemaptest.Open(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Hreflang: true}) {
			for _, e := range entries {
				if !startOfLanguage.MatchString(e.Loc) {
					expect.Equal(t, e.Alternates["x-default"], "", e.Loc)
				} else if len(e.Alternates) > 0 {
					fronts++
					expect.Equal(t, e.Alternates["x-default"], want, e.Loc)
				}
			}
		}
		if fronts < 2 {
			t.Errorf("%d front pages with alternates", fronts)
		}
	}
}

// A front page and a posts page are entries without an object of their own, but they name their translations, too.
func TestAlternatesOfFirstPages(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "1011"),
		sitemaptest.SetOption("page_for_posts", "1013"),
		sitemaptest.Insert(sitemaptest.Row{ID: 1013, Type: "page", Name: "journal"}, sitemaptest.Row{ID: 1014, Type: "page", Name: "carnet"}),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (1046, 'pll_6', 'pll_6')",
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
			VALUES (2046, 1046, 'post_translations', 'a:2:{s:2:"en";i:1013;s:2:"fr";i:1014;}', 0, 2)`,
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1013, 2031), (1014, 2032), (1013, 2046), (1014, 2046)")
	all := readAll(t, sitemaptest.Open(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Hreflang: true})
	front := map[string]string{"en": "https://small.test/", "fr": "https://small.test/fr/a-propos/"}
	blog := map[string]string{"en": "https://small.test/journal/", "fr": "https://small.test/fr/carnet/"}
	expect.Same(t, linked{"https://small.test/", "2024-01-11T10:00:00+00:00", front}, all["page-sitemap.xml"][0])
	expect.Same(t, linked{"https://small.test/fr/a-propos/", "2024-01-12T10:00:00+00:00", front}, all["page-sitemap.xml"][1])
	expect.Same(t, linked{"https://small.test/journal/", "2024-01-07T10:00:00+00:00", blog}, all["post-sitemap.xml"][0])
}

// If the operator excludes the home of one language, the homes of the others stay, and they do not name it.
func TestExcludedHomesOfLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern string
		homes   []string
		left    int
	}{
		{"none", []string{"/", "/fr/", "/de/"}, 0}, {"small.test/$", []string{"/fr/", "/de/"}, 1}, {"small.test/fr/$", []string{"/", "/de/"}, 1},
		{"small.test/(fr/|de/)?$", nil, 3},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
		opt := seo.Options{Compat: seo.SpecLevel, Hreflang: true, Exclude: seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile(tt.pattern)}}}
		sites := sitemaptest.Open(t, wp.Source{DSN: dsn})
		var homes, alternates []string
		for _, e := range readAll(t, sites, opt)["post-sitemap.xml"] {
			if path := strings.TrimPrefix(e.Loc, "https://small.test"); len(path) <= len("/fr/") {
				homes = append(homes, path)
				alternates = slices.AppendSeq(alternates, maps.Values(e.Alternates))
			}
		}
		expect.List(t, homes, tt.homes, tt.pattern)
		for _, loc := range alternates {
			expect.Equal(t, slices.Contains(tt.homes, strings.TrimPrefix(loc, "https://small.test")), true, tt.pattern, "names", loc)
		}
		expect.Equal(t, sitemaptest.Build(t, sites[0], opt).LeftOut[seo.Excluded], tt.left, tt.pattern)
	}
}

// A site without a multilingual plugin has no alternates.
func TestAlternatesLeaveOtherSitesAlone(t *testing.T) {
	t.Parallel()
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "basic")})
	on, off := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, Hreflang: true}),
		sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel})
	for _, f := range on.Files() {
		if a, b := string(sitemaptest.Render(t, on, f.Name, f.Page).Body),
			string(sitemaptest.Render(t, off, f.Name, f.Page).Body); a != b || strings.Contains(a, "xhtml") {
			t.Errorf("%s changes with hreflang on", f.Filename)
		}
	}
}

// The settings of small-polylang and small-wpml in other forms of addresses, as PHP writes them.
var (
	polylangContent  = polylang(1, 1, 0)
	polylangLanguage = polylang(0, 0, 1)
	polylangHosts    = polylang(1, 1, 2)
	polylangDomains  = polylang(1, 1, 3, "en", "https://small.test", "fr", "https://petit.test", "de", "https://klein.test")
	wpmlDomains      = wpml(2, "fr", "petit.test", "de", "https://klein.test")
	wpmlParameter    = wpml(3)
)

// polylang returns Polylang's settings: hidden default language, omitted language/, place of the language, domains.
func polylang(hidden, rewrite, force int, domains ...any) string {
	return fmt.Sprintf(`a:9:{s:12:"hide_default";b:%d;s:7:"rewrite";b:%d;s:13:"redirect_lang";b:0;s:10:"force_lang";i:%d;s:7:"domains";%s`+
		`s:13:"media_support";b:0;s:10:"post_types";a:0:{}s:10:"taxonomies";a:0:{}s:12:"default_lang";s:2:"en";}`,
		hidden, rewrite, force, sitemaptest.Array(domains...))
}

func wpml(negotiation int, domains ...any) string {
	return sitemaptest.Array("default_language", "en", "language_negotiation_type", negotiation,
		"urls", sitemaptest.Array("directory_for_default_language", 0),
		"custom_posts_sync_option", sitemaptest.Array("post", 1, "page", 1, "attachment", 0),
		"taxonomies_sync_option", sitemaptest.Array("category", 1, "post_tag", 1), "language_domains", sitemaptest.Array(domains...))
}

// TestAddressesOfLanguages checks, for each form of addresses, where the three translations are listed and what else each host lists.
func TestAddressesOfLanguages(t *testing.T) {
	for _, tt := range []struct {
		name, seed, option, value string
		compat                    seo.Level
		want                      []string // a file, and its paths on that host in order
	}{
		{"domains have a site each", "small-polylang", "polylang", polylangDomains, seo.SpecLevel, []string{
			"klein.test/author-sitemap.xml /author/ann/",
			"klein.test/post-sitemap.xml / /hallo/",
			"petit.test/author-sitemap.xml /author/ann/",
			"petit.test/category-sitemap.xml /category/actualites/",
			"petit.test/page-sitemap.xml /a-propos/",
			"petit.test/post-sitemap.xml / /bonjour/",
			"small.test/author-sitemap.xml /author/ann/",
			"small.test/category-sitemap.xml /category/news/",
			"small.test/page-sitemap.xml /about/",
			"small.test/post-sitemap.xml / /hello/ /only-english/ /english-side/",
		}},
		{"sub-domains, the default language at home", "small-polylang", "polylang", polylangHosts, seo.SpecLevel, []string{
			"de.small.test/author-sitemap.xml /author/ann/",
			"de.small.test/post-sitemap.xml / /hallo/",
			"fr.small.test/author-sitemap.xml /author/ann/",
			"fr.small.test/category-sitemap.xml /category/actualites/",
			"fr.small.test/page-sitemap.xml /a-propos/",
			"fr.small.test/post-sitemap.xml / /bonjour/",
			"small.test/author-sitemap.xml /author/ann/",
			"small.test/category-sitemap.xml /category/news/",
			"small.test/page-sitemap.xml /about/",
			"small.test/post-sitemap.xml / /hello/ /only-english/ /english-side/",
		}},
		{"language/ and a code before every address; home leads on and is not listed",
			"small-polylang", "polylang", polylangLanguage, seo.SpecLevel, []string{
				"author-sitemap.xml /language/en/author/ann/",
				"category-sitemap.xml /language/en/category/news/ /language/fr/category/actualites/ /category/misc/",
				"page-sitemap.xml /language/en/about/ /language/fr/a-propos/",
				"post-sitemap.xml /language/en/ /language/fr/ /language/de/ /language/en/hello/ /language/fr/bonjour/ /language/de/hallo/ /language/en/only-english/ /language/en/english-side/",
			}},
		{"the same by the plugin's rules: home, and the homes behind the posts",
			"small-polylang", "polylang", polylangLanguage, seo.PluginLevel, []string{
				"category-sitemap.xml /language/fr/category/actualites/ /category/misc/ /language/en/category/news/",
				"page-sitemap.xml / /language/en/about/ /language/fr/a-propos/",
				"post-sitemap.xml / /language/en/hello/ /language/fr/bonjour/ /language/de/hallo/ /language/en/only-english/ /language/en/english-side/ /language/en/ /language/fr/ /language/de/",
			}},
		{"index.php stands before the code", "small-polylang", "permalink_structure", "/index.php/%postname%/", seo.SpecLevel, []string{
			"author-sitemap.xml /index.php/author/ann/",
			"category-sitemap.xml /index.php/category/news/ /index.php/fr/category/actualites/ /index.php/category/misc/",
			"page-sitemap.xml /index.php/about/ /index.php/fr/a-propos/",
			"post-sitemap.xml / /index.php/fr/ /index.php/de/ /index.php/hello/ /index.php/fr/bonjour/ /index.php/de/hallo/ /index.php/only-english/ /index.php/english-side/",
		}},
		{"without permalinks the language is an argument", "small-polylang", "permalink_structure", "", seo.SpecLevel, []string{
			"author-sitemap.xml /?author=1001",
			"category-sitemap.xml /?cat=1021 /?cat=1022&lang=fr /?cat=1023",
			"page-sitemap.xml /?page_id=1011 /?page_id=1012&lang=fr",
			"post-sitemap.xml / /?lang=fr /?lang=de /?p=1001 /?p=1002&lang=fr /?p=1003&lang=de /?p=1004 /?p=1007",
		}},
		{"the language in the content changes no address but the homes", "small-polylang", "polylang", polylangContent, seo.SpecLevel, []string{
			"author-sitemap.xml /author/ann/",
			"category-sitemap.xml /category/news/ /category/actualites/ /category/misc/",
			"page-sitemap.xml /about/ /a-propos/",
			"post-sitemap.xml / /fr/ /de/ /hello/ /bonjour/ /hallo/ /only-english/ /english-side/",
		}},
		{"the default language keeps its place among the homes",
			"small-polylang", "polylang", strings.Replace(polylangContent, `s:12:"default_lang";s:2:"en"`, `s:12:"default_lang";s:2:"de"`, 1),
			seo.SpecLevel, []string{
				"author-sitemap.xml /author/ann/",
				"category-sitemap.xml /category/news/ /category/actualites/ /category/misc/",
				"page-sitemap.xml /about/ /a-propos/",
				"post-sitemap.xml /en/ /fr/ / /hello/ /bonjour/ /hallo/ /only-english/ /english-side/",
			}},
		{"WPML with domains; what has no language is the default language's",
			"small-wpml", "icl_sitepress_settings", wpmlDomains, seo.SpecLevel, []string{
				"klein.test/author-sitemap.xml /author/ann/",
				"klein.test/post-sitemap.xml / /hallo/",
				"petit.test/author-sitemap.xml /author/ann/",
				"petit.test/category-sitemap.xml /category/actualites/",
				"petit.test/page-sitemap.xml /a-propos/",
				"petit.test/post-sitemap.xml / /bonjour/",
				"small.test/author-sitemap.xml /author/ann/",
				"small.test/category-sitemap.xml /category/news/ /category/misc/",
				"small.test/page-sitemap.xml /about/",
				"small.test/post-sitemap.xml / /hello/ /only-english/ /nameless/ /english-side/",
			}},
		{"WPML with an argument", "small-wpml", "icl_sitepress_settings", wpmlParameter, seo.SpecLevel, []string{
			"author-sitemap.xml /author/ann/",
			"category-sitemap.xml /category/news/ /category/actualites/?lang=fr /category/misc/",
			"page-sitemap.xml /about/ /a-propos/?lang=fr",
			"post-sitemap.xml / /?lang=de /?lang=fr /hello/ /bonjour/?lang=fr /hallo/?lang=de /only-english/ /nameless/ /english-side/",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "small", tt.seed)
			wptest.Exec(t, dsn, sitemaptest.SetOption(tt.option, tt.value))
			var got []string
			all := readAll(t, sitemaptest.Open(t, wp.Source{DSN: dsn}), seo.Options{Compat: tt.compat, Hreflang: true})
			for name, entries := range all {
				host, _, several := strings.Cut(name, "/")
				if !several {
					host = "small.test"
				}
				for _, e := range entries {
					name += " " + strings.TrimPrefix(e.Loc, "https://"+host)
				}
				got = append(got, name)
			}
			slices.Sort(got)
			expect.Same(t, tt.want, got)
			if tt.compat == seo.SpecLevel {
				mutual(t, all, 6)
			}
		})
	}
}

// mutual checks that every alternate is listed and that it names the entry and the same alternates. It also checks that there
// are some alternates.
func mutual(t *testing.T, all map[string][]linked, least int) {
	t.Helper()
	listed := map[string]linked{}
	for _, entries := range all {
		for _, e := range entries {
			listed[e.Loc] = e
		}
	}
	n := 0
	for loc, e := range listed {
		if e.Alternates == nil {
			continue
		}
		n++
		if !slices.Contains(slices.Collect(maps.Values(e.Alternates)), loc) {
			t.Errorf("%s does not name itself: %v", loc, e.Alternates)
		}
		if len(e.Alternates) < 2 {
			t.Errorf("%s: want two languages, got %v", loc, e.Alternates)
		}
		for lang, href := range e.Alternates {
			other, ok := listed[href]
			switch {
			case lang == "x-default": // home leads on to a language, so that it need not be listed
			case !ok:
				t.Errorf("%s names %s (%s), which is not listed", loc, href, lang)
			default:
				expect.Same(t, e.Alternates, other.Alternates, "alternates of", loc, "and", href)
			}
		}
	}
	if n < least {
		t.Errorf("%d entries with alternates, want at least %d", n, least)
	}
}

// The groups are random. Their size varies. Members are drafts, noindexed, missing, in another group or in another language
// than the group says. Some descriptions are broken.
func TestAlternatesAreMutual(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 7))
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	codes := []string{"en", "fr", "de"}
	var sql []string
	relate := func(id, term int) {
		sql = append(sql, fmt.Sprintf("INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (%d, %d)", id, term))
	}
	const objects = 240
	for i := range objects {
		post := sitemaptest.Row{ID: 3001 + i, Author: 1001, Name: fmt.Sprint("p", 3001+i)}
		if r.IntN(8) == 0 {
			post.Status = "draft"
		}
		sql = append(sql, sitemaptest.Insert(post))
		if r.IntN(8) == 0 {
			sql = append(sql, sitemaptest.MetaRow(post.ID, "_yoast_wpseo_canonical",
				[]string{"https://elsewhere.test/", "https://small.test/" + post.Name + "/"}[r.IntN(2)]))
		}
		if r.IntN(12) > 0 {
			relate(post.ID, 2031+r.IntN(3))
		}
		relate(post.ID, 5001+i/4)
	}
	for g := range objects/4 + 1 {
		named := ""
		n := 0
		for _, code := range codes {
			if r.IntN(6) == 0 {
				continue
			}
			n++
			member := 3001 + g*4 + r.IntN(4)
			if r.IntN(10) == 0 {
				member = 3001 + r.IntN(objects)
			}
			named += fmt.Sprintf(`s:2:"%s";i:%d;`, code, member)
		}
		description := fmt.Sprintf("a:%d:{%s}", n, named)
		if r.IntN(15) == 0 {
			description = "a:9:{broken"
		}
		sql = append(sql, fmt.Sprintf("INSERT INTO wp_terms (term_id, name, slug) VALUES (%d, 'g%d', 'g%[2]d')", 4001+g, g),
			fmt.Sprintf("INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (%d, %d, "+
				"'post_translations', '%s', 0, 3)", 5001+g, 4001+g, description))
	}
	wptest.Exec(t, dsn, sql...)
	for name, value := range map[string]string{"directory": "", "domains": polylangDomains} {
		t.Run(name, func(t *testing.T) {
			if value != "" {
				wptest.Exec(t, dsn, sitemaptest.SetOption("polylang", value))
			}
			sites := sitemaptest.Open(t, wp.Source{DSN: dsn})
			for _, size := range []int{7, 1000} {
				mutual(t, readAll(t, sites, seo.Options{Compat: seo.SpecLevel, Hreflang: true, PageSize: size}), 20)
			}
		})
	}
}

// A page needs one statement for the groups of alternates and one for rows on other sites, however many alternates there are.
func TestAlternatesCost(t *testing.T) {
	t.Parallel()
	var c sitemaptest.Counter
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	cost := func(name string, size int) int {
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe})
		catalog := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, Hreflang: true, PageSize: size})
		c.Take()
		sitemaptest.Render(t, catalog, name, 2)
		return len(c.Take())
	}
	with := map[string]int{"post": cost("post", 4), "category": cost("category", 1), "page": cost("page", 1)}
	wptest.Exec(t, dsn, sitemaptest.YoastActive)
	for name, size := range map[string]int{"post": 4, "category": 1, "page": 1} {
		if without := cost(name, size); with[name] > without+2 {
			t.Errorf("%s: %d statements with alternates, %d without a multilingual plugin: want at most two more", name, with[name], without)
		}
	}
}

// The domain of each language is a site. The host of home belongs to the default language.
func TestSitesOfLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, value string
		want        []string // language, home, hosts
	}{
		{"in the directory", "", []string{" https://small.test [small.test]"}},
		{"domains", polylangDomains, []string{"en https://small.test [small.test]", "fr https://petit.test [petit.test]",
			"de https://klein.test [klein.test]"}},
		{"sub-domains", polylangHosts,
			[]string{"en https://small.test [small.test]", "fr https://fr.small.test [fr.small.test]", "de https://de.small.test [de.small.test]"}},
		{"sub-domains for all", polylang(0, 1, 2),
			[]string{"en https://en.small.test [en.small.test small.test]", "fr https://fr.small.test [fr.small.test]",
				"de https://de.small.test [de.small.test]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
			if tt.value != "" {
				wptest.Exec(t, dsn, sitemaptest.SetOption("polylang", tt.value))
			}
			var got []string
			for _, s := range sitemaptest.Open(t, wp.Source{DSN: dsn}) {
				got = append(got, fmt.Sprint(s.Blog.Languages().OfDomain(), " ", s.Blog.Home(), " ", s.Blog.Hosts()))
			}
			expect.Same(t, tt.want, got)
		})
	}
}

// On the domain of another language, the query variable makes the plugin take home for the home of the default language.
func TestQueryNameOnAnotherDomain(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, sitemaptest.SetOption("polylang", polylangDomains))
	for i, blog := range sitemaptest.Open(t, wp.Source{DSN: dsn}) {
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.PluginLevel})
		expect.Equal(t, c.QueryName("category"), "category", blog.Blog.Home(), "category is", "by query")
		if spec := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel}); spec.QueryName("post") != "post" {
			t.Errorf("%s: level spec knows a difference", blog.Blog.Home())
		}
		if i == 0 {
			expect.Equal(t, c.QueryName("post"), "post", "post is", "on the default domain")
			if _, err := c.Render(t.Context(), "?post", 1); err == nil {
				t.Error("?post is a sitemap of the default domain")
			}
			continue
		}
		var got []string
		for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, c.QueryName("post"), 1).Body).Entries {
			got = append(got, e.Loc)
		}
		expect.Same(t, []string{"https://small.test/"}, got, blog.Blog.Home())
	}
}

// An address that the encoding refuses is no alternate.
func TestAlternatesAreEncoded(t *testing.T) {
	w := urlset.Writer{Extensions: urlset.Images | urlset.Alternates}
	w.Begin(urlset.URLSet)
	err := w.AppendURL(urlset.URL{Loc: "https://a.test/é?a&b", LastMod: urlset.NoDate, Alternates: []urlset.Alternate{
		{Language: "fr", Href: "https://a.test/é?a&b"}, {Language: `"<&`, Href: "https://a.test/\"<"}, {Language: "de", Href: "javascript:x"},
	}})
	wptest.Must(t, err)
	w.End()
	var doc any
	if err := xml.Unmarshal(w.Bytes(), &doc); err != nil && !strings.Contains(err.Error(), "unknown type") {
		t.Fatal(err)
	}
	if body := string(w.Bytes()); strings.Contains(body, "javascript") || strings.Count(body, "xhtml:link") != 2 {
		t.Errorf("%s", body)
	}
}

// A term is no alternate if it is noindexed on its own domain.
func TestNoindexedTermsAreNoAlternates(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, sitemaptest.SetOption("polylang", polylangDomains))
	named := func() map[string]string {
		for _, e := range readAll(t, sitemaptest.Open(t, wp.Source{DSN: dsn}),
			seo.Options{Compat: seo.SpecLevel, Hreflang: true})["small.test/category-sitemap.xml"] {
			return e.Alternates
		}
		return nil
	}
	if named()["fr"] != "https://petit.test/category/actualites/" {
		t.Fatalf("before: %v", named())
	}
	wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES
		('wpseo_taxonomy_meta', 'a:1:{s:8:"category";a:1:{i:1022;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}}}')`)
	if got := named(); got != nil {
		t.Errorf("noindexed: %v", got)
	}
}
