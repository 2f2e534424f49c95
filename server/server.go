// Package server wires the daemon and runs it: start, reload, ordered stop. It serves the sitemaps of many WordPress sites and
// passes every other request to the PHP sites behind it.
//
// A request goes through package front, from the top of its handler to the bottom; an edit through package refresh, which alone
// reads databases and publishes what is known of a site. Where reading fails the catalog before stays, and so do its pages. The
// order of preference is a fresh page, an older one with its Age, and 503; an error is never an empty sitemap, nor 404.
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
	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/front"
	"wpsitemapd/server/listen"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/report"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// Limits of the whole process.
const (
	maxConns     = 64 // open connections to one database server; each site has two at most
	closingConns = 8  // of these, for connections the server has not finished closing

	retireTimeout = 8 * time.Second // for requests under way in a site that leaves
)

// Server is the daemon. Set its fields before Run.
type Server struct {
	Now   func() time.Time                                    // the clock of news and scheduled posts; nil: time.Now
	Ready func(public, admin []net.Addr)                      // called once it accepts connections
	Load  func(before *config.Config) (*config.Config, error) // reads the configuration again, for Reload; nil: there is no file
	Watch string                                              // file whose change reloads, with what it depends on; "": none

	config   *config.Config
	log      *slog.Logger
	installs []*install
	ready    atomic.Bool // systemd has been told
	pages    *pages.Pages
	front    *front.Handler
	view     *admin.View
	admin    http.Handler
	store    *store.Store // cached pages that outlive the process; nil: none
	pace     pace
	crawlers *crawler.Log // who fetched which sitemap
	counted  *metrics.Process
	limiter  *db.Limiter  // of connections
	rebuilds *pages.Slots // of catalogs

	generation atomic.Uint64
	ranks      atomic.Uint64 // sites started so far
	publishing sync.Mutex
	routing    routing
	owners     *owner.Owners
	work       context.Context // of everything that outlives a request
	tasks      sync.WaitGroup  // what is at work
	refreshing refresh.Daemon
	staggered  changes.Turns

	sendTimeout time.Duration    // for an answer of our own; shorter in tests
	announceNow func() time.Time // the clock of announcements; another one in tests
	started     chan struct{}    // closed once Run has started the installs
	placed      chan struct{}    // closed once these have their places
	reloading   sync.Mutex
	atStart     *config.Config // the configuration it was started with
	restartKeys string         // those of it that have changed and need a restart; guarded by reloading
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
	s.pages = pages.New(pages.Options{Limit: cacheBytes(c), Now: s.now, Breaker: pages.NewBreaker(s.log), InForce: s.inForce})
	s.front = front.New(s.log, s.pages, s.counted, s.now)
	s.front.Configure(c)
	s.owners = owner.New(s.log)
	s.crawlers = crawler.New(nil, nil)
	s.crawlers.SetVerify(c.VerifyCrawlers)
	s.limiter = db.NewLimiter(maxConns - closingConns)
	s.refreshing = refresh.Daemon{
		Open: s.open,
		Feed: changes.NewFeed(changes.Options{
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
		s.installs = append(s.installs, s.newInstall(site, nil))
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

// watcher opens the connection of the account that [watch] names for a database server. It returns nil where [watch] names no account.
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

// newView returns what the admin listener shows.
func (s *Server) newView() *admin.View {
	return &admin.View{
		Log: s.log, Now: s.now, Started: time.Now(), Config: s.settings, Reloaded: s.LastReload, Store: func() *store.Store { return s.store },
		Process: s.counted, Limiter: s.limiter, Pages: s.pages, Owners: s.owners,
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

// inForce reports whether a site is the one of its name in the configuration.
func (s *Server) inForce(of *site.Site) bool {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	return slices.ContainsFunc(s.installs, func(i *install) bool { return i.Site == of })
}

// crawls returns the logs of the crawlers of all installs in force.
func (s *Server) crawls() (all []*crawler.SiteLog) {
	for _, i := range s.running() {
		all = append(all, i.Crawls)
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

// routing is how often the routing table is made.
type routing struct {
	wanted atomic.Uint64 // how many were asked for

	mu   sync.Mutex
	made uint64    // how many the last one was made for
	next time.Time // not before
}

// A table is followed by a pause of routingShare times what it took to make, and of mostRouting at most.
const (
	routingShare = 4
	mostRouting  = 200 * time.Millisecond
)

// route rebuilds and installs the routing table. One that takes long, as that of thousands of sites which are read for the first time,
// is made for all who wait for it.
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

// Run serves until ctx ends, then stops in order: it takes no more connections, lets
// requests under way finish for the time of drain, ends what is left (WebSockets, too), stops
// the installs and closes the databases.
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
		s.log.Warn("requests were still under way when stopping", "drain", timeout, "hint", "raise drain if they are downloads that should go on")
	}
	cut()
	s.reloading.Lock() // a reload under way still starts installs, a later one finds that work has ended
	stopWork()
	s.reloading.Unlock()
	s.tasks.Wait()
	closeState() // after the last who saves
	s.log.Info("stopped")
	return err
}
