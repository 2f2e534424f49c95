package binlog

import (
	"sync"
	"time"

	"wpsitemapd/server/changes"
)

// A server sends its binlog a moment before readers of its tables see the same, and an edit is several writes: so
// events are reported a moment later, and repeated once.
const (
	tellAfter   = 20 * time.Millisecond
	repeatAfter = time.Second
)

// outbox holds the events of a follower until they are reported. The zero value is ready, and it is safe for
// concurrent use.
type outbox struct {
	mu       sync.Mutex
	pending  events // to be reported in a moment
	sent     events // reported once, since the last repetition
	toRepeat events // reported once, to be repeated by the next repetition
	stopped  bool
}

type events map[*changes.Subscription]*changes.Event

func (all *events) merge(s *changes.Subscription, e *changes.Event) {
	if *all == nil {
		*all = events{}
	}
	(*all)[s] = changes.Merge((*all)[s], e)
}

// put adds an event to what is reported to a subscription in a moment.
func (o *outbox) put(s *changes.Subscription, e *changes.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pending) == 0 {
		time.AfterFunc(tellAfter, o.send)
	}
	o.pending.merge(s, e)
}

// full reports whether the events for a subscription have room for no more ids of a table.
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
		s.Report(e)
	}
	o.pending = nil
}

// repeat reports once more what was reported before the last repetition. What was reported since waits for the next
// one.
func (o *outbox) repeat() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		return
	}
	for s, e := range o.toRepeat {
		e.MaybeRepeat, e.Settled = true, time.Now()
		s.Report(e)
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
