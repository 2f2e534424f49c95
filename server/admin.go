package server

import (
	"fmt"
	"net/http"
	"strings"
)

// adminHandler answers /healthz, that the process turns, and /readyz, that every site has
// something to serve from.
func (s *Server) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		sendText(w, r, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		var waiting []string
		for _, site := range s.Status() {
			if !site.Ready {
				waiting = append(waiting, fmt.Sprintf("site %s is not ready", site.Name))
			}
		}
		if len(waiting) > 0 {
			sendLater(w, r, http.StatusServiceUnavailable, retryLater, strings.Join(waiting, "\n"))
			return
		}
		sendText(w, r, http.StatusOK, "ok")
	})
	mux.HandleFunc("/sites/{name}/accept", s.acceptLoss)
	return mux
}
