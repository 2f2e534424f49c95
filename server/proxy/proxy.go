// Package proxy passes requests to the PHP site behind the daemon. PHP sees them as if they came directly from the client. The
// package streams in both directions, and passes on WebSockets, trailers and interim answers. As long as data moves, it does
// not limit the time of an upload, an answer or a download.
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
	// idleUpstream is shorter than the shortest time that a common server keeps a connection open (Apache: 5 s). The server
	// therefore closes no connection while a POST is on its way.
	idleUpstream = 4 * time.Second
	// continueTimeout is how long an upstream may take to answer Expect: 100-continue. After that, it gets the body anyway.
	continueTimeout = 2 * time.Second
	maxAnswerHeader = 1 << 20 // in bytes

	readTimeout = 2 * time.Minute // how long a client may send nothing of its request's body
	// writeTimeout is how long a client may take nothing of an answer. It is long, because the socket of a slow client accepts
	// more only when a good part of its buffer is free.
	writeTimeout = 5 * time.Minute
)

// Options say how the requests of a site are passed on.
type Options struct {
	Upstream Upstream
	Timeout  time.Duration // for the header of the answer, after the request was sent; 0: no limit
	Via      string        // name of this process, added to the Via of every request; "": nothing is added
}

// Transport returns an http.Transport that sends requests to the upstream, with the time limits of the proxy.
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
		DisableCompression:     true, // client and upstream agree on compression themselves
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true) // WebSockets need HTTP/1, and nothing here needs HTTP/2
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
	// How long a client's connection may stand still while a body is being sent.
	readTimeout, writeTimeout time.Duration
	reverse                   httputil.ReverseProxy
}

// New returns a proxy. It calls trust for every request. If the upstream does not answer, it calls fail to answer the request
// with status 502, or 504 after a timeout.
func New(o Options, trust func() *Trust, log *slog.Logger, fail func(w http.ResponseWriter, r *http.Request, status int)) *Proxy {
	p := &Proxy{
		upstream: o.Upstream, via: o.Via, transport: Transport(o), trust: trust, readTimeout: readTimeout, writeTimeout: writeTimeout,
	}
	p.reverse = httputil.ReverseProxy{
		Rewrite:        p.rewrite,
		Transport:      p.transport,
		ModifyResponse: possible,
		FlushInterval:  -1, // pass on everything at once
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

// possible returns an error if an answer must not be passed on. No client understands a status below 100. After a status 101
// that the client did not ask for, the upstream would control the raw connection.
func possible(resp *http.Response) error {
	if resp.StatusCode < 100 || resp.StatusCode == http.StatusSwitchingProtocols && resp.Request.Header.Get("Upgrade") == "" {
		return errors.New("the upstream's answer has an impossible status, or changes the protocol unasked")
	}
	return nil
}

// dialing reports whether an error happened while connecting.
func dialing(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// ServeHTTP passes a request to the upstream, and its answer to the client.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		refuse(w, http.StatusMethodNotAllowed, "This is not a proxy to other hosts.")
		return
	}
	if r.ProtoMajor > 1 && (strings.Contains(r.RequestURI, " ") || !httpguts.ValidHostHeader(r.Host)) {
		// net/http accepts such a target or host, but in HTTP/1.1 it would mean something else
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

// rewrite prepares a request for the upstream. The Host, the request target and the trailers stay as the client sent them.
func (p *Proxy) rewrite(pr *httputil.ProxyRequest) {
	pr.SetURL(p.upstream.URL())
	p.address(pr.In, pr.Out)
	dropHTTP(pr.Out.Header)
	pr.Out.Trailer = pr.In.Trailer // net/http fills it in after the body was read
}

// address sets the URL and the Host of out so that the upstream gets the address of in. It also sets the header fields about the
// client.
func (p *Proxy) address(in, out *http.Request) {
	out.URL.Scheme, out.URL.Host = p.upstream.url.Scheme, p.upstream.url.Host
	out.URL.RawQuery, out.URL.ForceQuery = in.URL.RawQuery, in.URL.ForceQuery // as sent, because PHP parses queries in its own way
	if path, _, _ := strings.Cut(in.RequestURI, "?"); strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
		out.URL.Opaque = path // net/url would escape some of the bytes
	}
	out.Host = in.Host
	out.Header.Del("Proxy") // CGI turns it into HTTP_PROXY, which many programs take for the address of a proxy
	p.trust().forward(in, out.Header)
	if p.via != "" {
		version := strings.TrimPrefix(in.Proto, "HTTP/")
		out.Header.Set("Via", strings.Join(append(slices.Clone(in.Header["Via"]), version+" "+p.via), ", "))
	}
}

// dropHTTP removes from a header the wish of a client to change to another version of HTTP, or to TLS. After such a change,
// requests would reach the upstream without our rules. Other protocols, such as WebSocket, are passed on.
func dropHTTP(h http.Header) {
	for token := range strings.SplitSeq(strings.Join(h["Upgrade"], ","), ",") {
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(token)), "/")
		switch name {
		case "h2c", "h2", "http", "tls":
			h.Del("Upgrade")
			h.Del("Connection") // httputil set it again
		}
	}
	h.Del("Http2-Settings")
}

// Get sends a GET for the address of r to the upstream, with the header fields of r. It asks for the whole content, without
// conditions and uncompressed. The caller closes the body of the answer.
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

// DropHops removes the header fields that are meant for the next server only (RFC 9110, 7.6.1). These are the fields that
// Connection names, and a fixed list.
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

// CheckVia is the name that "wpsitemapd check" puts into the Via of a request, to learn whether an upstream leads to a daemon.
// Every daemon answers such a request with 508, like a request that it has passed on and that has come back.
const CheckVia = "wpsitemapd-check"

// LoopHint says what to do about an upstream that leads back to the daemon.
const LoopHint = "set upstream to where WordPress itself answers, not to the public address: a second server of nginx or Apache, " +
	"such as http://127.0.0.1:8081 in docs/operator/deploy.md"

// Passed reports whether the process with this name has already passed the request on. It looks for the name in Via (RFC 9110,
// 7.6.3).
func Passed(r *http.Request, name string) bool {
	return slices.ContainsFunc(r.Header["Via"], func(via string) bool { return strings.Contains(via, name) })
}
