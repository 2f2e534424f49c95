package writes

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Turns spreads work that hundreds of sites would do at the same moment. It is safe for concurrent use.
type Turns struct {
	mu   sync.Mutex
	next map[string]time.Time // when the next turn of each kind of work begins
}

// Take reserves the next turn of a kind of work, and returns the time until that turn. Two turns are at least the
// duration every apart.
func (t *Turns) Take(what string, every time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	wait := max(0, t.next[what].Sub(now))
	t.set(what, now.Add(wait+every))
	return wait
}

// postpone delays the next turn of a kind of work to the time until, or later.
func (t *Turns) postpone(what string, until time.Time) {
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

// AskedLast returns a copy of a slice, sorted by the time that asked returns for each element: the latest time comes
// first.
func AskedLast[T comparable](of []T, asked func(T) int64) []T {
	at := make(map[T]int64, len(of)) // copied first, because visitors change the times during the sort
	for _, o := range of {
		at[o] = asked(o)
	}
	return slices.SortedStableFunc(slices.Values(of), func(a, b T) int { return cmp.Compare(at[b], at[a]) })
}
