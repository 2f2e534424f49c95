package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// CrawlerOf returns a crawler for the addresses of a blog. Its requests go through the upstream of the site. If the site has no
// upstream, they go to the public address.
func CrawlerOf(s *config.Site, blog *wp.Blog, userAgent string, rate float64) *Crawler {
	hosts := append(slices.Clone(blog.Hosts()), weburl.HostPort(weburl.Authority(blog.Home())))
	c := &Crawler{UserAgent: userAgent, Rate: rate, Hosts: hosts, Through: s.Upstream.URL()}
	if c.Through != nil {
		c.Transport = proxy.Transport(s.UpstreamOptions())
	}
	return c
}

// Ask sends one request for a public address through the upstream of a site. It reads at most MaxPage bytes of the answer.
func Ask(ctx context.Context, s *config.Site, address, agent string, timeout time.Duration) (*Answer, error) {
	transport := proxy.Transport(s.UpstreamOptions())
	defer transport.CloseIdleConnections()
	c := &Crawler{UserAgent: agent, Rate: 1, Timeout: timeout, Transport: transport, Through: s.Upstream.URL()}
	return c.Get(ctx, address, MaxPage)
}

// EntriesOf renders one of our files, and parses it like a file of another program. If the file does not exist any more, because
// its last entry has become too old, EntriesOf returns no entries and no error.
func EntriesOf(ctx context.Context, ours *sitemap.Catalog, f catalog.File) ([]Entry, error) {
	doc, err := ours.Render(ctx, f.Name, f.Page)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	parsed, err := Parse(doc.Body)
	if err != nil {
		return nil, fmt.Errorf("our own %s: %w", f.Filename, err)
	}
	return parsed.Entries, nil
}
