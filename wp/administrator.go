package wp

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
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

// Knows returns why the wp-config.php of a source does not have the password of its account at this server; nil if it
// has. The source is asked for at the administrator's socket, whatever server wp-config.php names: that server may belong to
// the people of the install, and answer anything.
func (a *Administrator) Knows(ctx context.Context, src Source) error {
	n, err := prepare(ctx, src)
	if err != nil {
		return err
	}
	named, err := n.config.Database()
	if err != nil {
		return err
	}
	if err := a.is(ctx, named.Network, named.Addr); err != nil {
		return err
	}
	n.source.Socket = a.Socket
	_, _, cfg, err := n.where("")
	if err != nil {
		return err
	}
	if err = canLogIn(ctx, cfg); err != nil {
		return fmt.Errorf("%s is not let in: %w", login(cfg), err)
	}
	cfg.Passwd = rand.Text()
	if canLogIn(ctx, cfg) == nil { // the socket lets in whoever runs this program, or everybody
		return fmt.Errorf("%s is let in with any password", login(cfg))
	}
	return nil
}

// is returns an error if an address is not where the administrator's server listens.
func (a *Administrator) is(ctx context.Context, network, addr string) error {
	var listens string
	if err := a.conn.QueryRowContext(ctx, sqlPort).Scan(&listens); err != nil {
		return err
	}
	if network == "unix" && (addr == a.Socket || slices.Contains(DatabaseSockets, addr) && sameFile(addr, a.Socket)) {
		return nil
	}
	host, port := splitServer(addr)
	ip, err := netip.ParseAddr(host)
	if network != "unix" && port == listens && (host == "localhost" || err == nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("it names the database server %s, and root is let in at %s", addr, a.Socket)
}

func sameFile(a, b string) bool {
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(of, other)
}

// canLogIn returns why an account cannot log in.
func canLogIn(ctx context.Context, cfg *mysql.Config) error {
	d, err := db.OpenMySQL(ctx, cfg, db.Options{})
	if err != nil {
		return err
	}
	return d.Close()
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
