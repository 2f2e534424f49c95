package listen

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
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

	maxPEM = 1 << 20 // bytes of one file
)

// Certificate is a certificate with its key that follows its files.
type Certificate struct {
	certFile, keyFile string
	now               func() time.Time
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]

	// Of Watch alone: hashes of the files' content.
	inForce, odd, refused [sha256.Size]byte // odd could not be used when it was read last; refused was logged
	warned                time.Time
}

// LoadCertificate reads a pair of PEM files: the certificate with the chain that signed it,
// and its key.
func LoadCertificate(certFile, keyFile string, now func() time.Time, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, now: now, log: log}
	pair, sum, err := c.read()
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	c.inForce = sum
	c.current.Store(pair)
	c.warn()
	return c, nil
}

// read returns the pair of the files and a hash of their content, the latter also when they cannot be used.
func (c *Certificate) read() (*tls.Certificate, [sha256.Size]byte, error) {
	cert, err := readPEM(c.certFile)
	if err != nil {
		return nil, sha256.Sum256([]byte(err.Error())), err
	}
	key, err := readPEM(c.keyFile)
	if err != nil {
		return nil, sha256.Sum256([]byte(err.Error())), err
	}
	sum := sha256.Sum256(append(append(append([]byte{}, cert...), 0), key...))
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, sum, fmt.Errorf("%s with %s: %w", c.certFile, c.keyFile, err)
	}
	return &pair, sum, nil
}

func readPEM(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if err == nil && len(text) > maxPEM {
		err = errors.New(path + " is too large for a PEM file")
	}
	return text, err
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
	pair, sum, err := c.read()
	switch {
	case err != nil && sum == c.refused:
	case err != nil && sum == c.odd:
		c.refused = sum
		c.log.Error("the new certificate cannot be used; the previous one stays in use",
			"reason", err, "hint", "put matching files at tls_cert and tls_key")
	case err != nil:
		c.odd = sum // the other file may be on its way
	default:
		c.odd, c.refused = [sha256.Size]byte{}, [sha256.Size]byte{}
		if sum == c.inForce {
			break
		}
		c.inForce = sum
		c.current.Store(pair)
		c.warned = time.Time{}
		c.log.Info("certificate reloaded", "names", pair.Leaf.DNSNames, "until", pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
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

func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}
