// Package sitemap makes the XML sitemaps of one WordPress blog: which there are, what is on which page with which
// date, and the bytes of each. It knows no HTTP. Here is the list of the plugins whose sitemaps it makes; each has
// a package of its own.
package sitemap

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"wpsitemapd/sitemap/aioseo"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/extra"
	"wpsitemapd/sitemap/news"
	"wpsitemapd/sitemap/others"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rankmath"
	"wpsitemapd/sitemap/redirects"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/seopress"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/video"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	yoastnews "wpsitemapd/sitemap/yoast/news"
	yoastvideo "wpsitemapd/sitemap/yoast/video"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/formatting"
)

// plugin is one whose sitemaps are made here.
type plugin struct {
	is     *seo.Plugin
	key    string // in the configuration
	levels map[seo.Level]level
}

// level is a plugin at a level, with its lists in the order of the index.
type level struct {
	plugin    provider.Plugin
	providers []provider.Provider
}

// usual are the lists of most plugins, in the order of the index.
var usual = []provider.Provider{postTypes, taxonomies, authors, googleVideos, googleNews}

// The providers that plugins share. Those of videos and news are for plugins without add-ons.
var (
	postTypes    = provider.Lister(provider.PostTypes)
	taxonomies   = provider.Lister(provider.Taxonomies)
	authors      = provider.Lister(provider.Authors)
	googleVideos = video.Provider{AddOn: video.NoAddOn{}}
	googleNews   = news.Provider{AddOn: news.NoAddOn{}}
)

// both are the levels of a plugin with the usual lists.
func both(spec, own provider.Plugin) map[seo.Level]level {
	return map[seo.Level]level{seo.SpecLevel: {spec, usual}, seo.PluginLevel: {own, usual}}
}

// plugins are those whose sitemaps are made here. Where several are active, the first of them answers.
var plugins = []*plugin{
	&aioseoPlugin, &rankMathPlugin, &yoastPlugin, &seopressPlugin, &corePlugin,
}

var (
	rankMathPlugin = plugin{
		is: &rankmath.Plugin, key: "rankmath",
		levels: both(rankmath.SpecLevel{}, rankmath.PluginLevel{}),
	}
	yoastPlugin = plugin{
		is: &yoast.Plugin, key: "yoast",
		levels: map[seo.Level]level{
			seo.SpecLevel: {yoast.SpecLevel{}, []provider.Provider{postTypes, taxonomies, authors, yoastvideo.Every, yoastnews.OfPosts}},
			seo.PluginLevel: {yoast.PluginLevel{}, []provider.Provider{
				postTypes, taxonomies, authors, yoastvideo.Stored, yoastvideo.Every, yoastnews.OfIndexables, yoastnews.OfPosts,
			}},
		},
	}
	seopressPlugin = plugin{
		is: &seopress.Plugin, key: "seopress",
		levels: both(seopress.SpecLevel{}, seopress.PluginLevel{}),
	}
	aioseoPlugin = plugin{
		is: &aioseo.Plugin, key: "aioseo",
		levels: map[seo.Level]level{
			seo.SpecLevel: {aioseo.SpecLevel{}, []provider.Provider{
				postTypes, aioseo.Extra{}, provider.Lister(aioseo.Archives), taxonomies, authors, provider.Lister(aioseo.Dates),
				provider.Lister(aioseo.Attributes), googleVideos, googleNews,
			}},
			seo.PluginLevel: {aioseo.PluginLevel{}, []provider.Provider{
				aioseo.Extra{}, postTypes, provider.Lister(aioseo.Archives), aioseo.Terms{}, provider.Lister(aioseo.Authors),
				provider.Lister(aioseo.Dates), provider.Lister(aioseo.Attributes), provider.Lister(aioseo.Enabled), googleVideos, googleNews,
			}},
		},
	}
	corePlugin = plugin{
		is: &wpcore.Plugin, key: "core",
		levels: both(wpcore.SpecLevel{}, wpcore.PluginLevel{}),
	}
)

// Declared is what is read of the database: for WordPress, for all plugins whose settings shape sitemaps, and for redirect
// managers. It is in the Source of every database.
var Declared = wp.Declare(slices.Concat(yoast.Inputs, yoastnews.Inputs, yoastvideo.Inputs, rankmath.Inputs, aioseo.Inputs,
	seopress.Inputs, others.Inputs(), redirects.Inputs())...)

// Plugins are those whose sitemaps are made here, and DefaultPlugin stands in for them while it is not known which.
var (
	Plugins       = pluginsOf(plugins)
	DefaultPlugin = fallback.is
)

func pluginsOf(all []*plugin) []*seo.Plugin {
	var of []*seo.Plugin
	for _, p := range all {
		of = append(of, p.is)
	}
	return of
}

// fallback is whose addresses are known where nobody's sitemaps are served.
var fallback = &yoastPlugin

// ChoiceOf returns the value of the key sitemaps that chooses the plugin of a name, "" for an unknown plugin.
func ChoiceOf(name string) string {
	for _, p := range plugins {
		if p.is.Name == name {
			return p.key
		}
	}
	return ""
}

// PluginNamed returns the plugin of a name, nil for none.
func PluginNamed(name string) *seo.Plugin {
	for _, p := range Plugins {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Catalog is everything a blog publishes, at one moment.
type Catalog struct {
	*catalog.Catalog
	Whose *Whose
	level level
	kept  *rows.Kept

	unreadTerms error // why what is stored of terms may not be read; nil: it may
}

// Build reads a blog's catalog. Its memory is 56 bytes an entry while it runs, and after that where it
// is to take deltas; else 16.
func Build(ctx context.Context, blog *wp.Blog, opt seo.Options) (*Catalog, error) {
	return Rebuild(ctx, blog, opt, nil)
}

// Rebuild is Build in the place of a catalog, which takes no more deltas; nil: there was none.
func Rebuild(ctx context.Context, blog *wp.Blog, opt seo.Options, before *Catalog) (*Catalog, error) {
	if opt.PageSize > urlset.MaxEntries {
		return nil, fmt.Errorf("page size %d: the protocol allows %d addresses a file", opt.PageSize, urlset.MaxEntries)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.Log = cmp.Or(opt.Log, slog.Default())
	opt.Compat = cmp.Or(opt.Compat, seo.PluginLevel)
	c := WhoseOf(blog, opt.Sitemaps, opt.Compat).catalog(blog, opt)
	c.Own(c.names())
	if !c.Active() {
		return c, nil
	}
	if err := c.LoadExcluded(ctx); err != nil {
		return nil, err
	}
	if err := c.Settings.Load(ctx); db.Unreadable(err) {
		if db.Denied(err) {
			c.unreadTerms = err
		}
		opt.Log.Warn("what is stored of terms is not known", "home", blog.Home(), "plugin", c.Plugin(), "reason", err,
			"hint", "wpsitemapd grants prints what the account needs")
	} else if err != nil {
		return nil, err
	}
	b := provider.New(c.Catalog, rows.NewReader(c.Rules, c.watched()), c.level.plugin)
	var kept *rows.Kept
	if before != nil {
		kept = before.kept
	}
	if err := b.ReadAll(ctx, kept); err != nil {
		return nil, err
	}
	if broken := c.Settings.Faults().Broken; broken > 0 {
		opt.Log.Warn("what is stored of some posts and terms cannot be read, and says nothing, as in WordPress",
			"home", blog.Home(), "plugin", c.Plugin(), "objects", broken)
	}
	return c, c.compose(ctx, b)
}

// catalog returns a catalog without rows.
func (w *Whose) catalog(blog *wp.Blog, opt seo.Options) *Catalog {
	p := w.plugin
	l := p.levels[opt.Compat]
	opt.PageSize = min(l.plugin.PageSize(blog, opt.PageSize), urlset.MaxEntries)
	if !opt.RSS {
		opt.OwnRSS = l.plugin.OwnRSS(blog)
		opt.RSS = opt.OwnRSS > 0
	}
	var checks []seo.Check
	for _, provider := range l.providers {
		checks = append(checks, provider.Checks()...)
	}
	rules := seo.NewRules(blog, opt, l.plugin.Settings(blog), l.plugin, checks...)
	rules.Plugin, rules.Absent = p.key, map[string]*seo.Reason{}
	for _, provider := range l.providers {
		maps.Copy(rules.Absent, provider.Absent(rules))
	}
	dress := catalog.Dress{Encoding: l.plugin.Encoding(), IndexHome: l.plugin.IndexHome(rules)}
	if l.plugin.Local() {
		dress.Zone = blog.Settings().Core.Zone
	}
	urls := p.is.Addresses(l.plugin.Presence(blog).Index)
	return &Catalog{Catalog: catalog.New(rules, p.is.Name, urls, dress, w.on), Whose: w, level: l}
}

// compose makes the lists of the rows. What a delta has not touched costs it little.
func (c *Catalog) compose(ctx context.Context, b *provider.Build) error {
	for _, provider := range c.providers() {
		if err := provider.Lists(ctx, b); err != nil {
			return err
		}
	}
	c.withhold()
	c.kept = b.Finish(c.takesDeltas())
	return nil
}

// withhold keeps back the lists of objects of which the plugin has stored what may not be read: it may say noindex of any. A
// table that is not there says nothing.
func (c *Catalog) withhold() {
	posts := c.Settings.Faults().Posts
	for _, l := range c.Lists {
		switch {
		case posts != nil && (l.Kind == seo.KindPost || l.Repeats()):
			l.Withheld = posts
		case c.unreadTerms != nil && (l.Kind == seo.KindTerm || len(l.TermsOf) > 0):
			l.Withheld = c.unreadTerms
		}
	}
}

// providers returns the providers of the level, and the one of the sitemaps that the operator adds.
func (c *Catalog) providers() []provider.Provider {
	return append(slices.Clip(c.level.providers), extra.Provider{})
}

// names returns the names of the sitemaps that are not of a type or of users.
func (c *Catalog) names() map[string]bool {
	names := map[string]bool{}
	for _, provider := range c.providers() {
		maps.Copy(names, provider.Names(c.Rules))
	}
	return names
}

// watched returns the post types whose recent posts are noted.
func (c *Catalog) watched() []string {
	var types []string
	for _, provider := range c.providers() {
		types = append(types, provider.Watched(c.Rules)...)
	}
	return types
}

// takesDeltas reports whether a catalog is made only of what deltas look at.
func (c *Catalog) takesDeltas() bool {
	for _, provider := range c.providers() {
		if !provider.Deltas(c.Rules) {
			return false
		}
	}
	return c.Blog.Languages().None()
}

// Updated is a catalog that a delta has made.
type Updated struct {
	Catalog *Catalog
	Touched int // posts that were looked at; where it is 0 nothing was found
}

// Delta brings the catalog up to date with what was written. It returns ErrDeclined where that takes a full scan, and
// leaves the catalog itself as it is.
func (c *Catalog) Delta(ctx context.Context, written rows.ChangeSet) (Updated, error) {
	rows, touched, err := rows.Update(ctx, c.Rules, c.kept, written, c.watched())
	if err != nil {
		return Updated{}, err
	}
	next := &Catalog{Catalog: c.Successor(), Whose: c.Whose, level: c.level, unreadTerms: c.unreadTerms}
	b := provider.New(next.Catalog, rows, c.level.plugin)
	b.Before = c.Catalog
	if err := next.compose(ctx, b); err != nil {
		return Updated{}, err
	}
	return Updated{next, touched}, nil
}

// Due returns the next moment at which a scheduled post is to be published: WordPress will
// change its row then, or later. Zero is never.
func (c *Catalog) Due() (unix int64, ok bool) { return c.kept.Start().NextScheduled() }

// Explain says what an address leads to and why that is in the sitemaps or not. For an image or a video the pages are made
// and searched.
func (c *Catalog) Explain(ctx context.Context, address string) (*explain.Explanation, error) {
	return c.ExplainIn(ctx, address, c.rendered)
}

// rendered makes a page anew.
func (c *Catalog) rendered(ctx context.Context, f catalog.File) ([]byte, error) {
	doc, err := c.Render(ctx, f.Name, f.Page)
	if err != nil {
		return nil, err
	}
	return doc.Body, nil
}

// ExplainIn is Explain that searches pages as they are handed out.
func (c *Catalog) ExplainIn(ctx context.Context, address string, pages explain.Pages) (*explain.Explanation, error) {
	return explain.Address(ctx, c.Catalog, c.Whose.why, address, pages)
}

// ExplainSitemap says what is known of a sitemap, by the name and page under which Render
// knows it, and whether the index names it.
func (c *Catalog) ExplainSitemap(name string, page int) *explain.Explanation {
	return explain.Sitemap(c.Catalog, c.Whose.why, name, page)
}

// EachLeftOut reads a blog and calls fn for everything that is left out by a rule, or by any where that is "", with address,
// title and what to do. Beside the catalog it takes 48 bytes for each object that is left out.
func EachLeftOut(ctx context.Context, blog *wp.Blog, opt seo.Options, rule string, fn func(explain.LeftOut) error) error {
	var left []seo.Left
	opt.Keep = false
	opt.Leaves = func(l seo.Left) {
		if rule == "" || l.Verdict.String() == rule {
			left = append(left, l)
		}
	}
	c, err := Build(ctx, blog, opt)
	if err != nil || !c.Active() {
		return err
	}
	return explain.EachLeftOut(ctx, c.Catalog, left, func(l explain.LeftOut) error {
		if rule != "" && l.Rule != rule {
			return nil
		}
		return fn(l)
	})
}

// Outline is what can be told of the catalog when its database is out of reach.
func (c *Catalog) Outline() catalog.Outline {
	o := c.Catalog.Outline()
	o.Chosen, o.Why = c.Whose.Chosen(), c.Whose.Why()
	if c.Whose.why.Rule == ruleOthers && !c.Active() {
		o.Rival = c.Whose.others[0].Name
	}
	o.Title = formatting.PlainText(c.Blog.Settings().Title)
	return o
}

// FromPlugin reports whether sitemaps of a plugin are served, and not WordPress' own.
func (c *Catalog) FromPlugin() bool { return c.Active() && c.Whose.plugin != &corePlugin }
