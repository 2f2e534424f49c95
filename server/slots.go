package server

import (
	"context"
	"sync"
	"time"
)

// slotPatience is how long work holds its place among all: what takes longer waits for a
// database and needs no processor.
const slotPatience = 3 * time.Second

// slots bounds work on databases: all of it together, and that on one database server, so
// that a server which does not answer leaves places to the others. Beyond slotPatience work
// counts for its server only.
type slots struct {
	all chan struct{}

	mu      sync.Mutex
	servers map[string]chan struct{}
}

func newSlots(n int) *slots {
	return &slots{all: make(chan struct{}, n), servers: map[string]chan struct{}{}}
}

// acquire waits for a place in work on a server; release gives it back.
func (s *slots) acquire(ctx context.Context, server string) (release func(), ok bool) {
	s.mu.Lock()
	own := s.servers[server]
	if own == nil {
		own = make(chan struct{}, max(1, cap(s.all)*3/4))
		s.servers[server] = own
	}
	s.mu.Unlock()
	if !acquire(ctx, own) {
		return nil, false
	}
	if !acquire(ctx, s.all) {
		<-own
		return nil, false
	}
	var once sync.Once
	giveBack := func() { once.Do(func() { <-s.all }) }
	timer := time.AfterFunc(slotPatience, giveBack)
	return func() {
		timer.Stop()
		giveBack()
		<-own
	}, true
}
