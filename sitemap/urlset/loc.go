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

// MaxLoc is the length in characters that a loc must stay below (sitemaps.org: "fewer than
// 2,048 characters"), counted in the URL, not in its XML spelling.
const MaxLoc = 2048

// Encoding is how a URL becomes the text of a loc.
type Encoding uint8

const (
	// Strict writes valid RFC 3986 or nothing: what Plugin writes, but hosts in punycode,
	// without fragment and user information, and with everything else the RFC does not take
	// percent-encoded. It refuses a URL without http or https, without a proper host, or of
	// MaxLoc characters and more. Level spec.
	Strict Encoding = iota
	// Plugin writes what Yoast SEO writes (yoast-sitemaps.md, section 11, "URL encoding"),
	// except where that would be no valid file: it refuses a URL of which esc_url leaves
	// nothing, or MaxLoc characters and more. Level plugin.
	Plugin
	// Core writes what WordPress writes into its own sitemaps, esc_url's result, and refuses
	// what Plugin refuses.
	Core
	// Verbatim writes the URL as it is, decoded or with spaces in it, and refuses an empty one, or MaxLoc characters and
	// more.
	Verbatim
)

// AppendLoc appends url, encoded and escaped as XML text. It is false, and nothing is
// appended, when the encoding refuses the URL. An ordinary URL costs no allocation.
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
		return AppendText(dst, url), true
	}
	return appendStrict(dst, url)
}

// AppendPlain appends url as AppendLoc does, without XML's escaping: what a reader of the
// XML gets to see. It refuses line ends, too.
func (e Encoding) AppendPlain(dst []byte, url string) ([]byte, bool) {
	if formatting.Plain(url) {
		return e.AppendLoc(dst, url)
	}
	loc, ok := e.AppendLoc(nil, url)
	plain := html.UnescapeString(string(loc)) // all its ampersands begin references, see appendEscaped
	if !ok || strings.ContainsAny(plain, "\r\n") {
		return dst, false
	}
	return append(dst, plain...), true
}

// pluginReferences are the two spellings Yoast changes in what esc_url returns.
var pluginReferences = strings.NewReplacer("&#038;", "&amp;", "&#039;", "&apos;")

// appendDisplayed appends what esc_url returns.
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

// ampersands undoes the HTML escaping that URLs from content may have kept. Plugin gets the
// same by not escaping a second time.
var ampersands = strings.NewReplacer("&amp;", "&", "&#38;", "&", "&#038;", "&")

// appendStrict follows the plugin's decision, not its text replacement: a URL that PHP finds
// valid keeps its escapes, any other has path and query encoded anew.
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
	return AppendText(dst, string(out)), true
}

// cutScheme splits behind the slashes. As in the plugin a URL relative to the scheme is http.
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

// authority returns host and port of s, without user information.
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

// hostName reports whether s is a name of letters, digits, '-', '.' and '_'. Mapping can
// turn characters beyond ASCII into others that no host has, so its result is asked too.
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

// appendComponent appends a path or a query. Escapes and the characters RFC 3986 takes there
// stay, the rest is percent-encoded, also a percent sign that begins no escape.
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
