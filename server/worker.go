package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/server/site"

	"wpsitemapd/server/announce"
	"wpsitemapd/server/store"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// How a worker deals with a database.
const (
	openTimeout  = 30 * time.Second
	readTimeout  = 2 * time.Minute  // settings of every blog
	buildTimeout = 10 * time.Minute // catalog of one blog
	firstRetry   = time.Second
	lastRetry    = time.Minute
	// unreachableRetry bounds the pause while a server does not answer: asking costs it nothing.
	unreachableRetry = 3 * time.Second
	opensPerSecond   = 20               // of all sites together, after failures
	preferEvery      = 10 * time.Second // looks whether a better database answers again
	// restShare keeps a rebuild to a small share of the time: after one that took a second
	// the next comes no sooner than restShare seconds later.
	restShare = 20
	// reopenAfter failures in a row the database is opened anew, since wp-config.php or the
	// account may have changed.
	reopenAfter = 3
	firstAudit  = 10 * time.Minute // reads a site again though nothing tells of a change …
	lastAudit   = time.Hour        // … later each time, up to this
	auditEvery  = 15 * time.Second // at one database server, of all sites together
)

// worker keeps the catalogs of one site. It is the only one to publish snapshots of it.
type worker struct {
	*site.Site
	server *Server
	took   time.Duration // by the last rebuild, without the wait for its turn; for run alone
	signs  atomic.Pointer[signs]

	opened  atomic.Pointer[network] // the one opened last
	settled atomic.Bool             // it has nothing to read, and is told when it has

	good      chan struct{} // closed after the first attempt that could read the site
	succeeded sync.Once

	retired context.Context // ends when the site leaves the configuration
	stop    context.CancelFunc

	replaced     atomic.Bool // another worker has the site
	announcer    *announce.Announcer
	deliberate   atomic.Bool            // what is lost in the next reading was meant, see collapse.go
	again        chan struct{}          // holds one word: read the site now
	elsewhere    chan struct{}          // holds one word: another process has told of an audit
	side         uint64                 // of the last audit, here or elsewhere; for run alone
	walking      *walkLog               // of the network that is being read; for run alone
	stopped      *walk                  // a reading that was interrupted; for run alone
	prefer       atomic.Bool            // a database that comes before the one in use answers again
	recorded     map[string]*store.Blog // on disk, by key; for run alone
	recordedSite *store.Site

	mu        sync.Mutex
	alarms    map[string]*alarm // by key of a blog; "" is the network
	collapses int               // alarms since the start
}

func newWorker(s *Server, install config.Site) *worker {
	counted := s.sites.Site(install.Name)
	w := &worker{
		Site: site.New(install, s.logOf(install.Name, counted)), server: s,
		good:  make(chan struct{}),
		again: make(chan struct{}, 1), elsewhere: make(chan struct{}, 1),
		recorded: map[string]*store.Blog{}, alarms: map[string]*alarm{},
		announcer: announce.New(),
	}
	w.Counted, w.Process, w.Crawls = counted, &s.counted, s.crawlers.Site(install.Name)
	w.Began, w.Term = time.Now(), s.generation.Add(1)
	s.pages.Add(w.Site, w.readAgain)
	w.retired, w.stop = context.WithCancel(context.Background())
	return w
}

// inherit takes over the place of another worker and what it has read of the site, until w
// has read it itself.
func (w *worker) inherit(before *worker) {
	w.Inherit(before.Site)
	w.announcer = before.announcer
	w.inheritAlarms(before)
	before.replaced.Store(true)
	w.announcer.Changed()
	w.deliberate.Store(before.deliberate.Load() || w.Config.Listing() != before.Config.Listing())
}

// run keeps the site's catalogs until ctx ends.
func (w *worker) run(ctx context.Context) {
	var net *network
	var retired []*network // replaced, but catalogs read from them may still be served
	defer func() {
		for _, n := range append(retired, net) {
			if n != nil {
				n.close()
			}
		}
	}()
	w.lookAtFiles(ctx)
	stopWarm := w.server.pages.StartWarming(ctx, w.Site)
	defer stopWarm()
	failed, unread := 0, 0 // attempts in a row
	regular := time.Duration(0)
	plan := agenda{refresh: w.Config.Refresh}
	word := &changes.Event{Tables: map[string]bool{}} // what the next audit is about
	for {
		start := time.Now()
		use := net
		if net == nil || unread >= w.patience() || w.prefer.Swap(false) || w.optionsChanged(ctx, net) {
			if failed > 0 && !w.takeTurn(ctx) {
				return
			}
			opened, err := w.open(ctx)
			if err == nil {
				use = opened
			} else if net == nil {
				w.fail(err)
			}
		}
		read, ok := false, false
		if failed > 0 || use != net { // what was written meanwhile nobody has told
			word = changes.Unknown(time.Time{})
		}
		if use != nil {
			read, ok = w.rebuild(ctx, use, word)
		}
		if use != net {
			if read && net != nil {
				retired = append(retired, net)
			}
			if read || net == nil {
				net = use
			} else {
				use.close()
			}
		} else if ok {
			for _, n := range retired {
				n.close()
			}
			retired = nil
		}
		if ctx.Err() != nil {
			return
		}
		w.MarkTried()
		w.claims(read)
		if read {
			w.succeeded.Do(func() { close(w.good) })
		}

		failed++
		unread++
		if read {
			unread = 0
		}
		telling := ok && net.feed.Told()
		next := w.Config.Refresh
		switch {
		case telling:
			regular = min(max(w.server.pace.firstAudit, 2*regular), w.server.pace.lastAudit)
			next = regular
		case ok && w.Snapshot().TakesDeltas():
			next *= beatAudits
		}
		next += time.Duration(rand.Int64N(int64(next)/8 + 1)) // sites started together drift apart
		now := time.Now()
		if plan.audit(start, now, w.took, telling, next); ok {
			failed = 0
			w.tellAudit(start, plan.regular.Sub(start))
		} else {
			err := w.Snapshot().Err
			retry := retryDelay(failed, err)
			if read && !db.Unreachable(err) {
				retry = max(retry, restShare*w.took) // one blog's trouble must not have the others read without a rest
			}
			plan.pending = now.Add(retry)
		}
		if due, any := w.confirmation(); any && read {
			rest := restShare * w.took
			if w.explained() { // one more reading, and it is over
				rest = w.took
			}
			plan.expect(now.Add(max(due, rest)))
		}
		w.remind()
		if word, ok = w.attend(ctx, net, &plan, ok); !ok {
			return
		}
	}
}

// retryDelay is the pause after so many failures in a row, the last with err.
func retryDelay(failed int, err error) time.Duration {
	delay := min(firstRetry<<min(failed-1, 10), lastRetry)
	if db.Unreachable(err) {
		delay = min(delay, unreachableRetry)
	}
	return delay + time.Duration(rand.Int64N(int64(delay)/4)) // sites that failed together come back apart
}

// patience is how many readings in a row may fail before the database is opened anew.
func (w *worker) patience() int {
	if len(w.Config.Replicas) > 0 {
		return 1
	}
	return reopenAfter
}

// takeTurn keeps hundreds of sites from opening their databases at once when a server comes back.
func (w *worker) takeTurn(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(w.server.staggered.Take("open", time.Second/opensPerSecond)):
		return true
	}
}

// preferBetter has the database opened anew once one that comes before it in dsn answers again, or
// another one when it lags behind its source itself.
func (w *worker) preferBetter(ctx context.Context, n *wp.Network) {
	beat := time.NewTicker(preferEvery)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		timed, cancel := context.WithTimeout(ctx, openTimeout)
		better := n.BetterAnswers(timed)
		cancel()
		if better {
			w.Log.Info("a database answers that is to be preferred")
			w.prefer.Store(true)
			w.readAgain()
			return
		}
	}
}

func (w *worker) open(ctx context.Context) (*network, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	var n *network
	err := w.Guard(func() (err error) {
		n, err = w.server.open(ctx, w.Config, w.server.now, w.Log)
		return err
	})
	if err == nil && n.db != nil {
		address, _ := n.db.Account()
		w.SetDatabaseServer(address)
		w.server.pages.Breaker.Reset(address)
		n.feed = w.server.feed.Join(ctx, n.db, w.Config.Refresh, w.Config.Changes)
		w.opened.Store(n)
		inUse, closing := context.WithCancel(w.retired)
		if !n.db.Preferred() {
			w.Log.Warn("another database is read than the first of dsn", "server", address)
		}
		if !n.db.Alone() {
			w.server.tasks.Go(func() { w.preferBetter(inUse, n.db) })
		}
		closeDatabase := n.close
		n.close = func() error {
			closing()
			n.feed.Leave()
			return closeDatabase()
		}
	}
	return n, err
}

// rebuild reads the site and builds a new catalog of every blog. What cannot be read or
// built keeps its last good catalog. It reports whether the site could be read, and whether
// all went well.
func (w *worker) rebuild(ctx context.Context, net *network, word *changes.Event) (read, ok bool) {
	release, ok := w.server.rebuilds.Acquire(ctx, w.DatabaseServer())
	if !ok {
		return false, false
	}
	defer release()
	start := time.Now()
	defer func() { w.took = time.Since(start) }()
	if net.walk != nil {
		return w.rebuildNetwork(ctx, net, word)
	}
	var blogs []site.Settings
	var gone []site.Gone
	err := w.Guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		blogs, gone, err = net.read(ctx)
		return err
	})
	old := w.Snapshot()
	if err != nil && len(blogs) == 0 {
		w.fail(err)
		return false, false
	}
	state := &site.Snapshot{Opened: true, Gone: gone, Failures: old.Failures}
	errs := []error{err}
	for _, b := range blogs {
		before := old.Blog(b.Key())
		s := w.guardBlog(before, w.buildBlog(ctx, b, before, word))
		errs = append(errs, s.Err)
		state.Blogs = append(state.Blogs, s)
	}
	if err != nil { // a blog that could not be read stays as it was
		for _, before := range old.Blogs {
			if !slices.ContainsFunc(state.Blogs, func(s *site.Blog) bool { return s.Key() == before.Key() }) {
				kept := *before
				kept.Err = err
				state.Blogs = append(state.Blogs, &kept)
			}
		}
	}
	if ctx.Err() != nil {
		return false, false
	}
	if err == nil {
		state.Blogs = append(state.Blogs, w.guardNetwork(old, state)...)
	}
	state.Err = errors.Join(errs...)
	if state.Err == nil {
		w.deliberate.Store(false)
	}
	w.change(old, state)
	w.remember(state)
	w.server.pages.Warm(w.Site)
	return true, state.Err == nil
}

func (w *worker) buildBlog(ctx context.Context, b site.Settings, before *site.Blog, word *changes.Event) *site.Blog {
	s := site.Unread(b, nil)
	if before != nil {
		s.Readings, s.RevalidateBefore = before.Readings, before.RevalidateBefore
	}
	started, at := time.Now(), w.server.now()
	reading := site.Reading{At: at, Kind: site.AuditReading, Reason: reasonFor(s, word)}
	var built site.Catalog
	s.Err = w.Guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, buildTimeout)
		defer cancel()
		ctx, queries := db.CountQueries(ctx)
		defer func() { reading.Queries = queries.Load() }()
		var old site.Catalog
		if before != nil {
			old = before.Catalog
			reading.Before = total(census(&before.Outline))
		}
		built, err = b.Build(ctx, old)
		return err
	})
	reading.Took = time.Since(started)
	w.Worked(metrics.Audit, reading.Took, s.Err)
	if s.Err != nil {
		if before != nil {
			s.ServeAs(before)
		}
		reading.Err = s.Err.Error()
		s.Readings = s.Noted(reading)
		return s
	}
	s.Serve(built, w.server.generation.Add(1), w.server.now())
	if s.UnchangedSince = started; before != nil && before.SamePages(s) {
		s.UnchangedSince = before.UnchangedSince
	}
	entries := total(census(&s.Outline))
	reading.After = entries
	s.Readings = s.Noted(reading)
	if before == nil || concerned(s, word, besideRows) || unexplained(s, before, word) {
		s.RevalidateBefore = started
	}
	files := s.Outline.Files
	if w.walking != nil {
		w.walking.note(s, before, w)
		return s
	}
	if before == nil || before.Generation == 0 {
		w.Log.Info("site is read", "blog", b.ID, "home", b.Home, "active", built.Active(), "sitemaps", max(0, len(files)-1), "urls", entries, "took", time.Since(started).Round(time.Millisecond))
		if !built.Active() {
			w.Log.Warn("neither Yoast SEO nor WordPress itself has sitemaps here: every address is left to the upstream", "blog", b.ID, "home", b.Home)
		}
	}
	if before == nil || !slices.Equal(before.Warnings, b.Warnings) {
		for _, text := range b.Warnings {
			w.Log.Warn(text, "blog", b.ID)
		}
	}
	return s
}

// fail records an attempt that changed nothing but this.
func (w *worker) fail(err error) {
	old := w.Snapshot()
	state := *old
	state.Err = err
	state.Blogs = make([]*site.Blog, len(old.Blogs))
	for i, b := range old.Blogs {
		kept := *b
		kept.Err = err
		state.Blogs[i] = &kept
	}
	w.change(old, &state)
}

// change publishes a new state and logs when the site has become unwell or well.
func (w *worker) change(old, state *site.Snapshot) {
	state.Since = old.Since
	if state.Since.IsZero() || (old.Err == nil) != (state.Err == nil) {
		state.Since = w.server.now()
	}
	if state.Err != nil {
		state.Failures++
	}
	switch {
	case errors.Is(state.Err, context.Canceled):
	case state.Err != nil && (old.Err == nil || old.Err.Error() != state.Err.Error()):
		w.Log.Error("site cannot be read", "reason", state.Err, "serving", state.Serving(), "hint", "mend the cause; it is tried again by itself")
	case state.Err == nil && old.Err != nil:
		w.Log.Info("site can be read again", "failing_for", w.server.now().Sub(old.Since).Round(time.Second))
	}
	w.Publish(state)
	w.server.publish()
	w.announcer.Changed()
}

// lookAtFiles reads what the files of the site tell of where it stands and since when it is there.
func (w *worker) lookAtFiles(ctx context.Context) {
	err := w.Guard(func() error {
		w.signs.Store(readSigns(ctx, &w.Config))
		return nil
	})
	if err == nil && !w.Snapshot().Tried() {
		w.server.publish()
	}
}

// guess is where the site stands by its files, see signs.guess.
func (w *worker) guess() (p hostPath, from string, sure bool) {
	if s := w.signs.Load(); s != nil {
		return s.guess()
	}
	return hostPath{}, "", false
}
