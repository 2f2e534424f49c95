// Package sitemap makes the XML sitemaps of one WordPress blog. It knows nothing about HTTP. It holds
// the table of plugins whose sitemaps it makes; each plugin has a package of its own.
package sitemap

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/extra"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/formatting"
)

// A Catalog holds all sitemaps of a blog at one moment, and whose sitemaps they are.
type Catalog struct {
	*catalog.Catalog
	Whose *Whose
	level level
	kept  *rows.Kept

	unreadTerms error // why stored settings of terms may not be read; nil if they may
}

// Build reads a blog and returns its catalog. Building takes 56 bytes of memory for each entry. A catalog that takes no
// deltas keeps only 16 bytes for each entry.
func Build(ctx context.Context, book *address.Book, opt seo.Options) (*Catalog, error) {
	return build(ctx, book, opt, nil, nil)
}

// Rebuild builds a catalog that replaces an earlier catalog of the blog; earlier may be nil. If opt.Keep is set, the earlier catalog
// takes no deltas as soon as the reading has begun, even if Rebuild returns an error.
func Rebuild(ctx context.Context, book *address.Book, opt seo.Options, earlier *Catalog) (*Catalog, error) {
	return build(ctx, book, opt, earlier, nil)
}

// build does the work of Rebuild. If left is not nil, build appends every object that is left out to *left.
func build(ctx context.Context, book *address.Book, opt seo.Options, before *Catalog, left *[]seo.Left) (*Catalog, error) {
	if opt.PageSize > urlset.MaxEntries {
		return nil, fmt.Errorf("page size %d: the protocol allows %d addresses a file", opt.PageSize, urlset.MaxEntries)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.Log = cmp.Or(opt.Log, slog.Default())
	opt.Compat = cmp.Or(opt.Compat, seo.PluginLevel)
	blog := book.Blog
	c := WhoseOf(blog, opt.Sitemaps, opt.Compat).catalog(book, opt)
	c.Own(c.names())
	if !c.Active() {
		return c, nil
	}
	if err := c.Rules.LoadExcluded(ctx); err != nil {
		return nil, err
	}
	if err := c.Rules.Settings.Load(ctx); db.Unreadable(err) {
		if db.Denied(err) {
			c.unreadTerms = err
		}
		opt.Log.Warn("the settings that the plugin stores for terms cannot be read", "home", blog.Home(), "plugin", c.Plugin(), "reason", err,
			"hint", "wpsitemapd grants prints what the account needs")
	} else if err != nil {
		return nil, err
	}
	b := provider.New(c.Catalog, rows.NewReader(c.Rules, c.watched()), c.level.plugin)
	b.Left = left
	var kept *rows.Kept
	if before != nil {
		kept = before.kept
	}
	if err := b.ReadAll(ctx, kept); err != nil {
		return nil, err
	}
	if broken := c.Rules.Settings.Faults().Broken; broken > 0 {
		opt.Log.Warn("the plugin's settings of some posts and terms are damaged, and are ignored as in WordPress",
			"home", blog.Home(), "plugin", c.Plugin(), "objects", broken,
			"hint", "wpsitemapd explain shows the damaged value of a post or term; save that post or term again in WordPress")
	}
	return c, c.compose(ctx, b)
}

// catalog returns a catalog without rows and lists.
func (w *Whose) catalog(book *address.Book, opt seo.Options) *Catalog {
	blog := book.Blog
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
	rules := seo.NewRules(book, opt, l.plugin.Settings(blog), l.plugin, checks...)
	rules.Plugin, rules.Absent = p.key, map[string]*seo.Reason{}
	for _, provider := range l.providers {
		maps.Copy(rules.Absent, provider.Absent(rules))
	}
	dress := catalog.Dress{Encoding: l.plugin.Encoding(), IndexHome: l.plugin.IndexHome(rules)}
	if l.plugin.Local() {
		dress.Zone = blog.Settings().Core.Zone
	}
	urls := p.facts.Addresses(l.plugin.Presence(blog).Index)
	return &Catalog{Catalog: catalog.New(rules, p.facts.Name, urls, dress, w.on), Whose: w, level: l}
}

// compose makes the lists from the rows. A list that a delta did not change costs little.
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

// withhold sets Withheld on each list whose objects have stored settings that the database account may
// not read, because such a setting may be noindex. A missing table does not withhold a list.
func (c *Catalog) withhold() {
	posts := c.Rules.Settings.Faults().Posts
	for _, l := range c.Lists {
		switch {
		case posts != nil && (l.Kind == seo.KindPost || l.Repeats()):
			l.Withheld = posts
		case c.unreadTerms != nil && (l.Kind == seo.KindTerm || len(l.TermsOf) > 0):
			l.Withheld = c.unreadTerms
		}
	}
}

// providers returns the providers of the level, followed by the provider of [[site.extra]].
func (c *Catalog) providers() []provider.Provider {
	return append(slices.Clip(c.level.providers), extra.Provider{})
}

// names returns the names of the sitemaps that the providers add beside the sitemaps of types and authors. The value is
// true if the daemon answers for the sitemap, and false if the site itself does.
func (c *Catalog) names() map[string]bool {
	names := map[string]bool{}
	for _, provider := range c.providers() {
		maps.Copy(names, provider.Names(c.Rules))
	}
	return names
}

// watched returns the post types whose recent posts go into rows.Rows.Recent.
func (c *Catalog) watched() []string {
	var types []string
	for _, provider := range c.providers() {
		types = append(types, provider.Watched(c.Rules)...)
	}
	return types
}

// takesDeltas reports whether deltas can update every list of the catalog.
func (c *Catalog) takesDeltas() bool {
	for _, provider := range c.providers() {
		if !provider.Deltas(c.Rules) {
			return false
		}
	}
	return c.Rules.Blog.Languages().None()
}

// Delta returns a new catalog that includes all changes since c was made; c itself does not change. written names the tables
// that were written, without prefix; it is empty if nobody knows them. touched is the number of posts that the delta read; 0
// means that nothing changed. Delta returns rows.ErrDeclined if a full scan is necessary.
func (c *Catalog) Delta(ctx context.Context, written []string) (next *Catalog, touched int, err error) {
	rows, touched, err := rows.Update(ctx, c.Rules, c.kept, written, c.watched())
	if err != nil {
		return nil, 0, err
	}
	next = &Catalog{Catalog: c.Successor(), Whose: c.Whose, level: c.level, unreadTerms: c.unreadTerms}
	b := provider.New(next.Catalog, rows, c.level.plugin)
	b.Before = c.Catalog
	if err := next.compose(ctx, b); err != nil {
		return nil, 0, err
	}
	return next, touched, nil
}

// DatesUnread reports whether the last delta did not read the index of dates, see rows.Rows.DatesUnread. A delta with unknown tables
// reads it.
func (c *Catalog) DatesUnread() bool {
	kept := c.kept.Start()
	return kept != nil && kept.DatesUnread
}

// Due returns when the next scheduled post becomes due, in Unix seconds. WordPress publishes the post
// at that time or later. ok is false if no post is scheduled.
func (c *Catalog) Due() (unix int64, ok bool) { return c.kept.Start().NextScheduled() }

// Outline returns the outline of the catalog, including whose sitemaps they are.
func (c *Catalog) Outline() catalog.Outline {
	o := c.Catalog.Outline()
	o.Chosen, o.Why = c.Whose.chosen && c.Whose.on, c.Whose.Why()
	if c.Whose.why.Rule == ruleOthers && !c.Active() {
		o.Rival = c.Whose.others[0].Name
	}
	o.Title = formatting.PlainText(c.Rules.Blog.Settings().Title)
	return o
}

// FromPlugin reports whether the sitemaps of a plugin are served, rather than those of WordPress.
func (c *Catalog) FromPlugin() bool { return c.Active() && c.Whose.plugin != &corePlugin }
