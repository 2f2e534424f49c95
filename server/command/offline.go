package command

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp"
)

// offline explains URLs of the sites of a configuration where no daemon answers. It opens the databases that may have a URL when
// it is asked, one after the other, reads a catalog once, and keeps both. It is for one goroutine.
type offline struct {
	admin.Explainer
	sites  []*site.Site
	owners *owner.Owners
	now    func() time.Time

	opened    map[*site.Site]error // those that were opened, or why they could not be
	databases []*wp.Network
	read      map[*site.Blog]*site.Blog // with their catalogs
}

// newOffline returns an explainer of the sites of a configuration. now may be nil, for the clock. The log gets what concerns the
// databases that are opened, and no other site.
func newOffline(c *config.Config, now func() time.Time, log *slog.Logger) *offline {
	quiet := slog.New(slog.DiscardHandler) // conflicts are reported with the URLs that they concern
	o := &offline{owners: owner.New(quiet), now: now, opened: map[*site.Site]error{}, read: map[*site.Blog]*site.Blog{}}
	if now == nil {
		o.now = time.Now
	}
	o.Explainer = admin.Explainer{Table: o.table, Sites: func() []*site.Site { return o.sites }, ReadBlog: o.readBlog}
	for i, install := range c.Sites {
		s := site.New(install, log.With("site", install.Name))
		s.Counted, s.Process, s.Rank = new(metrics.SiteCounts), metrics.NewProcess(), uint64(i)
		if install.Upstream.URL() != nil {
			s.Upstream = new(proxy.Proxy) // there is one; it is asked for nothing
		}
		o.sites = append(o.sites, s)
	}
	return o
}

// Close closes the databases.
func (o *offline) Close() {
	for _, database := range o.databases {
		database.Close()
	}
}

// table reads the settings of the sites that may have a host, and returns the table that leads to them.
func (o *offline) table(ctx context.Context, host string) (*route.Table, error) {
	var failed []error
	for _, s := range o.sites {
		hosts := s.Config.Hosts
		if _, done := o.opened[s]; !done && (hosts == nil || len(o.sites) == 1 || slices.Contains(hosts, config.Host(host))) {
			o.opened[s] = s.Guard(func() error { return o.open(ctx, s) })
		}
		failed = append(failed, o.opened[s])
	}
	return o.owners.Table(o.sites, time.Now()), errors.Join(failed...)
}

// open opens the database of a site, and reads the settings of its blogs.
func (o *offline) open(ctx context.Context, s *site.Site) error {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	database, err := wp.Open(ctx, site.SourceOf(&s.Config))
	if err != nil {
		return err
	}
	o.databases = append(o.databases, database)
	walk, err := database.Walk(ctx, nil)
	if err != nil {
		return err
	}
	blogs, err := s.ReadBlogs(ctx, database, walk)
	if err != nil && len(blogs) == 0 {
		return err
	}
	s.Publish(&site.Snapshot{Opened: true, Gone: walk.Gone, Err: err, Blogs: blogs})
	return nil
}

// readBlog builds the catalog of a blog once. Its pages are made when they are searched.
func (o *offline) readBlog(ctx context.Context, of *site.Site, b *site.Blog) (*site.Blog, explain.Pages, error) {
	read := o.read[b]
	if read == nil {
		ctx, cancel := context.WithTimeout(ctx, site.BuildTimeout)
		defer cancel()
		c, err := sitemap.Build(ctx, b.DB, of.Options(b.ID, o.now))
		if err != nil {
			return nil, nil, err
		}
		with := *b
		with.Serve(c, 1, o.now())
		read, o.read[b] = &with, &with
	}
	return read, func(ctx context.Context, f catalog.File) ([]byte, error) {
		doc, err := read.Render(ctx, f.Name, f.Page)
		if err != nil {
			return nil, err
		}
		return doc.Body, nil
	}, nil
}
