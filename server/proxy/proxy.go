// Package proxy passes requests to the PHP site behind the daemon as if the client had asked
// it itself: streaming both ways, WebSockets, trailers and interim answers, without limits on
// how long an upload, an answer or a download takes as long as something moves.
package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	dialTimeout = 5 * time.Second
	// idleUpstream is less than the shortest time a common server keeps a connection
	// (Apache: 5 s), so that none closes one while a POST is on its way into it.
	idleUpstream = 4 * time.Second
	// continueTimeout is how long an upstream may think about Expect: 100-continue before it
	// gets the body all the same.
	continueTimeout = 2 * time.Second
	maxAnswerHeader = 1 << 20 // bytes

	readTimeout  = 2 * time.Minute
	writeTimeout = 5 * time.Minute // a slow client's socket takes more only when a good part of its buffer is free
)

// Options are what a site's requests are passed on by.
type Options struct {
	Upstream Upstream
	Timeout  time.Duration // for the answer's header, once the request is sent; 0: none
	Via      string        // name of this process in the Via of every request; "": none is added
}

// Transport returns the connections to an upstream.
func Transport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  o.Timeout,
		ExpectContinueTimeout:  continueTimeout,
		MaxIdleConnsPerHost:    64,
		MaxIdleConns:           512,
		IdleConnTimeout:        idleUpstream,
		MaxResponseHeaderBytes: maxAnswerHeader,
		DisableCompression:     true, // what client and upstream agree on is passed through
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true) // WebSockets need it, and nothing in here needs HTTP/2
	if socket := o.Upstream.socket; socket != "" {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", socket)
		}
	}
	return t
}

// Proxy passes requests to one upstream.
type Proxy struct {
	upstream  Upstream
	via       string
	transport *http.Transport
	trust     func() *Trust
	// How long nothing at all may move on a client's connection while a body is under way.
	readTimeout, writeTimeout time.Duration
	reverse                   httputil.ReverseProxy
}

// New returns a proxy. trust is asked at every request. fail answers a request whose
// upstream did not: with status 502, or 504 when it took too long.
func New(o Options, trust func() *Trust, log *slog.Logger, fail func(w http.ResponseWriter, r *http.Request, status int)) *Proxy {
	p := &Proxy{
		upstream: o.Upstream, via: o.Via, transport: Transport(o), trust: trust, readTimeout: readTimeout, writeTimeout: writeTimeout,
	}
	p.reverse = httputil.ReverseProxy{
		Rewrite:        p.rewrite,
		Transport:      p.transport,
		ModifyResponse: possible,
		FlushInterval:  -1, // at once: what an upstream sends is meant to arrive
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if body, ok := r.Context().Value(bodyKey{}).(*body); ok && body.broken.Load() {
				refuse(w, http.StatusRequestTimeout, "The request's body did not arrive.")
				return
			}
			status := http.StatusBadGateway
			if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() && !dialing(err) {
				status = http.StatusGatewayTimeout
			}
			if r.Context().Err() == nil && !errors.Is(err, context.Canceled) {
				log.Warn("upstream does not answer", "upstream", p.upstream.String(), "reason", err,
					"hint", "check that the PHP site runs and that upstream is right")
			}
			fail(w, r, status)
		},
	}
	return p
}

// errAnswer is the error of an answer that cannot be passed on.
var errAnswer = errors.New("the upstream's answer has an impossible status, or changes the protocol unasked")

// possible refuses what cannot be the answer to a request: a status below 100, which no client understands, and 101 to
// who asked for no other protocol, whose connection would be one of bytes from then on.
func possible(resp *http.Response) error {
	if resp.StatusCode < 100 || resp.StatusCode == http.StatusSwitchingProtocols && resp.Request.Header.Get("Upgrade") == "" {
		return errAnswer
	}
	return nil
}

// dialing reports whether an error is of making the connection.
func dialing(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// ServeHTTP passes a request on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		refuse(w, http.StatusMethodNotAllowed, "This is no proxy to other hosts.")
		return
	}
	if r.ProtoMajor > 1 && (strings.Contains(r.RequestURI, " ") || !httpguts.ValidHostHeader(r.Host)) {
		// net/http takes them, and in the lines of HTTP/1.1 they would mean something else
		refuse(w, http.StatusBadRequest, "The address is malformed.")
		return
	}
	answer := &answer{ResponseWriter: w, control: http.NewResponseController(w), timeout: p.writeTimeout}
	answer.rest()
	defer answer.end()
	if r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0 {
		b := &body{ReadCloser: r.Body, control: answer.control, timeout: p.readTimeout}
		r = r.WithContext(context.WithValue(r.Context(), bodyKey{}, b))
		r.Body = b
	}
	p.reverse.ServeHTTP(answer, r)
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Connection", "close")
	http.Error(w, text, status)
}

// rewrite keeps the Host the client asked for, the target as it was sent, and the trailers
// that are still to come.
func (p *Proxy) rewrite(pr *httputil.ProxyRequest) {
	pr.SetURL(p.upstream.URL())
	p.address(pr.In, pr.Out)
	dropHTTP(pr.Out.Header)
	pr.Out.Trailer = pr.In.Trailer // net/http fills it in when the body has been read
}

// address makes out ask for what in asks for.
func (p *Proxy) address(in, out *http.Request) {
	out.URL.Scheme, out.URL.Host = p.upstream.url.Scheme, p.upstream.url.Host
	out.URL.RawQuery, out.URL.ForceQuery = in.URL.RawQuery, in.URL.ForceQuery // as sent: PHP reads queries its own way
	if path, _, _ := strings.Cut(in.RequestURI, "?"); strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
		out.URL.Opaque = path // with the bytes that net/url would escape
	}
	out.Host = in.Host
	out.Header.Del("Proxy") // which CGI makes HTTP_PROXY of, the address of a proxy to many programs
	p.trust().forward(in, out.Header)
	if p.via != "" {
		version := strings.TrimPrefix(in.Proto, "HTTP/")
		out.Header.Set("Via", strings.Join(append(slices.Clone(in.Header["Via"]), version+" "+p.via), ", "))
	}
}

// dropHTTP keeps a request from changing to another HTTP or to TLS on its way: what follows would
// pass the upstream by no rule of ours. Other protocols, such as WebSocket, are passed on.
func dropHTTP(h http.Header) {
	for token := range strings.SplitSeq(strings.Join(h["Upgrade"], ","), ",") {
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(token)), "/")
		switch name {
		case "h2c", "h2", "http", "tls":
			h.Del("Upgrade")
			h.Del("Connection") // which the proxy has made anew
		}
	}
	h.Del("Http2-Settings")
}

// Get asks the upstream for what a request asks for, in its name, but unconditionally, whole
// and not compressed. The caller closes the answer's body.
func (p *Proxy) Get(ctx context.Context, r *http.Request) (*http.Response, error) {
	out := r.Clone(ctx)
	out.RequestURI = ""
	out.Method = http.MethodGet
	out.Body, out.ContentLength, out.TransferEncoding, out.Trailer = nil, 0, nil, nil
	DropHops(out.Header)
	for _, name := range []string{
		"Range", "If-Range", "If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since", "Content-Length", "Expect",
		"Http2-Settings",
	} {
		out.Header.Del(name)
	}
	out.Header.Set("Accept-Encoding", "identity")
	p.address(r, out)
	resp, err := p.transport.RoundTrip(out)
	if err == nil {
		if err = possible(resp); err != nil {
			resp.Body.Close()
		}
	}
	return resp, err
}

// DropHops removes the header fields that are meant for the next server only (RFC 9110, 7.6.1): those that
// Connection names, and those that always are.
func DropHops(h http.Header) {
	for name := range strings.SplitSeq(strings.Join(h["Connection"], ","), ",") {
		h.Del(strings.TrimSpace(name))
	}
	for _, name := range []string{
		"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding",
		"Upgrade",
	} {
		h.Del(name)
	}
}
