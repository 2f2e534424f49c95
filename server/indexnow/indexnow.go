// Package indexnow announces to search engines which addresses of a site are new, changed or gone, by the protocol
// IndexNow (www.indexnow.org/documentation). A participant passes on to the others what it learns.
//
// A Queue holds what is to be announced of one blog and decides when; Client.Submit announces it. Neither keeps time
// or waits by itself.
package indexnow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// DefaultEndpoint is the protocol's own, which passes on to all participants.
const DefaultEndpoint = "https://api.indexnow.org/indexnow"

// MaxBatch is how many addresses the protocol allows in a request.
const MaxBatch = 10_000

// Options are a site's.
type Options struct {
	Key      string `toml:"key" form:"indexnow_key"` // "": nothing is announced
	Endpoint string `toml:"endpoint" form:"endpoint"`
	DryRun   bool   `toml:"dry_run"` // nothing is sent
}

// KeyFile is the name of the file that proves the key.
func KeyFile(key string) string { return key + ".txt" }

const (
	submitTimeout = 30 * time.Second
	maxAnswer     = 512 // bytes of an answer that are read
	maxRetryAfter = 24 * time.Hour
)

// Client sends addresses. The zero value is ready for use.
type Client struct {
	HTTP      *http.Client     // nil: one of its own
	Now       func() time.Time // nil: time.Now
	UserAgent string
}

// Verdict is what an answer means for the addresses sent.
type Verdict uint8

const (
	// Accepted: they arrived (200, 202).
	Accepted Verdict = iota
	// Refused: they would be refused again (400, 403, 422 and whatever else is no success).
	Refused
	// Later: they are to be sent again (429, 5xx, no answer).
	Later
)

// Outcome is how a Submit went.
type Outcome struct {
	Verdict    Verdict
	Status     int           // of the answer; 0: none
	Elsewhere  bool          // another daemon sends them
	Pending    bool          // the engine has not read the key file yet (202)
	RetryAfter time.Duration // that the answer asks for; 0: none
	Reason     string        // why it was not accepted, for logs
	Hint       string        // what an administrator can do about it
}

// request is the body of one.
type request struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLList     []string `json:"urlList"`
}

// Submit sends addresses, all at or below home, at most MaxBatch.
func (c *Client) Submit(ctx context.Context, opt Options, home string, urls []string) Outcome {
	ctx, cancel := context.WithTimeout(ctx, submitTimeout)
	defer cancel()
	at, err := url.Parse(home)
	if err != nil {
		return Outcome{Verdict: Refused, Reason: "the site's address is not valid: " + err.Error(), Hint: "set home"}
	}
	body := request{Host: at.Host, Key: opt.Key, URLList: urls}
	if strings.Trim(at.Path, "/") != "" { // a key file counts at the root of a host, or for what is beside and below it
		body.KeyLocation = strings.TrimRight(home, "/") + "/" + KeyFile(opt.Key)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return Outcome{Verdict: Refused, Reason: err.Error(), Hint: "report it with this log entry"} // these types always encode
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, opt.Endpoint, bytes.NewReader(text))
	if err != nil {
		return Outcome{Verdict: Refused, Reason: err.Error(), Hint: "check endpoint"}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", c.UserAgent)
	client := c.HTTP
	if client == nil {
		client = ownClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return Outcome{Verdict: Later, Reason: err.Error(), Hint: "nothing if it passes; otherwise check that this machine may connect to the endpoint"}
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // of no consequence
	o := c.judge(resp)
	if o.Verdict != Accepted {
		o.Reason = fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
		if said := strings.Join(strings.Fields(string(said)), " "); said != "" {
			o.Reason += ": " + strings.ReplaceAll(strings.ToValidUTF8(said, ""), opt.Key, "KEY")
		}
	}
	return o
}

// ownClient follows no redirects: they would turn a POST into a GET.
var ownClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// judge returns what an answer means, by the protocol's table.
func (c *Client) judge(resp *http.Response) Outcome {
	o := Outcome{Verdict: Refused, Status: resp.StatusCode}
	switch status := resp.StatusCode; {
	case status == http.StatusAccepted:
		o.Verdict, o.Pending = Accepted, true
	case status >= 200 && status < 300:
		o.Verdict = Accepted
	case status == http.StatusTooManyRequests:
		o.Verdict, o.Hint = Later, "nothing: the daemon retries more slowly"
	case status >= 500, status == http.StatusRequestTimeout:
		o.Verdict, o.Hint = Later, "nothing: the daemon retries automatically"
	case status == http.StatusBadRequest:
		o.Hint = "check that endpoint is one of IndexNow's; otherwise report it with this log entry"
	case status == http.StatusForbidden:
		o.Hint = "check that KEY.txt at the site's home is answered with the key and nothing else: the front server has to pass it to this daemon"
	case status == http.StatusUnprocessableEntity:
		o.Hint = "check that the site's public address is right (home), and that the key is the one for this host"
	default:
		o.Hint = "check endpoint"
	}
	if o.Verdict == Later {
		o.RetryAfter = c.retryAfter(resp.Header.Get("Retry-After"))
	}
	return o
}

// retryAfter reads the header: seconds, or a date.
func (c *Client) retryAfter(value string) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	return min(max(0, at.Sub(now())), maxRetryAfter)
}
