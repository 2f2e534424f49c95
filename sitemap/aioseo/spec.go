package aioseo

import (
	"context"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// SpecLevel holds the decisions and the policy of level spec on a site with All in One SEO. The front page
// is never noindex. The archives of post types have a list of their own. Home is in the list of additional
// pages, unless a page of the site is the front page and pages have a sitemap.
type SpecLevel struct {
	seo.SpecDecisions
	provider.SpecPolicy
}

func (SpecLevel) Presence(blog *wp.Blog) seo.Presence       { return presence(blog) }
func (SpecLevel) Settings(blog *wp.Blog) seo.PluginSettings { return newSettings(blog, seo.SpecLevel) }
func (SpecLevel) OwnRSS(blog *wp.Blog) int                  { return ownRSS(blog) }

func (SpecLevel) Checks() []seo.Check {
	notFront := func(check seo.Check) seo.Check {
		return check.When(func(c *seo.Rules, o *seo.Object) bool { return o.Kind != seo.KindFrontPage && check.Applies(c, o) })
	}
	return seo.SpecChecks(seo.Own{
		Noindex: notFront(noindex), ArchiveNoindex: archiveNoindex, Canonical: canonical,
		Last: []seo.Check{notFront(typeNoindex), excludedPost, excludedTerm, byTerm, hidden},
	})
}

func (SpecLevel) Unattached() bool { return true }

func (SpecLevel) WithoutParts(r *seo.Rules) bool {
	o := optionsOf(r.Blog)
	return o.firstPage || o.says(globalRobots+"default", true) || o.says(globalRobots+"noindexPaginated", true)
}

// PageSize implements provider.Policy: it returns the operator's number, or else the number in the settings.
func (SpecLevel) PageSize(blog *wp.Blog, wanted int) int { return pageSize(blog, wanted) }

func (s SpecLevel) FirstLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	if t.Name != "page" && t.Name != "post" || homeIsExtra(b) {
		return nil, nil
	}
	return s.SpecPolicy.FirstLinks(ctx, b, t, l)
}
