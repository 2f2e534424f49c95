package owner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// hostsNote is what is kept for a site: whose the places are that it has or claims.
type hostsNote struct{ Holdings []heldPlaces }

type heldPlaces struct {
	By     identity
	Since  time.Time
	Absent []string `json:",omitempty"`
	Places []store.Place
}

const hostsName = "hosts"

// keptNote is a note with its text.
type keptNote struct {
	hostsNote
	text string
}

// notes are what is to be kept for each site.
func (o *Owners) notes() map[string]hostsNote {
	type key struct {
		site, by string
		since    time.Time
		absent   string
	}
	groups := map[key]*heldPlaces{}
	for p, h := range o.of {
		sites := o.rivals[p]
		if w := o.site(h.by); w != nil && !slices.Contains(sites, w.Config.Name) {
			sites = append(slices.Clone(sites), w.Config.Name)
		}
		for _, name := range sites {
			k := key{name, h.by.Name, h.since, strings.Join(h.absent, " ")}
			if groups[k] == nil {
				groups[k] = &heldPlaces{By: h.by, Since: h.since, Absent: h.absent}
			}
			groups[k].Places = append(groups[k].Places, store.Place{Host: p.Host, Path: p.Path})
		}
	}
	notes := map[string]hostsNote{}
	for k, g := range groups {
		slices.SortFunc(g.Places, func(a, b store.Place) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Path, b.Path)) })
		n := notes[k.site]
		n.Holdings = append(n.Holdings, *g)
		notes[k.site] = n
	}
	for _, n := range notes {
		slices.SortFunc(n.Holdings, func(a, b heldPlaces) int {
			return cmp.Or(cmp.Compare(a.By.Name, b.By.Name), a.Since.Compare(b.Since), slices.Compare(a.Absent, b.Absent))
		})
	}
	return notes
}

// recall takes in what was kept for a site. Of two notes on a place the later one holds.
func (o *Owners) recall(n hostsNote) {
	for _, held := range n.Holdings {
		for _, p := range held.Places {
			at := PlaceOf(p.Host, p.Path)
			if before := o.of[at]; before == nil || before.since.Before(held.Since) {
				o.of[at] = &holding{by: held.By, since: held.Since, absent: slices.Clone(held.Absent)}
			}
		}
	}
}

// Recall begins with what a store, which may be nil, remembers of whose the places of some sites are. What an earlier version
// has kept of a site tells as much, where it is the only one.
func (o *Owners) Recall(sites []*site.Site, kept *store.Store) {
	if kept == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var unnoted []*site.Site
	for _, s := range sites {
		var n hostsNote
		if kept.Note(store.Note{Site: s.Config.Name, Name: hostsName}, &n) {
			o.recall(n)
		} else if s.Snapshot().Restored {
			unnoted = append(unnoted, s)
		}
	}
	several := map[Place]bool{}
	for _, s := range unnoted {
		for _, m := range route.MountsOf(s) {
			for _, host := range m.Hosts {
				p := PlaceOf(host, m.Path)
				if h := o.of[p]; h == nil {
					o.of[p] = &holding{by: identityOf(&s.Config)}
				} else if h.since.IsZero() && h.by.Name != s.Config.Name {
					several[p] = true
				}
			}
		}
	}
	for p := range several {
		delete(o.of, p)
	}
}

// Keep writes down whose the places are, in a store that may be nil, and has a new table made when the time of one comes,
// until ctx ends.
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
		case <-o.changed:
		}
		o.mu.Lock()
		due := o.due
		if !told && len(o.untried) == 0 {
			o.tellUnread()
			told = true
		}
		o.mu.Unlock()
		if !due.IsZero() && time.Now().After(due) {
			renew()
		}
		o.save(kept)
	}
}

// tellUnread logs the sites whose hosts are not known after the start.
func (o *Owners) tellUnread() {
	var guessed, unknown []string
	for _, w := range o.sites {
		if !o.unread[w.Config.Name] || len(o.sites) == 1 {
			continue
		}
		if p, from, _ := guess(w.Files()); p.Host != "" {
			guessed = append(guessed, fmt.Sprintf("%s: %s by %s", w.Config.Name, p.Host, from))
		} else {
			unknown = append(unknown, w.Config.Name)
		}
	}
	const do = "see to their databases; to be independent of them set hosts or home of these sites, or state"
	if len(guessed) > 0 {
		o.log.Warn("hosts are guessed until the databases are read: their sitemaps are answered with 503, the rest goes to the upstream",
			"sites", strings.Join(guessed, ", "), "hint", do)
	}
	if len(unknown) > 0 {
		o.log.Warn("nothing tells the hosts of sites until their databases are read: what is no sitemap goes to the upstream that they share, else nowhere",
			"sites", strings.Join(unknown, " "), "hint", do)
	}
}

// SaveAll has all notes written again.
func (o *Owners) SaveAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.wrote)
}

// save writes the notes that have changed.
func (o *Owners) save(kept *store.Store) {
	if kept == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dirty {
		o.dirty, o.kept = false, map[string]keptNote{}
		for name, n := range o.notes() {
			text, err := json.Marshal(n)
			if err == nil { // of these types always
				o.kept[name] = keptNote{n, string(text)}
			}
		}
	}
	for name, n := range o.kept {
		note := store.Note{Site: name, Name: hostsName}
		if o.wrote[name] != n.text && kept.SaveNote(note, n.hostsNote) {
			o.wrote[name] = n.text
		}
	}
}
