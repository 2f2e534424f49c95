package formatting

import (
	"regexp"
	"strings"

	"wpsitemapd/wp/php"

	"golang.org/x/net/html"
)

// PlainText removes markup and surplus white space from a caption or a title, which WordPress keeps as HTML. It
// decodes references.
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

// NumericEntities decodes in an HTML text the named references that XML does not know. Text that is not a reference
// stays.
func NumericEntities(s string) string {
	return namedReference.ReplaceAllStringFunc(s, func(reference string) string {
		switch reference {
		case "&amp;", "&lt;", "&gt;", "&quot;":
			return reference
		}
		return php.HTMLEntityDecode(reference, php.UTF8)
	})
}

// namedReference matches a named reference of HTML.
var namedReference = regexp.MustCompile(`&[A-Za-z][A-Za-z0-9]*;`)
