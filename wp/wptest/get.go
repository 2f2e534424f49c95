package wptest

import (
	"context"
	"io"
	"net/http"
)

// Get requests an address and returns the answer. It reads and closes the body of the answer. host is the host name
// to request; "" means the host of the address. header holds names and values by turns. Get does not follow
// redirects.
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
