package pages

import (
	"context"
	"sync"
	"time"
)

// slotTimeout is how long work holds its slot among all: what takes longer waits for a database and needs no processor.
const slotTimeout = 3 * time.Second

// Slots bound work on databases: all of it together, and that on one database server, so that a server which does not
// answer leaves slots to the others. Work that takes long counts for its server only. They are safe for concurrent use.
type Slots struct {
	all chan struct{} // holds one for each slot that is taken
	own int           // slots of one server

	mu      sync.Mutex
	servers map[string]*serverSlots // those with work
}

// serverSlots holds the slots of one database server.
type serverSlots struct {
	taken chan struct{} // holds one for each slot that is taken
	users int           // who has a slot or waits for one
}

// NewSlots returns n slots, of which one server has own at most, but for what is in a hurry.
func NewSlots(n, own int) *Slots {
	return &Slots{all: make(chan struct{}, n), own: own, servers: map[string]*serverSlots{}}
}

// Acquire waits for a slot for work on a server; release gives it back. It is false when ctx ends first. Once hurry has a signal, as
// a request waits for that work, it does not wait for its turn at the server; hurry may be nil.
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
