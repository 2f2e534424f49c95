package urlset

import (
	"html"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/weburl"
)

// MaxLoc is the first length that is too long for a loc (sitemaps.org: "fewer than 2,048 characters"). The characters of the
// URL count, not the characters of its XML spelling.
const MaxLoc = 2048

// Encoding is how a URL becomes the text of a loc.
type Encoding uint8

const (
	// Strict writes a valid URL of RFC 3986 or nothing. It writes what Plugin writes, with these differences: the host is in
	// punycode, fragment and user information are dropped, and all characters that the RFC does not allow are percent-encoded. It
	// refuses a URL without http or https or without a valid host, and one of MaxLoc or more characters. Level spec uses it.
	Strict Encoding = iota
	// Plugin writes what Yoast SEO writes into a loc. It refuses a URL for which WordPress' esc_url returns "", and a URL of
	// MaxLoc or more characters. Level plugin uses it for Yoast SEO and Rank Math.
	Plugin
	// Core writes what WordPress writes into its own sitemaps: the result of esc_url. It refuses what Plugin refuses.
	Core
	// Verbatim writes the URL without encoding it, even if it has spaces or characters beyond ASCII. It refuses an empty URL and
	// one of MaxLoc or more characters.
	Verbatim
)

// AppendLoc appends url, encoded and escaped as XML text. If the encoding refuses the URL, it returns dst and false. A URL that
// needs no encoding costs no allocation.
func (e Encoding) AppendLoc(dst []byte, url string) ([]byte, bool) {
	if formatting.Plain(url) {
		if len(url) >= MaxLoc {
			return dst, false
		}
		return append(dst, url...), true
	}
	switch e {
	case Plugin:
		return appendDisplayed(dst, formatting.EncodeRFC3986(url))
	case Core:
		return appendDisplayed(dst, url)
	case Verbatim:
		if url == "" || utf8.RuneCountInString(url) >= MaxLoc {
			return dst, false
		}
		return appendText(dst, url), true
	}
	return appendStrict(dst, url)
}

// AppendPlain appends the encoded URL without the escaping for XML: what a parser reads from the text of AppendLoc. It returns
// dst and false if AppendLoc refuses the URL, or if the URL has a line end.
func (e Encoding) AppendPlain(dst []byte, url string) ([]byte, bool) {
	if formatting.Plain(url) {
		return e.AppendLoc(dst, url)
	}
	loc, ok := e.AppendLoc(nil, url)
	plain := html.UnescapeString(string(loc)) // appendEscaped left no ampersand that begins no reference
	if !ok || strings.ContainsAny(plain, "\r\n") {
		return dst, false
	}
	return append(dst, plain...), true
}

// pluginReferences replaces the two references of esc_url's result that Yoast SEO spells differently.
var pluginReferences = strings.NewReplacer("&#038;", "&amp;", "&#039;", "&apos;")

// appendDisplayed appends the result of WordPress' esc_url, as XML text.
func appendDisplayed(dst []byte, url string) ([]byte, bool) {
	if utf8.RuneCountInString(url) >= MaxLoc {
		return dst, false
	}
	if url = formatting.DisplayURL(url); url == "" {
		return dst, false
	}
	if strings.HasPrefix(url, "//") {
		dst = append(dst, "http:"...)
	}
	return appendEscaped(dst, pluginReferences.Replace(url), true), true
}

// ampersands undoes the HTML escaping that URLs in content may have. The encoding Plugin keeps this escaping.
var ampersands = strings.NewReplacer("&amp;", "&", "&#38;", "&", "&#038;", "&")

// appendStrict appends url in the encoding Strict. A URL that PHP's filter_var takes for valid keeps its escapes. In any other
// URL, path and query are decoded and encoded again. appendStrict returns false if the URL cannot be listed.
func appendStrict(dst []byte, url string) ([]byte, bool) {
	url = ampersands.Replace(strings.Trim(url, " \t\n\r\x00\v"))
	scheme, rest, ok := cutScheme(url)
	if !ok {
		return dst, false
	}
	valid := php.ValidURL(url)
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	host, ok := authority(rest[:end])
	if !ok {
		return dst, false
	}
	path, query, hasQuery := strings.Cut(rest[end:], "?")
	if !valid {
		path, query = formatting.EncodePath(path), php.RebuildQuery(query, "&")
	}

	out := make([]byte, 0, len(url)+32)
	out = append(out, scheme...)
	out = append(out, host...)
	out = appendComponent(out, path)
	if hasQuery {
		out = append(out, '?')
		out = appendComponent(out, query)
	}
	if len(out) >= MaxLoc {
		return dst, false
	}
	return appendText(dst, string(out)), true
}

// cutScheme splits a URL after "//" and writes the scheme in lower case. Like Yoast SEO, it takes a URL without a scheme for
// http.
func cutScheme(url string) (scheme, rest string, ok bool) {
	slashes := strings.Index(url, "//")
	if slashes < 0 {
		return "", "", false
	}
	rest = url[slashes+2:]
	switch strings.ToLower(url[:slashes]) {
	case "", "http:":
		return "http://", rest, true
	case "https:":
		return "https://", rest, true
	}
	return "", "", false
}

// authority returns host and port of s without user information. The host is in ASCII. It returns false for an invalid host or
// port.
func authority(s string) (string, bool) {
	s = s[strings.LastIndexByte(s, '@')+1:]
	host, port := s, ""
	if colon := strings.LastIndexByte(s, ':'); colon >= 0 && !strings.HasSuffix(s, "]") {
		host, port = s[:colon], s[colon+1:]
	}
	if port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", false
		}
		port = ":" + port
	}
	if inner, found := strings.CutPrefix(host, "["); found {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return host + port, closed && err == nil && addr.Is6() && addr.Zone() == ""
	}
	if !hostName(host) {
		ascii, err := weburl.ASCII(host)
		if err != nil || !hostName(ascii) || !utf8.ValidString(host) {
			return "", false
		}
		host = ascii
	}
	return host + port, true
}

// hostName reports whether s is a name of ASCII letters, digits, '-', '.' and '_'.
func hostName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(isAlnum(c) || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return s != "" && s[0] != '.'
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// appendComponent appends a path or a query. It keeps escapes and the characters that RFC 3986 allows there and percent-encodes
// everything else, also a percent sign that begins no escape.
func appendComponent(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		c := s[i]
		if isAlnum(c) || strings.IndexByte("-._~!$&'()*+,;=:@/?", c) >= 0 ||
			c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '%', hex[c>>4], hex[c&15])
	}
	return dst
}
