// Package store keeps what outlives the process: cached pages, records of sites and blogs, and notes.
//
// A Store does what all kinds of stores have in common: it encodes blobs, queues and repeats writes, and keeps within its limit.
// While a store does not answer, it is not asked. Each kind of store implements Blobs, which keeps bytes under names. The kinds
// are the packages below this one; server/config/stores.go lists them.
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

// Name identifies a blob.
type Name struct {
	Kind string // page, blog, site or note
	Site string
	Blog string // the key of a blog; "" if the blob belongs to the whole site
	Key  string
}

// Blob describes a stored blob without its bytes.
type Blob struct {
	Name
	Version string    // of the content; "" if the store does not know
	Size    int64     // of the bytes; 0 if the store does not know
	Used    time.Time // when it was last saved or loaded; zero if the store does not know
}

// Usage is how much a site has stored.
type Usage struct {
	Blobs int
	Bytes int64
}

// Blobs keeps bytes under names. It is safe for concurrent use. Every method returns when its context ends. After a failure, the
// next call may open the store or connect again.
type Blobs interface {
	// Load returns the bytes of a blob, nil if there is none.
	Load(ctx context.Context, n Name) ([]byte, error)
	// Save stores the bytes of a blob and replaces earlier ones. It ignores Size and Used.
	Save(ctx context.Context, b Blob, data []byte) error
	// List returns the blobs of a site. If site is "", a store with a limit returns the blobs of all sites.
	List(ctx context.Context, site string) ([]Blob, error)
	// Delete removes blobs. A missing blob is not an error.
	Delete(ctx context.Context, names []Name) error
	// Stats returns the usage of the given sites, and of other sites that the store knows of. It opens the store or connects if
	// necessary.
	Stats(ctx context.Context, sites []string) (map[string]Usage, error)
	// Claim reports whether holder is the first to claim a text of a site, so that it may act on the text. Every other holder
	// gets false until lasts is over.
	Claim(ctx context.Context, site, text, holder string, lasts time.Duration) (bool, error)
	Close() error
}

// Backend is one kind of store, such as a folder. Each package below this one provides one.
type Backend interface {
	Kind() Kind
	// Check returns what is wrong with the spelling of a location.
	Check(location string) error
	// Probe returns why the location cannot be used, and what to do. It returns "" if the location can be used.
	Probe(ctx context.Context, location string) (trouble string)
	// Open returns the store at a location. shown is the location without passwords.
	Open(location string, log *slog.Logger) (b Blobs, shown string, err error)
	// Holds reports whether something may be stored at a location.
	Holds(location string) bool
}

// Kind holds the facts about one kind of store. It has nothing to do with Name.Kind, the kind of a blob.
type Kind struct {
	Place   string        // where the pages are, for people: "on disk"
	Schemes []string      // URL schemes of its locations; none: the location is a folder
	Form    string        // how its locations begin, in words; "" for a folder
	Shared  bool          // several daemons use the store; it has no limit, and forgets old sites itself
	Timeout time.Duration // how long a request waits for a page
	Beat    time.Duration // between checks whether it still holds what was written
}

// Options are the options of every kind of store.
type Options struct {
	Limit int64            // in bytes; what was used longest ago is removed first. A shared store ignores it
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: slog.Default
	Lost  func()           // called after the store has lost written blobs; may be nil
	Beat  time.Duration    // 0: the beat of the backend
}

// ForgetAfter is how long a site that is not in the configuration is kept after one of its blobs was last saved or loaded.
const ForgetAfter = 7 * 24 * time.Hour

// Stats counts what happened since the start, and describes what is stored.
type Stats struct {
	Place   string // Kind.Place
	Usage          // the usage of all sites together
	Limit   int64  // the bound of Usage.Bytes; 0: no limit
	Queued  int    // blobs that wait to be written
	Written int
	Failed  int    // tries to write that failed, and blobs that could not be encoded
	Missed  int    // blobs that had no room in the store or in the queue
	Damaged int    // blobs that were incomplete or written by somebody else, and were dropped
	Pruned  int    // blobs removed because their page, blog or site is gone, or to make room
	Error   string // why nothing can be written now; "" if it can
}

// Store keeps pages, records and notes. It is safe for concurrent use. Reading a page takes no longer than Kind.Timeout. Run writes
// in the background. The Store removes and counts a damaged blob, and never returns it.
type Store struct {
	Options
	kind   Kind
	blobs  Blobs
	shown  string
	id     string        // identifies this process in Claim
	seed   maphash.Seed  // for the hashes of versions in known
	reads  chan struct{} // holds one value for each read under way
	wake   chan struct{} // holds one signal: something waits to be written
	check  chan struct{} // holds one signal: check whether the store answers
	losses atomic.Uint64 // how often written blobs were lost

	mu          sync.Mutex
	queue       queue
	writing     *job
	known       map[string]map[string]entries // what is stored, by site and blog
	listed      []string                      // sites of the configuration; nil: not known yet
	used        Usage
	stats       Stats
	unreachable error // why reads fail; nil: they do not
	unwritable  error // why writes fail; nil: they do not
}

// entries are the stored blobs of one blog, or of the whole site.
type entries map[entry]known

type entry struct{ kind, key string }

// known describes a stored blob.
type known struct {
	version uint64 // hash of its version; 0: unknown
	size    int64
}

// New returns a store at a location. Call Open before reading from it.
func New(backend Backend, location string, opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	kind := backend.Kind()
	if opt.Beat == 0 {
		opt.Beat = kind.Beat
	}
	if kind.Shared {
		opt.Limit = 0
	}
	blobs, shown, err := backend.Open(location, opt.Log)
	if err != nil {
		return nil, err
	}
	return &Store{
		Options: opt, kind: kind, blobs: blobs, shown: shown, id: rand.Text(), seed: maphash.MakeSeed(),
		reads: make(chan struct{}, maxReads), wake: make(chan struct{}, 1), check: make(chan struct{}, 1),
		known: map[string]map[string]entries{},
	}, nil
}

// String is the location without passwords.
func (s *Store) String() string { return s.shown }

// Open makes the store ready for reading. If it fails, the store seems empty, and Run tries again.
func (s *Store) Open() error { return s.look(context.Background()) }

// A Saving is a number that grows each time the store loses blobs, see Store.Saving.
type Saving uint64

// Saving returns the number under which blobs are saved now. The number begins at 1 and grows each time the store loses blobs.
// A blob that was saved under another number may be lost, so it must be saved again.
func (s *Store) Saving() Saving { return Saving(1 + s.losses.Load()) }

// Retain sets the sites of the configuration. Other sites are removed when none of their blobs was used for ForgetAfter. A shared store
// removes them itself.
func (s *Store) Retain(sites []string) {
	s.mu.Lock()
	s.listed = sites
	s.mu.Unlock()
	notify(s.check)
}

// Stats returns the current numbers.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Place, stats.Usage, stats.Limit, stats.Queued = s.kind.Place, s.used, s.Limit, len(s.queue.byName)
	if s.writing != nil {
		stats.Queued++
	}
	if err := s.trouble(); err != nil {
		stats.Error = err.Error()
	}
	return stats
}

// trouble returns why nothing can be written, or nil. The caller holds s.mu.
func (s *Store) trouble() error {
	if s.unreachable != nil {
		return s.unreachable
	}
	return s.unwritable
}

// set sets s.unreachable or s.unwritable, and logs if the store has begun or ceased to work.
func (s *Store) set(reason *error, err error) {
	s.mu.Lock()
	before := s.trouble()
	*reason = err
	after := s.trouble()
	s.mu.Unlock()
	switch {
	case after != nil && before == nil:
		s.Log.Error("cached pages cannot be stored; they are kept in memory only",
			"state", s.shown, "reason", after, "hint", "check the folder or the server that state names; the daemon retries automatically")
	case after == nil && before != nil:
		s.Log.Info("cached pages can be stored again", "state", s.shown)
	}
}

// count adds one to a number of s.stats.
func (s *Store) count(figure *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*figure++
}

// Has reports whether a page is stored, or waits to be written.
func (s *Store) Has(key Key) bool {
	name := key.name()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, stored := s.knownOf(name)
	return stored || s.queue.at(name) != nil || s.writing != nil && s.writing.Name == name
}

// knownOf returns what is known of a stored blob. The caller holds s.mu.
func (s *Store) knownOf(n Name) (k known, stored bool) {
	k, stored = s.known[n.Site][n.Blog][entry{n.Kind, n.Key}]
	return k, stored
}

// learn records that a blob is stored. The caller holds s.mu.
func (s *Store) learn(n Name, k known) {
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

// forget records that a blob is not stored. The caller holds s.mu.
func (s *Store) forget(n Name) {
	if before, stored := s.knownOf(n); stored {
		s.used.Bytes -= before.size
		s.used.Blobs--
		delete(s.known[n.Site][n.Blog], entry{n.Kind, n.Key})
	}
}

// room returns how many more bytes the store can take once the queue is written. It returns 0 while nothing can be written, and
// MaxQueue if there is no limit. The caller holds s.mu.
func (s *Store) room() int64 {
	switch {
	case s.trouble() != nil:
		return 0
	case s.Limit == 0:
		return MaxQueue
	}
	return s.Limit - s.used.Bytes - s.queue.bytes
}

// Claim reports whether this process may act on a text of a site, because it was the first to claim the text. Other processes get
// false until lasts is over. If the store does not answer, every process gets true.
func (s *Store) Claim(site, text string, lasts time.Duration) bool {
	first, err := ask(s, lookTimeout, func(ctx context.Context) (bool, error) { return s.blobs.Claim(ctx, site, text, s.id, lasts) })
	return first || err != nil
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // the signal is there already
	}
}
