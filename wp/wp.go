// Package wp reads one WordPress database: its settings, its registered types, and the rows of posts, terms and users
// that sitemaps list. The package only reads. Every statement has limits of time and rows and can be cancelled. The
// package knows neither XML nor HTTP.
//
// A Network is one database with one table prefix: a single site or a multisite network. A Blog is one blog of a
// network, as it was when it was read.
package wp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wpconfig"
	"wpsitemapd/wp/writes"
)

// Source says where a WordPress database is. Either WPConfig or DSN must be set. DSN, TablePrefix and Home override
// wp-config.php.
type Source struct {
	Name     string // the operator's name for the site, used in messages
	WPConfig string // path of wp-config.php, or of its folder
	DSN      string // go-sql-driver form, or "sqlite:/path/.ht.sqlite"

	TablePrefix string
	Home        string // public address, if the database has another one
	Environment string // replaces WP_ENVIRONMENT_TYPE; "" if it does not
	Overrides   registry.Overrides
	Declared    *Declared // what is read from the database; nil: WordPress without plugins

	// Env returns the environment variables for getenv() in wp-config.php. The file may belong to a stranger. If Env
	// is nil, no variable is set.
	Env func(string) (string, bool)
	// Within is the folder of an install that was discovered. Its wp-config.php must not lead out of this folder.
	Within string
	// Servers are patterns of the database servers that the wp-config.php of a discovered install may name. This
	// machine's servers at the usual sockets and MySQL's port are always allowed. See CheckServer.
	Servers []string
	// Socket is the path of a socket that replaces the server in wp-config.php. If it is "", the server is used.
	Socket string
	read   *wpconfig.Config // set by ReadConfig; nil: wp-config.php is read when it is needed
	// Limit bounds the connections of all networks together. If it is nil, each network has two connections.
	Limit *db.Limiter
	// Turn, if not nil, is called before the program connects to a database server. It returns when the program may
	// connect.
	Turn func(ctx context.Context, server string)
	// Ask, if not nil, requests an address of the site, see package address.
	Ask func(ctx context.Context, address string) (Response, error)
	// Now is the clock for the age of the site's answers. If it is nil, time.Now is used.
	Now func() time.Time
	// Observe, if not nil, is called after every statement with the number of rows that were read. The call may come
	// from any goroutine.
	Observe db.Observer
}

// Time returns the present time.
func (s *Source) Time() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// Response is the site's answer for an address.
type Response struct {
	Status int
	// Elsewhere is the redirect target, or the canonical address of the page. It is "" if there is neither.
	Elsewhere string
}

// Network is an open WordPress database. It is safe for concurrent use.
type Network struct {
	source   Source
	declared *Declared
	db       *db.DB
	writes   *writes.Database
	config   *wpconfig.Config // nil without WPConfig
	root     string           // folder of wp-config.php, used if ABSPATH is not known
	base     string           // table prefix

	multisite      bool
	msFiles        bool // network option ms_files_rewriting
	mainBlog       int64
	mainNetwork    int64
	activePlugins  map[string]bool // active on the whole network
	meta           options         // the declared options of the network, from sitemeta
	mainOptions    options         // the declared options of the main blog
	networkNotices []string
	routedBefore   func(blog int64) string // see RouteAs; nil: nothing is known from earlier readings
}

// openTimeout limits the time for opening a database, after Source.Turn has returned.
const openTimeout = 30 * time.Second

var prefixForm = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

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

// open waits for Source.Turn, connects and checks the tables.
func (n *Network) open(ctx context.Context) error {
	dsn := n.source.DSN
	if _, server, _, err := n.where(dsn); err == nil && n.source.Turn != nil {
		n.source.Turn(ctx, server)
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

// Close releases the connections.
func (n *Network) Close() error { return n.db.Close() }

// Connections counts the open connections: those in use, and the idle ones.
func (n *Network) Connections() (inUse, idle int) {
	return n.db.Connections()
}

// connect opens the database by dsn, or by wp-config.php if dsn is "".
func (n *Network) connect(ctx context.Context, dsn string) error {
	o := db.Options{Limiter: n.source.Limit, Observe: n.source.Observe}
	if dsn != "" { // the account and table names of wp-config.php belong to the people of the site: no grant is suggested for them
		o.Right = n.rightTo
	}
	name, server, cfg, err := n.where(dsn)
	switch {
	case err != nil:
		return fmt.Errorf("site %s: %w", n.source.Name, err)
	case cfg == nil:
		n.db, err = db.OpenSQLite(ctx, server, o)
	default:
		n.db, err = db.OpenMySQL(ctx, cfg, o)
	}
	if err != nil {
		return fmt.Errorf("site %s: cannot open the database (%s): %w%s", n.source.Name, name, err, hint(err))
	}
	_, _, users := n.sharedUsers()
	n.writes = writes.New(n.db, n.declared.Declared, n.base, users, n.blogPrefix)
	return nil
}

// Writes returns what polls of the database need to notice writes.
func (n *Network) Writes() *writes.Database { return n.writes }

var errDSN = errors.New("dsn is not of the form user:password@unix(/path/mysqld.sock)/database or user:password@tcp(host:3306)/database")

// where returns where the database is, by dsn, or by wp-config.php if dsn is "". For SQLite, server is the path of the
// file and cfg is nil. name is for messages.
func (n *Network) where(dsn string) (name, server string, cfg *mysql.Config, err error) {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		return "dsn " + dsn, path, nil, nil
	}
	if dsn != "" {
		cfg, err := mysql.ParseDSN(dsn)
		if err != nil {
			return "", "", nil, errDSN
		}
		if n.config != nil && !namesCharset(dsn) {
			err = applyCharset(cfg, n.config.Charset())
		}
		return "dsn " + login(cfg), db.ServerName(cfg), cfg, err
	}
	d, err := n.config.Database()
	if err != nil {
		return "", "", nil, err
	}
	if d.Engine == "sqlite" {
		return "SQLite file " + d.SQLitePath, d.SQLitePath, nil, nil
	}
	cfg = mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.DBName, cfg.Net, cfg.Addr = d.User, d.Password, d.Name, d.Network, d.Addr
	if n.source.Socket != "" {
		d.TLS = false
	}
	if err := n.source.lead(cfg); err != nil {
		return "", "", nil, err
	}
	if cfg.DBName == "" {
		return "", "", nil, errors.New("wp-config.php does not define DB_NAME; set dsn in the configuration")
	}
	switch {
	case d.TLS && d.TLSSkipVerify:
		cfg.TLSConfig = "skip-verify"
	case d.TLS:
		cfg.TLSConfig = "true"
	}
	return "wp-config.php " + login(cfg), db.ServerName(cfg), cfg, applyCharset(cfg, d.Charset)
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
	code := db.Code(err)
	_, network := errors.AsType[*net.OpError](err)
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, db.ErrNotSystem):
		return ": if it is one of yours, add the server to db_hosts of its [[discover]]"
	case certificate:
		return ": is the certificate for this host name, and of an authority the system trusts? SSL_CERT_FILE names another file of authorities"
	case db.LoginRefused(err):
		return ": check user and password; wpsitemapd grants prints what the account needs"
	case code == db.CodeSchema:
		return ": is the name of the database right? If it is, wpsitemapd grants prints what the account needs"
	case code == 1049:
		return ": check the name of the database"
	case code == 1317: // after KILL QUERY
		return ": somebody ended the statement"
	case code == 1969, code == 3024, errors.Is(err, context.DeadlineExceeded):
		return ": no answer in time, is the server overloaded?"
	case db.MissingTable(err):
		return ": restore the table, or check table_prefix"
	case network:
		return ": is the server running, and is the address right?"
	case errors.Is(err, os.ErrPermission):
		return ": use sudo to run a command; for the service, let its own user or group read the file"
	case errors.Is(err, os.ErrNotExist):
		return ": is the path right?"
	}
	return ""
}

// noteConfig records what could not be understood in wp-config.php, unless the configuration replaces it. If the table
// prefix could not be understood, noteConfig returns an error, because a wrong prefix would lead to another site.
func (n *Network) noteConfig() error {
	replaced := map[string]bool{"dsn": n.source.DSN != "", "table_prefix": n.source.TablePrefix != "", "home": n.source.Home != ""}
	for _, p := range append(n.config.Unknown, n.config.Warnings...) {
		if replaced[p.Setting] {
			continue
		}
		if p.Name == "$table_prefix" && !p.Assumed && !p.Unset {
			return fmt.Errorf("site %s: wp_config: %w", n.source.Name, p)
		}
		n.networkNotices = append(n.networkNotices, "wp_config: "+p.Error())
	}
	return nil
}

// RouteAs sets the function that returns what the last reading found about the types and addresses of a blog. It must be called
// before a blog is read.
func (n *Network) RouteAs(before func(blog int64) string) { n.routedBefore = before }
