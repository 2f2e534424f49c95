package owner

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// note is what the store keeps for a site: the owners of the hosts that the site has or claims. The keys are hosts without www.
type note map[string]identity

const noteName = "owners"

// notes returns the note of each site.
func (o *Owners) notes() map[string]note {
	notes := map[string]note{}
	for name, by := range o.of {
		var sites []*site.Site
		if s := o.last.site(by); s != nil {
			sites = append(sites, s)
		}
		for _, c := range o.last.claims[name] {
			sites = append(sites, c.site)
		}
		for _, s := range sites {
			if notes[s.Config.Name] == nil {
				notes[s.Config.Name] = note{}
			}
			notes[s.Config.Name][name] = by
		}
	}
	return notes
}

// recall takes over the owners in a stored note. An owner that is known already stays. Notes of earlier versions have a path
// after each host: the owner of the shortest path gets the host. recall skips a host that begins with www. Such a host is in an
// old note because of a site at www.www.a.test, which must not get a.test.
func (o *Owners) recall(n note) {
	for _, at := range slices.Sorted(maps.Keys(n)) {
		host, _, _ := strings.Cut(at, "/")
		if _, known := o.of[host]; !known && host == nameOf(host) {
			o.of[host] = n[at]
		}
	}
}

// Recall takes over the owners that a store remembers for some sites. kept may be nil.
func (o *Owners) Recall(sites []*site.Site, kept *store.Store) {
	if kept == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range sites {
		var n note
		if kept.Note(store.Note{Site: s.Config.Name, Name: noteName}, &n) {
			o.recall(n)
		}
	}
}

// Keep stores the owners of hosts in kept, which may be nil, until ctx ends. As long as a site may still be read for the first
// time, it calls renew every second to make a new table.
func (o *Owners) Keep(ctx context.Context, kept *store.Store, renew func()) {
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	told := false
	for {
		select {
		case <-ctx.Done():
			o.save(kept)
			return
		case <-beat.C:
		}
		switch {
		case o.waits():
			renew()
		case !told:
			told = true
			o.logUnread()
		}
		o.save(kept)
	}
}

func (o *Owners) waits() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.last.untried) > 0
}

// logUnread logs the sites whose hosts are not known after the start.
func (o *Owners) logUnread() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.last.unread) > 0 && len(o.last.byName) > 1 {
		o.log.Warn(
			"some sites were not read yet, so their hosts are not known: requests for unknown hosts may be answered with 503",
			"sites", strings.Join(slices.Sorted(slices.Values(o.last.unread)), " "),
			"hint", "check the databases of these sites. If their hosts must be known before the databases answer, write hosts or home "+
				"in the sections of these sites, or set state, so that the daemon remembers the hosts")
	}
}

// save stores the notes that have changed.
func (o *Owners) save(kept *store.Store) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if kept == nil {
		return
	}
	if saving := kept.Saving(); saving != o.saving { // the store has lost all notes
		o.saving, o.dirty = saving, true
		clear(o.stored)
	}
	if !o.dirty {
		return
	}
	o.dirty = false
	for name, n := range o.notes() {
		text, err := json.Marshal(n)
		switch {
		case err != nil || o.stored[name] == string(text):
		case kept.SaveNote(store.Note{Site: name, Name: noteName}, n):
			o.stored[name] = string(text)
		default:
			o.dirty = true // the next beat tries again
		}
	}
}

// Preview returns the routing table that a daemon would make for a configuration. read contains the blogs of each site, by the
// name of the site. conflicts contains the text of each conflict, by site. If state is a folder with a store, Preview reads the
// owners there. It changes nothing.
func Preview(c *config.Config, read map[string][]*site.Blog) (table *route.Table, conflicts map[string]string) {
	log := slog.New(slog.DiscardHandler)
	o := New(log)
	var sites []*site.Site
	for i, install := range c.Sites {
		s := site.New(install, log)
		s.Rank = uint64(i)
		s.Publish(&site.Snapshot{Opened: read[install.Name] != nil, Blogs: read[install.Name]})
		sites = append(sites, s)
	}
	location := c.State.Reveal()
	if backend, err := config.Store(location); location != "" && err == nil && !backend.Kind().Shared && backend.Holds(location) {
		kept, err := store.New(backend, location, store.Options{Log: log})
		if err == nil && kept.Open() == nil {
			o.Recall(sites, kept)
		}
	}
	table, conflicts = o.Table(sites, time.Now()), map[string]string{}
	for _, s := range sites {
		if text, n, _ := o.Summary(s.Config.Name); n > 0 {
			conflicts[s.Config.Name] = text
		}
	}
	return table, conflicts
}
