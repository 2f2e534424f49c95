package seopress

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// SpecLevel holds the decisions and the policy of level spec on a site with SEOPress.
type SpecLevel struct {
	seo.SpecDecisions
	provider.SpecPolicy
}

func (SpecLevel) Presence(blog *wp.Blog) seo.Presence       { return presence(blog) }
func (SpecLevel) Settings(blog *wp.Blog) seo.PluginSettings { return newSettings(blog, seo.SpecLevel) }

func (SpecLevel) Checks() []seo.Check {
	all := own
	all.Last = []seo.Check{seo.HiddenProductCheck}
	return seo.SpecChecks(all)
}

// WithoutParts implements seo.Decisions. If the module of titles is on, the first part of a post is
// the canonical address of all parts.
func (SpecLevel) WithoutParts(r *seo.Rules) bool { return r.Settings.(*settings).speaks }

func (SpecLevel) EmptyIndex(*seo.Rules) bool { return true }
func (SpecLevel) Unattached() bool           { return true }

// PluginLevel holds the decisions and the policy of level plugin: exactly what SEOPress 9 emits. It
// ignores the site's privacy setting and the parents of attachments. The front page and the posts page
// are ordinary pages.
//
// Its queries leave out protected posts and hidden products. It checks noindex and canonical addresses
// only after the query, so pages can be short.
type PluginLevel struct {
	seo.PluginDecisions
	provider.PluginPolicy
}

func (PluginLevel) Presence(blog *wp.Blog) seo.Presence { return presence(blog) }
func (PluginLevel) Settings(blog *wp.Blog) seo.PluginSettings {
	return newSettings(blog, seo.PluginLevel)
}

func (PluginLevel) Checks() []seo.Check {
	return []seo.Check{
		seo.NotPublishedCheck, seo.ProtectedCheck, seo.NotAMemberCheck, seo.HiddenProductCheck, seo.ExcludedCheck,
		seo.ArchiveCheck, own.Noindex,
		own.Canonical.When(func(c *seo.Rules, o *seo.Object) bool {
			s := c.Settings.(*settings)
			if s.before("8.7.0.2") {
				return o.Differs()
			}
			return o.Flags.Canonical != "" && o.Link != "" && o.Flags.Canonical != s.printed(o)
		}),
	}
}

func (PluginLevel) Protected(set, null bool) bool                   { return set || null }
func (PluginLevel) AttachmentOpen(_ *seo.Rules, status string) bool { return status == "inherit" }
func (PluginLevel) Filled(*wp.Settings, string, string) bool        { return false }
func (PluginLevel) FirstLink(*wp.Settings, int64) bool              { return false }
func (PluginLevel) InRobots(r *seo.Rules) bool                      { return !r.Settings.(*settings).before("7.7") }
func (PluginLevel) EmptyIndex(*seo.Rules) bool                      { return true }
func (PluginLevel) EveryLanguage() bool                             { return true }
func (PluginLevel) UndatedTerms() bool                              { return true }

func (PluginLevel) TermInUse(r *seo.Rules, taxonomy string, listed bool, _ int64) bool {
	t := r.Blog.Registry().Taxonomy(taxonomy)
	return (listed || r.Settings.(*settings).before("7.4")) && t != nil && t.Public
}

func (PluginLevel) PostTypes(r *seo.Rules) []*registry.PostType {
	return shown(r, r.Settings.(*settings).types, false, r.Blog.Registry().PostTypes)
}

func (PluginLevel) Taxonomies(r *seo.Rules) []*registry.Taxonomy {
	return shown(r, r.Settings.(*settings).taxonomies, true, r.Blog.Registry().Taxonomies)
}

// Date implements seo.Decisions. It returns the later of the local dates of publication and change.
func (PluginLevel) Date(r *seo.Rules, d wp.Dates) int64 {
	return instant(r.Blog, max(d.Published, d.Changed))
}

func (PluginLevel) TakesPlace(_ *seo.Rules, _ seo.ObjectKind, v seo.Verdict) bool {
	return v.Late() && v != seo.HiddenProduct
}

func (PluginLevel) Past() catalog.PastEnd      { return catalog.PastEvery }
func (PluginLevel) PostsPast() catalog.PastEnd { return catalog.PastEvery }
func (PluginLevel) Bare(k seo.ObjectKind) bool { return k == seo.KindTerm || k == seo.KindUser }
func (PluginLevel) Local() bool                { return true }
func (PluginLevel) Encoding() urlset.Encoding  { return urlset.Core }
func (PluginLevel) AuthorsAPage() int          { return urlset.MaxEntries }

// OrderPosts implements provider.Policy. The post that changed last is first.
func (PluginLevel) OrderPosts(all []rows.Post, indexes []int32) {
	slices.SortStableFunc(indexes, func(x, y int32) int { return cmp.Compare(all[y].Modified.Unix(), all[x].Modified.Unix()) })
}

func (PluginLevel) OrderAuthors(ctx context.Context, b *provider.Build, ids []int64) error {
	return objects.SortByNicename(ctx, b.Rules.Blog, ids)
}

func (PluginLevel) IndexesPosts(b *provider.Build, t *registry.PostType, l *catalog.List) bool {
	l.Encoding = new(urlset.Verbatim)
	return b.Rules.Settings.(*settings).types.on[t.Name]
}

func (PluginLevel) IndexesTerms(b *provider.Build, t *registry.Taxonomy, l *catalog.List) bool {
	if b.Rules.Settings.(*settings).before("9.4") {
		l.Encoding = new(urlset.Verbatim)
	}
	return b.Rules.Settings.(*settings).taxonomies.on[t.Name]
}

func (PluginLevel) TermDates(_ *provider.Build, _ *registry.Taxonomy, l *catalog.List, _ *rows.Terms) []int64 {
	return noDates(l)
}

func (PluginLevel) AuthorDates(_ context.Context, _ *provider.Build, l *catalog.List) ([]int64, error) {
	return noDates(l), nil
}

// Newest implements provider.Policy: archives have no date.
func (PluginLevel) Newest(*provider.Build, *catalog.List) int64 { return wp.NoTime }

func (PluginLevel) DatesOfAuthors(context.Context, *provider.Build, []int64, map[int64]int64) (map[int64]int64, error) {
	return nil, nil
}

func (PluginLevel) TermLoc(r *provider.Renderer, _ *registry.Taxonomy, term *address.Term) string {
	if r.Rules.Settings.(*settings).before("9.4") {
		return php.URLDecode(term.Link)
	}
	return term.Link
}

// noDates returns wp.NoTime for each page, and at least once.
func noDates(l *catalog.List) []int64 { return slices.Repeat([]int64{wp.NoTime}, max(1, l.Pages())) }

// IndexesAuthors implements provider.Policy. It reports whether the sitemap of authors is ticked. If
// not, the sitemap answers only the query variable.
func (PluginLevel) IndexesAuthors(b *provider.Build, l *catalog.List) bool {
	s := b.Rules.Settings.(*settings)
	users := l.Content.(catalog.Own)
	if s.before("9.4") {
		l.Encoding = new(urlset.Verbatim)
		users = catalog.Relocated(users, php.URLDecode)
	}
	if l.Content = users; s.authors {
		return true
	}
	l.Past, l.Content = catalog.PastHidden, catalog.ByQuery{Own: users, Asked: func(l *catalog.List) *catalog.List {
		shown := *l
		shown.Past = catalog.PastEvery
		return &shown
	}}
	return false
}

// FirstLinks implements provider.Policy. It returns the archive of the type, unless the archive is
// noindex.
func (PluginLevel) FirstLinks(ctx context.Context, b *provider.Build, t *registry.PostType, _ *catalog.List) ([]catalog.FirstLink, error) {
	if b.Rules.Settings.Archive(t.Name) != nil {
		return nil, nil
	}
	set := b.Rules.Blog.Settings()
	switch {
	case t.Name == "post" && set.ShowOnFront == "page" && set.PageForPosts > 0:
		return linkOf(ctx, b, set.PageForPosts)
	case t.Name == "post":
		return []catalog.FirstLink{archiveAt(b, b.Rules.Blog.Home(), 0)}, nil
	case !t.HasArchive && t.ArchivePage <= 0:
		return nil, nil
	}
	if t.ArchivePage > 0 {
		p, err := b.Page(ctx, t.ArchivePage)
		if err != nil || p == nil || p.Status == "publish" {
			return linksOf(b, p), err
		}
	}
	link, err := b.Rules.Book.ArchiveLink(ctx, t) // the archive is there whatever the status of its page
	if err != nil || link == "" {
		return nil, err
	}
	return []catalog.FirstLink{archiveAt(b, link, max(t.ArchivePage, 0))}, nil
}

// archiveAt returns the first link of an archive (see catalog.FirstLink), without a date. The URL-decoded address ends in a slash
// if permalinks do. page is the id of the page at the address; 0 if there is none.
func archiveAt(b *provider.Build, link string, page int64) catalog.FirstLink {
	return catalog.FirstLink{Object: page, Loc: php.URLDecode(b.Rules.Links.Trailing(link)), LastMod: wp.NoTime}
}

// linkOf returns the entry for the page with this id, which a sitemap lists before its posts. It returns nil if there is no such page.
func linkOf(ctx context.Context, b *provider.Build, page int64) ([]catalog.FirstLink, error) {
	p, err := b.Page(ctx, page)
	return linksOf(b, p), err
}

func linksOf(b *provider.Build, p *address.Post) []catalog.FirstLink {
	if p == nil {
		return nil
	}
	return []catalog.FirstLink{archiveAt(b, p.Link, p.ID)}
}

// LanguageLinks implements provider.Policy. It replaces the archive of a post type by the archives in all
// visible languages, in their order. For posts, it lists the translations of the posts page.
//
// LanguageLinks does not change an archive that is a page, such as a shop page, or home with the latest posts. It also
// changes nothing if Polylang takes the language from the content, or if each language has its own host.
func (PluginLevel) LanguageLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) error {
	if len(l.First) != 1 || b.Rules.HasDomains() || b.Rules.Blog.Languages().Content || t.Name == "post" && l.First[0].Object == 0 {
		return nil
	}
	var links []catalog.FirstLink
	for _, lang := range b.Rules.Blog.Languages().All {
		if !lang.Active {
			continue
		}
		in, link, err := l.First, "", error(nil)
		switch {
		case t.Name == "post":
			in, err = linkOf(ctx, b, cmp.Or(lang.Posts, l.First[0].Object))
		case l.First[0].Object == 0:
			link, err = b.Rules.Book.ArchiveLinkIn(ctx, t, lang.Code)
			in = []catalog.FirstLink{archiveAt(b, link, 0)}
		}
		if err != nil {
			return err
		}
		for _, link := range in {
			if !slices.ContainsFunc(links, func(f catalog.FirstLink) bool { return f.Loc == link.Loc }) {
				links = append(links, link)
			}
		}
	}
	l.First = links
	return nil
}

// PostDates implements provider.Policy. Since 9.3 it returns the dates that the plugin has cached,
// unless the cache has expired. Without a cache, page k has the date of its first post if all published
// posts are sorted by date of change, the newest first.
//
// Posts with a password count. Since 8.9, posts that are noindex or have a canonical URL do not. Attachments
// have one page without a date. Before 8.4.1 no page has a date.
func (PluginLevel) PostDates(b *provider.Build, l *catalog.List) []int64 {
	dates, s := noDates(l), b.Rules.Settings.(*settings)
	switch {
	case l.Of == "attachment":
		return dates[:1]
	case s.before("8.4.1"): // these versions write no dates
		return dates
	}
	if noted, ok := s.notedDates(l.Of, b.Rules.Options.Now()); ok && !s.before("9.3") {
		return atInstants(b.Rules.Blog, dates, noted)
	}
	var changes, first []int64
	for _, r := range b.Rows.Posts[l.Of] {
		switch flags := b.Rows.Flags[r.ID]; {
		case r.Status != rows.Published:
		case s.before("8.9"): // the plugin reads the UTC column as the site's clock
			changes = append(changes, r.ModifiedGMT.Unix())
		case !flags.Noindex && flags.Canonical == "":
			changes = append(changes, r.Modified.Unix())
		}
	}
	slices.SortFunc(changes, func(x, y int64) int { return cmp.Compare(y, x) })
	for page := range slices.Chunk(changes, b.Rules.Options.PageSize) {
		first = append(first, page[0])
	}
	return atInstants(b.Rules.Blog, dates, first)
}

// atInstants converts local, which are times by the site's clock, to Unix seconds. It writes the results over the first
// elements of dates, and returns dates.
func atInstants(blog *wp.Blog, dates, local []int64) []int64 {
	for i := range min(len(dates), len(local)) {
		dates[i] = instant(blog, local[i])
	}
	return dates
}

// instant returns the Unix time at which the site's clock shows local. If the clock shows local twice,
// at the end of summer time, the result may differ from PHP's.
func instant(blog *wp.Blog, local int64) int64 {
	if local == wp.NoTime {
		return local
	}
	return blog.UTC(local)
}

// OrderTerms implements provider.Policy. In taxonomies that WooCommerce sorts by hand, it sorts terms by
// their stored number. Terms without a number come first.
func (PluginLevel) OrderTerms(b *provider.Build, t *registry.Taxonomy, terms catalog.Places) {
	s := b.Rules.Settings.(*settings)
	if !s.byOrder[t.Name] {
		return
	}
	slices.SortStableFunc(terms, func(x, y catalog.Place) int {
		first, has := s.orders[x.ID]
		second, also := s.orders[y.ID]
		switch {
		case has && also:
			return cmp.Compare(first, second)
		case has:
			return 1
		case also:
			return -1
		}
		return 0
	})
}

// shown returns the types in the stored list in, in their order, then the other registered types. The
// plugin treats the types in the list as public, before 10.0 even if they are no longer registered.
//
// Types that may be registered without rewrite rules are undecided, so they are left to the site.
func shown(r *seo.Rules, in list, taxonomy bool, registered []*registry.Type) []*registry.Type {
	var all []*registry.Type
	for _, name := range in.names {
		t := registry.Type{Name: name, Taxonomy: taxonomy}
		if i := slices.IndexFunc(registered, func(t *registry.Type) bool { return t.Name == name }); i >= 0 {
			t = *registered[i]
		} else if t.Undecided = mayBeRegistered(r, t.Kind(), name); !t.Undecided && r.Settings.(*settings).from("10.0") {
			continue
		}
		if !t.Undecided {
			t.Public, t.Viewable = true, true
		}
		all = append(all, &t)
	}
	for _, t := range registered {
		if !in.has(t.Name) {
			all = append(all, t)
		}
	}
	return all
}

// mayBeRegistered reports whether a type with objects but without rewrite rules may still be
// registered. This is possible if an unknown plugin is active. Only PHP knows the addresses of such a
// type.
func mayBeRegistered(r *seo.Rules, kind, name string) bool {
	return r.Blog.HasUnknownPlugin() && slices.ContainsFunc(r.Blog.Registry().Unknown, func(u registry.Unknown) bool {
		return u.Kind == kind && u.Name == name
	})
}
