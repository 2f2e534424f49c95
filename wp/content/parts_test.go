package content

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestParts(t *testing.T) {
	const m = nextPage
	for _, tt := range []struct {
		name, content string
		want          []string
	}{
		{"no marker", "a\n", []string{"a\n"}},
		{"empty", "", []string{""}},
		{"marker", "a" + m + "b", []string{"a", "b"}},
		{"only the exact marker", "a<!-- nextpage --><!--NextPage--><!--nextpage -->b", []string{"a<!-- nextpage --><!--NextPage--><!--nextpage -->b"}},
		{"only the end of a marker", "a<!-- nextpage-->b", []string{"a<!-- nextpage-->b"}},
		{"line breaks next to it", "a\n" + m + "\nb", []string{"a", "b"}},
		{"line break on one side", "a\n" + m + "b" + m + "\nc", []string{"a", "b", "c"}},
		{"blank lines on both sides", "a\n\n" + m + "\n\nb", []string{"a", "b"}},
		{"blank line on one side", "a\n\n" + m + "b", []string{"a\n", "b"}},
		{"more blank lines", "a\n\n\n" + m + "\n\n\nb", []string{"a\n", "\nb"}},
		{"carriage returns stay", "a\r\n" + m + "\r\nb", []string{"a\r", "\r\nb"}},
		{"block", "a\n\n<!-- wp:nextpage -->\n" + m + "\n<!-- /wp:nextpage -->\n\nb", []string{"a\n\n", "\n\nb"}},
		{"delimiters anywhere", "a<!-- wp:nextpage -->b" + m + "c<!-- /wp:nextpage -->d", []string{"ab", "cd"}},
		{"delimiters without a marker stay", "a<!-- wp:nextpage -->", []string{"a<!-- wp:nextpage -->"}},
		{"leading marker", m + "a" + m + "b", []string{"a", "b"}},
		{"leading marker after one or two line breaks", "\n\n" + m + "\na", []string{"a"}},
		{"leading block", "<!-- wp:nextpage -->\n" + m + "\n<!-- /wp:nextpage -->\na", []string{"\na"}},
		{"not quite leading", " " + m + "a", []string{" ", "a"}},
		{"only the first leading marker", m + m + "a", []string{"", "a"}},
		{"trailing and doubled markers", "a" + m + m + "b" + m, []string{"a", "", "b", ""}},
		{"in comments, code and shortcodes", "<!-- " + m + " --><pre>" + m + "</pre>[x a='" +
			m + "']", []string{"<!-- ", " --><pre>", "</pre>[x a='", "']"}},
	} {
		got := Parts(tt.content)
		expect.List(t, got, tt.want, tt.name, "Parts", tt.content)
	}
}

func FuzzParts(f *testing.F) {
	for _, s := range []string{
		"", "a" + nextPage + "b", "\n\n" + nextPage + "\n\n" + nextPage, "<!--next<!-- wp:nextpage -->page-->" + nextPage,
		"<!-- wp:nextpage -->\n" + nextPage + "\n<!-- /wp:nextpage -->",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		parts := Parts(s)
		if len(parts) == 0 {
			t.Fatal("no parts")
		}
		if whole := strings.Join(parts, ""); len(whole) > len(s) || strings.Contains(whole, "\n") && !strings.Contains(s, "\n") {
			t.Fatalf("%q is more than %q", whole, s)
		}
		for _, p := range parts {
			if len(parts) > 1 && strings.Contains(p, nextPage) {
				t.Fatalf("marker left in %q", p)
			}
		}
	})
}
