package formatting

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// SpecialChars follows _wp_specialchars: it replaces &, < and > with references, and also " and ' if quotes is
// set. It keeps existing references. If something must be replaced and s is not UTF-8, SpecialChars returns "".
func SpecialChars(s string, quotes bool) string {
	if !strings.ContainsAny(s, `&<>"'`) {
		return s
	}
	s = normalizeEntities(s)
	if !utf8.ValidString(s) {
		return ""
	}
	s = specialChars.Replace(s)
	if quotes {
		s = quoteChars.Replace(s)
	}
	return s
}

var (
	// &apos; is not in HTML 4.01, so WordPress escapes it once more.
	specialChars = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&apos;", "&amp;apos;")
	quoteChars   = strings.NewReplacer(`"`, "&quot;", "'", "&#039;")
)

// EscHTML follows esc_html. It returns "" for a text that is not UTF-8.
func EscHTML(s string) string {
	if !utf8.ValidString(s) {
		return ""
	}
	return SpecialChars(s, true)
}

// shortcodes holds the shortcodes that WordPress and Yoast SEO register. The database does not tell which shortcodes
// themes and other plugins register.
var shortcodes = map[string]bool{
	"wp_caption": true, "caption": true, "gallery": true, "playlist": true, "audio": true, "video": true, "embed": true,
	"wpseo_breadcrumb": true,
}

// StripShortcodes removes the known shortcodes, as strip_shortcodes does. Shortcodes inside HTML tags stay. A shortcode
// in double brackets loses only its outer brackets.
func StripShortcodes(s string) string {
	if strings.IndexByte(s, '[') < 0 {
		return s
	}
	text := maskTags(s)
	out := make([]byte, 0, len(s))
	closing := map[string]bool{} // true: no more closing tags of this name follow
	for i := 0; i < len(s); {
		open := strings.IndexByte(text[i:], '[')
		if open < 0 {
			return string(append(out, s[i:]...))
		}
		out = append(out, s[i:i+open]...)
		i += open
		end, doubled := shortcode(text, i, closing)
		if end == 0 {
			out = append(out, '[')
			i++
			continue
		}
		last := end < len(text) && text[end] == ']'
		switch {
		case doubled && last:
			out = append(out, s[i+1:end]...)
		case doubled:
			out = append(out, '[')
		case last:
			out = append(out, ']')
		}
		if last {
			end++
		}
		i = end
	}
	return string(out)
}

// shortcode returns the end of the known shortcode at text[i:]. The end is behind the closing tag if the shortcode has
// one. shortcode returns 0 if there is no known shortcode. doubled reports whether a second bracket opens the
// shortcode. closing holds the names that have no closing tag in the rest of the text.
func shortcode(text string, i int, closing map[string]bool) (end int, doubled bool) {
	i++
	if i < len(text) && text[i] == '[' {
		i, doubled = i+1, true
	}
	name := i
	for i < len(text) && (is(text[i], hostByte) || text[i] == '_') {
		i++
	}
	tag := text[name:i]
	if !shortcodes[tag] {
		return 0, false
	}
	bracket := strings.IndexByte(text[i:], ']')
	if bracket < 0 {
		return 0, false
	}
	end = i + bracket + 1
	if text[end-2] == '/' || closing[tag] {
		return end, doubled
	}
	close := "[/" + tag + "]"
	if at := strings.Index(text[end:], close); at >= 0 {
		return end + at + len(close), doubled
	}
	closing[tag] = true
	return end, doubled
}

// tagForm matches HTML tags and comments. As in wp_html_split, a tag or a comment without an end takes the rest of the
// text.
var tagForm = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<[^>]*`)

var noBrackets = strings.NewReplacer("[", " ", "]", " ")

// maskTags replaces the brackets inside HTML tags with spaces.
func maskTags(s string) string { return tagForm.ReplaceAllStringFunc(s, noBrackets.Replace) }
