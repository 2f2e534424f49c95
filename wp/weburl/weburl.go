// Package weburl brings the hosts and paths of web addresses to the forms in which they are compared, one way for
// the whole program. Nothing in it asks the network.
package weburl

import (
	"net"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// hostNames maps what a browser would accept in its address bar, and lets underscores pass,
// which occur in the names of real sites.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false))

// IsASCII reports whether a name needs no translation to go over the wire.
func IsASCII(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf })
}

// ASCII is the form of a host name that goes over the wire: punycode in lower case.
func ASCII(name string) (string, error) { return hostNames.ToASCII(name) }

// Host brings a Host header, or the host of an address, to the form hosts are compared
// in: lower case, without port, trailing dot or the brackets of an IPv6 address, international
// names in punycode. What is no host name is only put into lower case.
func Host(hostport string) string {
	host, _ := split(hostport)
	return host
}

// HostPort is Host with the port that was named, if any.
func HostPort(hostport string) string {
	host, port := split(hostport)
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}

func split(hostport string) (host, port string) {
	host = hostport
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		host, port = h, p
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !IsASCII(host) {
		if ascii, err := ASCII(host); err == nil {
			return ascii, port
		}
	}
	return host, port
}

// Authority returns what is between the scheme of an address, which may lack one, and its path, without user and
// password.
func Authority(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	if end := strings.IndexAny(address, "/?#"); end >= 0 {
		address = address[:end]
	}
	return address[strings.LastIndexByte(address, '@')+1:]
}

// HostOf is Host of the host of an address, which may lack a scheme.
func HostOf(address string) string { return Host(Authority(address)) }

// Split returns the host of a home address, as Host does, and its path without slashes at the ends, percent-encoded.
// Both are empty for an invalid address.
func Split(home string) (host, path string) {
	u, err := url.Parse(home)
	if err != nil {
		return "", ""
	}
	return Host(u.Host), strings.Trim(u.EscapedPath(), "/")
}
