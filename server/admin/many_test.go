package admin

import (
	"context"
	"errors"
	"strings"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/wptest/expect"
)

func TestEachURL(t *testing.T) {
	for _, tt := range []struct {
		name, list string
		want       []string
	}{
		{"lines", "https://a.test/\r\n\n  /b/, c/ \n", []string{"https://a.test/", "/b/, c/"}},
		{"one line without an end", "/a/", []string{"/a/"}},
		{"Search Console", "URL,Last crawled\nhttps://a.test/x/,2026-11-20\nhttps://a.test/y/,2026-11-21\n", []string{"https://a.test/x/", "https://a.test/y/"}},
		{"Screaming Frog", "\ufeff\"Address\",\"Content Type\"\n\"https://a.test/?a=1,2\",\"text/html\"\n", []string{"https://a.test/?a=1,2"}},
		{"a spreadsheet of a country with decimal commas", "Clicks;Page\n3;/a/\n;\n4;/b/\n", []string{"/a/", "/b/"}},
		{"copied cells", "Top pages\tClicks\n/a/\t12\n/b/\n", []string{"/a/", "/b/"}},
		{"a column alone", "url\n/a/\n", []string{"/a/"}},
		{"a quote that is not closed", "URL,Title\n/a/,it\"s\n/b/,\n", []string{"/a/", "/b/"}},
		{"a row that is too short", "Title,URL\nx\ny,/b/\n", []string{"/b/"}},
		{"nothing", "", nil},
	} {
		var got []string
		err := EachURL(strings.NewReader(tt.list), func(url string) error {
			got = append(got, url)
			return nil
		})
		expect.Equal(t, err, nil, tt.name)
		expect.List(t, got, tt.want, tt.name)
	}
	enough := errors.New("enough")
	for _, list := range []string{"/a/\n/b/\n", "URL\n/a/\n/b/\n"} {
		n := 0
		err := EachURL(strings.NewReader(list), func(string) error { n++; return enough })
		if !errors.Is(err, enough) || n != 1 {
			t.Errorf("%q: %v after %d", list, err, n)
		}
	}
}

// The row of an explanation in CSV names the page only if the URL is listed.
func TestCellsOfExplanation(t *testing.T) {
	t.Parallel()
	x := &Explained{Explanation: &explain.Explanation{
		URL: "u", In: true, Rule: "r", Because: "b", Do: "d", Object: "o", Title: "t", Address: "a", Sitemap: "s", Page: 2, LastMod: "l", Edit: "e",
		Similar: []string{"x", "y"},
	}}
	expect.Equal(t, len(ExplainedColumns), len(x.Cells()))
	expect.Equal(t, strings.Join(x.Cells(), "|"), "u|in|r|b|d|o|t|a|s|2|l|e|x y")
	x.In = false
	expect.Equal(t, strings.Join(x.Cells()[8:10], "|"), "s|")
}

// If the time is up, each URL that was not explained says so, without the words of an error.
func TestNoTimeToExplain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := new(handler)
	expect.Equal(t, h.explainVisits(ctx, Install{}, []visit{{Problem: notListed}})[0].Because, "There was no time to explain this URL.")
	expect.Equal(t, h.reasons(ctx, Install{}, []catalog.Change{{What: "went", URL: "https://a.test/"}})[0].Because, "There was no time to explain this URL.")
}
