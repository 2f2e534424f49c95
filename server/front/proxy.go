package front

import (
	"net/http"
	"time"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/respond"
	"wpsitemapd/server/site"
)

const upstreamRetry = 10 * time.Second // Retry-After while the upstream is down

// NewProxy returns the way to the upstream of a site.
func (h *Handler) NewProxy(of *site.Site) *proxy.Proxy {
	failed := func(rw http.ResponseWriter, r *http.Request, status int) {
		if r.Context().Err() == nil {
			of.Counted.UpstreamErrors.Add(1)
		}
		upstreamDown(rw, r, status)
	}
	return proxy.New(of.Config.UpstreamOptions(), &h.upstreams, h.trust.Load, of.Log, failed)
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
