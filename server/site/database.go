package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// How long reading may take.
const (
	ReadTimeout  = 2 * time.Minute  // the settings of every blog
	BuildTimeout = 10 * time.Minute // the catalog of one blog
)

// Database is the open database of a site.
type Database interface {
	// Walk reads the list of the blogs. It may return before, an earlier list or nil, where nothing has changed.
	Walk(ctx context.Context, before *Walk) (*Walk, error)
	// Network is the database itself, nil in tests.
	Network() *wp.Network
	Close() error
}

// Walk is the list of the blogs of a site.
type Walk struct {
	Network bool   // The site is a network. What is known of its stubs before they are read, is their address.
	Stubs   []Stub // in the order in which they are to be read
	Gone    []Gone

	found *wp.Walk // nil in tests
}

// Stub is a blog that is to be read. There is one more Facts than blogs for every language with a home of its own.
type Stub struct {
	Facts
	Read func(context.Context) ([]Facts, error)
}

// Read reads the settings of all blogs. Those that cannot be read are missing, and err says why.
func (w *Walk) Read(ctx context.Context) (blogs []Facts, err error) {
	var errs []error
	for _, s := range w.Stubs {
		of, err := s.Read(ctx)
		blogs, errs = append(blogs, of...), append(errs, err)
	}
	return blogs, errors.Join(errs...)
}

// SourceOf is a site in the terms of package wp.
func SourceOf(s *config.Site) wp.Source {
	return wp.Source{
		Name: s.Name, WPConfig: s.WPConfig, DSN: s.DSN.Reveal(), TablePrefix: s.TablePrefix,
		Home: string(s.Home), Environment: s.EnvironmentType, Overrides: s.Overrides, Env: s.Environment,
		Within: s.Within, Servers: s.DBHosts,
		Declared: sitemap.Declared, Ask: ask(s),
	}
}

// OptionsOf returns the options of package sitemap for a configured site. now and log may be nil.
func OptionsOf(s *config.Site, now func() time.Time, log *slog.Logger) seo.Options {
	extra := slices.Clone(s.Extra)
	for i := range extra {
		extra[i].Within = s.Within
	}
	return seo.Options{
		Sitemaps: s.Sitemaps, Compat: seo.Level(s.Compat), PageSize: s.PageSize, Stylesheet: s.Stylesheet, Hreflang: s.Hreflang,
		Text: s.Formats.Text, Atom: s.Formats.Atom, RSS: s.Formats.RSS, Hints: s.Hints,
		Exclude: s.Exclude, News: s.News, Video: s.Video, Images: s.Images, Extra: extra, Now: now, Log: log,
	}
}

// Blogs opens the database of a site for a command, and returns its blogs; err also says which could not be read. Where n is not nil
// the caller closes it.
func Blogs(ctx context.Context, s *config.Site, progress ...func(done, total int)) (n *wp.Network, blogs []*wp.Blog, err error) {
	if n, err = wp.Open(ctx, SourceOf(s)); err != nil {
		return nil, nil, err
	}
	blogs, err = n.ReadBlogs(ctx, progress...)
	return n, blogs, err
}

// Build reads the catalog of a blog for a command. now may be nil. allPages: every page of it will be rendered.
func Build(ctx context.Context, s *config.Site, blog *wp.Blog, now func() time.Time, log *slog.Logger, allPages bool) (*sitemap.Catalog, error) {
	opt := OptionsOf(s, now, log)
	opt.AllPages = allPages
	c, err := sitemap.Build(ctx, blog, opt)
	if err != nil {
		return nil, BlogError(s.Name, blog.BlogID(), err)
	}
	return c, nil
}

// BlogError names the blog that an error is about, unless the error does so itself.
func BlogError(site string, blog int64, err error) error {
	if name := fmt.Sprintf("site %s, blog %d: ", site, blog); !strings.HasPrefix(err.Error(), name) {
		return fmt.Errorf("%s%w", name, err)
	}
	return err
}

// database is the database of an install of WordPress.
type database struct {
	network *wp.Network
	opt     seo.Options
	log     *slog.Logger
}

// Open opens a site's database, which is its Source with what the daemon adds.
func Open(ctx context.Context, s *config.Site, source wp.Source, now func() time.Time, log *slog.Logger) (Database, error) {
	n, err := wp.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	return &database{n, OptionsOf(s, now, log), log}, nil
}

func (d *database) Network() *wp.Network { return d.network }
func (d *database) Close() error         { return d.network.Close() }

func (d *database) settings(blog *wp.Blog) Facts {
	whose, warnings := sitemap.WhoseOf(blog, d.opt.Sitemaps, d.opt.Compat), blog.Warnings()
	if text := whose.Warning(); text != "" {
		warnings = append(slices.Clone(warnings), text)
	}
	r := &reader{blog, d.opt}
	r.opt.Log, r.opt.Keep = d.log.With("blog", blog.BlogID()), true
	return Facts{
		ID:          blog.BlogID(),
		Home:        blog.Home(),
		Hosts:       blog.Hosts(),
		Network:     d.network.Multisite(),
		Plain:       blog.Settings().Permalinks.Structure == "",
		Plugin:      whose.Plugin(),
		Robots:      blog.RobotsBlogs(),
		Apart:       !blog.InNetwork(),
		RobotsText:  sitemap.Robots(blog, d.network.Multisite()),
		WebRoots:    blog.WebRoots(),
		Warnings:    warnings,
		Routed:      blog.Routed(),
		Fingerprint: blog.SettingsFingerprint(),
		Reader:      r,
	}
}

// reader is the Reader of a blog of an install of WordPress.
type reader struct {
	*wp.Blog
	opt seo.Options
}

func (r *reader) Build(ctx context.Context, before *Blog) (Catalog, error) {
	var old *sitemap.Catalog
	if before != nil {
		old = before.Read
	}
	c, err := sitemap.Rebuild(ctx, r.Blog, r.opt, old)
	if err != nil {
		return nil, err // a nil *sitemap.Catalog must not become a Catalog
	}
	return c, nil
}

func (r *reader) Delta(ctx context.Context, b *Blog, written rows.ChangeSet) (Catalog, int, error) {
	if b.Read == nil {
		return nil, 0, rows.ErrDeclined
	}
	d, err := b.Read.Delta(ctx, written)
	if err != nil {
		return nil, 0, err
	}
	return d.Catalog, d.Touched, nil
}

func (d *database) Walk(ctx context.Context, before *Walk) (*Walk, error) {
	var earlier *wp.Walk
	if before != nil {
		earlier = before.found
	}
	found, err := d.network.Walk(ctx, earlier)
	if err != nil {
		return nil, err
	}
	if before != nil && found == before.found {
		return before, nil
	}
	w := &Walk{Network: d.network.Multisite(), found: found}
	for _, b := range found.Gone {
		w.Gone = append(w.Gone, Gone{Host: weburl.Host(b.Domain), Path: strings.Trim(b.Path, "/")})
	}
	for _, b := range found.Live {
		s := Stub{Facts: Facts{ID: b.ID, Row: b}}
		if w.Network {
			s.Network = true
			s.Home, s.Hosts = found.Address(b)
		}
		s.Read = func(ctx context.Context) ([]Facts, error) {
			blogs, err := found.Read(ctx, b)
			all := make([]Facts, len(blogs))
			for i, blog := range blogs {
				all[i] = d.settings(blog)
				all[i].Row = b
			}
			return all, err
		}
		w.Stubs = append(w.Stubs, s)
	}
	return w, nil
}
