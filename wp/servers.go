package wp

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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

// allowed returns the address by which a server that a found wp-config.php names is connected to, and an error where it
// must not be. For a socket that is its path without symbolic links, which might change.
func (src *Source) allowed(network, addr string) (string, error) {
	if src.Within == "" {
		return addr, nil
	}
	real, own := addr, false
	switch host, port := splitServer(addr); {
	case network == "unix" && !filepath.IsAbs(addr):
	case network == "unix":
		var err error
		if real, err = resolve(addr); err != nil {
			return "", fmt.Errorf("socket of the database: %w", err)
		}
		own = onlyDatabase(filepath.Dir(real))
	case port == mysqlPort:
		ip, err := netip.ParseAddr(host)
		own = host == "localhost" || err == nil && ip.IsLoopback()
	}
	if own {
		return real, nil
	}
	host, port := splitServer(real)
	for _, pattern := range src.Servers {
		patternHost, patternPort := splitServer(pattern)
		hostMatches, _ := path.Match(patternHost, host)
		if network == "unix" && !hostMatches { // as wp-config.php and the operator write it, with the same links in it
			hostMatches, _ = path.Match(patternHost, addr)
		}
		portMatches, _ := path.Match(patternPort, port)
		if hostMatches && portMatches {
			return real, nil
		}
	}
	return "", fmt.Errorf("wp-config.php names the database server %s, which the configuration does not allow; "+
		"if it is one of yours, add to its [[discover]]: db_hosts = [%q]", addr, real)
}

// resolve follows the symbolic links of a path, of which the last part may be missing.
func resolve(name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(name); err == nil {
		return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("a symbolic link that leads nowhere")}
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	return filepath.Join(dir, filepath.Base(name)), err
}

// databaseAccount is the account that packages of MariaDB and MySQL run the server as.
const databaseAccount = "mysql"

// onlyDatabase reports whether nobody but root and the account of the database can put anything into a folder, or another
// one in its place.
func onlyDatabase(dir string) bool {
	account := uint32(0)
	if u, err := user.Lookup(databaseAccount); err == nil {
		if id, err := strconv.ParseUint(u.Uid, 10, 32); err == nil {
			account = uint32(id)
		}
	}
	for on := dir; ; on = filepath.Dir(on) {
		info, err := os.Lstat(on)
		if err != nil || !info.IsDir() {
			return false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || stat.Uid != 0 && stat.Uid != account {
			return false
		}
		sticky := info.Mode()&fs.ModeSticky != 0 && on != dir // nobody moves what is another's
		if info.Mode().Perm()&0o022 != 0 && !sticky && !(info.Mode().Perm()&0o002 == 0 && stat.Gid == 0) {
			return false
		}
		if on == "/" {
			return true
		}
	}
}
