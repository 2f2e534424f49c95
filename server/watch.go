package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"wpsitemapd/server/config"
)

const (
	lookEvery = 3 * time.Second        // how often the watcher looks at the files of the configuration
	settle    = 300 * time.Millisecond // the wait after a change is seen, because editors and deployments write a file several times
	// searchRest is how long to rest after a search for installs, as a multiple of its duration. mostRest bounds that rest.
	searchRest = 20
	mostRest   = time.Minute
)

// A watcher notices changes of the files that a configuration depends on. The operating system sends notices of changes. The
// watcher also looks at the files every few seconds, because network mounts give no notices.
type watcher struct {
	file   string                                  // the configuration file
	config func() *config.Config                   // returns the configuration in force
	every  time.Duration                           // the time between looks
	look   func(ctx context.Context, changed bool) // called at each look; changed reports whether a file has changed
	seen   string                                  // the stamp of the last look

	notified *config.Config // the configuration whose folders give notices

	// The last search for installs.
	searches []*config.Search
	found    []*config.Findings
	next     time.Time
}

// run watches the files until ctx ends.
func (w *watcher) run(ctx context.Context) {
	var notices *fsnotify.Watcher // nil if the system has none left; looks find all changes then
	var events chan fsnotify.Event
	var failures chan error
	if n, err := fsnotify.NewWatcher(); err == nil {
		defer n.Close()
		notices, events, failures = n, n.Events, n.Errors
	}
	beat := time.NewTicker(w.every)
	defer beat.Stop()
	for ctx.Err() == nil {
		w.notify(notices)
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !w.concerns(e) {
				continue
			}
		case <-failures: // notices were lost
		case <-beat.C:
		}
		now := w.stamp()
		changed := now != w.seen
		if changed {
			select {
			case <-ctx.Done():
			case <-time.After(settle):
			}
			now = w.stamp() // before the files are read, so that the next look sees further changes
		}
		w.seen = now
		w.look(ctx, changed)
	}
}

// filesOf returns the files that a site names: its wp-config.php, and the file with its dsn.
func filesOf(s *config.Site) []string { return []string{s.WPConfig, s.DSNFile} }

// notify asks the system for notices about the folders of the files, and about folders that searches begin in. If a
// folder cannot be watched, looks find its changes.
func (w *watcher) notify(notices *fsnotify.Watcher) {
	c := w.config()
	if notices == nil || c == w.notified {
		return
	}
	w.notified = c
	files := []string{w.file, c.AdminTokenFile}
	for i := range c.Sites {
		files = append(files, filesOf(&c.Sites[i])...)
	}
	for _, search := range c.Searches {
		for _, pattern := range search.Patterns {
			fixed, _, _ := strings.Cut(pattern, "*")
			files = append(files, fixed)
		}
	}
	for _, file := range files {
		if file != "" {
			_ = notices.Add(filepath.Dir(file))
		}
	}
}

// concerns reports whether a notice may mean that the configuration has changed. Folders of installs contain logs and
// caches. So writes to unknown files there do not count, but new and removed files do.
func (w *watcher) concerns(e fsnotify.Event) bool {
	named := func(file string) bool { return filepath.Base(file) == filepath.Base(e.Name) }
	return !e.Has(fsnotify.Write) || named(w.file) || named(w.config().AdminTokenFile) ||
		slices.ContainsFunc(w.config().Sites, func(s config.Site) bool { return slices.ContainsFunc(filesOf(&s), named) })
}

// stamp returns a value that changes if a file that the configuration depends on changes.
func (w *watcher) stamp() string {
	c, sum := w.config(), sha256.New()
	for _, file := range []string{w.file, c.TLSCert, c.TLSKey, c.AdminTokenFile} {
		fmt.Fprintln(sum, config.Fingerprint(file))
	}
	for _, findings := range w.find(c) {
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

// find returns what each [[discover]] search of a configuration has found. If the searches are the same as in the last call, the
// result may be up to mostRest old.
func (w *watcher) find(c *config.Config) []*config.Findings {
	began := time.Now()
	if reflect.DeepEqual(w.searches, c.Searches) && began.Before(w.next) {
		return w.found
	}
	w.searches, w.found = c.Searches, nil
	for _, search := range c.Searches {
		w.found = append(w.found, search.Find())
	}
	w.next = time.Now().Add(min(searchRest*time.Since(began), mostRest))
	return w.found
}
