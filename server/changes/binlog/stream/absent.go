//go:build nobinlog

package stream

import "context"

// Built reports whether a binlog can be followed.
const Built = false

// Follow returns ErrUnbuilt.
func Follow(_ context.Context, _ Server, from Position, _ Handler) (Position, error) {
	return from, ErrUnbuilt
}
