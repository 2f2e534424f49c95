package rankmath

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// SpecLevel holds the decisions and the policy of level spec on a site with Rank Math.
type SpecLevel struct {
	seo.SpecDecisions
	provider.SpecPolicy
}

func (SpecLevel) Presence(blog *wp.Blog) seo.Presence       { return presence(blog, seo.SpecLevel) }
func (SpecLevel) Settings(blog *wp.Blog) seo.PluginSettings { return newSettings(blog) }

func (SpecLevel) Checks() []seo.Check {
	canonical := canonicalCheck.When(func(c *seo.Rules, o *seo.Object) bool { return isText(o) && canonicalCheck.Applies(c, o) })
	return seo.SpecChecks(seo.Own{Noindex: noindexCheck, Canonical: canonical, More: []seo.Check{excludedCheck, roleCheck, typeCheck}})
}

func (SpecLevel) JudgeHome(c *seo.Rules, link string) seo.Verdict {
	return c.JudgeArchive("post", link)
}

// FreeAuthors implements seo.Decisions: it returns all members of the site.
func (SpecLevel) FreeAuthors(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	return objects.Members(ctx, blog)
}

// TermInUse implements seo.Decisions. If the option noindex_empty_taxonomies is on, an empty term is not in
// use, even if its own robots say index.
func (SpecLevel) TermInUse(c *seo.Rules, taxonomy string, listed bool, count int64) bool {
	noindex := on(c.Settings.(*settings).titles.Get("noindex_empty_taxonomies"))
	return termInUse(c, taxonomy, count) && (listed || !noindex)
}

// PageSize implements provider.Policy: it returns the operator's number, or else the number in the settings.
func (SpecLevel) PageSize(blog *wp.Blog, wanted int) int { return of(blog).pageSize(wanted) }

// PluginLevel holds the decisions and the policy of level plugin: exactly what Rank Math 1.0.273 emits.
type PluginLevel struct {
	seo.PluginDecisions
	provider.PluginPolicy
}

func (PluginLevel) Presence(blog *wp.Blog) seo.Presence       { return presence(blog, seo.PluginLevel) }
func (PluginLevel) Settings(blog *wp.Blog) seo.PluginSettings { return newSettings(blog) }

func (PluginLevel) FreeAuthors(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	return objects.Members(ctx, blog)
}

// TermInUse implements seo.Decisions. A term with posts of its own is in use. If a setting includes
// empty terms, every term is in use.
func (PluginLevel) TermInUse(c *seo.Rules, taxonomy string, _ bool, count int64) bool {
	return termInUse(c, taxonomy, count)
}

func termInUse(c *seo.Rules, taxonomy string, count int64) bool {
	return count > 0 || on(c.Settings.(*settings).sitemap.Get("tax_"+taxonomy+"_include_empty"))
}

// Checks implements seo.Decisions. The first checks repeat the plugin's query: noindex of the object, status, password. An object that the
// query returns takes a place on a page. The later checks may then leave the place empty. For the later checks, a stored "index"
// overrides noindex.
func (PluginLevel) Checks() []seo.Check {
	return []seo.Check{
		noindexCheck.When(func(r *seo.Rules, o *seo.Object) bool { return o.Flags.Noindex && asksNoindex(r, o.Kind) }),
		seo.NotPublishedCheck, seo.ProtectedCheck, seo.NotAMemberCheck,
		seo.ParentHiddenCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.ParentHidden && c.Settings.(*settings).before("1.0.203")
		}),
		seo.FrontPageCheck.When(func(c *seo.Rules, o *seo.Object) bool { // older versions also listed the posts page among the pages
			return o.FirstLink && !c.Settings.(*settings).before("1.0.211")
		}), otherLanguageCheck,
		seo.ExcludedCheck, excludedCheck, roleCheck,
		noindexCheck.When(func(_ *seo.Rules, o *seo.Object) bool {
			// The posts page is not part of the query. PHP reads its value, and an unreadable value says nothing.
			ignored := o.Flags.Broken && o.Kind == seo.KindPostsPage
			return o.Flags.Noindex && !o.Flags.Index && !ignored
		}),
		typeCheck.When(func(c *seo.Rules, o *seo.Object) bool { return o.Kind != seo.KindUser && typeCheck.Applies(c, o) }),
		seo.LinksElsewhereCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Kind == seo.KindPost && o.LinksTo != "" && c.External(o.LinksTo)
		}),
		seo.ExternalLinkCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Link != "" && (o.Kind == seo.KindPost || o.Kind == seo.KindPostsPage) && !c.IsInternal(o.Link, o.Language)
		}),
		canonicalCheck.When(func(_ *seo.Rules, o *seo.Object) bool { return o.Kind != seo.KindUser && o.Differs() }),
	}
}

func (PluginLevel) Protected(set, null bool) bool { return set || null }
func (PluginLevel) LockedParents() bool           { return true }
func (PluginLevel) EveryLanguage() bool           { return true }

// AttachmentOpen implements seo.Decisions. Before 1.0.203, the status of an attachment does not matter. Since 1.0.203,
// an attachment must be published, which is rare. Since 1.0.211, an attachment may also inherit the status of its
// parent.
func (PluginLevel) AttachmentOpen(r *seo.Rules, status string) bool {
	set := r.Settings.(*settings)
	return set.before("1.0.203") || status == "publish" || status == "inherit" && !set.before("1.0.211")
}

func (PluginLevel) FirstLink(set *wp.Settings, id int64) bool {
	return set.ShowOnFront == "page" && id > 0 && id == set.PageForPosts
}

func (PluginLevel) DatesTerms(r *seo.Rules, t *registry.PostType) bool { return r.HasTaxonomy(t) }

func (PluginLevel) PageSize(blog *wp.Blog, wanted int) int { return of(blog).pageSize(wanted) }

// TakesPlace implements provider.Policy. An object takes a place unless the plugin's query leaves it out.
func (PluginLevel) TakesPlace(r *seo.Rules, k seo.ObjectKind, v seo.Verdict) bool {
	switch {
	case k == seo.KindUser:
		return v == seo.Listed || v == seo.Excluded
	case !v.Late(), v == seo.FrontPageItself, k == seo.KindTerm && v == seo.ExcludedInPlugin:
		return false
	case v == seo.MetaNoindex:
		return !asksNoindex(r, k)
	}
	return true
}

// asksNoindex reports whether the plugin's query for objects of this kind leaves out noindexed objects.
func asksNoindex(r *seo.Rules, k seo.ObjectKind) bool {
	switch set := r.Settings.(*settings); k {
	case seo.KindPost:
		return !set.before("1.0.203")
	case seo.KindTerm:
		return !set.before("1.0.218")
	}
	return k != seo.KindPostsPage // the plugin has no query for the posts page
}

func (PluginLevel) Past() catalog.PastEnd      { return catalog.PastUnlisted }
func (PluginLevel) PostsPast() catalog.PastEnd { return catalog.PastUnlisted }

// OrderPosts implements provider.Policy: the post changed last is first.
func (PluginLevel) OrderPosts(all []rows.Post, indexes []int32) {
	slices.SortStableFunc(indexes, func(x, y int32) int { return cmp.Compare(all[y].Modified.Unix(), all[x].Modified.Unix()) })
}

func (PluginLevel) OrderTerms(_ *provider.Build, _ *registry.Taxonomy, terms catalog.Places) {
	terms.ByID()
}

// OrderAuthors implements provider.Policy: the user updated last is first; users without an update come last.
func (PluginLevel) OrderAuthors(_ context.Context, b *provider.Build, ids []int64) error {
	slices.SortStableFunc(ids, func(x, y int64) int { return cmp.Compare(b.Rows.Authors[y].Stamp, b.Rows.Authors[x].Stamp) })
	return nil
}

func (PluginLevel) IndexesPosts(_ *provider.Build, _ *registry.PostType, l *catalog.List) bool {
	return len(l.Places) > 0
}

// HomeURL implements provider.Policy: home ends in a slash if permalinks do.
func (PluginLevel) HomeURL(b *provider.Build) string {
	return b.Rules.Links.Trailing(b.Rules.Blog.Home())
}

func (PluginLevel) OwnImage() bool { return true }

// otherLanguageCheck leaves out terms that are not in the language of the request. Polylang shows Rank Math only the terms of
// the language of the request. If Polylang takes the language from the content, a request for a sitemap has
// no language, and Rank Math finds all terms.
//
// With WPML, Rank Math finds all terms, unless each language has a host of its own.
var otherLanguageCheck = seo.Check{
	Verdict:  seo.OtherLanguage,
	Sentence: "Rank Math lists only terms of the default language, or of the language of the host.",
	Applies: func(c *seo.Rules, o *seo.Object) bool {
		if o.Kind != seo.KindTerm || !c.Blog.Languages().Taxonomies[o.Type] || c.Blog.Languages().Content {
			return false
		}
		asked, _ := c.Blog.Languages().Asked()
		wpml := c.Blog.Languages().ListsWithoutLanguage()
		return o.Language != asked.Code && (!wpml || c.HasDomains() && o.Language != "")
	},
}

// Internal implements seo.Decisions: a link stays on the site if its host equals home's and its path contains home's path.
func (PluginLevel) Internal(c *seo.Rules, link, language string) bool {
	_, home, _ := strings.Cut(c.HomeOf(language), "://")
	_, target, absolute := strings.Cut(link, "://")
	homeHost, homePath, _ := strings.Cut(home, "/")
	host, path, _ := strings.Cut(target, "/")
	host, _, _ = strings.Cut(host, "?")
	return !absolute || strings.EqualFold(host, homeHost) && strings.Contains("/"+path, "/"+homePath)
}
