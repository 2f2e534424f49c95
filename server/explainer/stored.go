package explainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
)

// What explain says holds for what is served. Where that is not what the database says now (a loss alarm holds, the
// database cannot be read), the stored pages are searched: those in memory, then those that outlive the process.

// storedPages hands out the stored pages of a blog, with the time at which they were made.
func (e *Explainer) storedPages(of *site.Site, b *site.Blog, made map[string]time.Time) explain.Pages {
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

// servedFrom says why a blog is served from its stored pages alone; "" where it is not.
func servedFrom(b *site.Blog) string {
	switch {
	case b.HeldBy != "":
		return "most of the site is gone from its database (" + b.HeldBy + ")"
	case b.Err != nil && errors.Is(b.Err, site.ErrNotReadYet):
		return site.ErrNotReadYet.Error()
	case b.Err != nil:
		return "its database cannot be read (" + b.Err.Error() + ")"
	}
	return ""
}

// fromStored brings an explanation in line with the stored pages. x is what the database says, nil where it says nothing.
func (e *Explainer) fromStored(
	ctx context.Context, p place, of *site.Site, b *site.Blog, x *explain.Explanation, why string,
) (*explain.Explanation, error) {
	addresses := []string{p.address()}
	if x == nil {
		x = &explain.Explanation{Evidence: []seo.Evidence{}}
	} else if x.Address != "" {
		addresses = append(addresses, x.Address)
	}
	made := map[string]time.Time{}
	search, err := explain.SearchPages(ctx, b.Outline.Files, e.storedPages(of, b, made), addresses...)
	if err != nil {
		return nil, err
	}
	says := x.Rule
	alarm := seo.Evidence{Source: "wpsitemapd", Value: why}
	switch {
	case search.File.Name != "":
		at := made[search.File.URL].UTC().Format(copyTime)
		x.IsIn(search.File, search.Found)
		x.Address = cmp.Or(x.Address, search.Found.Loc)
		if search.Found.Image {
			x.Address = p.address()
		}
		x.Rule, x.Evidence = seo.Listed.String(), []seo.Evidence{{Source: search.File.URL, Value: "cached page of " + at}, alarm}
		x.Because = fmt.Sprintf("It is served from a cached page of %s, because %s.", at, why)
		if says != "" && says != x.Rule {
			x.Notes = append(x.Notes, "By the database as it is now: "+says+".")
		}
	case search.Missing > 0:
		x.SayUnknown(fmt.Sprintf("Only cached pages are served, because %s; it is in none of the %d that were searched, and %d are not cached.",
			why, search.Searched, search.Missing), alarm)
	default:
		if says == "" || x.In || x.Unknown || x.Rule == explain.RuleChanged {
			*x = explain.Explanation{Object: x.Object, Address: x.Address, Notes: x.Notes, Rule: ruleNotStored, Evidence: []seo.Evidence{}}
			x.Because = "It is in none of the cached pages that are served."
		}
		x.Evidence = append(x.Evidence, alarm)
		x.Notes = append(x.Notes, fmt.Sprintf("Only cached pages are served, because %s; all %d were searched.", why, search.Searched))
	}
	return x, nil
}

// ruleNotStored is the rule for what no cached page holds, where only those are served and the database does not say
// why.
const ruleNotStored = "not in the cached pages"

// sitemapFromStored adds to what is known of a sitemap that it is served from a copy, or has none.
func (e *Explainer) sitemapFromStored(of *site.Site, b *site.Blog, x *explain.Explanation, why string) {
	i := slices.IndexFunc(b.Outline.Files, func(f catalog.File) bool { return f.URL == x.URL })
	if i < 0 {
		return
	}
	f := b.Outline.Files[i]
	if !x.In { // the database has lost it
		x.IsIn(f, explain.Found{})
		x.Rule, x.Because, x.Evidence = seo.Listed.String(), "The index that is served names it.", []seo.Evidence{{Source: "wpsitemapd", Value: why}}
	}
	if c := e.Pages.Peek(of, b, f.Name, f.Page); c != nil {
		x.Notes = append(x.Notes, fmt.Sprintf("It is served from a cached page of %s, because %s.", c.Built().UTC().Format(copyTime), why))
		return
	}
	x.Notes = append(x.Notes, fmt.Sprintf("It is not cached, and answered with 503, because %s.", why))
}

// copyTime is the form of the time of a cached page in texts, as of a lastmod.
const copyTime = "2006-01-02T15:04:05-07:00"

// rivals are the other sites that claim the place of a blog.
func (e *Explainer) rivals(at route.Mount, host string) []string {
	var names []string
	for _, s := range e.Sites() {
		claims := func(m route.HostedMount) bool {
			return slices.Contains(m.Hosts, host) && strings.EqualFold(m.Path, at.Path)
		}
		if s != at.Site && slices.ContainsFunc(route.MountsOf(s), claims) {
			names = append(names, s.Config.Name)
		}
	}
	return names
}
