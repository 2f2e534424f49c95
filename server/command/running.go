package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/wp/db"
)

// running is a client of the daemon that runs with a configuration on this machine. Only the daemon knows what is
// served now.
type running struct {
	address string // of its admin listener; "" if the daemon did not answer
	token   string
	client  *http.Client
}

const (
	// runningTimeout is longer than the daemon needs for an explanation.
	runningTimeout = 25 * time.Second
	runningDial    = time.Second
	maxAnswer      = 1 << 20
)

// newRunning returns a client of the daemon of a configuration. The client uses the first admin address of a kind that can be
// dialed. newRunning returns nil if there is no such address. While the daemon does not run, another program may listen at the
// address. On Linux, the client sends the token only to a program of a system account or of this user.
func newRunning(cfg *config.Config, timeout time.Duration) *running {
	for _, a := range cfg.Admin {
		network, address := a.Dial()
		if network == "" {
			continue
		}
		d := &running{address: address, token: cfg.AdminToken.Reveal()}
		d.client = &http.Client{Timeout: timeout, Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return d.dial(ctx, network, address) },
		}}
		return d
	}
	return nil
}

func (d *running) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: runningDial}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil || d.token == "" || network != "tcp" {
		return conn, err
	}
	err = db.SystemListens(conn.RemoteAddr().String())
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // only Linux says who listens
		conn.Close()
		return nil, fmt.Errorf("the admin token was not sent to %s: %w. Run the daemon under a system account", address, err)
	}
	return conn, nil
}

// ask sends a request to the daemon, and returns the status and body of the answer. The status is 0 if the daemon does not answer.
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

// explain asks the daemon about a URL, and returns the answer with the daemon's address. site names the site that
// the URL must belong to; "" means any site. If the daemon does not run or has no answer, explain returns nil and
// "".
func (d *running) explain(ctx context.Context, address, site string) (*admin.Explained, string) {
	if d == nil || d.address == "" {
		return nil, ""
	}
	status, answer, err := d.ask(ctx, http.MethodGet, "/explain.json?"+url.Values{"url": {address}, "site": {site}}.Encode(), nil)
	if status == 0 {
		d.address = "" // the daemon does not run
	}
	var x admin.Explained
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &x) != nil || x.Explanation == nil || site != "" && x.Site != site {
		return nil, ""
	}
	return &x, d.address
}
