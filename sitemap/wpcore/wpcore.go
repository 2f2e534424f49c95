// Package wpcore makes WordPress' own sitemaps. They answer if no plugin's sitemaps do, and ignore the
// settings of plugins.
//
// Both levels are nearly the same. Level spec has a few more checks, and it omits zero dates, which
// WordPress prints as dates in the year -1.
package wpcore

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
)

// Plugin is WordPress itself.
var Plugin = seo.Plugin{
	Name:         "WordPress",
	URLs:         scheme{catalog.TypeNames{Posts: posts, Taxonomies: taxonomies, Users: users}},
	Compared:     [2]release.Version{"5.7", "7.1"},
	ContentType:  "application/xml; charset=UTF-8",
	IndexFile:    IndexFile,
	OtherIndex:   "sitemap_index.xml",
	RobotsAnchor: "# START YOAST BLOCK",
	RobotsGap:    "\n",
}

// settings implements seo.PluginSettings for WordPress, which ignores the settings of plugins.
type settings struct{ blog *wp.Blog }

func (settings) PostType(t *registry.PostType) *seo.Reason {
	if t.Name == "attachment" {
		return seo.Never(Plugin.Name, "post type "+t.Name)
	}
	return nil
}

func (settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	if t.Unqueryable {
		return seo.Unqueryable(t)
	}
	return nil
}

func (s settings) AuthorTypes() []string {
	types := []string{}
	for _, t := range s.blog.Registry().PostTypes {
		if t.Public && t.Name != "attachment" && (t.Name != "page" || s.blog.WordPress().Before("6.4")) { // since 6.4, authors of pages do not count
			types = append(types, t.Name)
		}
	}
	return types
}

func (settings) Archive(postType string) *seo.Reason {
	return seo.Because(seo.RuleNoArchive, "The sitemaps of WordPress hold no archives.", "",
		seo.Evidence{Source: Plugin.Name, Value: "no archives in its sitemaps", Of: "archive of " + postType})
}
func (settings) Authors() *seo.Reason                                        { return nil }
func (settings) Load(context.Context) error                                  { return nil }
func (settings) Faults() seo.Faults                                          { return seo.Faults{} }
func (settings) Posts(context.Context, []int64) (map[int64]seo.Flags, error) { return nil, nil }
func (settings) Post(*address.Post) seo.Flags                                { return seo.Flags{} }
func (settings) PostEvidence(*address.Post) []seo.Evidence                   { return nil }
func (settings) Term(string, int64) seo.Flags                                { return seo.Flags{} }
func (settings) TermEvidence(string, int64) []seo.Evidence                   { return nil }
func (settings) Author(*address.Author) seo.Flags                            { return seo.Flags{} }

// PluginLevel holds the decisions and the policy of WordPress itself. Objects are in id order and have
// their date of change. The index has no dates.
type PluginLevel struct {
	seo.PluginDecisions
	provider.PluginPolicy
}

func (PluginLevel) Possible(blog *wp.Blog) bool               { return blog.Settings().BlogPublic }
func (PluginLevel) Settings(blog *wp.Blog) seo.PluginSettings { return settings{blog} }

func (PluginLevel) Checks() []seo.Check {
	return []seo.Check{seo.NotPublishedCheck, seo.NotAMemberCheck, seo.ExcludedCheck, seo.JobFilledCheck}
}

func (PluginLevel) Protected(bool, bool) bool                 { return false }
func (PluginLevel) AttachmentOpen(*seo.Rules, string) bool    { return true }
func (PluginLevel) FirstLink(set *wp.Settings, id int64) bool { return seo.NamesPage(set, id) }
func (PluginLevel) EveryLanguage() bool                       { return true }
func (PluginLevel) ZeroChanges() bool                         { return true }
func (PluginLevel) UndatedTerms() bool                        { return true }
func (PluginLevel) EmptyIndex(*seo.Rules) bool                { return true }

func (PluginLevel) JudgeHome(r *seo.Rules, link string) seo.Verdict {
	return seo.SpecDecisions{}.JudgeHome(r, link)
}

func (PluginLevel) Filled(set *wp.Settings, postType, value string) bool {
	return set.Exclusions.HideFilled && wp.FilledForCore(postType, value)
}

func (PluginLevel) TermInUse(_ *seo.Rules, _ string, _ bool, count int64) bool { return count > 0 }

// Date implements seo.Decisions. It returns the date of change, even if the post was published later.
func (PluginLevel) Date(r *seo.Rules, d wp.Dates) int64 { return r.Changed(d.ChangedGMT) }

func (PluginLevel) Bare(k seo.ObjectKind) bool { return k == seo.KindTerm || k == seo.KindUser }
func (PluginLevel) Local() bool                { return true }
func (PluginLevel) Encoding() urlset.Encoding  { return urlset.Core }

// PageSize implements provider.Policy. It returns the default of wp_sitemaps_get_max_urls() and
// ignores the operator's number.
func (PluginLevel) PageSize(*wp.Blog, int) int { return 2000 }

func (PluginLevel) OrderTerms(_ *provider.Build, _ *registry.Taxonomy, terms catalog.Places) {
	terms.ByID()
}

func (PluginLevel) OrderAuthors(ctx context.Context, b *provider.Build, ids []int64) error {
	return objects.SortByLogin(ctx, b.Rules.Blog, ids)
}

func (PluginLevel) IndexesPosts(b *provider.Build, _ *registry.PostType, l *catalog.List) bool {
	l.Extensions, l.Explained.Dateless = urlset.Bare, undated(b.Rules.Blog)
	return pages(l) > 0
}

func (PluginLevel) IndexesTerms(_ *provider.Build, _ *registry.Taxonomy, l *catalog.List) bool {
	return pages(l) > 0
}

func (PluginLevel) PostDates(_ *provider.Build, l *catalog.List) []int64 { return noDates(l) }

func (PluginLevel) TermDates(_ *provider.Build, _ *registry.Taxonomy, l *catalog.List, _ *rows.Terms) []int64 {
	return noDates(l)
}

func (PluginLevel) AuthorDates(_ context.Context, _ *provider.Build, l *catalog.List) ([]int64, error) {
	return noDates(l), nil
}

func (PluginLevel) DatesOfAuthors(context.Context, *provider.Build, []int64, map[int64]int64) (map[int64]int64, error) {
	return nil, nil
}

func (PluginLevel) HomeURL(b *provider.Build) string { return b.Rules.Blog.Home() + "/" }

// TakesPlace implements provider.Policy. Only listed objects count when the pages are filled, so an excluded object leaves
// no empty place.
func (PluginLevel) TakesPlace(_ *seo.Rules, _ seo.ObjectKind, v seo.Verdict) bool {
	return v == seo.Listed
}

// SpecLevel is PluginLevel with more checks: redirects, copies for tests, hidden forums, and addresses
// that are missing or shadowed. It omits zero dates.
type SpecLevel struct{ PluginLevel }

func (s SpecLevel) Checks() []seo.Check {
	return slices.Concat([]seo.Check{seo.NotProductionCheck}, s.PluginLevel.Checks(),
		[]seo.Check{seo.HiddenForumCheck, seo.NoAddressCheck, seo.ShadowedCheck, seo.RedirectedCheck})
}

func (SpecLevel) ZeroChanges() bool { return false }
func (SpecLevel) PastDates() bool   { return true }

// pages returns the number of pages of a list. A list without posts has one page if it lists home.
func pages(l *catalog.List) int {
	if len(l.First) > 0 {
		return max(l.Pages(), 1)
	}
	return l.Pages()
}

func noDates(l *catalog.List) []int64 {
	return slices.Repeat([]int64{wp.NoTime}, pages(l))
}

// undated reports whether entries have no date, because WordPress is older than 6.5.
func undated(blog *wp.Blog) bool { return blog.WordPress().Before("6.5") }

// FirstLinks implements provider.Policy. If the front page shows the latest posts, home is listed
// before the pages. Before 6.1, sticky posts are listed before other posts, as in WordPress' queries.
func (PluginLevel) FirstLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	set := b.Rules.Blog.Settings()
	switch {
	case t.Name == "page" && set.ShowOnFront == "posts":
		home := b.OpenHome(b.Home(), true)
		if len(home) == 0 || undated(b.Rules.Blog) {
			return home, nil
		}
		var err error
		home[0].LastMod, err = homeDate(ctx, b)
		return home, err
	case t.Name != "post" || !b.Rules.Blog.WordPress().Before("6.1"):
		return nil, nil
	}
	var first []catalog.FirstLink
	isSticky := func(id int64) bool { return slices.Contains(set.Core.Sticky, id) }
	for i := range b.Rows.Posts["post"] {
		if r := &b.Rows.Posts["post"][i]; r.Verdict == seo.Listed && isSticky(r.ID) {
			first = append(first, catalog.FirstLink{PostID: r.ID, LastMod: r.LastMod.Unix()})
		}
	}
	// The catalog before the delta may share these places, so they are cloned.
	l.Places = slices.DeleteFunc(slices.Clone(l.Places), func(p catalog.Place) bool { return isSticky(p.ID) })
	return first, nil
}

// sqlLatest returns the dates of change of the newest published posts. It needs no sort, because it reads the end of the index
// type_status_date.
const sqlLatest = `SELECT post_modified_gmt FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish'
ORDER BY post_date DESC, ID DESC LIMIT ?`

// homeDate returns the newest change among the posts that the front page shows: the latest by date, and the sticky ones.
func homeDate(ctx context.Context, b *provider.Build) (int64, error) {
	core, newest := b.Rules.Blog.Settings().Core, wp.NoTime
	err := b.Rules.Blog.Query(ctx, sqlLatest, []any{cmp.Or(core.PostsPerPage, math.MaxInt32)}, db.Rows1(func(date string) {
		newest = max(newest, b.Rules.Changed(wp.ParseDate(date)))
	}))
	for _, id := range core.Sticky {
		if i, ok := rows.FindPost(b.Rows.Posts["post"], id); ok && b.Rows.Posts["post"][i].Status == rows.Published {
			newest = max(newest, b.Rows.Posts["post"][i].LastMod.Unix())
		}
	}
	return newest, err
}

// Posts implements provider.Policy. Posts have only an address and a date.
func (PluginLevel) Posts(c *provider.Renderer, _ *registry.PostType) catalog.Own {
	return catalog.Overridden{Own: c.Posts(), By: func(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
		posts, err := c.Rules.Book.Posts(ctx, places.IDs(), nil)
		return c.AsListed(posts, places, func(to []urlset.URL, p *address.Post, modified int64) []urlset.URL {
			if undated(c.Rules.Blog) {
				modified = wp.NoTime
			}
			return append(to, urlset.URL{Object: p.ID, Loc: p.Link, LastMod: modified})
		}), err
	}}
}

// Robots returns the robots.txt of WordPress' do_robots() without the lines for sitemaps. Of all plugins' changes, it
// includes only the lines of WooCommerce.
func Robots(blog *wp.Blog) string {
	set := blog.Settings()
	path := ""
	if u, err := url.Parse(set.SiteURL); err == nil {
		path = strings.TrimRight(u.EscapedPath(), "/")
	}
	var shop string // the lines that WooCommerce puts before the others
	if set.Woo.Active {
		for _, folder := range []string{"wc-logs", "woocommerce_transient_files", "woocommerce_uploads"} {
			shop += "Disallow: " + path + "/wp-content/uploads/" + folder + "/\n"
		}
	}
	return "User-agent: *\n" + shop + "Disallow: " + path + "/wp-admin/\nAllow: " + path + "/wp-admin/admin-ajax.php\n"
}
