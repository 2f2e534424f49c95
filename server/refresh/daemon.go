package refresh

import (
	"context"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/wp"
)

// Daemon is what the refreshers of all sites share. Its functions are safe for concurrent use.
type Daemon struct {
	// Open opens the database of a site. It calls turn before it connects to a server.
	Open  func(ctx context.Context, of *site.Site, turn func(ctx context.Context, server string)) (*wp.Network, error)
	Feed  *changes.Feed
	Turns *changes.Turns
	Store func() *store.Store // nil: there is none
	Now   func() time.Time    // the clock of sites
	// Place waits for a slot at a database server, for its turn no longer than until hurry has a signal.
	Place      func(ctx context.Context, server string, hurry <-chan struct{}) (release func(), ok bool)
	Placed     <-chan struct{}     // closed once the sites of the start have their places, or take too long over it
	Answered   func(server string) // a database server has answered
	Generation func() uint64       // counts catalogs
	Go         func(func())        // starts a goroutine; the daemon waits for it when it stops
	Pace       func() Pace
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

// Listener is called with what a refresher does. None of its functions waits.
type Listener struct {
	Moved    func()      // other hosts or paths lead to the blogs of the site
	Changed  func()      // there is another snapshot, the result of a full scan or a delta, or of the lack of one
	Pages    func()      // there may be pages to make
	Replaced func() bool // another refresher has the site
}
