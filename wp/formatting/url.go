// Package formatting restates WordPress' and Yoast's rules for URLs in output: which bytes
// may be in one, what is escaped for display, and how a URL that PHP calls invalid is
// encoded again. It is pure: no database, no options, no filters.
//
// URLs are byte strings and need not be valid UTF-8; nothing here decodes characters. The
// work is linear in the length of the URL.
package formatting

import (
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// The classes of bytes the rules speak of.
const (
	escAllowed = 1 << iota // esc_url keeps it
	plainByte              // behind the host, no rule here and nothing in XML touches it
	hostByte               // letter, digit or hyphen
	hexDigit
)

var class = func() (t [256]uint8) {
	set := func(chars string, bits uint8) {
		for i := range len(chars) {
			t[chars[i]] |= bits
		}
	}
	set("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
		escAllowed|plainByte|hostByte)
	set("-~+_.?#=!&;,/:%@$|*'()[]", escAllowed)
	set("-~+_.?=!,/:%@$*()", plainByte)
	set("-", hostByte)
	set("0123456789abcdefABCDEF", hexDigit)
	for c := 0x80; c < 0x100; c++ {
		t[c] = escAllowed
	}
	return t
}()

func is(c byte, bits uint8) bool { return class[c]&bits != 0 }

func isAlnum(c byte) bool { return c != '-' && class[c]&hostByte != 0 }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Plain reports whether url is an http or https URL that every rule of this package, and
// XML, leaves as it is: an ordinary ASCII host name without user or port, then only
// characters without a special meaning. It is the common case by far, decided in one pass.
// Every percent sign of a plain URL begins an escape; a plain URL has no fragment.
// False says nothing: the full rules must be asked.
func Plain(url string) bool {
	i := len("https://")
	switch {
	case strings.HasPrefix(url, "https://"):
	case strings.HasPrefix(url, "http://"):
		i = len("http://")
	default:
		return false
	}
	host := i
	label := i
	for ; i < len(url); i++ {
		if c := url[i]; is(c, hostByte) {
			continue
		} else if c != '.' {
			break
		}
		if !plainLabel(url[label:i]) {
			return false
		}
		label = i + 1
	}
	if !plainLabel(url[label:i]) || i-host > 253 {
		return false
	}
	if i < len(url) && url[i] != '/' && url[i] != '?' {
		return false
	}
	for ; i < len(url); i++ {
		c := url[i]
		if !is(c, plainByte) {
			return false
		}
		if c == '%' {
			if escaped, ok := php.Escaped(url[i:]); !ok || escaped == '\n' || escaped == '\r' {
				return false
			}
		}
	}
	return true
}

// plainLabel is the rule for one label of a host name; it refuses the empty label, and so
// the trailing dot that PHP would take.
func plainLabel(s string) bool {
	return len(s) > 0 && len(s) <= 63 && s[0] != '-' && s[len(s)-1] != '-'
}

// DisplayURL returns url as esc_url( $url ) prints it in HTML: bytes outside WordPress'
// list removed, a missing scheme added, & and ' as numeric references (an existing
// reference is kept). The result is empty when the scheme is not one WordPress allows.
// A reference may be one that HTML has and XML has not, such as &nbsp;.
func DisplayURL(url string) string {
	if Plain(url) {
		return url
	}
	return escURL(url, true)
}

// ValidAttribute reports whether esc_url( $url, null, 'attribute' ) gives url back, byte for
// byte: it has only allowed bytes, no encoded line break, no square bracket after the
// authority, a scheme or a relative form, and the scheme is allowed and in lower case. In
// that context ampersands and quotes are not replaced. The empty string is valid. Yoast asks
// this of every image in content (spec: yoast-sitemaps.md, section 9.2).
func ValidAttribute(url string) bool {
	return Plain(url) || escURL(url, false) == url
}

func escURL(url string, display bool) string {
	url = strings.TrimLeft(url, " \t\n\r\x00\v")
	url = keepAllowed(url)
	if url == "" {
		return ""
	}
	if !hasPrefixFold(url, "mailto:") {
		url = removeLineBreaks(url)
	}
	url = strings.ReplaceAll(url, ";//", "://")
	if !strings.Contains(url, ":") && !startsAny(url, "/#?") && !startsWithPHPFile(url) {
		url = "http://" + url
	}
	if display {
		url = normalizeEntities(url)
		url = strings.ReplaceAll(url, "&amp;", "&#038;")
		url = strings.ReplaceAll(url, "'", "&#039;")
	}
	if strings.ContainsAny(url, "[]") {
		url = encodeBrackets(url)
	}
	if url[0] == '/' {
		return url
	}
	return allowedURL(url)
}

// keepAllowed encodes spaces and removes every byte that is not on esc_url's list.
func keepAllowed(url string) string {
	i := 0
	for i < len(url) && is(url[i], escAllowed) {
		i++
	}
	if i == len(url) {
		return url
	}
	out := append(make([]byte, 0, len(url)+2), url[:i]...)
	for ; i < len(url); i++ {
		if c := url[i]; c == ' ' {
			out = append(out, "%20"...)
		} else if is(c, escAllowed) {
			out = append(out, c)
		}
	}
	return string(out)
}

// removeLineBreaks takes encoded carriage returns and line feeds out, and those that come
// together when one between them goes: %0%0ad leaves nothing. WordPress replaces until
// nothing changes (_deep_replace); since the patterns cannot overlap one pass gives the same.
func removeLineBreaks(url string) string {
	if !strings.Contains(url, "%0") {
		return url
	}
	out := make([]byte, 0, len(url))
	for i := range len(url) {
		c := url[i]
		if n := len(out); n >= 2 && out[n-2] == '%' && out[n-1] == '0' && (c|0x20 == 'a' || c|0x20 == 'd') {
			out = out[:n-2]
			continue
		}
		out = append(out, c)
	}
	return string(out)
}

// startsWithPHPFile is esc_url's exception for links such as admin.php?page=x.
func startsWithPHPFile(url string) bool {
	i := 0
	for i < len(url) && is(url[i], hostByte) {
		i++
	}
	return i > 0 && hasPrefixFold(url[i:], ".php")
}

// encodeBrackets percent-encodes square brackets except in what parse_url takes for scheme
// and authority, where an IPv6 address needs them.
func encodeBrackets(url string) string {
	p, _ := ParseURL(url)
	front := ""
	if p.HasScheme {
		front = p.Scheme + "://"
	} else if url[0] == '/' {
		front = "//"
	}
	front += p.User
	if p.HasPass {
		front += ":" + p.Pass
	}
	if p.HasUser || p.HasPass {
		front += "@"
	}
	front += p.Host
	if p.HasPort {
		front += ":" + strconv.Itoa(p.Port)
	}
	dirty := url
	if front != "" {
		dirty = strings.ReplaceAll(url, front, "")
	}
	if dirty == "" {
		return url
	}
	clean := strings.ReplaceAll(strings.ReplaceAll(dirty, "[", "%5B"), "]", "%5D")
	return strings.ReplaceAll(url, dirty, clean)
}

func startsAny(s, chars string) bool {
	return s != "" && strings.IndexByte(chars, s[0]) >= 0
}

// hasPrefixFold ignores the case of ASCII letters; prefix is in lower case.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && php.EqualFold(s[:len(prefix)], prefix)
}
