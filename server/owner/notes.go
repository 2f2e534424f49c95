package owner

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// note is what is stored for a site: who owns the addresses that it has or claims.
type note struct{ Holdings []held }

type held struct {
	By     identity
	Since  time.Time
	Places []store.Place
}

const noteName = "hosts"

// notes returns what is to be stored for each site.
func (o *Owners) notes() map[string]note {
	notes := map[string]note{}
	for at, h := range o.of {
		names := slices.Clone(o.rivals[at])
		if s := o.site(h.by); s != nil && !slices.Contains(names, s.Config.Name) {
			names = append(names, s.Config.Name)
		}
		for _, name := range names {
			n := notes[name]
			i := slices.IndexFunc(n.Holdings, func(x held) bool { return x.By == h.by && x.Since.Equal(h.since) })
			if i < 0 {
				i, n.Holdings = len(n.Holdings), append(n.Holdings, held{By: h.by, Since: h.since})
			}
			n.Holdings[i].Places = append(n.Holdings[i].Places, store.Place{Host: at.Host, Path: at.Path})
			notes[name] = n
		}
	}
	for _, n := range notes { // in one order, so that an equal note is not written again
		for _, h := range n.Holdings {
			slices.SortFunc(h.Places, func(a, b store.Place) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Path, b.Path)) })
		}
		slices.SortFunc(n.Holdings, func(a, b held) int { return cmp.Or(cmp.Compare(a.By.Name, b.By.Name), a.Since.Compare(b.Since)) })
	}
	return notes
}

// recall takes in what was stored for a site. Of two notes on an address the later one holds.
func (o *Owners) recall(n note) {
	for _, h := range n.Holdings {
		for _, p := range h.Places {
			at := addressOf(p.Host, p.Path)
			if before, ok := o.of[at]; !ok || before.since.Before(h.Since) {
				o.of[at] = holding{by: h.By, since: h.Since, recalled: true}
			}
		}
	}
}

// Recall takes in what a store, which may be nil, remembers of the addresses of some sites.
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

// Keep stores who owns what, in a store that may be nil, and has a new table made once no site is waited for any longer,
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
		over := len(o.untried) > 0 && time.Now().After(o.until)
		if !told && len(o.untried) == 0 {
			o.logUnread()
			told = true
		}
		o.mu.Unlock()
		if over {
			renew()
		}
		o.save(kept)
	}
}

// logUnread logs the sites whose hosts are not known after the start.
func (o *Owners) logUnread() {
	var unknown []string
	for _, s := range o.sites {
		if !s.Placed() && len(o.sites) > 1 {
			unknown = append(unknown, s.Config.Name)
		}
	}
	if len(unknown) > 0 {
		o.log.Warn("nothing tells the hosts of sites until their databases are read: what is no sitemap goes to the upstream that they share, else nowhere",
			"sites", strings.Join(unknown, " "), "hint", "see to their databases; to be independent of them set hosts or home of these sites, or state")
	}
}

// SaveAll has all notes written again.
func (o *Owners) SaveAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dirty = true
	clear(o.wrote)
}

// save writes the notes that have changed. The store is not waited for under the lock.
func (o *Owners) save(kept *store.Store) {
	if kept == nil {
		return
	}
	o.mu.Lock()
	if !o.dirty {
		o.mu.Unlock()
		return
	}
	o.dirty = false
	notes, wrote := o.notes(), maps.Clone(o.wrote)
	o.mu.Unlock()
	for name, n := range notes {
		text, err := json.Marshal(n)
		if err != nil || wrote[name] == string(text) {
			continue
		}
		saved := kept.SaveNote(store.Note{Site: name, Name: noteName}, n)
		o.mu.Lock()
		if saved {
			o.wrote[name] = string(text)
		} else {
			o.dirty = true // tried again at the next beat
		}
		o.mu.Unlock()
	}
}

// ReadBlog is a blog as its database has it.
type ReadBlog struct {
	Home  string
	Hosts []string
}

// Conflicts reports, for every site that shares an address with another one, what a daemon would make of it, by what
// was read of their blogs. It reads the folder state and changes nothing there.
func Conflicts(c *config.Config, read map[string][]ReadBlog) map[string]string {
	log := slog.New(slog.DiscardHandler)
	o := New(log)
	var sites []*site.Site
	for i, install := range c.Sites {
		s := site.New(install, log)
		s.Rank = uint64(i)
		now := &site.Snapshot{Opened: read[install.Name] != nil}
		for _, b := range read[install.Name] {
			now.Blogs = append(now.Blogs, site.Unread(site.Settings{Home: b.Home, Hosts: b.Hosts}, nil))
		}
		s.Publish(now)
		sites = append(sites, s)
	}
	if c.State != "" && config.StoreHolds(c.State) {
		kept, err := config.OpenStore(c.State, store.Options{Log: log})
		if err == nil && kept.Open() == nil {
			o.Recall(sites, kept)
		}
	}
	o.Table(sites, time.Now())
	conflicts := map[string]string{}
	for _, s := range sites {
		if text, n, _ := o.Summary(s.Config.Name); n > 0 {
			conflicts[s.Config.Name] = text
		}
	}
	return conflicts
}
