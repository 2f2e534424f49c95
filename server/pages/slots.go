package pages

import (
	"context"
	"sync"
	"time"
)

// slotTimeout is how long work takes up one of the slots that all servers share. Work that takes longer is waiting for a
// database and needs no processor.
const slotTimeout = 3 * time.Second

// Slots bounds the work on databases: all work together, and the work on each database server. A server that does not answer
// therefore leaves slots to the other servers. After slotTimeout, work counts for its server only. Slots is safe for concurrent
// use.
type Slots struct {
	all chan struct{} // holds one value for each slot taken
	own int           // slots of each server

	mu      sync.Mutex
	servers map[string]*serverSlots // the servers that have work
}

// serverSlots are the slots of one database server.
type serverSlots struct {
	taken chan struct{} // holds one value for each slot taken
	users int           // how many have a slot or wait for one
}

// NewSlots returns n slots for work on databases. own is how many of them the work on one database server may take. Urgent work
// does not count for its server, see Acquire.
func NewSlots(n, own int) *Slots {
	return &Slots{all: make(chan struct{}, n), own: own, servers: map[string]*serverSlots{}}
}

// Acquire waits for a slot for work on a server. It returns false if ctx ends first; release gives the slot back. A signal on
// hurry (which may be nil) makes the work urgent: it no longer waits for one of the server's own slots.
func (s *Slots) Acquire(ctx context.Context, server string, hurry <-chan struct{}) (release func(), ok bool) {
	own := s.join(server)
	hurried := false
	select {
	case own.taken <- struct{}{}:
	case <-hurry:
		hurried = true
	case <-ctx.Done():
		s.leave(server, own)
		return nil, false
	}
	done := func() {
		if !hurried {
			<-own.taken
		}
		s.leave(server, own)
	}
	select {
	case s.all <- struct{}{}:
	case <-ctx.Done():
		done()
		return nil, false
	}
	var once sync.Once
	giveBack := func() { once.Do(func() { <-s.all }) }
	timer := time.AfterFunc(slotTimeout, giveBack)
	return func() {
		timer.Stop()
		giveBack()
		done()
	}, true
}

func (s *Slots) join(server string) *serverSlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.servers[server]
	if own == nil {
		own = &serverSlots{taken: make(chan struct{}, s.own)}
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
