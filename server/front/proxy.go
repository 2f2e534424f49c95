package front

import (
	"net/http"
	"time"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
)

const upstreamRetry = 10 * time.Second // Retry-After while the upstream is down

// NewProxy returns a proxy to the upstream of a site.
func (h *Handler) NewProxy(of *site.Site) *proxy.Proxy {
	failed := func(rw http.ResponseWriter, r *http.Request, status int) {
		if r.Context().Err() == nil {
			of.Counted.UpstreamErrors.Add(1)
		}
		sendLater(rw, r, status, upstreamRetry, "The site behind this server does not answer at the moment.")
	}
	options := of.Config.UpstreamOptions()
	options.Via = h.via
	return proxy.New(options, h.trust.Load, of.Log, failed)
}

// hasComeBack reports whether this process or a running check has passed the request on before.
func (h *Handler) hasComeBack(r *http.Request) bool {
	return proxy.Passed(r, h.via) || proxy.Passed(r, proxy.CheckVia)
}

// refuseLoop answers 508 to a request that has come back. Without that, the request would be passed on in a loop until
// no server has a free connection.
func (h *Handler) refuseLoop(w *record, r *http.Request) {
	w.kind = metrics.Upstream
	to := h.Table().Target(r)
	if w.site = to.Site; to.Site != nil && !proxy.Passed(r, proxy.CheckVia) {
		if n := to.Site.Counted.Loops.Add(1); n&(n-1) == 0 { // logged at 1, 2, 4, 8 … requests
			to.Site.Log.Error("upstream leads back to this daemon: requests that are passed on come back, and are answered with 508",
				"upstream", to.Site.Config.Upstream.String(), "requests", n, "hint", proxy.LoopHint)
		}
	}
	sendText(w, r, http.StatusLoopDetected, "The upstream of this site leads back to this server.")
}

// pass passes a request to the upstream. If there is none, it answers 404.
func pass(rw http.ResponseWriter, r *http.Request, of *site.Site) {
	if of == nil || of.Upstream == nil {
		sendText(rw, r, http.StatusNotFound, "There is nothing here.")
		return
	}
	if rec, ok := rw.(*record); ok {
		rec.kind = metrics.Upstream
	}
	of.Upstream.ServeHTTP(rw, r)
}
