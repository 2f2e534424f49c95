package formatting

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Charset is the encoding html_entity_decode() writes.
type Charset uint8

// The charsets WordPress' plugins decode into. A text in UTF-8 that is decoded into Latin9
// (ISO 8859-15) is none afterwards, if anything had to be decoded.
const (
	UTF8 Charset = iota
	Latin9
)

// DecodeEntities returns s as html_entity_decode( s, ENT_QUOTES, charset ) does: the
// references of HTML 4.01, &#039; among them but not &apos;, as far as the charset has the
// character. All others stay as they are.
func DecodeEntities(s string, charset Charset) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i >= 0 {
		out = append(out, s[:i]...)
		s = s[i:]
		c, n := entity(s)
		if charset == Latin9 && n > 0 {
			if c, n = latin9(c, n); n > 0 {
				out = append(out, byte(c))
			}
		} else if n > 0 {
			out = utf8.AppendRune(out, c)
		}
		if n == 0 {
			out = append(out, '&')
			n = 1
		}
		s = s[n:]
		i = strings.IndexByte(s, '&')
	}
	return string(append(out, s...))
}

// longestEntity is that of the names of HTML 4.01, and of any number worth reading.
const longestEntity = 16

// entity reads the reference s starts with; n is 0 for none.
func entity(s string) (c rune, n int) {
	body, _, ok := strings.Cut(s[1:min(len(s), longestEntity)], ";")
	if !ok || body == "" {
		return 0, 0
	}
	n = len(body) + 2
	if number, isNumber := strings.CutPrefix(body, "#"); isNumber {
		base := 10
		if number != "" && number[0]|0x20 == 'x' {
			number, base = number[1:], 16
		}
		v, err := strconv.ParseUint(number, base, 32)
		if err != nil || !html401(v) {
			return 0, 0
		}
		return rune(v), n
	}
	switch {
	case body == "apos" || !htmlEntities[body]:
		return 0, 0
	case body == "lang":
		return 0x2329, n // HTML 5 means others by these two
	case body == "rang":
		return 0x232A, n
	}
	c, _ = utf8.DecodeRuneInString(html.UnescapeString("&" + body + ";"))
	return c, n
}

// html401 tells whether a document in HTML 4.01 may hold a character.
func html401(v uint64) bool {
	return 0x20 <= v && v <= 0x7E || v == '\t' || v == '\n' || v == '\r' || 0xA0 <= v && v <= 0xD7FF || 0xE000 <= v && v <= 0x10FFFF
}

// latin9Changed are the places where ISO 8859-15 differs from ISO 8859-1.
var latin9Changed = map[rune]rune{'€': 0xA4, 'Š': 0xA6, 'š': 0xA8, 'Ž': 0xB4, 'ž': 0xB8, 'Œ': 0xBC, 'œ': 0xBD, 'Ÿ': 0xBE}

// latin9 returns the byte of a character, and n, or 0 where there is none.
func latin9(c rune, n int) (rune, int) {
	if b, ok := latin9Changed[c]; ok {
		return b, n
	}
	switch c {
	case 0xA4, 0xA6, 0xA8, 0xB4, 0xB8, 0xBC, 0xBD, 0xBE:
		return 0, 0
	}
	if c > 0xFF {
		return 0, 0
	}
	return c, n
}

// SpecialChars is _wp_specialchars: &, < and > become references, with quotes " and ' too;
// references are kept. Of a text that is not UTF-8 nothing is left, if anything is to be done.
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
	// &apos; is none of HTML 4.01, and so escaped once more.
	specialChars = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&apos;", "&amp;apos;")
	quoteChars   = strings.NewReplacer(`"`, "&quot;", "'", "&#039;")
)

// EscHTML is esc_html, for texts in UTF-8: nothing is left of others.
func EscHTML(s string) string {
	if !utf8.ValidString(s) {
		return ""
	}
	return SpecialChars(s, true)
}

// shortcodes are those that WordPress and Yoast SEO register. The ones of themes and other
// plugins no database tells.
var shortcodes = map[string]bool{
	"wp_caption": true, "caption": true, "gallery": true, "playlist": true, "audio": true, "video": true, "embed": true,
	"wpseo_breadcrumb": true,
}

// StripShortcodes is strip_shortcodes for the shortcodes that are known. Those inside of HTML
// tags stay, and one in double brackets loses its outer pair.
func StripShortcodes(s string) string {
	if strings.IndexByte(s, '[') < 0 {
		return s
	}
	text := maskTags(s)
	out := make([]byte, 0, len(s))
	closing := map[string]bool{} // false: no more of these closing tags follow
	for i := 0; i < len(s); {
		open := strings.IndexByte(text[i:], '[')
		if open < 0 {
			return string(append(out, s[i:]...))
		}
		out = append(out, s[i:i+open]...)
		i += open
		end, doubled := shortcode(text, i, closing)
		if end < 0 {
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

// shortcode returns the end of the known shortcode at text[i:], -1 for none, and whether a
// second bracket opens it. What it encloses is part of it.
func shortcode(text string, i int, closing map[string]bool) (end int, doubled bool) {
	i++
	if i < len(text) && text[i] == '[' {
		i, doubled = i+1, true
	}
	name := i
	for i < len(text) && (isAlnum(text[i]) || text[i] == '_' || text[i] == '-') {
		i++
	}
	tag := text[name:i]
	if !shortcodes[tag] {
		return -1, false
	}
	bracket := strings.IndexByte(text[i:], ']')
	if bracket < 0 {
		return -1, false
	}
	end = i + bracket + 1
	if bracket > 0 && text[end-2] == '/' || closing[tag] {
		return end, doubled
	}
	close := "[/" + tag + "]"
	if at := strings.Index(text[end:], close); at >= 0 {
		return end + at + len(close), doubled
	}
	closing[tag] = true
	return end, doubled
}

// maskTags hides the brackets inside of HTML tags, which wp_html_split ends at the first > or
// at the end of the text.
func maskTags(s string) string {
	if strings.IndexByte(s, '<') < 0 {
		return s
	}
	b := []byte(s)
	for i := 0; ; {
		open := strings.IndexByte(s[i:], '<')
		if open < 0 {
			return string(b)
		}
		i += open
		end := ">"
		switch {
		case strings.HasPrefix(s[i:], "<!--"):
			end = "-->"
		case strings.HasPrefix(s[i:], "<![CDATA["):
			end = "]]>"
		}
		length := strings.Index(s[i:], end)
		if length < 0 {
			length = len(s) - i
		}
		for j := i; j < i+length; j++ {
			if b[j] == '[' || b[j] == ']' {
				b[j] = ' '
			}
		}
		i += length
	}
}
