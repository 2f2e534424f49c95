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
	watchEvery = 3 * time.Second
	settle     = 300 * time.Millisecond // editors and deployments touch a file several times
	// searchRest is how long the search for installs rests, as a multiple of its length.
	searchRest = 20
)

// A Watcher looks at the files of a configuration, whatever file system they are on. Set its exported fields before Run.
type Watcher struct {
	File   string                // of the configuration
	Config func() *config.Config // in force
	Every  time.Duration
	// Look is called after every look at the files.
	Look func(ctx context.Context, changed bool)

	// Of the search for installs.
	searches []*config.Search
	found    []*config.Findings
	ended    time.Time
	took     time.Duration
}

// Run looks until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	seen := w.stamp()
	for pause(ctx, w.Every) {
		now := w.stamp()
		changed := now != seen
		if changed {
			if !pause(ctx, settle) {
				return
			}
			now = w.stamp() // before the files are read: what changes meanwhile differs at the next look
		}
		seen = now
		w.Look(ctx, changed)
	}
}

// pause reports whether ctx goes on after a time.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// find returns what the searches of a configuration find, or found some time before.
func (w *Watcher) find(c *config.Config) []*config.Findings {
	began := time.Now()
	if reflect.DeepEqual(w.searches, c.Searches) && began.Before(w.ended.Add(searchRest*w.took)) {
		return w.found
	}
	w.searches, w.found = c.Searches, nil
	for _, search := range c.Searches {
		w.found = append(w.found, search.Find())
	}
	w.ended = time.Now()
	w.took = w.ended.Sub(began)
	return w.found
}

// stamp sums up every file that the configuration depends on: those that its patterns match, and those that a site names, its
// wp-config.php and where its password and the certificate of its upstream are.
func (w *Watcher) stamp() string {
	c, sum := w.Config(), sha256.New()
	fmt.Fprintln(sum, config.Fingerprint(w.File))
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
