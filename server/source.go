package server

import (
	"context"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
)

// network is an open database as a worker sees it. Tests put their own in its place.
type network struct {
	// read returns the blogs as they are now. A blog that cannot be read is missing, and err
	// says why.
	read   func(ctx context.Context) (blogs []blog, gone []goneBlog, err error)
	close  func() error
	db     *wp.Network // to look for changes; nil in tests
	member *member     // nil where nobody looks for changes
}

// blog is one site of a network.
type blog struct {
	id       int64
	home     string // without a slash at the end
	hosts    []string
	network  bool // one of a multisite network, even if of one
	plain    bool // no permalink structure
	core     coreForm
	robots   []int64 // blogs whose sitemaps its robots.txt names too
	warnings []string
	build    func(ctx context.Context) (catalog, error)
}

// goneBlog is where an archived, deleted or spam blog stood.
type goneBlog struct{ host, path string }

// catalog is what is served of a *sitemap.Catalog.
type catalog interface {
	Active() bool
	BaseURL(file string) string
	Owns(name string) bool
	QueryName(name string) string
	Files() []sitemap.File
	Render(ctx context.Context, name string, page int) (*sitemap.Document, error)
}

// Source is a site in the terms of package wp.
func (s *Site) Source() wp.Source {
	return wp.Source{
		Name: s.Name, WPConfig: s.WPConfig, DSN: s.DSN.Reveal(), TablePrefix: s.TablePrefix,
		Home: string(s.Home), Overrides: s.Overrides, Env: os.LookupEnv,
	}
}

// SitemapOptions is a site in the terms of package sitemap. now and log may be nil.
func (s *Site) SitemapOptions(now func() time.Time, log *slog.Logger) (sitemap.Options, error) {
	compat, err := sitemap.CompatByName(s.Compat)
	if err != nil {
		return sitemap.Options{}, err
	}
	opt := sitemap.Options{Compat: compat, PageSize: s.PageSize, Stylesheet: s.Stylesheet, Hreflang: s.Hreflang, Now: now, Log: log}
	opt.Exclude = sitemap.Exclude{PostIDs: s.Exclude.PostIDs, TermIDs: s.Exclude.TermIDs, UserIDs: s.Exclude.UserIDs}
	opt.Exclude.URLs = make([]*regexp.Regexp, len(s.Exclude.URLs))
	for i, p := range s.Exclude.URLs {
		opt.Exclude.URLs[i] = p.Regexp
	}
	return opt, nil
}

// openNetwork opens a site's database.
func openNetwork(ctx context.Context, s Site, limit *wp.Limiter, now func() time.Time, log *slog.Logger) (*network, error) {
	opt, err := s.SitemapOptions(now, log)
	if err != nil {
		return nil, err
	}
	source := s.Source()
	source.Limit = limit
	n, err := wp.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) ([]blog, []goneBlog, error) {
		rows, err := n.Blogs(ctx)
		if err != nil {
			return nil, nil, err
		}
		var gone []goneBlog
		for _, b := range rows {
			if !b.Live() {
				gone = append(gone, goneBlog{hostName(b.Domain), strings.Trim(b.Path, "/")})
			}
		}
		sites, err := n.Sites(ctx)
		blogs := make([]blog, 0, len(sites))
		for _, site := range sites {
			b := blog{
				id: site.BlogID(), home: site.Home(), hosts: site.Hosts(), warnings: site.Warnings(),
				network: rows != nil, plain: site.Settings().Permalinks.Structure == "",
			}
			switch {
			case !sitemap.Core(site):
			case b.plain:
				b.core = coreQueries
			default:
				b.core = corePaths
			}
			for _, other := range site.RobotsSites() {
				b.robots = append(b.robots, other.BlogID())
			}
			opt := opt
			opt.Log = log.With("blog", site.BlogID())
			b.build = func(ctx context.Context) (catalog, error) {
				c, err := sitemap.Build(ctx, site, opt)
				if err != nil {
					return nil, err // a nil *Catalog must not become a catalog
				}
				return c, nil
			}
			blogs = append(blogs, b)
		}
		return blogs, gone, err
	}
	return &network{read: read, close: n.Close, db: n}, nil
}

// key tells the blogs of a network apart in the cache; a blog that moves is another one.
func (b *blog) key() string { return strconv.FormatInt(b.id, 10) + " " + b.home }
