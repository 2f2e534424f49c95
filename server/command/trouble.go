package command

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"wpsitemapd/server"
	"wpsitemapd/server/state"
)

// probeTimeout is how long an upstream or a Redis may take over an answer.
const probeTimeout = 10 * time.Second

// stateTrouble is why copies cannot be kept where the configuration says; "" for none.
func stateTrouble(ctx context.Context, cfg *server.Config) string {
	if address := cfg.Redis.Reveal(); address != "" {
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		a, err := state.ParseAddress(address)
		if err == nil {
			err = a.Ping(ctx)
		}
		if err != nil {
			return fmt.Sprintf("state %v cannot be used: %v; see that the Redis runs and can be reached with this address", a, err)
		}
		return ""
	}
	if cfg.State == "" {
		return ""
	}
	if err := state.Writable(cfg.State); err != nil {
		return fmt.Sprintf("state %s cannot be written: %v; let the user that runs the daemon write there, and run check as that user", cfg.State, err)
	}
	return ""
}

// upstreams asks every upstream once whether it answers.
type upstreams struct {
	asked   []*server.Site
	trouble []string // of those
}

// troubleOf is what is wrong with the upstream of a site; "" for nothing.
func (u *upstreams) troubleOf(ctx context.Context, s *server.Site, home string) string {
	if s.Upstream.URL() == nil {
		return ""
	}
	for i, before := range u.asked {
		if reflect.DeepEqual(before.Upstream, s.Upstream) && before.UpstreamCA == s.UpstreamCA {
			return u.trouble[i]
		}
	}
	text := probe(ctx, s, home)
	u.asked, u.trouble = append(u.asked, s), append(u.trouble, text)
	return text
}

func probe(ctx context.Context, s *server.Site, home string) string {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	to := *s.Upstream.URL()
	to.Path = "/"
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, to.String(), nil)
	if err != nil {
		return err.Error()
	}
	if host := hostOf(home); host != "" {
		r.Host = host
	}
	r.Header.Set("User-Agent", userAgent("check"))
	if strings.HasPrefix(home, "https:") {
		r.Header.Set("X-Forwarded-Proto", "https")
	}
	const do = "start it, or correct upstream"
	answer, err := s.UpstreamTransport().RoundTrip(r)
	if err != nil {
		return fmt.Sprintf("upstream %v does not answer: %v; %s", s.Upstream, err, do)
	}
	answer.Body.Close()
	if answer.StatusCode == http.StatusBadGateway || answer.StatusCode == http.StatusGatewayTimeout {
		return fmt.Sprintf("upstream %v answers %d, so what is behind it does not answer; see to its PHP", s.Upstream, answer.StatusCode)
	}
	return ""
}

// blogError names the blog that an error is about, unless the error does so itself.
func blogError(site string, blog int64, err error) error {
	if name := fmt.Sprintf("site %s, blog %d: ", site, blog); !strings.HasPrefix(err.Error(), name) {
		return fmt.Errorf("%s%w", name, err)
	}
	return err
}

// nameless is an error where the site is named already.
func nameless(site, text string) string {
	text = strings.TrimPrefix(text, "site "+site+": ")
	return strings.TrimPrefix(text, "site "+site+", ")
}
