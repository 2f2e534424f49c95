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

// Administrator is a connection as root to a database server on this machine, through its socket. It creates and drops
// accounts.
type Administrator struct {
	Socket string
	conn   *sql.DB
}

const (
	sqlPort     = `SELECT @@port`
	sqlAccounts = `SELECT COUNT(*) FROM mysql.user WHERE User = ? AND Host = ?`
)

// OpenAdministrator connects as root through a socket.
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
		return nil, fmt.Errorf("root cannot log in at %s: %w", socket, err)
	}
	return a, nil
}

func (a *Administrator) Close() error { return a.conn.Close() }

// HasAccount reports whether an account exists, given as user@host.
func (a *Administrator) HasAccount(ctx context.Context, account string) (bool, error) {
	user, host := db.SplitAccount(account)
	var n int
	err := a.conn.QueryRowContext(ctx, sqlAccounts, user, host).Scan(&n)
	return n > 0, err
}

// Run executes statements that Grants.Statements returned.
func (a *Administrator) Run(ctx context.Context, statements []string) error {
	for _, s := range statements {
		if _, err := a.conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// DropAccount drops an account if it exists.
func (a *Administrator) DropAccount(ctx context.Context, account string) error {
	return a.Run(ctx, []string{"DROP USER IF EXISTS " + db.QuoteAccount(account)})
}

// Knows returns nil if the administrator's server accepts the user and the password in the wp-config.php of a source, and no
// other password. If not, Knows returns the reason.
//
// Knows connects through the administrator's socket, and not to the server that wp-config.php names. A tenant may run that
// server, so that it accepts any password.
func (a *Administrator) Knows(ctx context.Context, src Source) error {
	n, err := prepare(ctx, src)
	if err != nil {
		return err
	}
	named, err := n.config.Database()
	if err != nil {
		return err
	}
	if err := a.confirm(ctx, named.Network, named.Addr); err != nil {
		return err
	}
	n.source.Socket = a.Socket
	at, err := n.where("")
	if err != nil {
		return err
	}
	cfg := at.cfg
	if err = canLogIn(ctx, cfg); err != nil {
		return fmt.Errorf("the server does not let %s in: %w", login(cfg), err)
	}
	cfg.Passwd = rand.Text()
	if canLogIn(ctx, cfg) == nil { // the socket accepts the user of this process, or everybody
		return fmt.Errorf("the server lets %s in with any password", login(cfg))
	}
	return nil
}

// confirm returns an error if another server than the administrator's listens at addr. network is "tcp" or "unix".
func (a *Administrator) confirm(ctx context.Context, network, addr string) error {
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
	return fmt.Errorf("it names the database server %s, but root can log in only at %s", addr, a.Socket)
}

func sameFile(a, b string) bool {
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(of, other)
}

// canLogIn returns why an account cannot log in, or nil if it can.
func canLogIn(ctx context.Context, cfg *mysql.Config) error {
	d, err := db.OpenMySQL(ctx, cfg, db.Options{})
	if err != nil {
		return err
	}
	return d.Close()
}

// Statements returns the statements that give an account its rights.
func (g *Grants) Statements(account string) []string {
	all := make([]string, len(g.Tables))
	for i, t := range g.Tables {
		all[i] = g.To(account, t)
	}
	return all
}

// Server returns the address of the server.
func (g *Grants) Server() string { return db.ServerName(g.server) }

// DSN returns the DSN of the database for another account.
func (g *Grants) DSN(user, password string) string {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName, cfg.TLSConfig = user, password, g.server.Net, g.server.Addr, g.Schema, g.server.TLSConfig
	return cfg.FormatDSN()
}

// administratorTimeout limits the time for connecting.
const administratorTimeout = 5 * time.Second
