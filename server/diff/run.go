package diff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/url"
	"reflect"
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
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
	"wpsitemapd/wp/weburl"
)

// A Run compares sites.
type Run struct {
	Live   *url.URL // nil: each site's own index
	Levels []seo.Level
	Rate   float64 // requests a second
	Agent  string
	All    bool      // every difference is kept, and not only examples
	AsOf   time.Time // zero: now
	Err    io.Writer // gets what takes unexpectedly long, and progress
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

// blogOf chooses the blog of an address: the only one, or that with the longest home before it. If no blog has that host the address is
// of a copy of the network, whose main blog comes first: then the paths below the host of the main blog decide.
func blogOf(blogs []*wp.Blog, at *url.URL) ([]*wp.Blog, error) {
	if len(blogs) == 1 {
		return blogs, nil
	}
	var homes []string
	for _, b := range blogs {
		homes = append(homes, b.Home())
	}
	main, _ := weburl.Split(homes[0])
	for _, host := range []string{at.Host, main} {
		var best *wp.Blog
		for _, b := range blogs {
			_, home, _ := strings.Cut(b.Home(), "://")
			if strings.HasPrefix(host+at.Path, home+"/") && (best == nil || len(b.Home()) > len(best.Home())) {
				best = b
			}
		}
		if best != nil {
			return []*wp.Blog{best}, nil
		}
	}
	return nil, fmt.Errorf("%s is %w: %s", at, ErrLive, strings.Join(homes, ", "))
}

// unserved says why a blog has no sitemaps.
type unserved string

func (why unserved) Error() string { return "no sitemap is served here: " + string(why) }

// sitemaps are those of one blog: what the site serves, and what explains ours.
type sitemaps struct {
	*Run
	ctx    context.Context
	site   *config.Site
	blog   *wp.Blog
	served *BlogReport // of what the site serves
	theirs *Listing
	why    *Why
}

// side is ours at a level.
type side struct {
	level   seo.Level
	catalog *sitemap.Catalog
	listing *Listing
	found   []Difference
}

// blog compares one blog.
func (d *Run) blog(ctx context.Context, s *config.Site, blog *wp.Blog) *BlogReport {
	r := &BlogReport{ID: blog.BlogID(), Home: blog.Home(), Levels: []*LevelReport{}}
	x := &sitemaps{Run: d, ctx: ctx, site: s, blog: blog, served: r}
	sides, err := x.compare(d.Levels)
	if none, ok := errors.AsType[unserved](err); ok {
		r.OK = true
		r.Notes = append(r.Notes, "there is nothing to compare, since "+none.Error())
		return r
	}
	if err != nil {
		r.Error = err.Error()
		return r
	}
	for _, is := range blog.Installed() {
		if note := sitemap.VersionNote(is); note != "" { // what this release does not know of it
			r.Notes = append(r.Notes, is.String()+": "+note)
		}
	}
	r.OK = len(r.Failed) == 0
	if choice := sitemap.ChoiceOf(r.Generator); x.why.Foreign && choice != "" {
		r.Notes = append(r.Notes, fmt.Sprintf("the site's sitemaps are those of %s: sitemaps = %s follows its rules", r.Generator, config.Quote(choice)))
	}
	examples := maxExamples
	if d.All {
		examples = math.MaxInt
	}
	for _, level := range d.Levels {
		l := summarize(sides[level], x.theirs, len(r.Failed), r.Sitemaps, examples)
		r.OK = r.OK && l.Safe
		r.Levels = append(r.Levels, l)
	}
	return r
}

// compare reads what is served, compares ours at some levels with that, and explains what differs. It always compares level plugin:
// at level spec a difference is known if the site agrees with level plugin.
func (x *sitemaps) compare(levels []seo.Level) (map[seo.Level]*side, error) {
	began := time.Now()
	plugin, err := x.ours(x.site, x.blog, seo.PluginLevel, nil)
	if err != nil {
		return nil, err
	}
	sides := map[seo.Level]*side{seo.PluginLevel: plugin}
	if slices.Contains(levels, seo.SpecLevel) {
		if sides[seo.SpecLevel], err = x.ours(x.site, x.blog, seo.SpecLevel, plugin.listing); err != nil {
			return nil, err
		}
	}
	bare, err := x.bare(plugin.listing) // before theirs, so that what changes meanwhile is no difference to it
	if err != nil {
		return nil, err
	}
	x.theirs = NewListing(plugin.listing)
	if err := x.crawl(x.target(plugin.catalog)); err != nil {
		return nil, err
	}
	if err := x.explainBy(plugin.catalog, began); err != nil {
		return nil, err
	}
	plugin.found = Find(x.theirs, plugin.listing)
	if bare != nil {
		x.why.Bare = marksOf(Find(x.theirs, bare.listing))
	}
	x.explain(plugin)
	if err := x.date(plugin); err != nil {
		return nil, err
	}
	if spec := sides[seo.SpecLevel]; spec != nil {
		spec.found = Find(x.theirs, spec.listing)
		x.why.Plugin = marksOf(plugin.found)
		x.explain(spec)
	}
	return sides, nil
}

// explain explains what differs from a side.
func (x *sitemaps) explain(s *side) {
	x.why.Explain = func(loc string) *explain.Explanation {
		found, err := s.catalog.Explain(x.ctx, loc)
		if err != nil {
			return nil // not a URL, or a database that is gone
		}
		return found
	}
	x.why.explain(s.found)
}

// explainBy sets what explains differences. read is when ours was read.
func (x *sitemaps) explainBy(ours *sitemap.Catalog, read time.Time) error {
	p, generator := ours.Whose.Plugin(), x.served.Generator
	x.why = &Why{
		Theirs: x.theirs, PageSize: x.site.PageSize, Foreign: generator != "" && generator != p.Name, Copies: p.Copies,
		Past: pastOf(p, x.blog.Version(p.Name)), MistakenIDs: map[string]bool{}, Shared: map[string]bool{},
		Excluded: func(name string) bool {
			return x.blog.Excludes(&registry.Type{Name: name}) || x.blog.Excludes(&registry.Type{Name: name, Taxonomy: true})
		},
	}
	if x.AsOf.IsZero() {
		x.why.Read = read
	}
	if x.why.Foreign {
		return nil
	}
	x.why.ScanOrder = p.ScanOrder && x.blog.Server() != "" && !x.blog.Server().Before("10") // MySQL is not that far
	x.why.Undated = p == &wpcore.Plugin && x.blog.WordPress().Before("6.5")
	shared, err := objects.SharedTerms(x.ctx, x.blog)
	if err != nil {
		return err
	}
	for _, term := range shared {
		x.why.Shared[fmt.Sprintf("%s %d", term.Taxonomy, term.ID)] = true
	}
	for _, t := range x.blog.Registry().Taxonomies {
		if !p.ByTermID {
			break
		}
		meets, err := objects.MeetsTaxonomyIDs(x.ctx, x.blog, t.Name)
		if err != nil {
			return err
		}
		if meets {
			x.why.MistakenIDs[t.Name] = true
		}
	}
	return nil
}

// pastOf are the rules of a version that ours are not.
func pastOf(p *seo.Plugin, v release.Version) []seo.PastRule {
	return slices.DeleteFunc(slices.Clone(p.Past), func(r seo.PastRule) bool { return !v.Before(r.Until) })
}

// date tells the version of a plugin by what the site serves if the database does not tell it. Of the versions with rules of their own it
// is the one that leaves the least unexplained, if the newest leaves anything.
func (x *sitemaps) date(plugin *side) error {
	p, why := plugin.catalog.Whose.Plugin(), x.why
	if why.Foreign || x.blog.Version(p.Name) != "" || len(p.Eras) == 0 {
		return nil
	}
	as := func(v release.Version) error {
		then, err := x.ours(x.site, x.blog.As(p.Name, v), seo.PluginLevel, plugin.listing)
		if err != nil {
			return err
		}
		why.Past, why.Older = pastOf(p, v), marksOf(Find(x.theirs, then.listing))
		why.OlderCause = Cause{version, fmt.Sprintf("%s %s does so, as its sitemaps show: the database does not tell the version", p.Name, string(v)), true}
		return nil
	}
	open := func() int {
		x.explain(plugin)
		return unexplainedOf(plugin.found)
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
		if why.Past = nil; n < least && open() < newest { // rules that we do not follow prove nothing alone
			least, best = n, v
		}
	}
	why.Past, why.Older = nil, nil
	if best != "" {
		if err := as(best); err != nil {
			return err
		}
	}
	x.explain(plugin)
	return nil
}

// unexplainedOf counts the differences that nothing explains.
func unexplainedOf(found []Difference) (n int) {
	for _, d := range found {
		if !d.Cause.Known {
			n++
		}
	}
	return n
}

// bare returns level plugin without what the configuration adds and removes; nil if that is nothing.
func (x *sitemaps) bare(like *Listing) (*side, error) {
	s := *x.site
	s.Exclude, s.News, s.Video, s.Images, s.Extra = seo.Exclude{Types: map[string]seo.TypeExclude{}}, seo.News{}, seo.Video{}, seo.Images{}, nil
	if reflect.DeepEqual(s, *x.site) {
		return nil, nil
	}
	return x.ours(&s, x.blog, seo.PluginLevel, like)
}

// ours reads a blog at a level, renders its sitemaps and reads them as theirs are read. What cannot be written of them is a difference,
// and not logged. An error is unserved where there are none. like is a side that was read before, or nil.
func (x *sitemaps) ours(of *config.Site, blog *wp.Blog, level seo.Level, like *Listing) (*side, error) {
	s := *of
	s.Compat = string(level)
	ours, err := site.Build(x.ctx, &s, blog, site.Clock(x.AsOf), slog.New(slog.DiscardHandler), true)
	if err != nil {
		return nil, fmt.Errorf("level %s: %w", string(level), err)
	}
	if !ours.Active() {
		return nil, unserved(ours.Whose.Why())
	}
	l := NewListing(like)
	for _, f := range ours.Files() {
		if f.Name == seo.IndexName || f.Elsewhere && strings.HasPrefix(f.Name, extra.Prefix) { // the latter is another program's
			continue
		}
		l.Name(f.URL, live.DateOf(f.LastMod))
		if f.Elsewhere {
			continue
		}
		entries, err := live.EntriesOf(x.ctx, ours, f)
		if err != nil {
			return nil, err
		}
		l.Add(f.URL, entries)
	}
	return &side{level: level, catalog: ours, listing: l}, nil
}
