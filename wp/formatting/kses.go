package formatting

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// allowedProtocols holds the schemes of wp_allowed_protocols, without the schemes that plugins add by its filter.
var allowedProtocols = map[string]bool{
	"http": true, "https": true, "ftp": true, "ftps": true, "mailto": true, "news": true,
	"irc": true, "irc6": true, "ircs": true, "gopher": true, "nntp": true, "feed": true,
	"telnet": true, "mms": true, "rtsp": true, "sms": true, "svn": true, "tel": true,
	"fax": true, "xmpp": true, "webcal": true, "urn": true,
}

// namedEntity reports whether WordPress keeps a named reference. It keeps the references of HTML 4.01 and &apos;.
func namedEntity(name string) bool {
	_, ok := php.HTML4Entity(name)
	return ok || name == "apos"
}

// ampersand matches an ampersand, with the reference that it may begin.
var ampersand = regexp.MustCompile(`&(?:#0*([0-9]{1,7});|#[xX]0*([0-9a-fA-F]{1,6});|([A-Za-z0-9]+);)?`)

// normalizeEntities follows wp_kses_normalize_entities. An ampersand that does not begin a known reference becomes
// &amp;. Numeric references get WordPress' spelling: at least three decimal digits, a small x, no leading zero.
func normalizeEntities(s string) string {
	return ampersand.ReplaceAllStringFunc(s, func(reference string) string {
		m := ampersand.FindStringSubmatch(reference)
		decimal, hex, name := m[1], m[2], m[3]
		if n, err := strconv.Atoi(decimal); err == nil && validUnicode(n) {
			return fmt.Sprintf("&#%03d;", n)
		}
		if n, err := strconv.ParseInt(hex, 16, 32); err == nil && validUnicode(int(n)) {
			return "&#x" + hex + ";"
		}
		if namedEntity(name) {
			return reference
		}
		return "&amp;" + reference[1:]
	})
}

// validUnicode reports whether n is a character of XML 1.0, as valid_unicode does.
func validUnicode(n int) bool {
	return n == 0x9 || n == 0xA || n == 0xD || 0x20 <= n && n <= 0xD7FF ||
		0xE000 <= n && n <= 0xFFFD || 0x10000 <= n && n <= 0x10FFFF
}

// allowedURL returns url with its scheme in lower case, or "" if the scheme is not allowed. wp_kses_bad_protocol
// removes such a scheme, and esc_url then refuses the rest. A URL whose colon is a reference has no allowed
// scheme.
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
