package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
)

// probeTimeout is how long an upstream may take.
const probeTimeout = 10 * time.Second

// upstreams asks every upstream once.
type upstreams struct {
	tried   []*config.Site
	trouble []string // of those
}

// troubleOf is what is wrong with the upstream of a site whose home is that; "" for nothing.
func (u *upstreams) troubleOf(ctx context.Context, s *config.Site, home, agent string) string {
	if s.Upstream.URL() == nil {
		return ""
	}
	for i, before := range u.tried {
		if reflect.DeepEqual(before.Upstream, s.Upstream) && before.UpstreamCA == s.UpstreamCA {
			return u.trouble[i]
		}
	}
	text := u.ask(ctx, s, home, agent)
	if text != "" {
		text = fmt.Sprintf("upstream %v %s", s.Upstream, text)
	}
	u.tried, u.trouble = append(u.tried, s), append(u.trouble, text)
	return text
}

// probedName is a sitemap that no site has. Every shipped configuration of a web server gives its address to the daemon.
const probedName = "/wpsitemapd-check-sitemap.xml"

// ask sends one request as the daemon would pass it on, and returns what is wrong with the answer.
func (u *upstreams) ask(ctx context.Context, s *config.Site, home, agent string) string {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	public, err := url.Parse(home + probedName)
	if err != nil {
		return ""
	}
	r, err := s.Upstream.Request(ctx, http.MethodGet, public, agent)
	if err != nil {
		return fmt.Sprintf("cannot be asked: %v", err)
	}
	transport := proxy.Transport(s.UpstreamOptions())
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	if op, ok := errors.AsType[*net.OpError](err); err != nil && (ok && op.Op == "dial" || ctx.Err() != nil || s.Upstream.Secure()) {
		return fmt.Sprintf("does not answer: %v; start it, or correct upstream", err)
	} else if err != nil {
		return fmt.Sprintf("does not speak HTTP: %v; name the web server of the PHP site, not PHP-FPM, or take upstream out", err)
	}
	defer resp.Body.Close()
	return judge(s, resp, public)
}

var wantsTLS = regexp.MustCompile(`(?i)\bhttps\b|\bssl\b`)

// judge returns what is wrong with the answer of an upstream to a request for a public URL.
func judge(s *config.Site, resp *http.Response, public *url.URL) string {
	switch status := resp.StatusCode; {
	case status == http.StatusLoopDetected:
		return "leads back to this daemon, so that each request which it passes on is answered with 508: " + proxy.LoopHint
	case status == http.StatusBadRequest && !s.Upstream.Secure():
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10)) // a part will do
		if wantsTLS.Match(body) {
			return "speaks HTTPS: begin it with https://"
		}
	case status >= 500:
		return fmt.Sprintf("answers with status %d: see the log of the web server there", status)
	case status/100 == 3:
		if to, err := public.Parse(resp.Header.Get("Location")); err == nil && to.String() == public.String() {
			return fmt.Sprintf("redirects to %s://%s/…, which is what it was asked for: visitors would go round in circles. "+
				"It may be the public address, or not heed X-Forwarded-Proto; see docs/operator/deploy.md", public.Scheme, public.Host)
		}
	}
	return ""
}
