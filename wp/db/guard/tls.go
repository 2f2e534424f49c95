package guard

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Below TLS a guard would see nothing. So where the driver asks for TLS it is the guard that speaks it with the
// server, by the configuration of the site, and another one with the driver, which knows how to log in only when it
// has TLS itself. That one stays within the process: its certificate is made at the first need and never leaves it.

const relayName = "guard.invalid"

type certificates struct{ server, client *tls.Config }

var relayCertificates = sync.OnceValues(func() (certificates, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificates{}, err
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{relayName}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), // whatever the clock says
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		return certificates{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return certificates{}, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return certificates{
		server: &tls.Config{
			Certificates:           []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}},
			MinVersion:             tls.VersionTLS13,
			SessionTicketsDisabled: true,
		},
		client: &tls.Config{RootCAs: roots, ServerName: relayName, MinVersion: tls.VersionTLS13},
	}, nil
})

// TLS takes the TLS with the server out of a configuration, and puts that with a guard in its place. Without TLS it
// returns nil.
func TLS(cfg *mysql.Config) (func(net.Conn) (net.Conn, error), error) {
	outer := cfg.TLS
	if outer == nil {
		if cfg.TLSConfig == "" {
			return nil, nil
		}
		named := mysql.NewConfig() // which finds out what the name stands for
		named.Net, named.Addr, named.TLSConfig = cfg.Net, cfg.Addr, cfg.TLSConfig
		found, err := mysql.ParseDSN(named.FormatDSN())
		if err != nil || found.TLS == nil {
			return nil, err
		}
		outer = found.TLS
		cfg.AllowFallbackToPlaintext = cfg.AllowFallbackToPlaintext || found.AllowFallbackToPlaintext
	}
	own, err := relayCertificates()
	if err != nil {
		return nil, err
	}
	cfg.TLS, cfg.TLSConfig = own.client, ""
	return func(c net.Conn) (net.Conn, error) {
		secured := tls.Client(c, outer)
		return secured, secured.Handshake()
	}, nil
}

// upgrade begins TLS with the server, and with the driver.
func (g *guard) upgrade() error {
	if g.secure == nil {
		return g.fail(errors.New("TLS was not expected"))
	}
	own, err := relayCertificates()
	if err != nil {
		return g.fail(err)
	}
	if g.Conn, err = g.secure(g.raw); err != nil {
		return g.fail(err)
	}
	r := &relay{Conn: g.raw, shaking: true}
	r.cond.L = &r.mu
	r.inner = tls.Server(r, own.server)
	g.secured.Store(r)
	go func() {
		err := r.inner.Handshake()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.shaking, r.err = false, err
		r.cond.Broadcast()
	}()
	return nil
}

func (g *guard) readSecured(r *relay, b []byte) (int, error) {
	for {
		n, err := r.take(b)
		if n > 0 || err != nil {
			return n, err
		}
		if err := g.passOn(r); err != nil {
			return 0, err
		}
		chunk := make([]byte, len(b))
		n, err = g.receive(chunk)
		if n == 0 && err != nil {
			return 0, err
		}
		if _, err := r.inner.Write(chunk[:n]); err != nil {
			return 0, err
		}
	}
}

func (g *guard) writeSecured(r *relay, b []byte) (int, error) {
	if shaking, err := r.give(b); shaking || err != nil {
		return len(b), err
	}
	if err := g.passOn(r); err != nil {
		return 0, err
	}
	return len(b), nil
}

// passOn sends the server what the driver has written so far.
func (g *guard) passOn(r *relay) error {
	var chunk [4 << 10]byte
	for {
		n, err := r.inner.Read(chunk[:])
		if n > 0 {
			if err := g.send(chunk[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, errNothingYet) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// relay is the guard's end of the TLS with the driver. Only its handshake waits for what comes.
type relay struct {
	net.Conn // for addresses and deadlines
	inner    *tls.Conn

	mu      sync.Mutex
	cond    sync.Cond
	in, out bytes.Buffer
	shaking bool
	closed  bool
	err     error
}

// errNothingYet is what the TLS with the driver gets where there is nothing to read. It goes on after a temporary
// error.
var errNothingYet net.Error = nothingYet{}

type nothingYet struct{}

func (nothingYet) Error() string   { return "nothing to read yet" }
func (nothingYet) Timeout() bool   { return true }
func (nothingYet) Temporary() bool { return true }

// Read is for the TLS with the driver.
func (r *relay) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.in.Len() == 0 {
		if r.closed {
			return 0, net.ErrClosed
		}
		if !r.shaking {
			return 0, errNothingYet
		}
		r.cond.Wait()
	}
	return r.in.Read(b)
}

// Write is for the TLS with the driver.
func (r *relay) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, net.ErrClosed
	}
	r.cond.Broadcast()
	return r.out.Write(b)
}

// take returns what is there for the driver; nothing once the handshake is over.
func (r *relay) take(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.out.Len() == 0 && r.shaking && !r.closed {
		r.cond.Wait()
	}
	switch {
	case r.out.Len() > 0:
		return r.out.Read(b)
	case r.closed:
		return 0, net.ErrClosed
	}
	return 0, r.err
}

// give takes what the driver writes, and reports whether it is for the handshake.
func (r *relay) give(b []byte) (shaking bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false, net.ErrClosed
	}
	r.in.Write(b)
	r.cond.Broadcast()
	return r.shaking, r.err
}

// Close ends the waiting; the connection below is the guard's.
func (r *relay) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.cond.Broadcast()
	return nil
}

func (*relay) SetDeadline(time.Time) error      { return nil }
func (*relay) SetReadDeadline(time.Time) error  { return nil }
func (*relay) SetWriteDeadline(time.Time) error { return nil }
