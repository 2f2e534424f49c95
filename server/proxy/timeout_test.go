package proxy

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest/expect"
)

// limited is a client that records when its writes and reads have a time limit, and what happens meanwhile.
type limited struct {
	http.ResponseWriter
	header http.Header
	events []string
}

func (l *limited) Header() http.Header { return l.header }
func (l *limited) WriteHeader(int)     { l.events = append(l.events, "header") }
func (l *limited) Write(p []byte) (int, error) {
	l.events = append(l.events, "body")
	return len(p), nil
}
func (l *limited) FlushError() error { l.events = append(l.events, "flush"); return nil }

func (l *limited) SetWriteDeadline(at time.Time) error { return l.limit(at) }
func (l *limited) SetReadDeadline(at time.Time) error  { return l.limit(at) }

func (l *limited) limit(at time.Time) error {
	event := "free"
	if !at.IsZero() {
		event = "limit"
	}
	l.events = append(l.events, event)
	return nil
}

// Each write to the client has a time limit. Between writes there is none, because PHP may take long. An answer without a length is
// flushed at its end.
func TestLimitsOfWrites(t *testing.T) {
	t.Parallel()
	const write = "limit header free limit body free limit flush free"
	for _, tt := range []struct {
		status       int
		length, want string
	}{{200, "", write + " limit flush free limit"}, {200, "4", write + " limit"}, {103, "", write + " limit"}, {199, "", write + " limit"}} {
		l := &limited{header: http.Header{}}
		if tt.length != "" {
			l.header.Set("Content-Length", tt.length)
		}
		a := &answer{ResponseWriter: l, control: http.NewResponseController(l), timeout: time.Minute}
		a.WriteHeader(tt.status)
		_, _ = a.Write([]byte("text"))
		_ = a.FlushError()
		a.end()
		expect.Equal(t, strings.Join(l.events, " "), tt.want, tt.status, tt.length)
	}
}

// Each read of a client's body has a time limit. After its end there is none, because net/http reads on.
func TestLimitsOfReads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err    error
		want   string
		broken bool
	}{
		{nil, "limit", false}, {io.EOF, "limit free", false}, {http.ErrBodyReadAfterClose, "limit", false}, {errors.New("reset"), "limit", true}, {io.ErrUnexpectedEOF, "limit", true},
	} {
		l := &limited{}
		b := &body{ReadCloser: io.NopCloser(failing{tt.err}), control: http.NewResponseController(l), timeout: time.Minute}
		_, err := b.Read(make([]byte, 1))
		expect.Equal(t, err, tt.err)
		expect.Equal(t, strings.Join(l.events, " "), tt.want, tt.err)
		expect.Equal(t, b.broken.Load(), tt.broken, tt.err)
	}
}

type failing struct{ err error }

func (f failing) Read(p []byte) (int, error) { return 1, f.err }

// A client over a Unix socket has no address, so that nothing is said about it if the socket is not trusted.
func TestClientWithoutAddress(t *testing.T) {
	t.Parallel()
	in := &http.Request{RemoteAddr: "@", Host: "a.test", Header: http.Header{"X-Forwarded-For": {"9.9.9.9"}, "X-Real-Ip": {"9.9.9.9"}}}
	out := in.Header.Clone()
	new(Trust).forward(in, out)
	expect.Same(t, http.Header{"X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"a.test"}}, out)
}

// A mapped network counts as the IPv4 network that it contains, if it is not larger than all IPv4 addresses.
func TestMappedNetworks(t *testing.T) {
	t.Parallel()
	var list Trust
	for entry, want := range map[string]bool{"::ffff:10.0.0.0/104": true, "::ffff:0.0.0.0/96": true, "::ffff:0:0/95": false, "::ffff:192.0.2.1": true} {
		expect.Equal(t, list.Add(entry) == nil, want, entry)
	}
	var ten Trust
	expect.Equal(t, ten.Add("::ffff:10.0.0.0/104"), nil)
	for remote, want := range map[string]bool{"10.1.2.3:1": true, "11.1.2.3:1": false, "[::ffff:10.1.2.3]:1": true, "[::1]:1": false} {
		_, trusted := ten.peer(remote)
		expect.Equal(t, trusted, want, remote)
	}
	var one Trust
	expect.Equal(t, one.Add("::ffff:192.0.2.1"), nil)
	_, trusted := one.peer("192.0.2.1:1")
	expect.Equal(t, trusted, true)
}
