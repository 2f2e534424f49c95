package wp

import (
	"context"
	"fmt"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wpconfig"
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

// config returns the wp-config.php of a source. It reads the file unless ReadConfig has done so.
func (src *Source) config(ctx context.Context) (*wpconfig.Config, error) {
	if src.read != nil {
		return src.read, nil
	}
	cfg, err := wpconfig.Parse(ctx, src.WPConfig, wpconfig.Options{Env: src.Env, Within: src.Within})
	if err != nil {
		return nil, fmt.Errorf("site %s: wp_config: %w%s", src.Name, err, hint(err))
	}
	return cfg, nil
}

// ReadConfig reads wp-config.php once for all later uses of the source. If each use read the file again, the people of
// the site could change the file after it was checked.
func (src *Source) ReadConfig(ctx context.Context) (err error) {
	src.read, err = src.config(ctx)
	return err
}

// HomeInConfig returns the public address of a site from its wp-config.php alone, without the database. It takes
// WP_HOME, or else the constants of a network. It returns "" if the file has neither or cannot be read.
func HomeInConfig(ctx context.Context, src Source) string {
	cfg, err := src.config(ctx)
	if err != nil {
		return ""
	}
	domain, _ := cfg.String("DOMAIN_CURRENT_SITE")
	path, _ := cfg.String("PATH_CURRENT_SITE")
	home, _ := cfg.String("WP_HOME")
	if home == "" && domain != "" {
		home = "https://" + domain + "/" + path
	}
	return home
}
