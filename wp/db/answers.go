package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// answerTimeout is how long Answers waits for the server.
const answerTimeout = 2 * time.Second

// Answers reports whether the database server answers within answerTimeout. A refusal counts as an answer. Answers
// makes its own connection, which no Limiter counts, because the counted connections may be busy with long statements.
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

// Unreachable reports whether an error means that the database server did not answer, or refuses for now. The
// caller can soon ask again at little cost.
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
