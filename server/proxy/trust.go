package proxy

import (
	"errors"
	"net/netip"
	"strings"
)

// Trust is the list of peers whose statements about the client are believed. It holds addresses, networks, and the names
// "loopback" (with Unix sockets) and "private" (the networks of RFC 1918 and RFC 4193). The zero value trusts nobody.
type Trust struct {
	loopback, private bool
	prefixes          []netip.Prefix
}

// Add adds an entry to the list. It returns an error if the entry has none of the forms that Trust names.
func (t *Trust) Add(entry string) error {
	switch entry {
	case "loopback":
		t.loopback = true
		return nil
	case "private":
		t.private = true
		return nil
	}
	const want = `must be an address, a network such as "10.0.0.0/8", "loopback" or "private"`
	if strings.Contains(entry, "/") {
		p, err := netip.ParsePrefix(entry)
		if err != nil {
			return errors.New(want)
		}
		if p != p.Masked() {
			return errors.New("has bits set after its prefix length: write " + p.Masked().String())
		}
		if a := p.Addr(); a.Is4In6() { // it is compared with unmapped addresses
			if p.Bits() < 96 {
				return errors.New(want)
			}
			p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
		}
		t.prefixes = append(t.prefixes, p)
		return nil
	}
	a, err := netip.ParseAddr(entry)
	if err != nil || a.Zone() != "" {
		return errors.New(want)
	}
	a = a.Unmap()
	t.prefixes = append(t.prefixes, netip.PrefixFrom(a, a.BitLen()))
	return nil
}

// peer returns the address in http.Request.RemoteAddr, and whether Trust lists it. The address is zero for a Unix socket.
func (t *Trust) peer(remote string) (addr netip.Addr, trusted bool) {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}, t.loopback
	}
	addr = at.Addr().Unmap().WithZone("")
	return addr, t.trusts(addr)
}
