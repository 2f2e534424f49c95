package explainer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
)

// What explain says holds for what is served. Where that is not what the database says now (a loss alarm holds, the
// database cannot be read), the cached pages are searched: those in memory, then those that outlive the process.

// cachedPages hands out the cached pages of a blog, and notes when they were made.
func (e *Explainer) cachedPages(of *site.Site, b *site.Blog, made map[string]time.Time) explain.Pages {
	return func(_ context.Context, f catalog.File) ([]byte, error) {
		page := e.Pages.Peek(of, b, f.Name, f.Page)
		if page == nil {
			return nil, nil
		}
		made[f.URL] = page.Built()
		return page.Plain(), nil
	}
}

// servedPages hands out the pages of a blog as a request would get them now.
func (e *Explainer) servedPages(of *site.Site, b *site.Blog) explain.Pages {
	return func(ctx context.Context, f catalog.File) ([]byte, error) {
		page, err := e.Pages.Served(ctx, of, b, f.Name, f.Page)
		if err != nil {
			return nil, err
		}
		return page.Plain(), nil
	}
}

// servedFrom says why a blog is served from its cached pages alone; "" where it is not.
func servedFrom(b *site.Blog) string {
	switch {
	case b.HeldBy != "":
		return "most of the site is gone from its database (" + b.HeldBy + ")"
	case errors.Is(b.Err, site.ErrNotReadYet):
		return site.ErrNotReadYet.Error()
	case b.Err != nil:
		return "its database cannot be read (" + b.Err.Error() + ")"
	}
	return ""
}

// ruleNotCached is the rule for what no cached page holds, where only those are served.
const ruleNotCached = "not in the cached pages"

// fromCached explains an address by the cached pages.
func (e *Explainer) fromCached(ctx context.Context, p place, of *site.Site, b *site.Blog, why string) (*explain.Explanation, error) {
	made := map[string]time.Time{}
	search, err := explain.SearchPages(ctx, b.Outline.Files, e.cachedPages(of, b, made), p.address())
	if err != nil {
		return nil, err
	}
	x := &explain.Explanation{Evidence: []seo.Evidence{{Source: "wpsitemapd", Value: why}}}
	switch {
	case search.File.Name != "":
		x.IsIn(search.File, search.Found)
		if x.Address = search.Found.Loc; search.Found.Image {
			x.Address = p.address()
		}
		x.Rule, x.Because = seo.Listed.String(), servedFromCopy(made[search.File.URL], why)
	case search.Missing > 0:
		x.SayUnknown(fmt.Sprintf("Only cached pages are served, because %s; it is in none of the %d that were searched, and %d are not cached.",
			why, search.Searched, search.Missing))
	default:
		x.Rule = ruleNotCached
		x.Because = fmt.Sprintf("Only cached pages are served, because %s; it is in none of the %d.", why, search.Searched)
	}
	return x, nil
}

// servedFromCopy says that an answer is a cached page.
func servedFromCopy(made time.Time, why string) string {
	return fmt.Sprintf("It is served from a cached page of %s, because %s.", made.UTC().Format("2006-01-02T15:04:05-07:00"), why)
}

// cachedSitemap explains a sitemap by the index and the pages that are cached.
func (e *Explainer) cachedSitemap(of *site.Site, b *site.Blog, name string, page int, why string) *explain.Explanation {
	x := &explain.Explanation{Object: fmt.Sprintf("sitemap %s, page %d", name, page), Evidence: []seo.Evidence{{Source: "wpsitemapd", Value: why}}}
	i := slices.IndexFunc(b.Outline.Files, func(f catalog.File) bool { return f.Name == name && f.Page == page })
	if i < 0 {
		x.SayUnknown("Only cached pages are served, because " + why + ", and they do not tell about this URL.")
		return x
	}
	x.IsIn(b.Outline.Files[i], explain.Found{})
	x.Rule, x.Because = seo.Listed.String(), "It is not cached, and answered with 503, because "+why+"."
	if c := e.Pages.Peek(of, b, name, page); c != nil {
		x.Because = servedFromCopy(c.Built(), why)
	}
	return x
}
