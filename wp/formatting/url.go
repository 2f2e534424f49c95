// Package formatting restates WordPress' and Yoast's rules for URLs in output: which bytes
// may be in one, what is escaped for display, and how a URL that PHP calls invalid is
// encoded again. It is pure: no database, no options, no filters.
//
// URLs are byte strings and need not be valid UTF-8; nothing here decodes characters. The
// work is linear in the length of the URL.
package formatting

import (
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
)

// The classes of bytes the rules speak of.
const (
	escAllowed = 1 << iota // esc_url keeps it
	plainByte              // behind the host, no rule here and nothing in XML touches it
	hostByte               // letter, digit or hyphen
)

var class = func() (t [256]uint8) {
	set := func(chars string, bits uint8) {
		for i := range len(chars) {
			t[chars[i]] |= bits
		}
	}
	set("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-", escAllowed|plainByte|hostByte)
	set("~+_.?#=!&;,/:%@$|*'()[]", escAllowed)
	set("~+_.?=!,/:%@$*()", plainByte)
	for c := 0x80; c < 0x100; c++ {
		t[c] = escAllowed
	}
	return t
}()

func is(c byte, bits uint8) bool { return class[c]&bits != 0 }

// Plain reports whether url is an http or https URL that every rule of this package, and
// XML, leaves as it is: an ordinary ASCII host name without user or port, then only
// characters without a special meaning. It is the common case by far, decided in one pass.
// Every percent sign of a plain URL begins an escape; a plain URL has no fragment.
// False says nothing: the full rules must be asked.
func Plain(url string) bool {
	host, ok := strings.CutPrefix(url, "https://")
	if !ok {
		host, ok = strings.CutPrefix(url, "http://")
	}
	rest := ""
	if i := strings.IndexAny(host, "/?"); i >= 0 {
		host, rest = host[:i], host[i:]
	}
	if !ok || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if !is(label[i], hostByte) {
				return false
			}
		}
	}
	for i := range len(rest) {
		if !is(rest[i], plainByte) {
			return false
		}
		if rest[i] == '%' {
			if escaped, ok := php.Escaped(rest[i:]); !ok || escaped == '\n' || escaped == '\r' {
				return false
			}
		}
	}
	return true
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

var (
	// relativeForm matches how an address without scheme may begin; links such as admin.php?page=x are an exception of esc_url's.
	relativeForm  = regexp.MustCompile(`^(?:[/#?]|[a-zA-Z0-9-]+\.(?i:php))`)
	authorityForm = regexp.MustCompile(`^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*`)
	brackets      = strings.NewReplacer("[", "%5B", "]", "%5D")
)

func escURL(url string, display bool) string {
	url = strings.TrimLeft(url, " \t\n\r\x00\v")
	url = keepAllowed(url)
	if url == "" {
		return ""
	}
	if len(url) < len("mailto:") || !strings.EqualFold(url[:len("mailto:")], "mailto:") {
		url = removeLineBreaks(url)
	}
	url = strings.ReplaceAll(url, ";//", "://")
	if !strings.Contains(url, ":") && !relativeForm.MatchString(url) {
		url = "http://" + url
	}
	if display {
		url = normalizeEntities(url)
		url = strings.ReplaceAll(url, "&amp;", "&#038;")
		url = strings.ReplaceAll(url, "'", "&#039;")
	}
	authority := authorityForm.FindString(url) // where an IPv6 address needs them
	url = authority + brackets.Replace(url[len(authority):])
	if url[0] == '/' {
		return url
	}
	return allowedURL(url)
}

// keepAllowed encodes spaces and removes every byte that is not on esc_url's list.
func keepAllowed(url string) string {
	out := make([]byte, 0, len(url)+2)
	for i := range len(url) {
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
