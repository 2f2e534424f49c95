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

// Limits of a client, by net/http. The proxy has others for what it passes on.
const (
	headerTimeout = 15 * time.Second // for a request's header, and for the handshake of TLS
	idleTimeout   = 2 * time.Minute  // of a kept connection
	sendTimeout   = 10 * time.Minute // for a whole answer of our own
	stuckTimeout  = 5 * time.Minute  // for a connection of HTTP/2 that takes nothing at all
	maxHeader     = 256 << 10
	maxStreams    = 100 // of a connection of HTTP/2 at a time, the least that RFC 9113, 6.5.2 advises

	// lingering is how long, at the end, connections may bring the request that is on its way: at most this, and a share of drain.
	lingering      = 2 * time.Second
	lingeringShare = 15
)

// edge is the daemon's side towards its clients, from the opening of its sockets to the end.
type edge struct {
	public, admin []*listen.Listener
	certificate   *listen.Certificate // nil: no TLS
	servers       []*http.Server
	failed        chan error
	open          atomic.Int64 // connections, but for those of other protocols such as WebSocket
	stopping      atomic.Bool
}

// openEdge opens every socket.
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

// serve begins to answer. base is the context of every request.
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

// closing returns a handler that asks for the end of the connection with every answer while the daemon stops. The switch of
// http.Server for that closes idle connections at once, on which a request may be on its way.
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

// drain closes the sockets and gives requests under way until the timeout. It reports whether they ended by then.
// http.Server.Shutdown drops requests that are just being read, so it comes after a moment without new connections.
func (e *edge) drain(timeout time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	e.stopping.Store(true)
	for _, l := range slices.Concat(e.public, e.admin) {
		l.Close()
	}
	for end := time.Now().Add(min(lingering, timeout/lingeringShare)); time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond) // the connection accepted last is not counted yet
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

// turns proves that the daemon is alive: nothing holds the lock that every change goes through.
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

// tellReady tells systemd once every site had its first look at its database, or has taken too long over it.
func (s *Server) tellReady(ctx context.Context) {
	awaitFirst(ctx, s.running(), placesTimeout)
	close(s.placed)
	if awaitFirst(ctx, s.running(), site.FirstTimeout-placesTimeout); ctx.Err() == nil {
		s.ready.Store(true)
		listen.Notify(listen.Ready, s.log)
	}
}
