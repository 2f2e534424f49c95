package proxy

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Client returns the address of the client of a request. A trusted peer names the client in X-Forwarded-For or X-Real-Ip; if it
// names none, Client returns the zero address. A peer that is not trusted is the client itself. In a list of proxies, the last
// address that is not trusted counts, because anybody may have written the entries before it.
func (t *Trust) Client(r *http.Request) netip.Addr {
	addr, trusted := t.peer(r.RemoteAddr)
	if !trusted {
		return addr
	}
	said := r.Header["X-Forwarded-For"]
	if len(said) == 0 {
		said = r.Header["X-Real-Ip"]
	}
	if len(said) == 0 {
		return netip.Addr{}
	}
	for _, last := range slices.Backward(strings.Split(strings.Join(said, ","), ",")) {
		var err error
		if addr, err = parseAddr(strings.TrimSpace(last)); err != nil {
			return netip.Addr{}
		}
		if !t.trusts(addr) {
			return addr
		}
	}
	return addr // all are trusted: the first of them is the client
}

// parseAddr parses an IP address with or without a port, with or without brackets.
func parseAddr(s string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr().Unmap().WithZone(""), nil
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return addr.Unmap().WithZone(""), err
}

// trusts reports whether an address is trusted.
func (t *Trust) trusts(a netip.Addr) bool {
	if t.loopback && a.IsLoopback() || t.private && a.IsPrivate() {
		return true
	}
	for _, p := range t.prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
