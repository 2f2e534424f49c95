// Package listen opens the sockets of the daemon: TCP sockets, Unix sockets, and sockets that systemd passes. It also reads the
// certificate for TLS, and notifies systemd.
package listen

import (
	"errors"
	"net"
	"strconv"
	"strings"
)

// Address is a place to listen, as an operator writes it:
//
//	host:port             TCP
//	plain:host:port       TCP without TLS, even if the others use TLS
//	unix:/path            a Unix socket
//	systemd               every socket from systemd that no other address names
//	systemd:NAME          sockets with that FileDescriptorName, by default the name of the socket unit
type Address string

// UnmarshalText accepts the forms of an Address, and "" for no address.
func (a *Address) UnmarshalText(text []byte) error {
	s := string(text)
	network, rest, _ := Address(s).split()
	switch network {
	case "unix":
		// sun_path in unix(7) has 108 bytes, with the zero at its end
		if len(rest) < 2 || rest[0] != '/' || len(rest) > 107 || strings.HasSuffix(rest, "/") || strings.ContainsRune(rest, 0) {
			return errors.New(`a Unix socket must be written with its whole path, at most 107 bytes, such as "unix:/run/wpsitemapd.sock"`)
		}
	case "systemd":
		if strings.HasPrefix(s, "systemd:") && rest == "" {
			return errors.New(`must be "systemd", or "systemd:NAME" with the name of a socket`)
		}
	default:
		if s == "" {
			break
		}
		host, port, err := net.SplitHostPort(rest)
		if err != nil {
			return errors.New(`must be host:port, such as "127.0.0.1:8080", "unix:/path" or "systemd"`)
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil {
			return errors.New("the port must be a number from 0 to 65535")
		} else if n == 0 && port != "0" {
			return errors.New("write the port as 0, without more digits")
		}
		if strings.ContainsAny(host, "/ ") {
			return errors.New("the part before the port must be a host name or an IP address")
		}
	}
	*a = Address(s)
	return nil
}

// split returns the kind of socket ("tcp", "unix" or "systemd"), its address or name, and whether it never uses TLS.
func (a Address) split() (network, rest string, plain bool) {
	s := string(a)
	// plain:80 is port 80 of a host named plain
	if after, ok := strings.CutPrefix(s, "plain:"); ok && (strings.Contains(after, ":") || after == "systemd") {
		s, plain = after, true
	}
	switch after, found := strings.CutPrefix(s, "unix:"); {
	case found:
		return "unix", after, plain
	case s == "systemd":
		return "systemd", "", plain
	}
	if after, ok := strings.CutPrefix(s, "systemd:"); ok {
		return "systemd", after, plain
	}
	return "tcp", s, plain
}

// Clashes reports whether only one of two addresses can be opened, because they are the same, or because one includes the other
// as :80 includes 127.0.0.1:80. It does not resolve host names.
func (a Address) Clashes(b Address) bool {
	network, rest, _ := a.split()
	other, otherRest, _ := b.split()
	if network != other || network != "tcp" {
		return network == other && rest == otherRest
	}
	host, port, _ := net.SplitHostPort(rest)
	otherHost, otherPort, _ := net.SplitHostPort(otherRest)
	return port == otherPort && port != "0" && (host == otherHost || includes(host, otherHost) || includes(otherHost, host))
}

// includes reports whether a socket at a host also gets the connections to another host.
func includes(host, other string) bool {
	if host == "0.0.0.0" {
		return !strings.Contains(other, ":") // any but an IPv6 address
	}
	return host == "" || host == "::"
}

// Dial returns the network and the address for net.Dial on this machine. Both are "" for sockets of systemd, because only their
// unit knows the address.
func (a Address) Dial() (network, address string) {
	network, rest, _ := a.split()
	if network == "systemd" {
		return "", ""
	}
	return network, rest // no host means this machine
}

// OnLoopback returns the address with a loopback host if it has no host, such as :9090.
func (a Address) OnLoopback() Address {
	if network, rest, plain := a.split(); network == "tcp" && strings.HasPrefix(rest, ":") {
		if plain {
			return Address("plain:127.0.0.1" + rest)
		}
		return Address("127.0.0.1" + rest)
	}
	return a
}

// Local reports whether only this machine can reach an address. The only host name that counts as local is localhost. A socket
// of systemd counts as local, because its unit decides where it listens.
func (a Address) Local() bool {
	network, rest, _ := a.split()
	if network != "tcp" {
		return true
	}
	host, _, _ := net.SplitHostPort(rest)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
