package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/server/listen"
	"wpsitemapd/server/site"
)

// Limits for each client. The proxy has its own limits for requests that it passes on.
const (
	headerTimeout = 15 * time.Second // for the header of a request, and for the TLS handshake
	idleTimeout   = 2 * time.Minute  // of a connection that waits for its next request
	sendTimeout   = 10 * time.Minute // for a whole answer that the daemon makes itself; a download of the admin listener has none
	stuckTimeout  = 5 * time.Minute  // for an HTTP/2 connection whose client takes no data
	maxHeader     = 256 << 10
	maxStreams    = 100 // at a time on one HTTP/2 connection; RFC 9113, 6.5.2 advises at least 100

	// When the daemon stops, requests that clients have sent already may still arrive. The daemon waits for them for the
	// time lingering, but not longer than the configured drain divided by lingeringShare.
	lingering      = 2 * time.Second
	lingeringShare = 15
)

// edge is the set of sockets and HTTP servers that face the clients, from the opening of the sockets until the end.
type edge struct {
	public, admin []*listen.Listener
	certificate   *listen.Certificate // nil: no TLS
	servers       []*http.Server
	failed        chan error   // gets the error of a server that cannot go on
	open          atomic.Int64 // number of connections, without those that have switched to another protocol such as WebSocket
	stopping      atomic.Bool
}

// openEdge opens the public sockets and the admin sockets, and loads the certificate if there is one.
func (s *Server) openEdge() (*edge, error) {
	c := s.config
	e := &edge{failed: make(chan error, len(c.Listen)+len(c.Admin))}
	if c.TLSCert != "" {
		var err error
		if e.certificate, err = listen.LoadCertificate(c.TLSCert, c.TLSKey); err != nil {
			return nil, err
		}
	}
	listeners, err := listen.Open(
		listen.Set{Key: "listen", Addresses: c.Listen, Mode: c.SocketMode, TLS: e.certificate != nil},
		listen.Set{Key: "admin", Addresses: c.Admin, Mode: c.SocketMode},
	)
	if err != nil {
		return nil, err
	}
	e.public, e.admin = listeners[0], listeners[1]
	return e, nil
}

// serve starts the HTTP servers. base is the context of every request.
func (e *edge) serve(base context.Context, s *Server, public, admin http.Handler) {
	for _, part := range []struct {
		listeners []*listen.Listener
		handler   http.Handler
		service   string
	}{{e.public, public, "sitemaps and proxy"}, {e.admin, admin, "admin"}} {
		srv := &http.Server{
			Handler:           e.closing(part.handler),
			ReadHeaderTimeout: headerTimeout,
			WriteTimeout:      s.sendTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeader,
			ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
			BaseContext:       func(net.Listener) context.Context { return base },
			ConnState:         e.connState,
			Protocols:         new(http.Protocols),
			HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: min(s.sendTimeout, stuckTimeout)},
		}
		srv.Protocols.SetHTTP1(true)
		srv.Protocols.SetHTTP2(true)
		srv.Protocols.SetUnencryptedHTTP2(s.config.H2C)
		if e.certificate != nil {
			srv.TLSConfig = e.certificate.Config()
		}
		e.servers = append(e.servers, srv)
		for _, l := range part.listeners {
			s.log.Info("listening", "address", l.String(), "for", part.service, "tls", l.TLS(), "sites", len(s.config.Sites))
			serve := srv.Serve
			if l.TLS() {
				serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
			}
			go func() {
				if err := serve(l); !e.stopping.Load() {
					e.failed <- fmt.Errorf("serving %s: %w", l, err)
				}
			}()
		}
	}
}

// closing returns a handler that asks clients to close their connection while the daemon stops. The http.Server could
// do so itself, but it also closes idle connections at once, although a request may be on its way.
func (e *edge) closing(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, r)
	})
}

func (e *edge) connState(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		e.open.Add(1)
	case http.StateHijacked, http.StateClosed:
		e.open.Add(-1)
	}
}

func addresses(listeners []*listen.Listener) []net.Addr {
	var list []net.Addr
	for _, l := range listeners {
		list = append(list, l.Addr())
	}
	return list
}

// drain closes the sockets and waits until requests under way end, at most for the timeout. It reports whether all of
// them ended. http.Server.Shutdown drops requests that it is just reading. So drain first waits a short time until no
// connection is open.
func (e *edge) drain(timeout time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	e.stopping.Store(true)
	for _, l := range slices.Concat(e.public, e.admin) {
		l.Close()
	}
	for end := time.Now().Add(min(lingering, timeout/lingeringShare)); time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond) // the last accepted connection may not be counted yet
		if e.open.Load() == 0 {
			break
		}
	}
	var ending sync.WaitGroup
	var cut atomic.Bool
	for _, srv := range e.servers {
		ending.Go(func() {
			if srv.Shutdown(ctx) != nil {
				cut.Store(true)
				srv.Close()
			}
		})
	}
	ending.Wait()
	return !cut.Load()
}

// turns finds out whether the daemon is stuck. It waits for the lock on the sites, which every change to them needs. It returns an
// error if ctx ends first.
func (s *Server) turns(ctx context.Context) error {
	unlocked := make(chan struct{})
	go func() {
		s.running()
		close(unlocked)
	}()
	select {
	case <-unlocked:
		return nil
	case <-ctx.Done():
		return errors.New("the sites are locked")
	}
}

// tellReady waits until every site has tried to read its database, or until placesTimeout, and closes s.placed. Then it waits again, until
// site.FirstTimeout in all, and tells systemd that the daemon is ready. If ctx ends, it only closes s.placed.
func (s *Server) tellReady(ctx context.Context) {
	awaitFirst(ctx, s.running(), placesTimeout)
	close(s.placed)
	if awaitFirst(ctx, s.running(), site.FirstTimeout-placesTimeout); ctx.Err() == nil {
		s.ready.Store(true)
		listen.Notify(listen.Ready, s.log)
	}
}
