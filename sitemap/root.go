// Package sitemap makes the XML sitemaps of one WordPress blog: which there are, what stands on which page with which
// date, and the bytes of each. It knows no HTTP. Here stands the list of the plugins whose sitemaps it makes; each has
// a package of its own.
package sitemap

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// plugin is one whose sitemaps are made here, as it lays them out at one level.
type plugin struct {
	name      string
	urls      URLs
	settings  func(site *wp.Site, level Compat) Settings
	levels    map[Compat]level
	pageSize  int // 0: the operator's
	encodings map[Compat]urlset.Encoding
	zone      func(*wp.Site) *time.Location // of dates; nil: UTC
}

// level is how a plugin decides and lays out at a level.
type level struct {
	decisions *Decisions
	policy    *Policy
	providers []Provider // in the order of the index
}

// plugins are those whose sitemaps are made here.
var (
	yoastPlugin = plugin{
		name: "Yoast SEO",
		urls: yoastURLs{},
		settings: func(site *wp.Site, level Compat) Settings {
			return newYoastSettings(site, level)
		},
		levels: map[Compat]level{
			Spec:   {yoastSpec, &SpecPolicy, []Provider{PostTypes, Taxonomies, Authors, VideosEvery, NewsOfPosts}},
			Plugin: {yoastDecisions, &yoastPolicy, []Provider{PostTypes, Taxonomies, Authors, VideosStored, NewsOfIndexables}},
		},
		encodings: map[Compat]urlset.Encoding{Spec: urlset.Strict, Plugin: urlset.Plugin},
	}
	corePlugin = plugin{
		name:     "WordPress",
		urls:     coreURLs{},
		settings: func(site *wp.Site, _ Compat) Settings { return coreSettings{site} },
		levels: map[Compat]level{
			Spec:   {coreDecisions, &corePolicy, []Provider{CoreLists}},
			Plugin: {coreDecisions, &corePolicy, []Provider{CoreLists}},
		},
		pageSize:  corePageSize,
		encodings: map[Compat]urlset.Encoding{Spec: urlset.Core, Plugin: urlset.Core},
		zone:      func(site *wp.Site) *time.Location { return site.Settings().Core.Zone },
	}
)

// pluginOf returns the plugin whose sitemaps a blog has.
func pluginOf(site *wp.Site) *plugin {
	if Core(site) {
		return &corePlugin
	}
	return &yoastPlugin
}

// URLsOf returns the address scheme of a plugin by its name, as an Outline has it; of an unknown one Yoast's.
func URLsOf(name string) URLs {
	if name == corePlugin.name {
		return corePlugin.urls
	}
	return yoastPlugin.urls
}

// Root is everything a blog publishes, at one moment.
type Root struct {
	*Catalog
	plugin     *plugin
	level      level
	kept       *Kept
	maker      *Maker // the plugin whose sitemaps stand in the place of ours; nil: none
	side       uint64
	thumbnails *wp.Thumbnails
	library    *wp.Library
}

// Build reads a blog's catalog. Its memory is 56 bytes an entry while it runs, and after that where it
// is to take deltas; else 16.
func Build(ctx context.Context, site *wp.Site, opt Options) (*Root, error) {
	return Rebuild(ctx, site, opt, nil)
}

// Rebuild is Build in the place of a catalog, which takes no more deltas; nil: there was none.
func Rebuild(ctx context.Context, site *wp.Site, opt Options, before *Root) (*Root, error) {
	if opt.PageSize <= 0 {
		opt.PageSize = DefaultPageSize
	}
	if opt.PageSize > urlset.MaxEntries {
		return nil, fmt.Errorf("page size %d: the protocol allows %d addresses a file", opt.PageSize, urlset.MaxEntries)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	c := pluginOf(site).catalog(site, opt)
	if y := &site.Settings().Yoast; !y.Active || !y.Sitemaps {
		var err error
		if c.maker, err = makerOf(ctx, site); err != nil {
			return nil, err
		}
	}
	c.Own(c.names())
	if !c.Active() {
		return c, nil
	}
	b := newBuild(c.Catalog, newReader(c.Rules, c.watched(), c.termOrder()), c.level.policy)
	if err := c.read(ctx, b, before); err != nil {
		return nil, err
	}
	return c, c.compose(ctx, b)
}

// catalog returns a catalog of the plugin without rows.
func (p *plugin) catalog(site *wp.Site, opt Options) *Root {
	if p.pageSize > 0 {
		opt.PageSize = p.pageSize
	}
	if opt.Compat == "" {
		opt.Compat = Plugin
	}
	l := p.levels[opt.Compat]
	settings := p.settings(site, opt.Compat)
	dress := Dress{Encoding: p.encodings[opt.Compat]}
	if p.zone != nil {
		dress.Zone = p.zone(site)
	}
	rules := NewRules(site, opt, settings, l.decisions)
	return &Root{Catalog: NewCatalog(rules, p.name, p.urls, dress, settings.On()), plugin: p, level: l}
}

// read reads the rows of a catalog.
func (c *Root) read(ctx context.Context, b *build, before *Root) error {
	if c.plugin == &corePlugin {
		return nil
	}
	var kept *Kept
	if before != nil {
		kept = before.kept
	}
	if err := b.readAll(ctx, kept); err != nil {
		return err
	}
	return b.readTaxonomies(ctx)
}

// compose makes the lists of the rows. What a delta has not touched costs it little.
func (c *Root) compose(ctx context.Context, b *build) error {
	for _, provider := range c.level.providers {
		if err := provider.Lists(ctx, b); err != nil {
			return err
		}
	}
	c.side, c.thumbnails, c.library = b.side, b.thumbnails, b.library
	c.kept = b.finish(c.takesDeltas())
	return nil
}

// names are the sitemaps beside those of types and users.
func (c *Root) names() map[string]bool {
	names := map[string]bool{}
	for _, provider := range c.level.providers {
		if provider.Names != nil {
			maps.Copy(names, provider.Names(c.Rules))
		}
	}
	return names
}

// watched are the post types whose recent posts are noted.
func (c *Root) watched() []string {
	var types []string
	for _, provider := range c.level.providers {
		if provider.Watched != nil {
			types = append(types, provider.Watched(c.Rules)...)
		}
	}
	return types
}

// termOrder reports whether terms stay in the order in which they were read.
func (c *Root) termOrder() bool { return c.level.policy.terms.order == nil }

// takesDeltas reports whether a catalog is made only of what deltas look at.
func (c *Root) takesDeltas() bool {
	for _, provider := range c.level.providers {
		if provider.Deltas != nil && !provider.Deltas(c.Rules) {
			return false
		}
	}
	return c.site.Languages() == nil
}

// Delta is what one did.
type Delta struct {
	Catalog *Root
	Touched int // posts and terms that were looked at; where it is 0 nothing was found
}

// Delta brings the catalog up to date with what it finds, and what the hints say. It returns ErrDeclined
// where that takes a full read, and leaves the catalog itself as it is.
func (c *Root) Delta(ctx context.Context, hints DeltaHints) (Delta, error) {
	rows, touched, err := update(ctx, c.Rules, c.kept, hints, c.watched(), c.termOrder())
	if err != nil {
		return Delta{}, err
	}
	next := &Root{Catalog: c.Successor(), plugin: c.plugin, level: c.level, maker: c.maker}
	b := newBuild(next.Catalog, rows, c.level.policy)
	b.before, b.thumbnails, b.library, b.side = c.Catalog, c.thumbnails, c.library, c.side
	if err := next.compose(ctx, b); err != nil {
		return Delta{}, err
	}
	return Delta{next, touched}, nil
}

// Side is a number for what the catalog is not made of but its pages may be, as far as a full read
// looks at it: the attachments that are not listed, whose files are images of posts. Only with Keep.
func (c *Root) Side() uint64 { return c.side }

// Due returns the next moment at which a scheduled post is to be published: WordPress will
// change its row then, or later. Zero is never.
func (c *Root) Due() (unix int64, ok bool) { return c.kept.start().nextScheduled() }

// Explain tells what an address leads to and why that stands in the sitemaps or does not. Where the rows do not tell who
// shows an image, the pages are made and searched.
func (c *Root) Explain(ctx context.Context, address string) (*Explanation, error) {
	return c.ExplainIn(ctx, address, c.rendered)
}

// rendered makes a page anew.
func (c *Root) rendered(ctx context.Context, f File) ([]byte, error) {
	doc, err := c.Render(ctx, f.Name, f.Page)
	if err != nil {
		return nil, err
	}
	return doc.Body, nil
}

// ExplainIn is Explain that searches pages as they are handed out.
func (c *Root) ExplainIn(ctx context.Context, address string, pages Pages) (*Explanation, error) {
	return Address(ctx, c.Catalog, c.absence(), address, pages)
}

// ExplainSitemap tells what is known of a sitemap, by the name and page under which Render
// knows it, and whether the index names it.
func (c *Root) ExplainSitemap(name string, page int) *Explanation {
	return Sitemap(c.Catalog, c.absence(), name, page)
}

// Compare is that of the catalog with a ledger.
func (c *Root) Compare(ctx context.Context, known *Ledger, limit int) (*Ledger, News, error) {
	return Compare(ctx, c.Catalog, known, limit)
}
