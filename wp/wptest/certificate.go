package wptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Certificate returns a self-signed certificate for a name and for addresses, and its key, both in PEM.
func Certificate(t testing.TB, name string, from, until time.Time, addresses ...net.IP) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Must(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	Must(t, err)
	template := &x509.Certificate{
		SerialNumber: serial, NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{name}, IPAddresses: addresses,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	Must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	Must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// WriteCertificate writes a certificate for a name and for loopback to tls.crt in a folder, and its key to tls.key.
func WriteCertificate(t testing.TB, dir, name string) (certFile, keyFile string) {
	t.Helper()
	cert, key := Certificate(t, name, time.Now().Add(-time.Hour), time.Now().Add(90*24*time.Hour), net.IPv4(127, 0, 0, 1), net.IPv6loopback)
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for path, text := range map[string][]byte{certFile: cert, keyFile: key} {
		Must(t, os.WriteFile(path, text, 0o600))
	}
	return certFile, keyFile
}
