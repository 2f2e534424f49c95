package refresh

import (
	"context"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// Daemon is what the refreshers of all sites share. Its functions are safe for concurrent use.
type Daemon struct {
	Open  func(context.Context, *site.Site) (site.Database, error)
	Feed  *changes.Feed
	Turns *changes.Turns
	Store func() *store.Store // nil: there is none
	Now   func() time.Time    // the clock of sites
	// Place waits for a place at a database server.
	Place      func(ctx context.Context, server string) (release func(), ok bool)
	Answered   func(server string) // a database server has answered
	Generation func() uint64       // counts catalogs
	Go         func(func())        // starts what ends with the daemon
	Pace       func() Pace
}

// Pace is how long full reads wait.
type Pace struct {
	FirstRead, LastRead time.Duration // a full read comes although no change was reported, later each time, up to the last
	ReadTurn            time.Duration // between those at one database server, of all sites together
}

// UsualPace is that of a daemon. Tests are in a hurry.
var UsualPace = Pace{
	FirstRead: 10 * time.Minute,
	LastRead:  time.Hour,
	ReadTurn:  15 * time.Second,
}

// Listener is called with what a refresher does. None of its functions waits.
type Listener struct {
	Served   func()      // there is another snapshot to serve from
	Changed  func()      // it is the result of a whole reading, or of the lack of one
	Pages    func()      // there may be pages to make
	Replaced func() bool // another refresher has the site
}
