package wpconfig

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"strings"
)

// Bits of MYSQL_CLIENT_FLAGS.
const (
	clientSSLNoVerify = 64
	clientSSL         = 2048
)

// usualSockets are the sockets of MySQL and MariaDB in Linux distributions.
var usualSockets = []string{
	"/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/run/mysql/mysql.sock",
	"/tmp/mysql.sock", "/var/mysql/mysql.sock", "/var/lib/mysqld/mysqld.sock",
}

// Database says where the tables are. Printing and logging leave out the password.
type Database struct {
	Engine string // "mysql" or "sqlite"

	// For MySQL:
	Name, User, Password string
	Network              string // "tcp" or "unix"
	Addr                 string // host:port, or the path of a socket
	Charset              string // DB_CHARSET, with utf8mb4 instead of utf8; "": the server's default
	TLS                  bool
	TLSSkipVerify        bool

	SQLitePath string // for SQLite: absolute path of the file
}

// String describes the database without its password.
func (d Database) String() string {
	if d.Engine == "sqlite" {
		return "sqlite:" + d.SQLitePath
	}
	return fmt.Sprintf("%s@%s(%s)/%s", d.User, d.Network, d.Addr, d.Name)
}

func (d Database) GoString() string { return d.String() }

func (d Database) LogValue() slog.Value { return slog.StringValue(d.String()) }

// Database returns the database that the configuration names. The error has a Problem for each constant that is
// missing or not known.
func (c *Config) Database() (Database, error) {
	engine, err := c.engine()
	if err != nil {
		return Database{}, err
	}
	if engine == "sqlite" {
		d, err := c.sqlite()
		if err == nil && c.opt.Within != "" {
			path, refused := c.files.settled(d.SQLitePath)
			if refused != nil {
				return Database{}, fmt.Errorf("the SQLite file %s is not read: %w; write a [[site]] for this install if you trust its users",
					d.SQLitePath, refused)
			}
			d.SQLitePath = path
		}
		return d, err
	}
	for i, name := range []string{"DB_NAME", "DB_USER", "DB_PASSWORD", "DB_HOST", "DB_CHARSET", "MYSQL_CLIENT_FLAGS"} {
		if _, ok := c.constant(name); ok || i > 3 && !c.defined(name) {
			continue
		}
		if problem := c.problem(name); err == nil {
			err = problem
		} else {
			err = fmt.Errorf("%w; %w", err, problem)
		}
	}
	if err != nil {
		return Database{}, err
	}
	get := func(name string) string { s, _ := c.String(name); return s }
	flags, _ := c.constant("MYSQL_CLIENT_FLAGS")
	d := Database{
		Engine: "mysql", Name: get("DB_NAME"), User: get("DB_USER"), Password: get("DB_PASSWORD"), Charset: c.Charset(),
		TLS: flags.Int()&clientSSL != 0, TLSSkipVerify: flags.Int()&(clientSSL|clientSSLNoVerify) == clientSSL|clientSSLNoVerify,
	}
	if d.Network, d.Addr, err = c.address(get("DB_HOST")); err != nil {
		return Database{}, err
	}
	return d, nil
}

// Charset returns DB_CHARSET as wpdb uses it, with utf8mb4 instead of utf8. It returns "" for the server's default,
// and if the constant is not known.
func (c *Config) Charset() string {
	charset, _ := c.String("DB_CHARSET")
	if !c.defined("DB_CHARSET") && c.Multisite() {
		charset = "utf8" // wpdb::init_charset()
	}
	if charset == "utf8" {
		charset = "utf8mb4" // wpdb::determine_charset()
	}
	return charset
}

// problem returns why a constant has no usable value.
func (c *Config) problem(name string) error {
	for _, p := range c.Unknown {
		if p.Name == name {
			return p
		}
	}
	b, ok := c.constants[name]
	if !ok {
		return c.missing(name)
	}
	return Problem{Name: name, File: b.file, Line: b.line, Why: "is no text", Setting: setting(name)}
}

// These are the forms of a host that wpdb::parse_db_host() accepts, after it has cut off the socket.
var (
	hostForm = regexp.MustCompile(`^([^:/]*)(?::(\d+))?`)
	ipv6Form = regexp.MustCompile(`^\[?([0-9a-fA-F:]+)(?:\]:(\d+))?`)
)

// address resolves DB_HOST as wpdb::parse_db_host() and PHP's driver do. For localhost, the driver ignores the port
// and uses a socket. If none of the usual sockets exists, address returns TCP at 127.0.0.1.
func (c *Config) address(dbHost string) (network, addr string, err error) {
	host, socket := dbHost, ""
	if i := strings.Index(dbHost, ":/"); i >= 0 {
		host, socket = dbHost[:i], dbHost[i+1:]
	}
	form := hostForm
	if strings.Count(host, ":") > 1 {
		form = ipv6Form
	}
	m := form.FindStringSubmatch(host)
	if m == nil {
		b := c.constants["DB_HOST"]
		return "", "", Problem{Name: "DB_HOST", File: b.file, Line: b.line,
			Why: "is no host that WordPress understands", Setting: setting("DB_HOST")}
	}
	host, port := m[1], strings.TrimLeft(m[2], "0")
	port = cmp.Or(port, "3306")
	if host != "" && !strings.EqualFold(host, "localhost") {
		return "tcp", net.JoinHostPort(host, port), nil
	}
	if socket != "" {
		return "unix", socket, nil
	}
	for _, s := range c.opt.sockets {
		if exists(s) {
			return "unix", s, nil
		}
	}
	return "tcp", "127.0.0.1:" + port, nil
}

// engine returns "sqlite" or "mysql". As in the SQLite integration plugin, the first of these that exists decides:
// DB_ENGINE, the plugin's drop-in, the older DATABASE_ENGINE.
func (c *Config) engine() (string, error) {
	name := "DB_ENGINE"
	if !c.defined(name) {
		if c.sqliteDropIn() {
			return "sqlite", nil
		}
		name = "DATABASE_ENGINE"
	}
	s, ok := c.String(name)
	switch {
	case c.defined(name) && !ok:
		return "", c.problem(name)
	case s == "sqlite":
		return s, nil
	}
	return "mysql", nil
}

// contentDir returns WP_CONTENT_DIR, or "" if it is not known.
func (c *Config) contentDir() string {
	if !c.defined("WP_CONTENT_DIR") {
		return filepath.Join(c.root, "wp-content")
	}
	dir, _ := c.String("WP_CONTENT_DIR")
	return c.absolute(dir)
}

// absolute resolves a relative path as PHP does, from the working directory. That is the folder of WordPress.
func (c *Config) absolute(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.root, name)
}

// sqliteDropIn reports whether wp-content/db.php is the drop-in of the SQLite plugin. WordPress uses that file to
// connect to its database.
func (c *Config) sqliteDropIn() bool {
	dir := c.contentDir()
	if dir == "" {
		return false
	}
	code, _ := ReadRegular(filepath.Join(dir, "db.php")) // no file: no drop-in
	s := string(code[:min(len(code), 64<<10)])
	return strings.Contains(s, "sqlite-database-integration") || strings.Contains(s, "SQLITE_DB_DROPIN_VERSION")
}

// sqlite finds the file as the plugin's constants.php does. If FQDB is defined, it is the path of the file. If not, the
// path consists of FQDBDIR and DB_FILE. The default of FQDBDIR is DB_DIR, or else WP_CONTENT_DIR/database. The default
// of DB_FILE is .ht.sqlite.
func (c *Config) sqlite() (Database, error) {
	names := []string{"FQDBDIR", "DB_DIR", "WP_CONTENT_DIR", "DB_FILE"}
	if c.defined("FQDB") {
		names = []string{"FQDB"}
	}
	for _, name := range names {
		if _, ok := c.String(name); c.defined(name) && !ok {
			return Database{}, c.problem(name)
		}
	}
	get := func(name, otherwise string) string {
		if s, ok := c.String(name); ok {
			return s
		}
		return otherwise
	}
	dir := get("FQDBDIR", strings.TrimRight(get("DB_DIR", c.contentDir()+"/database"), `/\`)+"/")
	file := get("FQDB", c.absolute(dir+get("DB_FILE", ".ht.sqlite")))
	return Database{Engine: "sqlite", SQLitePath: filepath.Clean(c.absolute(file))}, nil
}
