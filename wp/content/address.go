package content

import "strings"

// Uploads says where attached files lie, as wp_upload_dir does. Neither field ends with a slash.
type Uploads struct {
	Dir string // basedir, absolute path; "" when not known
	URL string // baseurl
}

// FileURL is the address of the file of an attachment, from its meta value _wp_attached_file; "" when that is empty or
// "0". It is not percent-encoded. (yoast-sitemaps.md 9.3)
func (u Uploads) FileURL(file string) string {
	const marker = "wp-content/uploads"
	if isEmpty(file) {
		return ""
	}
	if u.Dir != "" && strings.HasPrefix(file, u.Dir) {
		return strings.ReplaceAll(file, u.Dir, u.URL)
	}
	if _, after, ok := strings.Cut(file, marker); ok {
		return u.URL + after
	}
	return u.URL + "/" + file
}

// Home is a site's home address and what images are measured by.
type Home struct {
	URL    string // as given
	Host   string // host without any "www."; "" when the address has none
	Scheme string // "http" when the address has none
}

// NewHome reads a home address as home_url() returns it: without a slash at the end, perhaps with a path.
func NewHome(homeURL string) Home {
	h := Home{URL: homeURL, Scheme: "http"}
	u, ok := parseURL(homeURL)
	if !ok {
		return h
	}
	if !isEmpty(u.host) {
		h.Host = strings.ReplaceAll(u.host, "www.", "")
	}
	if !isEmpty(u.scheme) {
		h.Scheme = u.scheme
	}
	return h
}

// Absolute completes the address of an image: scheme for one that starts with "//", home (with its path) for one
// that starts with "/". What starts with "http" and any other address is returned as it is. (yoast-sitemaps.md 9.5)
func (h Home) Absolute(src string) string {
	switch {
	case isEmpty(src), strings.HasPrefix(src, "http"):
		return src
	case strings.HasPrefix(src, "//"):
		return h.Scheme + ":" + src
	case src[0] == '/':
		return h.URL + src
	}
	return src
}

// Own reports whether an absolute address counts as the site's own: it contains the home host, anywhere.
func (h Home) Own(src string) bool { return strings.Contains(src, h.Host) }

// WithQuery re-adds the query string of original, the src an attachment's full file src stands in for. A query that is
// empty or "0", and that of an address PHP's parse_url refuses, is not kept. An empty src is treated like any other.
func WithQuery(src, original string) string {
	if strings.IndexByte(original, '?') < 0 {
		return src
	}
	u, ok := parseURL(original)
	if !ok || isEmpty(u.query) {
		return src
	}
	return src + "?" + u.query
}

// urlParts are the components of an address this package needs.
type urlParts struct{ scheme, host, query string }

// parseURL splits an address as wp_parse_url does.
func parseURL(s string) (urlParts, bool) {
	switch {
	case strings.HasPrefix(s, "//"):
		u, ok := phpParseURL("placeholder:" + s)
		u.scheme = ""
		return u, ok
	case strings.HasPrefix(s, "/"):
		u, ok := phpParseURL("placeholder://placeholder" + s)
		u.scheme, u.host = "", ""
		return u, ok
	}
	return phpParseURL(s)
}

// phpParseURL splits an address as PHP 8's parse_url does; false is its refusal.
func phpParseURL(s string) (u urlParts, ok bool) {
	colon := strings.IndexByte(s, ':')
	port := false // read before the host: "//host:80" and the like
	switch {
	case colon > 0 && isScheme(s[:colon]):
		after := s[colon+1:]
		if after == "" {
			return urlParts{scheme: s[:colon]}, true
		}
		if after[0] != '/' {
			if n := leadingDigits(after); n < 6 && (n == len(after) || after[n] == '/') {
				if port, ok = portOrPath(s, colon); !ok {
					return urlParts{}, false
				}
				if !port {
					return u.tail(s), true
				}
				break
			}
			u.scheme = s[:colon]
			return u.tail(after), true
		}
		u.scheme = s[:colon]
		if !strings.HasPrefix(after, "//") {
			return u.tail(after), true
		}
		s = after[2:]
		if strings.EqualFold(u.scheme, "file") && strings.HasPrefix(s, "/") {
			if len(s) > 2 && s[2] == ':' { // drive letter
				s = s[1:]
			}
			return u.tail(s), true
		}
	case colon > 0 && !(colon+1 < len(s) && colon < untilAny(s, "?#")), colon < 0:
		if !strings.HasPrefix(s, "//") {
			return u.tail(s), true
		}
		s = s[2:]
	default: // a colon that ends no scheme: perhaps a port
		if port, ok = portOrPath(s, colon); !ok {
			return urlParts{}, false
		}
		if !port && !strings.HasPrefix(s, "//") {
			return u.tail(s), true
		}
		s = strings.TrimPrefix(s, "//")
	}

	end := untilAny(s, "/?#")
	host := s[:end]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if !(strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")) {
		if i := strings.LastIndexByte(host, ':'); i >= 0 {
			if !port && !isPort(host[i+1:]) {
				return urlParts{}, false
			}
			host = host[:i]
		}
	}
	if host == "" {
		return urlParts{}, false
	}
	u.host = controlsReplaced(host)
	if end == len(s) {
		return u, true
	}
	return u.tail(s[end:]), true
}

// tail adds the query of what follows the host.
func (u urlParts) tail(s string) urlParts {
	s, _, _ = strings.Cut(s, "#")
	_, query, _ := strings.Cut(s, "?")
	u.query = controlsReplaced(query)
	return u
}

// portOrPath looks for a port behind the colon of an address without a scheme. It reports a port, and false for an
// address that parse_url refuses.
func portOrPath(s string, colon int) (port, ok bool) {
	after := s[colon+1:]
	n := min(leadingDigits(after), 5)
	if n > 0 && (n == len(after) || after[n] == '/') {
		return isPort(after[:n]), isPort(after[:n])
	}
	return false, after != ""
}

// isPort reports whether parse_url takes text for a port. It reads up to five bytes with strtol, which lets white space
// and a sign pass and stops at anything else.
func isPort(text string) bool {
	if len(text) > 5 {
		return false
	}
	if text == "" {
		return true
	}
	text = strings.TrimLeft(text, spaces)
	negative := strings.HasPrefix(text, "-")
	if text != "" && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	n := leadingDigits(text)
	value := 0
	for _, c := range []byte(text[:n]) {
		value = value*10 + int(c-'0')
	}
	return n > 0 && value <= 65535 && (!negative || value == 0)
}

func isScheme(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// untilAny is the number of bytes before the first of chars, or before the end.
func untilAny(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

// controlsReplaced writes an underscore for every control character, as parse_url does.
func controlsReplaced(s string) string {
	isControl := func(c byte) bool { return c < 0x20 || c == 0x7F }
	for i := range len(s) {
		if !isControl(s[i]) {
			continue
		}
		b := []byte(s)
		for j := i; j < len(b); j++ {
			if isControl(b[j]) {
				b[j] = '_'
			}
		}
		return string(b)
	}
	return s
}
