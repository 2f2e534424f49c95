package redirects_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/redirects"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// These are the tables of the managers, with the columns that are read, in SQL that both engines
// accept.
const (
	tableRankMath = `CREATE TABLE wp_rank_math_redirections (id INTEGER PRIMARY KEY, sources TEXT NOT NULL, url_to TEXT NOT NULL,
header_code INTEGER NOT NULL, hits INTEGER NOT NULL DEFAULT 0, status VARCHAR(25) NOT NULL DEFAULT 'active',
updated VARCHAR(20) NOT NULL)`
)

var (
	array  = sitemaptest.Array
	option = sitemaptest.SetOption
	active = sitemaptest.Activate
)

// quote quotes a text in a form that both engines accept.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// site runs statements and reads the site.
func site(t *testing.T, e wptest.Engine, statements ...string) *wp.Blog {
	t.Helper()
	dsn := wptest.Load(t, e, "basic")
	if e == wptest.MariaDB { // a backslash is one, as in SQLite
		statements = append([]string{"SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')"}, statements...)
	}
	wptest.Exec(t, dsn, statements...)
	return sitemaptest.OpenSite(t, wp.Source{DSN: wptest.ReadOnlyDSN(t, dsn)}).Blog
}

// address is a requested path and its target: "" for none, "gone" for an error.
type address struct{ path, to string }

// check compares what the rules of a site return for addresses below https://example.test.
func check(t *testing.T, s *wp.Blog, addresses []address) {
	t.Helper()
	rules := redirects.Of(s)
	for _, a := range addresses {
		r, ok := rules.Match(redirects.Address{Link: "https://example.test" + a.path, Post: 7})
		to := ""
		switch {
		case ok && r.Gone:
			to = "gone"
		case ok:
			to = r.To
		}
		expect.Equal(t, to, a.to, a.path)
		if ok && (r.Manager == "" || r.InTo == "") {
			t.Errorf("%s: a rule without its place: %+v", a.path, r)
		}
	}
}

// tried is a set of statements and the expected targets of addresses.
type tried struct {
	name       string
	statements []string
	addresses  []address
}

// try reads a site for each test. It runs the statements in all first.
func try(t *testing.T, all []string, tests []tried) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				check(t, site(t, e, slices.Concat(all, tt.statements)...), tt.addresses)
			})
		})
	}
}

// redirectionItem returns the statement for a rule of Redirection.
func redirectionItem(id int, url, match, data string, regex int, more string) string {
	columns := "id, url, match_url, match_data, regex, action_type, action_code, action_data, match_type"
	return fmt.Sprintf("INSERT INTO wp_redirection_items (%s) VALUES (%d, %s, %s, %s, %d, %s)", columns, id, quote(url),
		quote(match), quote(data), regex, more)
}

func TestRedirection(t *testing.T) {
	const to = "'url', 301, '/new/', 'url'"
	strict := option("redirection_options", array("flag_case", false, "flag_trailing", false, "flag_query", "exact"))
	try(t, []string{active(sitemaptest.PluginRedirection), sitemaptest.TableRedirection}, []tried{
		{"options that were never saved ignore letter case and a slash", []string{redirectionItem(1, "/Old", "/old", "", 0, to)},
			[]address{{"/old/", "/new/"}, {"/OLD", "/new/"}, {"/old/more/", ""}, {"/old/?a=1", ""}, {"/other/", ""}}},
		{"saved options are heeded", []string{strict, redirectionItem(1, "/Old", "/old", "", 0, to),
			redirectionItem(2, "/slash/", "/slash", "", 0, to)}, []address{{"/old", ""}, {"/Old", "/new/"}, {"/Old/", ""},
			{"/slash/", "/new/"}, {"/slash", ""}}},
		{"a rule's own flags win", []string{strict,
			redirectionItem(1, "/Old", "/old", `{"source":{"flag_case":true,"flag_trailing":true,"flag_query":"ignore"}}`, 0, to)},
			[]address{{"/old/", "/new/"}, {"/old/?a=1", "/new/"}}},
		{"a query has to be the same", []string{redirectionItem(1, "/?p=12", "/", "", 0, to)}, []address{{"/?p=12", "/new/"},
			{"/?p=13", ""}, {"/", ""}, {"/?p=12&x=1", ""}}},
		{"percent-encoding makes no difference", []string{redirectionItem(1, "/caf\u00e9/", "/caf%c3%a9", "", 0, to)},
			[]address{{"/caf%c3%a9/", "/new/"}, {"/caf%C3%A9/", "/new/"}, {"/cafe/", ""}}},
		{"a regular expression", []string{redirectionItem(1, "^/shop/(\\d+)/?$", "regex", "", 1, "'url', 301, '/item/$1/', 'url'")},
			[]address{{"/shop/12/", "/item/$1/"}, {"/shop/x/", ""}, {"/SHOP/12/", "/item/$1/"}}},
		{"a regular expression is one by its flags, too",
			[]string{redirectionItem(1, "^/shop/", "regex", `{"source":{"flag_regex":true,"flag_case":true}}`, 0, to)},
			[]address{{"/SHOP/12/", "/new/"}}},
		{"what leads to itself leads nowhere",
			[]string{redirectionItem(1, "/a/", "/a", "", 0, "'url', 301, 'http://example.test/a', 'url'"),
				redirectionItem(2, "^/(b|c)/$", "regex", "", 1, "'url', 301, 'https://www.example.test/$1', 'url'"),
				redirectionItem(3, "/d/", "/d", "", 0, "'url', 301, '/d/#part', 'url'"),
				redirectionItem(4, "/e/", "/e", "", 0, "'url', 301, 'https://other.test/e/', 'url'")}, []address{{"/a/", ""}, {"/b/", ""},
				{"/c/", ""}, {"/d/", ""}, {"/e/", "https://other.test/e/"}}},
		{"errors are gone, and other actions are none", []string{redirectionItem(1, "/a/", "/a", "", 0, "'error', 410, NULL, 'url'"),
			redirectionItem(2, "/b/", "/b", "", 0, "'error', 404, '', 'url'"),
			redirectionItem(3, "/c/", "/c", "", 0, "'nothing', 0, '', 'url'"), redirectionItem(4, "/c/", "/c", "", 0, to),
			redirectionItem(5, "/d/", "/d", "", 0, "'pass', 0, '/x/', 'url'"),
			redirectionItem(6, "/e/", "/e", "", 0, "'random', 302, '', 'url'")}, []address{{"/a/", "gone"}, {"/b/", "gone"},
			{"/c/", ""}, {"/d/", ""}, {"/e/", "(any post)"}}},
		{"conditions are none of ours, nor is what comes behind them",
			[]string{redirectionItem(1, "/a/", "/a", "", 0, "'url', 301, '/x/', 'login'"), redirectionItem(2, "/a/", "/a", "", 0, to)},
			[]address{{"/a/", ""}}},
		{"the position decides", []string{redirectionItem(1, "/a/", "/a", "", 0, to),
			redirectionItem(2, "^/a", "regex", "", 1, "'url', 301, '/first/', 'url'"),
			"UPDATE wp_redirection_items SET position = 5 WHERE id = 1"}, []address{{"/a/", "/first/"}}},
		{"a rule without a target is none", []string{redirectionItem(1, "/a/", "/a", "", 0, "'url', 301, '', 'url'"),
			redirectionItem(2, "/a/", "/a", "", 0, to),
			redirectionItem(3, "/b/", "", "", 0, to), redirectionItem(4, "/b/", "/b", "", 0, "'url', 301, '/other/', 'url'")},
			[]address{{"/a/", "/new/"}, {"/b/", "/other/"}}},
		{"the host of a source does not count", []string{redirectionItem(1, "https://example.test/a/", "/a", "", 0, to)},
			[]address{{"/a/", "/new/"}, {"/b/", ""}}},
		{"variables may be in any order, and have values or none", []string{redirectionItem(1, "/?b=2&a=1&&c", "/", "", 0, to)},
			[]address{{"/?a=1&b=2&c", "/new/"}, {"/?c&b=2&a=1", "/new/"}, {"/?a=1&b=2&c=", ""}, {"/?a=1&b=2", ""}, {"/?a=1&b=2&c&d", ""}}},
		{"variables in brackets are none of ours", []string{redirectionItem(1, "/?a[]=1", "/", "", 0, to)}, []address{{"/?a[]=1", ""}}},
		{"disabled rules are none", []string{redirectionItem(1, "/a/", "/a", "", 0, to),
			"UPDATE wp_redirection_items SET status = 'disabled'"}, []address{{"/a/", ""}}},
		{"home in a folder is a part of the path", []string{option("home", "https://example.test/blog"),
			redirectionItem(1, "/blog/a/", "/blog/a", "", 0, to), redirectionItem(2, "/b/", "/b", "", 0, to)},
			[]address{{"/blog/a/", "/new/"}, {"/blog/b/", ""}}},
		{"the plugin is not active", []string{active("other/other.php"), redirectionItem(1, "/a/", "/a", "", 0, to)},
			[]address{{"/a/", ""}}},
	})
}

func TestYoastPremium(t *testing.T) {
	const plugin = "wordpress-seo-premium/wp-seo-premium.php"
	to := func(url string, code int) string { return array("url", url, "type", code) }
	on := option("wpseo_redirect", array("disable_php_redirect", "off"))
	plain := option("wpseo-premium-redirects-export-plain", array("old", to("new", 301), "/slashes/", to("/new/", 302), "caf%C3%A9",
		to("coffee", 301),
		"gone", to("", 410), "same", to("/same/", 301), "legal", to("", 451), "kept", to("kept", 301), "Case", to("new", 301),
		"299", to("new", 299), "300", to("new", 300), "399", to("new", 399), "400", to("new", 400)))
	regex := option("wpseo-premium-redirects-export-regex", array("^/shop/([0-9]+)", to("item/$1", 301), "kept", to("moved", 301)))
	try(t, []string{active("wordpress-seo/wp-seo.php", plugin)}, []tried{
		{"active and on", []string{on, plain, regex}, []address{{"/old/", "new"}, {"/old", "new"}, {"/OLD/", ""}, {"/slashes/", ""},
			{"/caf%c3%a9/", "coffee"}, {"/gone/", "gone"}, {"/legal/", "gone"}, {"/same/", ""}, {"/case/", ""}, {"/Case/", "new"},
			{"/shop/12/", "item/$1"}, {"/shop/", ""}, {"/kept/", "moved"}, {"/old/?a=1", ""}, {"/299/", ""}, {"/300/", "new"},
			{"/399/", "new"}, {"/400/", ""}}},
		{"home in a folder", []string{on, plain, regex, option("home", "https://example.test/blog")}, []address{{"/blog/old/", "new"},
			{"/blog/shop/12/", "item/$1"}, {"/blog/same/", ""}}},
		{"never saved", []string{plain}, []address{{"/old/", ""}}},
		{"by the web server", []string{plain, option("wpseo_redirect", array("disable_php_redirect", "on"))},
			[]address{{"/old/", ""}}},
		{"not active", []string{active("wordpress-seo/wp-seo.php"), on, plain}, []address{{"/old/", ""}}},
	})
}

func TestRankMath(t *testing.T) {
	const plugin = "seo-by-rank-math/rank-math.php"
	source := func(comparison, pattern, ignore string) string {
		return array("ignore", ignore, "pattern", pattern, "comparison", comparison)
	}
	row := func(id, code int, to string, sources ...string) string {
		var list []any
		for i, s := range sources {
			list = append(list, i, s)
		}
		return fmt.Sprintf("INSERT INTO wp_rank_math_redirections (id, sources, url_to, header_code, updated) VALUES "+
			"(%d, %s, %s, %d, '2026-01-%02d 00:00:00')", id, quote(array(list...)), quote(to), code, id)
	}
	const to = "https://example.test/new/"
	on := option("rank_math_modules", array(0, "redirections", 1, "sitemap"))
	try(t, []string{active(plugin), on, tableRankMath}, []tried{
		{"exact", []string{row(1, 301, to, source("exact", "old/page", "")), row(2, 301, to, source("exact", "Any", "case"))},
			[]address{{"/old/page/", to}, {"/old/page", to}, {"/old/Page/", ""}, {"/old/", ""}, {"/any/", to}, {"/old/page/?a=1", to},
				{"/", ""}}},
		{"several sources", []string{row(1, 301, to, source("exact", "a", ""), source("exact", "b", ""))},
			[]address{{"/a/", to}, {"/b/", to}}},
		{"contains, start, end", []string{row(1, 301, to, source("contains", "mid", "")), row(2, 307, to, source("start", "pre/", "")),
			row(3, 301, to, source("end", "fix", ""))}, []address{{"/a-mid-b/", to}, {"/a-Mid-b/", ""}, {"/pre/x/", to},
			{"/x/pre/", ""}, {"/suffix/", to}, {"/fixed/", ""}}},
		{"regular expressions, whose backslashes are doubled", []string{row(1, 301, "https://example.test/item/$1/",
			source("regex", `^shop/(\\d+)$`, ""))},
			[]address{{"/shop/12/", "https://example.test/item/$1/"}, {"/shop/d/", ""}}},
		{"percent-encoding", []string{row(1, 301, to, source("exact", "café", ""))}, []address{{"/caf%c3%a9/", to}}},
		{"gone", []string{row(1, 410, "", source("exact", "a", "")), row(2, 451, "", source("exact", "b", ""))},
			[]address{{"/a/", "gone"}, {"/b/", "gone"}}},
		{"without a target", []string{row(1, 301, "", source("exact", "a", "")), row(2, 410, "", source("exact", "b", ""))},
			[]address{{"/a/", ""}, {"/b/", "gone"}}},
		{"an expression with the character that encloses it",
			[]string{row(1, 301, to, source("regex", "^a@b$", "")), row(2, 301, to, source("regex", "^c$", ""))},
			[]address{{"/a@b/", ""}, {"/c/", to}}},
		{"nothing contains nothing, but anything starts with it", []string{row(1, 301, to, source("contains", "/", ""))}, []address{{"/a/", ""}}},
		{"a slash at the end of a beginning", []string{row(1, 301, to, source("start", "/", ""))}, []address{{"/a/", to}}},
		{"another comparison", []string{row(1, 301, to, source("like", "a", ""))}, []address{{"/a/", ""}}},
		{"the newest decides", []string{row(1, 301, to, source("exact", "a", "")),
			row(2, 301, "https://example.test/a/", source("exact", "a", ""))}, []address{{"/a/", ""}}},
		{"inactive", []string{row(1, 301, to, source("exact", "a", "")),
			"UPDATE wp_rank_math_redirections SET status = 'inactive'"}, []address{{"/a/", ""}}},
		{"the module is off", []string{option("rank_math_modules", array(0, "sitemap")),
			row(1, 301, to, source("exact", "a", ""))}, []address{{"/a/", ""}}},
		{"home in a folder", []string{option("home", "https://example.test/blog"), row(1, 301, to, source("exact", "a",
			""))}, []address{{"/blog/a/", to}}},
	})
}

// post returns statements for a post with meta; keys and values alternate.
func post(id int, kind, title string, meta ...string) []string {
	all := []string{fmt.Sprintf("INSERT INTO wp_posts (ID, post_type, post_status, post_title, post_name) VALUES (%d, '%s', 'publish', %s, 'p%d')",
		id, kind, quote(title), id)}
	for i := 0; i < len(meta); i += 2 {
		all = append(all, fmt.Sprintf("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (%d, '%s', %s)", id,
			meta[i], quote(meta[i+1])))
	}
	return all
}

func TestSEOPress(t *testing.T) {
	const (
		enabled = "_seopress_redirections_enabled"
		kind    = "_seopress_redirections_type"
		value   = "_seopress_redirections_value"
		logged  = "_seopress_redirections_logged_status"
		regex   = "_seopress_redirections_enabled_regex"
		free    = "wp-seopress/seopress.php"
		pro     = "wp-seopress-pro/seopress-pro.php"
	)
	on := option("seopress_toggle", array("toggle-404", "1"))
	rule := func(id int, title string, more ...string) []string {
		return post(id, "seopress_404", title, append([]string{enabled, "yes", kind, "301", value, "/new/"}, more...)...)
	}
	status := func(id int, title, status string) []string {
		return post(id, "seopress_404", title, enabled, "yes", kind, status, value, "/new/")
	}
	try(t, []string{active(free, pro), on, "DELETE FROM wp_posts WHERE ID = 7"}, []tried{
		{"a title is a path", slices.Concat(rule(900, "old/page"), rule(901, "b/"), rule(902, "café"), rule(903, "/c")),
			[]address{{"/old/page/", "/new/"}, {"/Old/Page", "/new/"}, {"/b/", "/new/"}, {"/b", "/new/"}, {"/caf%c3%a9/", "/new/"},
				{"/c/", ""}, {"/old/page/?a=1", ""}, {"/", ""}}},
		{"a logged 404 is no redirect", post(900, "seopress_404", "old", "seopress_404_count", "3"), []address{{"/old/", ""}}},
		{"by who is logged in", slices.Concat(rule(900, "in", logged, "only_logged_in"), rule(901, "out", logged, "only_not_logged_in"),
			rule(902, "both", logged, "both")), []address{{"/in/", ""}, {"/out/", "/new/"}, {"/both/", "/new/"}}},
		{"gone", post(900, "seopress_404", "old", enabled, "yes", kind, "410"), []address{{"/old/", "gone"}}},
		{"unavailable for legal reasons", post(900, "seopress_404", "old", enabled, "yes", kind, "451"), []address{{"/old/", "gone"}}},
		{"by the status", slices.Concat(status(900, "a", "299"), status(901, "b", "300"), status(902, "c", "399"), status(903, "d", "400"),
			status(904, "e", "")),
			[]address{{"/a/", ""}, {"/b/", "/new/"}, {"/c/", "/new/"}, {"/d/", ""}, {"/e/", ""}}},
		{"a target with nothing in it", post(900, "seopress_404", "old", enabled, "yes", kind, "301", value, ""), []address{{"/old/", ""}}},
		{"an expression with an escaped slash", slices.Concat(rule(900, `^\/x`, regex, "yes", logged, "both"),
			rule(901, "^/y", regex, "yes", logged, "both")),
			[]address{{"/x/", ""}, {"/y/", "/new/"}}},
		{"a title with a query", rule(900, "old?a=1"), []address{{"/old/", ""}, {"/old/?a=1", ""}}},
		{"home in a folder", append(rule(900, "blog/old"), option("home", "https://example.test/blog")), []address{{"/blog/old/", ""}}},
		{"a draft is none", append(rule(900, "old"), "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 900"),
			[]address{{"/old/", ""}}},
		{"regular expressions", slices.Concat(rule(900, "^/shop/([0-9]+)$", regex, "yes", logged, "both"), rule(901, "^/x", regex, "yes")),
			[]address{{"/shop/12/", "/new/"}, {"/Shop/12", "/new/"}, {"/shop/a/", ""}, {"/x/", ""}}},
		{"the module is off", append(rule(900, "old"), option("seopress_toggle", array("toggle-404", "0"))),
			[]address{{"/old/", ""}}},
		{"without PRO", append(rule(900, "old"), active(free)), []address{{"/old/", ""}}},
		{"not active", append(rule(900, "old"), active(pro)), []address{{"/old/", ""}}},
		{"a post itself", append(post(7, "post", "x", enabled, "yes", kind, "301", value, "/new/"), active(free)),
			[]address{{"/any/", "/new/"}, {"/new/", ""}}},
		{"a post itself without a target", append(post(7, "post", "x", enabled, "yes", kind, "301"), active(free)),
			[]address{{"/any/", ""}}},
	})
}

// A term redirects by its own meta only.
func TestSEOPressTerms(t *testing.T) {
	meta := func(id int, enabled, logged string) string {
		return fmt.Sprintf(`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (%[1]d, '_seopress_redirections_enabled', '%[2]s'),
			(%[1]d, '_seopress_redirections_type', '301'), (%[1]d, '_seopress_redirections_value', 'https://example.test/new/'),
			(%[1]d, '_seopress_redirections_logged_status', '%[3]s')`, id, enabled, logged)
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		rules := redirects.Of(site(t, e, active("wp-seopress/seopress.php"), meta(5, "yes", ""), meta(6, "", ""), meta(8, "yes", "only_logged_in")))
		for id, want := range map[int64]bool{5: true, 6: false, 7: false, 8: false} {
			r, ok := rules.Match(redirects.Address{Link: "https://example.test/category/x/", Term: id})
			if ok != want || ok && (r.Of != "term 5" || r.InTo != "termmeta._seopress_redirections_value") {
				t.Errorf("term %d: %t, %+v", id, ok, r)
			}
		}
		if r, ok := rules.Match(redirects.Address{Link: "https://example.test/new/", Term: 5}); ok {
			t.Errorf("it leads to itself: %+v", r)
		}
	})
}

// Redirects that cannot be read or used are skipped with a warning that names them. They never cause
// an error.
func TestBrokenRedirects(t *testing.T) {
	const to = "'url', 301, '/new/', 'url'"
	for _, tt := range []struct {
		name       string
		statements []string
		warning    string
		addresses  []address
	}{
		{"no table", []string{active(sitemaptest.PluginRedirection)}, "the redirects of Redirection cannot be read", []address{{"/a/", ""}}},
		{"a table of an older version", []string{active(sitemaptest.PluginRedirection),
			"CREATE TABLE wp_redirection_items (id INTEGER PRIMARY KEY, url TEXT, status VARCHAR(20))"},
			"the redirects of Redirection cannot be read", []address{{"/a/", ""}}},
		{"expressions that Go does not take", []string{active(sitemaptest.PluginRedirection), sitemaptest.TableRedirection,
			redirectionItem(3, "^/(?!x)a", "regex", "", 1, to), redirectionItem(4, "(", "regex", "", 1, to),
			redirectionItem(5, "^/a", "regex", "", 1, to)},
			"Redirection: 2 redirects have a regular expression that wpsitemapd cannot evaluate, and are ignored: 3, 4",
			[]address{{"/a/", "/new/"}}},
		{"a source that is too long", []string{active(sitemaptest.PluginRedirection), sitemaptest.TableRedirection,
			redirectionItem(3, "/"+strings.Repeat("a", 3000), "/x", "", 0, to), redirectionItem(5, "/a", "/a", "", 0, to)},
			"Redirection: 1 redirects are longer than 2048 bytes, and are ignored: 3", []address{{"/a/", "/new/"}}},
		{
			"sources cut in half", []string{
				active("seo-by-rank-math/rank-math.php"), option("rank_math_modules",
					array(0, "redirections")), tableRankMath,
				"INSERT INTO wp_rank_math_redirections (id, sources, url_to, header_code, updated) VALUES (8, 'a:1:{i:0;a:3:{s:6:\"ignore\"', '/x/', 301, '')",
			},
			"Rank Math: 1 redirects have sources that cannot be read, and are ignored: 8", nil,
		},
		{"an option cut in half", []string{active("wordpress-seo-premium/wp-seo-premium.php"),
			option("wpseo_redirect", array("disable_php_redirect", "off")),
			option("wpseo-premium-redirects-export-plain", `a:2:{s:3:"old";a:1:{s:3:"u`)},
			"option wpseo-premium-redirects-export-plain is cut short and counts as never saved",
			[]address{{"/old/", ""}}},
		{"match data that is no JSON", []string{active(sitemaptest.PluginRedirection), sitemaptest.TableRedirection,
			redirectionItem(1, "/a", "/a", `{"source":`, 0, to)}, "", []address{{"/a/", "/new/"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				s := site(t, e, tt.statements...)
				check(t, s, tt.addresses)
				expect.Contains(t, strings.Join(s.Warnings(), "\n"), tt.warning, "warnings are")
			})
		})
	}
}
