package explain

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/weburl"
)

// ErrAddress marks text that is not a web address.
var ErrAddress = errors.New("not a web address")

// spelled is a web address in the form in which addresses are compared. Two addresses that differ only
// in percent-encoding have the same form.
type spelled struct {
	scheme, host string            // lower case; the host is ASCII and lacks the default port of the scheme
	path         string            // decoded; begins with a slash
	vars         map[string]string // decoded query variables; the last value of a repeated variable
}

// spell parses an absolute web address. Like servers, it accepts any text after the host.
func spell(address string) (spelled, error) {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(address), "://")
	s := spelled{scheme: strings.ToLower(scheme), vars: map[string]string{}}
	if !ok || s.scheme != "http" && s.scheme != "https" {
		return s, errors.New("it has to begin with http:// or https://")
	}
	rest, _, _ = strings.Cut(rest, "#")
	at := strings.IndexAny(rest, "/?")
	if at < 0 {
		at = len(rest)
	}
	s.host, rest = asciiHost(rest[:at], s.scheme), rest[at:]
	if s.host == "" {
		return s, errors.New("it names no host")
	}
	path, query, _ := strings.Cut(rest, "?")
	if s.path = php.RawURLDecode(path); s.path == "" {
		s.path = "/"
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name = php.URLDecode(name); name != "" {
			s.vars[name] = php.URLDecode(value)
		}
	}
	return s, nil
}

// asciiHost returns the ASCII host of an authority, which is the part of an address between scheme and
// path.
func asciiHost(authority, scheme string) string {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ascii, err := weburl.ASCII(host); err == nil {
		return ascii
	}
	return host
}

// below returns the path segments below home, without index.php. ok is false if the address is not
// below home.
func (s *spelled) below(home *spelled) (segments []string, ok bool) {
	path, base := strings.Trim(s.path, "/")+"/", strings.Trim(home.path, "/")+"/"
	if base != "/" {
		if len(path) < len(base) || !strings.EqualFold(path[:len(base)], base) {
			return nil, false
		}
		path = path[len(base):]
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" && (len(segments) > 0 || segment != "index.php") {
			segments = append(segments, segment)
		}
	}
	return segments, true
}

// slugForms returns the forms in which the database may store a path segment. WordPress stores
// non-ASCII characters percent-encoded in lower case. Old versions and imports store them raw.
func slugForms(segment string) []string {
	stored := formatting.StoredSlug(segment)
	if stored == segment {
		return []string{segment}
	}
	return []string{stored, segment}
}

// pathForms returns the forms in which the database may store a whole path: raw and percent-encoded.
func pathForms(segments []string) []string {
	path, encoded := strings.Join(segments, "/"), (&url.URL{Path: strings.Join(segments, "/")}).EscapedPath()
	return slices.Compact([]string{path, encoded})
}
