// Package store keeps what outlives the process: cached pages, records of sites and blogs, and notes.
//
// A Store does what all stores have in common: it encodes, queues what is to be written, retries, keeps within its limit,
// and asks nothing of a store that does not answer. Blobs is what one kind of store adds: it keeps bytes under names. The
// packages below this one are the kinds there are; server/config/stores.go has the list of them.
package store

import (
	"context"
	"crypto/rand"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Name is the name of a blob.
type Name struct {
	Kind string // page, blog, site or note
	Site string
	Blog string // the key of a blog; "" for what belongs to the site as a whole
	Key  string
}

// Blob is what a store tells of a blob without its bytes.
type Blob struct {
	Name
	Version string    // of the content; "" where the store does not know
	Size    int64     // of the bytes; 0 where the store does not know
	Used    time.Time // when it was last saved or loaded; zero where the store does not know
}

// Usage is what a site takes.
type Usage struct {
	Blobs int
	Bytes int64
}

// Blobs keeps bytes under names. It is safe for concurrent use. Every method ends with its context; after one that failed the
// next may open or connect anew.
type Blobs interface {
	// Load returns the bytes of a blob, nil where there is none.
	Load(ctx context.Context, n Name) ([]byte, error)
	// Save keeps bytes in the place of those before. Size and Used of the blob are the store's own.
	Save(ctx context.Context, b Blob, data []byte) error
	// List returns the blobs of a site, or of all sites for "" where the store has a limit.
	List(ctx context.Context, site string) ([]Blob, error)
	// Delete removes blobs; those that are gone are no error.
	Delete(ctx context.Context, names []Name) error
	// Stats returns what the sites take, and others that the store knows of. It opens or connects where need be.
	Stats(ctx context.Context, sites []string) (map[string]Usage, error)
	// Claim reports whether the holder is the first to claim a text. Nobody else gets the same for a while.
	Claim(ctx context.Context, site, text, holder string, lasts time.Duration) (bool, error)
	Close() error
}

// Backend is one kind of store. Every package of a store has one.
type Backend struct {
	Place   string                                                                     // where the pages are, for people: "on disk"
	Schemes []string                                                                   // of its locations; none: it is kept in a folder
	Form    string                                                                     // how its locations begin, in words; "" for a folder
	Shared  bool                                                                       // by several daemons; without limit, it forgets sites itself
	Timeout time.Duration                                                              // of a read that a request waits for
	Beat    time.Duration                                                              // between checks whether it answers and holds what was written
	Check   func(location string) error                                                // what is wrong with a location as it is written
	Probe   func(ctx context.Context, location string) (trouble string)                // why it cannot be used, and what to do; "" where it can
	Open    func(location string, log *slog.Logger) (b Blobs, shown string, err error) // shown is the location without passwords
	Holds   func(location string) bool                                                 // whether anything was stored that can be read; nil: unknown
}

// Options are what every store is opened with.
type Options struct {
	Limit int64            // bytes; what was used least goes first. A shared store has none
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: slog.Default
	Lost  func()           // called where the store has lost what was written, so that Saving is another number; nil: not
	Beat  time.Duration    // 0: that of the kind
}

// ForgetAfter is how long a site is kept that has left the configuration.
const ForgetAfter = 7 * 24 * time.Hour

// Stats counts what happened since the start, and what is there.
type Stats struct {
	Place   string // on disk, in Redis …
	Usage          // of all sites
	Limit   int64  // of Bytes; 0: none
	Queued  int    // blobs that wait to be written
	Written int
	Failed  int    // writes that failed
	Missed  int    // blobs there was no room for, in the store or in the queue
	Damaged int    // blobs that were not whole or not ours, and were dropped
	Pruned  int    // blobs whose page is gone, or that made room
	Error   string // why nothing can be written at the moment; ""
}

// Store keeps pages, records and notes. It is safe for concurrent use. Only readers wait for it, each for a moment at
// most: what is saved is written in the background. What is damaged is dropped and counted, never returned.
type Store struct {
	Options
	backend Backend
	blobs   Blobs
	shown   string
	id      string        // of this process, for claims
	seed    maphash.Seed  // of versions in known
	reads   chan struct{} // slots
	wake    chan struct{} // holds one signal: something is to be written
	check   chan struct{} // holds one signal: see whether the store answers
	losses  atomic.Uint64 // of what was written

	mu          sync.Mutex
	queue       queue
	writing     *job
	known       map[string]map[string]entries // what is there, by site and blog
	listed      []string                      // sites of the configuration; nil: not known yet
	used        Usage
	stats       Stats
	unreachable error // reads are not tried
	unwritable  error
}

// entries are the stored blobs of one blog, or of a site as a whole.
type entries map[entry]known

type entry struct{ kind, key string }

// known describes a stored blob.
type known struct {
	version uint64 // hash of its version; 0: unknown
	size    int64
}

// New returns a store of a kind at a location. Open makes it ready to be read.
func New(backend Backend, location string, opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	if opt.Beat == 0 {
		opt.Beat = backend.Beat
	}
	if backend.Shared {
		opt.Limit = 0
	}
	blobs, shown, err := backend.Open(location, opt.Log)
	if err != nil {
		return nil, err
	}
	return &Store{
		Options: opt, backend: backend, blobs: blobs, shown: shown, id: rand.Text(), seed: maphash.MakeSeed(),
		reads: make(chan struct{}, maxReads), wake: make(chan struct{}, 1), check: make(chan struct{}, 1),
		known: map[string]map[string]entries{},
	}, nil
}

// String is the location without passwords.
func (s *Store) String() string { return s.shown }

// Open makes the store ready to be read. Where that fails nothing is found in it, and Run tries again.
func (s *Store) Open() error { return s.look(context.Background()) }

// Saving is a number for what is saved from now on: once the store has lost that, it is another one.
type Saving uint64

// Saving returns the number of now, which is never 0. What was saved under another one is to be saved again.
func (s *Store) Saving() Saving { return Saving(1 + s.losses.Load()) }

// Retain sets the sites of the configuration. What is kept of others is removed after a while.
func (s *Store) Retain(sites []string) {
	s.mu.Lock()
	s.listed = sites
	s.mu.Unlock()
	notify(s.check)
}

// Stats returns what happened since the start, and what is there.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Place, stats.Usage, stats.Limit, stats.Queued = s.backend.Place, s.used, s.Limit, len(s.queue.byName)
	if s.writing != nil {
		stats.Queued++
	}
	if err := s.trouble(); err != nil {
		stats.Error = err.Error()
	}
	return stats
}

// trouble is why nothing can be written, nil where it can. s.mu is held.
func (s *Store) trouble() error {
	if s.unreachable != nil {
		return s.unreachable
	}
	return s.unwritable
}

// set notes why the store cannot be reached, or written to, and logs when that changes.
func (s *Store) set(reason *error, err error) {
	s.mu.Lock()
	before := s.trouble()
	*reason = err
	after := s.trouble()
	s.mu.Unlock()
	switch {
	case after != nil && before == nil:
		s.Log.Error("cached pages cannot be stored; they are kept in memory only",
			"state", s.shown, "reason", after, "hint", "see to the folder or the server that state names; the daemon retries by itself")
	case after == nil && before != nil:
		s.Log.Info("cached pages can be stored again", "state", s.shown)
	}
}

// count adds one to a figure of stats.
func (s *Store) count(figure *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*figure++
}

// Has reports whether a page is there, or will be in a moment.
func (s *Store) Has(key Key) bool {
	name := key.name()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, stored := s.knownOf(name)
	return stored || s.queue.at(name) != nil || s.writing != nil && s.writing.Name == name
}

// knownOf returns what is known of a stored blob. s.mu is held.
func (s *Store) knownOf(n Name) (k known, stored bool) {
	k, stored = s.known[n.Site][n.Blog][entry{n.Kind, n.Key}]
	return k, stored
}

// note takes up that a blob is stored. s.mu is held.
func (s *Store) note(n Name, k known) {
	s.forget(n)
	if s.known[n.Site] == nil {
		s.known[n.Site] = map[string]entries{}
	}
	if s.known[n.Site][n.Blog] == nil {
		s.known[n.Site][n.Blog] = entries{}
	}
	s.known[n.Site][n.Blog][entry{n.Kind, n.Key}] = k
	s.used.Bytes += k.size
	s.used.Blobs++
}

// forget takes up that a blob is not stored. s.mu is held.
func (s *Store) forget(n Name) {
	if before, stored := s.knownOf(n); stored {
		s.used.Bytes -= before.size
		s.used.Blobs--
		delete(s.known[n.Site][n.Blog], entry{n.Kind, n.Key})
	}
}

// room is the number of bytes that are free. What waits in the queue has taken its room. s.mu is held.
func (s *Store) room() int64 {
	switch {
	case s.trouble() != nil:
		return 0
	case s.Limit == 0:
		return MaxQueue
	}
	return s.Limit - s.used.Bytes - s.queue.bytes
}

// Claim reports whether this process is the first of those that use the store to claim a text of a site. Nobody else gets the
// same for a while. While the store does not answer everybody is the first.
func (s *Store) Claim(site, text string, lasts time.Duration) bool {
	first, err := ask(s, func(ctx context.Context) (bool, error) { return s.blobs.Claim(ctx, site, text, s.id, lasts) })
	return first || err != nil
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has a signal already
	}
}
