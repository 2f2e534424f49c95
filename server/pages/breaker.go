package pages

import (
	"log/slog"
	"sync"
	"time"
)

// tryEvery is the time between two attempts to render a page from a server that does not answer.
const tryEvery = 5 * time.Second

// A Breaker is a circuit breaker for each database server. A server is down if a poll has failed and a ping has failed too. A server
// that answers pings but no statements is therefore not down, and requests wait for its statements until their limit.
//
// While a server is down, no request waits for it. Visitors get an older page or 503 at once, and so do requests that are
// waiting already. Polls and full scans go on at their own pace, and find out when the server answers again. The method allows
// also lets one page through every tryEvery. A Breaker is safe for concurrent use.
type Breaker struct {
	log     *slog.Logger
	mu      sync.Mutex
	servers map[string]*circuit // key: address of the server
}

// circuit is the state of one server.
type circuit struct {
	down  bool
	began chan struct{} // closed while the server is down
	tried time.Time     // the last time that allows let a page through
}

// NewBreaker returns a breaker that takes every server to be up.
func NewBreaker(log *slog.Logger) *Breaker {
	return &Breaker{log: log, servers: map[string]*circuit{}}
}

func (b *Breaker) lockedOf(server string) *circuit {
	c := b.servers[server]
	if c == nil {
		c = &circuit{began: make(chan struct{})}
		b.servers[server] = c
	}
	return c
}

// Trip records that a server does not answer. err is the reason, for the log.
func (b *Breaker) Trip(server string, err error) {
	b.mu.Lock()
	c := b.lockedOf(server)
	before := c.down
	if !before {
		c.down, c.tried = true, time.Now()
		close(c.began)
	}
	b.mu.Unlock()
	if !before {
		b.log.Warn("a database server does not answer: pages that are not cached answer 503 meanwhile", "server", server,
			"reason", err, "hint", "check the server; the daemon retries automatically")
	}
}

// Reset records that a server has answered.
func (b *Breaker) Reset(server string) {
	b.mu.Lock()
	c := b.lockedOf(server)
	before := c.down
	if before {
		c.down, c.began = false, make(chan struct{})
	}
	b.mu.Unlock()
	if before {
		b.log.Info("the database server answers again", "server", server)
	}
}

// down reports whether a server does not answer. What was read from it may be out of date then.
func (b *Breaker) down(server string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lockedOf(server).down
}

// Tripped returns a channel that is closed as soon as the server no longer answers. If the server does not answer now, the
// channel is closed already. A closed channel is not used again: call Tripped again for the next outage.
func (b *Breaker) Tripped(server string) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lockedOf(server).began
}

// allows reports whether a page may be rendered from a server now. While the server is down, this is true once every tryEvery.
func (b *Breaker) allows(server string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.lockedOf(server)
	if !c.down {
		return true
	}
	now := time.Now()
	if now.Sub(c.tried) < tryEvery {
		return false
	}
	c.tried = now
	return true
}
