package proxy

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Client returns the address that a request came from: that of the peer or, where a trusted front server names its
// client, that one. In a list of proxies the last one that is not trusted itself counts, since anybody may have
// written what comes before it. Client returns the zero address where no trusted server names one.
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
	return addr // all are our own: the first of them asked
}

// parseAddr reads "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80" and "[2001:db8::1]".
func parseAddr(s string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr().Unmap().WithZone(""), nil
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return addr.Unmap().WithZone(""), err
}

// trusts reports whether an address is in the list.
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
