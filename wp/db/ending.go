package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// A statement must not go on at the server when nobody waits for its answer any longer: it would run beside the next
// one, and the one after that. The connection that was given up is followed by KILL QUERY from another one; an account may
// end its own statements without any right. Where that fails the session's own limit ends it, see sessionVariables.
const (
	sqlRunning = `SELECT INFO FROM information_schema.PROCESSLIST WHERE ID = ?`
	sqlKill    = `KILL QUERY %d`

	killTimeout = 2 * time.Second
	// beginning is how much of a statement tells which it is.
	beginning = 120
)

// end ends a statement at the server, if its connection still runs it: behind one address there may be several servers,
// and by its number alone it might be another one, of a visitor of the site.
func (d *DB) end(statement string, thread int64) {
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	cfg := d.config.Clone()
	cfg.InterpolateParams = true
	pool, err := openOne(cfg, newGate(1))
	if err != nil {
		return
	}
	defer pool.Close()
	var running sql.NullString
	if err := pool.QueryRowContext(ctx, sqlRunning, thread).Scan(&running); err != nil {
		return
	}
	known, _, _ := strings.Cut(statement, "?") // values have taken its place
	if !strings.HasPrefix(running.String, strings.TrimSpace(known[:min(len(known), beginning)])) {
		return
	}
	_, _ = pool.ExecContext(ctx, fmt.Sprintf(sqlKill, thread)) // it has ended meanwhile, or will by itself
}
