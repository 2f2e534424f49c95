package announce

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/metrics"
)

// How a queue keeps time.
const (
	// rate is how many addresses are announced in a minute at most: a large import is told of within minutes, and no engine has
	// more to fetch than it would by itself.
	rate       = 1000
	settle     = 15 * time.Second // after an address came, for those of the same edit
	again      = 10 * time.Minute // between two announcements of one address
	leastPause = 10 * time.Second // between two requests
	firstRetry = time.Minute      // after a failure, doubled after each that follows
	lastRetry  = time.Hour        // the longest pause after failures
	refusal    = 10 * time.Minute // after a refusal: the next request would be refused, too
	jitter     = 0.2              // of a retry, so that many sites do not retry at the same time
)

// maxQueue is how many addresses wait at most.
const maxQueue = 20_000

// queue holds what is to be announced of a blog. It is not safe for concurrent use.
type queue struct {
	home    string
	urls    []string        // in the order they came
	waiting map[string]bool // the same
	sent    map[string]time.Time
	ready   time.Time // nothing is sent before
	failed  int       // attempts in a row
	stats   metrics.Announcements
}

// newQueue returns the queue of the blog at an address, with what waited in an earlier one.
func newQueue(home string, urls []string) *queue {
	q := &queue{home: strings.TrimRight(home, "/"), waiting: map[string]bool{}, sent: map[string]time.Time{}}
	for _, u := range urls {
		q.put(u)
	}
	return q
}

// Waiting returns the addresses that wait.
func (q *queue) Waiting() []string { return slices.Clone(q.urls) }

// Room is how many more addresses there is room for.
func (q *queue) Room() int { return maxQueue - len(q.urls) }

// Stats returns the counters.
func (q *queue) Stats() metrics.Announcements {
	s := q.stats
	s.Waiting = len(q.urls)
	return s
}

// Add has addresses announced. Those waiting already stay where they are.
func (q *queue) Add(now time.Time, urls []string) {
	if len(urls) > 0 && len(q.urls) == 0 {
		if at := now.Add(settle); at.After(q.ready) {
			q.ready = at
		}
	}
	for _, u := range urls {
		q.put(u)
	}
}

func (q *queue) put(u string) {
	rest, ok := strings.CutPrefix(u, q.home)
	switch {
	case q.waiting[u]:
	case !ok || rest != "" && rest[0] != '/' && rest[0] != '?', len(q.urls) >= maxQueue:
		q.stats.Dropped++
	default:
		q.urls = append(q.urls, u)
		q.waiting[u] = true
	}
}

// Next returns the addresses to be sent now, at most rate of them, or none and the time until
// there may be some; without any it is long.
func (q *queue) Next(now time.Time) (batch []string, wait time.Duration) {
	for u, at := range q.sent {
		if now.Sub(at) >= again {
			delete(q.sent, u)
		}
	}
	if len(q.urls) == 0 {
		return nil, time.Hour
	}
	if now.Before(q.ready) {
		return nil, q.ready.Sub(now)
	}
	wait = again
	for _, u := range q.urls {
		if at, ok := q.sent[u]; ok {
			wait = min(wait, at.Add(again).Sub(now))
			continue
		}
		if batch = append(batch, u); len(batch) == rate {
			break
		}
	}
	return batch, wait
}

// Done notes what came of the addresses that Next returned.
func (q *queue) Done(now time.Time, batch []string, o outcome) {
	if !o.Elsewhere {
		q.stats.Status, q.stats.Last, q.stats.Reason = o.Status, now, o.Reason
	}
	if o.Verdict == retry {
		q.failed++
		pause := min(firstRetry<<min(q.failed-1, 10), lastRetry)
		pause += time.Duration(jitter * rand.Float64() * float64(pause))
		q.ready = now.Add(max(pause, o.RetryAfter))
		return
	}
	q.failed = 0
	gone := make(map[string]bool, len(batch))
	for _, u := range batch {
		gone[u] = true
		delete(q.waiting, u)
		if o.Verdict == accepted && len(q.sent) < maxQueue {
			q.sent[u] = now
		}
	}
	q.urls = slices.DeleteFunc(q.urls, func(u string) bool { return gone[u] })
	if o.Verdict == refused {
		q.stats.Refused += int64(len(batch))
		q.ready = now.Add(refusal)
		return
	}
	if !o.Elsewhere {
		q.stats.Sent += int64(len(batch))
	}
	q.ready = now.Add(max(leastPause, time.Duration(len(batch))*time.Minute/rate))
}
