// Package offline explains URLs from the databases, without a daemon.
package offline

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

// Explainer explains URLs of the sites of a configuration. For each question, it opens the databases that may have the
// URL, one after the other. It reads each catalog once and keeps it. Only one goroutine may use it.
type Explainer struct {
	admin.Explainer
	sites  []*site.Site
	owners *owner.Owners
	asOf   time.Time

	opened    map[*site.Site]error // the sites that were tried, each with its error or nil
	databases []*wp.Network
	read      map[*site.Blog]*site.Blog // the blogs with their catalogs
}

// New returns an Explainer for the sites of a configuration. If asOf is zero, it uses the real clock. log gets messages
// about the sites that are opened.
func New(c *config.Config, asOf time.Time, log *slog.Logger) *Explainer {
	quiet := slog.New(slog.DiscardHandler) // conflicts are reported with the URLs that they concern
	e := &Explainer{owners: owner.New(quiet), asOf: asOf, opened: map[*site.Site]error{}, read: map[*site.Blog]*site.Blog{}}
	e.Explainer = admin.Explainer{Table: e.table, Sites: func() []*site.Site { return e.sites }, ReadBlog: e.readBlog}
	for i, install := range c.Sites {
		s := site.New(install, log.With("site", install.Name))
		s.Counted, s.Process, s.Rank = new(metrics.SiteCounts), metrics.NewProcess(), uint64(i)
		if install.Upstream.URL() != nil {
			s.Upstream = new(proxy.Proxy) // marks that there is an upstream; it gets no request
		}
		e.sites = append(e.sites, s)
	}
	return e
}

func (e *Explainer) Close() {
	for _, database := range e.databases {
		database.Close()
	}
}

// table opens the sites that may have a host, and returns the routing table of all sites.
func (e *Explainer) table(ctx context.Context, host string) (*route.Table, error) {
	var failed []error
	for _, s := range e.sites {
		hosts := s.Config.Hosts
		if _, done := e.opened[s]; !done && (hosts == nil || len(e.sites) == 1 || slices.Contains(hosts, config.Host(host))) {
			e.opened[s] = s.Guard(func() error { return e.open(ctx, s) })
		}
		failed = append(failed, e.opened[s])
	}
	return e.owners.Table(e.sites, time.Now()), errors.Join(failed...)
}

// open opens the database of a site, and reads the settings of its blogs.
func (e *Explainer) open(ctx context.Context, s *site.Site) error {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	database, err := wp.Open(ctx, site.SourceOf(&s.Config))
	if err != nil {
		return err
	}
	e.databases = append(e.databases, database)
	walk, err := database.Walk(ctx, nil)
	if err != nil {
		return err
	}
	blogs, err := s.ReadBlogs(ctx, walk)
	if err != nil && len(blogs) == 0 {
		return err
	}
	s.Publish(&site.Snapshot{Opened: true, Gone: walk.Gone, Err: err, Blogs: blogs})
	return nil
}

// readBlog returns a blog with its catalog, which it builds only once. The function that it returns renders a page of the blog.
func (e *Explainer) readBlog(ctx context.Context, of *site.Site, b *site.Blog) (*site.Blog, explain.Pages, error) {
	read := e.read[b]
	if read == nil {
		ctx, cancel := context.WithTimeout(ctx, site.BuildTimeout)
		defer cancel()
		c, err := sitemap.Build(ctx, b.Book, of.Options(b.ID, site.Clock(e.asOf)))
		if err != nil {
			return nil, nil, err
		}
		with := *b
		with.Serve(c, 1, site.Clock(e.asOf)())
		read, e.read[b] = &with, &with
	}
	return read, func(ctx context.Context, f catalog.File) ([]byte, error) {
		doc, err := read.Render(ctx, f.Name, f.Page)
		if err != nil {
			return nil, err
		}
		return doc.Body, nil
	}, nil
}
