package wp

import (
	"context"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// Watcher is an account that sees when the tables of other accounts at its server are written.
type Watcher struct {
	Server string // its address
	config *mysql.Config
}

// ParseWatcher reads the dsn of such an account.
func ParseWatcher(dsn string) (*Watcher, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, errDSN
	}
	cfg.DBName = "" // it may be one that is gone tomorrow
	return &Watcher{db.ServerName(cfg), cfg}, nil
}

// Open connects.
func (w *Watcher) Open(ctx context.Context, d *Declared, o db.Options) (*writes.Database, error) {
	opened, err := db.OpenMySQL(ctx, w.config, o)
	if err != nil {
		return nil, fmt.Errorf("cannot open the database (dsn %s): %w%s", login(w.config), err, hint(err))
	}
	return writes.New(opened, d.Declared, "wp_", nil, nil), nil
}
