package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"time"

	"wpsitemapd/server/config"
)

const (
	lookEvery = 3 * time.Second        // at the files of the configuration
	settle    = 300 * time.Millisecond // editors and deployments touch a file several times
	// searchRest is how long the search for installs rests, as a multiple of its length, and mostRest bounds that.
	searchRest = 20
	mostRest   = time.Minute
)

// A watcher looks every few seconds whether files have changed that a configuration depends on.
type watcher struct {
	file   string                // of the configuration
	config func() *config.Config // in force
	every  time.Duration         // between looks
	look   func(ctx context.Context, changed bool)
	seen   string // the stamp of the last look

	// Of the search for installs.
	searches []*config.Search
	found    []*config.Findings
	next     time.Time
}

// run watches until ctx ends.
func (w *watcher) run(ctx context.Context) {
	wait := func(d time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
	for wait(w.every); ctx.Err() == nil; wait(w.every) {
		now := w.stamp()
		changed := now != w.seen
		if changed {
			wait(settle)
			now = w.stamp() // before the files are read: what changes meanwhile differs at the next look
		}
		w.seen = now
		w.look(ctx, changed)
	}
}

// stamp sums up every file that the configuration depends on: of each site its wp-config.php, and where its password and the
// certificate of its upstream are.
func (w *watcher) stamp() string {
	c, sum := w.config(), sha256.New()
	fmt.Fprintln(sum, config.Fingerprint(w.file))
	for _, findings := range w.find(c) {
		for _, f := range findings.Found {
			fmt.Fprintln(sum, f.File)
		}
	}
	for i := range c.Sites {
		s := &c.Sites[i]
		fmt.Fprintln(sum, s.Name, config.Fingerprint(s.WPConfig), config.Fingerprint(s.DSNFile), config.Fingerprint(s.UpstreamCAFile))
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
