package wp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A wp-config.php that a pattern has found is a stranger's, and names the database server that the daemon connects to. So the operator
// lists the servers that such a file may name, besides those of this machine.

// CheckServer says what is wrong with a pattern of database servers: host, host:port, or the path of a socket. Without a
// port it means MySQL's port; * and ? stand for letters, as in paths.
func CheckServer(pattern string) error {
	host, port := splitServer(pattern)
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case filepath.IsAbs(pattern):
	case host == "" || strings.ContainsAny(pattern, "/ "):
		return errors.New(`must be a database server such as "db1.internal:3306", or the path of a socket`)
	case !strings.ContainsAny(port, "*?[") && (err != nil || n == 0):
		return errors.New("the port must be a number from 1 to 65535")
	}
	for _, part := range []string{host, port} {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("is not a valid pattern: %w", err)
		}
	}
	return nil
}

// splitServer splits a pattern, or the address of a server. A path is a host.
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

// DatabaseSockets are sockets of MariaDB's and MySQL's packages. They lie in folders that only root and the account of the server write to.
var DatabaseSockets = []string{
	"/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/run/mysql/mysql.sock", "/var/lib/mysqld/mysqld.sock",
}

// allowed returns the address by which a server that a found wp-config.php names is connected to, and an error where it must not be.
func (src *Source) allowed(network, addr string) (string, error) {
	if src.Within == "" {
		return addr, nil
	}
	if network == "unix" && filepath.IsAbs(addr) {
		addr = filepath.Clean(addr)
	}
	host, port := splitServer(addr)
	own := slices.Contains(DatabaseSockets, addr)
	if network != "unix" && port == mysqlPort {
		ip, err := netip.ParseAddr(host)
		own = host == "localhost" || err == nil && ip.IsLoopback()
	}
	if own || slices.ContainsFunc(src.Servers, func(pattern string) bool {
		patternHost, patternPort := splitServer(pattern)
		hostMatches, _ := path.Match(patternHost, host)
		portMatches, _ := path.Match(patternPort, port)
		return hostMatches && portMatches
	}) {
		return addr, nil
	}
	return "", fmt.Errorf("wp-config.php names the database server %s, which the configuration does not allow; "+
		"if it is one of yours, add to its [[discover]]: db_hosts = [%q]", addr, addr)
}
