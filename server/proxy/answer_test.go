package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// An answer that must not be passed on is none for Get either.
func TestGetRefusesWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	for answer, refused := range map[string]bool{"099 Nearly": true, "101 Switching Protocols": true, "200 OK": false, "599 Strange": false} {
		p := direct(t, upstream(t, func(w http.ResponseWriter, r *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				io.WriteString(conn, "HTTP/1.1 "+answer+"\r\nContent-Length: 4\r\n\r\ntext")
				conn.Close()
			}
		}))
		resp, err := p.Get(t.Context(), httptest.NewRequest("GET", "http://a.test/", nil))
		if refused {
			expect.Equal(t, err != nil && strings.Contains(err.Error(), "impossible status"), true, answer, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", answer, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		expect.Equal(t, string(body), "text", answer, err)
	}
}

func TestPossibleAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status  int
		upgrade string
		want    bool
	}{{99, "", false}, {100, "", true}, {101, "", false}, {101, "websocket", true}, {200, "", true}} {
		r := &http.Request{Header: http.Header{}}
		if tt.upgrade != "" {
			r.Header.Set("Upgrade", tt.upgrade)
		}
		expect.Equal(t, possible(&http.Response{StatusCode: tt.status, Request: r}) == nil, tt.want, tt.status, tt.upgrade)
	}
}

// PHP that takes too long is another failure than a host that does not answer.
func TestFailures(t *testing.T) {
	t.Parallel()
	late := os.ErrDeadlineExceeded
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, tt := range []struct {
		rule   string
		ctx    context.Context
		err    error
		status int
		warns  bool
	}{
		{"no answer in time", t.Context(), &net.OpError{Op: "read", Err: late}, http.StatusGatewayTimeout, true},
		{"no connection in time", t.Context(), &net.OpError{Op: "dial", Err: late}, http.StatusBadGateway, true},
		{"no connection", t.Context(), &net.OpError{Op: "dial", Err: errors.New("refused")}, http.StatusBadGateway, true},
		{"a broken answer", t.Context(), io.ErrUnexpectedEOF, http.StatusBadGateway, true},
		{"the client has left", gone, io.ErrUnexpectedEOF, http.StatusBadGateway, false},
		{"the request was given up", t.Context(), context.Canceled, http.StatusBadGateway, false},
	} {
		var text bytes.Buffer
		p := New(options(t, "http://127.0.0.1:1"), nil, slog.New(slog.NewTextHandler(&text, nil)),
			func(w http.ResponseWriter, _ *http.Request, status int) { w.WriteHeader(status) })
		rec := httptest.NewRecorder()
		p.reverse.ErrorHandler(rec, httptest.NewRequestWithContext(tt.ctx, "GET", "/", nil), tt.err)
		expect.Equal(t, rec.Code, tt.status, tt.rule)
		expect.Equal(t, strings.Contains(text.String(), "upstream does not answer"), tt.warns, tt.rule)
	}
}

// A request that is refused ends its connection, because its body is not read.
func TestRefusalEndsTheConnection(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	refuse(rec, http.StatusBadRequest, "no")
	expect.Equal(t, rec.Header().Get("Connection"), "close")
	expect.Equal(t, rec.Code, http.StatusBadRequest)
	expect.Equal(t, rec.Body.String(), "no\n")
}
