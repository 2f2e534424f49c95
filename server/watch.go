package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"wpsitemapd/server/config"
)

const (
	settle = 300 * time.Millisecond // editors and deployments touch a file several times
	// rescan finds what a file system did not tell: network mounts, and folders that came
	// into being below one that is not watched.
	rescan = 3 * time.Second
)

// How long the search for installs rests, as multiples of its length: without a reason, and with one, which anybody who may
// write below a pattern can give.
const (
	searchRest = 100
	soonRest   = 10
)

// A Watcher watches the files of a configuration. Set its exported fields before Run.
type Watcher struct {
	File       string                // of the configuration
	Config     func() *config.Config // in force
	Log        *slog.Logger
	Unnotified bool // in tests: a file system that does not notify
	// Look is called after every look at the files, at the latest every few seconds.
	Look func(ctx context.Context, changed bool)

	// Of the search for installs.
	searches []*config.Search
	found    []*config.Findings
	ended    time.Time
	took     time.Duration
	wanted   bool // something has come or gone since
}

// Run watches until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	watcher, err := fsnotify.NewWatcher()
	var events <-chan fsnotify.Event
	var failures <-chan error
	switch {
	case err != nil:
		w.Log.Warn("changes of files are found by looking every few seconds only", "reason", err)
	case w.Unnotified:
		watcher.Close()
		watcher = nil
	default:
		defer watcher.Close()
		events, failures = watcher.Events, watcher.Errors
	}
	seen := w.stamp(true)
	look := time.NewTimer(rescan)
	defer look.Stop()
	soon := false // a folder that never rests must not put the look off for ever
	for {
		if watcher != nil && !soon {
			for _, dir := range w.folders() {
				_ = watcher.Add(dir) // one that cannot be watched is found by looking
			}
		}
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !soon && w.concerns(e) {
				soon = true
				look.Reset(settle)
			}
			continue
		case <-failures:
			continue
		case <-look.C:
		}
		// Taken before the files are read: what changes meanwhile differs at the next look.
		now := w.stamp(soon)
		changed := now != seen
		seen, soon = now, false
		w.Look(ctx, changed)
		look.Reset(rescan)
	}
}

// find returns what the searches of a configuration find, at once or some time before.
func (w *Watcher) find(c *config.Config, atOnce bool) []*config.Findings {
	w.wanted = w.wanted || atOnce
	rest := searchRest
	if w.wanted {
		rest = soonRest
	}
	began := time.Now()
	if reflect.DeepEqual(w.searches, c.Searches) && began.Before(w.ended.Add(time.Duration(rest)*w.took)) {
		return w.found
	}
	w.searches, w.found = c.Searches, nil
	for _, search := range c.Searches {
		w.found = append(w.found, search.Find())
	}
	w.ended = time.Now()
	w.took, w.wanted = w.ended.Sub(began), false
	return w.found
}

// filesOf are those that a site names: its wp-config.php, and where its password and the certificate of its upstream are.
func filesOf(s *config.Site) []string { return []string{s.WPConfig, s.DSNFile, s.UpstreamCAFile} }

// stamp sums up every file that the configuration depends on. atOnce: something has come or gone.
func (w *Watcher) stamp(atOnce bool) string {
	c, sum := w.Config(), sha256.New()
	fmt.Fprintln(sum, config.Fingerprint(w.File))
	for _, findings := range w.find(c, atOnce) {
		for _, f := range findings.Found {
			fmt.Fprintln(sum, f.File)
		}
	}
	for i := range c.Sites {
		fmt.Fprintln(sum, c.Sites[i].Name)
		for _, file := range filesOf(&c.Sites[i]) {
			fmt.Fprintln(sum, config.Fingerprint(file))
		}
	}
	return string(sum.Sum(nil))
}

// concerns reports whether an event may mean that the configuration has changed. Folders of installs are full of logs and
// caches: what is written there is of no interest, what comes and goes is.
func (w *Watcher) concerns(e fsnotify.Event) bool {
	if e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		return true
	}
	base := filepath.Base(e.Name)
	named := func(file string) bool { return base == filepath.Base(file) }
	return e.Has(fsnotify.Write) && (base == "wp-config.php" || named(w.File) ||
		slices.ContainsFunc(w.Config().Sites, func(s config.Site) bool { return slices.ContainsFunc(filesOf(&s), named) }))
}

// folders are those to watch: those of the files, and every folder on the way to what a pattern may match.
func (w *Watcher) folders() []string {
	c := w.Config()
	dirs := map[string]bool{filepath.Dir(w.File): true}
	for i := range c.Sites {
		for _, file := range filesOf(&c.Sites[i]) {
			if file != "" {
				dirs[filepath.Dir(file)] = true
			}
		}
	}
	for _, findings := range w.find(c, false) {
		for _, dir := range findings.Folders {
			dirs[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}
