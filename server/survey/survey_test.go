package survey

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const head = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ` +
	`xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">`

func entry(loc string, more ...string) string {
	return "<url><loc>" + loc + "</loc>" + strings.Join(more, "") + "</url>"
}

func alternate(language, href string) string {
	return fmt.Sprintf(`<xhtml:link rel="alternate" hreflang=%q href=%q/>`, language, href)
}

// surveyed surveys files with the given bodies. The body "" stands for a file that cannot be read.
func surveyed(t *testing.T, bodies ...string) (*Report, []string) {
	t.Helper()
	files := []catalog.File{{Name: seo.IndexName}, {Name: "elsewhere", Elsewhere: true}}
	text := map[string]string{}
	for i, body := range bodies {
		f := catalog.File{Name: fmt.Sprint("part", i), Filename: fmt.Sprintf("part%d-sitemap.xml", i)}
		files, text[f.Name] = append(files, f), body
	}
	read := func(_ context.Context, f catalog.File) ([]byte, error) {
		if text[f.Name] == "" {
			return nil, errors.New("out of order")
		}
		return []byte(text[f.Name]), nil
	}
	var listed []string
	r, err := Walk(t.Context(), "https://a.test/blog", files, read, time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), func(u URL) error {
		listed = append(listed, u.Loc)
		return nil
	})
	wptest.Must(t, err)
	return r, listed
}

func TestValidSitemaps(t *testing.T) {
	r, listed := surveyed(t,
		head+entry("https://a.test/blog/x/", "<lastmod>2026-11-28</lastmod>", alternate("en", "https://a.test/blog/x/"), alternate("de", "https://a.test/blog/de/"),
			alternate("fr", "https://fr.test/x/"), alternate("x-default", "https://a.test/blog/"))+
			entry("https://a.test/blog/de/", alternate("en", "https://a.test/blog/x/"), alternate("de", "https://a.test/blog/de/"))+"</urlset>",
		head+entry("https://a.test/blog/x/", "<news:news><news:title>X</news:title></news:news>")+"</urlset>",
	)
	expect.List(t, r.Problems, []string{})
	expect.List(t, listed, []string{"https://a.test/blog/x/", "https://a.test/blog/de/"})
	expect.Equal(t, r.Text(), "No problem in 2 sitemaps with 2 URLs")
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"unreadable", "", "part0-sitemap.xml cannot be read: out of order"},
		{"no sitemap", "<html/>", "part0-sitemap.xml is not a valid sitemap, "},
		{"cut off", head + entry("https://a.test/x/"), "part0-sitemap.xml is not a valid sitemap, "},
		{"twice", head + entry("https://a.test/x/") + entry("https://a.test/x/") + "</urlset>", "https://a.test/x/ is listed twice, the second time in part0-sitemap.xml"},
		{"another scheme", head + entry("http://a.test/x/") + "</urlset>", "part0-sitemap.xml lists http://a.test/x/, which is not on https://a.test"},
		{"another host", head + entry("https://b.test/x/") + "</urlset>", "part0-sitemap.xml lists https://b.test/x/, which is not on https://a.test"},
		{"too long", head + entry("https://a.test/"+strings.Repeat("x", 2048)) + "</urlset>", "part0-sitemap.xml has a URL of 2063 characters: "},
		{"future", head + entry("https://a.test/x/", "<lastmod>2026-11-28T12:05:00Z</lastmod>") + "</urlset>", "part0-sitemap.xml: the lastmod of https://a.test/x/ is in the future"},
		{
			"not returned", head + entry("https://a.test/x/", alternate("de", "https://a.test/de/")) + entry("https://a.test/de/") + "</urlset>",
			"https://a.test/x/ names https://a.test/de/ as a translation (hreflang), which does not name it",
		},
		{
			"not listed", head + entry("https://a.test/x/", alternate("de", "https://a.test/de/")) + "</urlset>",
			"https://a.test/x/ names https://a.test/de/ as a translation (hreflang), which no sitemap lists",
		},
	} {
		r, _ := surveyed(t, tt.body)
		if len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0], tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, r.Problems, tt.want)
		}
	}
	r, _ := surveyed(t, head+strings.Repeat(entry("https://a.test/x/"), 61)+"</urlset>")
	expect.Equal(t, len(r.Problems), shownProblems)
	expect.Equal(t, r.Text(), "60 problems in 1 sitemap with 1 URL")
}

// An error of visit ends the survey.
func TestVisitEndsTheSurvey(t *testing.T) {
	enough := errors.New("enough")
	_, err := Walk(t.Context(), "https://a.test", []catalog.File{{Name: "post"}}, func(context.Context, catalog.File) ([]byte, error) {
		return []byte(head + entry("https://a.test/x/") + "</urlset>"), nil
	}, time.Now(), func(URL) error { return enough })
	expect.Equal(t, err, enough)
}
