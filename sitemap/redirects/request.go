package redirects

import (
	"strings"

	"wpsitemapd/wp/php"
)

// request is an address as PHP meets it when it is asked for.
type request struct {
	host  string // lower case
	uri   string // path and query, percent-encoded as they are sent
	path  string // the part of uri before the query
	query string // "" for none
}

// newRequest returns the request for a link of the site; ok is false for one that is no web address.
func newRequest(link string) (q *request, ok bool) {
	_, rest, ok := strings.Cut(link, "://")
	if !ok {
		return nil, false
	}
	rest, _, _ = strings.Cut(rest, "#")
	host, rest := cutHost(rest)
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	q = &request{host: strings.ToLower(host), uri: sent(rest)}
	q.path, q.query, _ = strings.Cut(q.uri, "?")
	return q, q.host != ""
}

// sent is a path as clients send it: what is no printable ASCII is percent-encoded.
func sent(path string) string {
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		if c := path[i]; c <= ' ' || c >= 0x7F {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// keyOf is a path below home without what no manager, or not every one, tells apart: percent-encoding, letter case,
// slashes at its ends.
func keyOf(path string) string {
	path = strings.ReplaceAll(php.RawURLDecode(path), "+", " ")
	return strings.ToLower(strings.Trim(path, "/ "))
}

// below cuts the folder of home off a path, as "/blog"; ok is false for a path that is not below it.
func below(path, home string) (rest string, ok bool) {
	if home == "" {
		return path, true
	}
	if len(path) < len(home) || !strings.EqualFold(path[:len(home)], home) {
		return "", false
	}
	switch rest = path[len(home):]; {
	case rest == "":
		return "/", true
	case rest[0] == '/', rest[0] == '?':
		return rest, true
	}
	return "", false
}

// leadsTo reports whether a target is the address that was asked for, however it is written: with or without scheme, the
// host of the site, www., a slash at the end or a fragment. home is put before targets without a host.
func (q *request) leadsTo(target, home string) bool {
	target = strings.TrimSpace(target)
	target, _, _ = strings.Cut(target, "#")
	host := ""
	switch scheme, rest, ok := strings.Cut(target, "://"); {
	case ok && !strings.ContainsAny(scheme, "/?"):
		host, target = cutHost(rest)
	case strings.HasPrefix(target, "//"):
		host, target = cutHost(target[2:])
	default:
		target = home + "/" + strings.TrimLeft(target, "/")
	}
	if host != "" && !strings.EqualFold(plainHost(host), plainHost(q.host)) {
		return false
	}
	path, query, _ := strings.Cut(target, "?")
	same := func(a, b string) bool {
		return strings.Trim(php.RawURLDecode(a), "/") == strings.Trim(php.RawURLDecode(b), "/")
	}
	return same(path, q.path) && php.RawURLDecode(query) == php.RawURLDecode(q.query)
}

// cutHost splits what is behind :// of an address.
func cutHost(rest string) (host, path string) {
	at := strings.IndexAny(rest, "/?")
	if at < 0 {
		return rest, ""
	}
	return rest[:at], rest[at:]
}

func plainHost(host string) string {
	host = strings.ToLower(host)
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
	return strings.TrimPrefix(host, "www.")
}

// lowerASCII is PHP's strtolower().
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
