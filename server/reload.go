package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/listen"
)

const (
	settle = 300 * time.Millisecond // editors and deployments touch a file several times
	// rescan finds what a file system did not tell: network mounts, and folders that came
	// into being below one that is not watched.
	rescan = 3 * time.Second
	// reloadPatience is the wait for the first look at new databases. One that hangs must not
	// keep the others out of force.
	reloadPatience = 2 * time.Second
)

// LastReload returns how the last Reload went.
func (s *Server) LastReload() admin.Reload {
	if status := s.reloaded.Load(); status != nil {
		return *status
	}
	return admin.Reload{Good: s.view.Started}
}

// Reload reads the configuration again and puts it in force: new sites start, removed ones
// retire, changed ones are replaced once the new one has had its first look at the database,
// and all others keep their connections, catalogs and copies. A changed site that cannot be
// read goes on with what was read before. A configuration that cannot be used changes
// nothing. How it listens, state and the log need a restart.
func (s *Server) Reload(ctx context.Context) error {
	if s.ready.Load() {
		listen.Notify(listen.Reloading, s.log)
		defer listen.Notify(listen.Ready, s.log)
	}
	return s.reload(ctx)
}

func (s *Server) reload(ctx context.Context) error {
	if s.Load == nil {
		return errors.New("this server has no configuration file to read again")
	}
	select {
	case <-s.started: // before, it would start sites that Run starts too
	case <-ctx.Done():
		return ctx.Err()
	}
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if err := s.work.Err(); err != nil {
		return err // it is stopping
	}
	next, err := s.Load()
	status := &admin.Reload{At: s.now(), Good: s.LastReload().Good}
	s.counted.Reloads.Add(1)
	if err != nil {
		s.counted.ReloadFails.Add(1)
		status.Error = err.Error()
		if s.LastReload().Error != status.Error { // a bad file is looked at every few seconds
			s.log.Error("the configuration cannot be used; the one in force stays", "reason", err)
		}
		s.reloaded.Store(status)
		return err
	}
	if s.LastReload().Error != "" {
		s.log.Info("the configuration can be used again")
	}
	status.Good = status.At
	s.reloaded.Store(status)
	old := s.settings()
	next.KeepFound(old)
	if keys := strings.Join(s.atStart.NeedsRestart(next), " "); keys != s.restartKeys {
		if s.restartKeys = keys; keys != "" {
			s.log.Warn("some keys have changed that are taken at the start only", "keys", keys, "hint", "restart the daemon to have them in force")
		} else {
			s.log.Info("the keys that are taken at the start only are as they were then")
		}
	}
	for _, text := range next.Warnings {
		if !slices.Contains(old.Warnings, text) {
			s.log.Warn(text)
		}
	}
	running := s.running()
	var kept, started []*install
	for _, site := range next.Sites {
		i := slices.IndexFunc(running, func(w *install) bool { return w.Config.Equal(site) })
		if i >= 0 {
			kept = append(kept, running[i])
			continue
		}
		w := s.newInstall(site)
		if before := named(running, site.Name); before != nil {
			w.inherit(before)
		} else {
			w.refresher.Restore()
			s.owners.Recall(sitesOf([]*install{w}), s.store)
			w.Crawls.Load(s.store)
		}
		started = append(started, w)
		kept = append(kept, w)
	}
	for _, w := range started {
		s.start(w)
	}
	s.awaitFirst(ctx, started)
	s.publishing.Lock()
	s.config, s.installs = next, kept
	s.publishing.Unlock()
	s.front.Configure(next)
	s.crawlers.SetVerify(next.VerifyCrawlers)
	s.retainCrawls()
	s.pages.SetLimit(cacheBytes(next))
	s.publish()
	s.retain()
	for _, w := range started {
		w.server.pages.Warm(w.Site) // it makes no pages before it is in force
	}
	var retired []string
	for _, w := range running {
		if !slices.Contains(kept, w) {
			retired = append(retired, w.Config.Name)
			s.retire(w, named(started, w.Config.Name))
		}
	}
	if len(started)+len(retired) > 0 {
		s.log.Info("configuration in force", "sites", len(kept), "started", len(started), "retired", strings.Join(retired, " "))
	}
	return nil
}

func named(installs []*install, name string) *install {
	i := slices.IndexFunc(installs, func(w *install) bool { return w.Config.Name == name })
	if i < 0 {
		return nil
	}
	return installs[i]
}

// awaitFirst waits a moment until every install has tried its database once.
func (s *Server) awaitFirst(ctx context.Context, installs []*install) {
	patience := time.NewTimer(reloadPatience)
	defer patience.Stop()
	for _, w := range installs {
		select {
		case <-w.FirstAttempt():
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// watch reloads when the configuration, a wp-config.php or the set of files that a
// [[discover]] pattern matches changes.
func (s *Server) watch(ctx context.Context, path string) {
	watcher, err := fsnotify.NewWatcher()
	var events <-chan fsnotify.Event
	var failures <-chan error
	switch {
	case err != nil:
		s.log.Warn("changes of files are found by looking every few seconds only", "reason", err)
	case s.unwatched:
		watcher.Close()
		watcher = nil
	default:
		defer watcher.Close()
		events, failures = watcher.Events, watcher.Errors
	}
	var eyes lookout
	seen := eyes.stamp(s.settings(), path, true)
	look := time.NewTimer(rescan)
	defer look.Stop()
	soon := false // a folder that never rests must not put the look off for ever
	for {
		if watcher != nil && !soon {
			for _, dir := range eyes.folders(s.settings(), path) {
				_ = watcher.Add(dir) // one that cannot be watched is found by looking
			}
		}
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !soon && concerns(s.settings(), path, e) {
				soon = true
				look.Reset(settle)
			}
			continue
		case <-failures:
			continue
		case <-look.C:
		}
		// Taken before the file is read: what changes meanwhile differs at the next look. A
		// refused file is read again too, since what it names (dsn_file) may have changed.
		if now := eyes.stamp(s.settings(), path, soon); now != seen {
			seen = now
			_ = s.Reload(ctx) // it has logged why
		} else if s.LastReload().Error != "" {
			_ = s.reload(ctx)
		}
		soon = false
		look.Reset(rescan)
	}
}

// lookout looks for installs, and rests after that.
type lookout struct {
	searches []*config.Search
	found    []*config.Findings
	ended    time.Time
	took     time.Duration
	wanted   bool // something has come or gone since
}

// How long it rests after a search, as multiples of its length: without a reason, and with one, which anybody who may
// write below a pattern can give.
const (
	searchRest = 100
	soonRest   = 10
)

// find returns what the searches of a configuration find, at once or some time before.
func (l *lookout) find(c *config.Config, atOnce bool) []*config.Findings {
	l.wanted = l.wanted || atOnce
	rest := searchRest
	if l.wanted {
		rest = soonRest
	}
	began := time.Now()
	if reflect.DeepEqual(l.searches, c.Searches) && began.Before(l.ended.Add(time.Duration(rest)*l.took)) {
		return l.found
	}
	l.searches, l.found = c.Searches, nil
	for _, search := range c.Searches {
		l.found = append(l.found, search.Find())
	}
	l.ended = time.Now()
	l.took, l.wanted = l.ended.Sub(began), false
	return l.found
}

// stamp sums up every file the configuration depends on. atOnce: something has come or gone.
func (l *lookout) stamp(c *config.Config, path string, atOnce bool) string {
	sum := sha256.New()
	fmt.Fprintln(sum, config.Fingerprint(path))
	for _, findings := range l.find(c, atOnce) {
		for _, f := range findings.Found {
			fmt.Fprintln(sum, f.File)
		}
	}
	for _, site := range c.Sites {
		fmt.Fprintln(sum, site.Name, config.Fingerprint(site.WPConfig), config.Fingerprint(site.DSNFile), config.Fingerprint(site.UpstreamCAFile))
	}
	return string(sum.Sum(nil))
}

// concerns reports whether an event may mean that the configuration changed. Folders of
// installs are full of logs and caches: what is written there is of no interest, what comes
// and goes is.
func concerns(c *config.Config, path string, e fsnotify.Event) bool {
	if e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		return true
	}
	base := filepath.Base(e.Name)
	return e.Has(fsnotify.Write) && (base == "wp-config.php" || base == filepath.Base(path) ||
		slices.ContainsFunc(c.Sites, func(s config.Site) bool {
			return base == filepath.Base(s.WPConfig) || base == filepath.Base(s.DSNFile) || base == filepath.Base(s.UpstreamCAFile)
		}))
}

// folders are those to watch: that of the configuration, those of every wp-config.php, and
// every folder on the way to what a pattern may match.
func (l *lookout) folders(c *config.Config, path string) []string {
	dirs := map[string]bool{filepath.Dir(path): true}
	for _, site := range c.Sites {
		if site.WPConfig != "" {
			dirs[filepath.Dir(site.WPConfig)] = true
		}
		if site.DSNFile != "" {
			dirs[filepath.Dir(site.DSNFile)] = true
		}
		if site.UpstreamCAFile != "" {
			dirs[filepath.Dir(site.UpstreamCAFile)] = true
		}
	}
	for _, findings := range l.find(c, false) {
		for _, dir := range findings.Folders {
			dirs[dir] = true
		}
	}
	list := make([]string, 0, len(dirs))
	for dir := range dirs {
		list = append(list, dir)
	}
	slices.Sort(list)
	return list
}
