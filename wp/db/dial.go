package db

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db/guard"
)

// Login is an account of a server.
type Login struct {
	Addr           string
	User, Password string
	TLS            *tls.Config // with the guard of Dial; nil: none
	PlainToo       bool        // without TLS where the server has none
}

// Login returns the account by which the database is read.
func (d *DB) Login() (Login, error) {
	if d.config == nil {
		return Login{}, errors.New("a file has no account")
	}
	cfg, err := mysql.ParseDSN(d.config.FormatDSN()) // which finds the TLS configuration
	if err != nil {
		return Login{}, errors.New("the DSN cannot be written down")
	}
	if _, err := guard.TLS(cfg); err != nil {
		return Login{}, err
	}
	return Login{Addr: cfg.Addr, User: cfg.User, Password: cfg.Passwd, TLS: cfg.TLS, PlainToo: cfg.AllowFallbackToPlaintext}, nil
}

// Dial opens a connection to the server, for the TLS of Login and through a guard. It is one of those the Limiter counts.
func (d *DB) Dial(ctx context.Context) (net.Conn, error) {
	if d.pool == nil {
		return nil, errors.New("a file takes no connection")
	}
	s, err := d.pool.gate.acquire(ctx)
	if err != nil {
		return nil, err
	}
	secure, err := guard.TLS(d.config.Clone())
	if err != nil {
		s.release()
		return nil, err
	}
	dialer := net.Dialer{Timeout: d.config.Timeout, KeepAlive: 15 * time.Second}
	conn, err := dialer.DialContext(ctx, d.config.Net, d.config.Addr)
	if err != nil {
		s.release()
		return nil, err
	}
	return guard.Wrap(conn, secure, s.held()), nil
}
