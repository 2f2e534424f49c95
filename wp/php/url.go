package php

import (
	"net/netip"
	"regexp"
	"strings"
)

// URL is what PHP's parse_url finds. The Has flags distinguish a part that is empty from one that is absent.
type URL struct {
	Scheme, User, Pass, Host, Path, Query, Fragment string
	Port                                            int
	HasScheme, HasUser, HasPass, HasHost            bool
	HasPort, HasQuery, HasFragment                  bool
}

// ParseURL is PHP's parse_url, a guess rather than a grammar: it finds a port in example.org:80
// and in x:80/y, takes what follows a scheme without slashes for a path, and is false only for
// an invalid port and an empty host.
func ParseURL(s string) (p URL, ok bool) {
	rest := s
	colon := strings.IndexByte(s, ':')
	switch {
	case colon < 0:
		if !strings.HasPrefix(s, "//") {
			return p.parsePath(s), true
		}
		rest = s[2:]
	case colon == 0:
		return p.parsePort(s, colon)
	case strings.Trim(s[:colon], schemeChars) != "":
		end := strings.IndexAny(s, "?#")
		switch {
		case colon+1 < len(s) && (end < 0 || colon < end):
			return p.parsePort(s, colon)
		case !strings.HasPrefix(s, "//"):
			return p.parsePath(s), true
		}
		rest = s[2:]
	case colon+1 == len(s):
		p.setScheme(s[:colon])
		return p, true
	case s[colon+1] != '/':
		end := colon + 1
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if (end == len(s) || s[end] == '/') && end-colon <= 6 {
			return p.parsePort(s, colon)
		}
		p.setScheme(s[:colon])
		return p.parsePath(s[colon+1:]), true
	case !strings.HasPrefix(s[colon+1:], "//"):
		p.setScheme(s[:colon])
		return p.parsePath(s[colon+1:]), true
	default:
		p.setScheme(s[:colon])
		rest = s[colon+3:]
		if strings.EqualFold(p.Scheme, "file") && strings.HasPrefix(rest, "/") {
			if len(rest) > 2 && rest[2] == ':' {
				rest = rest[1:] // file:///c:/dir
			}
			return p.parsePath(rest), true
		}
	}
	return p.parseHost(rest)
}

const schemeChars = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-."

func (p *URL) setScheme(s string) { p.Scheme, p.HasScheme = s, true }

// parsePort goes on where the colon may come before a port rather than after a scheme.
func (p URL) parsePort(s string, colon int) (URL, bool) {
	digits := 0
	after := s[colon+1:]
	for digits < len(after) && digits < 6 && isDigit(after[digits]) {
		digits++
	}
	switch {
	case 0 < digits && digits < 6 && (digits == len(after) || after[digits] == '/'):
		port, ok := leadingInt(after[:digits])
		if !ok {
			return URL{}, false
		}
		p.Port, p.HasPort = port, true
		return p.parseHost(strings.TrimPrefix(s, "//"))
	case after == "":
		return URL{}, false
	case strings.HasPrefix(s, "//"):
		return p.parseHost(s[2:])
	}
	return p.parsePath(s), true
}

// parseHost reads user, password, host and port, and what follows them.
func (p URL) parseHost(s string) (URL, bool) {
	end := strings.IndexAny(s, "/?#")
	if end < 0 {
		end = len(s)
	}
	authority := s[:end]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, pass, hasPass := strings.Cut(authority[:at], ":")
		p.User, p.HasUser = visible(user), true
		p.Pass, p.HasPass = visible(pass), hasPass
		authority = authority[at+1:]
	}
	host := authority
	bracketed := strings.HasPrefix(authority, "[") && strings.HasSuffix(authority, "]")
	if colon := strings.LastIndexByte(authority, ':'); colon >= 0 && !bracketed {
		host = authority[:colon]
		// A port found before the host has precedence, unless it was 0.
		if text := authority[colon+1:]; p.Port == 0 && text != "" {
			port, ok := leadingInt(text)
			if len(text) > 5 || !ok {
				return URL{}, false
			}
			p.Port, p.HasPort = port, true
		}
	}
	if host == "" {
		return URL{}, false
	}
	p.Host, p.HasHost = visible(host), true
	if end == len(s) {
		return p, true
	}
	return p.parsePath(s[end:]), true
}

// parsePath reads path, query and fragment.
func (p URL) parsePath(s string) URL {
	s, fragment, hasFragment := strings.Cut(s, "#")
	path, query, hasQuery := strings.Cut(s, "?")
	p.Path = visible(path)
	p.Query, p.HasQuery = visible(query), hasQuery
	p.Fragment, p.HasFragment = visible(fragment), hasFragment
	return p
}

// leadingInt reads a port as strtol does: white space, a sign, then digits, and whatever
// follows them is ignored. False without digits or outside 0 to 65535.
func leadingInt(s string) (int, bool) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	n, i := 0, 0
	for ; i < len(s) && isDigit(s[i]) && n <= 65535; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n, i > 0 && n <= 65535 && !(negative && n > 0)
}

// visible replaces control bytes by underscores, as parse_url does in every part.
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
	// hostForm matches labels of letters, digits and hyphens, the last one with or without a dot.
	hostForm     = regexp.MustCompile(`^(?i:` + label + `\.)*(?i:` + label + `\.?|[a-z0-9][a-z0-9-]{0,62}\.)$`)
	userinfoForm = regexp.MustCompile(`^(?:[\w.~!$&'()*+,;=:-]|%[0-9][0-9A-Fa-f])*$`) // the first digit must be decimal: a slip in PHP
)

const label = `[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?`

// ValidURL reports whether PHP's FILTER_VALIDATE_URL, without flags, accepts url (rules of PHP 8.2.20 and later): printable
// ASCII without spaces, a scheme, a host (but for mailto, news and file), for http and https a host of well-formed labels
// without underscore or an IPv6 address, and only the characters of RFC 3986 in user and password.
func ValidURL(url string) bool {
	if strings.ContainsFunc(url, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	p, ok := ParseURL(url)
	if !ok || !p.HasScheme {
		return false
	}
	if strings.EqualFold(p.Scheme, "http") || strings.EqualFold(p.Scheme, "https") {
		if !validHost(p.Host) {
			return false
		}
	} else if !p.HasHost && p.Scheme != "mailto" && p.Scheme != "news" && p.Scheme != "file" {
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
