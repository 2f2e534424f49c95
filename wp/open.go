package wp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// openTimeout limits the time for opening a database, after Source.Turn has returned.
const openTimeout = 30 * time.Second

// Open finds the credentials, connects, and checks that the tables of WordPress exist. An error names the site, the
// place and what to do. It never contains a password.
func Open(ctx context.Context, src Source) (*Network, error) {
	n, err := prepare(ctx, src)
	if err != nil {
		return nil, err
	}
	if err := n.open(ctx); err != nil {
		return nil, err
	}
	return n, nil
}

// prepare reads the settings and the wp-config.php of a network. It does not connect.
func prepare(ctx context.Context, src Source) (*Network, error) {
	d := cmp.Or(src.Declared, ownAlone)
	n := &Network{source: src, declared: d, base: "wp_"}
	if src.WPConfig == "" && src.DSN == "" {
		return nil, fmt.Errorf("site %s: neither wp_config nor dsn is set", src.Name)
	}
	if src.WPConfig != "" {
		cfg, err := src.config(ctx)
		if err != nil {
			return nil, err
		}
		n.config = cfg
		n.root = filepath.Dir(src.WPConfig)
		n.base = cmp.Or(cfg.TablePrefix, n.base)
		if err := n.noteConfig(); err != nil {
			return nil, err
		}
	}
	n.base = cmp.Or(src.TablePrefix, n.base)
	if !prefixForm.MatchString(n.base) {
		return nil, fmt.Errorf("site %s: table prefix %q: a prefix has letters, digits and _ only", src.Name, n.base)
	}
	return n, nil
}

// noteConfig records what could not be understood in wp-config.php, unless the configuration replaces it. If the table
// prefix could not be understood, noteConfig returns an error, because a wrong prefix would lead to another site.
func (n *Network) noteConfig() error {
	replaced := map[string]bool{"dsn": n.source.DSN != "", "table_prefix": n.source.TablePrefix != "", "home": n.source.Home != ""}
	for _, p := range slices.Concat(n.config.Unknown, n.config.Warnings) {
		if replaced[p.Setting] {
			continue
		}
		if p.Name == "$table_prefix" && !p.Assumed && !p.Unset {
			return fmt.Errorf("site %s: wp_config: %w", n.source.Name, p)
		}
		n.configNotices = append(n.configNotices, "wp_config: "+p.Error())
	}
	return nil
}

// open waits for Source.Turn, connects and checks the tables.
func (n *Network) open(ctx context.Context) error {
	dsn := n.source.DSN
	if at, err := n.where(dsn); err == nil && n.source.Turn != nil { // connect returns the error
		n.source.Turn(ctx, at.server())
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := n.connect(ctx, dsn); err != nil {
		return err
	}
	err := n.inspect(ctx)
	if err != nil {
		n.Close()
	}
	return err
}

// connect opens the database by dsn, or by wp-config.php if dsn is "". It sets db and writes.
func (n *Network) connect(ctx context.Context, dsn string) error {
	o := db.Options{Limiter: n.source.Limit, Observe: n.source.Observe}
	if dsn != "" { // the people of the site choose the account and the tables in wp-config.php, so no grant is suggested for these
		o.Right = n.rightTo
	}
	at, err := n.where(dsn)
	switch {
	case err != nil:
		return fmt.Errorf("site %s: %w", n.source.Name, err)
	case at.cfg == nil:
		n.db, err = db.OpenSQLite(ctx, at.file, o)
	default:
		n.db, err = db.OpenMySQL(ctx, at.cfg, o)
	}
	if err != nil {
		return fmt.Errorf("site %s: cannot open the database (%s): %w%s", n.source.Name, at.text, err, hint(err))
	}
	_, _, users := n.sharedUsers()
	n.writes = writes.New(n.db, n.declared.Declared, n.base, users, n.blogPrefix)
	return nil
}

// location is where a database is.
type location struct {
	text string        // for messages: the setting that names the database, and the database without its password
	file string        // path of the SQLite file; "" for a server
	cfg  *mysql.Config // how to log in to the server; nil for SQLite
}

// server returns the name of the database server, or the path of the SQLite file.
func (l location) server() string {
	if l.cfg == nil {
		return l.file
	}
	return db.ServerName(l.cfg)
}

// where returns the location of the database by dsn, or by wp-config.php if dsn is "".
func (n *Network) where(dsn string) (location, error) {
	if dsn == "" {
		return n.byConfig()
	}
	return n.byDSN(dsn)
}

var errDSN = errors.New("dsn is not of the form user:password@unix(/path/mysqld.sock)/database or user:password@tcp(host:3306)/database")

// byDSN returns the location that a DSN names. If the DSN names no character set, DB_CHARSET of wp-config.php applies.
func (n *Network) byDSN(dsn string) (location, error) {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		return location{text: "dsn " + dsn, file: path}, nil
	}
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return location{}, errDSN // the driver's error may contain the password
	}
	if n.config != nil && !namesCharset(dsn) {
		err = applyCharset(cfg, n.config.Charset())
	}
	return location{text: "dsn " + login(cfg), cfg: cfg}, err
}

// byConfig returns the location that wp-config.php names.
func (n *Network) byConfig() (location, error) {
	d, err := n.config.Database()
	if err != nil {
		return location{}, err
	}
	if d.Engine == "sqlite" {
		return location{text: "SQLite file " + d.SQLitePath, file: d.SQLitePath}, nil
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.DBName, cfg.Net, cfg.Addr = d.User, d.Password, d.Name, d.Network, d.Addr
	if err := n.source.chooseServer(cfg); err != nil {
		return location{}, err
	}
	if cfg.DBName == "" {
		return location{}, errors.New("wp-config.php does not define DB_NAME; set dsn in the configuration")
	}
	switch {
	case n.source.Socket != "": // no TLS: the connection stays on this machine, and a certificate needs a host name, which a socket has not
	case d.TLS && d.TLSSkipVerify:
		cfg.TLSConfig = "skip-verify"
	case d.TLS:
		cfg.TLSConfig = "true"
	}
	return location{text: "wp-config.php " + login(cfg), cfg: cfg}, applyCharset(cfg, d.Charset)
}

// login returns the account with its server and database, without the password.
func login(cfg *mysql.Config) string {
	return cfg.User + "@" + cfg.Net + "(" + cfg.Addr + ")/" + cfg.DBName
}

// applyCharset sets the character set of the connection for DB_CHARSET.
func applyCharset(cfg *mysql.Config, charset string) error {
	if err := cfg.Apply(mysql.Charset(connectionCharset(charset), "")); err != nil {
		return fmt.Errorf("DB_CHARSET %q: %w", charset, err)
	}
	return nil
}

// hint returns what the operator can do about an error of the driver, as the end of a sentence. It returns "" if that
// is not known.
func hint(err error) string {
	_, network := errors.AsType[*net.OpError](err)
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, db.ErrNotSystem):
		return ": if the server is yours, add it to db_hosts of the [[discover]] that found the install"
	case certificate:
		return ": check that the certificate is for this host name. If its authority is not one of the system's, set SSL_CERT_FILE " +
			"to a file with that authority"
	case db.LoginRefused(err):
		return ": check user and password; wpsitemapd grants prints what the account needs"
	case db.SchemaDenied(err):
		return ": check the name of the database. If it is right, wpsitemapd grants prints what the account needs"
	case db.MissingSchema(err):
		return ": check the name of the database"
	case db.Ended(err):
		return ": somebody ended the statement"
	case db.OutOfTime(err):
		return ": no answer in time. Check whether the server is overloaded"
	case db.MissingTable(err):
		return ": restore the table, or check table_prefix"
	case network:
		return ": check that the server runs and that the address is right"
	case errors.Is(err, os.ErrPermission):
		return ": run a command with sudo; if the service says this, let its user or group read the file"
	case errors.Is(err, os.ErrNotExist):
		return ": check the path"
	}
	return ""
}

// connectionCharset returns the character set of the connection for DB_CHARSET, as WordPress chooses it. utf8 becomes utf8mb4, and so do
// an empty value and one with other characters than letters, digits and _. latin1 stays, because such databases mostly hold UTF-8
// bytes in latin1 columns.
func connectionCharset(dbCharset string) string {
	switch c := strings.ToLower(dbCharset); c {
	case "", "utf8", "utf8mb3", "utf8mb4":
		return "utf8mb4"
	default:
		if !prefixForm.MatchString(c) {
			return "utf8mb4"
		}
		return c
	}
}

// namesCharset reports whether a DSN in the driver's form names a character set or a collation.
func namesCharset(dsn string) bool {
	_, query, _ := strings.Cut(dsn[strings.LastIndexByte(dsn, '/')+1:], "?")
	params, err := url.ParseQuery(query)
	return err == nil && (params.Has("charset") || params.Has("collation"))
}
