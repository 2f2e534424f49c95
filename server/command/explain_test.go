package command

import (
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/check"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// explainConfig writes a configuration with sites. The keys are names of sites, the values are their seeds.
func explainConfig(t *testing.T, sites map[string][]string, more string) string {
	t.Helper()
	var b strings.Builder
	for name, seeds := range sites {
		fmt.Fprintf(&b, "[[site]]\nname = %q\ndsn = %s\n%s\n", name, strconv.Quote(wptest.Load(t, wptest.SQLite, seeds...)), more)
	}
	return writeConfig(t, b.String())
}

func runExplain(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runCommand(t, append([]string{"explain"}, args...)...)
}

// explained runs the command explain for one address, and returns the answer as JSON and as text.
func explained(t *testing.T, config, address string) (x admin.Explained, text string) {
	t.Helper()
	code, x, stderr := reported[admin.Explained](t, "explain", "--config", config, "--json", address)
	if code != done {
		t.Fatalf("%s: exit code %d\n%s", address, code, stderr)
	}
	_, text, _ = runExplain(t, "--config", config, address)
	return x, strings.Join(strings.Fields(text), " ")
}

func TestExplainAnswers(t *testing.T) {
	config := explainConfig(t, map[string][]string{"one": {"basic"}}, "")
	code, x, stderr := reported[map[string]any](t, "explain", "--config", config, "https://example.test/", "--json")
	if code != done || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for key, want := range map[string]any{
		"url":     "https://example.test/",
		"in":      true,
		"object":  "page 2",
		"sitemap": "page",
		"page":    1.0,
		"lastmod": "2024-06-20T07:30:00+00:00",
		"rule":    "listed",
		"site":    "one",
	} {
		expect.Equal(t, x[key], want, key)
	}
	evidence, _ := x["evidence"].([]any)
	if first, ok := evidence[0].(map[string]any); !ok || first["source"] != "wp_options.page_on_front" || first["value"] != `"2"` {
		t.Errorf("evidence is %v", evidence)
	}

	code, stdout, _ := runExplain(t, "--json", "--config", config, "https://example.test/", "https://example.test/nothing/")
	expect.Equal(t, code, done, stdout)
	expect.Equal(t, strings.Count(stdout, "\n"), 2, stdout)
	if !strings.Contains(stdout, `"in":false,"object":"","sitemap":"","page":0,"lastmod":"","rule":"nothing at this URL","evidence":[]`) {
		t.Errorf("an address of nothing lacks its names:\n%s", stdout)
	}

	// The text form fits on a screen and contains the same facts.
	code, stdout, stderr = runExplain(t, "--config", config, "http://example.test")
	if code != done || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	expect.Parts(t, stdout,
		"http://example.test\n", "  is       page 2, \"Welcome\"\n", "  own URL  https://example.test/\n",
		"  in       page, page 1: https://example.test/page-sitemap.xml\n",
		"  lastmod  2024-06-20T07:30:00+00:00\n",
		"  evidence wp_options.page_on_front: \"2\"\n", "  site     one, https://example.test\n",
	)
	if n := strings.Count(stdout, "\n"); n > 24 {
		t.Errorf("%d lines", n)
	}
}

func TestExplainFindsTheSite(t *testing.T) {
	config := explainConfig(t, map[string][]string{"single": {"basic", "small", "small-front"}, "net": {"basic", "network"}}, "")
	const address = "https://BREAD.test:443/" // finds a blog by its host, in other letter case
	if x, _ := explained(t, config, address); x.URL != address || x.Site != "net" || x.Home != "https://bread.test" || x.Rule != "listed" {
		t.Errorf("site %q, home %q, rule %q", x.Site, x.Home, x.Rule)
	}
	code, stdout, stderr := runExplain(t, "--config", config, "https://nowhere.test/", "https://small.test/")
	if code != trouble || !strings.Contains(stderr, "https://nowhere.test/: no site of the configuration has this host; it has ") ||
		!strings.Contains(stderr, "small.test") || !strings.Contains(stdout, "https://small.test/") {
		t.Errorf("exit code %d for a host of no site, and one of a site\n%s%s", code, stdout, stderr)
	}
	// If --site names a site, that site is asked, no matter which host the URL has.
	if code, stdout, _ := runExplain(t, "--config", config, "--site", "single", "https://nowhere.test/"); code != done ||
		!strings.Contains(stdout, "another host") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestExplainUsage(t *testing.T) {
	config := explainConfig(t, map[string][]string{"one": {"basic"}}, "")
	broken := filepath.Join(t.TempDir(), "broken.toml")
	writeTo(t, broken, "[[site]]\nname = \"one\"\ndsn = \"sqlite:/nowhere/.ht.sqlite\"\n")
	for _, tt := range []struct {
		rule string
		args []string
		code int
		says string
	}{
		{"no address", []string{"--config", config}, misuse, "no URL to explain"},
		{"no web address", []string{"--config", config, "hello"}, misuse, `"hello" is not a web address`},
		{"two forms", []string{"--config", config, "--csv", "--short", "/"}, misuse, "one of --short, --csv and --json"},
		{"one of several is none", []string{"--config", config, "hello", "https://example.test/"}, trouble, `"hello" is not a web address`},
		{"no such site", []string{"--config", config, "--site", "two", "https://example.test/"}, misuse, `no site "two"`},
		{"a database out of reach", []string{"--config", broken, "https://example.test/"}, trouble, "cannot open the database"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			if code, stdout, stderr := runExplain(t, tt.args...); code != tt.code || !strings.Contains(stderr, tt.says) {
				t.Errorf("exit code %d, want %d\n%s%s", code, tt.code, stdout, stderr)
			}
		})
	}
}

// demoConfig writes a configuration of the demo's site.
func demoConfig(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	wptest.Must(t, sample.Create(t.Context(), filepath.Join(dir, ".ht.sqlite"), "https://example.test"))
	path := filepath.Join(dir, "wpsitemapd.toml")
	text := "[[site]]\nname = \"demo\"\ndsn = " + strconv.Quote("sqlite:"+filepath.Join(dir, ".ht.sqlite")) + "\n"
	writeTo(t, path, text)
	return path
}

// Editors get the title, what to do and where, and similar URLs.
func TestExplainForEditors(t *testing.T) {
	config := demoConfig(t)
	for _, tt := range []struct {
		rule, address string
		want          []string
	}{
		{"noindex of a post", "/kept-out-by-noindex/", []string{
			`"Kept out by noindex"`, "  do       In Yoast SEO's Advanced tab, allow", "  edit     https://example.test/wp-admin/post.php?post=",
		}},
		{"of a user", "https://example.test/author/prudence/", []string{`, "Prudence Unlisted"`, "untick", "user-edit.php?user_id=7"}},
		{"of a term", "example.test/category/advertisements/", []string{`"Advertisements"`, "term.php?taxonomy=category&tag_ID=13"}},
		{"a draft by its number", "/?p=470", []string{`post 470, "A draft"`, "  do       Publish it."}},
		{"a draft", "/a-draft/", []string{`post 470, "A draft"`, "It is a draft.", "  do       Publish it.", "post.php?post=470&"}},
		{"pending", "/waiting-for-review/", []string{`post 471, "Waiting for review"`, "It is pending",
			"  do       Review it and publish it.", "post.php?post=471&"}},
		{"scheduled", "/scheduled-for-a-distant-year/", []string{`post 473, "Scheduled for a distant year"`, "scheduled for 2099-01-01",
			"  do       Wait for that date, or publish it now.", "post.php?post=473&"}},
		{"in the trash", "/thrown-away/", []string{`post 474, "Thrown away"`, "It is in the trash.", "  do       Restore it", "post.php?post=474&"}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			_, stdout, _ := runExplain(t, "--config", config, tt.address)
			expect.Parts(t, stdout, tt.want...)
		})
	}
	_, stdout, _ := runExplain(t, "--config", config, "--short", "/kept-out-by-noindex/", "/about-us/")
	if want := "out      noindex                   -               /kept-out-by-noindex/\n" +
		"in       listed                    page 1          /about-us/\n"; stdout != want {
		t.Errorf("in short:\n%s", stdout)
	}
	_, stdout, _ = runExplain(t, "--config", config, "--csv", "/kept-out-by-noindex/", "/about-us/")
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][0] != "url" || rows[1][1] != "out" || rows[2][1] != "in" || rows[2][6] != "About us" {
		t.Errorf("%v in CSV:\n%s", err, stdout)
	}
}

// left-out lists as many objects for each rule as check counts.
func TestLeftOut(t *testing.T) {
	config := demoConfig(t)
	ask := func(args ...string) string { return printed(t, append(args, "--config", config)...) }
	_, r, _ := reported[check.Report](t, "check", "--json", "--config", config)
	rows, err := csv.NewReader(strings.NewReader(ask("left-out", "--csv"))).ReadAll()
	wptest.Must(t, err)
	got := map[string]int{}
	for _, row := range rows[1:] {
		if row[1] != "" { // the row is about an object, not about a type
			got[row[4]]++
		}
	}
	canonicalized := 0
	for _, row := range rows[1:] {
		if row[4] == "canonical elsewhere" && strings.HasPrefix(row[5], "Its canonical URL is https://") {
			canonicalized++
		}
	}
	if want := r.Sites[0].Blogs[0].LeftOut; !maps.Equal(got, want) || canonicalized != want["canonical elsewhere"] || canonicalized == 0 {
		t.Errorf("left out are %v, %d with their canonical URL, and check counts %v", got, canonicalized, want)
	}
	if code, _, stderr := runCommand(t, "left-out", "--config", config, "--rule", "no-index"); code != done ||
		!strings.Contains(stderr, `the rule "no-index" excludes nothing`) {
		t.Errorf("a rule that is not: exit code %d, %s", code, stderr)
	}
	text := ask("left-out", "--rule", "noindex")
	for _, want := range []string{
		"https://example.test/kept-out-by-noindex/\n  is       post 465, \"Kept out by noindex\"\n  rule     noindex. ", "  do       In Yoast SEO's",
	} {
		if !strings.Contains(text, want) || strings.Contains(text, "password") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestExplainReadsLines(t *testing.T) {
	var got []string
	err := eachAddress([]string{"https://a.test/", "-"}, strings.NewReader("https://b.test/\n\n  https://c.test/x y \r\n"), func(address string) error {
		got = append(got, address)
		return nil
	})
	expect.Equal(t, err, nil)
	expect.List(t, got, []string{"https://a.test/", "https://b.test/", "https://c.test/x y"})
	broken := errors.New("broken")
	expect.Equal(t, eachAddress([]string{"-", "more"}, strings.NewReader("x\ny\n"), func(string) error { return broken }), broken)
}

// Texts in an address or a database cannot control the terminal.
func TestExplainIsPrintable(t *testing.T) {
	config := explainConfig(t, map[string][]string{"one": {"basic"}}, "")
	_, stdout, stderr := runExplain(t, "--config", config, "https://example.test/\x1b[31m/\u009b2J/")
	_, _, more := runExplain(t, "--config",
		explainConfig(t, map[string][]string{"one": {"basic"}, "two": {"basic", "small"}}, ""), "https://nowhere.test/\x1b[31m/")
	if stderr += more; strings.ContainsAny(stdout+stderr, "\x1b\u009b") {
		t.Errorf("control characters in %q", stdout+stderr)
	}
}

// If a site has no sitemaps of ours, export, check and diff name the program that makes its sitemaps.
func TestOthersNameWhoMakesSitemaps(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn,
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:31:"smartcrawl-seo/wpmu-dev-seo.php";}')`)
	config := siteOf(t, fmt.Sprintf("dsn = %q", dsn))
	const says = "SmartCrawl makes the sitemaps of this site (smartcrawl-seo is active), so the site itself serves them at https://small.test/sitemap.xml"
	for _, args := range [][]string{{"export", "--out", t.TempDir()}, {"check"}, {"diff"}} {
		code, stdout, stderr := runCommand(t, append(args, "--config", config)...)
		if !strings.Contains(stdout, says) || strings.Contains(stdout, "0 sitemaps") || args[0] == "export" && code != done {
			t.Errorf("%s: exit code %d\n%s%s", args[0], code, stdout, stderr)
		}
	}
}
