// Package limit bounds what is done at a time on databases.
package limit

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// patience is how long work holds its place among all: what takes longer waits for a database and needs no processor.
const patience = 3 * time.Second

// Slots bound work on databases: all of it together, and that on one database server, so that a server which does not
// answer leaves places to the others. Work that takes long counts for its server only. They are safe for concurrent use.
type Slots struct {
	all *semaphore.Weighted
	own int64

	mu      sync.Mutex
	servers map[string]*semaphore.Weighted
}

// NewSlots returns so many slots, of which one server has three quarters at most.
func NewSlots(n int) *Slots {
	return &Slots{all: semaphore.NewWeighted(int64(n)), own: int64(max(1, n*3/4)), servers: map[string]*semaphore.Weighted{}}
}

// Acquire waits for a place in work on a server; release gives it back. It is false when ctx ends first.
func (s *Slots) Acquire(ctx context.Context, server string) (release func(), ok bool) {
	s.mu.Lock()
	own := s.servers[server]
	if own == nil {
		own = semaphore.NewWeighted(s.own)
		s.servers[server] = own
	}
	s.mu.Unlock()
	if own.Acquire(ctx, 1) != nil {
		return nil, false
	}
	if s.all.Acquire(ctx, 1) != nil {
		own.Release(1)
		return nil, false
	}
	var once sync.Once
	giveBack := func() { once.Do(func() { s.all.Release(1) }) }
	timer := time.AfterFunc(patience, giveBack)
	return func() {
		timer.Stop()
		giveBack()
		own.Release(1)
	}, true
}
