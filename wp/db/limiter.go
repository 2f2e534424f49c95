package db

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limiter bounds the open connections of all networks together, for each database server by
// its address. When all are taken a network waits in line, and idle connections of other networks
// are closed to make room. It is safe for concurrent use.
type Limiter struct {
	most int

	mu      sync.Mutex
	servers map[string]*gate
}

// NewLimiter returns a limiter to most connections a server, at least one.
func NewLimiter(most int) *Limiter {
	return &Limiter{most: max(1, most), servers: map[string]*gate{}}
}

func (l *Limiter) gate(server string) *gate {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.servers[server]
	if g == nil {
		g = newGate(l.most)
		l.servers[server] = g
	}
	return g
}

// Connections counts the open connections to all servers, and the networks that wait for one.
func (l *Limiter) Connections() (open, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.servers {
		open, waiting = open+int(g.open.Load()), waiting+int(g.waiting.Load())
	}
	return open, waiting
}

// gate counts the connections to one server.
type gate struct {
	slots         *semaphore.Weighted
	open, waiting atomic.Int32

	mu    sync.Mutex
	pools []*pool
}

func newGate(most int) *gate { return &gate{slots: semaphore.NewWeighted(int64(most))} }

// pool is the connections of one network.
type pool struct {
	*sql.DB
	gate *gate
	used atomic.Int64 // when a statement ended, in Unix nanoseconds
}

func (g *gate) join(db *sql.DB) *pool {
	p := &pool{DB: db, gate: g}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pools = append(g.pools, p)
	return p
}

func (p *pool) leave() {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	p.gate.pools = slices.DeleteFunc(p.gate.pools, func(o *pool) bool { return o == p })
}

// ended is called after every statement: while others wait no connection is kept.
func (p *pool) ended() {
	p.used.Store(time.Now().UnixNano())
	if p.gate.waiting.Load() > 0 {
		p.dropIdle()
	}
}

func (p *pool) dropIdle() {
	p.SetMaxIdleConns(-1)
	p.SetMaxIdleConns(maxConns)
}

// acquire waits for a slot, the right to one connection.
func (g *gate) acquire(ctx context.Context) error {
	if !g.slots.TryAcquire(1) {
		g.waiting.Add(1)
		defer g.waiting.Add(-1)
		g.dropLongestIdle()
		if err := g.slots.Acquire(ctx, 1); err != nil {
			return err
		}
	}
	g.open.Add(1)
	return nil
}

func (g *gate) release() {
	g.open.Add(-1)
	g.slots.Release(1)
}

// dropLongestIdle closes the idle connections of the network that has used one least lately.
func (g *gate) dropLongestIdle() {
	g.mu.Lock()
	var longest *pool
	for _, p := range g.pools {
		if (longest == nil || p.used.Load() < longest.used.Load()) && p.Stats().Idle > 0 {
			longest = p
		}
	}
	g.mu.Unlock() // closing connections comes back to release
	if longest != nil {
		longest.dropIdle()
	}
}
