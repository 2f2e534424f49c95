package command

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/explainer"
)

// running is the daemon that runs with a configuration, as long as it answers: it knows what is served.
type running struct {
	address string // of its admin listener; "" once it does not answer
	token   string
	site    string // only this one; "" is any
	client  *http.Client
}

const (
	// runningTimeout is longer than the daemon takes to explain.
	runningTimeout = 25 * time.Second
	runningDial    = time.Second
	maxExplanation = 1 << 20
)

// newRunning returns the daemon of a configuration. It is not asked about another time than now.
func newRunning(cfg *config.Config, site string, now func() time.Time) *running {
	client, address := adminClient(cfg)
	if client == nil || now != nil {
		return &running{}
	}
	client.Timeout = runningTimeout
	return &running{address: address, token: cfg.AdminToken.Reveal(), site: site, client: client}
}

// adminClient returns a client of the admin listener of the daemon that runs with a configuration on this machine, by the first
// of its addresses that can be connected to; nil where there is none.
func adminClient(cfg *config.Config) (client *http.Client, address string) {
	for _, a := range cfg.Admin {
		network, address := a.Dial()
		if network == "" {
			continue
		}
		dialer := &net.Dialer{Timeout: runningDial}
		return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		}}}, address
	}
	return nil, ""
}

// explain asks it about an address, and returns the address of the daemon; nil where it has no answer.
func (d *running) explain(ctx context.Context, address string) (*explainer.Explained, string) {
	if d.address == "" {
		return nil, ""
	}
	query := url.Values{"url": {address}, "site": {d.site}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/explain.json?"+query.Encode(), nil)
	if err != nil {
		return nil, ""
	}
	if d.token != "" {
		r.Header.Set("Authorization", "Bearer "+d.token)
	}
	resp, err := d.client.Do(r)
	if err != nil {
		d.address = "" // it does not run
		return nil, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxExplanation))
	var x explainer.Explained
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(body, &x) != nil || x.Explanation == nil || d.site != "" && x.Site != d.site {
		return nil, ""
	}
	return &x, d.address
}
