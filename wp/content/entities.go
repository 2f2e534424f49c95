package content

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"wpsitemapd/wp/php"
)

// unescape decodes the references of an attribute value. A named one needs its semicolon, a numeric one does not.
// The number of an invalid XML character ends the value: libxml2 writes a zero byte, and C strings end there.
func unescape(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i:]
		r, n := reference(s)
		switch {
		case r == 0:
			return b.String()
		case r > 0:
			b.WriteRune(r)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
		i = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String()
}

// reference reads what follows the ampersand s starts with. It returns the character and the bytes consumed. The
// character is 0 for an impossible number and negative when the bytes are to be taken as they are.
func reference(s string) (r rune, n int) {
	if len(s) > 1 && s[1] == '#' {
		return charRef(s)
	}
	n = 1 + entityName(s[1:])
	if n < len(s) && s[n] == ';' {
		if r, ok := php.HTML4Entity(s[1:n]); ok {
			return r, n + 1
		}
		if s[1:n] == "apos" { // libxml2 knows it, too
			return '\'', n + 1
		}
	}
	return -1, n
}

func charRef(s string) (r rune, n int) {
	radix := rune(10)
	n = 2
	if len(s) > 2 && s[2]|0x20 == 'x' {
		radix, n = 16, 3
	}
	for ; n < len(s); n++ {
		var digit rune
		switch c := s[n]; {
		case isDigit(c):
			digit = rune(c - '0')
		case radix == 16 && 'a' <= c|0x20 && c|0x20 <= 'f':
			digit = rune(c|0x20-'a') + 10
		default:
			digit = -1
		}
		if digit < 0 {
			break
		}
		if r <= unicode.MaxRune {
			r = r*radix + digit
		}
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	if !isChar(r) {
		return 0, n
	}
	return r, n
}

// isChar reports whether r is a character of XML 1.0.
func isChar(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n' || r == '\r'
	case r < 0xD800:
		return true
	default:
		return 0xE000 <= r && r <= 0xFFFD || 0x10000 <= r && r <= unicode.MaxRune
	}
}

// entityName is the length of the ASCII name s starts with.
func entityName(s string) int {
	if s == "" || !isLetter(s[0]) && s[0] != '_' && s[0] != ':' {
		return 0
	}
	n := 1
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	return n
}

// startsWithLetter reports whether s starts with a letter outside of ASCII.
func startsWithLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= utf8.RuneSelf && r != utf8.RuneError && unicode.IsLetter(r)
}
