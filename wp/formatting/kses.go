package formatting

import (
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// allowedProtocols is wp_allowed_protocols without its filter.
var allowedProtocols = map[string]bool{
	"http": true, "https": true, "ftp": true, "ftps": true, "mailto": true, "news": true,
	"irc": true, "irc6": true, "ircs": true, "gopher": true, "nntp": true, "feed": true,
	"telnet": true, "mms": true, "rtsp": true, "sms": true, "svn": true, "tel": true,
	"fax": true, "xmpp": true, "webcal": true, "urn": true,
}

// namedEntity reports whether WordPress keeps a named reference: those of HTML 4.01 and apos.
func namedEntity(name string) bool {
	_, ok := php.HTML4Entity(name)
	return ok || name == "apos"
}

// normalizeEntities is wp_kses_normalize_entities: an ampersand that does not begin a known
// reference becomes &amp;, and numeric references get WordPress' canonical spelling (at
// least three decimal digits, a small x, no leading zero).
func normalizeEntities(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for i >= 0 {
		out = append(out, s[:i]...)
		s = s[i:]
		var n int
		out, n = appendReference(out, s)
		s = s[n:]
		i = strings.IndexByte(s, '&')
	}
	return string(append(out, s...))
}

// appendReference writes the reference s begins with, or &amp; when there is none, and
// returns how much of s it stands for.
func appendReference(out []byte, s string) ([]byte, int) {
	semicolon := strings.IndexByte(s[:min(len(s), maxReference)], ';')
	if semicolon == -1 {
		return append(out, "&amp;"...), 1
	}
	whole, body := s[:semicolon+1], s[1:semicolon]
	switch {
	case isNumeric(body, 1, isDigit, 7):
		digits := strings.TrimLeft(body[1:], "0")
		if n, _ := strconv.Atoi(digits); validUnicode(n) {
			out = append(out, "&#"...)
			for range 3 - len(digits) {
				out = append(out, '0')
			}
			out = append(out, digits...)
			return append(out, ';'), len(whole)
		}
	case isNumeric(body, 2, isHex, 6):
		digits := strings.TrimLeft(body[2:], "0")
		if n, _ := strconv.ParseInt(digits, 16, 32); validUnicode(int(n)) {
			out = append(out, "&#x"...)
			out = append(out, digits...)
			return append(out, ';'), len(whole)
		}
	case namedEntity(body):
		return append(out, whole...), len(whole)
	}
	return append(out, "&amp;"...), 1
}

// maxReference bounds the search for the semicolon, so that a run of ampersands costs
// linear time. Only a number with some sixty leading zeros, which WordPress would still
// take for a reference, is lost to it.
const maxReference = 64

// isNumeric reports whether body is # (or #x, when intro is 2), zeros, and one to max digits.
func isNumeric(body string, intro int, digit func(byte) bool, max int) bool {
	if len(body) <= intro || body[0] != '#' || intro == 2 && body[1]|0x20 != 'x' {
		return false
	}
	body = body[intro:]
	for i := range len(body) {
		if !digit(body[i]) {
			return false
		}
	}
	n := len(strings.TrimLeft(body, "0"))
	return 0 < n && n <= max
}

func isHex(c byte) bool { return is(c, hexDigit) }

// validUnicode is valid_unicode: the characters of XML 1.0.
func validUnicode(n int) bool {
	return n == 0x9 || n == 0xA || n == 0xD || 0x20 <= n && n <= 0xD7FF ||
		0xE000 <= n && n <= 0xFFFD || 0x10000 <= n && n <= 0x10FFFF
}

// allowedURL returns url with its scheme in lower case, or "" where that is not allowed (wp_kses_bad_protocol, which takes
// such a scheme off, so that esc_url refuses the rest). What spells its colon as a reference has no scheme that is allowed.
func allowedURL(url string) string {
	scheme, rest, found := strings.Cut(url, ":")
	if !found || strings.Contains(scheme, "/?") {
		return url
	}
	scheme = strings.ToLower(scheme)
	if !allowedProtocols[scheme] || scheme == "feed" && rest != "" && allowedURL(rest) == "" {
		return ""
	}
	return scheme + ":" + rest
}
