package refresh

import (
	"context"
	"sync/atomic"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/wp"
)

// Daemon is what the refreshers of all sites share. All of it is safe for concurrent use.
type Daemon struct {
	// Open opens the database of a site. It calls turn before it connects to a server.
	Open        func(ctx context.Context, of *site.Site, turn func(ctx context.Context, server string)) (*wp.Network, error)
	Go          func(func())     // starts a goroutine; the daemon waits for it when it stops
	Now         func() time.Time // the clock of sites
	Feed        *changes.Feed
	Turns       *changes.Turns
	Slots       site.Slots
	Store       *store.Store    // nil: there is none
	Placed      <-chan struct{} // closed once the sites of the start have their places, or take too long over it
	Generations *atomic.Uint64  // counts catalogs
	Pace        Pace
}

// Pace bounds how long it may be until a full scan that has no reason.
type Pace struct {
	FirstScan, LastScan time.Duration // a full scan comes though no change was reported, later each time, up to the last
	ScanTurn            time.Duration // between those at one database server, of all sites together

	Inquire time.Duration // between requests for pages of a site, see Refresher.inquire

	Resident int // blogs of a network that stay in memory
}

// UsualPace is the pace of a daemon. Tests are in a hurry.
var UsualPace = Pace{
	FirstScan: 10 * time.Minute,
	LastScan:  time.Hour,
	ScanTurn:  15 * time.Second,
	Inquire:   time.Second,
	Resident:  500,
}

// A Listener is told what the refresher of a site does. None of its methods waits.
type Listener interface {
	Moved()         // Other hosts or paths lead to the blogs of the site.
	Changed()       // There is another snapshot, the result of a full scan or a delta, or of the lack of one.
	PagesDue()      // There may be pages to make.
	Replaced() bool // Replaced reports whether another refresher has the site.
}
