package pages

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// slotTimeout is how long work holds its slot among all: what takes longer waits for a database and needs no processor.
const slotTimeout = 3 * time.Second

// Slots bound work on databases: all of it together, and that on one database server, so that a server which does not
// answer leaves slots to the others. Work that takes long counts for its server only. They are safe for concurrent use.
type Slots struct {
	all *semaphore.Weighted
	own int64

	mu      sync.Mutex
	servers map[string]*serverSlots // those with work
}

// serverSlots holds the slots of one database server.
type serverSlots struct {
	*semaphore.Weighted
	users int // who has a slot or waits for one
}

// NewSlots returns so many slots, of which one server has three quarters at most.
func NewSlots(n int) *Slots {
	return &Slots{all: semaphore.NewWeighted(int64(n)), own: int64(max(1, n*3/4)), servers: map[string]*serverSlots{}}
}

// Acquire waits for a slot for work on a server; release gives it back. It is false when ctx ends first.
func (s *Slots) Acquire(ctx context.Context, server string) (release func(), ok bool) {
	own := s.join(server)
	if own.Acquire(ctx, 1) != nil {
		s.leave(server, own)
		return nil, false
	}
	if s.all.Acquire(ctx, 1) != nil {
		own.Release(1)
		s.leave(server, own)
		return nil, false
	}
	var once sync.Once
	giveBack := func() { once.Do(func() { s.all.Release(1) }) }
	timer := time.AfterFunc(slotTimeout, giveBack)
	return func() {
		timer.Stop()
		giveBack()
		own.Release(1)
		s.leave(server, own)
	}, true
}

func (s *Slots) join(server string) *serverSlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.servers[server]
	if own == nil {
		own = &serverSlots{Weighted: semaphore.NewWeighted(s.own)}
		s.servers[server] = own
	}
	own.users++
	return own
}

func (s *Slots) leave(server string, own *serverSlots) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(s.servers, server)
	}
}
