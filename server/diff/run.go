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
	"wpsitemapd/wp/registry"
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

// sitemaps are those of one blog side by side: ours at some levels, and what the site serves.
type sitemaps struct {
	*Run
	ctx      context.Context
	site     *config.Site
	blog     *wp.Blog
	c        *Comparison
	served   *BlogReport // of what the site serves
	catalogs map[Side]*sitemap.Catalog
	why      *Why
}

// blog compares one blog.
func (d *Run) blog(ctx context.Context, s *config.Site, blog *wp.Blog) *BlogReport {
	r := &BlogReport{ID: blog.BlogID(), Home: blog.Home(), Levels: []*LevelReport{}}
	x := &sitemaps{Run: d, ctx: ctx, site: s, blog: blog, c: NewComparison(), served: r}
	err := x.read(d.Levels)
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
		err = x.date()
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
		l := summarize(level, d.side(level), x.c, x.why, len(r.Failed), r.Sitemaps, examples)
		r.OK = r.OK && l.Safe
		r.Levels = append(r.Levels, l)
	}
	return r
}

// read reads the sitemaps: ours at some levels and, unless they are read already, those that are served now.
func (x *sitemaps) read(levels []seo.Level) error {
	began := time.Now()
	x.catalogs = map[Side]*sitemap.Catalog{}
	for _, level := range x.toRead(levels) {
		if err := x.addOurs(x.side(level), x.blog, level); err != nil {
			return err
		}
	}
	if x.served.Live == "" {
		t := x.target()
		x.served.Live = t.start
		if err := x.crawl(t); err != nil {
			return err
		}
	}
	x.explainBy(began)
	return nil
}

// explainBy sets what explains differences. read is when ours was read.
func (x *sitemaps) explainBy(read time.Time) {
	p, generator := x.catalogs[Plugin].Whose.Plugin(), x.served.Generator
	x.why = &Why{
		PageSize: x.site.PageSize, Before: x.Folder != "", Foreign: generator != "" && generator != p.Name && x.Folder == "",
		Past: pastOf(p, x.blog.Version(p.Name)), Copies: p.Copies,
		Excluded: func(name string) bool {
			return x.blog.Excludes(&registry.Type{Name: name}) || x.blog.Excludes(&registry.Type{Name: name, Taxonomy: true})
		},
		Added: func(name string) bool {
			return slices.ContainsFunc(x.site.Extra, func(e seo.Extra) bool { return name == extra.Prefix+e.Name })
		},
		Explain: func(side Side, loc string) *explain.Explanation {
			found, err := x.catalogs[side].Explain(x.ctx, loc)
			if err != nil {
				return nil // not a URL, or a database that is gone
			}
			return found
		},
	}
	if x.Now == nil {
		x.why.Read = read
	}
}

// pastOf are the rules of a version that ours are not.
func pastOf(p *seo.Plugin, v release.Version) []seo.PastRule {
	return slices.DeleteFunc(slices.Clone(p.Past), func(r seo.PastRule) bool { return !v.Before(r.Until) })
}

// date tells the version of a plugin by what the site serves, where the database does not: of those whose rules differ it is the
// one that leaves the least unexplained, if the newest leaves any.
func (x *sitemaps) date() error {
	p, why := x.catalogs[Plugin].Whose.Plugin(), x.why
	if why.Foreign || why.Before || x.blog.Version(p.Name) != "" {
		return nil
	}
	open := func() (n int) {
		for _, d := range x.c.Find(Plugin, why) {
			if !d.Cause.Known {
				n++
			}
		}
		return n
	}
	as := func(v release.Version) error {
		x.c.Forget(Then)
		why.Past = pastOf(p, v)
		why.Then = &Cause{version, fmt.Sprintf("%s %s does so, as its sitemaps show: the database does not tell the version", p.Name, string(v)), true}
		return x.addOurs(Then, x.blog.As(p.Name, v), seo.PluginLevel)
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
	x.c.Forget(Then)
	why.Past, why.Then = nil, nil
	return nil
}

// addOurs reads a blog at a level, renders its sitemaps and reads them as theirs are read. What cannot be written of them is a difference,
// and not logged. An error is unserved where there are none.
func (x *sitemaps) addOurs(side Side, blog *wp.Blog, level seo.Level) error {
	s := *x.site
	s.Compat = string(level)
	ours, err := site.Build(x.ctx, &s, blog, x.Now, slog.New(slog.DiscardHandler), true)
	if err != nil {
		return fmt.Errorf("level %s: %w", string(level), err)
	}
	if !ours.Active() {
		return unserved(ours.Whose.Why())
	}
	x.catalogs[side] = ours
	for _, f := range ours.Files() {
		if f.Name == seo.IndexName || f.Elsewhere && strings.HasPrefix(f.Name, extra.Prefix) { // the latter is another program's
			continue
		}
		x.c.Name(side, f.URL, live.DateOf(f.LastMod))
		if f.Elsewhere {
			continue
		}
		entries, err := live.EntriesOf(x.ctx, ours, f)
		if err != nil {
			return err
		}
		x.c.Add(side, f.URL, entries)
	}
	return nil
}
