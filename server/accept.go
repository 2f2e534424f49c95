package server

import (
	"fmt"
	"net/http"
	"strings"

	"wpsitemapd/server/admin"
)

// acceptLoss answers POST /sites/NAME/accept: an operator's word that the addresses a site
// has lost are lost on purpose.
func (s *Server) acceptLoss(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	site := named(s.running(), name)
	status, text := http.StatusAccepted, fmt.Sprintf("Site %s is read again, and what is left is served.", name)
	switch {
	case site == nil:
		status, text = http.StatusNotFound, "There is no site of this name."
	case !site.refresher.Accept():
		status, text = http.StatusConflict, fmt.Sprintf("Site %s has lost nothing that waits for a word.", name)
	default:
		s.log.Warn("an operator accepts what a site has lost", "site", name, "from", r.RemoteAddr)
	}
	if status == http.StatusAccepted && strings.Contains(r.Header.Get("Accept"), "text/html") { // from the status page
		http.Redirect(w, r, "/sites/"+name, http.StatusSeeOther)
		return
	}
	admin.Text(w, status, text)
}
