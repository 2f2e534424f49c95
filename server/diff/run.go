package diff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/extra"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/release"
)

// A Run compares sites.
type Run struct {
	Live   *url.URL // nil: each site's own index
	Folder string   // what export has written of a site, which is compared in place of what it serves; "": nothing
	Levels []seo.Level
	Rate   float64 // requests a second
	Agent  string
	All    bool             // every difference is kept, and not only examples
	Now    func() time.Time // nil: the clock
	Err    io.Writer        // gets what takes unexpectedly long, and progress
}

// ErrLive says that no blog of a site is at the address Live.
var ErrLive = errors.New("below the home of none of the network's sites")

// Site compares the blogs of one site. An error is ErrLive, or the end of ctx.
func (d *Run) Site(ctx context.Context, s *config.Site) (*SiteReport, error) {
	r := &SiteReport{Name: s.Name, Blogs: []*BlogReport{}}
	n, blogs, err := site.Blogs(ctx, s)
	if n == nil {
		r.Errors = []string{err.Error()}
		return r, ctx.Err()
	}
	defer n.Close()
	r.OK = err == nil
	if err != nil {
		r.Errors = strings.Split(err.Error(), "\n")
	}
	if d.Live != nil && len(blogs) > 0 {
		if blogs, err = blogOf(blogs, d.Live); err != nil {
			return nil, err
		}
	}
	for _, blog := range blogs {
		b := d.blog(ctx, s, blog)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.OK = r.OK && b.OK
		r.Blogs = append(r.Blogs, b)
	}
	return r, nil
}

// blogOf chooses the blog of an address: the only one, or that with the longest home before it.
func blogOf(blogs []*wp.Blog, at *url.URL) ([]*wp.Blog, error) {
	if len(blogs) == 1 {
		return blogs, nil
	}
	var best *wp.Blog
	var homes []string
	for _, b := range blogs {
		homes = append(homes, b.Home())
		_, home, _ := strings.Cut(b.Home(), "://")
		if strings.HasPrefix(at.Host+at.Path, home+"/") && (best == nil || len(b.Home()) > len(best.Home())) {
			best = b
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s is %w: %s", at, ErrLive, strings.Join(homes, ", "))
	}
	return []*wp.Blog{best}, nil
}

// side is the side of a level. What export has written is compared with one level, as which no other explains what has changed.
func (d *Run) side(level seo.Level) Side {
	if level == seo.SpecLevel && d.Folder == "" {
		return Spec
	}
	return Plugin
}

// toRead returns the levels that are read to compare some: level plugin shows what is known about level spec.
func (d *Run) toRead(levels []seo.Level) []seo.Level {
	if d.Folder == "" && slices.Contains(levels, seo.SpecLevel) {
		return []seo.Level{seo.PluginLevel, seo.SpecLevel}
	}
	return levels
}

// unserved says why a blog has no sitemaps.
type unserved string

func (why unserved) Error() string { return "no sitemap is served here: " + string(why) }

// blog compares one blog.
func (d *Run) blog(ctx context.Context, s *config.Site, blog *wp.Blog) *BlogReport {
	r := &BlogReport{ID: blog.BlogID(), Home: blog.Home(), Levels: []*LevelReport{}}
	c := NewComparison()
	catalogs, why, err := d.read(ctx, s, blog, d.Levels, c, r)
	if none, ok := errors.AsType[unserved](err); ok {
		r.OK = true
		r.Notes = append(r.Notes, "there is nothing to compare, since "+none.Error())
		return r
	}
	if err == nil {
		for _, is := range blog.Installed() {
			if note := sitemap.VersionNote(is); note != "" { // what this release does not know of it
				r.Notes = append(r.Notes, is.String()+": "+note)
			}
		}
		err = d.date(ctx, s, blog, catalogs[Plugin].Whose.Plugin(), c, why)
	}
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.OK = len(r.Failed) == 0
	examples := maxExamples
	if d.All {
		examples = math.MaxInt
	}
	for _, level := range d.Levels {
		l := summarize(level, d.side(level), c, why, len(r.Failed), r.Sitemaps, examples)
		r.OK = r.OK && l.Safe
		r.Levels = append(r.Levels, l)
	}
	return r
}

// read reads the sitemaps of a blog into a comparison: ours at some levels and, unless they are in it already, those that are served
// now. r tells of the latter. An error is unserved where there are none of ours.
func (d *Run) read(
	ctx context.Context, s *config.Site, blog *wp.Blog, levels []seo.Level, c *Comparison, r *BlogReport,
) (map[Side]*sitemap.Catalog, *Why, error) {
	began, catalogs := time.Now(), map[Side]*sitemap.Catalog{}
	for _, level := range d.toRead(levels) {
		catalog, err := d.catalog(ctx, *s, blog, level)
		if err != nil {
			return nil, nil, err
		}
		if !catalog.Active() {
			return nil, nil, unserved(catalog.Whose.Why())
		}
		catalogs[d.side(level)] = catalog
		if err := addOurs(ctx, c, d.side(level), catalog); err != nil {
			return nil, nil, err
		}
	}
	if r.Live == "" {
		t := d.target(s, blog, catalogs[Plugin])
		r.Live = t.start
		if err := d.crawl(ctx, s, t, c, r); err != nil {
			return nil, nil, err
		}
	}
	return catalogs, d.why(ctx, s, blog, catalogs, r.Generator, began), nil
}

// why returns what explains differences between a blog and the sitemaps that a generator makes of it. read is when ours was read.
func (d *Run) why(ctx context.Context, s *config.Site, blog *wp.Blog, catalogs map[Side]*sitemap.Catalog, generator string, read time.Time) *Why {
	p := catalogs[Plugin].Whose.Plugin()
	why := &Why{
		PageSize: s.PageSize, Before: d.Folder != "", Foreign: generator != "" && generator != p.Name && d.Folder == "",
		Past: pastOf(p, blog.Version(p.Name)), Copies: p.Copies,
		Excluded: func(name string) bool { return blog.TypeExcluded(name) || blog.TaxonomyExcluded(name) },
		Added: func(name string) bool {
			return slices.ContainsFunc(s.Extra, func(e seo.Extra) bool { return name == extra.Prefix+e.Name })
		},
	}
	if d.Now == nil {
		why.Read = read
	}
	why.Explain = func(side Side, loc string) *explain.Explanation {
		x, err := catalogs[side].Explain(ctx, loc)
		if err != nil {
			return nil // not a URL, or a database that is gone
		}
		return x
	}
	return why
}

// pastOf are the rules of a version that ours are not.
func pastOf(p *seo.Plugin, v release.Version) []seo.PastRule {
	return slices.DeleteFunc(slices.Clone(p.Past), func(r seo.PastRule) bool { return !v.Before(r.Until) })
}

// date tells the version of a plugin by what the site serves, where the database does not: of those whose rules differ it is the
// one that leaves the least unexplained, if the newest leaves any.
func (d *Run) date(ctx context.Context, s *config.Site, blog *wp.Blog, p *seo.Plugin, c *Comparison, why *Why) error {
	if why.Foreign || why.Before || blog.Version(p.Name) != "" {
		return nil
	}
	open := func() (n int) {
		for _, d := range c.Find(Plugin, why) {
			if !d.Cause.Known {
				n++
			}
		}
		return n
	}
	as := func(v release.Version) error {
		c.Forget(Then)
		catalog, err := d.catalog(ctx, *s, blog.As(p.Name, v), seo.PluginLevel)
		if err != nil {
			return err
		}
		why.Past = pastOf(p, v)
		why.Then = &Cause{version, fmt.Sprintf("%s %s does so, as its sitemaps show: the database does not tell the version", p.Name, string(v)), true}
		return addOurs(ctx, c, Then, catalog)
	}
	newest, best := open(), release.Version("")
	least := newest
	for _, v := range p.Eras {
		if least == 0 {
			break
		}
		if err := as(v); err != nil {
			return err
		}
		n := open()
		if why.Past = nil; n < least && open() < newest { // rules that are not followed prove nothing alone
			least, best = n, v
		}
	}
	if best != "" {
		return as(best)
	}
	c.Forget(Then)
	why.Past, why.Then = nil, nil
	return nil
}

// catalog reads a blog at a level. What of it cannot be written is a difference, and not logged.
func (d *Run) catalog(ctx context.Context, s config.Site, blog *wp.Blog, level seo.Level) (*sitemap.Catalog, error) {
	s.Compat = string(level)
	c, err := site.Build(ctx, &s, blog, d.Now, slog.New(slog.DiscardHandler), true)
	if err != nil {
		return nil, fmt.Errorf("level %s: %w", string(level), err)
	}
	return c, nil
}

// addOurs renders every sitemap of a level and reads it as theirs are read.
func addOurs(ctx context.Context, c *Comparison, side Side, ours *sitemap.Catalog) error {
	for _, f := range ours.Files() {
		if f.Name == seo.IndexName || f.Elsewhere && strings.HasPrefix(f.Name, extra.Prefix) { // the latter is another program's
			continue
		}
		c.Name(side, f.URL, live.DateOf(f.LastMod))
		if f.Elsewhere {
			continue
		}
		entries, err := live.EntriesOf(ctx, ours, f)
		if err != nil {
			return err
		}
		c.Add(side, f.URL, entries)
	}
	return nil
}
