package wp

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wpconfig"
)

// Administrator is root of a database server on this machine, as its socket lets root in. It makes and drops accounts.
type Administrator struct {
	Socket string
	conn   *sql.DB
}

const (
	sqlPort     = `SELECT @@port`
	sqlAccounts = `SELECT COUNT(*) FROM mysql.user WHERE User = ? AND Host = ?`
)

// OpenAdministrator connects as root by a socket.
func OpenAdministrator(ctx context.Context, socket string) (*Administrator, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.Logger = "root", "unix", socket, &mysql.NopLogger{}
	cfg.Timeout, cfg.InterpolateParams = administratorTimeout, true
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	a := &Administrator{Socket: socket, conn: sql.OpenDB(connector)}
	if err := a.conn.PingContext(ctx); err != nil {
		a.Close()
		return nil, fmt.Errorf("root is not let in at %s: %w", socket, err)
	}
	return a, nil
}

// Close ends the connection.
func (a *Administrator) Close() error { return a.conn.Close() }

// HasAccount reports whether there is an account, user@host.
func (a *Administrator) HasAccount(ctx context.Context, account string) (bool, error) {
	user, host := db.SplitAccount(account)
	var n int
	err := a.conn.QueryRowContext(ctx, sqlAccounts, user, host).Scan(&n)
	return n > 0, err
}

// Run runs statements of Grants.Statements.
func (a *Administrator) Run(ctx context.Context, statements []string) error {
	for _, s := range statements {
		if _, err := a.conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// DropAccount removes an account.
func (a *Administrator) DropAccount(ctx context.Context, account string) error {
	return a.Run(ctx, []string{"DROP USER IF EXISTS " + db.QuoteAccount(account)})
}

// Administrator connects as root to the server that Grants are about, where it is on this machine.
func (g *Grants) Administrator(ctx context.Context) (*Administrator, error) {
	if g.server.Net == "unix" {
		return OpenAdministrator(ctx, g.server.Addr)
	}
	host, port, err := net.SplitHostPort(g.server.Addr)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("the database server %s is not on this machine", g.server.Addr)
	}
	for _, socket := range wpconfig.UsualSockets {
		a, err := OpenAdministrator(ctx, socket)
		if err != nil {
			continue
		}
		var is int
		if err := a.conn.QueryRowContext(ctx, sqlPort).Scan(&is); err == nil && strconv.Itoa(is) == port {
			return a, nil
		}
		a.Close()
	}
	return nil, fmt.Errorf("root is let in at no socket of the database server %s", g.server.Addr)
}

// Statements give an account its rights.
func (g *Grants) Statements(account string) []string {
	all := make([]string, len(g.Tables))
	for i, t := range g.Tables {
		all[i] = g.To(account, t)
	}
	return all
}

// Server is the server's address.
func (g *Grants) Server() string { return db.ServerName(g.server) }

// DSN is the database for another account.
func (g *Grants) DSN(user, password string) string {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName, cfg.TLSConfig = user, password, g.server.Net, g.server.Addr, g.Schema, g.server.TLSConfig
	return cfg.FormatDSN()
}

// administratorTimeout is for the connection.
const administratorTimeout = 5 * time.Second
