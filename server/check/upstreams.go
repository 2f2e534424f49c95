package check

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/proxy"
)

// probeTimeout is how long an upstream may take to answer.
const probeTimeout = 10 * time.Second

// troubleOf returns what is wrong with the upstream of a site, or "" if nothing is wrong. It asks each upstream only once, and
// remembers the result in known, by upstream. home is the home of the site.
func troubleOf(ctx context.Context, known map[string]string, s *config.Site, home, agent string) string {
	if s.Upstream.URL() == nil {
		return ""
	}
	key := s.Upstream.String()
	text, ok := known[key]
	if !ok {
		if text = ask(ctx, s, home, agent); text != "" {
			text = fmt.Sprintf("upstream %v %s", s.Upstream, text)
		}
		known[key] = text
	}
	return text
}

// probedName is a sitemap that no site has. Every web server configuration in docs/deploy passes it to the daemon.
const probedName = "/wpsitemapd-check-sitemap.xml"

// ask sends one request as the daemon would pass it on. It returns what is wrong with the answer, or "" if nothing is wrong.
func ask(ctx context.Context, s *config.Site, home, agent string) string {
	public, err := url.Parse(home + probedName)
	if err != nil {
		return ""
	}
	a, err := live.Ask(ctx, s, public.String(), agent, probeTimeout)
	switch {
	case err == nil:
		return judge(s, a, public)
	case live.IsUnreachable(err), errors.Is(err, context.DeadlineExceeded), s.Upstream.Secure():
		return fmt.Sprintf("does not answer (%v): start the PHP site, or correct upstream", err)
	}
	return fmt.Sprintf("does not speak HTTP (%v): set upstream to the web server of the PHP site, not to PHP-FPM, or remove upstream", err)
}

var wantsTLS = regexp.MustCompile(`(?i)\bhttps\b|\bssl\b`)

// judge returns what is wrong with an upstream's answer to a request for a public URL, or "" if nothing is wrong.
func judge(s *config.Site, a *live.Answer, public *url.URL) string {
	switch status := a.Status; {
	case status == http.StatusLoopDetected:
		return "leads back to this daemon, so each request to it is answered with 508: " + proxy.LoopHint
	case status == http.StatusBadRequest && !s.Upstream.Secure():
		if wantsTLS.Match(a.Body) {
			return "speaks HTTPS: begin it with https://"
		}
	case status >= 500:
		return fmt.Sprintf("answers with status %d: see the log of the web server there", status)
	case status/100 == 3:
		if to, err := public.Parse(a.Header.Get("Location")); err == nil && to.String() == public.String() {
			return fmt.Sprintf("redirects to %s://%s/…, the same address that was requested, so visitors would be redirected "+
				"endlessly. Set upstream to where WordPress itself answers, not to the public address. If upstream is "+
				"right, PHP ignores X-Forwarded-Proto: docs/operator/deploy.md has files for the web server that pass it to PHP", public.Scheme, public.Host)
		}
	}
	return ""
}
