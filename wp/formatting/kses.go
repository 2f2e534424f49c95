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
	if semicolon < 0 {
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

// badProtocol is wp_kses_bad_protocol with the default protocols: it takes schemes that are
// not allowed off the front of url, and gives up on nested ones. url has passed esc_url's
// byte list, so the control bytes and back-slashes WordPress looks for are gone already.
func badProtocol(url string) string {
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return url
	}
	for range 6 {
		next := badProtocolOnce(url, 1)
		if next == url {
			return url
		}
		url = next
	}
	return ""
}

func badProtocolOnce(s string, count int) string {
	s = closeColonReferences(s)
	scheme, rest, found := cutColon(s)
	if !found || strings.Contains(scheme, "/?") {
		return s
	}
	scheme = allowedScheme(scheme)
	if scheme == "feed:" {
		if count > 2 {
			return ""
		}
		rest = badProtocolOnce(rest, count+1)
		if rest == "" || rest == "0" {
			return rest
		}
	}
	return scheme + rest
}

// closeColonReferences gives a numeric reference to the colon the semicolon it lacks.
func closeColonReferences(s string) string {
	if !strings.Contains(s, "&#") {
		return s
	}
	out := make([]byte, 0, len(s)+1)
	for s != "" {
		n, hex := colonReference(s)
		if n == 0 {
			n = 1
			out = append(out, s[0])
			s = s[n:]
			continue
		}
		out = append(out, s[:n]...)
		s = s[n:]
		if s == "" || s[0] != ';' && !isDigit(s[0]) && !(hex && 'a' <= lower(s[0]) && lower(s[0]) <= 'f') {
			out = append(out, ';')
		}
	}
	return string(out)
}

// colonReference returns the length of &#58 or &#x3a (any zeros, any case, no semicolon) at
// the start of s, or 0.
func colonReference(s string) (n int, hex bool) {
	if !strings.HasPrefix(s, "&#") {
		return 0, false
	}
	n = 2
	if n < len(s) && lower(s[n]) == 'x' {
		hex = true
		n++
	}
	for n < len(s) && s[n] == '0' {
		n++
	}
	digits := "58"
	if hex {
		digits = "3a"
	}
	if !hasPrefixFold(s[n:], digits) {
		return 0, false
	}
	return n + len(digits), hex
}

// cutColon splits at the first colon, spelled plainly or as a reference.
func cutColon(s string) (before, after string, found bool) {
	for i := range len(s) {
		switch s[i] {
		case ':':
			return s[:i], s[i+1:], true
		case '&':
			if hasPrefixFold(s[i:], "&colon;") {
				return s[:i], s[i+len("&colon;"):], true
			}
			if n, _ := colonReference(s[i:]); n > 0 && i+n < len(s) && s[i+n] == ';' {
				return s[:i], s[i+n+1:], true
			}
		}
	}
	return s, "", false
}

// allowedScheme returns the scheme in lower case with its colon, or "" when it is not allowed.
func allowedScheme(scheme string) string {
	scheme = decodeNumeric(scheme)
	out := make([]byte, 0, len(scheme)+1)
	for i := range len(scheme) {
		// Decoding may have brought white space and control bytes back.
		if c := scheme[i]; c > ' ' {
			out = append(out, lower(c))
		}
	}
	if !allowedProtocols[string(out)] {
		return ""
	}
	return string(append(out, ':'))
}

// decodeNumeric is wp_kses_decode_entities, which makes a byte of each numeric reference.
func decodeNumeric(s string) string {
	if !strings.Contains(s, "&#") {
		return s
	}
	for _, base := range [...]int{10, 16} {
		var out []byte
		for s != "" {
			n, c := numericByte(s, base)
			if n == 0 {
				n, c = 1, s[0]
			}
			out = append(out, c)
			s = s[n:]
		}
		s = string(out)
	}
	return s
}

func numericByte(s string, base int) (n int, c byte) {
	intro, digit := 2, isDigit
	if base == 16 {
		intro, digit = 3, isHex
	}
	if len(s) <= intro || s[:2] != "&#" || base == 16 && lower(s[2]) != 'x' {
		return 0, 0
	}
	end := intro
	for end < len(s) && digit(s[end]) {
		end++
	}
	if end == intro || end == len(s) || s[end] != ';' {
		return 0, 0
	}
	v, _ := strconv.ParseInt(s[intro:end], base, 64)
	return end + 1, byte(v)
}
