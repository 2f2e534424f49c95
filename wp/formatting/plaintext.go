package formatting

import (
	"strings"

	"golang.org/x/net/html"
)

// PlainText takes markup, references and surplus white space out of a caption or a title,
// which WordPress keeps as HTML.
func PlainText(s string) string {
	if !strings.ContainsAny(s, "<&\n") {
		return strings.TrimSpace(s)
	}
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case html.TextToken:
			b.WriteString(z.Token().Data)
		case html.ErrorToken: // the end
			return strings.Join(strings.Fields(b.String()), " ")
		}
	}
}
