package check

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"reflect"
	"time"

	"wpsitemapd/server/config"
)

// probeTimeout is how long an upstream may take.
const probeTimeout = 10 * time.Second

// upstreams tries every upstream once.
type upstreams struct {
	tried   []*config.Site
	trouble []string // of those
}

// troubleOf is what is wrong with the upstream of a site; "" for nothing.
func (u *upstreams) troubleOf(ctx context.Context, s *config.Site) string {
	if s.Upstream.URL() == nil {
		return ""
	}
	for i, before := range u.tried {
		if reflect.DeepEqual(before.Upstream, s.Upstream) && before.UpstreamCA == s.UpstreamCA {
			return u.trouble[i]
		}
	}
	text := ""
	if err := connect(ctx, s); err != nil {
		text = fmt.Sprintf("upstream %v does not answer: %v; start it, or correct upstream", s.Upstream, err)
	}
	u.tried, u.trouble = append(u.tried, s), append(u.trouble, text)
	return text
}

// connect opens a connection to the upstream of a site and asks for nothing.
func connect(ctx context.Context, s *config.Site) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	dial := new(net.Dialer).DialContext
	network, address, port := "tcp", s.Upstream.URL().Host, "80"
	switch {
	case s.Upstream.Socket() != "":
		network, address = "unix", s.Upstream.Socket()
	case s.Upstream.Secure():
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if s.UpstreamCA != "" {
			config.RootCAs = x509.NewCertPool()
			config.RootCAs.AppendCertsFromPEM([]byte(s.UpstreamCA))
		}
		port, dial = "443", (&tls.Dialer{Config: config}).DialContext
	}
	if network == "tcp" && s.Upstream.URL().Port() == "" {
		address = net.JoinHostPort(s.Upstream.URL().Hostname(), port)
	}
	conn, err := dial(ctx, network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}
