package announce

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
)

const (
	submitTimeout = 30 * time.Second
	maxAnswer     = 512 // how many bytes of an answer are read
	maxRetryAfter = 24 * time.Hour
)

// verdict says what an answer means for the addresses that were sent.
type verdict uint8

const (
	// accepted means that the engine has the addresses (2xx).
	accepted verdict = iota
	// refused means that the engine would refuse them again (400, 403, 422 and other statuses without success).
	refused
	// retry means that the addresses must be sent again (408, 429, 5xx, no answer).
	retry
)

// outcome is the result of a batch. The zero outcome is that of a dry run.
type outcome struct {
	Verdict    verdict
	Status     int           // status of the answer; 0: no answer
	Elsewhere  bool          // another daemon sends the addresses
	RetryAfter time.Duration // how long the answer asks to wait; 0: it does not say
	Reason     string        // why the engine did not accept the addresses, for the log
	Hint       string        // what an administrator can do about it
}

// submit sends addresses, at most 10,000. All must be at or below home, as the protocol requires.
func submit(ctx context.Context, opt config.IndexNow, home string, urls []string) outcome {
	ctx, cancel := context.WithTimeout(ctx, submitTimeout)
	defer cancel()
	at, err := url.Parse(home)
	if err != nil {
		return outcome{Verdict: refused, Reason: "the site's address is not valid: " + err.Error(), Hint: "set home in the configuration"}
	}
	body := map[string]any{"host": at.Host, "key": opt.Key, "urlList": urls}
	if strings.Trim(at.Path, "/") != "" { // a key file in the root is valid for the whole host; any other only for its own folder
		body["keyLocation"] = strings.TrimRight(home, "/") + "/" + opt.KeyFile()
	}
	text, _ := json.Marshal(body) // these types always encode
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, opt.Endpoint, bytes.NewReader(text))
	if err != nil {
		return outcome{Verdict: refused, Reason: err.Error(), Hint: "check endpoint"}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "wpsitemapd")
	resp, err := client.Do(req)
	if err != nil {
		return outcome{Verdict: retry, Reason: err.Error(), Hint: "the daemon retries automatically. If the failures go on, check " +
			"that this machine may connect to endpoint"}
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // an error here does not matter
	o := outcome{Status: resp.StatusCode}
	o.Verdict, o.Hint = judge(resp.StatusCode)
	if o.Verdict == retry {
		pause, _ := live.RetryAfter(resp.Header, time.Now())
		o.RetryAfter = min(pause, maxRetryAfter)
	}
	if o.Verdict != accepted {
		o.Reason = fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
		if said := strings.Join(strings.Fields(string(said)), " "); said != "" {
			o.Reason += ": " + strings.ReplaceAll(strings.ToValidUTF8(said, ""), opt.Key, "KEY")
		}
	}
	return o
}

// client does not follow redirects: most of them would turn POST into GET, and the operator has chosen the endpoint.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// judge returns what a status means, and what an operator can do about it. It follows the table in the documentation of IndexNow, which
// lacks 408, 5xx and other statuses.
func judge(status int) (verdict, string) {
	switch {
	case status >= 200 && status < 300:
		return accepted, ""
	case status == http.StatusTooManyRequests, status >= 500, status == http.StatusRequestTimeout:
		return retry, "nothing to do: the daemon retries automatically, with growing pauses"
	case status == http.StatusBadRequest:
		return refused, "check that endpoint is an endpoint of IndexNow. If it is, report this log entry"
	case status == http.StatusForbidden:
		return refused, "check that KEY.txt at the site's home contains the key and nothing else. The front server has to pass its URL to this daemon"
	case status == http.StatusUnprocessableEntity:
		return refused, "check that home is the public address of the site, and that key is the key for this host"
	}
	return refused, "check endpoint"
}
