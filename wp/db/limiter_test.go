package db

import (
	"context"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestLimiter(t *testing.T) {
	limiter := NewLimiter(3)
	var pools []*DB
	for range 5 {
		pools = append(pools, open(t, wptest.Load(t, wptest.MariaDB, "basic"), Options{Limiter: limiter}))
	}
	gate := limiter.gate(pools[0].Server)
	count := func() int32 { return gate.open.Load() }
	if got := count(); got > 3 {
		t.Errorf("%d connections, want 3 at most", got)
	}
	// more statements at once than slots: all are answered, none beyond the limit
	failed := make(chan error)
	for i := range 30 {
		go func() {
			_, err := pools[i%5].conns.ExecContext(t.Context(), "SELECT SLEEP(0.05)")
			pools[i%5].pool.ended()
			failed <- err
		}()
	}
	for range 30 {
		expect.Equal(t, <-failed, nil)
		if got := count(); got > 3 {
			t.Errorf("%d connections, want 3 at most", got)
		}
	}
	// who waits in vain leaves the line
	for _, n := range pools {
		n.pool.dropIdle()
	}
	for range 3 {
		wptest.Must(t, gate.acquire(t.Context()))
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := gate.acquire(short); err == nil {
		t.Error("a slot beyond the limit")
	}
	for range 3 {
		gate.release()
	}
	expect.Equal(t, count(), 0)
	expect.Equal(t, gate.waiting.Load(), 0)
}

// A server is asked over a connection of its own, so that it seems reachable even if all other connections are busy.
func TestAnswersWhileBusy(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	door := wptest.NewDoor(t, dsn)
	door.Open()
	n := open(t, door.DSN, Options{})
	for range maxConns {
		conn, err := n.conns.Conn(t.Context())
		wptest.Must(t, err)
		defer conn.Close()
	}
	if !n.Answers(t.Context()) {
		t.Error("it is taken for silent")
	}
	door.Shut()
	if n.Answers(t.Context()) {
		t.Error("it is not taken for silent")
	}
	if n = open(t, wptest.Load(t, wptest.SQLite, "basic"), Options{}); !n.Answers(t.Context()) {
		t.Error("a file answers")
	}
}
