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
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/store"

	"github.com/gomodule/redigo/redis"
)

// address is where a Redis or Valkey is:
//
//	redis://user:password@host:6379/0?prefix=name
//
// With rediss in place of redis the connection is TLS, and the server's certificate is verified, by the
// authorities of the system or those of the file ca.
type address struct {
	url    string // as redigo takes it
	shown  string // without user, password and query
	prefix string
	tls    *tls.Config // nil without TLS
}

// String is the address without users and passwords.
func (a *address) String() string { return a.shown }

var schemes = []string{"redis", "rediss"}

const form = "redis:// or rediss:// (by TLS)"

var (
	prefixForm   = regexp.MustCompile(`^[A-Za-z0-9_.:-]{0,64}$`)
	databaseForm = regexp.MustCompile(`^/?[0-9]{0,5}$`)
)

// parseAddress reads an address. No error holds a part of it that may be a password.
func parseAddress(text string) (*address, error) {
	if scheme, _, _ := strings.Cut(text, "://"); !slices.Contains(schemes, scheme) {
		return nil, errors.New("must begin with " + form)
	}
	u, err := url.Parse(text)
	if err != nil || strings.ContainsAny(u.Host, ",%") {
		return nil, errors.New("must be redis://user:password@host:port/0; what is no letter or digit in user and password " +
			"must be escaped, such as / by %2F and % by %25")
	}
	if n, err := strconv.Atoi(u.Port()); u.Hostname() == "" || u.Port() != "" && (err != nil || n < 1 || n > 65535) {
		return nil, errors.New("must name host, or host:port with a port from 1 to 65535")
	}
	if !databaseForm.MatchString(u.Path) {
		return nil, errors.New("what follows the host must be the number of a database")
	}
	a := &address{shown: u.Scheme + "://" + u.Host + u.Path}
	if u.Scheme == "rediss" {
		a.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if err := a.parseQuery(u.RawQuery); err != nil {
		return nil, err
	}
	u.RawQuery, u.Path = "", strings.TrimSuffix(u.Path, "/")
	a.url = u.String()
	return a, nil
}

func (a *address) parseQuery(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("what follows ? is not escaped")
	}
	for name := range values {
		switch value := values.Get(name); {
		case name == "prefix" && prefixForm.MatchString(value):
			a.prefix = value + ":"
		case name == "prefix":
			return errors.New("prefix must be up to 64 letters, digits and . _ : -")
		case name == "ca" && a.tls != nil:
			authorities, err := os.ReadFile(value)
			if err != nil {
				return errors.New("the file that ca names cannot be read")
			}
			a.tls.RootCAs = x509.NewCertPool()
			if !a.tls.RootCAs.AppendCertsFromPEM(authorities) {
				return errors.New("the file that ca names holds no certificate in PEM")
			}
		default:
			return errors.New("can be followed by ?prefix= only, and with rediss by ca=")
		}
	}
	return nil
}

// pool returns a pool of connections. It connects when it is first used.
func (a *address) pool() *redis.Pool {
	return &redis.Pool{
		MaxActive: poolSize, MaxIdle: poolSize, Wait: true, IdleTimeout: 5 * time.Minute,
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			return redis.DialURLContext(ctx, a.url, redis.DialTLSConfig(a.tls),
				redis.DialConnectTimeout(dialTimeout), redis.DialReadTimeout(writeTimeout), redis.DialWriteTimeout(writeTimeout))
		},
	}
}

// root is what all keys begin with.
func (a *address) root() string { return "wpsitemapd:" + a.prefix + store.Version + ":" }

// probeTimeout is how long a Redis may take to answer a probe.
const probeTimeout = 10 * time.Second

// probe reports what to do about a Redis that does not answer, "" where it does.
func probe(ctx context.Context, location string) string {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	a, err := parseAddress(location)
	if err == nil {
		b := &blobs{root: a.root(), pool: a.pool()}
		defer b.Close()
		_, err = b.Stats(ctx, nil)
	}
	if err != nil {
		return fmt.Sprintf("state %v cannot be used: %v; see that the Redis runs and can be reached with this address", a, err)
	}
	return ""
}
