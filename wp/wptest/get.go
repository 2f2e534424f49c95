package wptest

import (
	"context"
	"io"
	"net/http"
)

// Get asks an address by the name of a host, "" for its own, and reads the answer, whose body is closed. header holds names and values
// in turn. Redirects are not followed.
func Get(ctx context.Context, c *http.Client, address, host string, header ...string) (resp *http.Response, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", err
	}
	r.Host = host
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	once := *c
	once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if resp, err = once.Do(r); err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}
