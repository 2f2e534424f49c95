package changes

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Turns spaces out what hundreds of sites would do at the same moment. It is safe for concurrent use.
type Turns struct {
	mu   sync.Mutex
	next map[string]time.Time // when what is done in turn may be done again
}

// Take returns the time until something may be done that is done once in every while. That moment is then taken.
func (t *Turns) Take(what string, every time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	wait := max(0, t.next[what].Sub(now))
	t.set(what, now.Add(wait+every))
	return wait
}

// Postpone makes what is done in turn wait until a moment.
func (t *Turns) Postpone(what string, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next[what].Before(until) {
		t.set(what, until)
	}
}

func (t *Turns) set(what string, at time.Time) {
	if t.next == nil {
		t.next = map[string]time.Time{}
	}
	t.next[what] = at
}

// AskedLast returns some in another order: those first that were asked for last.
func AskedLast[T comparable](of []T, asked func(T) int64) []T {
	at := make(map[T]int64, len(of)) // which visitors change meanwhile
	for _, o := range of {
		at[o] = asked(o)
	}
	return slices.SortedStableFunc(slices.Values(of), func(a, b T) int { return cmp.Compare(at[b], at[a]) })
}
