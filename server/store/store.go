// Package store says what is kept of all sites beyond the end of the process, so that it can be served when
// neither database nor upstream answers: last good copies of pages, records of blogs, and notes.
//
// Store is the contract. The packages below this one are the stores there are; server/stores has the list of them. The form of a file, its name and the queue
// of what waits to be written are the same for all of them and stand here.
package store

import (
	"context"
	"log/slog"
	"time"
)

// Store keeps pages, records and notes. It is safe for concurrent use. Only readers wait for it: what is saved is
// written in the background. What is damaged is dropped and counted, never returned.
type Store interface {
	// Open makes the store ready to be read. Where that fails it holds nothing, and Run tries again.
	Open() error
	// Run writes what is saved until ctx ends, and then for some seconds what still waits.
	Run(ctx context.Context)
	// Retain sets the sites of the configuration. What is kept of others is removed after a while.
	Retain(sites []string)
	Stats() Stats

	// Copy returns a page's copy, nil when there is none.
	Copy(Key) *Copy
	// Save has a copy written. It reports whether it will be: where not, it may be saved again. Its bytes must not
	// change.
	Save(*Copy) bool
	// Has reports whether there is a copy of a page, or will be in a moment.
	Has(Key) bool
	// Room is the number of bytes that are free for a site.
	Room(site string) int64

	// Site returns what was remembered of a site and of those of its blogs that can be served; nil for nothing.
	Site(name string) (*Site, []*Blog)
	// SaveSite and SaveBlog have a record written. What belongs to pages or blogs it does not list is removed then.
	SaveSite(*Site) bool
	SaveBlog(*Blog) bool

	// Note reads a note into value, and returns its body. It is false where there is none, or none that is whole.
	Note(n Note, value any) (body []byte, ok bool)
	// SaveNote has a note written, of a value in JSON and a body. Neither must change.
	SaveNote(n Note, value any, body []byte) bool
	// Claim reports whether this process is the first of those that use the store to claim a text of a site. Nobody else
	// gets the same for a while.
	Claim(site, text string, lasts time.Duration) bool
}

// Kind is one kind of store. Every package of a store has one.
type Kind struct {
	Schemes []string                                                    // of its addresses; none: it is kept in a folder
	Form    string                                                      // how its addresses begin, in words; "" for a folder
	Check   func(location string) error                                 // what is wrong with a location as it is written
	Probe   func(ctx context.Context, location string) (trouble string) // why it cannot be used, and what to do; "" where it can
	Open    func(location string, opt Options) (Store, error)
	// Holds reports whether anything was stored at a location that can be read without writing there; nil: nothing can.
	Holds func(location string) bool
}

// Options are what every store is opened with.
type Options struct {
	Limit int64            // bytes; what was written longest ago goes first
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: slog.Default

	// Lost is called once the store has lost what was written, as only one that other processes use can; nil: not.
	Lost func()
	Beat time.Duration // between checks whether the store answers; 0: its own
}

// ForgetAfter is how long a site is kept that has left the configuration.
const ForgetAfter = 7 * 24 * time.Hour

// Stats counts what happened since the start, and what is there.
type Stats struct {
	Files   int
	Bytes   int64 // of files
	Queued  int   // files that wait to be written
	Written int
	Failed  int    // writes that failed
	Missed  int    // files there was no room for, on disk or in the queue
	Damaged int    // files that were not whole or not ours, and were dropped
	Pruned  int    // files whose page is gone, or that made room
	Shared  bool   // another process writes to the folder
	Redis   bool   // it is one, and no folder
	Limit   int64  // of Bytes; in Redis of each site
	Error   string // why nothing can be written at the moment; ""
}
