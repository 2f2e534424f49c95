package server

import (
	"fmt"
	"net"
	"net/http"
)

// acceptLoss answers POST /sites/NAME/accept: an operator's word that the addresses a site
// has lost are lost on purpose.
func (s *Server) acceptLoss(w http.ResponseWriter, r *http.Request) {
	if !mayChange(w, r) {
		return
	}
	name := r.PathValue("name")
	site := named(s.running(), name)
	switch {
	case site == nil:
		sendText(w, r, http.StatusNotFound, "There is no site of this name.")
	case !site.accept():
		sendText(w, r, http.StatusConflict, fmt.Sprintf("Site %s has lost nothing that waits for a word.", name))
	default:
		s.log.Warn("an operator accepts what a site has lost", "site", name, "from", r.RemoteAddr)
		sendText(w, r, http.StatusAccepted, fmt.Sprintf("Site %s is read again, and what is left is served.", name))
	}
}

// crossOrigin refuses what a browser sends on behalf of another page.
var crossOrigin = http.NewCrossOriginProtection()

// mayChange tells whether a request may change something: sent by POST, from this machine, to
// this machine by its own name (so that no page elsewhere can make a name of its own point
// here), and neither by another page nor through a proxy. If not it has answered.
func mayChange(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		sendText(w, r, http.StatusMethodNotAllowed, "This can only be sent by POST.")
		return false
	}
	refused := ""
	switch {
	case !isLoopback(r.RemoteAddr):
		refused = "This is answered to requests from this machine only."
	case !isLoopback(r.Host):
		refused = "This is answered at a loopback address only."
	case crossOrigin.Check(r) != nil:
		refused = "This is not answered to other pages."
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Values(name) != nil {
			refused = "This is not answered through a proxy."
		}
	}
	if refused != "" {
		sendText(w, r, http.StatusForbidden, refused)
		return false
	}
	return true
}

// isLoopback tells whether an address, with or without port, is one of this machine alone.
func isLoopback(address string) bool {
	host := hostName(address)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
