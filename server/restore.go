package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/store"
	"wpsitemapd/server/stores"

	"wpsitemapd/sitemap"
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

var errNotRead = errors.New("its database has not been read since the start")

// saveAll has every copy in memory written again. The records the store knows itself.
func (s *Server) saveAll() {
	s.publishing.Lock()
	clear(s.owners.wrote)
	s.publishing.Unlock()
	for _, w := range s.running() {
		copies := map[pageKey]*pageCopy{}
		s.cache.each(w.site.Name, func(k pageKey, c *pageCopy) bool {
			copies[k] = c
			return true
		})
		for k, c := range copies {
			s.save(k, c)
		}
	}
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
		names = append(names, w.site.Name)
	}
	s.store.Retain(names)
}

// restore sets the worker to what was remembered of its site, and reports whether there is
// something to serve from.
func (w *worker) restore() bool {
	if w.server.store == nil {
		return false
	}
	site, records := w.server.store.Site(w.site.Name)
	if site == nil || site.Source != w.site.Identity() {
		return false
	}
	w.deliberate.Store(site.Settings != w.site.Listing())
	restored := &siteState{restored: true}
	for _, g := range site.Gone {
		restored.gone = append(restored.gone, goneBlog{g.Host, g.Path})
	}
	served := 0
	for _, key := range site.Blogs {
		i := slices.IndexFunc(records, func(r *store.Blog) bool { return r.Key == key })
		if i >= 0 {
			restored.blogs = append(restored.blogs, w.restoredBlog(records[i]))
			served++
			continue
		}
		// Nothing is known of it but its address, so that requests for it do not end elsewhere.
		id, home, _ := strings.Cut(key, " ")
		b := &blogState{blog: blog{home: home}, err: errNotRead}
		b.id, _ = strconv.ParseInt(id, 10, 64)
		host, _ := weburl.Split(home)
		b.hosts = []string{host}
		b.address = w.addressOf(&b.blog)
		restored.blogs = append(restored.blogs, b)
	}
	if served == 0 {
		return false
	}
	w.state.Store(restored)
	w.recordedSite = site
	for _, r := range records {
		w.recorded[r.Key] = r
	}
	return true
}

func (w *worker) restoredBlog(r *store.Blog) *blogState {
	outline := outlineOf(&r.Sitemaps)
	b := &blogState{
		blog: blog{
			id:         r.ID,
			home:       r.Home,
			hosts:      r.Hosts,
			network:    r.Network,
			plain:      r.Plain,
			core:       coreForm(r.Core),
			robots:     r.Robots,
			robotsText: r.RobotsText,
		},
		catalog: restoredCatalog{&outline},
		outline: outline,
		built:   r.Built,
		listed:  map[listedPage]bool{},
		err:     errNotRead,
	}
	b.address = w.addressOf(&b.blog)
	for _, f := range slices.Concat(outline.Files, outline.Others) {
		b.listed[listedPage{f.Name, f.Page}] = true
	}
	return b
}

// restoredCatalog stands in for the catalog of a blog whose database has not been read yet.
// It can tell what exists, and render nothing.
type restoredCatalog struct{ outline *sitemap.Outline }

func (c restoredCatalog) Active() bool                     { return c.outline.Active }
func (c restoredCatalog) BaseURL(file string) string       { return c.outline.BaseURL(file) }
func (c restoredCatalog) URL(name string, page int) string { return c.outline.URL(name, page) }
func (c restoredCatalog) Owns(name string) bool            { return slices.Contains(c.outline.Owned, name) }
func (c restoredCatalog) Undecided(name string) bool       { return slices.Contains(c.outline.Left, name) }
func (c restoredCatalog) Files() []sitemap.File            { return c.outline.Files }
func (c restoredCatalog) OtherFiles() []sitemap.File       { return c.outline.Others }
func (c restoredCatalog) Outline() sitemap.Outline         { return *c.outline }

func (c restoredCatalog) Fingerprint(string, int) uint64 { return 0 } // as the copies on disk
func (c restoredCatalog) Side() uint64                   { return 0 }
func (c restoredCatalog) Common(string, int) uint64      { return 0 }
func (c restoredCatalog) Digest() uint64                 { return 0 }
func (c restoredCatalog) Wider() bool                    { return false }
func (c restoredCatalog) Expires() time.Time             { return time.Time{} }
func (c restoredCatalog) Due() (int64, bool)             { return 0, false }

func (c restoredCatalog) QueryName(name string) string {
	if asked, ok := c.outline.Asked[name]; ok {
		return asked
	}
	return name
}

func (c restoredCatalog) Rerender(_ context.Context, name string, page int, _ sitemap.Earlier) (*sitemap.Document, error) {
	if c.outline.Names(name, page) || c.outline.Unnamed(name) {
		return nil, errNotRead
	}
	return nil, sitemap.ErrNotFound
}

// awaitFresh waits for the first look at a site's database right after the start, and tells
// whether it came.
func (s *Server) awaitFresh(r *http.Request, w *worker) bool {
	patience := time.NewTimer(time.Until(s.fresh))
	defer patience.Stop()
	select {
	case <-w.first:
		return true
	case <-patience.C:
	case <-r.Context().Done():
	}
	return false
}

// unrendered is why there is no copy of a page of a blog that must not be rendered from.
func (b *blogState) unrendered(name string, page int) error {
	_, err := restoredCatalog{&b.outline}.Rerender(context.Background(), name, page, sitemap.Earlier{})
	if errors.Is(err, errNotRead) && b.held != "" {
		return errHeld
	}
	return err
}

// remember has the records of a site written where they changed. It is for run alone.
func (w *worker) remember(now *siteState) {
	kept := w.server.store
	if kept == nil || w.replaced.Load() {
		return
	}
	site := &store.Site{Name: w.site.Name, Source: w.site.Identity(), Settings: w.site.Listing()}
	for _, g := range now.gone {
		site.Gone = append(site.Gone, store.Place{Host: g.host, Path: g.path})
	}
	for _, b := range now.blogs {
		site.Blogs = append(site.Blogs, b.key())
		if b.catalog == nil || b.err != nil || b.held != "" {
			continue // what is remembered of it is as good
		}
		r := &store.Blog{
			Site: w.site.Name, Key: b.key(), ID: b.id, Home: b.home, Hosts: b.hosts, Network: b.network, Plain: b.plain, Core: uint8(b.core),
			Robots: b.robots, RobotsText: b.robotsText, Sitemaps: sitemapsOf(&b.outline), Built: b.built,
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

func (k pageKey) stateKey() store.Key {
	return store.Key{Site: k.site, Blog: k.blog, Name: k.name, Page: k.page}
}

// save has a copy written.
func (s *Server) save(key pageKey, c *pageCopy) { s.saveAs(key, c, false) }

// saveAs is save, and reports whether there is room; ahead: no other copy makes room for it.
func (s *Server) saveAs(key pageKey, c *pageCopy, ahead bool) bool {
	if s.store == nil {
		return false
	}
	saved := s.store.Save(&store.Copy{
		Key: key.stateKey(), Hash: c.hash, Fingerprint: s.vouch(key, c), Modified: c.modified, Built: c.built, Expires: c.expires,
		Body: c.body, Gzipped: c.gzipped, Brotli: c.brotli, Ahead: ahead,
	})
	c.unsaved.Store(!saved)
	return saved
}

// saved returns the copy that was written of a page, nil when there is none.
func (s *Server) saved(w *worker, key pageKey) *pageCopy {
	if s.store == nil {
		return nil
	}
	c := s.store.Copy(key.stateKey())
	if c == nil {
		return nil
	}
	p := w.copyOf(c)
	s.cache.put(key, p)
	return p
}

// copyOf is a copy that was written, as it is kept in memory.
func (w *worker) copyOf(c *store.Copy) *pageCopy {
	p := &pageCopy{hash: c.Hash, built: c.Built, modified: c.Modified, expires: c.Expires, body: c.Body, gzipped: c.Gzipped, brotli: c.Brotli}
	p.setBrotli(w.site.Brotli)
	p.slim()
	return p
}

// robotsKey is where the last robots.txt of a blog's upstream is kept.
func (w *worker) robotsKey(b *blogState) store.Key {
	return store.Key{Site: w.site.Name, Blog: b.key(), Name: store.RobotsName}
}

// keepRobots remembers a robots.txt of the upstream.
func (w *worker) keepRobots(b *blogState, text []byte) {
	before, _ := w.robots.Swap(b.key(), text)
	if old, _ := before.([]byte); w.server.store == nil || old != nil && bytes.Equal(old, text) {
		return
	}
	sum := sha256.Sum256(text)
	w.server.store.Save(&store.Copy{Key: w.robotsKey(b), Hash: hex.EncodeToString(sum[:12]), Built: w.server.now(), Body: text})
}

// keptRobots returns the last one, also of an earlier process.
func (w *worker) keptRobots(b *blogState) ([]byte, bool) {
	if kept, ok := w.robots.Load(b.key()); ok {
		return kept.([]byte), true
	}
	if w.server.store == nil {
		return nil, false
	}
	c := w.server.store.Copy(w.robotsKey(b))
	if c == nil {
		return nil, false
	}
	w.robots.Store(b.key(), c.Body)
	return c.Body, true
}
