package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

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
)

// edge is the daemon's side towards its clients, from the opening of its sockets to the end.
type edge struct {
	public, admin []*listen.Listener
	certificate   *listen.Certificate // nil: no TLS
	servers       []*http.Server
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
			Handler:           part.handler,
			ReadHeaderTimeout: headerTimeout,
			WriteTimeout:      s.sendTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeader,
			ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
			BaseContext:       func(net.Listener) context.Context { return base },
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
				if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
					e.failed <- fmt.Errorf("serving %s: %w", l, err)
				}
			}()
		}
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
func (e *edge) drain(timeout time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var ending errgroup.Group
	for _, srv := range e.servers {
		ending.Go(func() error {
			err := srv.Shutdown(ctx)
			if err != nil {
				srv.Close()
			}
			return err
		})
	}
	return ending.Wait() == nil
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
	if awaitFirst(ctx, s.running(), site.FirstTimeout); ctx.Err() == nil {
		s.ready.Store(true)
		listen.Notify(listen.Ready, s.log)
	}
}
