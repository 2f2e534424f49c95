package refresh

import (
	"context"
	"sync/atomic"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/wp"
	"wpsitemapd/wp/writes"
)

// Daemon is what the refreshers of all sites share. It is safe for concurrent use.
type Daemon struct {
	// Open opens the database of a site. It calls turn before it connects to a server.
	Open        func(ctx context.Context, of *site.Site, turn func(ctx context.Context, server string)) (*wp.Network, error)
	Go          func(func())     // starts a goroutine; the daemon waits for it when it stops
	Now         func() time.Time // the clock of sites
	Feed        *writes.Feed
	Turns       *writes.Turns
	Slots       site.Slots
	Store       *store.Store    // nil: there is none
	Placed      <-chan struct{} // closed after all sites have found their places at the start, or after a timeout
	Generations *atomic.Uint64  // counts the catalogs that were built
	Pace        Pace
}

// Pace sets how often a site is read.
type Pace struct {
	FirstScan, LastScan time.Duration // until a full scan that no change asked for; the time doubles from FirstScan up to LastScan
	ScanTurn            time.Duration // between two such scans at one database server, for all sites together
	ScanRest            time.Duration // the rest after a full scan, as a multiple of its duration; 0: no rest
	Inquire             time.Duration // between requests for pages of a site, see inquiries
	Resident            int           // blogs of a network that stay in memory
}

// UsualPace is the pace of a daemon. Tests use a faster one.
var UsualPace = Pace{
	FirstScan: 10 * time.Minute,
	LastScan:  time.Hour,
	ScanTurn:  15 * time.Second,
	ScanRest:  20,
	Inquire:   time.Second,
	Resident:  500,
}

// A Listener is told what the refresher of a site does. Its methods return at once.
type Listener interface {
	Moved()         // Moved is called if hosts or paths of the site's blogs have changed.
	Changed()       // Changed is called after a reading or a failure has made another snapshot.
	PagesDue()      // PagesDue is called if there may be pages to render.
	Replaced() bool // Replaced reports whether another refresher has taken over the site.
}
