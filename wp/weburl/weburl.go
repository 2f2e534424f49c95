// Package weburl converts the hosts and paths of web addresses to the forms in which the whole program compares
// them. It does not use the network.
package weburl

import (
	"net"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// hostNames converts names that a browser would accept in its address bar. It allows underscores, which occur in
// the names of real sites.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false))

// IsASCII reports whether a name has only ASCII characters, so that it needs no punycode.
func IsASCII(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf })
}

// ASCII returns the form of a host name in which it is sent: punycode in lower case.
func ASCII(name string) (string, error) { return hostNames.ToASCII(name) }

// Host returns the host of a Host header or of an address in the form for comparison. The form is in lower case,
// without a port, a trailing dot or the brackets of an IPv6 address. International names are in punycode. A text
// that is no host name is only put into lower case.
func Host(hostport string) string {
	host, _ := split(hostport)
	return host
}

// HostPort returns the result of Host, followed by the port if hostport names one.
func HostPort(hostport string) string {
	host, port := split(hostport)
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}

func split(hostport string) (host, port string) {
	host = hostport
	if strings.Contains(hostport, ":") { // SplitHostPort makes an error for a host alone
		if h, p, err := net.SplitHostPort(hostport); err == nil {
			host, port = h, p
		}
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

// Authority returns the part of an address between its scheme and its path, without user and password. The address
// may lack a scheme.
func Authority(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	if end := strings.IndexAny(address, "/?#"); end >= 0 {
		address = address[:end]
	}
	return address[strings.LastIndexByte(address, '@')+1:]
}

// HostOf returns the host of an address in the form of Host. The address may lack a scheme.
func HostOf(address string) string { return Host(Authority(address)) }

// Split returns the host of a home address in the form of Host, and its path. The path is percent-encoded and has
// no slash at its ends. If the address is invalid, both are "".
func Split(home string) (host, path string) {
	u, err := url.Parse(home)
	if err != nil {
		return "", ""
	}
	return Host(u.Host), strings.Trim(u.EscapedPath(), "/")
}
