package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/server/front"
	"wpsitemapd/server/listen"
	"wpsitemapd/server/site"
)

const (
	headerTimeout = 15 * time.Second // for a request's header
	idleTimeout   = 2 * time.Minute  // of a kept connection
	maxHeader     = 256 << 10

	// lingering is how long, at the end, kept connections may bring one more request: at most
	// this, and the share of drain.
	lingering      = 2 * time.Second
	lingeringShare = 15
)

// edge is the daemon's side towards its clients, from the opening of its sockets to the end.
type edge struct {
	public, admin []*listen.Listener
	certificate   *listen.Certificate // nil: no TLS
	servers       []*http.Server
	connections   atomic.Int64
	failed        chan error
}

// openEdge opens every socket.
func (s *Server) openEdge() (*edge, error) {
	c := s.config
	e := &edge{failed: make(chan error, len(c.Listen)+len(c.Admin))}
	if c.TLSCert != "" {
		var err error
		if e.certificate, err = listen.LoadCertificate(c.TLSCert, c.TLSKey, s.now, s.log); err != nil {
			return nil, err
		}
	}
	listeners, err := listen.Open(
		listen.Set{Key: "listen", Addresses: c.Listen, Mode: c.SocketMode, Certificate: e.certificate, H2C: c.H2C},
		listen.Set{Key: "admin", Addresses: c.Admin, Mode: c.SocketMode, H2C: c.H2C},
	)
	if err != nil {
		return nil, err
	}
	e.public, e.admin = listeners[0], listeners[1]
	return e, nil
}

// serve begins to answer. base is the context of every request.
func (e *edge) serve(base context.Context, s *Server, public, admin http.Handler) {
	for _, part := range []struct {
		listeners []*listen.Listener
		handler   http.Handler
		service   string
	}{{e.public, public, "sitemaps and proxy"}, {e.admin, admin, "admin"}} {
		srv := &http.Server{
			Handler:           s.front.Bounded(part.handler),
			ReadHeaderTimeout: headerTimeout,
			WriteTimeout:      s.front.SendPatience,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeader,
			ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
			BaseContext:       func(net.Listener) context.Context { return base },
			ConnState:         e.connState,
			ConnContext:       front.WithConn,
			Protocols:         new(http.Protocols),
			HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: front.MaxStreams, WriteByteTimeout: min(s.front.SendPatience, front.StuckTimeout)},
		}
		srv.Protocols.SetHTTP1(true)
		srv.Protocols.SetHTTP2(true)
		srv.Protocols.SetUnencryptedHTTP2(s.config.H2C)
		e.servers = append(e.servers, srv)
		for _, l := range part.listeners {
			s.log.Info("listening", "address", l.String(), "for", part.service, "tls", l.TLS(), "sites", len(s.config.Sites))
			go func() {
				if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
					e.failed <- fmt.Errorf("serving %s: %w", l, err)
				}
			}()
		}
	}
}

// connState counts connections.
func (e *edge) connState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		e.connections.Add(1)
	case http.StateHijacked:
		listen.Hijacked(conn)
		e.connections.Add(-1)
	case http.StateClosed:
		e.connections.Add(-1)
	}
}

func addresses(listeners []*listen.Listener) []net.Addr {
	var list []net.Addr
	for _, l := range listeners {
		list = append(list, l.Addr())
	}
	return list
}

// drain ends the service without a request that fails: new clients are kept away, kept
// connections get an answer to what their clients may just be sending and are told not to
// send more, and what is under way has until the end of the time. It reports whether all of it
// was done by then.
func (e *edge) drain(patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var retiring sync.WaitGroup
	for _, l := range slices.Concat(e.public, e.admin) {
		retiring.Go(l.Retire)
	}
	retiring.Wait()
	for end := time.Now().Add(min(lingering, patience/lingeringShare)); time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond) // what was accepted last is not counted yet
		if !e.busy() {
			break
		}
	}
	done := true
	for _, srv := range e.servers {
		if err := srv.Shutdown(ctx); err != nil {
			done = false
			srv.Close()
		}
	}
	return done
}

// busy reports whether there are connections, in whatever state.
func (e *edge) busy() bool {
	for _, l := range slices.Concat(e.public, e.admin) {
		if l.Pending() > 0 {
			return true
		}
	}
	return e.connections.Load() > 0
}

// turns asks every listener for what net/http itself answers, by the way its clients take.
func (e *edge) turns(ctx context.Context) error {
	for _, l := range slices.Concat(e.public, e.admin) {
		to := l.Addr()
		transport := &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, to.Network(), to.String())
			},
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // it is this very process
		}
		address := &url.URL{Scheme: "http", Host: "localhost", Opaque: "*"}
		r := (&http.Request{Method: http.MethodOptions, URL: address, Header: http.Header{}}).WithContext(ctx)
		if l.TLS() {
			r.URL.Scheme = "https"
		}
		resp, err := transport.RoundTrip(r)
		if err != nil {
			return fmt.Errorf("%s does not answer: %w", l, err)
		}
		resp.Body.Close()
	}
	return nil
}

// turns returns what proves that the daemon is alive: its listeners answer, and nothing holds
// the lock that every change goes through. While it drains there is nothing to ask any more.
func (s *Server) turns(e *edge) func(context.Context) error {
	return func(ctx context.Context) error {
		if s.front.Draining() {
			return nil
		}
		unlocked := make(chan struct{})
		go func() {
			s.running()
			close(unlocked)
		}()
		select {
		case <-unlocked:
		case <-ctx.Done():
			return errors.New("the sites are locked")
		}
		if err := e.turns(ctx); err != nil && !s.front.Draining() {
			return err
		}
		return nil
	}
}

// tellReady tells systemd once every site had its first look at its database, or has taken
// too long over it.
func (s *Server) tellReady(ctx context.Context) {
	patience := time.NewTimer(site.FirstPatience)
	defer patience.Stop()
	for _, w := range s.running() {
		select {
		case <-w.FirstAttempt():
		case <-w.retired.Done():
		case <-patience.C:
			patience.Reset(0) // for nobody else either
		case <-ctx.Done():
			return
		}
	}
	s.ready.Store(true)
	listen.Notify(listen.Ready, s.log)
}
