package server

import (
	"context"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// network is an open database as a worker sees it. Tests put their own in its place.
type network struct {
	// read returns the blogs as they are now. A blog that cannot be read is missing, and err
	// says why.
	read func(ctx context.Context) (blogs []blog, gone []goneBlog, err error)
	// walk, which may be nil, reads blogs one at a time. before is a walk that was interrupted, or nil.
	walk  func(ctx context.Context, before *walk) (*walk, error)
	close func() error
	db    *wp.Network           // to look for changes; nil in tests
	feed  *changes.Subscription // nil where nobody tells of writes
}

// walk is a reading of a network, blog by blog.
type walk struct {
	stubs []stub // in the order in which they are to be read
	gone  []goneBlog
	end   func() // gives the blogs what depends on others
	of    *wp.Walk
}

// stub is a blog of which it is known where it stands.
type stub struct {
	blog
	done bool // in a walk that was interrupted
	read func(context.Context) ([]blog, error)
}

// blog is one site of a network.
type blog struct {
	id         int64
	home       string // without a slash at the end
	hosts      []string
	network    bool // one of a multisite network, even if of one
	plain      bool // no permalink structure
	core       coreForm
	robots     []int64        // blogs whose sitemaps its robots.txt names too
	robotsNow  func() []int64 // robots once all blogs are read; nil: it is that
	robotsText string         // what WordPress would answer for robots.txt, without the sitemaps
	warnings   []string
	settings   uint64 // a number for all settings that matter
	// build reads its catalog. before, which may be nil, is the one that it takes the place of.
	build func(ctx context.Context, before catalog) (catalog, error)
	// delta brings a catalog of build up to date, see sitemap.Catalog.Delta; nil: build anew.
	delta func(ctx context.Context, from catalog, told sitemap.Told) (c catalog, touched int, err error)
	// written returns those of the tables named in full that are its own, without their prefixes; nil: it is not known.
	written func(tables []string) []string
}

// goneBlog is where an archived, deleted or spam blog stood.
type goneBlog struct{ host, path string }

// catalog is what is served of a *sitemap.Catalog.
type catalog interface {
	Active() bool
	BaseURL(file string) string
	URL(name string, page int) string
	Owns(name string) bool
	Undecided(name string) bool
	QueryName(name string) string
	Files() []sitemap.File
	OtherFiles() []sitemap.File
	Outline() sitemap.Outline
	Fingerprint(name string, page int) uint64
	Side() uint64
	Common(name string, page int) uint64
	Digest() uint64
	Wider() bool
	Expires() time.Time
	Due() (unix int64, ok bool)
	Rerender(ctx context.Context, name string, page int, earlier sitemap.Earlier) (*sitemap.Document, error)
}

// SourceOf is a site in the terms of package wp.
func SourceOf(s *config.Site) wp.Source {
	return wp.Source{
		Name: s.Name, WPConfig: s.WPConfig, DSN: s.DSN.Reveal(), TablePrefix: s.TablePrefix,
		Home: string(s.Home), Overrides: s.Overrides, Env: s.Environment, Within: s.Within, Replicas: reveal(s.Replicas),
	}
}

func reveal(secrets []config.Secret) []string {
	var texts []string
	for _, s := range secrets {
		texts = append(texts, s.Reveal())
	}
	return texts
}

// OptionsOf is a site in the terms of package sitemap. now and log may be nil.
func OptionsOf(s *config.Site, now func() time.Time, log *slog.Logger) (sitemap.Options, error) {
	compat, err := sitemap.CompatByName(s.Compat)
	if err != nil {
		return sitemap.Options{}, err
	}
	opt := sitemap.Options{Compat: compat, PageSize: s.PageSize, Stylesheet: s.Stylesheet, Hreflang: s.Hreflang, Now: now, Log: log}
	opt.Text, opt.Atom, opt.Hints = s.Formats.Text, s.Formats.Atom, s.Hints
	opt.Exclude = sitemap.Exclude{PostIDs: s.Exclude.PostIDs, TermIDs: s.Exclude.TermIDs, UserIDs: s.Exclude.UserIDs}
	opt.Exclude.URLs = make([]*regexp.Regexp, len(s.Exclude.URLs))
	for i, p := range s.Exclude.URLs {
		opt.Exclude.URLs[i] = p.Regexp
	}
	return opt, nil
}

// openNetwork opens a site's database, which is its Source with what the server adds.
func openNetwork(ctx context.Context, s config.Site, source wp.Source, now func() time.Time, log *slog.Logger) (*network, error) {
	opt, err := OptionsOf(&s, now, log)
	if err != nil {
		return nil, err
	}
	n, err := wp.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	of := func(site *wp.Site) blog {
		b := blog{
			id: site.BlogID(), home: site.Home(), hosts: site.Hosts(), warnings: site.Warnings(),
			network: n.Multisite(), plain: site.Settings().Permalinks.Structure == "", robotsText: sitemap.Robots(site, n.Multisite()),
		}
		switch {
		case !sitemap.Core(site):
		case b.plain:
			b.core = coreQueries
		default:
			b.core = corePaths
		}
		b.robotsNow = func() (ids []int64) {
			for _, other := range site.RobotsSites() {
				ids = append(ids, other.BlogID())
			}
			return ids
		}
		b.robots = b.robotsNow()
		opt := opt
		opt.Log = log.With("blog", site.BlogID())
		opt.Keep = true
		b.settings, b.written = site.SettingsFingerprint(), site.Written
		b.build = func(ctx context.Context, before catalog) (catalog, error) {
			opt := opt
			opt.Before, _ = before.(*sitemap.Catalog)
			c, err := sitemap.Build(ctx, site, opt)
			if err != nil {
				return nil, err // a nil *Catalog must not become a catalog
			}
			return c, nil
		}
		b.delta = func(ctx context.Context, from catalog, told sitemap.Told) (catalog, int, error) {
			c, ok := from.(*sitemap.Catalog)
			if !ok {
				return nil, 0, errDeclined
			}
			d, err := c.Delta(ctx, told)
			return d.Catalog, d.Touched, err
		}
		return b
	}
	read := func(ctx context.Context) ([]blog, []goneBlog, error) {
		rows, err := n.Blogs(ctx)
		if err != nil {
			return nil, nil, err
		}
		var gone []goneBlog
		for _, b := range rows {
			if !b.Live() {
				gone = append(gone, goneBlog{weburl.Host(b.Domain), strings.Trim(b.Path, "/")})
			}
		}
		sites, err := n.Sites(ctx)
		blogs := make([]blog, 0, len(sites))
		for _, site := range sites {
			blogs = append(blogs, of(site))
		}
		return blogs, gone, err
	}
	opened := &network{read: read, close: n.Close, db: n}
	if n.Multisite() {
		opened.walk = func(ctx context.Context, before *walk) (*walk, error) { return walkNetwork(ctx, n, before, of) }
	}
	return opened, nil
}

// walkNetwork begins a walk; of makes a blog of what is read of it.
func walkNetwork(ctx context.Context, n *wp.Network, before *walk, of func(*wp.Site) blog) (*walk, error) {
	var earlier *wp.Walk
	if before != nil {
		earlier = before.of
	}
	found, err := n.Walk(ctx, earlier)
	if err != nil {
		return nil, err
	}
	w := &walk{end: found.End, of: found}
	for _, b := range found.Gone {
		w.gone = append(w.gone, goneBlog{weburl.Host(b.Domain), strings.Trim(b.Path, "/")})
	}
	for _, b := range found.Live {
		home, hosts := found.Address(b)
		w.stubs = append(w.stubs, stub{
			blog: blog{id: b.ID, home: home, hosts: hosts, network: true}, done: found.Done(b),
			read: func(ctx context.Context) ([]blog, error) {
				sites, err := found.Read(ctx, b)
				var blogs []blog
				for _, site := range sites {
					blogs = append(blogs, of(site))
				}
				return blogs, err
			},
		})
	}
	return w, nil
}

// key tells the blogs of a network apart in the cache; a blog that moves is another one.
func (b *blog) key() string { return strconv.FormatInt(b.id, 10) + " " + b.home }
