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

	followed *config.Config // the configuration whose folders give notices
	searched searched
}

// searched is the last search for installs.
type searched struct {
	searches []*config.Search
	found    []*config.Findings // what each of the searches found
	until    time.Time          // the time until which found counts
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
		w.follow(notices)
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

// follow watches the folders of the present configuration, and stops watching folders that it no longer needs. If a folder
// cannot be watched, looks find its changes.
func (w *watcher) follow(notices *fsnotify.Watcher) {
	c := w.config()
	if notices == nil || c == w.followed {
		return
	}
	w.followed = c
	wanted := folders(w.file, c)
	for _, folder := range notices.WatchList() {
		if !slices.Contains(wanted, folder) {
			_ = notices.Remove(folder) // it fails if the folder was deleted, which ends its notices, too
		}
	}
	for _, folder := range wanted {
		_ = notices.Add(folder)
	}
}

// folders returns the folders of the files that a configuration depends on, and the folders that its searches begin in. file is the
// path of the configuration.
func folders(file string, c *config.Config) []string {
	files := []string{file, c.AdminTokenFile}
	for i := range c.Sites {
		files = append(files, filesOf(&c.Sites[i])...)
	}
	for _, search := range c.Searches {
		for _, pattern := range search.Patterns {
			fixed, _, _ := strings.Cut(pattern, "*")
			files = append(files, fixed)
		}
	}
	var list []string
	for _, file := range files {
		if folder := filepath.Dir(file); file != "" && !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
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
	for _, findings := range w.searched.find(c.Searches) {
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

// find returns what each of the [[discover]] searches finds. If the searches are the same as in the last call, the result may be
// up to mostRest old.
func (s *searched) find(searches []*config.Search) []*config.Findings {
	began := time.Now()
	if reflect.DeepEqual(s.searches, searches) && began.Before(s.until) {
		return s.found
	}
	s.searches, s.found = searches, nil
	for _, search := range searches {
		s.found = append(s.found, search.Find())
	}
	end := time.Now()
	s.until = end.Add(min(searchRest*end.Sub(began), mostRest))
	return s.found
}
