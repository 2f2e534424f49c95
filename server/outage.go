package server

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/sitemap/seo"
)

// A circuit breaker for each database server. Once one does not answer nobody waits for it: of what
// would have to be asked of it visitors get older copies or 503 at once, those who wait already
// too. Looks for changes and the workers' own attempts, which have pauses of their own, go on and find
// out when it is back; and where they tell nothing, one page is tried every now and then.

// tryEvery is how often a page is asked of a server that does not answer.
const tryEvery = 5 * time.Second

// errOutage is why a page is not rendered.
var errOutage = errors.New("its database server does not answer")

// outages are the database servers that do not answer, by their address. It is safe for concurrent use.
type outages struct {
	count   atomic.Int32 // of them
	mu      sync.Mutex
	servers map[string]*outage
}

// outage is how a server fares.
type outage struct {
	down  bool
	began chan struct{} // closed while it is down
	tried time.Time
}

func (o *outages) lockedOf(server string) *outage {
	if o.servers == nil {
		o.servers = map[string]*outage{}
	}
	s := o.servers[server]
	if s == nil {
		s = &outage{began: make(chan struct{})}
		o.servers[server] = s
	}
	return s
}

// silent notes that a server does not answer, and reports whether that is new.
func (o *outages) silent(server string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.lockedOf(server)
	if s.down {
		return false
	}
	s.down, s.tried = true, time.Now()
	close(s.began)
	o.count.Add(1)
	return true
}

// answered notes that a server has answered, and reports whether that is new.
func (o *outages) answered(server string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.lockedOf(server)
	if !s.down {
		return false
	}
	s.down, s.began = false, make(chan struct{})
	o.count.Add(-1)
	return true
}

// began is closed while a server does not answer.
func (o *outages) began(server string) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lockedOf(server).began
}

// blocks reports whether a server is not to be asked for a page now.
func (o *outages) blocks(server string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.lockedOf(server)
	if !s.down {
		return false
	}
	if now := time.Now(); now.Sub(s.tried) >= tryEvery {
		s.tried = now
		return false
	}
	return true
}

// down reports whether the database server of a site does not answer, so that nobody can say whether its copies are
// still true.
func (o *outages) down(w *worker) bool {
	if o.count.Load() == 0 {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lockedOf(w.DatabaseServer()).down
}

// asks reports whether a page takes the database: the index is made of the catalog alone.
func asks(name string) bool { return name != seo.IndexName }

// silence is closed while a page cannot be had from the database of its site.
func (s *Server) silence(w *worker, name string) <-chan struct{} {
	if !asks(name) {
		return nil
	}
	return s.outages.began(w.DatabaseServer())
}

// noteSilent and noteAnswer are told of every sign from a database server.
func (s *Server) noteSilent(server string, err error) {
	if s.outages.silent(server) {
		s.log.Warn("a database server does not answer: pages that are not kept are 503 until it does", "server", server, "reason", err, "hint", "see to the server; it is tried again by itself")
	}
}

func (s *Server) noteAnswer(server string) {
	if s.outages.answered(server) {
		s.log.Info("the database server answers again", "server", server)
	}
}
