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
	s.order(w, r, func(site *install) (status int, text string) {
		if !site.refresher.Accept() {
			return http.StatusConflict, fmt.Sprintf("Site %s has lost nothing that waits for a word.", site.Config.Name)
		}
		s.log.Warn("an operator accepts what a site has lost", "site", site.Config.Name, "from", r.RemoteAddr)
		return http.StatusAccepted, fmt.Sprintf("Site %s is read again, and what is left is served.", site.Config.Name)
	})
}

// readNow answers POST /sites/NAME/read: the site is read as a whole without waiting for its time.
func (s *Server) readNow(w http.ResponseWriter, r *http.Request) {
	s.order(w, r, func(site *install) (status int, text string) {
		site.refresher.ReadNow()
		return http.StatusAccepted, fmt.Sprintf("Site %s is read again.", site.Config.Name)
	})
}

// order answers a request that changes something of the site it names. From the status page it leads back there.
func (s *Server) order(w http.ResponseWriter, r *http.Request, do func(*install) (status int, text string)) {
	name := r.PathValue("name")
	status, text := http.StatusNotFound, "There is no site of this name."
	if site := named(s.running(), name); site != nil {
		status, text = do(site)
	}
	if status == http.StatusAccepted && strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Redirect(w, r, "/sites/"+name, http.StatusSeeOther)
		return
	}
	admin.Text(w, status, text)
}
