package urlset

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// escaped holds, by character, the spelling of the ASCII characters that XML text and attributes need escaped. "" means that a
// character is not escaped.
var escaped = [utf8.RuneSelf]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\'': "&apos;", '\r': "&#13;"}

// textByte marks the bytes that are copied unchanged: ASCII from space on, tab and line feed, without the characters of escaped.
var textByte = func() (t [256]bool) {
	for c := range utf8.RuneSelf {
		t[c] = escaped[c] == "" && (c >= ' ' || c == '\t' || c == '\n')
	}
	return t
}()

// appendText appends s as XML 1.0 text that is also safe in an attribute value. &, <, >, " and ' become the five predefined
// references. Invalid UTF-8 becomes U+FFFD. Characters that XML does not allow are left out: U+FFFE, U+FFFF, and those
// below U+0020 except tab and line ends. A carriage return becomes a reference, because a parser would read it as a line feed.
func appendText(dst []byte, s string) []byte {
	return appendEscaped(dst, s, false)
}

// appendEscaped does the work of appendText. If references is set, s is already escaped for HTML: an ampersand that begins a reference
// which XML knows, too, is not escaped.
func appendEscaped(dst []byte, s string, references bool) []byte {
	start := 0 // of the text that is not yet copied
	for i := 0; i < len(s); {
		c := s[i]
		if textByte[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			i++
			if c == '&' && references && startsReference(s[i-1:]) {
				continue
			}
			dst = append(dst, s[start:i-1]...)
			dst = append(dst, escaped[c]...)
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
			start = i + size
		} else if r == 0xFFFE || r == 0xFFFF {
			dst = append(dst, s[start:i]...)
			start = i + size
		}
		i += size
	}
	return append(dst, s[start:]...)
}

// startsReference reports whether s begins with a reference that XML 1.0 knows without a DTD: one of the five names, or the
// number of a character that XML allows. A reference of more than 12 bytes, which has leading zeros, counts as none.
func startsReference(s string) bool {
	body, _, found := strings.Cut(s[1:min(len(s), 12)], ";")
	if !found {
		return false
	}
	switch body {
	case "amp", "lt", "gt", "quot", "apos":
		return true
	}
	number, isNumber := strings.CutPrefix(body, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(number, "x"); isHex {
		number, base = hex, 16
	}
	n, err := strconv.ParseUint(number, base, 32)
	return isNumber && err == nil && isChar(n)
}

// isChar reports whether XML 1.0 allows the character n (production [2] of the specification).
func isChar(n uint64) bool {
	return n == 0x9 || n == 0xA || n == 0xD || 0x20 <= n && n <= 0xD7FF ||
		0xE000 <= n && n <= 0xFFFD || 0x10000 <= n && n <= 0x10FFFF
}

// NoDate is the LastMod of an entry that has no date.
const NoDate int64 = -1 << 63

// ZeroDate is the LastMod that Yoast SEO prints for MySQL's zero date: the time that PHP makes of that date.
const ZeroDate int64 = -62169984000

// The first and the last second that can be written as a date. XML Schema has no year 0, and the year has four digits.
const (
	minDate = -62135596800 // 0001-01-01T00:00:00Z
	maxDate = 253402300799 // 9999-12-31T23:59:59Z
)

// hasDate reports whether sec, in Unix seconds, can be written as a date.
func hasDate(sec int64) bool { return minDate <= sec && sec <= maxDate }

// AppendDate appends sec (Unix seconds) as a W3C date and time in UTC, like Yoast SEO with the offset +00:00:
// 2024-05-06T07:08:09+00:00. For NoDate and all seconds outside the years 1 to 9999 it appends nothing.
func AppendDate(dst []byte, sec int64) []byte { return appendDateIn(dst, sec, time.UTC) }

// appendDateIn is AppendDate in a time zone, with the offset that the zone had at that time. If the year there is outside 1 to
// 9999, the date is written in UTC.
func appendDateIn(dst []byte, sec int64, zone *time.Location) []byte {
	if !hasDate(sec) {
		return dst
	}
	t := time.Unix(sec, 0).In(zone)
	_, offset := t.Zone()
	t = t.Add(-time.Duration(offset%60) * time.Second) // offsets of local mean time have seconds, which a date cannot show
	if year := t.Year(); year < 1 || year > 9999 {
		t = time.Unix(sec, 0).UTC()
	}
	dst = t.AppendFormat(dst, time.RFC3339)
	if last := len(dst) - 1; dst[last] == 'Z' {
		dst = append(dst[:last], "+00:00"...)
	}
	return dst
}
