package aioseo

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// This file makes the lists of level plugin, exactly as All in One SEO makes them. Lists of terms are in emittedterms.go.

// PluginLevel holds the decisions and the policy of level plugin, with the lists of this file and of lists.go. A front page is
// listed even if it is noindex. The posts page is always listed.
type PluginLevel struct {
	seo.PluginDecisions
	provider.PluginPolicy
}

func (PluginLevel) Presence(blog *wp.Blog) seo.Presence { return presence(blog) }
func (PluginLevel) Settings(blog *wp.Blog) seo.PluginSettings {
	return newSettings(blog, seo.PluginLevel)
}
func (PluginLevel) OwnRSS(blog *wp.Blog) int { return ownRSS(blog) }

func (PluginLevel) Checks() []seo.Check {
	return []seo.Check{
		seo.NotPublishedCheck, seo.ProtectedCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Protected && o.Kind != seo.KindPostsPage && !c.Settings.(*settings).before("4.9.5")
		}),
		seo.FrontPageCheck.When(func(_ *seo.Rules, o *seo.Object) bool { return o.FirstLink }),
		seo.ExcludedCheck,
		noindex.When(func(_ *seo.Rules, o *seo.Object) bool { return o.Flags.Noindex && o.Kind == seo.KindPost }),
		excludedPost.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Flags.Against == seo.ExcludedPost && excludes(c, o) && !(o.Kind == seo.KindFrontPage && c.Settings.(*settings).pageFlags(o.ID).Stamp != 0)
		}),
		excludedTerm, byTerm.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Flags.Against == seo.ExcludedByTerm && excludes(c, o) && o.Kind != seo.KindPostsPage
		}),
		hidden,
		typeNoindex.When(func(c *seo.Rules, o *seo.Object) bool { return o.Kind == seo.KindPost && typeNoindex.Applies(c, o) }),
		archiveNoindex, seo.ParentHiddenCheck,
		seo.NotAMemberCheck.When(func(c *seo.Rules, o *seo.Object) bool { return o.NotAMember && c.Settings.(*settings).before("4.3.9") }),
	}
}

func (PluginLevel) Internal(*seo.Rules, string, string) bool        { return true }
func (PluginLevel) AttachmentOpen(_ *seo.Rules, status string) bool { return status == "inherit" }
func (PluginLevel) Unattached() bool                                { return true }
func (PluginLevel) Filled(*wp.Settings, string, string) bool        { return false }
func (PluginLevel) EveryLanguage() bool                             { return true }

func (PluginLevel) PostTypes(r *seo.Rules) []*registry.PostType {
	return inOrder(optionsOf(r.Blog), "postTypes", r.Blog.Registry().PostTypes)
}

func (PluginLevel) Taxonomies(r *seo.Rules) []*registry.Taxonomy {
	return inOrder(optionsOf(r.Blog), "taxonomies", r.Blog.Registry().Taxonomies)
}

func (PluginLevel) JudgeHome(r *seo.Rules, link string) seo.Verdict {
	return seo.SpecDecisions{}.JudgeHome(r, link)
}

// Date implements seo.Decisions as level spec does. But before 4.6.3, it returns the date of change, even if the post
// was published later.
func (PluginLevel) Date(r *seo.Rules, d wp.Dates) int64 {
	if r.Settings.(*settings).before("4.6.3") {
		return r.Changed(d.ChangedGMT)
	}
	return seo.SpecDecisions{}.Date(r, d)
}

func (PluginLevel) PageSize(blog *wp.Blog, wanted int) int { return pageSize(blog, wanted) }

// TakesPlace implements provider.Policy. An attachment with a hidden parent takes a place, because the
// plugin drops such an attachment only while it renders the page.
func (PluginLevel) TakesPlace(_ *seo.Rules, k seo.ObjectKind, v seo.Verdict) bool {
	return v == seo.Listed || v == seo.ParentHidden && k == seo.KindPost
}

func (PluginLevel) Encoding() urlset.Encoding     { return urlset.Verbatim }
func (PluginLevel) IndexHome(r *seo.Rules) string { return homeOf(r) }

// OrderPosts implements provider.Policy. Posts are sorted by priority, then by date of change.
func (PluginLevel) OrderPosts(all []rows.Post, indexes []int32) {
	slices.SortStableFunc(indexes, func(x, y int32) int {
		return cmp.Or(cmp.Compare(all[y].Priority, all[x].Priority), cmp.Compare(changed(&all[y]), changed(&all[x])))
	})
}

// OrderAuthors implements provider.Policy. The author of the post that changed last is first. Before
// 4.3.9 the plugin sorted by login; the nicename is used here because it is made from the login.
func (PluginLevel) OrderAuthors(ctx context.Context, b *provider.Build, ids []int64) error {
	if b.Rules.Settings.(*settings).before("4.3.9") {
		return objects.SortByNicename(ctx, b.Rules.Blog, ids)
	}
	newest := b.Rows.AuthorDates(changed)
	slices.SortStableFunc(ids, func(x, y int64) int { return cmp.Compare(newest[y], newest[x]) })
	return nil
}

func (PluginLevel) PostDates(_ *provider.Build, l *catalog.List) []int64 { return l.Dates }

func (PluginLevel) AuthorDates(ctx context.Context, b *provider.Build, l *catalog.List) ([]int64, error) {
	switch own := b.Rules.Settings.(*settings); {
	case own.before("4.3.9") && len(l.Places) > 0: // these versions have one file for any number of authors
		l.Size = urlset.MaxEntries
		return []int64{newestOfSite(b)}, nil
	case own.before("4.9.9"):
		return writerDates(ctx, b, l)
	}
	return l.PageDates(), nil
}

func (PluginLevel) DateForAuthor(row *rows.Post) int64 { return changed(row) }

func (PluginLevel) Posts(c *provider.Renderer, _ *registry.PostType) catalog.Own {
	own := c.Rules.Settings.(*settings)
	return own.decodedLocs(catalog.Overridden{Own: c.Posts(), By: own.posts(c)})
}

func (PluginLevel) HomeURL(b *provider.Build) string {
	if home := homeOf(b.Rules); cut(b.Rules.Blog.Settings().Permalinks.Structure) {
		return strings.TrimSuffix(home, "/")
	}
	return homeOf(b.Rules)
}

func (PluginLevel) ImageTitle(a *objects.Attachment) string {
	return provider.SpecPolicy{}.ImageTitle(a)
}
func (PluginLevel) LimitsImages() bool { return true }
func (PluginLevel) OwnImage() bool     { return true }

// excludes reports whether the plugin's lists of excluded posts and terms apply to an object. Before 4.7.9
// they do not apply to posts if there is a posts page.
func excludes(c *seo.Rules, o *seo.Object) bool {
	set := c.Blog.Settings()
	beside := o.Kind == seo.KindPost && o.Type == "post" && set.ShowOnFront == "page" && set.PageForPosts > 0
	return !beside || !c.Settings.(*settings).before("4.7.9")
}

// homeOf returns the home address with which the plugin's links begin. If Polylang or WPML puts the
// default language's code into URLs, the address includes the code.
func homeOf(r *seo.Rules) string {
	if code := r.Blog.Languages().Default(); code != "" && !r.HasDomains() && !r.Blog.Languages().Content {
		return r.Blog.Languages().Links.Home(code)
	}
	return r.Blog.Home() + "/"
}

// writerDates returns the dates that the index shows for the pages of authors. To compute them, the plugin takes
// all users who have posts of a type that has a sitemap.
func writerDates(ctx context.Context, b *provider.Build, l *catalog.List) ([]int64, error) {
	types := []string{"post"}
	for _, t := range b.Rules.PostTypes() {
		if b.Rules.ListsType(t) && included(b, t) && t.Name != "post" {
			types = append(types, t.Name)
		}
	}
	newest := b.Rows.AuthorDates(changed, types...)
	users, err := b.Rules.Book.Authors(ctx, slices.Collect(maps.Keys(newest)))
	var all []int64
	for _, u := range users {
		all = append(all, newest[u.ID])
	}
	slices.SortFunc(all, func(x, y int64) int { return cmp.Compare(y, x) })
	dates := slices.Repeat([]int64{wp.NoTime}, l.Pages())
	for i := range dates {
		if i*l.Size < len(all) {
			dates[i] = all[i*l.Size]
		}
	}
	return dates, err
}

func changed(r *rows.Post) int64 { return r.ModifiedGMT.Unix() }

// newestChange returns the newest change of a type's published rows.
func newestChange(b *provider.Build, of string) int64 {
	newest := wp.NoTime
	for i := range b.Rows.Posts[of] {
		if r := &b.Rows.Posts[of][i]; r.Status == rows.Published {
			newest = max(newest, r.ModifiedGMT.Unix())
		}
	}
	return newest
}

// newestOfSite returns the newest change of posts and pages.
func newestOfSite(b *provider.Build) int64 {
	return max(newestChange(b, "post"), newestChange(b, "page"))
}

// Enabled removes the lists of post types for which included is false, and all lists if enabled is false.
// If attachments are chosen but have no pages of their own, Enabled adds an empty list for them.
func Enabled(_ context.Context, b *provider.Build) error {
	own, media := b.Rules.Settings.(*settings), b.Rules.Blog.Registry().PostType("attachment")
	b.Catalog.Lists = slices.DeleteFunc(b.Catalog.Lists, func(l *catalog.List) bool {
		t := b.Rules.Blog.Registry().PostType(l.Of)
		return !enabled(b) || l.Kind == seo.KindPost && t != nil && !included(b, t)
	})
	if enabled(b) && media != nil && !own.attachments() && own.includes("postTypes", media.Name) {
		b.Add(b.List(catalog.List{Name: media.Name, Kind: seo.KindPost, Of: media.Name, Past: catalog.PastEvery}))
	}
	return nil
}

// IndexesPosts implements provider.Policy. It also sets the hints, extensions and index dates of the list.
func (PluginLevel) IndexesPosts(b *provider.Build, t *registry.PostType, l *catalog.List) bool {
	own := b.Rules.Settings.(*settings)
	l.FirstPlaced, l.Hints = true, cmpHints(l.Hints, own.hints("postTypes", t.Name))
	if !own.images() {
		l.Extensions = urlset.Bare
	}
	if len(l.Places)+len(l.First) > 0 {
		l.Past = catalog.PastEvery
	}
	if l.Dates = indexDates(b, own, t, l.Size); own.before("4.3.9") { // these versions use the same query for index and sitemap
		l.Dates = l.PageDates()
	}
	return len(l.Dates) > 0
}

// times returns how often a post is listed: once for each row of the plugin's table that allows the post, and at least
// once.
func times(b *provider.Build, post int64) int { return int(max(b.Rows.Flags[post].Stamp, 1)) }

// cmpHints returns the operator's hints. Where the operator sets none, it uses the plugin's.
func cmpHints(operator, plugin urlset.Hints) urlset.Hints {
	return urlset.Hints{Priority: cmp.Or(operator.Priority, plugin.Priority), ChangeFreq: cmp.Or(operator.ChangeFreq, plugin.ChangeFreq)}
}

// FirstLinks implements provider.Policy. The front page precedes the pages and the posts page precedes the posts. Such
// a page is not listed a second time. The plugin may list another post several times, see times. FirstLinks therefore
// repeats such posts in l.Places.
func (PluginLevel) FirstLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	first, err := pinnedPage(ctx, b, t)
	var places catalog.Places // copied, because the catalog before a delta may share the places
	for _, p := range slices.CompactFunc(slices.Clone(l.Places), func(x, y catalog.Place) bool { return x.ID == y.ID }) {
		if len(first) == 0 || first[0].PostID != p.ID {
			places = append(places, slices.Repeat(catalog.Places{p}, times(b, p.ID))...)
		}
	}
	l.Places = places
	return first, err
}

func pinnedPage(ctx context.Context, b *provider.Build, t *registry.PostType) ([]catalog.FirstLink, error) {
	set := b.Rules.Blog.Settings()
	id, kind, hints := set.PageOnFront, seo.KindFrontPage, b.Rules.Settings.(*settings).hints("homePage", "")
	if t.Name == "post" {
		id, kind, hints = set.PageForPosts, seo.KindPostsPage, urlset.Hints{}
	}
	if set.ShowOnFront != "page" || id <= 0 || t.Name != "page" && t.Name != "post" {
		return nil, nil
	}
	p, err := b.Page(ctx, id)
	if p == nil {
		return nil, err
	}
	if t.Name == "page" && (p.Type != "page" || p.Status != "publish" || id == set.PageForPosts) {
		return nil, nil
	}
	rule, err := b.Rules.JudgePage(ctx, kind, p)
	if err != nil {
		return nil, err
	}
	if rule != seo.Listed {
		b.Leave(rule, seo.Left{Kind: seo.KindPost, Of: p.Type, ID: p.ID})
		return nil, nil
	}
	return []catalog.FirstLink{{PostID: id, LastMod: b.Rules.PostDate(p.Dates), Hints: hints}}, nil
}

// indexDates returns the dates that the index shows for the pages of a post type. For these dates the
// plugin sorts posts by date of change, the newest first, and divides them into pages. A page has the date
// of its first post. If a page has one post, only the first page has a date.
//
// These posts are not the same as those on the pages. A noindexed front page is not among them. Posts of a
// noindexed type are, and so are attachments with any parent. Before 4.4.7 excluded posts are among them;
// since then the posts page is among the posts.
func indexDates(b *provider.Build, own *settings, t *registry.PostType, size int) []int64 {
	var dates []int64
	set, all := b.Rules.Blog.Settings(), own.before("4.4.7") // excluded posts count, too
	for i := range b.Rows.Posts[t.Name] {
		r := &b.Rows.Posts[t.Name][i]
		counts := false
		switch r.Verdict {
		case seo.Listed, seo.ParentHidden, seo.TypeNoindex, seo.ExcludedPost, seo.ExcludedByTerm, seo.HiddenProduct:
			counts = all || b.Rows.Flags[r.ID].Against == seo.Listed && !r.Protected()
		case seo.FrontPageItself:
			f := own.pageFlags(r.ID)
			counts = !f.Noindex && (all || r.ID == set.PageOnFront && r.ID != set.PageForPosts && f.Against == seo.Listed)
		}
		if counts {
			dates = append(dates, slices.Repeat([]int64{changed(r)}, times(b, r.ID))...)
		}
	}
	if i, ok := rows.FindPost(b.Rows.Posts["page"], set.PageForPosts); ok && t.Name == "post" && !all {
		dates = append(dates, changed(&b.Rows.Posts["page"][i]))
	}
	slices.SortFunc(dates, func(x, y int64) int { return cmp.Compare(y, x) })
	var pages []int64
	for i := 0; i < len(dates); i += size {
		pages = append(pages, dates[i])
		if size == 1 {
			break
		}
	}
	return pages
}

// Authors adds the list of authors.
func Authors(ctx context.Context, b *provider.Build) error {
	if err := provider.Authors(ctx, b); err != nil {
		return err
	}
	if l := b.Catalog.List(authorName); l != nil {
		own := b.Rules.Settings.(*settings)
		l.Hints = cmpHints(l.Hints, own.hints("author", ""))
		l.Indexed = l.Indexed && !own.globally("noindex", false)
		l.Content = own.decodedLocs(l.Content.(catalog.Own))
	}
	return nil
}

// decodedLocs returns a content whose addresses have no percent-encoding. The plugin prints such addresses
// since 4.6.9.1; for older versions decodedLocs returns the content unchanged.
func (s *settings) decodedLocs(of catalog.Own) catalog.Own {
	if s.before("4.6.9.1") {
		return of
	}
	return catalog.Relocated(of, decoded)
}

// decoded returns an address without percent-encoding, even if it was encoded several times.
func decoded(loc string) string {
	for range urlset.MaxLoc {
		plain := php.RawURLDecode(loc)
		if plain == loc {
			break
		}
		loc = plain
	}
	return loc
}
