package db

import (
	"context"
	"database/sql"
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

// The connections to all servers are counted. A pool that has closed keeps none.
func TestConnectionsAreCounted(t *testing.T) {
	limiter := NewLimiter(1)
	first := limiter.gate("a")
	expect.Equal(t, limiter.gate("a") == first, true, "one gate for each server")
	expect.Equal(t, NewLimiter(-1).most, 1, "the smallest bound")
	wptest.Must(t, limiter.gate("a").acquire(t.Context()))
	wptest.Must(t, limiter.gate("b").acquire(t.Context()))
	limiter.gate("b").waiting.Add(3)
	limiter.gate("a").waiting.Add(4)
	open, waiting := limiter.Connections()
	expect.Equal(t, open, 2, "open connections")
	expect.Equal(t, waiting, 7, "networks that wait")
	limiter.gate("a").release()
	open, _ = limiter.Connections()
	expect.Equal(t, open, 1, "open connections after one has closed")
}

// The pool that was not used for the longest time closes its idle connections first. A pool that is closed is not among them.
func TestLongestIdlePool(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	limiter := NewLimiter(3)
	var all []*DB
	for range 3 {
		d := open(t, dsn, Options{Limiter: limiter})
		wptest.Must(t, d.Query(t.Context(), Tables{}, "SELECT 1", nil, Rows1(func(int) {})))
		all = append(all, d)
	}
	gate := all[0].pool.gate
	order := func() (pools []int) {
		for _, p := range gate.kept {
			for i, d := range all {
				if p == d.pool {
					pools = append(pools, i)
				}
			}
		}
		return pools
	}
	expect.List(t, order(), []int{0, 1, 2}, "the longest unused pool first")
	wptest.Must(t, all[0].Query(t.Context(), Tables{}, "SELECT 1", nil, Rows1(func(int) {})))
	expect.List(t, order(), []int{1, 2, 0}, "the longest unused pool first")
	all[1].pool.dropIdle() // it has no idle connection any more
	gate.dropLongestIdle()
	idle := func(d *DB) int { _, n := d.Connections(); return n }
	expect.List(t, []int{idle(all[0]), idle(all[1]), idle(all[2])}, []int{1, 0, 0}, "idle connections")
	expect.List(t, order(), []int{0}, "pools that may have idle connections")
	wptest.Must(t, all[0].Close())
	expect.List(t, order(), nil, "after it has closed")
	gate.dropLongestIdle()
}

// A pool keeps as many idle connections as it may open.
func TestIdleConnections(t *testing.T) {
	d := open(t, wptest.Load(t, wptest.MariaDB, "basic"), Options{})
	var taken []*sql.Conn
	for range maxConns {
		conn, err := d.conns.Conn(t.Context())
		wptest.Must(t, err)
		taken = append(taken, conn)
	}
	inUse, idle := d.Connections()
	expect.Equal(t, inUse, maxConns, "connections in use")
	expect.Equal(t, idle, 0, "idle connections")
	for _, conn := range taken {
		wptest.Must(t, conn.Close())
	}
	inUse, idle = d.Connections()
	expect.Equal(t, inUse, 0, "connections in use after all were given back")
	expect.Equal(t, idle, maxConns, "idle connections after all were given back")
}
