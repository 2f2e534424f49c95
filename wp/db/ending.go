package db

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"time"
)

// A statement must not go on at the server when nobody waits for its answer any longer: it would run beside the next
// one, and the one after that. Most end by a limit that the server keeps itself, see limitForm and sessionVariables.
// MySQL's limit is for SELECT alone and some servers have none, so the connection that was given up is followed by
// KILL QUERY from another one. An account may end its own statements without any right.
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
	connector, err := newConnector(cfg, &gate{most: 1})
	if err != nil {
		return
	}
	pool := sql.OpenDB(connector)
	defer pool.Close()
	pool.SetMaxOpenConns(1)
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

// limitForm is how a server takes a limit for one statement.
type limitForm uint8

const (
	noLimit    limitForm = iota
	setLimit             // MariaDB: SET STATEMENT
	hintLimit            // MySQL: a hint in the SELECT
	limitSpare = time.Second
)

func limitsOf(version string) limitForm {
	switch mariadb := strings.Contains(version, "MariaDB"); {
	case mariadb && versionAtLeast(version, 10, 2):
		return setLimit
	case !mariadb && versionAtLeast(version, 5, 8):
		return hintLimit
	}
	return noLimit
}

// apply has a SELECT end at the server soon after ctx does, where that is before the session's limit.
func (f limitForm) apply(ctx context.Context, stmt string) string {
	deadline, ok := ctx.Deadline()
	left := time.Until(deadline)
	if !ok || left <= 0 || left > queryTimeout-limitSpare || !strings.HasPrefix(stmt, "SELECT ") {
		return stmt
	}
	seconds := int(math.Ceil(left.Seconds()))
	switch f {
	case setLimit:
		return fmt.Sprintf("SET STATEMENT max_statement_time = %d FOR %s", seconds, stmt)
	case hintLimit:
		return fmt.Sprintf("SELECT /*+ MAX_EXECUTION_TIME(%d) */%s", seconds*1000, strings.TrimPrefix(stmt, "SELECT"))
	}
	return stmt
}
