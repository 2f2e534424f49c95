package guard

import "sync"

// What results in progress may hold of memory together: beyond mostInProgress whoever has more than an equal share
// is refused. So a few servers that each stay within the bounds of one result cannot fill the memory, and neither
// keep results of ordinary size from others. rowBytes is what a row costs whoever keeps it, however short it is.
const (
	mostInProgress = 1 << 30
	rowBytes       = 64
)

// Results counts what results in progress hold, by connection. It is safe for concurrent use.
type Results struct {
	mu   sync.Mutex
	all  int64
	held map[*guard]int64
}

// hold sets what a connection holds, and reports whether it may have that.
func (s *Results) hold(g *guard, bytes int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.held[g]
	if bytes == 0 || g.gone.Load() {
		s.all -= before
		delete(s.held, g)
		return true
	}
	if s.held == nil {
		s.held = map[*guard]int64{}
	}
	s.all += bytes - before
	s.held[g] = bytes
	return bytes <= before || s.all <= mostInProgress || bytes <= mostInProgress/int64(len(s.held))
}

// hold refuses a result that has too much of what all in progress may hold.
func (g *guard) hold(bytes int64) error {
	if g.held.Results == nil || g.held.Results.hold(g, bytes) {
		return nil
	}
	return refuse("it has %d bytes of results that have more than %d together", bytes, mostInProgress)
}

// holdRow counts a row that begins. Contents of posts are read one by one and not kept.
func (g *guard) holdRow() error {
	if g.long {
		return g.hold(int64(g.got.size))
	}
	return g.hold(g.bytes + rowBytes*g.rows)
}
