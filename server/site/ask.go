package site

import (
	"context"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/metrics"
	"wpsitemapd/wp"
)

// askTimeout is how long the upstream may take for an answer that no visitor waits for.
const askTimeout = 5 * time.Second

// ask returns a function that requests a public URL from the upstream of a site. It returns nil if the site has no upstream.
func ask(s *config.Site) func(ctx context.Context, address string) (wp.Response, error) {
	if s.Upstream.URL() == nil {
		return nil
	}
	return func(ctx context.Context, address string) (wp.Response, error) {
		a, err := live.Ask(ctx, s, address, "wpsitemapd/"+metrics.CurrentBuild().Version, askTimeout)
		if err != nil {
			return wp.Response{}, err
		}
		return wp.Response{Status: a.Status, Elsewhere: live.Elsewhere(address, a)}, nil
	}
}
