package wp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
)

// A wp-config.php that a pattern has found belongs to a stranger, and it names the database server to connect to. So
// the operator lists the servers that such a file may name. This machine's servers at the usual sockets and MySQL's
// port are always allowed.

// CheckServer returns what is wrong with a pattern of database servers, or nil. A pattern is host, host:port, or the
// path of a socket. Without a port, it means MySQL's port. * and ? match any characters but a slash, as in path.Match.
func CheckServer(pattern string) error {
	host, port := splitServer(pattern)
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case filepath.IsAbs(pattern):
	case host == "" || strings.ContainsAny(pattern, "/ "):
		return errors.New(`must be a database server such as "db1.internal:3306", or the path of a socket`)
	case strings.ContainsAny(host+port, "[]"):
		return errors.New("may contain * and ?, and brackets only around an IPv6 address")
	case !strings.ContainsAny(port, "*?") && (err != nil || n == 0):
		return errors.New("the port must be a number from 1 to 65535")
	}
	for _, part := range []string{host, port} {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("is not a valid pattern: %w", err)
		}
	}
	return nil
}

// splitServer splits a pattern or an address of a server. A path counts as a host.
func splitServer(server string) (host, port string) {
	if filepath.IsAbs(server) {
		return server, ""
	}
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		host, port = strings.Trim(server, "[]"), mysqlPort
	}
	return strings.ToLower(strings.TrimSuffix(host, ".")), port
}

const mysqlPort = "3306"

// DatabaseSockets are the sockets of the packages of MariaDB and MySQL. Only root and the account of the server can
// write to their folders.
var DatabaseSockets = []string{
	"/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/run/mysql/mysql.sock", "/var/lib/mysqld/mysqld.sock",
}

// chooseServer sets how to connect to the server that a wp-config.php names. For a discovered install, it returns an error
// unless the server is in db_hosts or on this machine. If Socket is set, it replaces the server,
// which need not be allowed then; the account of a discovered install is still checked.
func (src *Source) chooseServer(cfg *mysql.Config) error {
	if src.Within != "" {
		if err := checkAccount(cfg); err != nil {
			return err
		}
	}
	switch {
	case src.Socket != "":
		cfg.Net, cfg.Addr = "unix", src.Socket
		return nil
	case src.Within == "":
		return nil
	}
	if cfg.Net == "unix" && filepath.IsAbs(cfg.Addr) {
		cfg.Addr = filepath.Clean(cfg.Addr)
	}
	host, port := splitServer(cfg.Addr)
	ip, err := netip.ParseAddr(host)
	switch {
	case slices.ContainsFunc(src.Servers, func(pattern string) bool {
		patternHost, patternPort := splitServer(pattern)
		hostMatches, _ := path.Match(patternHost, host)
		portMatches, _ := path.Match(patternPort, port)
		return hostMatches && portMatches
	}):
	case cfg.Net == "unix" && slices.Contains(DatabaseSockets, cfg.Addr):
	case cfg.Net == "tcp" && port == mysqlPort && (host == "localhost" || err == nil && slices.Contains(ownAddresses, ip.String())):
		db.OnlySystem(cfg)
	default:
		return fmt.Errorf("wp-config.php names the database server %s, which the configuration does not allow. "+
			"If the server is yours, add to the [[discover]] that found the install: db_hosts = [%q]", cfg.Addr, cfg.Addr)
	}
	return nil
}

// ownAddresses are the addresses of this machine at which a database server may listen, at MySQL's port.
var ownAddresses = []string{"127.0.0.1", "::1"}

// checkAccount returns an error if a database server on this machine may let the account in without a password. Such accounts are one
// with an empty password, root, and one with the name of this process' user.
func checkAccount(cfg *mysql.Config) error {
	own := "root"
	if u, err := user.LookupId(strconv.Itoa(os.Geteuid())); err == nil {
		own = u.Username
	}
	switch {
	case cfg.Passwd == "":
		return errors.New("wp-config.php has no DB_PASSWORD, which an install of [[discover]] needs: set one, or write a dsn in [discover.site.NAME]")
	case cfg.User == "root" || cfg.User == own:
		return fmt.Errorf("wp-config.php names the database user %s, whom a socket may let in without a password. An install of "+
			"[[discover]] needs another user: set one, or write a dsn in [discover.site.NAME]", cfg.User)
	}
	return nil
}
