package guard

import (
	"errors"
	"net"
	"testing"
)

// shortRows is a server that sends rows of one byte.
type shortRows struct{ net.Conn }

func (shortRows) Read(b []byte) (int, error) {
	n := len(b) / 5 * 5
	for i := 0; i < n; i += 5 {
		b[i], b[i+1], b[i+2], b[i+3], b[i+4] = 1, 0, 0, 0, 0
	}
	return n, nil
}

// What little rows cost is their number.
func TestGuardCountsRows(t *testing.T) {
	const before = maxResultRows - 1<<20 // which the guard counted already
	g := &guard{Conn: shortRows{}, rows: before}
	g.expect(inRows)
	buffer, read := make([]byte, 50_000), before
	for {
		n, err := g.Read(buffer)
		if errors.Is(err, ErrRefused) {
			break
		}
		if read += n / 5; err != nil || read > maxResultRows {
			t.Fatalf("after %d rows: %v", read, err)
		}
	}
	if read < maxResultRows-len(buffer) {
		t.Errorf("refused after %d rows, want %d", read, maxResultRows)
	}
}
