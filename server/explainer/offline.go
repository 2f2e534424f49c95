package explainer

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/refresh/guard"
	"wpsitemapd/server/refresh/memory"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/stores"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/db"
)

// Offline explains addresses of the sites of a configuration without serving them. It opens the databases that may have an
// address when it is asked, reads a catalog once, and keeps both. It is safe for concurrent use.
type Offline struct {
	explainer Explainer
	sites     []*site.Site
	owners    *owner.Owners
	limiter   *db.Limiter
	store     store.Store // what was stored; nil: nothing
	now       func() time.Time

	table atomic.Pointer[route.Table]

	mu        sync.Mutex
	read      map[*site.Site]error // nil: it has been read
	databases []site.Database
	catalogs  map[*site.Blog]func() (site.Catalog, error)
}

const (
	opens    = 8  // databases opened at a time
	maxConns = 56 // connections to one database server
)

// NewOffline returns an explainer. now may be nil, for the clock. The log gets what concerns the databases that are
// opened, and no other site.
func NewOffline(c *config.Config, now func() time.Time, log *slog.Logger) *Offline {
	quiet := slog.New(slog.DiscardHandler) // clashes are reported with the addresses that they concern
	o := &Offline{
		owners: owner.New(quiet), limiter: db.NewLimiter(maxConns), now: now,
		read: map[*site.Site]error{}, catalogs: map[*site.Blog]func() (site.Catalog, error){},
	}
	if now == nil {
		o.now = time.Now
	}
	inForce := func(*site.Site) bool { return true }
	o.explainer = Explainer{
		Table: o.table.Load,
		Sites: func() []*site.Site { return o.sites },
		Pages: pages.New(pages.Options{
			Limit: int64(cmp.Or(c.CacheSize, config.Default().CacheSize)), Now: o.now, Breaker: pages.NewBreaker(quiet), InForce: inForce,
		}),
		sourceOf: o.sourceOf,
	}
	for i, install := range c.Sites {
		s := site.New(install, log.With("site", install.Name))
		s.Counted, s.Process, s.Rank = new(metrics.Site), new(metrics.Process), uint64(i)
		if install.Upstream.URL() != nil {
			s.Upstream = new(proxy.Proxy) // there is one; it is asked for nothing
		}
		o.sites = append(o.sites, s)
		o.explainer.Pages.Add(s, func() {})
	}
	if now == nil { // what is stored is of the time that the clock shows
		o.openStored(c.State)
	}
	o.route()
	return o
}

func (o *Offline) route() { o.table.Store(o.owners.Table(o.sites, time.Now())) }

// Close closes the databases.
func (o *Offline) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range o.databases {
		n.Close()
	}
	o.databases = nil
}

// Explain is Explainer.Explain, for the sites as they were when it was first asked for one of their addresses.
func (o *Offline) Explain(ctx context.Context, q Question) (*Explained, error) {
	p, err := splitAddress(q.Address)
	if err != nil {
		return nil, err
	}
	if p.host == "" { // before any database is opened
		if _, err := p.meant(o.sites, q.Site); err != nil {
			return nil, err
		}
	}
	failed := o.open(ctx, p.host)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := o.explainer.explain(ctx, p, q.Site)
	if errors.Is(err, ErrNoSite) || errors.Is(err, ErrNotRead) {
		return nil, cmp.Or(failed, err) // it may be one of those
	}
	return x, err
}

// open reads the sites that may have a host.
func (o *Offline) open(ctx context.Context, host string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(opens)
	var asked []*site.Site
	for _, s := range o.sites {
		hosts := s.Config.Hosts
		if _, done := o.read[s]; !done && (hosts == nil || len(o.sites) == 1 || slices.Contains(hosts, config.Host(host))) {
			asked = append(asked, s)
		}
	}
	for _, s := range asked {
		group.Go(func() error {
			database, err := o.readSettings(ctx, s)
			if err != nil && ctx.Err() == nil {
				o.restore(s, err) // the stored pages can be searched
			}
			mu.Lock()
			defer mu.Unlock()
			o.read[s] = err
			if database != nil {
				o.databases = append(o.databases, database)
			}
			return nil
		})
	}
	group.Wait()
	if len(asked) > 0 {
		o.route()
	}
	var errs []error
	for _, s := range o.sites {
		if err := o.read[s]; err != nil {
			errs = append(errs, err)
			if ctx.Err() != nil {
				delete(o.read, s)
			}
		}
	}
	return errors.Join(errs...)
}

// readSettings reads the settings of a site's blogs.
func (o *Offline) readSettings(ctx context.Context, s *site.Site) (site.Database, error) {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	var database site.Database
	err := s.Guard(func() (err error) {
		source := site.SourceOf(&s.Config)
		source.Limit = o.limiter
		if database, err = site.Open(ctx, &s.Config, source, o.now, s.Log); err != nil {
			return err
		}
		blogs, gone, err := database.Read(ctx)
		if err != nil && len(blogs) == 0 {
			return err
		}
		now := &site.Snapshot{Opened: true, Gone: gone, Err: err}
		for _, b := range blogs {
			now.Blogs = append(now.Blogs, site.Unread(b, nil))
		}
		s.Publish(now)
		return nil
	})
	return database, err
}

// restore has what was stored of a site searched, since its database cannot be read.
func (o *Offline) restore(s *site.Site, err error) {
	if o.store == nil {
		return
	}
	var m memory.Memory
	restored, _ := m.Restore(&s.Config, o.store)
	if restored == nil {
		return
	}
	for _, b := range restored.Blogs {
		b.Err = err
	}
	s.Publish(restored)
}

// sourceOf is the catalog of a blog, or what was stored of it where the database cannot be read or has lost most of it.
func (o *Offline) sourceOf(ctx context.Context, of *site.Site, b *site.Blog) (source, error) {
	if b.Catalog != nil { // it was stored, and is all there is
		return source{catalog: b.Catalog, blog: b}, nil
	}
	c, err := o.catalog(ctx, b)
	if err != nil {
		if before, _ := o.stored(of, b.Key()); before != nil && ctx.Err() == nil {
			before.Err = err
			return source{catalog: before.Catalog, blog: before}, nil
		}
		return source{}, err
	}
	if held := o.held(of, b, c); held != nil {
		return source{catalog: c, blog: held, pages: o.explainer.storedPages(of, held, map[string]time.Time{})}, nil
	}
	now := *b
	now.Catalog, now.Outline = c, c.Outline()
	return source{catalog: c, blog: &now, pages: o.pages(of, b, c)}, nil
}

// catalog builds the catalog of a blog once.
func (o *Offline) catalog(ctx context.Context, b *site.Blog) (site.Catalog, error) {
	o.mu.Lock()
	build := o.catalogs[b]
	if build == nil {
		build = sync.OnceValues(func() (site.Catalog, error) {
			ctx, cancel := context.WithTimeout(ctx, site.BuildTimeout)
			defer cancel()
			return b.Build(ctx, nil)
		})
		o.catalogs[b] = build
	}
	o.mu.Unlock()
	c, err := build()
	if err != nil { // not for ever
		o.mu.Lock()
		delete(o.catalogs, b)
		o.mu.Unlock()
	}
	return c, err
}

// openStored has the explainer read the folder of stored pages, if there is one. It writes nothing there.
func (o *Offline) openStored(dir string) {
	if dir == "" || !stores.Holds(dir) {
		return // nothing was stored, or it is not for this account
	}
	kept, err := stores.Open(dir, store.Options{Limit: 1, Log: slog.New(slog.DiscardHandler)})
	if err == nil && kept.Open() == nil {
		o.store = kept
		o.explainer.Pages.UseStore(kept)
	}
}

// stored returns a blog as it was remembered, nil where nothing is.
func (o *Offline) stored(of *site.Site, key string) (*site.Blog, *store.Site) {
	if o.store == nil {
		return nil, nil
	}
	site, blogs := o.store.Site(of.Config.Name)
	if site == nil || site.Source != of.Config.Identity() {
		return nil, nil
	}
	for _, r := range blogs {
		if r.Key == key {
			return memory.Blog(r), site
		}
	}
	return nil, nil
}

// held returns the blog as a running daemon serves it while it does not believe what the database says now: most of
// what it has remembered is gone. It is nil where nothing is held.
func (o *Offline) held(of *site.Site, b *site.Blog, c site.Catalog) *site.Blog {
	before, site := o.stored(of, b.Key())
	if before == nil || of.Config.Collapse == 0 || site.Settings != of.Config.Listing() {
		return nil
	}
	now := c.Outline()
	why := guard.Loss(&before.Outline, &now, of.Config.Collapse)
	if why == "" {
		return nil
	}
	return before.HeldFor(why)
}

// pages hands out the pages of a catalog, which are made once and kept as far as there is room.
func (o *Offline) pages(of *site.Site, b *site.Blog, c site.Catalog) explain.Pages {
	return func(ctx context.Context, f catalog.File) ([]byte, error) {
		return o.explainer.Pages.Remember(ctx, of, b, c, f.Name, f.Page)
	}
}
