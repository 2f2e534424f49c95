package binlog

import (
	"sync"
	"time"

	"wpsitemapd/server/changes"
)

// A server sends its binlog a moment before who reads its tables sees the same, and an edit is several writes: so
// databases are told a moment later, and of the same once more.
const (
	tellAfter   = 20 * time.Millisecond
	repeatAfter = time.Second
)

// outbox holds the events of a follower until they are told. The zero value is ready, and it is safe for concurrent use.
type outbox struct {
	mu       sync.Mutex
	pending  events // to be told in a moment
	sent     events // told once, since the last repetition
	toRepeat events // told once, to be told again by the next repetition
	stopped  bool
}

type events map[*changes.Subscription]*changes.Event

func (all *events) merge(s *changes.Subscription, e *changes.Event) {
	if *all == nil {
		*all = events{}
	}
	(*all)[s] = changes.Merge((*all)[s], e)
}

// put adds an event to what a subscription is to be told in a moment.
func (o *outbox) put(s *changes.Subscription, e *changes.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pending) == 0 {
		time.AfterFunc(tellAfter, o.send)
	}
	o.pending.merge(s, e)
}

// full reports whether what a subscription is to be told has room for no more ids of a table.
func (o *outbox) full(s *changes.Subscription, table string, kind changes.Kind) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pending[s].Full(table, kind)
}

func (o *outbox) send() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		return
	}
	if len(o.sent) == 0 && len(o.toRepeat) == 0 {
		time.AfterFunc(repeatAfter, o.repeat)
	}
	for s, e := range o.pending {
		o.sent.merge(s, e)
		s.Tell(e)
	}
	o.pending = nil
}

// repeat tells once more what was told before the last repetition. What was told since waits for the next one.
func (o *outbox) repeat() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		return
	}
	for s, e := range o.toRepeat {
		e.MaybeRepeat, e.Settled = true, time.Now()
		s.Tell(e)
	}
	o.toRepeat, o.sent = o.sent, nil
	if len(o.toRepeat) > 0 {
		time.AfterFunc(repeatAfter, o.repeat)
	}
}

func (o *outbox) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = true
}
