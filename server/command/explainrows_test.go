package command

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/server/check"
	"wpsitemapd/server/explainer"
	"wpsitemapd/wp/wptest"
)

// setOption is a statement that sets an option.
func setOption(name, value string) string {
	return "REPLACE INTO wp_options (option_name, option_value, autoload) VALUES ('" + name + "', '" + strings.ReplaceAll(value, "'", "''") + "', 'on')"
}

// activate is a statement that activates plugins.
func activate(files ...string) string {
	var b strings.Builder
	for i, f := range files {
		fmt.Fprintf(&b, "i:%d;s:%d:\"%s\";", i, len(f), f)
	}
	return setOption("active_plugins", fmt.Sprintf("a:%d:{%s}", len(files), b.String()))
}

// configOf writes a configuration of one site whose database is changed by statements, on both engines.
func configOf(t *testing.T, e wptest.Engine, more string, seeds []string, statements ...string) string {
	t.Helper()
	dsn := wptest.Load(t, e, seeds...)
	if len(statements) > 0 {
		wptest.Exec(t, dsn, statements...)
	}
	text := fmt.Sprintf("[[site]]\nname = \"one\"\ndsn = %s\nupstream = \"http://127.0.0.1:9\"\n%s\n", strconv.Quote(wptest.ReadOnlyDSN(t, dsn)), more)
	path := writeConfig(t, text)
	return path
}

// explained runs the command for one address, as JSON and as text.
func explained(t *testing.T, config, address string) (x explainer.Explained, text string) {
	t.Helper()
	code, stdout, stderr := runExplain(t, "--config", config, "--json", address)
	if err := json.Unmarshal([]byte(stdout), &x); err != nil || code != done {
		t.Fatalf("%s: exit code %d, %v\n%s%s", address, code, err, stdout, stderr)
	}
	_, text, _ = runExplain(t, "--config", config, address)
	return x, strings.Join(strings.Fields(text), " ")
}

// The date of a term is that of a post, which is named; what is alike is said once.
func TestExplainNamesThePostOfADate(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		config := configOf(t, e, "", []string{"small", "small-polylang"})
		const from = "the newest wp_posts.post_modified_gmt of the published posts filed under it (post 1007)"
		if x, text := explained(t, config, "https://small.test/category/news/"); x.LastModFrom != from {
			t.Error(text)
		}
		if x, text := explained(t, config, "https://small.test/helo/"); strings.Count(text, "Did you mean") != 1 || len(x.Notes) > 0 {
			t.Error(text)
		}
	})
}

// An image that a sitemap lists is never out: one that no row ties to a post is found in the pages themselves.
func TestExplainFindsImagesOfTexts(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		config := configOf(t, e, "", []string{"small"},
			`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_content, post_title,
			post_excerpt, post_status, comment_status, ping_status, post_password, post_name, to_ping, pinged, post_modified,
			post_modified_gmt, post_content_filtered, post_parent, guid, menu_order, post_type, post_mime_type, comment_count) VALUES
			(1001, 1, '2025-01-01 00:00:00', '2025-01-01 00:00:00',
			'<img src="https://small.test/wp-content/uploads/p7.jpg">
			<img src="https://small.test/wp-content/themes/x/logo.png"> <img src="/bare.webp">', 'A', '',
			'publish', 'closed', 'closed', '', 'pictures', '', '', '2025-01-01 00:00:00', '2025-01-01 00:00:00', '', 0, '', 0, 'post', '', 0)`)
		for _, name := range []string{"wp-content/uploads/p7.jpg", "wp-content/themes/x/logo.png", "bare.webp"} {
			x, text := explained(t, config, "https://small.test/"+name)
			if !x.In || x.Rule != "listed" || x.Sitemap != "post" || x.LastMod == "" ||
				!strings.Contains(x.Because, "https://small.test/pictures/") ||
				!strings.Contains(text, " in post, page 1: https://small.test/post-sitemap.xml ") {
				t.Errorf("%s: %+v\n%s", name, *x.Explanation, text)
			}
		}
		for name, rule := range map[string]string{"wp-content/uploads/p8.jpg": "not shown by a listed post", "wp-content/themes/x/logo2.png": "file"} {
			x, text := explained(t, config, "https://small.test/"+name)
			if x.In || x.Unknown || x.Rule != rule || !strings.Contains(text, "pages searched") && !strings.Contains(text, "page searched") && rule != "file" {
				t.Errorf("%s: %+v\n%s", name, *x.Explanation, text)
			}
		}
	})
}

// Sitemaps that are not made here are named with who makes them, and where. At level plugin there are more of these.
func TestExplainNamesWhoMakesSitemaps(t *testing.T) {
	const home = "https://small.test"
	yoast := "wordpress-seo/wp-seo.php"
	rankMath := setOption("rank_math_modules", `a:2:{i:0;s:7:"sitemap";i:1;s:12:"link-counter";}`)
	slim := setOption("slim_seo", `a:1:{s:8:"features";a:2:{i:0;s:9:"meta_tags";i:1;s:8:"sitemaps";}}`)
	off := setOption("wpseo", `a:1:{s:18:"enable_xml_sitemap";b:0;}`)
	for _, tt := range []struct {
		rule, path string
		statements []string
		decided    string
		says       string
	}{
		{"Slim SEO, its index", "/sitemap.xml", []string{activate("slim-seo/slim-seo.php"), slim}, "another plugin's sitemaps",
			"(slim-seo is active); wpsitemapd leaves them to it: https://small.test/sitemap.xml; compat = \"spec\" makes them here."},
		{
			"Slim SEO, home", "/", []string{activate("slim-seo/slim-seo.php"), slim}, "another plugin's sitemaps",
			"Slim SEO makes the sitemaps of this site",
		},
		{
			"Slim SEO, a file", "/wp-content/uploads/a.jpg", []string{activate("slim-seo/slim-seo.php"), slim},
			"another plugin's sitemaps", "Slim SEO makes the sitemaps of this site",
		},
		{
			"Slim SEO, nothing there", "/nothing/", []string{activate("slim-seo/slim-seo.php"), slim},
			"nothing at this URL", "Slim SEO makes the sitemaps of this site",
		},
		{"Slim SEO, in a folder of another name", "/sitemap.xml",
			[]string{activate("slim-copy/slim-seo.php"), setOption("rewrite_rules", `a:1:{s:1:"x";s:1:"y";}`), slim},
			"another plugin's sitemaps",
			"Slim SEO makes the sitemaps of this site (slim-copy is active)"},
		{
			"Slim SEO, just installed", "/sitemap.xml", []string{activate("slim-seo/slim-seo.php")},
			"another plugin's sitemaps", "Slim SEO makes the sitemaps of this site",
		},
		{"Slim SEO, its feature off", "/sitemap.xml",
			[]string{activate("slim-seo/slim-seo.php"), setOption("slim_seo", `a:1:{s:8:"features";a:1:{i:0;s:9:"meta_tags";}}`)},
			"sitemaps switched off",
			"The sitemaps of Slim SEO are switched off (slim_seo.features); the index of WordPress' own is https://small.test/wp-sitemap.xml."},
		{
			"The SEO Framework without permalinks", "/?tsf-sitemap=base",
			[]string{activate("autodescription/autodescription.php"), setOption("permalink_structure", "")},
			"another plugin's sitemaps", "leaves them to it: https://small.test/?tsf-sitemap=base; compat",
		},
		{
			"Rank Math, not set up", "/sitemap_index.xml", []string{activate("seo-by-rank-math/rank-math.php"), rankMath},
			"sitemaps switched off", "The set-up of Rank Math is not done (rank_math_registration_skip, rank_math_connect_data)",
		},
		{"Rank Math, its module off", "/sitemap_index.xml",
			[]string{
				activate("seo-by-rank-math/rank-math.php"), setOption("rank_math_modules", `a:1:{i:0;s:12:"link-counter";}`),
				setOption("rank_math_registration_skip", "1"),
			},
			"sitemaps switched off",
			"The sitemaps of Rank Math are switched off (rank_math_modules); the index of WordPress' own is https://small.test/wp-sitemap.xml."},
		{
			"AIOSEO Pro, switched off", "/post-sitemap.xml",
			[]string{activate("all-in-one-seo-pack-pro/all_in_one_seo_pack.php"), setOption("aioseo_options", `{"sitemap":{"general":{"enable":false}}}`)},
			"sitemaps switched off", "The sitemaps of All in One SEO are switched off (aioseo_options.sitemap.general.enable)",
		},
		{
			"The SEO Framework", "/sitemap.xml", []string{activate("autodescription/autodescription.php")}, "another plugin's sitemaps",
			"The SEO Framework makes",
		},
		{
			"Google XML Sitemaps", "/sitemap.xml", []string{activate("google-sitemap-generator/sitemap.php")}, "another plugin's sitemaps",
			"Google XML Sitemaps makes",
		},
		{
			"Jetpack", "/sitemap.xml",
			[]string{activate("jetpack/jetpack.php"), setOption("jetpack_active_modules", `a:1:{i:0;s:8:"sitemaps";}`)},
			"another plugin's sitemaps", "Jetpack makes",
		},
		{
			"Jetpack without the module", "/sitemap_index.xml", []string{activate("jetpack/jetpack.php")}, "sitemaps switched off",
			"The sitemaps of Jetpack are switched off (jetpack_active_modules); the index of WordPress' own is https://small.test/wp-sitemap.xml.",
		},
		{
			"Yoast switched off, the index", "/sitemap_index.xml", []string{off}, "sitemaps switched off",
			"The sitemaps of Yoast SEO are switched off (wpseo.enable_xml_sitemap); the index of WordPress' own is https://small.test/wp-sitemap.xml.",
		},
		{
			"Yoast switched off, posts", "/post-sitemap.xml", []string{off}, "sitemaps switched off",
			"The sitemaps of Yoast SEO are switched off (wpseo.enable_xml_sitemap); the index of WordPress' own is",
		},
		{"Yoast switched off, videos", "/video-sitemap.xml", []string{off}, "plugin not active", "There is no video sitemap: nothing asks for one"},
		{"Yoast switched off, private", "/sitemap_index.xml", []string{off, setOption("blog_public", "0")}, "sitemaps switched off", "(blog_public)"},
		{"no video add-on", "/video-sitemap.xml", nil, "plugin not active",
			"the add-on Video SEO is not active; [site.video] enabled = true makes one without it."},
		{"no news add-on", "/news-sitemap.xml", nil, "plugin not active",
			"the add-on News SEO is not active; [site.news] enabled = true makes one without it."},
		{"the add-on is there", "/video-sitemap.xml", []string{activate(yoast, "wpseo-video/video-seo.php")}, "empty sitemap", "nothing to list"},
		{"REST", "/wp-json/wp/v2/posts", nil, "REST API", "This is WordPress' REST API, not a page or post."},
		{"REST by query", "/?rest_route=/wp/v2/posts", nil, "REST API", "This is WordPress' REST API, not a page or post."},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			config := configOf(t, wptest.SQLite, `compat = "plugin"`, []string{"small"}, tt.statements...)
			x, text := explained(t, config, home+tt.path)
			if x.In || x.Unknown || x.Rule != tt.decided || !strings.Contains(text, tt.says) ||
				strings.Contains(text, "redirects") || strings.Contains(text, "file or script") {
				t.Errorf("rule %q, want %q with %q\n%s", x.Rule, tt.decided, tt.says, text)
			}
		})
	}
}

var leftOutPart = regexp.MustCompile(`(\d+) ([a-zA-Z][a-zA-Z' -]*[a-z])`)

// Explain counts what is left out of the sitemaps as check does.
func TestExplainCountsAsCheck(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		for _, compat := range []string{"spec", "plugin"} {
			config := configOf(t, e, "compat = \""+compat+"\"", []string{"basic"})
			code, stdout, stderr := runCommand(t, "check", "--config", config, "--json")
			var r check.Report
			if err := json.Unmarshal([]byte(stdout), &r); err != nil {
				t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
			}
			blog := r.Sites[0].Blogs[0]
			if len(blog.LeftOut) < 3 {
				t.Fatalf("check leaves out %v", blog.LeftOut)
			}
			sum := map[string]int{}
			for _, s := range blog.Sitemaps {
				x, _ := explained(t, config, "https://example.test/"+s.Name+"-sitemap.xml")
				_, left, ok := strings.Cut(x.Evidence[0].Value, "; ")
				if !ok || !x.In || !strings.HasPrefix(x.Evidence[0].Value, strconv.Itoa(s.URLs)+" URL") {
					t.Fatalf("%+v", x.Evidence)
				}
				for _, m := range leftOutPart.FindAllStringSubmatch(strings.TrimPrefix(left, "excluded: "), -1) {
					n, _ := strconv.Atoi(m[1])
					sum[m[2]] += n
				}
			}
			index, _ := explained(t, config, "https://example.test/sitemap_index.xml")
			_, left, _ := strings.Cut(index.Evidence[0].Value, "; excluded: ")
			whole := map[string]int{}
			for _, m := range leftOutPart.FindAllStringSubmatch(left, -1) {
				whole[m[2]], _ = strconv.Atoi(m[1])
			}
			for rule, n := range blog.LeftOut {
				if sum[rule] != n || whole[rule] != n {
					t.Errorf("level %s, %s: check counts %d, the sitemaps %d, the index %d", compat, rule, n, sum[rule], whole[rule])
				}
			}
			if len(sum) != len(blog.LeftOut) {
				t.Errorf("level %s: check has %v, the sitemaps %v", compat, blog.LeftOut, sum)
			}
		}
	})
}

// A conflict of sites is named where one of them has the address, and nowhere else.
func TestExplainTellsOfItsOwnConflict(t *testing.T) {
	var b strings.Builder
	for name, seeds := range map[string][]string{"first": {"basic"}, "copy": {"basic"}, "other": {"small", "small-front"}} {
		fmt.Fprintf(&b, "[[site]]\nname = %q\ndsn = %s\n", name, strconv.Quote(wptest.Load(t, wptest.SQLite, seeds...)))
		if name == "first" {
			b.WriteString("hosts = [\"example.test\"]\n")
		}
	}
	config := writeConfig(t, b.String())
	if code, stdout, stderr := runExplain(t, "--config", config, "https://small.test/"); code != done ||
		stderr != "" || strings.Contains(stdout, "claim") {
		t.Errorf("exit code %d for an address that nobody else claims\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := runExplain(t, "--config", config, "https://example.test/"); code != done ||
		stderr != "" || !strings.Contains(strings.Join(strings.Fields(stdout), " "), "Two sites claim this URL") {
		t.Errorf("exit code %d for an address that two claim\n%s%s", code, stdout, stderr)
	}
}

// Commands export, check and diff name who makes the sitemaps of a site without ours.
func TestOthersNameWhoMakesSitemaps(t *testing.T) {
	config := configOf(t, wptest.SQLite, "", []string{"small"}, activate("smartcrawl-seo/wpmu-dev-seo.php"))
	const says = "SmartCrawl makes the sitemaps of this site (smartcrawl-seo is active); wpsitemapd leaves them to it: " +
		"https://small.test/sitemap.xml"
	code, stdout, stderr := runCommand(t, "export", "--config", config, "--out", t.TempDir())
	if code != done || stderr != "" || !strings.Contains(stdout, "one: https://small.test has no sitemaps to write: "+says) ||
		strings.Contains(stdout, "0 sitemaps") {
		t.Errorf("export: exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, _ = runCommand(t, "check", "--config", config); !strings.Contains(stdout, says) {
		t.Errorf("check: exit code %d\n%s", code, stdout)
	}
	if code, stdout, _ = runCommand(t, "diff", "--config", config); !strings.Contains(stdout, says) {
		t.Errorf("diff: exit code %d\n%s", code, stdout)
	}
}
