// Package formatting follows WordPress' and Yoast's rules for URLs in output: which bytes a URL may contain, what
// is escaped for display, and how a URL that PHP calls invalid is encoded again. It reads no database and no
// options, and it knows no filters.
//
// URLs are byte strings and need not be valid UTF-8. The work is linear in the length of the URL.
package formatting

import (
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
)

// The classes of bytes that the rules distinguish.
const (
	escAllowed = 1 << iota // esc_url keeps it
	plainByte              // after the host, no rule here or in XML changes it
	hostByte               // a letter, a digit or a hyphen
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

// Plain reports whether url is an http or https URL that no rule of this package, or of XML, changes. Such a URL
// has an ordinary ASCII host name without user or port, and then only characters without a special meaning. Every
// percent sign in it begins an escape, and it has no fragment.
//
// Most URLs are plain, and one pass decides that. If Plain returns false, the full rules may still leave the URL
// unchanged.
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

// DisplayURL returns url as esc_url( $url ) prints it in HTML. It removes bytes that are not in WordPress' list,
// adds a missing scheme, and writes & and ' as numeric references. An existing reference stays; it may be one that
// XML does not know, such as &nbsp;. DisplayURL returns "" if WordPress does not allow the scheme.
func DisplayURL(url string) string {
	if Plain(url) {
		return url
	}
	return escURL(url, true)
}

// ValidAttribute reports whether esc_url( $url, null, 'attribute' ) returns url unchanged. Such a URL has only
// allowed bytes, no encoded line break, and no square bracket after the authority. It has a relative form or a
// scheme that is allowed and in lower case. Ampersands and quotes stay in this context. "" is valid. Yoast applies
// this test to every image in content.
func ValidAttribute(url string) bool {
	return Plain(url) || escURL(url, false) == url
}

var (
	// relativeForm matches the start of an address without scheme. esc_url makes an exception for links such as
	// admin.php?page=x.
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
	authority := authorityForm.FindString(url) // an IPv6 address needs its brackets
	url = authority + brackets.Replace(url[len(authority):])
	if url[0] == '/' {
		return url
	}
	return allowedURL(url)
}

// keepAllowed encodes spaces and removes every byte that is not in esc_url's list.
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

// removeLineBreaks removes encoded carriage returns and line feeds. If this creates new ones, they are removed too:
// %0%0ad leaves nothing. WordPress replaces until nothing changes (_deep_replace). One pass has the same result,
// because the patterns cannot overlap.
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
