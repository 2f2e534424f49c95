package formatting

import (
	"regexp"
	"strings"

	"wpsitemapd/wp/php"

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

// numericEntities writes the references XML does not know as characters, of a text for HTML;
// what is no reference there stays.
func NumericEntities(s string) string {
	return namedReference.ReplaceAllStringFunc(s, func(reference string) string {
		switch reference {
		case "&amp;", "&lt;", "&gt;", "&quot;":
			return reference
		}
		return php.HTMLEntityDecode(reference, php.UTF8)
	})
}

// namedReference is a reference of HTML by its name.
var namedReference = regexp.MustCompile(`&[A-Za-z][A-Za-z0-9]*;`)
