package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// answerTimeout is for a server that is asked whether it answers.
	answerTimeout = 2 * time.Second
	// mostLag is how far a replica may be behind its source, in seconds.
	mostLag = 30

	sqlReplicaStatus = `SHOW REPLICA STATUS` // MySQL from 8.0.22, MariaDB from 10.5.1
	sqlSlaveStatus   = `SHOW SLAVE STATUS`
)

// Lags reports whether the database is a replica that is behind its source by more than
// mostLag, or whose replication has stopped. Where the account may not ask (REPLICA MONITOR on
// MariaDB, REPLICATION CLIENT on MySQL) it is taken for up to date.
func (d *DB) Lags(ctx context.Context) (bool, error) {
	if d.SQLite {
		return false, nil
	}
	lags := false
	scan := rowsByName(func(names []string, values []sql.NullString) {
		for i, name := range names {
			if name == "Seconds_Behind_Master" || name == "Seconds_Behind_Source" {
				seconds, err := strconv.Atoi(values[i].String)
				lags = lags || !values[i].Valid || err != nil || seconds > mostLag
			}
		}
	})
	err := d.Query(ctx, Tables{}, sqlReplicaStatus, nil, scan)
	if Code(err) == codeSyntax {
		err = d.Query(ctx, Tables{}, sqlSlaveStatus, nil, scan)
	}
	switch {
	case Code(err) == CodeNoRight, Code(err) == codeSyntax:
		return false, nil
	case err != nil:
		return false, fmt.Errorf("asking for the state of replication: %w", err)
	}
	return lags, nil
}

// Answers reports whether the database server answers at all, and that soon; a refusal is an answer. It makes
// a connection of its own, which no Limiter knows of: those there are may be busy with long statements.
func (d *DB) Answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if d.config == nil {
		return d.conns.PingContext(ctx) == nil
	}
	own, err := openOne(d.config, newGate(1))
	if err != nil {
		return false
	}
	defer own.Close()
	err = own.PingContext(ctx)
	return err == nil || Code(err) != 0
}

// Unreachable reports whether an error means that the database server did not answer, or would
// not for now, so that it can be asked again soon and at little cost.
func Unreachable(err error) bool {
	if code := Code(err); code != 0 {
		switch code {
		case 1040, 1203, 1226, // no connection left
			1053, 1077, 1079, 1927, // going down
			1290, 1836, 3032, // not ready for this
			1205: // a table is locked
			return true
		}
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, context.DeadlineExceeded) ||
		err != nil && strings.Contains(err.Error(), "unexpected EOF")
}
