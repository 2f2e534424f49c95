package wp

import (
	"context"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// Watcher is an account that sees when the tables of other accounts on its server are written.
type Watcher struct {
	Server string // address of the server
	config *mysql.Config
}

func ParseWatcher(dsn string) (*Watcher, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, errDSN
	}
	cfg.DBName = "" // the named database may be dropped later
	return &Watcher{db.ServerName(cfg), cfg}, nil
}

// Open connects to the server.
func (w *Watcher) Open(ctx context.Context, d *Declared, o db.Options) (*writes.Database, error) {
	opened, err := db.OpenMySQL(ctx, w.config, o)
	if err != nil {
		return nil, fmt.Errorf("cannot open the database (dsn %s): %w%s", login(w.config), err, hint(err))
	}
	return writes.New(opened, d.Declared, "wp_", nil, nil), nil
}
