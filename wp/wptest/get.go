package wptest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
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

// Cut sends a request again and again without reading the answers, until the server ends the connection. On a busy machine the
// end may arrive after unread answers. If Cut can write nothing for long, it reads these answers up to the end.
func Cut(t testing.TB, address, request string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	Must(t, err)
	defer conn.Close()
	Must(t, conn.(*net.TCPConn).SetReadBuffer(64<<10))
	end, many := time.Now().Add(Patience), strings.Repeat(request, 1000)
	for err == nil {
		Must(t, conn.SetWriteDeadline(time.Now().Add(Patience/4)))
		_, err = io.WriteString(conn, many)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		Must(t, conn.SetReadDeadline(end))
		if _, err = io.Copy(io.Discard, conn); err == nil {
			return
		}
	}
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("%v, want the end of the connection", err)
	}
}
