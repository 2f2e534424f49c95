package php

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// URL is the result of PHP's parse_url. A missing part is empty.
type URL struct {
	Scheme, User, Pass, Host, Path, Query, Fragment string
	Port                                            int
}

const schemeChars = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-."

// ParseURL returns the result of PHP's parse_url, and false for an invalid port or an empty host. There is one difference: in a
// text without slashes (example.org:80) PHP finds host and port, ParseURL finds a scheme.
func ParseURL(s string) (p URL, ok bool) {
	if scheme, rest, found := strings.Cut(s, ":"); found && scheme != "" && strings.Trim(scheme, schemeChars) == "" {
		p.Scheme, s = scheme, rest
	}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		return p.parseHost(rest)
	}
	return p.parsePath(s), true
}

// parseHost reads user, password, host and port, then path, query and fragment.
func (p URL) parseHost(s string) (URL, bool) {
	end := strings.IndexAny(s, "/?#")
	if end < 0 {
		end = len(s)
	}
	authority := s[:end]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, pass, _ := strings.Cut(authority[:at], ":")
		p.User, p.Pass = visible(user), visible(pass)
		authority = authority[at+1:]
	}
	host := authority
	bracketed := strings.HasPrefix(authority, "[") && strings.HasSuffix(authority, "]")
	if colon := strings.LastIndexByte(authority, ':'); colon >= 0 && !bracketed {
		host = authority[:colon]
		if text := authority[colon+1:]; text != "" {
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return URL{}, false
			}
			p.Port = int(port)
		}
	}
	if host == "" {
		return URL{}, false
	}
	p.Host = visible(host)
	if end == len(s) {
		return p, true
	}
	return p.parsePath(s[end:]), true
}

// parsePath reads path, query and fragment.
func (p URL) parsePath(s string) URL {
	s, fragment, _ := strings.Cut(s, "#")
	path, query, _ := strings.Cut(s, "?")
	p.Path, p.Query, p.Fragment = visible(path), visible(query), visible(fragment)
	return p
}

// visible replaces control bytes with underscores, as parse_url does in every part.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7F }) {
		return s
	}
	out := []byte(s)
	for i, c := range out {
		if c < 0x20 || c == 0x7F {
			out[i] = '_'
		}
	}
	return string(out)
}

var (
	// hostForm matches labels of letters, digits and hyphens. The last label may end with a dot.
	hostForm     = regexp.MustCompile(`^(?i:` + label + `\.)*(?i:` + label + `\.?|[a-z0-9][a-z0-9-]{0,62}\.)$`)
	userinfoForm = regexp.MustCompile(`^(?:[\w.~!$&'()*+,;=:-]|%[0-9][0-9A-Fa-f])*$`) // the first digit must be decimal: a mistake in PHP
)

const label = `[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?`

// ValidURL reports whether PHP's FILTER_VALIDATE_URL without flags accepts url (rules since PHP 8.2.20). A valid URL is printable
// ASCII without spaces and has a scheme and, except for mailto, news and file, a host. For http and https the host must be an
// IPv6 address or consist of valid labels without underscores. User and password may only have characters of RFC 3986.
func ValidURL(url string) bool {
	if strings.ContainsFunc(url, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	p, ok := ParseURL(url)
	if !ok || p.Scheme == "" {
		return false
	}
	if strings.EqualFold(p.Scheme, "http") || strings.EqualFold(p.Scheme, "https") {
		if !validHost(p.Host) {
			return false
		}
	} else if p.Host == "" && p.Scheme != "mailto" && p.Scheme != "news" && p.Scheme != "file" {
		return false
	}
	return userinfoForm.MatchString(p.User) && userinfoForm.MatchString(p.Pass)
}

func validHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok && strings.HasSuffix(inner, "]") {
		a, err := netip.ParseAddr(inner[:len(inner)-1])
		return err == nil && a.Is6() && a.Zone() == ""
	}
	return len(strings.TrimSuffix(host, ".")) <= 253 && hostForm.MatchString(host)
}
