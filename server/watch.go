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
	lookEvery = 3 * time.Second        // at the files of the configuration
	settle    = 300 * time.Millisecond // editors and deployments touch a file several times
	// searchRest is how long the search for installs rests, as a multiple of its length, and mostRest bounds that.
	searchRest = 20
	mostRest   = time.Minute
)

// A watcher notices that files have changed that a configuration depends on: by notices of the system, and by a look every few seconds,
// as network mounts give no notice.
type watcher struct {
	file   string                // of the configuration
	config func() *config.Config // in force
	every  time.Duration         // between looks
	look   func(ctx context.Context, changed bool)
	seen   string // the stamp of the last look

	notified *config.Config // whose folders give notice

	// Of the search for installs.
	searches []*config.Search
	found    []*config.Findings
	next     time.Time
}

// run watches until ctx ends.
func (w *watcher) run(ctx context.Context) {
	var notices *fsnotify.Watcher // nil where the system has none left: looks find all changes
	var events chan fsnotify.Event
	if n, err := fsnotify.NewWatcher(); err == nil {
		defer n.Close()
		notices, events = n, n.Events
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
		case <-beat.C:
		}
		now := w.stamp()
		changed := now != w.seen
		if changed {
			select {
			case <-ctx.Done():
			case <-time.After(settle):
			}
			now = w.stamp() // before the files are read: what changes meanwhile differs at the next look
		}
		w.seen = now
		w.look(ctx, changed)
	}
}

// filesOf are those that a site names: its wp-config.php, and where its password is.
func filesOf(s *config.Site) []string { return []string{s.WPConfig, s.DSNFile} }

// notify asks for notices from the folders of the files, and from those in which installs are searched. A folder that cannot be
// watched is looked at.
func (w *watcher) notify(notices *fsnotify.Watcher) {
	c := w.config()
	if notices == nil || c == w.notified {
		return
	}
	w.notified = c
	files := []string{w.file}
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

// concerns reports whether a notice may mean that the configuration has changed. Folders of installs are full of logs and caches: what
// is written there is of no interest, what comes and goes is.
func (w *watcher) concerns(e fsnotify.Event) bool {
	named := func(file string) bool { return filepath.Base(file) == filepath.Base(e.Name) }
	return !e.Has(fsnotify.Write) || named(w.file) ||
		slices.ContainsFunc(w.config().Sites, func(s config.Site) bool { return slices.ContainsFunc(filesOf(&s), named) })
}

// stamp sums up every file that the configuration depends on.
func (w *watcher) stamp() string {
	c, sum := w.config(), sha256.New()
	for _, file := range []string{w.file, c.TLSCert, c.TLSKey} {
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

// find returns what the searches of a configuration find, now or some time before.
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
