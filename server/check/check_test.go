package check

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// run checks a configuration. The text contains %s for the DSN of each seed, in order.
func run(t *testing.T, ctx context.Context, text string, dsns ...any) (*Report, error) {
	t.Helper()
	cfg, err := config.Parse(fmt.Sprintf(text, dsns...), "c.toml", t.TempDir())
	wptest.Must(t, err)
	return (&Check{Log: slog.New(slog.DiscardHandler), Err: io.Discard, Rate: 1}).Run(ctx, cfg, cfg.Sites)
}

// A pattern that matches nothing is trouble. Any other warning of the configuration is a warning.
func TestWarningsOfConfiguration(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{Warnings: []string{"a key is old", "a pattern matches nothing"}, Unmatched: []string{"a pattern matches nothing"}}
	r, err := (&Check{Err: io.Discard}).Run(t.Context(), cfg, nil)
	wptest.Must(t, err)
	expect.List(t, r.Warnings, []string{"a key is old"})
	expect.List(t, r.Errors, []string{"a pattern matches nothing. Correct the pattern, or remove the section"})
	expect.Equal(t, r.OK, false)
	r, err = (&Check{Err: io.Discard}).Run(t.Context(), &config.Config{Warnings: cfg.Warnings[:1]}, nil)
	wptest.Must(t, err)
	expect.Equal(t, r.OK, true)
	expect.Equal(t, r.Sites != nil, true, "a program gets an empty list:")
}

// A store that cannot be used is trouble of the configuration.
func TestStoreIsProbed(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]int{t.TempDir(): 0, "redis://127.0.0.1:9/0": 1} {
		r, err := (&Check{Err: io.Discard}).Run(t.Context(), &config.Config{State: config.Secret(location)}, nil)
		wptest.Must(t, err)
		expect.Equal(t, len(r.Errors), want, location, r.Errors)
	}
}

// The report about a blog says whose sitemaps it has, how many URLs they list, and how many objects each rule leaves out.
func TestReportOfBlog(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	r, err := run(t, t.Context(), "[[site]]\nname = \"a\"\ndsn = %q\n", dsn)
	wptest.Must(t, err)
	b := r.Sites[0].Blogs[0]
	expect.Equal(t, fmt.Sprint(r.OK, r.Sites[0].OK, b.Active, b.Plugin, b.Error, b.ID, b.Home, b.Compat), "true true trueYoast SEO1https://example.testspec")
	sizes := map[string]sizeReport{}
	for _, s := range b.Sitemaps {
		sizes[s.Name] = s
	}
	expect.Equal(t, sizes["post"].Files, 1)
	if sizes["post"].URLs < 20 || b.LeftOut["noindex"] != 4 {
		t.Errorf("%+v, left out %v", b.Sitemaps, b.LeftOut)
	}
	for rule, n := range b.LeftOut {
		expect.Equal(t, n > 0, true, rule)
	}
	expect.Equal(t, len(b.Versions) > 0, true, "versions")

	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = 'https://www.example.test' WHERE option_name = 'siteurl'",
		`UPDATE wp_options SET option_value = 'a:1:{s:18:"enable_xml_sitemap";b:0;}' WHERE option_name = 'wpseo'`)
	r, err = run(t, t.Context(), "[[site]]\nname = \"a\"\ndsn = %q\nsitemaps = \"off\"\n", dsn)
	wptest.Must(t, err)
	b = r.Sites[0].Blogs[0]
	expect.Equal(t, fmt.Sprint(b.Active, b.Plugin, b.Robots), "false", "without sitemaps")
	expect.Contains(t, strings.Join(b.Warnings, "\n"), "WordPress itself is at https://www.example.test")
	r, err = run(t, t.Context(), "[[site]]\nname = \"a\"\ndsn = %q\nhome = \"https://example.test\"\n", dsn)
	wptest.Must(t, err)
	expect.Equal(t, strings.Contains(strings.Join(r.Sites[0].Blogs[0].Warnings, "\n"), "WordPress itself"), false, "the operator has set home")
}

// A blog or a site that cannot be read is trouble, and does not hide the others.
func TestTroubleOfOneBlog(t *testing.T) {
	t.Parallel()
	network, well := wptest.Load(t, wptest.SQLite, "basic", "network"), wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, network, "DROP TABLE wp_2_posts")
	r, err := run(t, t.Context(), "[[site]]\nname = \"net\"\ndsn = %q\n[[site]]\nname = \"well\"\ndsn = %q\n[[site]]\nname = \"gone\"\ndsn = \"sqlite:/nowhere/x\"\n", network, well)
	wptest.Must(t, err)
	expect.Equal(t, fmt.Sprint(r.OK, r.Sites[0].OK, r.Sites[1].OK, r.Sites[2].OK), "false false true false")
	expect.Equal(t, len(r.Sites[0].Blogs) > 0, true, "the other blogs of the network")
	expect.Contains(t, strings.Join(r.Sites[0].Errors, "\n"), "wp_2_posts")
	expect.Equal(t, len(r.Sites[2].Errors), 1, r.Sites[2].Errors)
	expect.Equal(t, r.Sites[2].Blogs != nil, true, "a program gets an empty list:")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = run(t, ctx, "[[site]]\nname = \"well\"\ndsn = %q\n", well)
	expect.Equal(t, err, context.Canceled)
}

// Two sites that claim a host are trouble of both, and a host with or without www that leads to home is named.
func TestHostsOfSites(t *testing.T) {
	t.Parallel()
	one, two := wptest.Load(t, wptest.SQLite, "small"), wptest.Load(t, wptest.SQLite, "small")
	r, err := run(t, t.Context(), "[[site]]\nname = \"a\"\ndsn = %q\n[[site]]\nname = \"b\"\ndsn = %q\n", one, two)
	wptest.Must(t, err)
	for _, s := range r.Sites {
		expect.Equal(t, s.OK, false, s.Name)
		expect.Contains(t, strings.Join(s.Errors, "\n"), "small.test", s.Name)
		expect.Equal(t, s.Blogs[0].Redirect, "", s.Name)
	}
	r, err = run(t, t.Context(), "[[site]]\nname = \"a\"\ndsn = %q\nhosts = [\"small.test\"]\n[[site]]\nname = \"b\"\ndsn = %q\nhome = \"https://other.test\"\n", one, two)
	wptest.Must(t, err)
	expect.Equal(t, r.OK, true, r.Text())
	expect.Equal(t, r.Sites[0].Blogs[0].Redirect, "www.small.test")
}

// A type about which nothing tells whether it is public is trouble, with the lines that settle it. With these lines, there is none.
func TestUndecidedTypeIsTrouble(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	wptest.Exec(t, dsn, `UPDATE wp_options SET option_value = REPLACE(option_value, 's:28:"last_known_public_post_types"', 's:28:"last_known_public_post_typez"')`,
		"DELETE FROM wp_yoast_indexable")
	const text = "[[site]]\nname = \"a\"\ndsn = %q\n"
	r, err := run(t, t.Context(), text, dsn)
	wptest.Must(t, err)
	b := r.Sites[0].Blogs[0]
	if r.OK || len(b.Unknown) == 0 {
		t.Fatalf("%+v", b)
	}
	var names, lines []string
	for _, u := range b.Unknown {
		names = append(names, u.Kind+" "+u.Name)
		lines = append(lines, u.Add)
		expect.Equal(t, u.Why != "" && u.Rows > 0, true, u.Name)
	}
	expect.List(t, names, []string{"post type secret"})
	r, err = run(t, t.Context(), text+strings.ReplaceAll(strings.Join(lines, "\n"), "%", "%%")+"\n", dsn)
	wptest.Must(t, err)
	expect.Equal(t, len(r.Sites[0].Blogs[0].Unknown), 0)
}

// The size of a sitemap counts the later parts of posts, too.
func TestSizeCountsParts(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse(fmt.Sprintf("[[site]]\nname = \"a\"\ndsn = %q\n", wptest.Load(t, wptest.SQLite, "basic")), "c.toml", "/")
	wptest.Must(t, err)
	n, books, err := site.Blogs(t.Context(), &cfg.Sites[0])
	wptest.Must(t, err)
	defer n.Close()
	found, err := site.Build(t.Context(), &cfg.Sites[0], books[0], nil, slog.New(slog.DiscardHandler), true)
	wptest.Must(t, err)
	b := new(BlogReport)
	wptest.Must(t, b.noteSizes(t.Context(), found))
	rendered := map[string]int{}
	for _, f := range found.Files() {
		doc, err := found.Render(t.Context(), f.Name, f.Page)
		wptest.Must(t, err)
		rendered[f.Name] += strings.Count(string(doc.Body), "<loc>")
	}
	more := false
	for i, s := range b.Sitemaps {
		expect.Equal(t, s.URLs, rendered[s.Name], s.Name)
		more = more || s.URLs > found.Types()[i].URLs
	}
	expect.Equal(t, more, true, "a post has several parts:")
}

// The report says where robots.txt comes from.
func TestRobotsOfReport(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	robots := func(keys string) string {
		t.Helper()
		r, err := run(t, t.Context(), "[[site]]\nname = \"a\"\ndsn = %q\n"+keys, dsn)
		wptest.Must(t, err)
		return r.Sites[0].Blogs[0].Robots
	}
	const made = "from the daemon, with the text that WordPress would make"
	expect.Contains(t, robots(""), made+". If the web root has a robots.txt, set wp_config")
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '' WHERE option_name = 'permalink_structure'")
	expect.Equal(t, robots(""), "none: without permalinks, WordPress has none")
}
