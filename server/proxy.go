package server

import (
	"net/http"
	"time"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
)

const (
	upstreamRetry      = 10 * time.Second // Retry-After while the upstream is down
	maxUpstreamTimeout = 24 * time.Hour
)

// Upstream is the address of a PHP site.
type Upstream = proxy.Upstream

func (s *Site) upstreamOptions() proxy.Options {
	return proxy.Options{Upstream: s.Upstream, CA: s.UpstreamCA, Timeout: s.UpstreamTimeout}
}

// UpstreamTransport makes requests to the site's upstream, whatever way leads there.
func (s *Site) UpstreamTransport() http.RoundTripper {
	return new(proxy.Pool).Transport(s.upstreamOptions())
}

func (s *Server) newProxy(w *worker) *proxy.Proxy {
	return proxy.New(w.site.upstreamOptions(), &s.upstreams, s.trusted.Load, w.log, func(rw http.ResponseWriter, r *http.Request, status int) {
		if r.Context().Err() == nil {
			w.counted.UpstreamErrors.Add(1)
		}
		upstreamDown(rw, r, status)
	})
}

func upstreamDown(w http.ResponseWriter, r *http.Request, status int) {
	sendLater(w, r, status, upstreamRetry, "The site behind this server does not answer at the moment.")
}

// pass hands a request on, or says that nothing is here.
func (w *worker) pass(rw http.ResponseWriter, r *http.Request) {
	if w == nil || w.proxy == nil {
		sendText(rw, r, http.StatusNotFound, "There is nothing here.")
		return
	}
	if rec, ok := rw.(*record); ok {
		rec.kind = metrics.Upstream
	}
	w.proxy.ServeHTTP(rw, r)
}
