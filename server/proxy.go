package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"time"
)

const (
	dialTimeout   = 5 * time.Second
	upstreamRetry = 10 * time.Second // Retry-After while the upstream is down
)

// newTransport returns the connections to upstreams. There is no limit on how long an
// answer takes: PHP may work for minutes.
func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: 32,
		MaxIdleConns:        512,
		IdleConnTimeout:     60 * time.Second,
		DisableCompression:  true, // what client and upstream agree on is passed through
	}
}

// newProxy passes requests to a site's upstream, as if the client had asked it itself.
func newProxy(up Upstream, transport http.RoundTripper, log *slog.Logger) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite:       func(pr *httputil.ProxyRequest) { rewrite(pr, up) },
		Transport:     transport,
		FlushInterval: 100 * time.Millisecond,
		ErrorLog:      slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil && !errors.Is(err, context.Canceled) {
				log.Warn("upstream does not answer", "upstream", up.String(), "reason", err, "do", "check that the PHP site runs and that upstream is right")
			}
			sendLater(w, r, http.StatusBadGateway, upstreamRetry, "The site behind this server does not answer at the moment.")
		},
	}
}

// rewrite keeps the Host the client asked for. What a front server in the same machine or
// network says of the client and of TLS is passed on, or WordPress would redirect http to
// https for ever; what anybody else says is replaced by what is seen here.
func rewrite(pr *httputil.ProxyRequest, up Upstream) {
	pr.SetURL(up.URL())
	pr.Out.Host = pr.In.Host
	pr.Out.URL.RawQuery = pr.In.URL.RawQuery // as sent: PHP reads queries its own way
	front := isFront(pr.In.RemoteAddr)
	if front {
		pr.Out.Header["X-Forwarded-For"] = pr.In.Header["X-Forwarded-For"]
	} else {
		pr.Out.Header.Del("X-Real-Ip")
	}
	pr.SetXForwarded()
	if !front {
		return
	}
	for _, name := range []string{"X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Ssl", "Forwarded"} {
		if v := pr.In.Header.Values(name); len(v) > 0 {
			pr.Out.Header[name] = v
		}
	}
}

// isFront tells whether an address is of this machine or a private network.
func isFront(remote string) bool {
	a, err := netip.ParseAddrPort(remote)
	if err != nil {
		return false
	}
	ip := a.Addr().Unmap()
	return ip.IsLoopback() || ip.IsPrivate()
}

// pass hands a request on, or says that nothing is here.
func (w *worker) pass(rw http.ResponseWriter, r *http.Request) {
	if w == nil || w.proxy == nil {
		sendText(rw, r, http.StatusNotFound, "There is nothing here.")
		return
	}
	w.proxy.ServeHTTP(rw, r)
}
