// Package server is the daemon: its start, reload and ordered stop. It serves the sitemaps of many WordPress sites, and
// passes every other request to the PHP sites behind it.
//
// Package front answers requests; read its handler from top to bottom. Package refresh follows edits: it alone reads catalogs
// from the databases, and publishes the state of a site. If reading fails, the earlier catalog and its pages stay. The daemon
// prefers a fresh page, then an older page with its Age, then 503. An error never leads to an empty sitemap or to 404.
package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/front"
	"wpsitemapd/server/journal"
	"wpsitemapd/server/listen"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/report"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/traffic"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// Limits of the whole process.
const (
	maxConns     = 64 // open connections to one database server; each site has two at most
	closingConns = 8  // the part of maxConns for connections that the server has not finished closing
)

// Server is the daemon. Set its fields before Run.
type Server struct {
	Now   func() time.Time                                    // the clock for news and scheduled posts; nil: time.Now
	Ready func(public, admin []net.Addr)                      // called after the daemon accepts connections
	Load  func(before *config.Config) (*config.Config, error) // reads the configuration again, for Reload; nil: there is no configuration file
	Watch string                                              // the configuration is read again if this file or a file it names changes; "": none

	config   *config.Config
	log      *slog.Logger
	installs []*install
	ready    atomic.Bool // systemd was told that the daemon is ready
	pages    *pages.Pages
	front    *front.Handler
	view     *admin.View
	admin    http.Handler
	store    *store.Store // keeps cached pages after the process has ended; nil: none
	pace     pace
	crawlers *crawler.Log // which crawler fetched which sitemap
	counted  *metrics.Process
	limiter  *db.Limiter  // bounds the connections to each database server
	rebuilds *pages.Slots // bounds how many catalogs are built at a time

	generation atomic.Uint64 // the last number that an install or a catalog got
	ranks      atomic.Uint64 // how many sites were started so far
	publishing sync.Mutex
	routing    routing
	owners     *owner.Owners
	journal    journal.Journal
	work       context.Context // its end stops everything that outlives a request
	tasks      sync.WaitGroup  // the background work
	refreshing refresh.Daemon
	staggered  writes.Turns // spreads the work of many sites over time

	sendTimeout time.Duration    // for an answer that the daemon makes itself; shorter in tests
	announceNow func() time.Time // the clock of announcements; tests set another one
	started     chan struct{}    // closed after Run has started the installs
	placed      chan struct{}    // closed after the addresses of these installs are known, or after placesTimeout
	reloading   sync.Mutex
	atStart     *config.Config // the configuration at the start
	restartKeys string         // keys that have changed since the start and need a restart; guarded by reloading
	reloaded    atomic.Pointer[admin.Reload]
}

// New returns a server for a configuration. log must not be nil.
func New(c *config.Config, log *slog.Logger) *Server {
	catalogs := max(8, 4*runtime.GOMAXPROCS(0))
	s := &Server{
		config: c, atStart: c, counted: metrics.NewProcess(), sendTimeout: sendTimeout,
		rebuilds: pages.NewSlots(catalogs, catalogs/2),
		pace:     pace{look: lookEvery}, announceNow: time.Now,
		work: context.Background(), started: make(chan struct{}), placed: make(chan struct{}),
	}
	s.log = report.CountedLogger(log, &s.counted.Warnings, &s.counted.Errors)
	s.pages = pages.New(pages.Options{Limit: cacheBytes(c), Now: s.now, Breaker: pages.NewBreaker(s.log)})
	s.front = front.New(s.log, s.pages, s.counted, s.now)
	s.front.Configure(c)
	s.owners = owner.New(s.log)
	s.crawlers = crawler.New(nil, nil)
	s.crawlers.SetVerify(c.VerifyCrawlers)
	s.limiter = db.NewLimiter(maxConns - closingConns)
	s.refreshing = refresh.Daemon{
		Open: s.open,
		Feed: writes.NewFeed(writes.Options{
			Log:     s.log,
			Counted: s.counted,
			Breaker: s.pages.Breaker,
			Start:   func(run func(context.Context)) { s.background(s.work, s.log, run) },
			Watch:   s.watcher,
		}),
		Turns:       &s.staggered,
		Now:         s.now,
		Slots:       s.rebuilds,
		Placed:      s.placed,
		Generations: &s.generation,
		Go:          func(f func()) { s.background(s.work, s.log, func(context.Context) { f() }) },
		Pace:        refresh.UsualPace,
	}
	s.view = s.newView()
	s.admin = admin.Handler(s.view)
	for _, site := range c.Sites {
		w := s.newInstall(site, nil)
		w.InForce.Store(true)
		s.installs = append(s.installs, w)
	}
	s.route()
	return s
}

// open opens the database of an install. It calls turn before it connects to a server.
func (s *Server) open(ctx context.Context, install *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
	source := site.SourceOf(&install.Config)
	source.Limit, source.Observe, source.Now, source.Turn = s.limiter, install.Counted.Queried, s.now, turn
	n, err := wp.Open(ctx, source)
	if err == nil {
		n.RouteAs(install.Routed)
	}
	return n, err
}

// watcher opens a connection to a database server with the account that [watch] names for it. It returns nil if there
// is no such account.
func (s *Server) watcher(ctx context.Context, server string) (*writes.Database, error) {
	for _, dsn := range s.atStart.Watch {
		w, err := wp.ParseWatcher(dsn.Reveal())
		if err != nil {
			return nil, err
		}
		if w.Server == server {
			return w.Open(ctx, sitemap.Declared, db.Options{Limiter: s.limiter})
		}
	}
	return nil, nil
}

// newView returns the state that the admin listener shows.
func (s *Server) newView() *admin.View {
	return &admin.View{
		Log: s.log, Now: s.now, Started: time.Now(), Config: s.settings, Reloaded: s.lastReload, Store: func() *store.Store { return s.store },
		Process: s.counted, Limiter: s.limiter, Pages: s.pages, Owners: s.owners, Journal: &s.journal,
		Explainer: &admin.Explainer{
			Table: func(context.Context, string) (*route.Table, error) { return s.front.Table(), nil },
			Sites: func() []*site.Site { return sitesOf(s.running()) }, Pages: s.pages,
		},
		Installs: func() (all []admin.Install) {
			for _, i := range s.running() {
				all = append(all, admin.Install{Site: i.Site, Refresher: i.refresher, Announcer: i.announcer})
			}
			return all
		},
	}
}

// settings returns the configuration in force.
func (s *Server) settings() *config.Config {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	return s.config
}

// running returns the installs in force, in the order of the configuration.
func (s *Server) running() []*install {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	return slices.Clone(s.installs)
}

// crawls returns the crawler logs of all installs in force.
func (s *Server) crawls() (all []*crawler.SiteLog) {
	for _, i := range s.running() {
		all = append(all, i.Crawls)
	}
	return all
}

// traffic returns the traffic logs of all installs in force.
func (s *Server) traffic() (all []*traffic.Log) {
	for _, i := range s.running() {
		all = append(all, i.Traffic)
	}
	return all
}

func sitesOf(installs []*install) []*site.Site {
	all := make([]*site.Site, len(installs))
	for i, w := range installs {
		all[i] = w.Site
	}
	return all
}

func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// routing limits how often the routing table is built.
type routing struct {
	wanted atomic.Uint64 // the number of calls of Server.route

	mu   sync.Mutex
	made uint64    // the value of wanted when the last table was built
	next time.Time // the earliest time of the next table
}

// After a table is built, a pause follows. It is routingShare times as long as building took, but at most mostRouting.
const (
	routingShare = 4
	mostRouting  = 200 * time.Millisecond
)

// route builds the routing table and puts it in force. If building takes long, all callers that wait share the next
// table. That happens while thousands of sites are read for the first time.
func (s *Server) route() {
	wanted := s.routing.wanted.Add(1)
	s.routing.mu.Lock()
	defer s.routing.mu.Unlock()
	if s.routing.made >= wanted {
		return
	}
	time.Sleep(time.Until(s.routing.next))
	s.routing.made = s.routing.wanted.Load()
	began := time.Now()
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.front.Route(s.owners.Table(sitesOf(s.installs), began))
	if took := time.Since(began); took > time.Millisecond {
		s.routing.next = time.Now().Add(min(routingShare*took, mostRouting))
	}
}

// Run serves until ctx ends, then stops in order. It accepts no more connections, and lets requests under way finish
// for the time that drain sets. Then it ends the requests that are still under way, including WebSockets, stops the
// installs and closes the databases.
func (s *Server) Run(ctx context.Context) error {
	for _, text := range s.config.Warnings {
		s.log.Warn(text)
	}
	edge, err := s.openEdge()
	if err != nil {
		return err
	}

	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	s.work = work
	s.pages.WorkUntil(work)
	closeState := s.openState()
	s.background(work, s.log, func(ctx context.Context) { s.crawlers.Keep(ctx, s.crawls, s.store, s.log) })
	for _, w := range s.installs {
		s.start(w)
	}
	close(s.started)
	s.background(work, s.log, s.watchMemory)
	s.background(work, s.log, s.view.KeepHistory)
	s.background(work, s.log, func(ctx context.Context) {
		s.journal.Keep(ctx, func() []*site.Site { return sitesOf(s.running()) }, s.rebuilds, s.store, s.announceNow)
	})
	s.background(work, s.log, func(ctx context.Context) { traffic.Keep(ctx, s.traffic, s.store, s.now) })
	s.background(work, s.log, func(ctx context.Context) { s.owners.Keep(ctx, s.store, s.route) })
	if s.Watch != "" {
		s.background(work, s.log, s.watch(edge.certificate).run)
	}
	requests, cut := context.WithCancel(work)
	defer cut()
	edge.serve(requests, s, s.front, s.admin)
	if s.Ready != nil {
		s.Ready(addresses(edge.public), addresses(edge.admin))
	}
	running, stopped := context.WithCancel(ctx)
	defer stopped()
	s.background(running, s.log, s.tellReady)
	s.background(work, s.log, func(ctx context.Context) { listen.Watch(ctx, s.turns, s.log) })

	select {
	case <-ctx.Done():
	case err = <-edge.failed:
		stopped()
	}
	timeout := s.settings().Drain
	s.log.Info("stopping", "drain", timeout)
	listen.Notify(listen.Stopping, s.log)
	if !edge.drain(timeout) {
		s.log.Warn("requests were still under way when stopping", "drain", timeout, "hint", "raise drain if these requests are "+
			"downloads that should be completed")
	}
	cut()
	s.reloading.Lock() // a reload under way may still start installs; a later one finds that work has ended
	stopWork()
	s.reloading.Unlock()
	s.tasks.Wait()
	closeState() // after everything that saves has ended
	s.log.Info("stopped")
	return err
}

// panicPause is how long background work rests after a panic.
const panicPause = 10 * time.Second

// background runs work in a goroutine until work returns or ctx ends. When the daemon stops, it waits for the
// goroutine. A panic in work is logged and counted, and work starts again after panicPause.
func (s *Server) background(ctx context.Context, log *slog.Logger, work func(context.Context)) {
	s.tasks.Go(func() {
		for site.Guard(log, func() error { work(ctx); return nil }) != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(panicPause):
			}
		}
	})
}
