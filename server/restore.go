package server

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/site"

	"wpsitemapd/server/store"
	"wpsitemapd/server/stores"

	"wpsitemapd/wp/weburl"
)

// Last good copies outlive the process: what is rendered and read is written behind, and a
// start begins with what was there. Until its database has answered a site serves its copies
// as they were, with Age; what its record cannot tell is 503.

// recordEvery is how long the record of a blog that does not change may be behind.
const recordEvery = 10 * time.Minute

// freshPatience is how long after the start requests wait for the first look at the database,
// before they get what was kept.
const freshPatience = 500 * time.Millisecond

// saveAll has every page in memory written again. The records the store knows itself.
func (s *Server) saveAll() {
	s.publishing.Lock()
	clear(s.owners.wrote)
	s.publishing.Unlock()
	s.pages.SaveAll(s.installs())
}

// openState opens the folder of last good copies and gives every worker what it holds of
// its site.
// The function it returns ends that, once everything is written.
func (s *Server) openState() (closeState func()) {
	location := s.config.StateLocation()
	if location == "" {
		return func() {}
	}
	kept, err := stores.Open(location, store.Options{
		Limit:   int64(s.config.StateSize),
		Log:     s.log,
		Lost:    s.saveAll,
		Audited: s.heardOfAudit,
		Lease:   s.pace.lease,
		Beat:    s.pace.beat,
	})
	if err != nil { // a file that it names has gone since the configuration was read
		s.log.Error("copies are kept in memory only", "reason", err, "hint", "see to state in the configuration")
		return func() {}
	}
	s.store = kept
	s.shared, _ = kept.(store.Sharing)
	s.pages.UseStore(kept)
	_ = s.store.Open() // it has logged, tries again, and the sites are served without
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.store.Run(ctx)
	}()
	s.fresh = time.Now().Add(freshPatience)
	sites := 0
	for _, w := range s.workers {
		if w.restore() {
			sites++
		}
	}
	s.recallOwners(s.workers)
	if sites > 0 {
		s.log.Info("last good copies are at hand until the databases answer", "sites", sites, "state", s.store)
	}
	s.retain()
	s.publish()
	return func() { stop(); <-ended }
}

// retain tells the store which sites there are.
func (s *Server) retain() {
	if s.store == nil {
		return
	}
	var names []string
	for _, w := range s.running() {
		names = append(names, w.Config.Name)
	}
	s.store.Retain(names)
}

// restore sets the worker to what was remembered of its site, and reports whether there is
// something to serve from.
func (w *worker) restore() bool {
	if w.server.store == nil {
		return false
	}
	install, records := w.server.store.Site(w.Config.Name)
	if install == nil || install.Source != w.Config.Identity() {
		return false
	}
	w.deliberate.Store(install.Settings != w.Config.Listing())
	restored := &site.Snapshot{Restored: true}
	for _, g := range install.Gone {
		restored.Gone = append(restored.Gone, site.Gone{Host: g.Host, Path: g.Path})
	}
	served := 0
	for _, key := range install.Blogs {
		i := slices.IndexFunc(records, func(r *store.Blog) bool { return r.Key == key })
		if i >= 0 {
			restored.Blogs = append(restored.Blogs, restoredBlog(records[i]))
			served++
			continue
		}
		// Nothing is known of it but its address, so that requests for it do not end elsewhere.
		id, home, _ := strings.Cut(key, " ")
		number, _ := strconv.ParseInt(id, 10, 64)
		host, _ := weburl.Split(home)
		restored.Blogs = append(restored.Blogs, site.Unread(site.Settings{ID: number, Home: home, Hosts: []string{host}}, site.ErrNotReadYet))
	}
	if served == 0 {
		return false
	}
	w.Publish(restored)
	w.recordedSite = install
	for _, r := range records {
		w.recorded[r.Key] = r
	}
	return true
}

func restoredBlog(r *store.Blog) *site.Blog {
	return site.Remembered(site.Settings{
		ID:         r.ID,
		Home:       r.Home,
		Hosts:      r.Hosts,
		Network:    r.Network,
		Plain:      r.Plain,
		Core:       site.CoreForm(r.Core),
		Robots:     r.Robots,
		RobotsText: r.RobotsText,
	}, outlineOf(&r.Sitemaps), r.Built)
}

// awaitFresh waits for the first look at a site's database right after the start, and tells
// whether it came.
func (s *Server) awaitFresh(r *http.Request, w *site.Site) bool {
	patience := time.NewTimer(time.Until(s.fresh))
	defer patience.Stop()
	select {
	case <-w.FirstAttempt():
		return true
	case <-patience.C:
	case <-r.Context().Done():
	}
	return false
}

// remember has the records of a site written where they changed. It is for run alone.
func (w *worker) remember(now *site.Snapshot) {
	kept := w.server.store
	if kept == nil || w.replaced.Load() {
		return
	}
	site := &store.Site{Name: w.Config.Name, Source: w.Config.Identity(), Settings: w.Config.Listing()}
	for _, g := range now.Gone {
		site.Gone = append(site.Gone, store.Place{Host: g.Host, Path: g.Path})
	}
	for _, b := range now.Blogs {
		site.Blogs = append(site.Blogs, b.Key())
		if b.Catalog == nil || b.Err != nil || b.HeldBy != "" {
			continue // what is remembered of it is as good
		}
		r := &store.Blog{
			Site: w.Config.Name, Key: b.Key(), ID: b.ID, Home: b.Home, Hosts: b.Hosts, Network: b.Network, Plain: b.Plain, Core: uint8(b.Core),
			Robots: b.Robots, RobotsText: b.RobotsText, Sitemaps: sitemapsOf(&b.Outline), Built: b.Built,
		}
		if before := w.recorded[r.Key]; before != nil && r.Built.Sub(before.Built) < recordEvery {
			same := *r
			same.Built = before.Built
			if reflect.DeepEqual(&same, before) {
				continue
			}
		}
		if kept.SaveBlog(r) {
			w.recorded[r.Key] = r
		}
	}
	// after its blogs: a blog that it names has a record
	if !reflect.DeepEqual(w.recordedSite, site) && kept.SaveSite(site) {
		w.recordedSite = site
		for key := range w.recorded {
			if !slices.Contains(site.Blogs, key) {
				delete(w.recorded, key)
			}
		}
	}
}
