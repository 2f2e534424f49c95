package site

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
)

// askTimeout is how long the upstream may take for an answer that only a reading waits for.
const askTimeout = 5 * time.Second

// ask returns what asks the upstream of a site for a public URL, and returns the status of its answer; nil without an upstream.
func ask(s *config.Site) func(ctx context.Context, address string) (status int, err error) {
	if s.Upstream.URL() == nil {
		return nil
	}
	options := s.UpstreamOptions()
	return func(ctx context.Context, address string) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		public, err := url.Parse(address)
		if err != nil {
			return 0, err
		}
		r, err := options.Upstream.Request(ctx, http.MethodHead, public, "wpsitemapd/"+metrics.CurrentBuild().Version)
		if err != nil {
			return 0, err
		}
		var pool proxy.Pool
		transport := pool.Transport(options)
		defer transport.CloseIdleConnections()
		resp, err := transport.RoundTrip(r)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}
}
