package db

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Limiter bounds the open connections of all networks together, for each address of a database server. If all
// connections are taken, a network waits in line. Idle connections of other networks are closed to make room. A
// Limiter is safe for concurrent use.
type Limiter struct {
	most int

	mu      sync.Mutex
	servers map[string]*gate
}

// NewLimiter returns a Limiter that bounds the open connections to each server by the number most. If most is below
// 1, the bound is 1.
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

// Connections returns how many connections to all servers are open, and how many networks wait for one.
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

	mu   sync.Mutex
	kept []*pool // the pools that may keep idle connections, the longest unused one first
}

func newGate(most int) *gate { return &gate{slots: semaphore.NewWeighted(int64(most))} }

// pool holds the connections of one network.
type pool struct {
	*sql.DB
	gate *gate
}

func (p *pool) leave() {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	p.forget()
}

// forget removes the pool from gate.kept, the pools that may keep idle connections. The caller holds the gate's lock.
func (p *pool) forget() {
	if i := slices.Index(p.gate.kept, p); i >= 0 {
		p.gate.kept = slices.Delete(p.gate.kept, i, i+1)
	}
}

// ended is called after every statement. While other networks wait, it closes the pool's idle connections.
func (p *pool) ended() {
	p.gate.mu.Lock()
	p.forget()
	p.gate.kept = append(p.gate.kept, p)
	p.gate.mu.Unlock()
	if p.gate.waiting.Load() > 0 {
		p.dropIdle()
	}
}

func (p *pool) dropIdle() {
	p.SetMaxIdleConns(-1)
	p.SetMaxIdleConns(maxConns)
}

// acquire waits for a slot: the right to open one connection.
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

// dropLongestIdle closes the idle connections of the network that has not used any for the longest time.
func (g *gate) dropLongestIdle() {
	g.mu.Lock()
	var longest *pool
	for longest == nil && len(g.kept) > 0 {
		if g.kept[0].Stats().Idle > 0 {
			longest = g.kept[0]
		}
		g.kept = slices.Delete(g.kept, 0, 1)
	}
	g.mu.Unlock() // to close a connection calls release
	if longest != nil {
		longest.dropIdle()
	}
}
