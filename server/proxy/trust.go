package proxy

import (
	"errors"
	"net/http"
	"net/netip"
	"net/textproto"
	"slices"
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

// Client returns the address of the client of a request. A trusted peer names the client in X-Forwarded-For, or else in X-Real-Ip. If it
// names none, or an entry that counts is no address, Client returns the zero address. A peer that is not trusted is the client itself.
// In a list of proxies, the last address that is not trusted counts, because anybody may have written the entries before it.
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

// forwarding holds the header fields in which a front server names its client and what the client asked for. If the peer is not
// trusted, the proxy replaces these fields. It removes other spellings of them from every request, because servers turn both
// X-Real-Ip and X_Real_Ip into HTTP_X_REAL_IP for PHP.
var forwarding = map[string]bool{}

func init() {
	for _, name := range []string{
		"Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Ssl",
		"X-Forwarded-Scheme", "X-Forwarded-Protocol", "X-Real-Ip", "X-Url-Scheme", "X-Scheme", "Front-End-Https",
	} {
		forwarding[name] = true
	}
}

// forward sets the header fields about the client for the upstream. in is the request as it came. out is the header of the request to the
// upstream, from which ReverseProxy has removed hop-by-hop fields and some of the forwarding fields already.
//
// If the peer is trusted, its forwarding fields are kept. If it is not trusted, they are replaced by what this server sees; Forwarded
// (RFC 7239), which WordPress does not read, is then missing.
func (t *Trust) forward(in *http.Request, out http.Header) {
	for name := range in.Header {
		if strings.Contains(name, "_") && forwarding[textproto.CanonicalMIMEHeaderKey(strings.ReplaceAll(name, "_", "-"))] {
			delete(out, name)
		}
	}
	addr, trusted := t.peer(in.RemoteAddr)
	peer := "" // "" for a Unix socket
	if addr.IsValid() {
		peer = addr.String()
	}
	proto := "http"
	if in.TLS != nil {
		proto = "https"
	}
	if trusted {
		keepForwarding(in, out, peer, proto)
	} else {
		replaceForwarding(in, out, peer, proto)
	}
}

// keepForwarding sets the forwarding fields of a trusted peer. It appends the peer to X-Forwarded-For, and adds X-Forwarded-Proto and
// X-Forwarded-Host if the peer has not sent them.
func keepForwarding(in *http.Request, out http.Header, peer, proto string) {
	for name := range forwarding {
		if values, sent := in.Header[name]; sent {
			out[name] = values
		}
	}
	if said := in.Header["X-Forwarded-For"]; peer != "" {
		out.Set("X-Forwarded-For", strings.Join(append(said[:len(said):len(said)], peer), ", "))
	}
	for name, value := range map[string]string{"X-Forwarded-Proto": proto, "X-Forwarded-Host": in.Host} {
		if len(in.Header[name]) == 0 {
			out.Set(name, value)
		}
	}
}

// replaceForwarding replaces the forwarding fields of a peer that is not trusted. A peer at a Unix socket has no address to name.
func replaceForwarding(in *http.Request, out http.Header, peer, proto string) {
	for name := range forwarding {
		out.Del(name)
	}
	out.Set("X-Forwarded-Proto", proto)
	out.Set("X-Forwarded-Host", in.Host)
	if peer != "" {
		out.Set("X-Forwarded-For", peer)
		out.Set("X-Real-Ip", peer)
	}
}
