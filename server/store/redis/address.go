package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/store"

	"github.com/gomodule/redigo/redis"
)

// address is the location of a Redis or Valkey:
//
//	redis://user:password@host:6379/0?prefix=name
//
// The scheme rediss means a TLS connection. The server's certificate is then verified by the authorities of the system, or by
// those in the file that the parameter ca names.
type address struct {
	url    string // as redigo takes it
	shown  string // without user, password and query
	prefix string
	tls    *tls.Config // nil without TLS
}

// String is the address without user and password.
func (a *address) String() string { return a.shown }

var schemes = []string{"redis", "rediss"}

const form = "redis:// or rediss:// (by TLS)"

var (
	// locationForm matches an address without its query. In user and password, / ? # @ and , must be escaped.
	locationForm = regexp.MustCompile(`^rediss?://(?:[^/?#@,]*@)?(?:[^/?#@,%:\[\]]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?(?:/[0-9]{0,5})?$`)
	prefixForm   = regexp.MustCompile(`^[A-Za-z0-9_.:-]{0,64}$`)
)

// parseAddress parses an address. The text of an error completes a sentence that begins with the word state. It contains no
// part of the address that may be a password.
func parseAddress(text string) (*address, error) {
	if scheme, _, _ := strings.Cut(text, "://"); !slices.Contains(schemes, scheme) {
		return nil, errors.New("must begin with " + form)
	}
	plain, query, _ := strings.Cut(text, "?")
	u, err := url.Parse(plain)
	if err != nil || !locationForm.MatchString(plain) {
		return nil, errors.New("must be redis://user:password@host:port/0; what is no letter or digit in user and password " +
			"must be escaped, such as / by %2F and % by %25")
	}
	a := &address{url: strings.TrimSuffix(plain, "/"), shown: u.Scheme + "://" + u.Host + u.Path}
	if u.Scheme == "rediss" {
		a.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("is not escaped correctly after ?")
	}
	for name := range values {
		switch value := values.Get(name); {
		case name == "prefix" && prefixForm.MatchString(value):
			a.prefix = value + ":"
		case name == "prefix":
			return nil, errors.New("must have as prefix up to 64 letters, digits and . _ : -")
		case name == "ca" && a.tls != nil:
			authorities, err := os.ReadFile(value)
			a.tls.RootCAs = x509.NewCertPool()
			switch {
			case err != nil:
				return nil, fmt.Errorf("names a file of ca that cannot be read: %w", errors.Unwrap(err))
			case !a.tls.RootCAs.AppendCertsFromPEM(authorities):
				return nil, errors.New("names a file of ca that holds no certificate in PEM")
			}
		default:
			return nil, errors.New("can be followed by ?prefix= only, and with rediss by ca=")
		}
	}
	return a, nil
}

// pool returns a pool of connections. The pool connects when it is first used.
func (a *address) pool() *redis.Pool {
	return &redis.Pool{
		MaxActive: poolSize, MaxIdle: poolSize, Wait: true, IdleTimeout: 5 * time.Minute,
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			return redis.DialURLContext(ctx, a.url, redis.DialTLSConfig(a.tls),
				redis.DialConnectTimeout(dialTimeout), redis.DialReadTimeout(writeTimeout), redis.DialWriteTimeout(writeTimeout))
		},
	}
}

// root is the beginning of all keys.
func (a *address) root() string { return "wpsitemapd:" + a.prefix + store.Version + ":" }

// probeTimeout is how long a probe waits for an answer.
const probeTimeout = 10 * time.Second

// probe returns why a Redis cannot be used, and what to do. It returns "" if the Redis can be used.
func probe(ctx context.Context, location string) string {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	a, err := parseAddress(location)
	if err != nil {
		return fmt.Sprintf("state %v; correct it in the configuration", err)
	}
	b := &blobs{root: a.root(), pool: a.pool()}
	defer b.Close()
	if _, err = b.Stats(ctx, nil); err != nil {
		return fmt.Sprintf("state %v cannot be used: %v; check that the Redis runs and can be reached with this address", a, err)
	}
	return ""
}
