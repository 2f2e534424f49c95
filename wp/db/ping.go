package db

import (
	"context"
	"time"
)

// answerTimeout is how long Answers waits for the server.
const answerTimeout = 2 * time.Second

// Answers reports whether the database server answers within answerTimeout. A refusal counts as an answer. Answers
// makes its own connection, which no Limiter counts, because the counted connections may be busy with long statements.
func (d *DB) Answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if d.config == nil { // SQLite
		return d.conns.PingContext(ctx) == nil
	}
	own, err := openOne(d.config, newGate(1))
	if err != nil {
		return false
	}
	defer own.Close()
	err = own.PingContext(ctx)
	return err == nil || code(err) != 0
}
