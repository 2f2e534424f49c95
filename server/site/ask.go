package site

import (
	"context"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/metrics"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
)

// Inquire asks the upstream of a site at which URLs it answers, as the daemon does in the background. It sends at most rate
// requests a second. It returns the blogs, read again with the answers. changed reports whether the answers change URLs, or
// change which types are left to the site.
//
// A network, or a site whose languages have homes of their own, is not asked. Inquire then returns books unchanged.
func Inquire(ctx context.Context, n *wp.Network, books []*address.Book, rate float64) (again []*address.Book, changed bool, err error) {
	if len(books) != 1 || !books[0].Inquires(time.Now()) {
		return books, false, nil
	}
	answers, changed, err := books[0].Inquire(ctx, time.Now(), time.Duration(float64(time.Second)/rate))
	if err != nil {
		return books, false, err
	}
	n.RouteAs(func(int64) string { return answers.Into(books[0].Routed()) })
	again, err = address.ReadAll(ctx, n)
	return again, changed, err
}

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
