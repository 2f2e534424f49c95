package server

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"

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
	read func(ctx context.Context) (blogs []site.Settings, gone []site.Gone, err error)
	// walk, which may be nil, reads blogs one at a time. before is a walk that was interrupted, or nil.
	walk  func(ctx context.Context, before *walk) (*walk, error)
	close func() error
	db    *wp.Network           // to look for changes; nil in tests
	feed  *changes.Subscription // nil where nobody tells of writes
}

// walk is a reading of a network, blog by blog.
type walk struct {
	stubs []stub // in the order in which they are to be read
	gone  []site.Gone
	end   func() // gives the blogs what depends on others
	of    *wp.Walk
}

// stub is a blog of which it is known where it stands.
type stub struct {
	site.Settings
	done bool // in a walk that was interrupted
	read func(context.Context) ([]site.Settings, error)
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
func OptionsOf(s *config.Site, now func() time.Time, log *slog.Logger) (seo.Options, error) {
	compat, err := seo.LevelByName(s.Compat)
	if err != nil {
		return seo.Options{}, err
	}
	opt := seo.Options{Compat: compat, PageSize: s.PageSize, Stylesheet: s.Stylesheet, Hreflang: s.Hreflang, Now: now, Log: log}
	opt.Text, opt.Atom, opt.Hints = s.Formats.Text, s.Formats.Atom, s.Hints
	opt.Exclude = seo.Exclude{PostIDs: s.Exclude.PostIDs, TermIDs: s.Exclude.TermIDs, UserIDs: s.Exclude.UserIDs}
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
	of := func(wpBlog *wp.Site) site.Settings {
		b := site.Settings{
			ID: wpBlog.BlogID(), Home: wpBlog.Home(), Hosts: wpBlog.Hosts(), Warnings: wpBlog.Warnings(),
			Network: n.Multisite(), Plain: wpBlog.Settings().Permalinks.Structure == "", RobotsText: sitemap.Robots(wpBlog, n.Multisite()),
		}
		switch {
		case !wpcore.Serves(wpBlog):
		case b.Plain:
			b.Core = site.CoreQueries
		default:
			b.Core = site.CorePaths
		}
		b.RobotsNow = func() (ids []int64) {
			for _, other := range wpBlog.RobotsSites() {
				ids = append(ids, other.BlogID())
			}
			return ids
		}
		b.Robots = b.RobotsNow()
		opt := opt
		opt.Log = log.With("blog", wpBlog.BlogID())
		opt.Keep = true
		b.Fingerprint, b.Written = wpBlog.SettingsFingerprint(), wpBlog.Written
		b.Build = func(ctx context.Context, before site.Catalog) (site.Catalog, error) {
			old, _ := before.(*sitemap.Catalog)
			c, err := sitemap.Rebuild(ctx, wpBlog, opt, old)
			if err != nil {
				return nil, err // a nil *Catalog must not become a catalog
			}
			return c, nil
		}
		b.Delta = func(ctx context.Context, from site.Catalog, told rows.Hints) (site.Catalog, int, error) {
			c, ok := from.(*sitemap.Catalog)
			if !ok {
				return nil, 0, errDeclined
			}
			d, err := c.Delta(ctx, told)
			return d.Catalog, d.Touched, err
		}
		return b
	}
	read := func(ctx context.Context) ([]site.Settings, []site.Gone, error) {
		rows, err := n.Blogs(ctx)
		if err != nil {
			return nil, nil, err
		}
		var gone []site.Gone
		for _, b := range rows {
			if !b.Live() {
				gone = append(gone, site.Gone{Host: weburl.Host(b.Domain), Path: strings.Trim(b.Path, "/")})
			}
		}
		sites, err := n.Sites(ctx)
		blogs := make([]site.Settings, 0, len(sites))
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
func walkNetwork(ctx context.Context, n *wp.Network, before *walk, of func(*wp.Site) site.Settings) (*walk, error) {
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
		w.gone = append(w.gone, site.Gone{Host: weburl.Host(b.Domain), Path: strings.Trim(b.Path, "/")})
	}
	for _, b := range found.Live {
		home, hosts := found.Address(b)
		w.stubs = append(w.stubs, stub{
			Settings: site.Settings{ID: b.ID, Home: home, Hosts: hosts, Network: true}, done: found.Done(b),
			read: func(ctx context.Context) ([]site.Settings, error) {
				sites, err := found.Read(ctx, b)
				var blogs []site.Settings
				for _, site := range sites {
					blogs = append(blogs, of(site))
				}
				return blogs, err
			},
		})
	}
	return w, nil
}
