package site

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
	"wpsitemapd/wp"
)

// askTimeout is how long the upstream may take for an answer that no visitor waits for.
const askTimeout = 5 * time.Second

// ask returns what asks the upstream of a site for a public URL; nil without an upstream.
func ask(s *config.Site) func(ctx context.Context, address string) (wp.Response, error) {
	if s.Upstream.URL() == nil {
		return nil
	}
	options := s.UpstreamOptions()
	return func(ctx context.Context, address string) (wp.Response, error) {
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		public, err := url.Parse(address)
		if err != nil {
			return wp.Response{}, err
		}
		r, err := options.Upstream.Request(ctx, http.MethodGet, public, "wpsitemapd/"+metrics.CurrentBuild().Version)
		if err != nil {
			return wp.Response{}, err
		}
		r.Header.Set("Accept-Encoding", "identity")
		transport := proxy.Transport(options)
		defer transport.CloseIdleConnections()
		resp, err := transport.RoundTrip(r)
		if err != nil {
			return wp.Response{}, err
		}
		defer resp.Body.Close()
		a := &live.Answer{Status: resp.StatusCode, Header: resp.Header}
		if a.Body, err = io.ReadAll(io.LimitReader(resp.Body, live.MaxPage)); err != nil {
			return wp.Response{}, err
		}
		return wp.Response{Status: a.Status, Elsewhere: live.Elsewhere(address, a)}, nil
	}
}
