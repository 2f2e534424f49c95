package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/store"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// address is where a Redis or Valkey is, one server, a Sentinel or a Cluster:
//
//	redis://user:password@host:6379/0?prefix=name
//	redis+sentinel://user:password@host1:26379,host2/master/0?sentinel_password=…
//	redis+cluster://user:password@host1:6379,host2
//
// With rediss in place of redis the connection is TLS, and the server's certificate is verified, by the
// authorities of the system or those of the file ca.
type address struct {
	options redis.UniversalOptions
	prefix  string
	shown   string // without users and passwords
}

// String is the address without users and passwords.
func (a *address) String() string { return a.shown }

var schemes = []string{"redis", "rediss", "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster"}

const form = "redis://, rediss://, redis+sentinel:// or redis+cluster:// (with rediss for TLS)"

// probeTimeout is how long a Redis may take to answer a probe.
const probeTimeout = 10 * time.Second

func probe(ctx context.Context, address string) string {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	a, err := parseAddress(address)
	if err == nil {
		err = a.Ping(ctx)
	}
	if err != nil {
		return fmt.Sprintf("state %v cannot be used: %v; see that the Redis runs and can be reached with this address", a, err)
	}
	return ""
}

var (
	prefixForm = regexp.MustCompile(`^[A-Za-z0-9_.:-]{0,64}$`)
	masterForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
)

// Ports where the address names none.
const (
	redisPort    = "6379"
	sentinelPort = "26379"
)

// parseAddress reads an address. No error holds a part of it that may be a password.
func parseAddress(text string) (*address, error) {
	scheme, rest, _ := strings.Cut(text, "://")
	base, kind, _ := strings.Cut(scheme, "+")
	if !slices.Contains(schemes, scheme) {
		return nil, errors.New("must begin with " + form)
	}
	rest, query, _ := strings.Cut(rest, "?")
	a := &address{}
	o := &a.options
	// A password may hold a slash that is not escaped, a host none.
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, password, _ := strings.Cut(rest[:at], ":")
		var err, other error
		o.Username, err = url.PathUnescape(user)
		o.Password, other = url.PathUnescape(password)
		if err != nil || other != nil {
			return nil, errors.New("user or password is not escaped: % must be written as %25")
		}
		rest = rest[at+1:]
	}
	hosts, path, _ := strings.Cut(rest, "/")
	port := redisPort
	if kind == "sentinel" {
		port = sentinelPort
	}
	for host := range strings.SplitSeq(hosts, ",") {
		address, err := hostPort(host, port)
		if err != nil {
			return nil, err
		}
		o.Addrs = append(o.Addrs, address)
	}
	if kind == "" && len(o.Addrs) > 1 {
		return nil, errors.New("names several servers: that is redis+sentinel:// or redis+cluster://")
	}
	if kind == "sentinel" {
		o.MasterName, path, _ = strings.Cut(path, "/")
		if !masterForm.MatchString(o.MasterName) {
			return nil, errors.New("must name the master behind the hosts, such as redis+sentinel://host1,host2/mymaster")
		}
	}
	if path = strings.TrimSuffix(path, "/"); path != "" {
		n, err := strconv.Atoi(path)
		if err != nil || n < 0 || n > 65535 || kind == "cluster" && n != 0 {
			return nil, errors.New("what follows the host must be the number of a database, and a cluster has none but 0")
		}
		o.DB = n
	}
	o.IsClusterMode = kind == "cluster"
	if err := a.parseQuery(query, kind, base == "rediss"); err != nil {
		return nil, err
	}
	a.shown = scheme + "://" + strings.Join(o.Addrs, ",")
	if o.MasterName != "" {
		a.shown += "/" + o.MasterName
	}
	return a, nil
}

func (a *address) parseQuery(query, kind string, secure bool) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("what follows ? is not escaped")
	}
	authorities := ""
	for name, all := range values {
		value := all[len(all)-1]
		switch {
		case name == "prefix":
			if !prefixForm.MatchString(value) {
				return errors.New("prefix must be up to 64 letters, digits and . _ : -")
			}
			a.prefix = value
		case name == "sentinel_user" && kind == "sentinel":
			a.options.SentinelUsername = value
		case name == "sentinel_password" && kind == "sentinel":
			a.options.SentinelPassword = value
		case name == "ca" && secure:
			authorities = value
		default:
			return errors.New("can be followed by ?prefix= only, with rediss by ca=, with a Sentinel by sentinel_user= and sentinel_password=")
		}
	}
	if !secure {
		return nil
	}
	a.options.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if authorities == "" {
		return nil
	}
	text, err := os.ReadFile(authorities)
	if err != nil {
		return errors.New("the file that ca names cannot be read")
	}
	a.options.TLSConfig.RootCAs = x509.NewCertPool()
	if !a.options.TLSConfig.RootCAs.AppendCertsFromPEM(text) {
		return errors.New("the file that ca names holds no certificate in PEM")
	}
	return nil
}

// hostPort returns host and port of a server, whose port may be missing.
func hostPort(text, port string) (string, error) {
	host := text
	if h, p, err := net.SplitHostPort(text); err == nil {
		host, port = h, p
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 || host == "" || strings.ContainsAny(host, " \t\r\n%\"") ||
		strings.Contains(host, ":") && net.ParseIP(host) == nil {
		return "", errors.New("must name host, or host:port with a port from 1 to 65535")
	}
	return net.JoinHostPort(host, port), nil
}

// connect returns a client. It connects when it is first used.
func (a *address) connect() redis.UniversalClient {
	o := a.options
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1 // what failed is tried again by us, and later
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = dialTimeout, writeTimeout, writeTimeout
	o.DialerRetries = 1
	o.PoolSize = poolSize
	o.ConnMaxIdleTime = 5 * time.Minute
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewUniversalClient(&o)
}

func (a *address) root() string {
	root := "wpsitemapd:"
	if a.prefix != "" {
		root += a.prefix + ":"
	}
	return root + store.Version + ":"
}

// Ping reports why a Redis does not answer, nil where it does.
func (a *address) Ping(ctx context.Context) error {
	client := a.connect()
	defer client.Close()
	return client.Ping(ctx).Err()
}
