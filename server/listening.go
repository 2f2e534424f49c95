package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/server/listen"
	"wpsitemapd/server/proxy"
)

const (
	headerTimeout = 15 * time.Second // for a request's header
	idleTimeout   = 2 * time.Minute  // of a kept connection
	bodyTimeout   = 2 * time.Minute  // for a body sent with a request that is answered here
	sendTimeout   = 10 * time.Minute // for an answer of our own; what is proxied may take as long as it likes
	stallTimeout  = 2 * time.Minute  // of which a stream of HTTP/2 takes nothing
	maxHeader     = 256 << 10

	maxDrain = time.Hour
	// lingering is how long, at the end, kept connections may bring one more request: at most
	// this, and the share of drain.
	lingering      = 2 * time.Second
	lingeringShare = 15
)

// Address is one place to listen.
type Address = listen.Address

// Listening is how the daemon is reached. All of it but Drain and Trusted is taken at the
// start.
type Listening struct {
	Listen     []Address   // sitemaps and proxy
	Admin      []Address   // status page, metrics and health; empty is off
	AdminToken Secret      // who has it may see and change things there; "": only this machine
	SocketMode fs.FileMode // of Unix sockets
	TLSCert    string      // absolute; "": no TLS
	TLSKey     string
	H2C        bool          // HTTP/2 without TLS
	Drain      time.Duration // for what is under way when stopping
	Trusted    proxy.Trust   // front servers
}

func defaultListening() Listening {
	l := Listening{Listen: []Address{"127.0.0.1:8080"}, SocketMode: 0o660, Drain: 30 * time.Second}
	for _, word := range []string{"loopback", "private"} {
		_ = l.Trusted.Add(word) // both are known
	}
	return l
}

// needsRestart names the keys in which another configuration differs in what is taken at the start.
func (c *Config) needsRestart(next *Config) []string {
	var keys []string
	for _, key := range []struct {
		name string
		same bool
	}{
		{"listen", slices.Equal(c.Listen, next.Listen)}, {"admin", slices.Equal(c.Admin, next.Admin)},
		{"socket_mode", c.SocketMode == next.SocketMode}, {"tls_cert", c.TLSCert == next.TLSCert}, {"tls_key", c.TLSKey == next.TLSKey},
		{"h2c", c.H2C == next.H2C}, {"state", c.State == next.State && c.Redis == next.Redis}, {"state_size", c.StateSize == next.StateSize},
		{"log", c.Log == next.Log}, {"log_level", c.LogLevel == next.LogLevel},
	} {
		if !key.same {
			keys = append(keys, key.name)
		}
	}
	return keys
}

var modeForm = regexp.MustCompile(`^0?[0-7]{3}$`)

func (l *Listening) decode(t *table, dir string) {
	t.addresses("listen", &l.Listen)
	t.addresses("admin", &l.Admin)
	for i, a := range l.Admin {
		l.Admin[i] = a.OnLoopback()
	}
	l.decodeToken(t, dir)
	mode := ""
	if t.string("socket_mode", &mode); mode != "" {
		if n, err := strconv.ParseUint(mode, 8, 32); err == nil && modeForm.MatchString(mode) {
			l.SocketMode = fs.FileMode(n)
		} else {
			t.fail("socket_mode", mode, `must be an octal mode in quotes, such as "0660"`)
		}
	}
	t.string("tls_cert", &l.TLSCert)
	t.string("tls_key", &l.TLSKey)
	l.TLSCert, l.TLSKey = absolute(l.TLSCert, dir), absolute(l.TLSKey, dir)
	h2c := &l.H2C
	t.boolean("h2c", &h2c)
	l.H2C = *h2c
	drain := Duration{l.Drain}
	t.text("drain", &drain)
	if l.Drain = drain.Duration; l.Drain < 0 || l.Drain > maxDrain {
		t.fail("drain", l.Drain.String(), "must be from 0s to %v", maxDrain)
	}
	t.texts("trusted_proxies", func() { l.Trusted = proxy.Trust{} }, l.Trusted.Add)
}

// leastToken is the length of a token in bytes. It is guessed at over the network, as often as
// somebody likes.
const leastToken = 16

// decodeToken reads admin_token, or admin_token_file and the file it names.
func (l *Listening) decodeToken(t *table, dir string) {
	key, failed := "admin_token", len(t.found)
	if t.holds("admin_token") && t.holds("admin_token_file") {
		t.fail("admin_token_file", nil, "stands beside admin_token: one of them is enough")
	}
	t.secret(key, &l.AdminToken)
	path := ""
	if t.string("admin_token_file", &path); path != "" {
		key = "admin_token_file"
		text, err := readSecret(absolute(path, dir))
		switch {
		case err != nil:
			t.fail(key, path, "cannot be read: %v", err)
		case text == "":
			t.fail(key, path, "the file is empty; it must hold what would stand in admin_token")
		default:
			l.AdminToken = Secret(text)
			t.noteFile(absolute(path, dir))
		}
	}
	token := l.AdminToken.Reveal()
	if token != "" && len(t.found) == failed && (len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })) {
		t.fail(key, l.AdminToken, "must have at least %d letters, digits or signs, and no spaces: for example the output of openssl rand -hex 24", leastToken)
	}
}

// addresses reads one address, or a list of them; "" is none.
func (t *table) addresses(key string, dst *[]Address) {
	add := func(text string) error {
		var a Address
		err := a.UnmarshalText([]byte(text))
		switch {
		case err != nil || a == "":
			return err
		case slices.ContainsFunc(*dst, a.Same):
			return errors.New("stands there twice")
		}
		*dst = append(*dst, a)
		return nil
	}
	if _, list := t.values[key].([]any); list {
		t.texts(key, func() { *dst = nil }, add)
		return
	}
	one := ""
	if _, given := t.values[key]; given {
		failed := len(t.found)
		if t.string(key, &one); len(t.found) > failed {
			return
		}
		before := *dst
		*dst = nil
		if err := add(one); err != nil {
			t.fail(key, one, "%s", t.reason(key, err))
			*dst = before
		}
		return
	}
	t.take(key)
}

// validate checks what concerns more than one key, and returns warnings.
func (l *Listening) validate(p *problems) (warnings []string) {
	add := func(key, value, message string) {
		p.found = append(p.found, Problem{Line: p.lines.line(key), Key: key, Value: value, Message: message})
	}
	if len(l.Listen) == 0 {
		add("listen", `""`, "must not be empty")
	}
	for _, a := range l.Admin {
		if slices.ContainsFunc(l.Listen, a.Same) {
			add("admin", written(string(a)), "must differ from listen")
		}
		if l.AdminToken == "" && !a.Local() && !slices.ContainsFunc(p.found, func(p Problem) bool { return strings.HasPrefix(p.Key, "admin_token") }) {
			add("admin", written(string(a)), "can be reached from other machines: that needs admin_token or admin_token_file")
		}
	}
	switch {
	case l.TLSCert != "" && l.TLSKey == "":
		add("tls_cert", "", "needs tls_key beside it")
	case l.TLSCert == "" && l.TLSKey != "":
		add("tls_key", "", "needs tls_cert beside it")
	case l.TLSCert != "":
		if _, err := tls.LoadX509KeyPair(l.TLSCert, l.TLSKey); err != nil {
			// no error: while it is renewed the files may not match for a moment
			warnings = append(warnings, fmt.Sprintf("tls_cert: the certificate cannot be used: %v", err))
		}
	}
	return warnings
}

// decodeUpstream reads where a site's requests are passed to.
func (s *Site) decodeUpstream(t *table, dir string) {
	t.text("upstream", &s.Upstream)
	timeout := Duration{s.UpstreamTimeout}
	t.text("upstream_timeout", &timeout)
	if s.UpstreamTimeout = timeout.Duration; s.UpstreamTimeout < 0 || s.UpstreamTimeout > maxUpstreamTimeout {
		t.fail("upstream_timeout", s.UpstreamTimeout.String(), "must be from 0s (no limit) to %v", maxUpstreamTimeout)
	}
	if _, given := t.values["upstream_ca"]; !given {
		t.take("upstream_ca")
		return
	}
	path := ""
	s.UpstreamCA, s.UpstreamCAFile = "", ""
	if t.string("upstream_ca", &path); path == "" {
		return
	}
	s.UpstreamCAFile = absolute(path, dir)
	pem, err := readSecret(s.UpstreamCAFile)
	switch {
	case err != nil:
		t.fail("upstream_ca", path, "cannot be read: %v", err)
	case !x509.NewCertPool().AppendCertsFromPEM([]byte(pem)):
		t.fail("upstream_ca", path, "holds no certificate in PEM form")
	default:
		s.UpstreamCA = pem
	}
}

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
			Handler:           s.bounded(part.handler),
			ReadHeaderTimeout: headerTimeout,
			WriteTimeout:      s.sendPatience,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeader,
			ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
			BaseContext:       func(net.Listener) context.Context { return base },
			ConnState:         e.connState,
			ConnContext:       withConn,
			Protocols:         new(http.Protocols),
			HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: min(s.sendPatience, stuckTimeout)},
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
// send more, and what is under way has until the end of the time. It tells whether all of it
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

// busy tells whether there are connections, in whatever state.
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
		r := (&http.Request{Method: http.MethodOptions, URL: &url.URL{Scheme: "http", Host: "localhost", Opaque: "*"}, Header: http.Header{}}).WithContext(ctx)
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
		if s.draining.Load() {
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
		if err := e.turns(ctx); err != nil && !s.draining.Load() {
			return err
		}
		return nil
	}
}

// tellReady tells systemd once every site had its first look at its database, or has taken
// too long over it.
func (s *Server) tellReady(ctx context.Context) {
	patience := time.NewTimer(firstPatience)
	defer patience.Stop()
	for _, w := range s.running() {
		select {
		case <-w.first:
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
