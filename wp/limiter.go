package wp

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Limiter bounds the open connections of all networks together, for each database server by
// its address. Who comes when all are taken waits in line; connections that lie idle with
// other networks are closed for him. It is safe for concurrent use.
type Limiter struct {
	most    int
	results shares

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
		g = &gate{most: l.most, results: &l.results}
		l.servers[server] = g
	}
	return g
}

// Connections counts those to all servers: the open ones, and who waits for one.
func (l *Limiter) Connections() (open, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.servers {
		g.mu.Lock()
		open += g.open
		g.mu.Unlock()
		waiting += int(g.waiting.Load())
	}
	return open, waiting
}

// gate counts the connections to one server.
type gate struct {
	most    int
	results *shares // of all servers
	waiting atomic.Int32

	mu    sync.Mutex
	open  int
	queue list.List // of chan struct{}, which are closed when a slot is theirs
	pools []*pool
}

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

// acquire waits for a slot.
func (g *gate) acquire(ctx context.Context) (*slot, error) {
	g.mu.Lock()
	if g.open < g.most {
		g.open++
		g.mu.Unlock()
		return &slot{gate: g}, nil
	}
	turn := make(chan struct{})
	place := g.queue.PushBack(turn)
	g.waiting.Add(1)
	pools := slices.Clone(g.pools)
	g.mu.Unlock()
	defer g.waiting.Add(-1)

	// Without the lock: closing connections comes back to release.
	slices.SortFunc(pools, func(a, b *pool) int { return int(a.used.Load() - b.used.Load()) })
	for _, p := range pools {
		if p.Stats().Idle > 0 {
			p.dropIdle()
			break
		}
	}
	select {
	case <-turn:
		return &slot{gate: g}, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-turn: // in the same moment: it is for the next one
		g.nextLocked()
	default:
		g.queue.Remove(place)
	}
	return nil, ctx.Err()
}

// nextLocked gives a free slot to the first in line.
func (g *gate) nextLocked() {
	if first := g.queue.Front(); first != nil {
		close(g.queue.Remove(first).(chan struct{}))
		return
	}
	g.open--
}

// slot is the right to one connection.
type slot struct {
	gate *gate
	once sync.Once
}

func (s *slot) release() {
	s.once.Do(func() {
		s.gate.mu.Lock()
		defer s.gate.mu.Unlock()
		s.gate.nextLocked()
	})
}

// limitedConnector waits for a slot before it connects. The slot is free again when the
// connection below closes, whoever closes it.
type limitedConnector struct {
	driver.Connector
	gate *gate
}

// silence is how long the machine of a database may acknowledge nothing before a connection to it
// is given up. Of one that is gone, or behind a firewall that has forgotten us, no statement would
// hear for many minutes; a statement that only takes long is none of this.
const silence = 10 * time.Second

// limit makes cfg's connections take slots of a gate, and read through guards. cfg is altered.
func limit(cfg *mysql.Config, g *gate, ended *ending) (driver.Connector, error) {
	connector, err := guardDial(cfg, ended)
	if err != nil {
		return nil, err
	}
	return &limitedConnector{connector, g}, nil
}

func (c *limitedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	s, err := c.gate.acquire(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := guarded(ctx, c.Connector, s)
	if err != nil {
		s.release()
	}
	return conn, err
}

// dialed is where a dialer puts the guard of a new connection.
type dialed struct {
	slot  *slot
	guard *guard
}

// guardDial returns a connector by cfg, which it alters, to be used with guarded. The driver has no TLS with the server
// itself, see guardtls.go, and neither compresses, below which a guard would see nothing, nor sends files.
func guardDial(cfg *mysql.Config, ended *ending) (driver.Connector, error) {
	secure, err := guardTLS(cfg)
	if err != nil {
		return nil, err
	}
	cfg.AllowAllFiles = false
	if err := cfg.Apply(mysql.EnableCompression(false)); err != nil {
		return nil, err
	}
	dialer := net.Dialer{
		Timeout: cfg.Timeout, Control: giveUp,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: silence / 4, Count: 2},
	}
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		place := ctx.Value(guardKey{}).(*dialed)
		place.guard = &guard{Conn: c, raw: c, secure: secure, slot: place.slot, ended: ended}
		return place.guard, nil
	}
	return mysql.NewConnector(cfg)
}
