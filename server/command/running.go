package command

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
)

// running is the daemon that runs with a configuration on this machine, as long as it answers: it knows what is served.
type running struct {
	address string // of its admin listener; "" once it does not answer
	token   string
	client  *http.Client
}

const (
	// runningTimeout is longer than the daemon takes to explain.
	runningTimeout = 25 * time.Second
	runningDial    = time.Second
	maxAnswer      = 1 << 20
)

// newRunning returns the daemon of a configuration, by the first of its admin addresses that can be connected to; nil where there is none.
func newRunning(cfg *config.Config, timeout time.Duration) *running {
	for _, a := range cfg.Admin {
		network, address := a.Dial()
		if network == "" {
			continue
		}
		dialer := &net.Dialer{Timeout: runningDial}
		return &running{address, cfg.AdminToken.Reveal(), &http.Client{Timeout: timeout, Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, address)
			},
		}}}
	}
	return nil
}

// ask sends it a request, and returns the status and the body of its answer; the status is 0 where it does not answer.
func (d *running) ask(ctx context.Context, method, path string, body io.Reader) (status int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, body)
	if err != nil {
		return 0, nil, err
	}
	if d.token != "" {
		r.Header.Set("Authorization", "Bearer "+d.token)
	}
	resp, err := d.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, answer, err
}

// explain asks it about an address of a site, "" for any, and returns the address of the daemon; nil where it has no answer.
func (d *running) explain(ctx context.Context, address, site string) (*admin.Explained, string) {
	if d == nil || d.address == "" {
		return nil, ""
	}
	status, answer, err := d.ask(ctx, http.MethodGet, "/explain.json?"+url.Values{"url": {address}, "site": {site}}.Encode(), nil)
	if status == 0 {
		d.address = "" // it does not run
	}
	var x admin.Explained
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &x) != nil || x.Explanation == nil || site != "" && x.Site != site {
		return nil, ""
	}
	return &x, d.address
}
