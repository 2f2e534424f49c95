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
	"wpsitemapd/server/live"
	"wpsitemapd/server/metrics"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
)

// How long readings may take.
const (
	ReadTimeout  = 2 * time.Minute  // the settings of every blog
	BuildTimeout = 10 * time.Minute // the catalog of one blog
)

// SourceOf returns a configured site in the form that package wp needs.
func SourceOf(s *config.Site) wp.Source {
	return wp.Source{
		Name: s.Name, WPConfig: s.WPConfig, DSN: s.DSN.Reveal(), TablePrefix: s.TablePrefix,
		Home: string(s.Home), Environment: s.EnvironmentType, Overrides: s.Overrides, Env: s.Environment,
		Within: s.Within, Servers: s.DBHosts,
		Declared: sitemap.Declared, Ask: ask(s),
	}
}

// Clock returns a clock that stands at a moment. For the zero time it returns the real clock.
func Clock(asOf time.Time) func() time.Time {
	if asOf.IsZero() {
		return time.Now
	}
	return func() time.Time { return asOf }
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

// Blogs opens the database of a site for a command, and returns its blogs with their addresses. err also says which blogs could not be read.
// If n is not nil, the caller must close it.
func Blogs(ctx context.Context, s *config.Site, progress ...func(done, total int)) (n *wp.Network, books []*address.Book, err error) {
	if n, err = wp.Open(ctx, SourceOf(s)); err != nil {
		return nil, nil, err
	}
	books, err = address.ReadAll(ctx, n, progress...)
	return n, books, err
}

// Build reads the catalog of a blog for a command. now may be nil. allPages means that every page will be rendered.
func Build(ctx context.Context, s *config.Site, book *address.Book, now func() time.Time, log *slog.Logger, allPages bool) (*sitemap.Catalog, error) {
	opt := OptionsOf(s, now, log)
	opt.AllPages = allPages
	c, err := sitemap.Build(ctx, book, opt)
	if err != nil {
		return nil, BlogError(s.Name, book.Blog.BlogID(), err)
	}
	return c, nil
}

// BlogError adds the names of the site and the blog to an error, unless the error begins with them.
func BlogError(site string, blog int64, err error) error {
	if name := fmt.Sprintf("site %s, blog %d: ", site, blog); !strings.HasPrefix(err.Error(), name) {
		return fmt.Errorf("%s%w", name, err)
	}
	return err
}

// Options returns the options for the catalog of a blog that deltas will update.
func (s *Site) Options(blog int64, now func() time.Time) seo.Options {
	opt := OptionsOf(&s.Config, now, s.Log.With("blog", blog))
	opt.Keep = true
	return opt
}

// ReadBlog reads the settings of a blog. It returns one more blog for every language that has its own home.
func (s *Site) ReadBlog(ctx context.Context, list *wp.Walk, row wp.BlogRow) ([]*Blog, error) {
	read, err := address.Read(ctx, list, row)
	blogs := make([]*Blog, len(read))
	for i, book := range read {
		b := book.Blog
		whose, warnings := sitemap.WhoseOf(b, s.Config.Sitemaps, seo.Level(s.Config.Compat)), b.Warnings()
		if text := whose.Warning(); text != "" {
			warnings = append(slices.Clone(warnings), text)
		}
		blogs[i] = Unread(Blog{
			ID:          b.BlogID(),
			Home:        b.Home(),
			Hosts:       b.Hosts(),
			Network:     list.Multisite(),
			Plain:       b.Settings().Permalinks.Structure == "",
			Robots:      b.RobotsBlogs(),
			Apart:       !b.InNetwork(),
			RobotsText:  sitemap.Robots(b, list.Multisite()),
			WebRoots:    b.WebRoots(),
			Routed:      book.Routed(),
			Plugin:      whose.Plugin(),
			Row:         row,
			Warnings:    warnings,
			Fingerprint: book.SettingsFingerprint(),
			Book:        book,
		}, nil)
	}
	return blogs, err
}

// ReadBlogs reads the settings of all blogs of a list. It leaves out blogs that cannot be read; err says why.
func (s *Site) ReadBlogs(ctx context.Context, list *wp.Walk) (blogs []*Blog, err error) {
	var failed []error
	for _, row := range list.Live {
		of, err := s.ReadBlog(ctx, list, row)
		blogs, failed = append(blogs, of...), append(failed, err)
	}
	return blogs, errors.Join(failed...)
}

// Inquire asks the upstream of a site at which URLs it answers, as the daemon does in the background. It sends at most rate
// requests a second. It returns the blogs, read again with the answers. changed reports whether the answers change URLs, or
// change which types are left to the site.
//
// A network, or a site whose languages have homes of their own, is not asked. Inquire then returns books unchanged.
func Inquire(ctx context.Context, n *wp.Network, books []*address.Book, rate float64) (again []*address.Book, changed bool, err error) {
	if len(books) != 1 || !books[0].Inquires(time.Now()) {
		return books, false, nil
	}
	answers, changed, err := books[0].Inquire(ctx, time.Now(), time.Duration(float64(time.Second)/rate))
	if err != nil {
		return books, false, err
	}
	n.RouteAs(func(int64) string { return answers.Into(books[0].Routed()) })
	again, err = address.ReadAll(ctx, n)
	return again, changed, err
}

// askTimeout is how long the upstream may take for an answer that no visitor waits for.
const askTimeout = 5 * time.Second

// ask returns a function that requests a public URL from the upstream of a site. It returns nil if the site has no upstream.
func ask(s *config.Site) func(ctx context.Context, address string) (wp.Response, error) {
	if s.Upstream.URL() == nil {
		return nil
	}
	return func(ctx context.Context, address string) (wp.Response, error) {
		a, err := live.Ask(ctx, s, address, "wpsitemapd/"+metrics.CurrentBuild().Version, askTimeout)
		if err != nil {
			return wp.Response{}, err
		}
		return wp.Response{Status: a.Status, Elsewhere: live.Elsewhere(address, a)}, nil
	}
}
