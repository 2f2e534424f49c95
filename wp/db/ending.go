package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// A statement must end at the server when nobody waits for its answer any more. If it went on, it would run beside the
// statements that follow. KILL QUERY from another connection ends it. An account may end its own statements without any
// right. If KILL QUERY fails, the session's own limit ends the statement, see sessionVariables.
const (
	sqlRunning = `SELECT INFO FROM information_schema.PROCESSLIST WHERE ID = ?`
	sqlKill    = `KILL QUERY %d`

	killTimeout = 2 * time.Second
	// beginning is how many bytes of a statement identify it.
	beginning = 120
)

// end ends a statement at the server if its connection still runs it. The check is needed because several servers
// may share one address. On another server, the same number may be the connection of a visitor of the site.
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
	known, _, _ := strings.Cut(statement, "?") // the server shows values in place of "?"
	if !strings.HasPrefix(running.String, strings.TrimSpace(known[:min(len(known), beginning)])) {
		return
	}
	_, _ = pool.ExecContext(ctx, fmt.Sprintf(sqlKill, thread)) // on an error the statement has ended, or its limit ends it
}
