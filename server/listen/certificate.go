package listen

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"
)

const (
	// certificateInterval is how often the files are read. Reading them, and not watching, finds
	// every way a certificate is renewed: written in place, renamed over, or behind a symbolic
	// link that is switched, be it its own (certbot) or a folder's (Kubernetes).
	certificateInterval = 3 * time.Second
	// expiryNotice is how long before its end a certificate is warned of, or a third of its
	// life where that is shorter; expiryRepeat is how often.
	expiryNotice = 14 * 24 * time.Hour
	expiryRepeat = 24 * time.Hour
)

// Certificate is a certificate with its key that follows its files.
type Certificate struct {
	certFile, keyFile string
	now               func() time.Time
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]

	// Of Watch alone.
	failed string // why the files could not be used when they were read last
	logged bool   // that reason was logged
	warned time.Time
}

// LoadCertificate reads a pair of PEM files: the certificate with the chain that signed it, and its key.
func LoadCertificate(certFile, keyFile string, now func() time.Time, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, now: now, log: log}
	pair, err := c.read()
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	c.current.Store(pair)
	c.warn()
	return c, nil
}

func (c *Certificate) read() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return nil, fmt.Errorf("%s with %s: %w", c.certFile, c.keyFile, err)
	}
	return &pair, nil
}

// Watch takes up new files until ctx ends. A pair that cannot be used is logged, and the one
// before it stays.
func (c *Certificate) Watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(certificateInterval):
			c.reload()
		}
	}
}

func (c *Certificate) reload() {
	pair, err := c.read()
	switch {
	case err == nil:
		c.failed, c.logged = "", false
		if slices.EqualFunc(pair.Certificate, c.current.Load().Certificate, bytes.Equal) {
			break
		}
		c.current.Store(pair)
		c.warned = time.Time{}
		c.log.Info("certificate reloaded", "names", pair.Leaf.DNSNames, "until", pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	case err.Error() != c.failed:
		c.failed, c.logged = err.Error(), false // the other file may be on its way
	case !c.logged:
		c.logged = true
		c.log.Error("the new certificate cannot be used; the previous one stays in use",
			"reason", err, "hint", "put matching files at tls_cert and tls_key")
	}
	c.warn()
}

// warn logs once a day that the certificate ends soon, or has ended.
func (c *Certificate) warn() {
	leaf, now := c.current.Load().Leaf, c.now()
	left := leaf.NotAfter.Sub(now)
	if left > min(expiryNotice, leaf.NotAfter.Sub(leaf.NotBefore)/3) || now.Sub(c.warned) < expiryRepeat {
		return
	}
	c.warned = now
	text := "the certificate ends soon"
	if left <= 0 {
		text = "the certificate has expired"
	}
	c.log.Warn(text, "until", leaf.NotAfter.UTC().Format(time.RFC3339), "file", c.certFile, "hint", "renew it; new files are loaded automatically")
}

// Config returns the settings of a server that speaks TLS with it.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}
