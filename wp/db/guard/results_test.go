package guard

import (
	"errors"
	"net"
	"testing"
)

// longRows is a server that sends rows of a megabyte.
type longRows struct {
	net.Conn
	sent int
}

const longRow = 1 << 20

func (r *longRows) Read(b []byte) (int, error) {
	clear(b)
	const packet = 4 + longRow
	for at := (2 + packet - r.sent%packet) % packet; at < len(b); at += packet {
		b[at] = longRow >> 16 // of the packet's size
	}
	r.sent += len(b)
	return len(b), nil
}

func (r *longRows) Close() error { return nil }

// Many results that each are within bounds do not fill the memory together, and leave room for those of ordinary size.
func TestGuardSharesMemory(t *testing.T) {
	results := &Results{}
	buffer := make([]byte, longRow)
	open := func(long bool) *guard {
		g := &guard{Conn: &longRows{}, held: Held{Results: results}, long: long}
		g.raw = g.Conn
		g.expect(inRows)
		return g
	}
	var greedy []*guard
	for range 20 {
		greedy = append(greedy, open(false))
	}
	text := open(true)
	refused := 0
	for range 400 {
		for _, g := range append(greedy, text) {
			if g.gone.Load() {
				continue
			}
			_, err := g.Read(buffer)
			if err != nil && (!errors.Is(err, ErrRefused) || g == text) {
				t.Fatalf("after %d bytes: %v", g.bytes, err)
			}
			if err != nil {
				refused++
				g.Close()
			}
		}
		if all := results.all; all > mostInProgress+22*longRow {
			t.Fatalf("results in progress hold %d MB", all>>20)
		}
	}
	if refused == 0 || refused == len(greedy) {
		t.Errorf("%d of %d are refused", refused, len(greedy))
	}
	other := open(false)
	for range 32 {
		if _, err := other.Read(buffer); err != nil {
			t.Fatalf("a result of ordinary size: %v", err)
		}
	}
	for _, g := range append(greedy, text, other) {
		g.Close()
		g.hold(1) // a read that ends late
	}
	if results.all != 0 || len(results.held) != 0 {
		t.Errorf("closed connections hold %d bytes", results.all)
	}
}
