package proxy

import (
	"net/http"
	"net/textproto"
	"strings"
)

// forwarding holds the header fields in which a front server names its client and what the client asked for. If the peer is not
// trusted, the proxy removes these fields, and also fields that PHP would take for them. Servers turn both X-Real-Ip and
// X_Real_Ip into HTTP_X_REAL_IP.
var forwarding = map[string]bool{}

func init() {
	for _, name := range []string{
		"Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Ssl",
		"X-Forwarded-Scheme", "X-Forwarded-Protocol", "X-Real-Ip", "X-Url-Scheme", "X-Scheme", "Front-End-Https",
	} {
		forwarding[name] = true
	}
}

// forward sets the header fields about the client for the upstream. in is the request as it came. out holds its
// header fields; only hop-by-hop fields may be missing.
//
// If the peer is trusted, its fields are kept, and its address is appended to the lists. If it is not trusted, its fields are
// replaced by what this server sees. Forwarded (RFC 7239), which WordPress does not read, is then removed.
func (t *Trust) forward(in *http.Request, out http.Header) {
	addr, trusted := t.peer(in.RemoteAddr)
	peer := "" // "" for a Unix socket
	if addr.IsValid() {
		peer = addr.String()
	}
	proto := "http"
	if in.TLS != nil {
		proto = "https"
	}
	for name, values := range in.Header {
		known := forwarding[name]
		if !known && strings.Contains(name, "_") && forwarding[textproto.CanonicalMIMEHeaderKey(strings.ReplaceAll(name, "_", "-"))] {
			delete(out, name)
			continue
		}
		switch {
		case !known:
		case trusted:
			out[name] = values
		default:
			out.Del(name)
		}
	}
	if !trusted {
		out.Set("X-Forwarded-For", peer)
		out.Set("X-Forwarded-Proto", proto)
		out.Set("X-Forwarded-Host", in.Host)
		out.Set("X-Real-Ip", peer)
		if peer == "" { // a Unix socket, and "loopback" is not trusted
			out.Del("X-Forwarded-For")
			out.Del("X-Real-Ip")
		}
		return
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
