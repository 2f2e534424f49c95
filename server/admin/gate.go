package admin

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// gate decides which requests the admin listener answers.
//
// If there is no token, only requests from this machine are answered. Their Host must be a name of this machine. A page on
// the web could give its own host name the address of this machine, and so send requests here. Requests that came through a
// proxy are refused, because a proxy makes every client look like this machine.
//
// If there is a token, everybody who sends the token is answered. A client sends it as a bearer token, or as the password of
// Basic authentication, which browsers ask for. A token is never part of an address.
type gate struct {
	token   func() string            // "": none is set
	refused func(*http.Request, int) // called for every refusal, with its status
}

// crossOrigin detects requests that a browser sends on behalf of another page.
var crossOrigin = http.NewCrossOriginProtection()

// may reports whether a request may be answered. If it returns false, it has already answered with a refusal.
func (g gate) may(w http.ResponseWriter, r *http.Request) bool {
	status, text := g.judge(r)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="wpsitemapd", charset="UTF-8"`)
	}
	if status != http.StatusOK {
		g.refuse(w, r, status, text)
	}
	return status == http.StatusOK
}

// judge returns 200 and "" if a request may be answered. If not, it returns the status and the text of the refusal.
func (g gate) judge(r *http.Request) (status int, text string) {
	token := g.token()
	switch {
	case token != "" && holds(r, token):
		return http.StatusOK, ""
	case token != "":
		return http.StatusUnauthorized, "Send the admin token as a bearer token, or as the password with any user name."
	case !local(r):
		return http.StatusForbidden, "Only requests from this machine are answered. To ask from other machines, set admin_token in the configuration."
	case !loopback(r.Host):
		return http.StatusForbidden, "Ask at a loopback address, such as 127.0.0.1 or localhost. To ask at other addresses, set " +
			"admin_token in the configuration."
	case forwarded(r):
		return http.StatusForbidden, "Requests through a proxy are refused. To allow those that change nothing, set admin_token in the configuration."
	}
	return http.StatusOK, ""
}

// mayChange reports whether a request may change something. Beside the rules of may, the request must use POST, and must not
// come from another page or through a proxy. If mayChange returns false, it has already answered with a refusal.
func (g gate) mayChange(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		g.refuse(w, r, http.StatusMethodNotAllowed, "Send this request by POST.")
		return false
	}
	if !g.may(w, r) {
		return false
	}
	refused := ""
	switch {
	case forwarded(r):
		refused = "Send this request directly. It is refused through a proxy."
	case crossOrigin.Check(r) != nil:
		refused = "A page of another site has sent this request. Use the form on the status page."
	default:
		return true
	}
	g.refuse(w, r, http.StatusForbidden, refused)
	return false
}

func (g gate) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	g.refused(r, status)
	say(w, status, text)
}

// say answers with one plain sentence, which must not be cached.
func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, text, status)
}

// writeJSON answers with a value in JSON.
func writeJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		say(w, http.StatusInternalServerError, "The answer cannot be made: "+err.Error())
		return
	}
	send(w, status, "application/json", &b)
}

// send answers with content that must not be cached.
func send(w http.ResponseWriter, status int, contentType string, b *bytes.Buffer) {
	secure(w.Header())
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	b.WriteTo(w)
}

// holds reports whether a request contains the token. It compares digests, so that the time it takes shows neither the length
// nor the content of the token.
func holds(r *http.Request, token string) bool {
	given := ""
	if scheme, value, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		given = strings.TrimSpace(value)
	} else if _, password, ok := r.BasicAuth(); ok {
		given = password
	}
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// forwarded reports whether a request seems to have come through a proxy: it has a header field of a proxy, or uses HTTP/1.0.
// nginx with its default settings adds no field, but it uses HTTP/1.0. Hardly any other client does.
func forwarded(r *http.Request) bool {
	if !r.ProtoAtLeast(1, 1) {
		return true
	}
	for name := range r.Header {
		if ofProxy.MatchString(strings.ReplaceAll(strings.ToLower(name), "_", "-")) {
			return true
		}
	}
	return false
}

// ofProxy matches the header fields that proxies and content delivery networks add. Nearly every proxy has its own field for
// the address of its client. The names of these fields share certain words, which no browser and no collector of metrics uses.
var ofProxy = regexp.MustCompile(`^(x-original-|x-envoy-|x-amzn-|x-amz-cf-|x-real-|x-proxy|x-coming-from|x-scheme|x-vercel-|` +
	`cf-|cdn-|fastly-|true-client|x-akamai-|akamai-)|forwarded|remote-addr|` +
	`(^|-)(via|proxy|ip|ipv4|ipv6|clientip|realip|remoteip|socketip|userip)(-|$)`)

// local reports whether a request came from this machine: over loopback or a Unix socket.
func local(r *http.Request) bool {
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && addr.Network() == "unix" {
		return true
	}
	return loopback(r.RemoteAddr)
}

// loopback reports whether an address, with or without a port, can be reached from this machine only.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	host = strings.TrimSuffix(host, ".")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
