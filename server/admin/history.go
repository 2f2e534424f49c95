package admin

import (
	"context"
	"time"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// historySave is how many points KeepHistory adds to each history between two saves.
const historySave = 6

func historyNote(i Install) store.Note { return store.Note{Site: i.Config.Name, Name: "history"} }

// KeepHistory adds points to the histories of all sites until ctx ends, and saves the histories in the store.
func (v *View) KeepHistory(ctx context.Context) {
	if kept := v.Store(); kept != nil {
		for _, i := range v.Installs() {
			var points []metrics.Point
			if kept.Note(historyNote(i), &points) {
				i.Counted.History.Begin(points)
			}
		}
	}
	// The first points wait until the sites were read, so that there is something to count.
	soon, cancel := context.WithTimeout(ctx, site.FirstTimeout)
	defer cancel()
	for _, i := range v.Installs() {
		select {
		case <-i.Refresher.FirstRead():
		case <-soon.Done():
		}
	}
	beat := time.NewTicker(metrics.Every)
	defer beat.Stop()
	for n := 1; ctx.Err() == nil; n++ {
		v.AddPoints()
		if n%historySave == 0 {
			v.saveHistory()
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			v.saveHistory()
		}
	}
}

func (v *View) saveHistory() {
	kept := v.Store()
	if kept == nil {
		return
	}
	for _, i := range v.Installs() {
		kept.SaveNote(historyNote(i), i.Counted.History.Points())
	}
}

// AddPoints adds a point to the history of every site that was read.
func (v *View) AddPoints() {
	installs := v.Installs()
	for _, i := range installs {
		p := metrics.Point{At: v.Now(), Build: i.Slowest(), Fetches: i.Counted.Since()}
		if i.Snapshot().Known() {
			urls, parts, _ := i.Size()
			p.URLs = urls - parts
			i.Counted.History.Add(p, len(installs))
		}
	}
}
