package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/server/admin"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// An explanation for people has a line for each thing that is known, and none for what is not.
func TestPrintedExplanation(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]admin.Explained{
		`https://a.test/one/
  is       post 7, "A title"
  own URL  https://a.test/two/
  in       post, page 2: https://a.test/post-sitemap2.xml
  and in   news, page 1: https://a.test/news-sitemap.xml
  and in   image, page 3: https://a.test/image-sitemap3.xml
  lastmod  2026-01-02
  rule     listed. It is public.
  do       Nothing.
  evidence wp_posts.post_status: "publish" (post 7)
           wp_options.home: "x"
  note     It is long.
           It is old.
  similar  Did you mean /b/ or /c/?
  edit     https://a.test/edit
  site     a, https://a.test
`: {Site: "a", Home: "https://a.test", Explanation: &explain.Explanation{
			URL: "https://a.test/one/", In: true, Object: "post 7", Title: "A title", Address: "https://a.test/two/", Sitemap: "post", Page: 2,
			File: "https://a.test/post-sitemap2.xml", LastMod: "2026-01-02", Rule: "listed", Because: "It is public.", Do: "Nothing.", Edit: "https://a.test/edit",
			Places: []explain.Place{
				{Sitemap: "post", Page: 2}, {Sitemap: "news", Page: 1, File: "https://a.test/news-sitemap.xml"}, {Sitemap: "image", Page: 3, File: "https://a.test/image-sitemap3.xml"},
			},
			Evidence: []seo.Evidence{{Source: "wp_posts.post_status", Value: `"publish"`, Of: "post 7"}, {Source: "wp_options.home", Value: `"x"`}},
			Notes:    []string{"It is long.", "It is old."}, Similar: []string{"/b/", "/c/"},
		}},
		"/x/\n  is       no page or post here\n  out      of the sitemaps\n  rule     nothing. Nothing is there.\n  site     a\n": {
			Site: "a", Explanation: &explain.Explanation{URL: "/x/", Rule: "nothing", Because: "Nothing is there."},
		},
		"/x/\n  is       not known\n  unknown  whether it is in the sitemaps\n  rule     unknown. Only cached pages are served.\n  site     a\n": {
			Site: "a", Explanation: &explain.Explanation{URL: "/x/", Unknown: true, Rule: "unknown", Because: "Only cached pages are served."},
		},
		"/x/\n  is       not known\n  in       post, page 1: /f.xml\n  rule     listed. It is.\n  site     a\n": {
			Site: "a", Explanation: &explain.Explanation{URL: "/x/", Address: "/x/", In: true, Sitemap: "post", Page: 1, File: "/f.xml", Rule: "listed", Because: "It is.",
				Places: []explain.Place{{Sitemap: "post", Page: 1}}},
		},
	} {
		var b bytes.Buffer
		printExplanation(&b, &x)
		expect.Equal(t, b.String(), want)
	}
}

// Several explanations stand apart. The one that the daemon gave says so.
func TestExplanationsStandApart(t *testing.T) {
	config := demoConfig(t)
	text := printed(t, "explain", "--config", config, "/a/", "/b/")
	expect.Equal(t, strings.Count(text, "\n\n"), 1, text)
	expect.Equal(t, strings.HasPrefix(text, "/a/\n") && strings.Contains(text, "\n\n/b/\n") && !strings.HasSuffix(text, "\n\n"), true, text)
	expect.Equal(t, strings.Contains(text, "asked"), false, "no daemon runs")
}

// The files of several sites are below a folder for each. Two sitemaps never share a file.
func TestExportOfSeveralSites(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	config := writeConfig(t, fmt.Sprintf("[[site]]\nname = \"a\"\ndsn = %q\n[[site]]\nname = \"b\"\ndsn = %q\nsitemaps = \"off\"\n[[site]]\nname = \"c\"\ndsn = \"sqlite:/nowhere/x\"\n", dsn, dsn))
	out := t.TempDir()
	code, stdout, stderr := runCommand(t, "export", "--config", config, "--out", out)
	expect.Equal(t, code, trouble)
	expect.Contains(t, stderr, "site c: ")
	if form := regexp.MustCompile(`(?m)^a: \d+ sitemaps with \d+ URLs?, [0-9.]+ K?B, in .+, below ` + regexp.QuoteMeta(filepath.Join(out, "a")) + `$`); !form.MatchString(stdout) {
		t.Errorf("printed %s", stdout)
	}
	expect.Contains(t, stdout, "b: https://small.test has no sitemaps to write: ")
	expect.Equal(t, strings.Contains(stdout, "b: 0 sitemaps"), false, "it would look like a failure")
	_, err := os.Stat(filepath.Join(out, "a", "sitemap_index.xml"))
	wptest.Must(t, err)
	code, _, stderr = runCommand(t, "export", "--config", config, "--out", out, "--blog", "/x")
	expect.Equal(t, code, misuse)
	expect.Contains(t, stderr, "--blog needs --site NAME")
	code, _, stderr = runCommand(t, "export", "--config", config)
	expect.Equal(t, code, misuse)
	expect.Contains(t, stderr, "give --out DIR")
	one := t.TempDir()
	printed(t, "export", "--config", config, "--out", one, "--site", "a")
	_, err = os.Stat(filepath.Join(one, "sitemap_index.xml"))
	expect.Equal(t, err, nil, "one site needs no folder")

	e := &exporter{paths: map[string]string{}}
	path, err := e.place(catalog.File{URL: "https://a.test/post-sitemap.xml"}, false)
	expect.Equal(t, path, "post-sitemap.xml", err)
	_, err = e.place(catalog.File{URL: "https://b.test/post-sitemap.xml"}, false)
	expect.Equal(t, err != nil && strings.Contains(err.Error(), "https://a.test/post-sitemap.xml and https://b.test/post-sitemap.xml would both be written to post-sitemap.xml"), true, err)
	_, err = e.place(catalog.File{URL: "https://b.test/post-sitemap.xml"}, true)
	expect.Equal(t, err, nil)
}

// The number of pages to fetch and the number of requests a second have bounds.
func TestNumbersOfFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"check --fetch -1": "must be a number from 0 to", "check --fetch x": "must be a number from 0 to", "check --fetch 1.5": "must be a number from 0 to",
		fmt.Sprint("check --fetch ", maxFetch+1): "must be a number from 0 to", "diff --rate 0": "must be", "diff --rate 1001": "must be", "diff --rate x": "must be",
		"check --syntax --fetch 1": "leave out --fetch", "check --syntax --rate 3 --verbose --site a": "leave out --site, --rate, --verbose",
		"check --syntax --public --as-of 2026-01-02T00:00:00Z": "leave out --public, --as-of",
	} {
		code, _, stderr := runCommand(t, strings.Fields(args)...)
		expect.Equal(t, code, misuse, args)
		expect.Contains(t, stderr, want, args)
	}
	config := demoConfig(t)
	for _, args := range []string{"--fetch 0", fmt.Sprint("--fetch ", maxFetch, " --site none"), "--rate 0.01", "--rate 1000"} {
		_, _, stderr := runCommand(t, append([]string{"check", "--config", config}, strings.Fields(args)...)...)
		expect.Equal(t, strings.Contains(stderr, "must be"), false, args)
	}
}
