package diff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
	"wpsitemapd/wp/weburl"
)

// A Run compares sites.
type Run struct {
	Live   *url.URL // the sitemap index to compare with; nil: each site's own index
	Levels []seo.Level
	Rate   float64 // requests a second
	Agent  string
	All    bool      // keep every difference, not just examples
	AsOf   time.Time // zero: now
	Err    io.Writer // for progress, and for what takes unexpectedly long
}

// ErrLive means that no blog of a site is at the address Run.Live.
var ErrLive = errors.New("below no home of the network's sites")

// Site compares the blogs of one site. The only errors are ErrLive and the error of ctx.
func (d *Run) Site(ctx context.Context, s *config.Site) (*SiteReport, error) {
	r := &SiteReport{Name: s.Name, Blogs: []*BlogReport{}}
	n, books, err := site.Blogs(ctx, s)
	if n == nil {
		r.Errors = []string{err.Error()}
		return r, ctx.Err()
	}
	defer n.Close()
	r.OK = err == nil
	if err != nil {
		r.Errors = strings.Split(err.Error(), "\n")
	}
	chosen := books
	if d.Live != nil && len(books) > 0 {
		if chosen, err = blogOf(books, d.Live); err != nil {
			return nil, err
		}
	}
	for _, book := range chosen {
		b := (&sitemaps{Run: d, ctx: ctx, site: s, network: n, books: books, book: book, blog: book.Blog}).report()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.OK = r.OK && b.OK
		r.Blogs = append(r.Blogs, b)
	}
	return r, nil
}

// blogOf returns the blog that an address belongs to: the only blog, or the blog with the longest home that
// matches. If no home matches, the address may belong to a copy of the network at another host. Then blogOf takes
// the path as a path at the host of the main blog, the first of the list.
func blogOf(books []*address.Book, at *url.URL) ([]*address.Book, error) {
	if len(books) == 1 {
		return books, nil
	}
	var homes []string
	for _, b := range books {
		homes = append(homes, b.Blog.Home())
	}
	main, _ := weburl.Split(homes[0])
	for _, host := range []string{at.Host, main} {
		var best *address.Book
		for _, b := range books {
			_, home, _ := strings.Cut(b.Blog.Home(), "://")
			if strings.HasPrefix(host+at.Path, home+"/") && (best == nil || len(b.Blog.Home()) > len(best.Blog.Home())) {
				best = b
			}
		}
		if best != nil {
			return []*address.Book{best}, nil
		}
	}
	return nil, fmt.Errorf("%s is %w: %s", at, ErrLive, strings.Join(homes, ", "))
}

// unserved is an error that says why a blog has no sitemaps.
type unserved string

func (why unserved) Error() string { return "wpsitemapd serves no sitemap here: " + string(why) }

// sitemaps is the comparison of one blog: what the site serves, and what explains the differences.
type sitemaps struct {
	*Run
	ctx     context.Context
	site    *config.Site
	network *wp.Network
	books   []*address.Book // all blogs of the site
	book    *address.Book
	blog    *wp.Blog
	served  *BlogReport // the report about what the site serves
	theirs  *Listing
	why     *why
}

// side is our sitemaps at one level.
type side struct {
	level   seo.Level
	catalog *sitemap.Catalog
	listing *Listing
	found   []Difference
}

// report compares the blog and returns its report.
func (x *sitemaps) report() *BlogReport {
	r := &BlogReport{ID: x.blog.BlogID(), Home: x.blog.Home(), Levels: []*LevelReport{}}
	x.served = r
	sides, err := x.compare(x.Levels)
	if none, ok := errors.AsType[unserved](err); ok {
		r.OK = true
		r.Notes = append(r.Notes, "there is nothing to compare: "+none.Error())
		return r
	}
	if err != nil {
		r.Error = err.Error()
		return r
	}
	for _, is := range x.blog.Installed() {
		if note := sitemap.VersionNote(is); note != "" { // what this release does not know about the plugin
			r.Notes = append(r.Notes, is.String()+": "+note)
		}
	}
	r.OK = len(r.Failed) == 0
	if choice := sitemap.ChoiceOf(r.Generator); x.why.Foreign && choice != "" {
		r.Notes = append(r.Notes, fmt.Sprintf("the site's sitemaps are those of %s. To follow its rules, set sitemaps = %s",
			r.Generator, config.Quote(choice)))
	}
	for _, level := range x.Levels {
		l := x.summarize(sides[level])
		r.OK = r.OK && l.Safe
		r.Levels = append(r.Levels, l)
	}
	return r
}

// compare reads the site's sitemaps, compares ours with them at the given levels, and explains the differences. It
// always compares level plugin: if the site does what level plugin does, a difference at level spec needs no attention.
func (x *sitemaps) compare(levels []seo.Level) (map[seo.Level]*side, error) {
	began := time.Now()
	plugin, err := x.ours(x.site, x.book, seo.PluginLevel, nil)
	if err != nil {
		return nil, err
	}
	// Rendering our pages has raised questions about single objects. Inquire asks the site these, too.
	books, changed, err := site.Inquire(x.ctx, x.network, x.books, x.Rate)
	if err != nil {
		return nil, err
	}
	if changed {
		x.book, x.blog = books[0], books[0].Blog
		if plugin, err = x.ours(x.site, x.book, seo.PluginLevel, nil); err != nil {
			return nil, err
		}
	}
	sides := map[seo.Level]*side{seo.PluginLevel: plugin}
	if slices.Contains(levels, seo.SpecLevel) {
		if sides[seo.SpecLevel], err = x.ours(x.site, x.book, seo.SpecLevel, plugin.listing); err != nil {
			return nil, err
		}
	}
	bare, err := x.bare(plugin.listing) // read before the site's sitemaps, so that a change meanwhile does not look like a difference
	if err != nil {
		return nil, err
	}
	x.theirs = newListing(plugin.listing)
	if err := x.crawl(x.target(plugin.catalog)); err != nil {
		return nil, err
	}
	if err := x.explainBy(plugin.catalog, began); err != nil {
		return nil, err
	}
	plugin.found = find(x.theirs, plugin.listing)
	if bare != nil {
		x.why.Unconfigured = marksOf(find(x.theirs, bare.listing))
	}
	x.explain(plugin)
	if err := x.date(plugin); err != nil {
		return nil, err
	}
	if spec := sides[seo.SpecLevel]; spec != nil {
		spec.found = find(x.theirs, spec.listing)
		x.why.AtPlugin = marksOf(slices.DeleteFunc(slices.Clone(plugin.found), func(d Difference) bool { return d.Cause == equalDates }))
		x.explain(spec)
	}
	return sides, nil
}

func (x *sitemaps) explain(s *side) {
	x.why.Explain = func(loc string) *explain.Explanation {
		found, err := s.catalog.Explain(x.ctx, loc)
		if err != nil {
			return nil // loc is no URL, or the database is gone
		}
		return found
	}
	x.why.Left = map[string]bool{}
	for _, t := range x.blog.Registry().Types() {
		x.why.Left[t.Name] = x.site.Upstream.URL() != nil && s.catalog.Undecided(s.catalog.Scheme.Name(seo.KindOf(t), t.Name))
	}
	x.why.explain(s.found)
}

// explainBy collects in x.why the facts that explain differences. read is when our data was read.
func (x *sitemaps) explainBy(ours *sitemap.Catalog, read time.Time) error {
	p, generator := ours.Whose.Plugin(), x.served.Generator
	x.why = &why{
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
	x.why.ScanOrder = p.ScanOrder && x.blog.Server() != "" && !x.blog.Server().Before("10") // only MariaDB has such versions; MySQL is below 10
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

// pastOf returns the rules that version v of a plugin follows and our sitemaps do not.
func pastOf(p *seo.Plugin, v release.Version) []seo.PastRule {
	return slices.DeleteFunc(slices.Clone(p.Past), func(r seo.PastRule) bool { return !v.Before(r.Until) })
}

// date finds the version of a plugin from what the site serves. It does nothing if the database shows the version,
// or if the rules of the newest version explain every difference. It chooses the version whose rules leave the
// fewest differences. Differences that Plugin.Past names do not count, because our sitemaps have them by the rules
// of every version.
func (x *sitemaps) date(plugin *side) error {
	p, why := plugin.catalog.Whose.Plugin(), x.why
	if why.Foreign || x.blog.Version(p.Name) != "" || unexplainedOf(plugin.found) == 0 {
		return nil
	}
	differing := func(found []Difference) int {
		return len(slices.DeleteFunc(slices.Clone(found), func(d Difference) bool { return ruleFor(p.Past, &d) != nil }))
	}
	fewest := differing(plugin.found)
	for _, v := range p.Eras {
		then, err := x.ours(x.site, x.book.For(x.blog.As(p.Name, v)), seo.PluginLevel, plugin.listing)
		if err != nil {
			return err
		}
		found := find(x.theirs, then.listing)
		if n := differing(found); n < fewest {
			fewest, why.Past, why.ByOlder = n, pastOf(p, v), marksOf(found)
			why.OlderCause = Cause{version, fmt.Sprintf("%s %s does so. The sitemaps of the site show this version; the database does not tell it",
				p.Name, string(v)), true}
		}
	}
	if why.ByOlder != nil {
		x.explain(plugin)
	}
	return nil
}

// unexplainedOf returns the number of unexplained differences.
func unexplainedOf(found []Difference) (n int) {
	for _, d := range found {
		if !d.Cause.Known {
			n++
		}
	}
	return n
}

// bare returns our sitemaps at level plugin as if the configuration added and removed nothing. It returns nil if the
// configuration does neither.
func (x *sitemaps) bare(like *Listing) (*side, error) {
	s := *x.site
	s.Exclude, s.News, s.Video, s.Images, s.Extra = seo.Exclude{Types: map[string]seo.TypeExclude{}}, seo.News{}, seo.Video{}, seo.Images{}, nil
	if reflect.DeepEqual(s, *x.site) {
		return nil, nil
	}
	return x.ours(&s, x.book, seo.PluginLevel, like)
}

// ours makes our sitemaps of a blog at a level, and parses them in the same way as the site's sitemaps. It leaves out sitemaps that
// another program makes. It logs nothing, because an entry that cannot be written shows as a difference. The error is unserved if
// the blog has no sitemaps. To save memory, the new listing shares equal data with the listing like, which may be nil.
func (x *sitemaps) ours(of *config.Site, book *address.Book, level seo.Level, like *Listing) (*side, error) {
	s := *of
	s.Compat = string(level)
	ours, err := site.Build(x.ctx, &s, book, site.Clock(x.AsOf), slog.New(slog.DiscardHandler), true)
	if err != nil {
		return nil, fmt.Errorf("level %s: %w", string(level), err)
	}
	if !ours.Active() {
		return nil, unserved(ours.Whose.Why())
	}
	l := newListing(like)
	for _, f := range ours.Files() {
		if f.Name == seo.IndexName || f.Elsewhere && strings.HasPrefix(f.Name, extra.Prefix) { // such a file comes from another program
			continue
		}
		l.addNamed(f.URL, live.DateOf(f.LastMod))
		if f.Elsewhere {
			continue
		}
		entries, err := live.EntriesOf(x.ctx, ours, f)
		if err != nil {
			return nil, err
		}
		l.add(f.URL, entries)
	}
	return &side{level: level, catalog: ours, listing: l}, nil
}
