package listen

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// expiryNotice is how long before its end a certificate counts as ending soon. A third of its life counts if that is shorter.
const expiryNotice = 14 * 24 * time.Hour

// Certificate is a certificate with its key. It keeps the last usable content of their files.
type Certificate struct {
	certFile, keyFile string
	current           atomic.Pointer[tls.Certificate]
}

// LoadCertificate reads two PEM files: the certificate with the chain that signed it, and its key.
func LoadCertificate(certFile, keyFile string) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile}
	_, err := c.Reload()
	return c, err
}

// Reload reads the files again, and reports whether the certificate has changed. If the files cannot be used, it returns an
// error and keeps the previous certificate.
func (c *Certificate) Reload() (changed bool, err error) {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return false, fmt.Errorf("the certificate %s and the key %s do not load: %w: both files must be readable, in PEM, and belong together",
			c.certFile, c.keyFile, err)
	}
	before := c.current.Swap(&pair)
	return before == nil || !slices.EqualFunc(pair.Certificate, before.Certificate, bytes.Equal), nil
}

// End returns when the certificate ends, and whether that is soon or already past.
func (c *Certificate) End(now time.Time) (end time.Time, soon bool) {
	leaf := c.current.Load().Leaf
	return leaf.NotAfter.UTC(), leaf.NotAfter.Sub(now) <= min(expiryNotice, leaf.NotAfter.Sub(leaf.NotBefore)/3)
}

// Config returns the settings for a TLS server with this certificate.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}
