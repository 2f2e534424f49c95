package server

import (
	"net/http"
	"time"

	"wpsitemapd/server/respond"
	"wpsitemapd/server/site"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
)

const upstreamRetry = 10 * time.Second // Retry-After while the upstream is down

func (s *Server) newProxy(w *worker) *proxy.Proxy {
	return proxy.New(w.Config.UpstreamOptions(), &s.upstreams, s.trusted.Load, w.Log, func(rw http.ResponseWriter, r *http.Request, status int) {
		if r.Context().Err() == nil {
			w.Counted.UpstreamErrors.Add(1)
		}
		upstreamDown(rw, r, status)
	})
}

func upstreamDown(w http.ResponseWriter, r *http.Request, status int) {
	respond.Later(w, r, status, upstreamRetry, "The site behind this server does not answer at the moment.")
}

// pass hands a request on, or says that nothing is here.
func pass(rw http.ResponseWriter, r *http.Request, of *site.Site) {
	if of == nil || of.Upstream == nil {
		respond.Text(rw, r, http.StatusNotFound, "There is nothing here.")
		return
	}
	if rec, ok := rw.(*record); ok {
		rec.kind = metrics.Upstream
	}
	of.Upstream.ServeHTTP(rw, r)
}
