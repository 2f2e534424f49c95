package pages

import (
	"log/slog"
	"sync"
	"time"
)

// tryEvery is how often a page is asked of a server that does not answer.
const tryEvery = 5 * time.Second

// A Breaker is a circuit breaker for each database server. Once one does not answer nobody waits for it: of what would have
// to be asked of it visitors get older pages or 503 at once, those who wait already, too. The feed of changes and the full
// reads, which have pauses of their own, go on and find out when it is back; where they find nothing, one page is tried every
// now and then. It is safe for concurrent use.
type Breaker struct {
	log     *slog.Logger
	mu      sync.Mutex
	servers map[string]*circuit // by address
}

// circuit is how a server fares.
type circuit struct {
	down  bool
	began chan struct{} // closed while it is down
	tried time.Time
}

// NewBreaker returns a breaker that takes every server for sound.
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

// Trip notes that a server does not answer, and why.
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

// Reset notes that a server has answered.
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

// Down reports whether a server does not answer, so that nobody can say whether what was read from it is still true.
func (b *Breaker) Down(server string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lockedOf(server).down
}

// Tripped is closed while a server does not answer.
func (b *Breaker) Tripped(server string) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lockedOf(server).began
}

// Allows reports whether a server may be asked for a page now.
func (b *Breaker) Allows(server string) bool {
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
